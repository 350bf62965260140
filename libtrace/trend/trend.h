/*
 * Trend: what changed in a history of runs, at which night and by how much. Reports and tables are written
 * from struct tk_trend alone.
 */
#ifndef TK_COMPARE_TREND_TREND_H
#define TK_COMPARE_TREND_TREND_H

#include "base/arena.h"
#include "base/text/intern.h"
#include "trend/curve.h"

enum tk_trend_kind {
    TK_TREND_STEP,
    TK_TREND_DRIFT,
    TK_TREND_MACHINE,  /* other machines from here on */
    TK_TREND_PROBABLE, /* the newest three nights, likely */
    TK_TREND_SUSPECT,  /* the last night or two are far off */
    TK_TREND_KINDS
};

enum tk_trend_cause {
    TK_TREND_OWN,
    TK_TREND_SHARED,  /* of all series of a class, or alongside such a change */
    TK_TREND_FAMILY,  /* of the timers of a parent as a whole */
    TK_TREND_MEMBER,  /* of a timer, together with the others of its parent */
    TK_TREND_SEVERAL, /* of three or more series at a night */
    TK_TREND_OTHER_MACHINE,
    TK_TREND_CAUSES
};

/* What became of a change. */
enum tk_trend_state {
    TK_TREND_HOLDS,    /* it is the newest of its series */
    TK_TREND_REPLACED, /* another one followed */
    TK_TREND_BACK,     /* and took it back */
    TK_TREND_UNSTEADY, /* the series goes up and down between two levels */
    TK_TREND_STATES
};

struct tk_trend_event {
    uint8_t kind, cause, state, class;
    bool worse;                /* in the direction that its series says */
    bool alarms;               /* it makes the history a regression */
    bool joined;               /* MEMBER: not found alone; p is that of a t test, not adjusted */
    bool brief;                /* of an epoch of few nights */
    bool newest;               /* it is on the machines of the newest run */
    bool known;                /* it was sure a night ago, and alarmed then */
    bool accepted;             /* it would alarm, and is let pass */
    const char *acceptance;    /* what is said of that, or why it is not accepted any more; NULL: nothing */
    uint32_t night, low, high; /* the first night after it, and where it may be as well */
    uint32_t until;            /* drifts: the night at which the new level is reached */
    const struct tk_history_series *series; /* NULL: of a class, a parent, or all */
    const struct tk_str *parent;            /* of TK_TREND_FAMILY and TK_TREND_MEMBER; else NULL */
    double size, se;                        /* logarithm of the ratio; se 0: not known */
    double p;                               /* chance of such a change anywhere in a history without one */
    double nu;                              /* degrees of freedom of se */
    double before, after;                   /* values; NAN where it is of no single series */
    double share;                           /* SHARED of a class: part of the series that follow it */
    const struct tk_str *owner;             /* where owners were looked up; NULL or empty: nobody */
};

/* What is said of a history as a whole, and of a series. */
enum tk_trend_answer {
    TK_TREND_UNKNOWN,   /* no step below a quarter could be seen */
    TK_TREND_NO_CHANGE, /* none beyond `unseen` */
    TK_TREND_BETTER,
    TK_TREND_WORSE,
    TK_TREND_ANSWERS
};

/* What a series is now. */
struct tk_trend_level {
    const struct tk_history_series *series;
    uint32_t nights; /* with a value */
    uint32_t since;  /* first night of the level */
    double now;      /* middle of the values since then */
    double unseen;   /* the smallest step three nights ago that would be named, as a share; NAN: none would */
    double noise;    /* standard deviation of a night, as a share; NAN: not tested */
    double smallest[3]; /* least change that shows after 3, 10 and 50 nights, as a share */
};

struct tk_trend_setup {
    double alpha; /* share of histories with a false change */
    double floor; /* smallest change that is reported, as a ratio */
    double alarm; /* p from which on a change is no alarm */
    bool since;   /* all changes from first_night on alarm that still hold, not only the newest */
    bool open;    /* those that alarmed on an earlier night alarm as long as they hold */
    bool likely;  /* drifts and steps that are less sure alarm, too */
    uint32_t first_night;
    const char *series; /* pattern of those that have to be known; NULL: none. Borrowed, for tk_trend_make */
};

struct tk_trend {
    const struct tk_history *history; /* borrowed */
    struct tk_trend_setup setup;
    TK_VEC(struct tk_trend_event) events; /* by night, name */
    TK_VEC(struct tk_trend_level) levels; /* one a series, in its order */
    size_t tested;                        /* series and parents in the newest epoch */
    bool disturbed;                       /* the last run: more than 5 % of all series are suspect */
    bool worse;
    size_t open;    /* changes for the worse that alarmed on an earlier night, and hold */
    uint8_t answer; /* enum tk_trend_answer */
    const struct tk_history_series *blind; /* of those that have to be known the first that is not; NULL */
    double unseen;          /* NO_CHANGE: the middle of those of the series; NAN where that is infinite */
    struct tk_arena arena;  /* texts of `acceptance` */
    struct tk_intern names; /* owners */
    bool owned;             /* they were looked up */
};

/* Finds everything. 0, TK_EMATCH (no series is called as setup->series has it) or TK_ENOMEM. Release also
 * when it fails. */
int tk_trend_make(struct tk_trend *t, const struct tk_history *h, const struct tk_trend_setup *setup,
                  struct tk_err *err);
void tk_trend_release(struct tk_trend *t);

/* Names as reports write them. */
const char *tk_trend_kind_name(enum tk_trend_kind kind);
const char *tk_trend_state_name(enum tk_trend_state state);
const char *tk_trend_answer_name(enum tk_trend_answer answer);
enum tk_trend_answer tk_trend_answer_of(const struct tk_trend *t, const struct tk_trend_level *level);
const char *tk_trend_class_name(enum tk_trend_class class);

/* Order of names as they are written: "*", "*cpu", "^Parent", ids. */
int tk_trend_event_order(const struct tk_trend_event *a, const struct tk_trend_event *b);

#endif
