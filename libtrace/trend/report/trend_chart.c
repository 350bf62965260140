/*
 * Values of a series by night, as SVG.
 */
#include "trend/report/report_in.h"

#include <math.h>

/*
 * Values of a series of a history by night, drawn. Where nights are more than columns, a column is the mean
 * of its nights.
 */

#define MOST_COLUMNS 64
#define EIGHTHS      8
#define ROWS         6 /* of a picture */

static const char *const bars[][EIGHTHS] = {{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                            {".", ":", "-", "=", "+", "*", "#", "@"}};

struct columns {
    double means[MOST_COLUMNS]; /* NAN: none */
    size_t n;
    double low, high;
    bool still; /* they move by less than what is reported of a change: a flat line */
};

static void trend_plot_fold(const struct tk_trend *t, const struct tk_history_series *s, size_t width,
                            struct columns *c)
{
    const struct tk_history *h = t->history;
    double counts[MOST_COLUMNS] = {0};
    *c = (struct columns){.low = INFINITY, .high = -INFINITY};
    c->n = width < MOST_COLUMNS ? width : MOST_COLUMNS;
    c->n = c->n < h->nights ? c->n : h->nights;
    if (!c->n) /* nobody has put the runs in order */
        return;
    for (size_t r = 0; r < h->runs.n; r++) {
        const size_t at = (size_t)((double)h->runs.v[r].night * (double)c->n / h->nights);
        if (isnan(s->values.v[r]))
            continue;
        c->means[at] += s->values.v[r];
        counts[at]++;
    }
    for (size_t i = 0; i < c->n; i++) {
        c->means[i] = counts[i] > 0 ? c->means[i] / counts[i] : NAN;
        c->low = fmin(c->low, c->means[i]);
        c->high = fmax(c->high, c->means[i]);
    }
    c->still = c->high - c->low <= t->setup.floor * fmax(fabs(c->low), fabs(c->high));
}

/* The height of a column in steps from 0 to `most`. */
static unsigned height_of(const struct columns *c, size_t column, unsigned most)
{
    const double range = c->high - c->low;
    return range > 0 && !c->still ? (unsigned)((c->means[column] - c->low) / range * most + 0.5) : 0;
}

void tk_trend_spark(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    size_t width, bool ascii)
{
    struct columns c;
    trend_plot_fold(t, s, width, &c);
    for (size_t i = 0; i < c.n; i++)
        tk_print(p, "%s", isnan(c.means[i]) ? " " : bars[ascii][height_of(&c, i, EIGHTHS - 1)]);
}

/* What a row, counted from the bottom, has of a column: nothing, a part, all of it. */
static const char *sign_of(const struct columns *c, size_t column, unsigned row, bool ascii)
{
    if (isnan(c->means[column]))
        return " ";
    const unsigned height = height_of(c, column, ROWS * EIGHTHS - 1) + 1;
    if (height <= row * EIGHTHS)
        return " ";
    if (ascii)
        return "#";
    return bars[0][height - row * EIGHTHS < EIGHTHS ? height - row * EIGHTHS - 1 : EIGHTHS - 1];
}

void tk_trend_plot(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                   const char *before, size_t width, bool ascii)
{
    struct columns c;
    trend_plot_fold(t, s, width, &c);
    if (!(c.high >= c.low))
        return;
    for (unsigned row = ROWS; row-- > 0;) {
        tk_print(p, "%s", before);
        for (size_t i = 0; i < c.n; i++)
            tk_print(p, "%s", sign_of(&c, i, row, ascii));
        if (row == ROWS - 1 || row == 0) {
            tk_print(p, " ");
            tk_print_real(p, row ? c.high : c.low, 4);
        }
        tk_print(p, "\n");
    }
}

enum { MOST_DOTS = 400, LEFT = 58, EDGE = 6, BELOW = 14, DOTS_APART = 5 /* pixels */ };

#define LEAST_SPAN 0.1 /* of the greatest value */

struct dots {
    double means[MOST_DOTS]; /* NAN: none */
    size_t n;
    double low, high;   /* of the values */
    double bottom, top; /* of the axis */
    unsigned width, height;
};

static void fold(const struct tk_history *h, const struct tk_history_series *s, struct dots *d)
{
    double counts[MOST_DOTS] = {0};
    for (size_t r = 0; r < h->runs.n; r++) {
        const size_t at = (size_t)((double)h->runs.v[r].night * (double)d->n / h->nights);
        if (!isfinite(s->values.v[r]))
            continue;
        d->means[at] += s->values.v[r];
        counts[at]++;
    }
    d->low = (double)INFINITY;
    d->high = -(double)INFINITY;
    for (size_t i = 0; i < d->n; i++) {
        d->means[i] = counts[i] > 0 ? d->means[i] / counts[i] : (double)NAN;
        d->low = fmin(d->low, d->means[i]);
        d->high = fmax(d->high, d->means[i]);
    }
}

static void set_axis(struct dots *d)
{
    const double least = fmax(fabs(d->high), fabs(d->low)) * LEAST_SPAN;
    const double more = fmax(least - (d->high - d->low), 0) / 2;
    d->bottom = d->low - more;
    d->top = d->high + more;
    if (d->top <= d->bottom)
        d->top = d->bottom + 1;
}

static double x_of(const struct dots *d, double at)
{
    const double steps = d->n > 1 ? (double)(d->n - 1) : 1;
    return (double)LEFT + at / steps * (double)(d->width - LEFT - EDGE);
}

static double y_of(const struct dots *d, double value)
{
    return (double)EDGE + (d->top - value) / (d->top - d->bottom) * (double)(d->height - 2 * EDGE);
}

static void print_point(struct tk_print *p, const struct dots *d, size_t i)
{
    tk_print_fixed(p, x_of(d, (double)i), 1);
    tk_print(p, " ");
    tk_print_fixed(p, y_of(d, d->means[i]), 1);
}

/* A line through what stands side by side. */
static void print_curve(struct tk_print *p, const struct dots *d)
{
    bool on = false;
    tk_print(p, "<path class=\"before\" d=\"");
    for (size_t i = 0; i < d->n; i++) {
        if (!isnan(d->means[i])) {
            tk_print(p, on ? "L" : "M");
            print_point(p, d, i);
        }
        on = !isnan(d->means[i]);
    }
    tk_print(p, "\"/>");
}

static void print_dots(struct tk_print *p, const struct dots *d)
{
    const double apart = x_of(d, 1) - x_of(d, 0);
    tk_print(p, "<path class=\"after\" d=\"");
    for (size_t i = 0; i < d->n; i++)
        if (!isnan(d->means[i])) {
            tk_print(p, "M");
            print_point(p, d, i);
            tk_print(p, apart < (double)DOTS_APART ? "m-1 -1h2v2h-2z" : "m0 -3l3 3l-3 3l-3 -3z");
        }
    tk_print(p, "\"/>");
}

/* Few characters, as there is little space: of large values thousands, millions and so on. */
static void print_short(struct tk_print *p, double value)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    for (; fabs(value) >= 99999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    tk_print_real(p, value, 4);
    tk_print(p, "%s", units[unit]);
}

static void print_axis_value(struct tk_print *p, const struct dots *d, double value)
{
    tk_print(p, "<line class=\"axis\" x1=\"%d\" y1=\"", LEFT);
    tk_print_fixed(p, y_of(d, value), 1);
    tk_print(p, "\" x2=\"%u\" y2=\"", d->width - EDGE);
    tk_print_fixed(p, y_of(d, value), 1);
    tk_print(p, "\"/><text text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 6);
    tk_print_fixed(p, fmin(y_of(d, value) + 4, d->height - 1), 1);
    tk_print(p, "\">");
    print_short(p, value);
    tk_print(p, "</text>");
}

/* The first and the last night, below. */
static void print_ticks(struct tk_print *p, const struct tk_trend *t, const struct dots *d)
{
    for (int last = 0; last < 1 + (d->n > 1); last++) {
        tk_print(p, "<text%s x=\"%u\" y=\"%u\">", last ? " text-anchor=\"end\"" : "",
                 last ? d->width - EDGE : (unsigned)LEFT, d->height + BELOW - 3);
        tk_trend_tick(p, t, last ? t->history->nights - 1 : 0, tk_print_xml);
        tk_print(p, "</text>");
    }
}

static void print_mark(struct tk_print *p, const struct tk_trend *t, const struct dots *d, uint32_t night)
{
    const double at = (double)night * (double)d->n / t->history->nights - 0.5;
    tk_print(p, "<line class=\"change\" x1=\"");
    tk_print_fixed(p, x_of(d, fmax(at, 0)), 1);
    tk_print(p, "\" y1=\"0\" x2=\"");
    tk_print_fixed(p, x_of(d, fmax(at, 0)), 1);
    tk_print(p, "\" y2=\"%u\"/>", d->height);
}

void tk_trend_chart(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    uint32_t mark, unsigned width, unsigned height)
{
    const struct tk_history *h = t->history;
    struct dots d = {.n = h->nights < MOST_DOTS ? h->nights : MOST_DOTS, .width = width, .height = height};
    const size_t space = width > LEFT + EDGE ? (width - LEFT - EDGE) / 2 : 0;
    d.n = d.n < space ? d.n : space;
    if (d.n == 0)
        return;
    fold(h, s, &d);
    if (!isfinite(d.high - d.low)) /* also where there is no value */
        return;
    set_axis(&d);
    tk_print(p, "<svg width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" ", width, height + BELOW,
             width, height + BELOW);
    tk_print(p, "aria-label=\"values over time, from ");
    tk_print_real(p, d.low, 4);
    tk_print(p, " to ");
    tk_print_real(p, d.high, 4);
    tk_print(p, "\">");
    print_axis_value(p, &d, d.low);
    if (y_of(&d, d.low) - y_of(&d, d.high) > 12)
        print_axis_value(p, &d, d.high);
    if (mark != UINT32_MAX)
        print_mark(p, t, &d, mark);
    print_ticks(p, t, &d);
    print_curve(p, &d);
    print_dots(p, &d);
    tk_print(p, "</svg>");
}
