/*
 * A picture of dots for terminals: each sign is two dots wide and four high (Braille patterns), or one sign a
 * dot in ASCII. The format `plot` draws its series on it.
 */
#ifndef TK_SINK_DRAWING_PLOT_CANVAS_H
#define TK_SINK_DRAWING_PLOT_CANVAS_H

#include "sink/write/buffer.h"

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

#endif
