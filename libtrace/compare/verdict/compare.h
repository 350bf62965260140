/*
 * Comparing: runs of a baseline against runs of a candidate, and a verdict for each frame time percentile,
 * thread class, timer, path of calls, GPU pass, counter, memory tag, log, loading, and sampled function.
 *
 * The unit is the run. What is compared of a timer is its own time per frame, which is counted once however
 * deep timers are nested, so that a change shows at the deepest timer that has it. Per run there are two
 * values: the plain one, and a robust one without the greatest four of a hundred blocks of frames, which a
 * single stall cannot move; tests are made with the robust one, floors have to be passed by both.
 *
 *   matrix.c    the same series of all runs alongside each other
 *   derived_rows.c rows that are made of these: busy time, paths of calls, growth
 *   samples.c   functions of stack samples
 *   renames.c   renamed timers
 *   measure.c   values of runs, the factor of the machine of each run
 *   common.c    what all timers share: whether it is taken out, and its verdict
 *   significance.c      variances, chances, intervals
 *   verdict.c   verdicts
 *   changes.c   what reports show of them
 *   explain.c   what explains what: one alarm for one change
 *   sides.h     what the sides are, and whether their runs are what they seem
 */
#ifndef TK_COMPARE_VERDICT_COMPARE_H
#define TK_COMPARE_VERDICT_COMPARE_H

#include "compare/baseline/baseline.h"
#include "judge/outcomes.h"

/*
 * What was wrong with the captures of the runs that are compared or checked: alongside every verdict.
 */

enum tk_run_side { TK_RUN_BASELINE, TK_RUN_CANDIDATE, TK_RUN_NOISE, TK_RUN_CHECKED };

struct tk_run_fault {
    uint8_t side;               /* enum tk_run_side */
    size_t run;                 /* of the side, from 0 */
    struct tk_base_fault fault; /* with texts of `names` */
};

struct tk_run_faults {
    TK_VEC(struct tk_run_fault) v;
    struct tk_intern names;
    size_t n[TK_FAULT_TIERS]; /* runs by the worst of them */
};

/* Adds the faults of all runs of a side. 0, or -1 if out of memory. */
int tk_run_faults_add(struct tk_run_faults *faults, const struct tk_baseline *runs, uint8_t side);

/* "damaged", "lost events", "cut off": the worst of all; empty where there is none. Static. */
const char *tk_run_faults_word(const struct tk_run_faults *faults);

void tk_run_faults_release(struct tk_run_faults *faults);

/*
 * What the sides of a comparison are, or the runs that are checked: alongside every verdict. What differs of
 * their environment, and runs that are not what they seem.
 */

/* What is reported of a side, by number; the names of tk_side_key. */
enum tk_side_fact {
    TK_SIDE_CAPTURES,
    TK_SIDE_APPLICATION,
    TK_SIDE_BUILD,
    TK_SIDE_BRANCH,
    TK_SIDE_PLATFORM,
    TK_SIDE_MACHINE,
    TK_SIDE_DATE,
    TK_SIDE_SELECTION,
    TK_SIDE_FACTS
};

struct tk_side_texts {
    TK_VEC(const struct tk_str *) v; /* of `names`; each once, in the order of the runs */
};

/* One side. Without runs there is no such side. */
struct tk_side_about {
    size_t runs, unnamed; /* unnamed: no machine is known of these */
    uint64_t frames;
    double seconds;           /* of these frames */
    struct tk_side_texts per; /* what the frames are occurrences of (--per); none: frames */
    struct tk_side_texts facts[TK_SIDE_FACTS];
};

/* What is another on the two sides: a thing that both tell. */
struct tk_side_difference {
    const char *what; /* "config", "command line", ... */
    struct tk_side_texts texts[2];
};

enum tk_flaw_kind { TK_FLAW_SHORT, TK_FLAW_ENDED };

/* A run that is no run to compare. */
struct tk_run_flaw {
    uint8_t kind, side;
    size_t run;               /* of the side, from 0 */
    double frames, of_frames; /* short: of the run, and the median of the baseline */
    double seconds, of_seconds;
    const struct tk_str *text; /* ended: in what */
    const struct tk_str *name; /* of the capture; NULL: not known */
};

struct tk_sides {
    struct tk_intern names;
    struct tk_side_about of[4]; /* by enum tk_run_side */
    TK_VEC(struct tk_side_difference) differences;
    TK_VEC(struct tk_run_flaw) flaws;
    bool allowed;                        /* flaws are reported, and decide nothing */
    bool left_out;                       /* runs with flaws are not compared; the others are */
    bool same_data;                      /* a capture is on both sides */
    bool other_machines;                 /* no run of the candidate is of a machine of the baseline */
    TK_VEC(const struct tk_str *) notes; /* sentences that a reader has to know; of `names` */
};

