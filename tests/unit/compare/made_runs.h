/*
 * Runs made by hand: every timer has the same own time in each block.
 */
#ifndef TK_TESTS_MADE_RUNS_H
#define TK_TESTS_MADE_RUNS_H

#include "compare/baseline/baseline.h"

#include <stdlib.h>

#define MADE_FRAMES 64u

struct made_timer {
    const char *name;
    double ms; /* a frame */
};

/* A run of frames of 16 ms with a clock of 1 MHz; series of class Main, with a call in each frame. Runs of
 * different `hash` differ. */
static inline struct tk_base_run *made_frames(uint64_t hash, unsigned frames, const struct made_timer *timers,
                                              size_t n)
{
    struct tk_base_run *run = tk_base_run_new();
    run->hash = hash;
    run->frequency = 1000000;
    for (unsigned i = 0; i < frames; i++)
        if (tk_vec_push(&run->frames, 16000))
            abort();
    run->block_frames = tk_block_frames(frames);
    if (tk_base_run_lay(run, NULL, 0))
        abort();
    for (size_t i = 0; i < n; i++) {
        struct tk_series *s = tk_base_run_add(run, TK_SERIES_TIMER);
        s->name = tk_intern_c(&run->names, timers[i].name);
        s->group = tk_intern_c(&run->names, "Main");
        s->count = frames;
        s->min = s->max = (uint64_t)(timers[i].ms * 1000);
        for (unsigned k = 0; k < frames; k++) {
            s->exact[k] = s->max;
            if (tk_sketch_add(&s->sketch, TK_SKETCH_CALLS, s->max))
                abort();
        }
        s->total = s->incl = s->max * frames;
        s->own = (int64_t)s->total;
        for (uint32_t b = 0; b < run->n_blocks; b++)
            s->blocks[b] = (double)s->own / run->n_blocks;
    }
    tk_base_run_tidy(run);
    return run;
}

/* The same of 64 frames. */
static inline struct tk_base_run *made_run(uint64_t hash, const struct made_timer *timers, size_t n)
{
    return made_frames(hash, MADE_FRAMES, timers, n);
}

static inline void made_release(struct tk_baseline *b)
{
    for (size_t i = 0; i < b->runs.n; i++)
        tk_base_run_free(b->runs.v[i]);
    tk_vec_release(&b->runs);
}

#endif
