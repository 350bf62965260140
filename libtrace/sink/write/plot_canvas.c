/*
 * A picture of dots for terminals. Braille patterns stand from U+2800 on, a bit a dot.
 */
#include "sink/write/plot_canvas.h"

#include <stdlib.h>

#define DOTS_WIDE 2
#define DOTS_HIGH 4

int tk_plot_canvas_open(struct tk_plot_canvas *c, size_t columns, size_t rows, bool ascii)
{
    *c = (struct tk_plot_canvas){.columns = columns, .rows = rows, .ascii = ascii};
    c->dots = calloc(columns * rows + 1, 1);
    return c->dots ? TK_OK : TK_ENOMEM;
}

size_t tk_plot_canvas_width(const struct tk_plot_canvas *c)
{
    return c->ascii ? c->columns : c->columns * DOTS_WIDE;
}

size_t tk_plot_canvas_height(const struct tk_plot_canvas *c)
{
    return c->ascii ? c->rows : c->rows * DOTS_HIGH;
}

static void set_dot(struct tk_plot_canvas *c, size_t x, size_t y)
{
    static const uint8_t bits[DOTS_HIGH][DOTS_WIDE] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    const size_t top = tk_plot_canvas_height(c) - 1 - y;
    if (c->ascii)
        c->dots[top * c->columns + x] = 1;
    else
        c->dots[top / DOTS_HIGH * c->columns + x / DOTS_WIDE] |= bits[top % DOTS_HIGH][x % DOTS_WIDE];
}

void tk_plot_canvas_line(struct tk_plot_canvas *c, size_t x, size_t low, size_t high)
{
    for (size_t y = low; y <= high && y < tk_plot_canvas_height(c); y++)
        if (x < tk_plot_canvas_width(c))
            set_dot(c, x, y);
}

static void put_sign(const struct tk_plot_canvas *c, uint8_t dots, struct tk_buffer *b)
{
    const char pattern[3] = {(char)0xe2, (char)(0xa0 + (dots >> 6)), (char)(0x80 + (dots & 63))};
    if (!dots)
        tk_buffer_char(b, ' ');
    else if (c->ascii)
        tk_buffer_char(b, '*');
    else
        tk_buffer_put(b, pattern, sizeof pattern);
}

void tk_plot_canvas_put(const struct tk_plot_canvas *c, size_t row, struct tk_buffer *b)
{
    const uint8_t *dots = c->dots + row * c->columns;
    size_t n = c->columns;
    while (n && !dots[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        put_sign(c, dots[i], b);
}

void tk_plot_canvas_release(struct tk_plot_canvas *c)
{
    free(c->dots);
    c->dots = NULL;
}