/* "captures", "application", ... Static. */
const char *tk_side_key(enum tk_side_fact fact);

/* "baseline", "candidate", "noise", "runs". Static. */
const char *tk_side_name(enum tk_run_side side);

/* Adds the runs of a side. 0, or -1 if out of memory. */
int tk_sides_add(struct tk_sides *sides, const struct tk_baseline *runs, enum tk_run_side side);

/* What differs of the environment of two baselines. The same. */
int tk_sides_differ(struct tk_sides *sides, const struct tk_baseline *base,
                    const struct tk_baseline *candidate);

/* Notes whether the machines of two sides are of one kind, and what else has to be said of them. The same. */
int tk_sides_match(struct tk_sides *sides, const struct tk_baseline *base,
                   const struct tk_baseline *candidate);

/* Adds a sentence to what a reader has to know. The same. */
int tk_sides_note(struct tk_sides *sides, const char *text);

/* Runs of `runs` that are much shorter than those of `base` (NULL: than none), or ended in a crash. The same.
 */
int tk_sides_find_flaws(struct tk_sides *sides, const struct tk_baseline *base,
                        const struct tk_baseline *runs, enum tk_run_side side);

/*
 * Leaves runs that have flaws out of a side, where two or more are left and these are most of its runs: *left
 * borrows those that stay, and its vector is to be released. 0, or -1 if out of memory.
 */
int tk_sides_leave_out(struct tk_sides *sides, const struct tk_baseline *runs, struct tk_baseline *left);

/* Is there a run that must not be compared? */
bool tk_sides_flawed(const struct tk_sides *sides);

/*
 * Are all runs of one application and platform, as far as they tell? Each side is an enum tk_run_side. TK_OK;
 * TK_EMATCH with what is another.
 */
int tk_sides_alike(const struct tk_baseline *const *runs, const uint8_t *side, size_t n, struct tk_err *err);

void tk_sides_release(struct tk_sides *sides);

enum tk_verdict {
    TK_UNCHANGED,
    TK_INCONCLUSIVE,
    TK_IMPROVED,
    TK_REGRESSED,
    TK_ADDED,
    TK_REMOVED,
    TK_RENAMED,
    TK_MOVED,   /* unchanged, and at another place of the sources */
    TK_CHANGED, /* a metric of which nothing is better */
    TK_VERDICTS
};

enum tk_change_kind {
    TK_CHANGE_FRAME,
    TK_CHANGE_HITCH,
    TK_CHANGE_THREAD,
    TK_CHANGE_TIMER,
    TK_CHANGE_PATH,
    TK_CHANGE_GPU,
    TK_CHANGE_COUNTER,
    TK_CHANGE_MEMORY,
    TK_CHANGE_LOG,
    TK_CHANGE_LOADING,
    TK_CHANGE_FUNCTION,   /* stack samples of a function */
    TK_CHANGE_COMMON,     /* what all timers share */
    TK_CHANGE_ADDED,      /* budgets: time of timers that the baseline has not */
    TK_CHANGE_SMOOTHNESS, /* the words of judge/smoothness.h */
    TK_CHANGE_METRIC,     /* metrics of the user */
    TK_CHANGE_CELL,       /* p95 of the frames in a cell of the level */
    TK_CHANGE_KINDS
};

/* Is it about frames as a whole? */
static inline bool tk_change_is_of_frames(uint8_t kind)
{
    return kind <= TK_CHANGE_HITCH || kind == TK_CHANGE_SMOOTHNESS;
}

/* "regressed", "timer": as reports have them. Static. */
const char *tk_verdict_name(enum tk_verdict verdict);
const char *tk_change_kind_name(enum tk_change_kind kind);

/* Is it code or a thread, of which a CODEOWNERS file can say whose it is? */
bool tk_change_kind_is_owned(unsigned kind);

/* How chances were found. */
enum tk_design {
    TK_DESIGN_RUNS,  /* from the spread of runs, noise included */
    TK_DESIGN_FRAMES /* from the spread of frames inside the only two runs: what differs between runs is not
                        in it */
};

/*
 * TK_DESIGN_FRAMES: the factor up to which two runs of one build may differ. A change has to be beyond it, or
 * it is inconclusive however little it changes from frame to frame. script/evaluate-diff measures what it
 * lets through.
 */
#define TK_PAIR_FACTOR 1.5

/* Runs a side that runs without frames need for a verdict. */
#define TK_UNIT_RUNS 5

/* Floors of what is no part of a frame. */
#define TK_FLOOR_BYTES   1048576.0 /* memory */
#define TK_FLOOR_LOADING 5.0       /* ms */

#define TK_SPARK 12

/* Shares of frames whose times are known of both sides: share i is 1 - 10^-(i / 16), up to 99.9 %. */
#define TK_FRAME_SHARES 49

