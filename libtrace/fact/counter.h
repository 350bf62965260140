/*
 * Facts about counters: what they are, and how their values change. See fact/fact.h for what holds of all
 * facts.
 */
#ifndef TK_FACT_COUNTER_H
#define TK_FACT_COUNTER_H

#include "tracekit.h"

/* What a counter is: the fact that says its values is its own too. */
enum tk_counter_kind {
    TK_COUNTER_PLAIN,  /* COUNTER_VALUE: set now and then */
    TK_COUNTER_STAT,   /* STAT_VALUE: set and added to */
    TK_COUNTER_SERIES, /* SERIES_VALUE: one value a frame, put together in it */
    TK_COUNTER_TAG,    /* TAG_VALUE: memory of a tag, in a snapshot now and then */
    TK_COUNTER_TASK,   /* TASK: follows from what happens to tasks; no format says such counters */
    TK_COUNTER_KINDS
};

enum tk_counter_unit {
    TK_COUNTER_NUMBER,
    TK_COUNTER_BYTES,
    TK_COUNTER_CYCLES, /* values are lengths of time */
    TK_COUNTER_PERCENT,
    TK_COUNTER_WATTS
};

/* A counter; a series of one thread is said with its thread. Ids are those of the kind; a later fact of the
 * same kind and id replaces the first. */
struct tk_fact_counter {
    uint64_t id;
    uint8_t kind;                      /* enum tk_counter_kind */
    uint8_t unit;                      /* enum tk_counter_unit */
    bool real;                         /* begins as a real number */
    bool clears;                       /* begins with 0 in each game frame */
    bool unnamed;                      /* the name is made up: the capture has none */
    uint32_t frames;                   /* TK_COUNTER_SERIES: type of the frames */
    const struct tk_str *name;         /* NULL: not known */
    const struct tk_str *group, *text; /* what it belongs to; a description; NULL: none */
};

enum tk_counter_op { TK_COUNTER_SET, TK_COUNTER_ADD, TK_COUNTER_MIN, TK_COUNTER_MAX };

struct tk_number {
    bool real;
    union {
        int64_t i;
        double r;
    } v;
};

/* A counter changes. In a series the first change in a frame sets, whatever it is. */
struct tk_fact_counter_value {
    uint64_t id;
    uint8_t op; /* enum tk_counter_op */
    struct tk_number number;
};

#endif
