/*
 * Budgets: limits for the values of a run, from a small JSON file (schemas/budget.schema.json), and the
 * verdict on each.
 *
 *   {"budgets": [{"kind": "frame", "name": "p95", "warning": 18, "error": 20},
 *                {"kind": "timer", "name": "Lighting", "thread": "RenderThread", "error": 0.6}]}
 *
 * Values: frame: p50, p99.9, ..., max in ms; hitches: a minute; words of judge/smoothness.h by their names,
 * of which missed and late need a "target"; timer, gpu: own time in ms a frame; thread: the same of all
 * timers that do not wait; counter: mean, increase: that a frame of one that only rises; memory: the most, in
 * bytes; log: number of errors; loading: own time in ms of all, an operation, or a package; added: own time
 * in ms a frame of all timers that the baseline of the check has not. With a region, of the frames in it.
 * Where a budget fits several series, the greatest counts. Of several runs each is checked, and the worst
 * counts.
 */
#ifndef TK_COMPARE_BUDGET_BUDGET_H
#define TK_COMPARE_BUDGET_BUDGET_H

#include "compare/baseline/baseline.h"
#include "compare/report/report.h"
#include "compare/report/report_print.h"
#include "compare/verdict/compare.h"

/* Missing: no run has what the budget is about. */
enum tk_budget_level { TK_BUDGET_PASSED, TK_BUDGET_MISSING, TK_BUDGET_WARNING, TK_BUDGET_ERROR };

struct tk_budget {
    uint8_t kind;                       /* enum tk_change_kind */
    uint8_t level;                      /* enum tk_budget_level */
    const struct tk_str *name, *thread; /* of `names`; thread NULL: any */
    const char *region;                 /* pattern, NUL-terminated; NULL: the whole run */
    double warning, error;              /* NaN: none */
    double cell;                        /* of frames: the side of cells, the worst of which counts; 0: none */
    double target;                      /* frames a second, of missed and late frames; 0: none */
    bool increase;                      /* of a counter: its increase a frame, not its mean */
    bool rises;                         /* it is the mean of a counter that only rises */
    bool least;                         /* smaller values are worse: rates of frames */
    bool found;                         /* is there anything that it is about? */
    const char *why; /* missing: what is not there, and what is near; NULL: nothing is missing */
    bool not_stored; /* missing: the runs hold nothing of its kind */
    double value;    /* of the worst run; NaN where it is missing */
    const char *unit;
    const struct tk_str *now;   /* of a timer that was renamed: its name in the runs; NULL: `name` */
    const struct tk_str *file;  /* of the worst series, or NULL */
    const struct tk_str *owner; /* as of a change; else NULL */
    const struct tk_str *where; /* class of threads of the worst series, or NULL */
    size_t run;                 /* which run is the worst, from 0 */
    bool
        has_frames; /* the worst place is in these frames (numbers from 0), at `ms` since the capture began */
    uint64_t first_frame, last_frame;
    double ms;
};

struct tk_budgets {
    TK_VEC(struct tk_budget) v;
    struct tk_intern names;
    struct tk_arena arena;
    struct tk_run_faults faults;       /* of the runs that were checked */
    struct tk_sides sides;             /* what they are */
    bool owned;                        /* owners were looked up */
    bool checked;                      /* against runs: there is something to report */
    bool mixed, allow_short;           /* requested: as of a comparison */
    const struct tk_baseline *without; /* runs of before: without added cost, with old names of timers;
                                          borrowed, may be NULL */
    const struct tk_comparison
        *renames;          /* while checking: of these with the runs, made when it is needed; NULL */
    struct tk_watch watch; /* what they are about, for a baseline */
    unsigned worst;        /* enum tk_budget_level */
    uint32_t lost_regions; /* as of a baseline, of the patterns of budgets */
};

/* Reads the JSON text. TK_OK; TK_EUSAGE (no JSON, unknown keys or kinds, wrong types); TK_ENOMEM. */
int tk_budgets_parse(struct tk_budgets *b, const char *text, size_t n, struct tk_err *err);

/* Fills `watch`, which is valid as long as the budgets are. TK_OK or TK_ENOMEM. */
int tk_budgets_watch(struct tk_budgets *b);

