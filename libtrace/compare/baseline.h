/*
 * Baseline: what is kept of runs of a program so that they can be compared: per run its identity, its frame
 * times in order, and per series (a timer on a class of threads, a pass of a GPU, a counter, memory of a tag,
 * the errors of the log) exact sums, a sketch, and sums over consecutive blocks of frames. Runs lie side by
 * side and are never pooled. Filled by collect.h and baseline_read.c, written by baseline_write.c, compared
 * by compare.h.
 *
 * Times are in cycles of the clock of their run.
 */
#ifndef TK_COMPARE_BASELINE_H
#define TK_COMPARE_BASELINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "stats/sketch.h"

enum tk_series_kind {
    TK_SERIES_TIMER,   /* scopes of a timer on threads of a class */
    TK_SERIES_GPU,     /* the same on queues of a GPU of one name */
    TK_SERIES_COUNTER, /* values that a counter was set to */
    TK_SERIES_MEMORY,  /* bytes of a memory tag */
    TK_SERIES_LOG,     /* messages of the log that are errors */
    TK_SERIES_KINDS
};

/* Calls whose times are kept one by one. */
#define TK_SERIES_EXACT 64u

/*
 * One series of a run. For counters and memory the times are values: `blocks` are sums of them in each block,
 * and `hits` how many there were; for the others `hits` is NULL.
 */
struct tk_series {
    uint8_t kind;       /* enum tk_series_kind */
    uint8_t timer_kind; /* enum tk_timer_kind of timers */
    bool real;          /* counters: a real number was among the values */
    uint32_t line;
    const struct tk_str *name, *group, *file; /* of the names of the run; file may be empty */
    uint64_t count;                           /* calls, values, messages */
    uint64_t total, incl;                     /* cycles of all calls, and of outermost ones */
    int64_t own;                              /* cycles without scopes begun inside */
    uint64_t min, max;                        /* cycles of a call */
    uint64_t exact[TK_SERIES_EXACT];          /* cycles of the calls, ascending; only when count is no more */
    struct tk_sketch sketch;                  /* of cycles of calls; TK_SKETCH_CALLS */
    double first, last, low, high;            /* counters, memory */
    double *blocks;                           /* owned; n_blocks of the run: own cycles, or sums of values */
    uint32_t *hits;                           /* owned; NULL but for counters and memory */
};

struct tk_base_item {
    const struct tk_str *key, *value;
};

struct tk_base_run {
    uint64_t hash;      /* of the bytes of the capture */
    uint64_t frequency; /* cycles a second */
    uint64_t duration;  /* cycles */
    struct tk_intern names;
    TK_VEC(struct tk_base_item) session; /* what the capture says of itself */
    TK_VEC(uint64_t) frames;             /* cycles of each game frame, in order */
    uint32_t block_frames;               /* frames of a block, a power of two */
    uint32_t n_blocks;
    TK_VEC(struct tk_series *) series; /* owned; sorted by kind, group, name, file, line */
};

struct tk_baseline {
    TK_VEC(struct tk_base_run *) runs; /* owned */
};

/* Frames of a block at most; fewer where a run is short, more where it is very long. */
#define TK_BLOCK_FRAMES 64u

/* Frames of a block in a run of n frames: about 64 blocks, of 4 frames at least; at most 64 frames unless
 * that were more than 160 blocks. */
uint32_t tk_block_frames(uint64_t n);

/* A run without anything; NULL when memory is out. */
struct tk_base_run *tk_base_run_new(void);
void tk_base_run_free(struct tk_base_run *run);

/* Makes a series with blocks of zeros; it is the run's. NULL when memory is out. */
struct tk_series *tk_base_run_add(struct tk_base_run *run, uint8_t kind);

/* Puts the series in their order. TK_OK or TK_ENOMEM. */
void tk_base_run_sort(struct tk_base_run *run);

/* Order of series of any two runs: kind, group, name, file, timer kind. */
int tk_series_compare(const struct tk_series *a, const struct tk_series *b);

/* Takes a run, also when it fails. TK_OK, TK_ENOMEM, TK_EUSAGE when it is there already. */
int tk_baseline_take(struct tk_baseline *b, struct tk_base_run *run, struct tk_err *err);

/* The value of a session item, or NULL. */
const struct tk_str *tk_base_run_item(const struct tk_base_run *run, const char *key);

/* Compares texts by their bytes. */
int tk_str_order(const struct tk_str *a, const struct tk_str *b);

/* The capture's time as milliseconds. */
static inline double tk_base_ms(const struct tk_base_run *run, double cycles)
{
    return cycles * 1e3 / (double)run->frequency;
}

#endif