/* Share i, 0 to 1. */
double tk_frame_share(int i);

struct tk_change {
    uint8_t kind, verdict;
    bool tested;                /* large enough, and on both sides */
    bool waits;                 /* it waits for others: moves with them, raises no alarm */
    const struct tk_str *name;  /* of the baseline, or of the candidate where added; never NULL */
    const struct tk_str *group; /* class of threads, queue, ...; may be empty */
    const struct tk_str *file;  /* never NULL */
    uint32_t line;
    const struct tk_str *to;    /* renamed: the new name; moved: the place now; else NULL */
    const struct tk_str *place; /* of a timer with several places: the one that changed most, and by how much;
                                   moved: the place before. NULL: not known, or the only one */
    const char *unit;           /* "ms/frame", "ms", "1/min", "bytes", "" */
    double baseline, candidate; /* means over runs, unit above; NaN where it is not there */
    uint8_t bounded; /* 1 << side: its runs keep other functions, and the value is the most that it can be */
    const char *metric;        /* "growth", ...: which value of several; NULL: the kind has one */
    double calls[2];           /* a frame; 0 where it makes no sense */
    double per_call[2];        /* ms of a call, with what it calls; NaN where it makes no sense */
    const struct tk_str *path; /* of a timer: the path of calls that has most of the change; NULL: none has */
    const struct tk_str *function; /* of a timer: the function inside that most of it is, by stack samples */
    double raw_ratio;              /* candidate divided by baseline, as measured, of times; else NaN */
    double ratio, low, high; /* candidate by baseline as it is judged: without outliers, and without a shift
                                that was taken out; 95 % interval; NaN: none */
    double within;           /* of two single runs, instead of an interval: what their frames differ by, as a
                                part; NaN: not known */
    double p;                /* chance, adjusted for the number of tests; NaN: none */
    unsigned runs;           /* runs a side that would decide, where inconclusive; 0: not known */
    unsigned more[2];        /* so many more than there are */
    size_t stalls;           /* where only the mean as measured changed: what was clipped */
    bool stalled_frames;     /* these are frames; else blocks of them */
    double stall_ms;         /* a frame, at most in one of them */
    const struct tk_str *owner;    /* who owns it, where that was looked up; empty: nobody */
    const struct tk_change *cause; /* what explains it; NULL: nothing */
    bool accepted;                 /* a regression that raises no alarm */
    const struct tk_str
        *acceptance;             /* what is said of that, or why it is not accepted any more; NULL: nothing */
    size_t values;               /* where its values of single runs begin, from 1; 0: it has none */
    uint16_t spark[2][TK_SPARK]; /* calls of baseline and candidate in buckets of their length, 0 to 1000 */
};

/* What is known of the shift that all timers share. */
enum tk_shift_state {
    TK_SHIFT_UNKNOWN,   /* too few timers to know one */
    TK_SHIFT_SMALL,     /* below 2 %: taken out */
    TK_SHIFT_DECIDED,   /* one of the machine, or of the build as a whole: taken out */
    TK_SHIFT_UNDECIDED, /* it may be one: a timer changes only if it does so with it and without */
    TK_SHIFT_NONE       /* too great, or too few follow it, to be one: timers are judged as measured */
};

/* Single timers are judged without a shift that was taken out; frames and threads never are. */
#define TK_SHIFT_ROWS 8 /* fewer timers tell of none */

struct tk_shift {
    uint8_t state;       /* enum tk_shift_state */
    size_t rows, follow; /* timers that tell of it, and those that changed about as much */
    double ratio;        /* the median, candidate by baseline; 1 where nothing is known */
};

/* "unknown", "small", "decided", "undecided", "no machine". Static. */
const char *tk_shift_state_name(const struct tk_shift *s);

static inline bool tk_shift_is_taken(const struct tk_shift *s)
{
    return s->state == TK_SHIFT_SMALL || s->state == TK_SHIFT_DECIDED;
}

/* Two groups of runs, as a machine makes that is now as fast as it can be, and now is not. */
struct tk_speeds {
    size_t n[2];  /* runs of the faster and of the slower group; 0: there are none */
    double ratio; /* the slower by the faster */
};

/* A run of the baseline that stands out from the others so far that it is not compared with. */
struct tk_outlier {
    size_t run;                /* of the baseline, from 0 */
    double ratio;              /* the time it takes by that of the others */
    const struct tk_str *name; /* of the capture, of the names of the comparison; NULL: not known */
    size_t with[8];            /* TK_VERDICTS: changes of each verdict if it is compared with */
};

