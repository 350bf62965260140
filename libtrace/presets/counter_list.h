/*
 * All counters of a capture, statistics and series included, and their values, which are kept in a temporary
 * file. The presets insights and summarize read them.
 */
#ifndef TK_EXPORT_PRESET_COUNTER_LIST_H
#define TK_EXPORT_PRESET_COUNTER_LIST_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "presets/preset.h"
#include "io/scratch/spill.h"

enum { TK_COUNTER_PIECE = 64 };

struct tk_counter_value {
    int64_t time; /* cycles since the start */
    bool real;
    union {
        int64_t i;
        double r;
    } v;
};

struct tk_counter_entry {
    const struct tk_str *name;
    bool real, clears; /* begins with 0 in each game frame */
    bool plain;        /* a counter of the program, no statistic or series */
    bool wanted;       /* keeps its values */
    size_t n;          /* in piece */
    struct tk_spilled spilled;
    struct tk_counter_value *piece; /* owned: TK_COUNTER_PIECE; NULL before the first value */
};

/* Zero-initialise to begin. */
struct tk_counter_list {
    TK_VEC(struct tk_counter_entry) v;
    struct tk_intern texts;
    struct tk_map index;    /* address of the key in texts -> index */
    struct tk_spill *spill; /* owned; NULL before values are read */
};

/* Reads what counters there are: counters, then statistics, then series. As tk_run. */
int tk_counter_list_read(struct tk_counter_list *list, const struct tk_preset_job *job, struct tk_err *err);

/* Reads the values of those that are wanted; in the capture's clock. As tk_run. */
int tk_counter_list_values(struct tk_counter_list *list, const struct tk_preset_job *job,
                           const struct tk_fact_clock *clock, struct tk_err *err);

/* Calls fn for each value of a counter, in order of time, until it fails. */
int tk_counter_list_walk(const struct tk_counter_list *list, size_t counter,
                         int (*fn)(void *ctx, const struct tk_counter_value *value, struct tk_err *err),
                         void *ctx, struct tk_err *err);

void tk_counter_list_release(struct tk_counter_list *list);

#endif
