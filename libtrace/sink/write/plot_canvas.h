/*
 * A picture of dots for terminals: each sign is two dots wide and four high (Braille patterns), or one sign a
 * dot in ASCII. The format `plot` draws its series on it.
 */
#ifndef TK_SINK_WRITE_PLOT_CANVAS_H
#define TK_SINK_WRITE_PLOT_CANVAS_H

#include "sink/write/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_plot_canvas {
    size_t columns, rows; /* signs */
    bool ascii;
    uint8_t *dots; /* owned: one byte a sign */
};

/* An empty picture. TK_OK or TK_ENOMEM (no causes); release it in both cases. */
int tk_plot_canvas_open(struct tk_plot_canvas *c, size_t columns, size_t rows, bool ascii);

/* Dots that there are in a line and in a column. */
size_t tk_plot_canvas_width(const struct tk_plot_canvas *c);
size_t tk_plot_canvas_height(const struct tk_plot_canvas *c);

/* Sets the dots of a column from `low` to `high`, which count from the bottom. */
void tk_plot_canvas_line(struct tk_plot_canvas *c, size_t x, size_t low, size_t high);

/* Appends a row of signs, from the top; blanks at its end are left out. */
void tk_plot_canvas_put(const struct tk_plot_canvas *c, size_t row, struct tk_buffer *b);

void tk_plot_canvas_release(struct tk_plot_canvas *c);

/*
 * Cells of a table drawn as a picture in one line: bars. The format `table` uses it on terminals.
 */

/* A bar of n signs where `most` signs take `width` columns (both from 1 on), to an eighth of a column; in
 * ASCII of '#'. What is there takes a sign at least. */
void tk_bars_bar(struct tk_buffer *b, size_t n, size_t most, size_t width, bool ascii);

/*
 * Series of points in bounded memory: whatever comes, at most TK_PLOT_BINS bins of least and greatest value
 * are kept of each. The format `plot` collects the points of its series in them.
 */

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