/* What it is requested; zero for the usual values. */
struct tk_compare_setup {
    double floor_ratio; /* 0.02; 0.05 where there are only two runs and no noise */
    double floor_frame; /* of the median frame, for what takes time in frames: 0.001 */
    double floor_ms;    /* a frame, alongside the others; usually none */
    double chance;      /* 0.006, or 0.003 where a side is a single run */
    uint64_t warmup;    /* frames left out at the begin of each run, rounded up to blocks */
    bool mixed;         /* runs of several applications or platforms may be compared */
    bool ignore_common; /* what all timers share raises no alarm */
    bool allow_short;   /* so may runs that are much shorter, or ended in a crash */
    double target;      /* frames a second, for missed and late frames; 0: none */
    double cell;        /* side of the cells of the level to compare; 0: none */
    bool cell_z;        /* they are cubes */
};

/* Hitches of both sides that have the same first reason, on the same kind of thread, in the same part of the
 * program: where in a run they happen is chance. Counts are not tested. */
struct tk_hitch_group {
    const struct tk_str *timer;  /* empty: no reason was recorded */
    const struct tk_str *thread; /* class of threads, or the queue; may be empty */
    const struct tk_str *part;   /* the innermost region that they lie in; empty: none */
    uint8_t role;                /* enum tk_role of the thread */
    struct {
        size_t n;       /* of all runs of the side */
        double excess;  /* ms, of the one that exceeds its typical frames most */
        uint64_t frame; /* which one that is */
    } side[2];
};

/* Own time of a path of calls, for flame graphs. */
struct tk_comparison_path {
    const struct tk_str *group, *text; /* names with ; between them, outermost first */
    double us[2];                      /* a frame, of the two sides */
};

/* A long frame of a side: of its runs the longest. */
struct tk_side_picture {
    struct tk_run_picture picture; /* its file is owned */
    size_t run;                    /* of the side, from 0 */
};

struct tk_comparison {
    struct tk_compare_setup setup; /* with the usual values in */
    enum tk_design design;
    size_t runs[3];       /* baseline, candidate, noise */
    uint64_t left_out[2]; /* frames at the begin of each run for setup.warmup: the fewest and the most */
    TK_VEC(struct tk_change) changes;        /* by kind, verdict, size */
    TK_VEC(struct tk_comparison_path) paths; /* by thread class and path */
    TK_VEC(double) values;     /* of single runs, in the unit of their change; NaN where a run has none */
    TK_VEC(uint8_t) run_sides; /* of each run, in that order: 0 baseline, 1 candidate, 2 noise */
    TK_VEC(struct tk_hitch_group) hitches;      /* what differs most first; those with a reason */
    bool knows_hitches;                         /* of all hitches of both sides the reason was looked for */
    TK_VEC(struct tk_side_picture) pictures[2]; /* of baseline and candidate, the longest frame first */
    struct tk_intern names;
    bool owned;                              /* owners were looked up */
    struct tk_arena units;                   /* of metrics, texts with a NUL */
    struct tk_run_faults faults;             /* of the runs of all sides */
    struct tk_sides sides;                   /* what they are */
    bool unit;                               /* there are no frames: each run is one */
    const char *unit_time;                   /* of times of timers: tk_run_unit_time. Static */
    double frame_ms;                         /* the median frame of the baseline, the mean of its runs */
    double frame_shares[2][TK_FRAME_SHARES]; /* ms that this share of the frames of a side stays below, the
                                                mean of its runs; 0 where there are no frames */
    struct tk_shift shift;
    struct tk_speeds speeds;
    TK_VEC(struct tk_outlier) outliers;
    const struct tk_base_run *standing; /* while comparing: one that stands out. Borrowed; else NULL */
    double standing_ratio;
    double machine; /* the shift that was taken out of timers; 1: none was */
    size_t tested;
    bool torn[2];       /* of a side calls and paths are not known, see struct tk_base_run */
    bool worse, unsure; /* is there a regression; anything inconclusive */
    size_t accepted;    /* regressions that are let pass */
    size_t unsampled;   /* runs with stack samples, none of which lies in what is compared */
    int64_t
        candidate_time; /* of the last run of the candidate, in seconds since 1970; INT64_MAX: not known */
};

/*
 * Compares. noise may be NULL; the runs of all are borrowed during the call. TK_OK; TK_EMATCH when nothing
 * can be compared; TK_EUSAGE when a run is on both sides; TK_ENOMEM.
 */
int tk_comparison_make(struct tk_comparison *out, const struct tk_baseline *base,
                       const struct tk_baseline *candidate, const struct tk_baseline *noise,
                       const struct tk_compare_setup *setup, struct tk_err *err);

void tk_comparison_release(struct tk_comparison *c);

/* How it ended. */
enum tk_outcome_kind tk_comparison_ended(const struct tk_comparison *c);

/* The value of a run (by number, of run_sides) for a change; NaN where it has none. */
double tk_comparison_value(const struct tk_comparison *c, const struct tk_change *change, size_t run);

#endif
