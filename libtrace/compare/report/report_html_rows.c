/*
 * Small pictures in the rows of a page of a comparison: values of single runs, intervals, lengths of calls.
 * Part of report_html.h.
 */
#include "compare/report/report_html.h"

#include <math.h>

enum { WIDTH = 190, HEIGHT = 30 };

/* ---- intervals ---- */

#define AXIS_LOW   0.8
#define AXIS_HIGH  1.6
#define AXIS_LINES 5 /* each 0.2 */

/* Where a ratio is on the axis; what is beyond is at its ends. */
static double axis_x(double ratio)
{
    const double x = log(fmax(ratio, 1e-9) / AXIS_LOW) / log(AXIS_HIGH / AXIS_LOW) * (double)WIDTH;
    return fmin(fmax(x, 4), WIDTH - 4);
}

static void print_line(struct tk_print *p, const char *class, const double at[4])
{
    static const char *const keys[] = {"x1", "y1", "x2", "y2"};
    tk_print(p, "<line class=\"%s\"", class);
    for (size_t i = 0; i < 4; i++) {
        tk_print(p, " %s=\"", keys[i]);
        tk_print_fixed(p, at[i], 1);
        tk_print(p, "\"");
    }
    tk_print(p, "/>");
}

static void print_begin(struct tk_print *p, const char *label)
{
    tk_print(p, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">", WIDTH, HEIGHT, label);
}

void tk_report_html_interval(struct tk_print *p, const struct tk_change *c)
{
    if (!isfinite(c->ratio) || c->verdict == TK_RENAMED)
        return;
    const double low = axis_x(isfinite(c->low) ? c->low : c->ratio),
                 high = axis_x(isfinite(c->high) ? c->high : c->ratio);
    print_begin(p, "the change with its interval");
    for (int i = 0; i < AXIS_LINES; i++) {
        const double at = AXIS_LOW + 0.2 * i;
        print_line(p, at > 0.95 && at < 1.05 ? "zero" : "axis",
                   (double[]){axis_x(at), 3, axis_x(at), HEIGHT - 3});
    }
    print_line(p, "whisker", (double[]){low, (double)HEIGHT / 2, high, (double)HEIGHT / 2});
    if (c->ratio > AXIS_HIGH || c->ratio < AXIS_LOW)
        tk_print(p, "<text x=\"%d\" y=\"%d\">%s</text>", c->ratio > 1 ? WIDTH - 14 : 2, HEIGHT - 3,
                 c->ratio > 1 ? "»" : "«");
    tk_print(p, "<circle class=\"point\" cx=\"");
    tk_print_fixed(p, axis_x(c->ratio), 1);
    tk_print(p, "\" cy=\"%d\" r=\"3.5\"/></svg>", HEIGHT / 2);
}

/* ---- runs ---- */

static void print_dot(struct tk_print *p, double x, bool after)
{
    if (!after) {
        tk_print(p, "<circle class=\"before\" cx=\"");
        tk_print_fixed(p, x, 1);
        tk_print(p, "\" cy=\"9\" r=\"3.4\"/>");
        return;
    }
    tk_print(p, "<path class=\"after\" d=\"M");
    tk_print_fixed(p, x, 1);
    tk_print(p, " 17l4 4l-4 4l-4 -4z\"/>");
}

/* What a run of one of the two sides has; NaN where its side has not got it at all. */
static double shown_value(const struct tk_comparison *c, const struct tk_change *change, size_t run)
{
    const uint8_t side = c->run_sides.v[run];
    return side > 1 || isnan(side ? change->candidate : change->baseline)
               ? (double)NAN
               : tk_comparison_value(c, change, run);
}

void tk_report_html_runs(struct tk_print *p, const struct tk_comparison *c, const struct tk_change *change)
{
    double low = INFINITY, high = -INFINITY;
    if (change->verdict == TK_RENAMED) /* its values after are those of another name */
        return;
    for (size_t r = 0; change->values && r < c->run_sides.n; r++) {
        const double v = shown_value(c, change, r);
        if (isfinite(v)) {
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    if (!(low <= high))
        return;
    const double from = low - (high - low) * 0.06, width = high > low ? (high - low) * 1.12 : 1;
    print_begin(p, "the value of each run");
    for (size_t r = 0; r < c->run_sides.n; r++) {
        const double v = shown_value(c, change, r);
        if (isfinite(v))
            print_dot(p, 5 + (v - from) / width * (WIDTH - 10), c->run_sides.v[r] == 1);
    }
    for (int side = 0; side < 2; side++) {
        const double mean = side ? change->candidate : change->baseline;
        const double x = 5 + (mean - from) / width * (WIDTH - 10);
        if (isfinite(mean) && x >= 0 && x <= (double)WIDTH)
            print_line(p, "mean", (double[]){x, side ? 15 : 3, x, side ? HEIGHT - 3 : 15});
    }
    tk_print(p, "</svg>");
}

/* ---- calls ---- */

static bool has_calls(const struct tk_change *c)
{
    for (int i = 0; i < TK_SPARK; i++)
        if (c->spark[0][i] || c->spark[1][i])
            return true;
    return false;
}

void tk_report_html_calls(struct tk_print *p, const struct tk_change *c)
{
    const double step = (double)WIDTH / 2 / TK_SPARK;
    if (!has_calls(c) || c->verdict == TK_RENAMED)
        return;
    tk_print(p,
             "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"how many calls are how long: before "
             "as a line, after "
             "filled\">",
             WIDTH / 2, HEIGHT);
    for (int i = 0; i < TK_SPARK; i++) {
        const double h = c->spark[1][i] / 1000.0 * (HEIGHT - 4);
        tk_print(p, "<rect class=\"after\" x=\"");
        tk_print_fixed(p, i * step, 1);
        tk_print(p, "\" y=\"");
        tk_print_fixed(p, HEIGHT - 1 - h, 1);
        tk_print(p, "\" width=\"");
        tk_print_fixed(p, step - 0.5, 1);
        tk_print(p, "\" height=\"");
        tk_print_fixed(p, h, 1);
        tk_print(p, "\"/>");
    }
    tk_print(p, "<polyline class=\"before\" points=\"");
    for (int i = 0; i < TK_SPARK; i++) {
        const double y = HEIGHT - 1 - c->spark[0][i] / 1000.0 * (HEIGHT - 4);
        for (int end = 0; end < 2; end++) {
            tk_print_fixed(p, (i + end) * step, 1);
            tk_print(p, ",");
            tk_print_fixed(p, y, 1);
            tk_print(p, " ");
        }
    }
    tk_print(p, "\"/></svg>");
}
