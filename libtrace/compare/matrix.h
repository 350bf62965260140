/*
 * Matrix: the series of all runs of a comparison, those of one name in one row. Part of compare.h.
 */
#ifndef TK_COMPARE_MATRIX_H
#define TK_COMPARE_MATRIX_H

#include "compare/compare.h"

enum tk_side { TK_SIDE_BASE, TK_SIDE_CANDIDATE, TK_SIDE_NOISE };

/* Busy time of a class of threads is a kind of series that is made here. */
#define TK_SERIES_BUSY TK_SERIES_KINDS

struct tk_row {
    struct tk_series **of; /* by run; NULL: the run does not have it */
    const struct tk_series *any;
    double *raw, *robust; /* by run: values, see measure.c */
    double *y;            /* by run: what is tested; the factor of the machine is taken out */
    size_t change;        /* index of its change; SIZE_MAX: none */
    bool waits;
    bool logs;                      /* y are logarithms */
    double mean[2], robust_mean[2]; /* of the sides */
    double squares, freedom;        /* around the means of the sides, and the degrees of freedom they leave */
    double delta, error, df;        /* difference of the sides, its standard error; error 0: none */
    double p, adjusted;
};

struct tk_matrix {
    struct tk_comparison *out; /* borrowed */
    const struct tk_base_run **runs;
    uint8_t *side;  /* by run, enum tk_side */
    size_t *skip;   /* by run: blocks of the warm-up */
    double *factor; /* by run: logarithm of the factor of its machine */
    size_t n_runs;
    TK_VEC(struct tk_row) rows;
    TK_VEC(struct tk_series *) made; /* owned: busy times */
    struct tk_arena arena;
    double limit, limit_df; /* of intervals: the last one computed, and for what */
};

int tk_matrix_make(struct tk_matrix *m, const struct tk_baseline *const sides[3], struct tk_err *err);
void tk_matrix_release(struct tk_matrix *m);

/* Does a name have a word (lower case) in it, in letters of any size? */
bool tk_name_has(const struct tk_str *name, const char *word);

/* measure.c */
int tk_matrix_measure(struct tk_matrix *m, struct tk_err *err);

/* Frames of a block of a run, the last one perhaps shorter. */
double tk_block_weight(const struct tk_base_run *run, size_t block);

/* test.c: delta, error, df and p of every row that is large enough, and of a row alone. */
int tk_matrix_test(struct tk_matrix *m, struct tk_err *err);

/* The absolute floor of a series: ms a frame, bytes, ... */
double tk_matrix_floor(const struct tk_matrix *m, const struct tk_row *row);

/* Do all runs of a side have it; does any? */
bool tk_row_in_all(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side);
bool tk_row_in_any(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side);

/* Is it large enough to be tested, and there on both sides? */
bool tk_row_counts(const struct tk_matrix *m, const struct tk_row *row);

/* Difference of the sides, its error and degrees of freedom from values of runs, without a prior. */
void tk_matrix_spread(const struct tk_matrix *m, const double *y, struct tk_row *row);

/* verdict.c */
int tk_matrix_judge(struct tk_matrix *m, struct tk_err *err);

/* frame_times.c: percentiles of frame times and hitches. */
int tk_matrix_judge_frames(struct tk_matrix *m, struct tk_err *err);

/* renames.c: pairs added and removed timers. */
int tk_matrix_rename(struct tk_matrix *m, struct tk_err *err);

#endif
