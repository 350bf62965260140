/*
 * The matrix of a comparison: the series of all runs, those with the same name in one row. Internal to
 * compare.h.
 */
#ifndef TK_COMPARE_VERDICT_MATRIX_H
#define TK_COMPARE_VERDICT_MATRIX_H

#include "compare/verdict/compare.h"

enum tk_side { TK_SIDE_BASE, TK_SIDE_CANDIDATE, TK_SIDE_NOISE };

/* Kinds of series that are made here: busy time of a class of threads, paths of calls, growth of memory,
 * metrics of the user, cells of the level. */
#define TK_SERIES_BUSY   (TK_SERIES_KINDS + 0)
#define TK_SERIES_PATH   (TK_SERIES_KINDS + 1)
#define TK_SERIES_GROWTH (TK_SERIES_KINDS + 2)
#define TK_SERIES_METRIC (TK_SERIES_KINDS + 3)
#define TK_SERIES_CELL   (TK_SERIES_KINDS + 4)
#define TK_ROW_KINDS     (TK_SERIES_KINDS + 5)

static inline bool tk_kind_is_time(uint8_t kind)
{
    return kind == TK_SERIES_TIMER || kind == TK_SERIES_GPU || kind == TK_SERIES_BUSY ||
           kind == TK_SERIES_PATH;
}

/* Values, which are not 0 in a run that does not have them. */
static inline bool tk_kind_is_value(uint8_t kind)
{
    return kind == TK_SERIES_COUNTER || kind == TK_SERIES_MEMORY || kind == TK_SERIES_GROWTH ||
           kind == TK_SERIES_METRIC || kind == TK_SERIES_CELL;
}

struct tk_row {
    struct tk_series **of; /* by run; NULL: the run does not have it */
    const struct tk_series *any;
    double *raw, *robust; /* by run: values, see measure.c */
    double *y;            /* by run: what is tested; the factor of its machine is taken out */
    size_t change;        /* index of its change; SIZE_MAX: none */
    bool waits;
    bool by_file;                        /* others of its name are apart by their files */
    uint8_t bounded;                     /* as of tk_change */
    bool increases;                      /* a counter that only rises: values are its increase a frame */
    bool by_frame;                       /* what is clipped is frames, which all runs know; else blocks */
    bool alone;                          /* a path that is the only one of its timer, and says nothing more */
    const struct tk_series *leaf;        /* of a path: its timer; else NULL */
    size_t about;                        /* growth: the row of the memory; else SIZE_MAX */
    const struct tk_base_metric *metric; /* whose values they are; else NULL */
    bool logs;                           /* y are logarithms */
    double unit;                         /* else they are parts of this */
    double n[3];                         /* runs of each side that count */
    double mean[2], robust_mean[2];      /* of the sides */
    double squares, freedom; /* around the means of the sides, and the degrees of freedom they leave */
    double delta, error, df; /* difference of the sides, its standard error; error 0: none; infinite: no
                                side has two runs that tell it */
    double other;            /* the difference without the shift, where the shift is undecided; else NaN */
    double p, adjusted;
};

struct tk_matrix {
    struct tk_comparison *out; /* borrowed */
    const struct tk_base_run **runs;
    uint8_t *side;                    /* by run, enum tk_side */
    size_t *skip;                     /* by run: blocks of the warm-up */
    double *factor;                   /* by run: logarithm of the factor of its machine */
    double shift, shift_error;        /* logarithm: what timers share and keep, and how sure that is */
    const struct tk_series **samples; /* by run: all its stack samples; NULL: it has none */
    struct tk_series **fewest;        /* by run whose list is full: its function with the fewest samples */
    struct tk_series **fewest_inside; /* likewise of functions inside of timers */
    uint8_t *full;                    /* by run: of which lists of functions it has only a part (samples.c) */
    bool sampled;                     /* all runs have some */
    size_t n_runs;
    TK_VEC(struct tk_row) rows;
    size_t n_sorted; /* the first rows are those of series of runs, sorted as these; made ones follow */
    TK_VEC(struct tk_series *) made; /* owned: series that no run has as such */
    struct tk_arena arena;
    double limit, limit_df; /* of intervals: the last one computed, and for what */
};

int tk_matrix_make(struct tk_matrix *m, const struct tk_baseline *const sides[3], struct tk_err *err);
void tk_matrix_release(struct tk_matrix *m);

/* Is this the name of a timer that waits? */
bool tk_name_waits(const struct tk_str *name);

/* Does a name have a word (lower case) in it, in letters of any size? */
bool tk_name_has(const struct tk_str *name, const char *word);

/* A row for series like `any`; NULL if out of memory. */
struct tk_row *tk_matrix_row(struct tk_matrix *m, const struct tk_series *any);

/* What is known of the values of a series in a run without its warm-up. */
struct tk_series_span tk_matrix_values(const struct tk_matrix *m, size_t run, const struct tk_series *s);

/* derived_rows.c: 0, or -1 if out of memory. */
int tk_matrix_make_rows(struct tk_matrix *m);

/* A series that is made for a run, with names like `like`; NULL if out of memory. */
struct tk_series *tk_matrix_made(struct tk_matrix *m, size_t run, uint8_t kind, const struct tk_series *like);

/* derived_rows.c: rows of cells, where they are compared. TK_OK, TK_ENOMEM; else why a run cannot have them.
 */
int tk_matrix_make_cells(struct tk_matrix *m, struct tk_err *err);

/* frame_times.c: the median frame of the baseline, which floors are parts of. 0, or -1 if out of memory. */
int tk_matrix_find_frame(struct tk_matrix *m);

/* measure.c */
int tk_matrix_measure(struct tk_matrix *m, struct tk_err *err);

