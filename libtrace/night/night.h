/*
 * The night: runs as the rows of one table, each value alongside what it was allowed to be. Rows keep what
 * they need, so that runs can be freed.
 */
#ifndef TK_NIGHT_NIGHT_H
#define TK_NIGHT_NIGHT_H

#include "compare/baseline/baseline.h"
#include "compare/report/budget.h"
#include "night/causes.h"
#include "tracekit/nights.h"

/* What is known of a run; the columns have these names. */
enum tk_night_fact {
    TK_NIGHT_CAPTURE,
    TK_NIGHT_APPLICATION,
    TK_NIGHT_BUILD,
    TK_NIGHT_COMMIT,
    TK_NIGHT_BRANCH,
    TK_NIGHT_PLATFORM,
    TK_NIGHT_CONFIG,
    TK_NIGHT_MAP,
    TK_NIGHT_MACHINE,
    TK_NIGHT_TIME,
    TK_NIGHT_FACTS
};

/* name, 1 where it is a whole number, digits behind the point on pages, help */
#define TK_NIGHT_VALUES_OF(X)                                                                                \
    X(FRAMES, "frames", 1, 0, "game frames")                                                                 \
    X(SECONDS, "seconds", 0, 1, "seconds of them")                                                           \
    X(P50, "p50_ms", 0, 1, "median of the frames, ms")                                                       \
    X(P95, "p95_ms", 0, 1, "95th percentile, ms")                                                            \
    X(P99, "p99_ms", 0, 1, "99th percentile, ms")                                                            \
    X(MAX, "max_ms", 0, 1, "longest frame, ms")                                                              \
    X(LOW1, "low1_fps", 0, 1, "frames a second at the mean of the slowest 1 %")                              \
    X(MVP, "mvp_pct", 0, 2, "missed frames at the target, %")                                                \
    X(LATE, "late_pct", 0, 2, "frames late at the target, %")                                                \
    X(OVER, "over", 1, 0, "number of these")                                                                 \
    X(OVER_MS_S, "over_ms_s", 0, 1, "by how much frames exceed the target, ms/s")                            \
    X(HITCHES, "hitches", 1, 0, "hitches, without those of start-up and loading screens")                    \
    X(HITCHES_MIN, "hitches_min", 0, 1, "the same a minute")                                                 \
    X(HITCHES_LOADING, "hitches_loading", 1, 0, "hitches of loading screens")                                \
    X(HITCHES_STARTUP, "hitches_startup", 1, 0, "hitches of the start-up")                                   \
    X(HITCH_MS_S, "hitch_ms_s", 0, 1, "by how much late frames exceed what is expected, ms/s")               \
    X(UNEVEN, "uneven_pct", 0, 2, "frames late where that is the habit, %")                                  \
    X(GAME, "game_pct", 0, 0, "frames bounded by the game thread, %")                                        \
    X(RENDER, "render_pct", 0, 0, "frames bounded by the render thread, %")                                  \
    X(RHI, "rhi_pct", 0, 0, "frames bounded by the RHI thread, %")                                           \
    X(GPU, "gpu_pct", 0, 0, "frames bounded by the GPU, %")                                                  \
    X(LIMITER, "limiter_pct", 0, 0, "frames bounded by the limiter, %")                                      \
    X(WAITING, "waiting_pct", 0, 0, "frames bounded by waiting, %")                                          \
    X(MEMORY, "memory_peak_bytes", 1, 0, "most memory, bytes")

enum tk_night_value {
#define X(word, name, whole, digits, help) TK_NIGHT_##word,
    TK_NIGHT_VALUES_OF(X)
#undef X
        TK_NIGHT_VALUES
};

struct tk_night_column {
    const char *name, *help;
    bool whole;
    unsigned digits;
};

extern const struct tk_night_column tk_night_columns[TK_NIGHT_VALUES];

/* A value that a budget is about. */
struct tk_night_mark {
    uint8_t level;           /* enum tk_budget_level; passed: none is over */
    double limit;            /* that it is over */
    const struct tk_str *of; /* the budget: "frame p95" */
};

enum tk_night_state {
    TK_NIGHT_OK,
    TK_NIGHT_CUT,
    TK_NIGHT_SHORT,
    TK_NIGHT_LOST,
    TK_NIGHT_DAMAGED,
    TK_NIGHT_CRASH,
    TK_NIGHT_STATES
};

struct tk_night_metric {
    double value; /* NaN: none */
    struct tk_night_mark mark;
};

struct tk_night_row {
    const struct tk_str *facts[TK_NIGHT_FACTS]; /* NULL: not known */
    double v[TK_NIGHT_VALUES];                  /* NaN: not known */
    struct tk_night_mark marks[TK_NIGHT_VALUES];
    const struct tk_str *memory_source;     /* NULL: none */
    TK_VEC(struct tk_night_metric) metrics; /* by the number of its name */
    uint8_t state;                          /* enum tk_night_state */
    unsigned budgets[TK_BUDGET_ERROR + 1];  /* by level */
    const struct tk_str *worst;             /* name of the worst budget; NULL: none is over */
    const struct tk_str *about[3]; /* thread, timer and file of it, which may be NULL; has_owner: it */
    bool has_owner;                /* is of one */
    const struct tk_str *owner;    /* of it, where owners were looked up; NULL or empty: nobody */
    const struct tk_str *link;     /* its own page; NULL: none */
    size_t number;                 /* in which order they came */
};

/* Rows of one map, build and platform: medians of the values, the largest of the longest frames. */
struct tk_night_group {
    struct tk_night_row row;
    size_t n;
};

struct tk_night {
    struct tk_night_options options;
    struct tk_intern names;
    TK_VEC(struct tk_night_row) rows;      /* in the order of the table, once settled */
    TK_VEC(struct tk_night_group) groups;  /* likewise */
    TK_VEC(const struct tk_str *) metrics; /* names */
    struct tk_causes causes;
    bool judged; /* there are budgets */
    bool owned;  /* owners were looked up */
};

/* "ok", "cut", ... Static. */
const char *tk_night_state_name(unsigned state);

/* row.c: fills a row from a run. TK_OK, TK_ENOMEM, TK_EUSAGE (a budget of a metric that has none). */
int tk_night_fill(struct tk_night *night, struct tk_night_row *row, struct tk_base_run *run,
                  struct tk_err *err);

/* groups.c: finds short runs, orders the rows, and groups them. 0, or -1 if out of memory. */
int tk_night_settle_rows(struct tk_night *night);

/* The worst level of a row, and of a group. */
unsigned tk_night_level(const struct tk_night_row *row);

/* "limiter 99": what bounds most frames; false: not known. */
bool tk_night_bound(const struct tk_night_row *row, const char **who, double *share);

/* "10 captures, 2 maps, 2 builds; target 60; 3 failed, 2 warned, 5 passed" */
void tk_night_headline(struct tk_print *p, const struct tk_night *night);

/* The grouped table for a terminal; all rows for Markdown and as a part of a page. */
void tk_night_print_text(struct tk_print *p, const struct tk_night *night);
void tk_night_print_markdown(struct tk_print *p, const struct tk_night *night);
void tk_night_print_html(struct tk_print *p, const struct tk_night *night);

/* Causes of hitches: what follows it. */
void tk_night_causes_text(struct tk_print *p, const struct tk_night *night);
void tk_night_causes_markdown(struct tk_print *p, const struct tk_night *night);
void tk_night_causes_html(struct tk_print *p, const struct tk_night *night);

#endif
