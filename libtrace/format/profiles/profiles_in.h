/*
 * What the files of this folder share, and nobody else: a walk over a file that is read as a whole.
 */
#ifndef TK_FORMAT_PROFILES_PROFILES_IN_H
#define TK_FORMAT_PROFILES_PROFILES_IN_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "format/events/capture.h"
#include "format/events/feed.h"
#include "format/events/window.h"

#include <stdbool.h>
#include <stdint.h>

struct tk_prof_walk {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_ev_window w;
    struct tk_map threads; /* interned name -> number */
    uint32_t n_threads;
    TK_VEC(uint32_t) frames; /* of the stack at work, the innermost first */
};

/* The hooks `open` and `close` of a decoder. */
int tk_prof_open(struct tk_ev_capture *c, void **walk, struct tk_err *err);
void tk_prof_close(void *walk);

/* The whole file in one piece. TK_OK; TK_ELIMIT; what else failed. */
int tk_prof_whole(struct tk_prof_walk *d, struct tk_bytes *out, struct tk_err *err);

/* Adds the stack in `frames`, so often, of a thread by name; NULL: of none. 0 or -1. */
int tk_prof_add(struct tk_prof_walk *d, const struct tk_str *thread, uint64_t weight);

#endif