/* Checks the runs, whatever was checked before. A budget that fits nothing is missing. TK_OK; TK_EMATCH when
 * one of frames has no name that there can be; TK_ENOMEM. */
int tk_budgets_check(struct tk_budgets *b, const struct tk_baseline *runs, struct tk_err *err);

/* Writes budgets for what the runs hold: their greatest values and a margin (0.1: ten percent more is an
 * error, half of it a warning); of a single run 12 percent more, as nothing says what runs differ by. */
int tk_budgets_propose(struct tk_print *out, const struct tk_baseline *runs, double margin,
                       struct tk_err *err);

/* added.c: the budget's added cost in a run, noted where it is the worst. TK_OK; TK_EMATCH (there is nothing
 * to compare it with); TK_ENOMEM. */
int tk_budget_check_added(struct tk_budgets *all, struct tk_budget *b, struct tk_base_run *run, size_t number,
                          struct tk_err *err);

/* Likewise for the worst cell of a level. TK_OK; TK_EMATCH (no such percentile, or sides that are not
 * stored), TK_EUNKNOWN (no positions, or few frames everywhere), TK_ENOMEM. */
int tk_budget_check_cells(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                          struct tk_err *err);

/* The share of frames that "max", "p95", "p99.9" is about; false: no such name. */
bool tk_budget_share(const struct tk_str *name, unsigned *share, unsigned *of);

/* Likewise for metrics of the user. TK_OK; TK_EMATCH, TK_EUNKNOWN: no run has a value; TK_EUSAGE, TK_ENOMEM.
 */
int tk_budget_check_metric(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                           struct tk_err *err);

/* "passed", "missing", "warning", "error". Static. */
const char *tk_budget_level_name(enum tk_budget_level level);

/* How many budgets are at a level. */
size_t tk_budgets_count(const struct tk_budgets *b, enum tk_budget_level level);

/* The limit that a budget is over, or the one that it keeps: the error where there is one. */
double tk_budget_limit(const struct tk_budget *b);

/* "frame 12, 0.345 s, run 2, GameThread": what is known of the worst place; nothing where nothing is. */
void tk_budget_place(struct tk_print *p, const struct tk_budget *b);

/* "exclusive time": what the value of a budget is. Static. */
const char *tk_budget_measures(const struct tk_budget *b);

/* Is it exceeded, missing, or close: at 90 % of its error where it has no warning? The others are folded
 * away. */
bool tk_budget_is_listed(const struct tk_budget *b);

/* The next of those that are listed, or of those that are not, the worst first: *at is 0 at first. NULL:
 * there is none. */
const struct tk_budget *tk_budgets_next(const struct tk_budgets *all, bool listed, size_t *at);

/* "Camera.Update (now View.Update)" */
void tk_budget_name(struct tk_print *p, const struct tk_budget *b, tk_print_put *put);

/* "0.58647 of 0.55 ms/frame" */
void tk_budget_value(struct tk_print *p, const struct tk_budget *b);

/* What the words of these reports mean: a sentence. */
extern const char tk_budgets_words[];

/* "63 %": of the limit; nothing where there is no such share. */
void tk_budget_use(struct tk_print *p, const struct tk_budget *b);

/* "Lighting is over budget: 586 us a frame of 550 us (exclusive time), 6.6 % too much, on RenderThread". */
void tk_budget_sentence(struct tk_print *p, const struct tk_budget *b);

/* "1 of 6 budgets exceeded, 1 close (90 % or more)". */
void tk_budgets_counts(struct tk_print *p, const struct tk_budgets *all);

/* What all reports begin with: at most two sentences, and what to do. */
void tk_budgets_lead(struct tk_print *p, const struct tk_budgets *all);
void tk_budgets_todo(struct tk_print *p, const struct tk_budgets *all);

struct tk_budget_report {
    const char *name;
    void (*print)(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
};

/* All kinds of reports, ended by one without a name. */
extern const struct tk_budget_report tk_budget_reports[];

void tk_budgets_text(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_json(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_csv(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_markdown(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_junit(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_github(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);
void tk_budgets_sarif(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);

void tk_budgets_html(struct tk_print *p, const struct tk_budgets *b, const struct tk_report_setup *setup);

void tk_budgets_release(struct tk_budgets *b);

#endif
