/*
 * Sampled: single samples of threads, their stacks, and the functions of each address in them; or the
 * callstacks of allocations. The model, and of allocations their export, fills it, the sinks of timelines and
 * of stacks write it; it is the third shape of data beside tables.
 */
#ifndef TK_TABLE_SAMPLED_H
#define TK_TABLE_SAMPLED_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

/* A function at an address, or what stands for it. Texts are interned in the struct that holds it. */
struct tk_sampled_place {
    const struct tk_str *function; /* never NULL */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line;                 /* 0: not known */
    bool known;                    /* it is a function, no offset or address */
};

/* An executable or library that addresses lie in. */
struct tk_sampled_module {
    const struct tk_str *name;
    uint64_t base, end; /* addresses; 0: not known */
    char id[65];        /* of its file, as hexadecimal digits; empty: not known */
};

/* An address, with the functions that it lies in. */
struct tk_sampled_location {
    uint64_t address;
    uint32_t module; /* place in modules; TK_MAP_NONE: none */
    uint32_t first;  /* of its places: the innermost inlined function */
    uint32_t n;      /* at least 1 */
};

/* A stack of a thread. */
struct tk_sampled_stack {
    uint64_t count;  /* samples; of memory allocations */
    uint64_t bytes;  /* of memory: allocated */
    uint32_t thread; /* place in threads */
    size_t first;    /* of its frames: places in locations, the innermost first */
    uint32_t n;
};

struct tk_sampled_thread {
    const struct tk_str *name;
    uint64_t number; /* of its track (table/timeline.h), or one that no track has */
};

/* One sample. */
struct tk_sampled_moment {
    int64_t ns;      /* since the start of the capture */
    uint32_t stack;  /* place in stacks */
    uint32_t thread; /* place in threads: that of its stack */
};

/* Zero-initialise to begin. */
struct tk_sampled {
    TK_VEC(struct tk_sampled_place) places;
    TK_VEC(struct tk_sampled_module) modules;
    TK_VEC(struct tk_sampled_location) locations;
    TK_VEC(uint32_t) frames;
    TK_VEC(struct tk_sampled_stack) stacks;
    TK_VEC(struct tk_sampled_thread) threads;
    TK_VEC(struct tk_sampled_moment) moments; /* by thread, then by time; where they were asked for */
    int64_t period;                           /* nanoseconds that a sample stands for; 0: not known */
    bool memory;                              /* stacks are of allocations */
    struct tk_intern texts;
};

static inline void tk_sampled_release(struct tk_sampled *s)
{
    tk_vec_release(&s->places);
    tk_vec_release(&s->modules);
    tk_vec_release(&s->locations);
    tk_vec_release(&s->frames);
    tk_vec_release(&s->stacks);
    tk_vec_release(&s->threads);
    tk_vec_release(&s->moments);
    tk_intern_release(&s->texts);
}

#endif
