/*
 * A picture of dots for terminals. Braille patterns stand from U+2800 on, a bit a dot.
 */
#include "sink/write/plot_canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Series of points in bounded memory. The bins become twice as wide, two of them one, until a new point has a
 * place; so they are never wider than twice what the range needs.
 */

static void merge(struct tk_plot_bin *into, const struct tk_plot_bin *bin)
{
    if (!bin->count)
        return;
    if (!into->count) {
        *into = *bin;
        return;
    }
    into->least = bin->least < into->least ? bin->least : into->least;
    into->most = bin->most > into->most ? bin->most : into->most;
    into->last = bin->last;
    into->count += bin->count;
}

/* Makes the bins twice as wide. The bins that are there go to the front, or behind as many new ones. */
static void widen(struct tk_plot_series *s, bool in_front)
{
    const size_t half = TK_PLOT_BINS / 2;
    for (size_t i = 0; i < half; i++) {
        struct tk_plot_bin wide = {0};
        merge(&wide, &s->bins[2 * i]);
        merge(&wide, &s->bins[2 * i + 1]);
        s->bins[i] = wide;
    }
    if (in_front)
        memcpy(s->bins + half, s->bins, half * sizeof *s->bins);
    memset(s->bins + (in_front ? 0 : half), 0, half * sizeof *s->bins);
    if (in_front)
        s->first = (int64_t)((uint64_t)s->first - s->width * TK_PLOT_BINS);
    s->width *= 2;
}

/* The distance of two points fits 64 bits without a sign, whatever they are. */
static uint64_t distance(int64_t from, int64_t to)
{
    return (uint64_t)to - (uint64_t)from;
}

/* Would bins in front begin before the least number there is? */
static bool has_space_in_front(const struct tk_plot_series *s)
{
    return distance(INT64_MIN, s->first) >= s->width * TK_PLOT_BINS;
}

/* Finds the bin of x; widens the bins until there is one. */
static size_t find_bin(struct tk_plot_series *s, int64_t x)
{
    while (x < s->first && has_space_in_front(s))
        widen(s, true);
    if (x < s->first) /* at the end of what numbers can say: the first bin stands for it */
        return 0;
    while (s->width < UINT64_MAX / TK_PLOT_BINS / 2 && distance(s->first, x) / s->width >= TK_PLOT_BINS)
        widen(s, false);
    const uint64_t at = distance(s->first, x) / s->width;
    return at < TK_PLOT_BINS ? (size_t)at : TK_PLOT_BINS - 1;
}

static int begin(struct tk_plot_series *s, int64_t x, double value)
{
    s->bins = calloc(TK_PLOT_BINS, sizeof *s->bins);
    if (!s->bins)
        return TK_ENOMEM;
    s->first = s->from = s->to = x;
    s->width = 1;
    s->least = s->most = value;
    return TK_OK;
}

int tk_plot_series_add(struct tk_plot_series *s, int64_t x, double value)
{
    if (!isfinite(value))
        return TK_OK;
    if (!s->bins && begin(s, x, value) < 0)
        return TK_ENOMEM;
    const struct tk_plot_bin point = {.least = value, .most = value, .last = value, .count = 1};
    merge(&s->bins[find_bin(s, x)], &point);
    s->from = x < s->from ? x : s->from;
    s->to = x > s->to ? x : s->to;
    s->least = value < s->least ? value : s->least;
    s->most = value > s->most ? value : s->most;
    s->count++;
    return TK_OK;
}

struct tk_plot_bin tk_plot_series_part(const struct tk_plot_series *s, size_t at, size_t n)
{
    struct tk_plot_bin part = {0};
    if (!s->bins)
        return part;
    const double all = (double)distance(s->from, s->to) + 1;
    const double lead = (double)distance(s->first, s->from);
    for (size_t i = 0; i < TK_PLOT_BINS; i++) {
        /* by its middle, but the bin of the first point, which may begin before it */
        double middle = ((double)i + 0.5) * (double)s->width - 0.5 - lead;
        middle = middle < 0 ? 0 : middle;
        double place = middle / all * (double)n;
        place = place < (double)n ? place : (double)n - 1;
        if ((size_t)place == at)
            merge(&part, &s->bins[i]);
    }
    return part;
}

void tk_plot_series_release(struct tk_plot_series *s)
{
    free(s->bins);
    *s = (struct tk_plot_series){0};
}

/*
 * Draws bars and histograms of numeric cells in one line. The format `table` calls it while it lays out a
 * row.
 */

#define EIGHTHS 8u

void tk_bars_bar(struct tk_buffer *b, size_t n, size_t most, size_t width, bool ascii)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const size_t steps = ascii ? 1 : EIGHTHS;
    size_t length = (n * width * steps + most / 2) / most;
    if (n && length == 0)
        length = 1;
    if (ascii) {
        tk_buffer_fill(b, '#', length);
        return;
    }
    for (size_t i = 0; i < length / EIGHTHS; i++)
        tk_buffer_text(b, "█");
    tk_buffer_text(b, parts[length % EIGHTHS]);
}

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
