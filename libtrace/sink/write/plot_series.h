/*
 * Series of points in bounded memory: whatever comes, at most TK_PLOT_BINS bins of least and greatest value
 * are kept of each. The format `plot` collects the points of its series in them.
 */
#ifndef TK_SINK_DRAWING_PLOT_SERIES_H
#define TK_SINK_DRAWING_PLOT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_PLOT_BINS 1024

struct tk_plot_bin {
    double least, most, last; /* last: of its points the one that came last */
    uint64_t count;           /* points; 0: none, and no values */
};

/* A series that is all zeros is empty. */
struct tk_plot_series {
    struct tk_plot_bin *bins; /* owned; TK_PLOT_BINS of them, NULL before the first point */
    int64_t first;            /* where bin 0 begins */
    uint64_t width;           /* of a bin; 0 before the first point */
    int64_t from, to;         /* the least and the greatest x */
    double least, most;       /* values */
    uint64_t count;
};

/* Adds a point. TK_OK or TK_ENOMEM (no causes). A value that is no number is left out. */
int tk_plot_series_add(struct tk_plot_series *s, int64_t x, double value);

/* What lies in part `at` of `n` equal parts of from .. to; count is 0 where nothing does. */
struct tk_plot_bin tk_plot_series_part(const struct tk_plot_series *s, size_t at, size_t n);

void tk_plot_series_release(struct tk_plot_series *s);

#endif