/* common.c: runs that lie apart. 0, or -1 if out of memory. */
int tk_matrix_find_apart(struct tk_matrix *m);

/* significance.c: runs a side with which a difference that is as sure as this one would be found, or would
 * not be beyond the margin; n: runs that there are. 0: not known. */
unsigned tk_matrix_runs_needed(const struct tk_matrix *m, const double n[2], double error, double margin);

/* Says how many more runs a change needs. */
void tk_change_need_runs(const struct tk_matrix *m, struct tk_change *c, unsigned runs);

/* measure.c: blocks of both sides that are clipped, and the greatest rate of one, ms a frame. 0, or -1 if out
 * of memory. */
int tk_row_stalls(const struct tk_matrix *m, const struct tk_row *row, size_t *n, double *most);

/* significance.c: delta, error, df and p of every row that is large enough, and of a row alone. */
int tk_matrix_test(struct tk_matrix *m, struct tk_err *err);

/* significance.c: of two single runs without noise: regressed or improved where `log_ratio`, the logarithm of
 * candidate by baseline, is beyond what runs of one build may differ by; else inconclusive. Otherwise the
 * verdict itself.
 */
enum tk_verdict tk_matrix_confirm(const struct tk_matrix *m, enum tk_verdict verdict, double log_ratio);

/* The absolute floor of a series: ms a frame, bytes, ... */
double tk_matrix_floor(const struct tk_matrix *m, const struct tk_row *row);

/* Do all runs of a side have it; does any? */
bool tk_row_in_all(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side);
bool tk_row_in_any(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side);

/* Does a run count for a row? What takes time takes none in a run that does not have it; functions are there
 * with none where they have none. */
bool tk_row_counts_run(const struct tk_row *row, size_t run);

/* Is it large enough to be tested, and there on both sides? */
bool tk_row_counts(const struct tk_matrix *m, const struct tk_row *row);

/* Difference of the sides, its error and degrees of freedom from values of runs, without a prior. */
void tk_matrix_spread(const struct tk_matrix *m, const double *y, struct tk_row *row);

/* explain.c: causes of changes, which then raise no alarm of their own. */
void tk_matrix_explain(struct tk_matrix *m);

/* samples.c: finds the samples of all runs; a function that a run does not have has none there, where the run
 * has all of them, else that is not known. 0, or -1. */
int tk_matrix_find_samples(struct tk_matrix *m);

/* Is the change of a function one of symbols, which one side has and the other has not? A name for samples
 * without a function is nothing that could be slower. */
bool tk_matrix_lacks_symbols(const struct tk_matrix *m, const struct tk_row *row);

/* Do the samples of a frame change with the part of all samples, which changes by `change`? Parts move each
 * other: what one function gives up makes the others greater, and is no change of theirs. */
bool tk_matrix_samples_change(const struct tk_matrix *m, const struct tk_row *row, double change);

/* Names the function that has most of the change of each timer. While changes are in the order of the rows;
 * 0, or -1 if out of memory. */
int tk_matrix_explain_functions(struct tk_matrix *m);

/* place_changes.c: names the place that changed most of each timer, and timers that moved. While changes are
 * in the order of the rows; 0, or -1 if out of memory. */
int tk_matrix_explain_places(struct tk_matrix *m);

/* Names the path that has most of the change of its timer; paths that change with their timer raise no alarm.
 * To be done while changes are in the order of the rows. */
void tk_matrix_explain_paths(struct tk_matrix *m);

/* candidate less baseline, nothing for what is not there. */
double tk_change_size(const struct tk_change *c);

/* changes.c: keeps the values of all runs, or of those that count for a row (NULL: all); 0, or -1. */
int tk_change_keep_values(struct tk_matrix *m, struct tk_change *c, const double *v,
                          const struct tk_row *row);

/* changes.c: a change without a verdict, NULL if out of memory; the lengths of its calls; the order of
 * reports; the paths of calls of both sides, 0 or -1. */
struct tk_change *tk_change_new(struct tk_matrix *m, struct tk_row *row);
void tk_change_draw_spark(const struct tk_matrix *m, const struct tk_row *row, struct tk_change *c);
void tk_matrix_sort(struct tk_matrix *m);
int tk_matrix_list_paths(struct tk_matrix *m);

/* verdict.c */
int tk_matrix_judge(struct tk_matrix *m, struct tk_err *err);

/* hitch_groups.c: hitches by their reasons. 0, or -1 if out of memory. */
int tk_matrix_group_hitches(struct tk_matrix *m);

/* frame_times.c: percentiles of frame times and hitches. */
int tk_matrix_judge_frames(struct tk_matrix *m, struct tk_err *err);

/* Is it one that what timers share is taken out of? Threads and frames are judged as measured. */
static inline bool tk_row_is_single(const struct tk_row *row)
{
    return row->any->kind == TK_SERIES_TIMER || row->any->kind == TK_SERIES_PATH;
}

/* Of the median frame: timers with less show nothing of the machine. */
#define TK_MACHINE_SHARE 3e-4

/* Does a timer show something of the machine: does it work, and have all runs it? */
bool tk_row_shows_machine(const struct tk_matrix *m, const struct tk_row *row);

/* common.c: decides what becomes of the shift that timers share. The factors of runs are known, and in no row
 * yet. */
void tk_matrix_decide_shift(struct tk_matrix *m);

/* common.c: the change that all timers share, where it is one; to be done before changes are sorted. And what
 * it does to frame times, after that. */
int tk_matrix_judge_common(struct tk_matrix *m, struct tk_err *err);
void tk_matrix_explain_common(struct tk_matrix *m);

/* renames.c: pairs added and removed timers. */
int tk_matrix_rename(struct tk_matrix *m, struct tk_err *err);

#endif
