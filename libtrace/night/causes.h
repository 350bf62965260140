/*
 * Causes: the hitches of many runs by what they were due to, before and after.
 */
#ifndef TK_NIGHT_CAUSES_H
#define TK_NIGHT_CAUSES_H

#include "compare/baseline/baseline.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"
#include "tracekit/nights.h"

enum tk_cause_phase { TK_CAUSE_PLAY, TK_CAUSE_LOADING, TK_CAUSE_STARTUP, TK_CAUSE_PHASES };

/* Of a cause on the two sides. */
enum tk_cause_state {
    TK_CAUSE_UNJUDGED,
    TK_CAUSE_SAME,
    TK_CAUSE_LESS,
    TK_CAUSE_GONE,
    TK_CAUSE_MORE,
    TK_CAUSE_NEW
};

/* A run whose hitches are counted. */
struct tk_cause_run {
    const struct tk_str *capture, *build; /* NULL: not known */
    bool before;                          /* it was given as one of before */
    double minutes[TK_CAUSE_PHASES];      /* that hitches of the phase are a rate of */
    double seconds;                       /* of all frames */
};

struct tk_cause_hitch {
    uint32_t cause, run;
    uint64_t frame; /* as its capture counts */
    double excess;  /* ms */
};

struct tk_cause {
    uint8_t phase;
    const char *work;                    /* "own", "loading", ..., "unclear". Static */
    const struct tk_str *timer, *thread; /* may be empty */
    const struct tk_str *owner;          /* NULL: not looked up; empty: nobody */
    size_t n[2], captures, captures_of[2];
    double excess, worst, share, rate[2];
    uint32_t worst_run, last_run;
    uint64_t worst_frame;
    uint8_t state; /* enum tk_cause_state */
};

struct tk_causes {
    struct tk_intern names;
    TK_VEC(struct tk_cause_run) runs;
    TK_VEC(struct tk_cause_hitch) hitches;
    TK_VEC(struct tk_cause) v; /* the most frequent first, once settled; by phase */
    size_t n[TK_CAUSE_PHASES]; /* hitches of each */
    double minutes[2][TK_CAUSE_PHASES], seconds[2];
    const struct tk_str *build; /* of before, where it is one; NULL */
    bool owned;                 /* owners were looked up */
};

/* Adds the hitches of a run. 0, or -1 if out of memory. */
int tk_causes_add(struct tk_causes *causes, const struct tk_base_run *run, bool before);

/* When all are there. The runs of before against the others; without any the newest build against the rest.
 * 0, or -1 if out of memory. */
int tk_causes_settle(struct tk_causes *causes);

/* The table `hitch_causes`, and its rows, of all phases or of one, with a column of owners where these were
 * looked up; TK_OK, or what the sink returned. */
extern const struct tk_table tk_causes_table;
int tk_causes_send(const struct tk_causes *causes, int phase, const struct tk_sink *sink, struct tk_err *err);

/* "play", "loading", "startup"; "NEW", ..., "" for what was not judged. Static. */
const char *tk_cause_phase_name(unsigned phase);
const char *tk_cause_state_name(unsigned state);

void tk_causes_release(struct tk_causes *causes);

#endif
