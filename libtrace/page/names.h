/*
 * Names: texts of a block, each once, that its columns refer to by number. Blocks of timers, trees and
 * hitches use it.
 */
#ifndef TK_REPORT_ENCODE_NAMES_H
#define TK_REPORT_ENCODE_NAMES_H

#include "base/text/intern.h"
#include "base/vec.h"
#include "page/markup.h"

/* Zero-initialise to begin. */
struct tk_names {
    struct tk_intern texts;
    TK_VEC(const struct tk_str *) list;
    uint32_t *slots; /* owned: a number + 1 by address, open addressing; `room` of them */
    size_t room;
};

void tk_names_release(struct tk_names *names);

/* The number of a text, or -1 if out of memory. */
int64_t tk_names_number(struct tk_names *names, struct tk_str text);

/* Bytes of the names of a block that is bounded in size. */
enum { TK_NAMES_BYTES = 200000 };

/* Appends them as a JSON array. `most` bytes of names in all, where they are cut to as many each; 0: no
 * bound. */
void tk_names_put(const struct tk_names *names, size_t most, struct tk_markup *m);

#endif
