/*
 * --split: into what parts an output is divided; one grammar for all commands that have it.
 */
#ifndef TK_CMD_ARGS_SPLIT_H
#define TK_CMD_ARGS_SPLIT_H

#include "args/opt.h"

#include <stdbool.h>
#include <stdint.h>

#define TK_SPLIT_VALUE "SIZE|TIME|frames=N|region=GLOB"

/* One of the members is set, or none. */
struct tk_split {
    uint64_t bytes;     /* about so many in each part */
    int64_t ns;         /* so long */
    uint64_t frames;    /* so many game frames */
    const char *region; /* each region of this name; borrowed */
};

/* "200MB", "10s", "frames=100", "region=Load*"; NULL: none. true, or false with a sentence. */
bool tk_split_read(struct tk_split *out, const char *text, char message[TK_OPT_MESSAGE]);

/* Is there anything to be split? */
static inline bool tk_split_any(const struct tk_split *s)
{
    return s->bytes || s->ns || s->frames || s->region;
}

#endif
