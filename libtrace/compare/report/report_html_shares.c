/*
 * The picture of frame times of a comparison: which share of the frames stays below which time, on an axis
 * that is stretched towards all of them, so that rare long frames are seen. Part of report_html.h.
 */
#include "compare/report/report_html.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 240, LEFT = 52, RIGHT = 14, TOP = 10, BOTTOM = 26 };

#define DECADES 3.0 /* of the axis: up to 99.9 % */

struct scale {
    double low, high; /* ms */
    bool is_log;
};

static double at_x(const struct scale *s, double ms)
{
    const double part =
        s->is_log ? log(ms / s->low) / log(s->high / s->low) : (ms - s->low) / (s->high - s->low);
    return (double)LEFT + part * (WIDTH - LEFT - RIGHT);
}

/* Of the share of frames that are longer. */
static double at_y(double longer)
{
    return HEIGHT - BOTTOM + log10(longer) / DECADES * (HEIGHT - TOP - BOTTOM);
}

static bool find_scale(const struct tk_comparison *c, struct scale *s)
{
    *s = (struct scale){.low = INFINITY};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TK_FRAME_SHARES; i++) {
            const double ms = c->frame_shares[side][i];
            if (!(ms > 0) || !isfinite(ms))
                return false;
            s->low = fmin(s->low, ms);
            s->high = fmax(s->high, ms);
        }
    s->is_log = s->high / s->low > 4;
    const double margin = s->is_log ? 0 : fmax((s->high - s->low) * 0.04, s->high * 0.005);
    s->low = s->is_log ? s->low / 1.05 : fmax(s->low - margin, 0);
    s->high = s->is_log ? s->high * 1.05 : s->high + margin;
    return true;
}

static void print_number(struct tk_print *p, const char *key, double v)
{
    tk_print(p, " %s=\"", key);
    tk_print_fixed(p, v, 1);
    tk_print(p, "\"");
}

static void print_line(struct tk_print *p, double x1, double y1, double x2, double y2)
{
    tk_print(p, "<line class=\"axis\"");
    print_number(p, "x1", x1);
    print_number(p, "y1", y1);
    print_number(p, "x2", x2);
    print_number(p, "y2", y2);
    tk_print(p, "/>");
}

static void print_tick(struct tk_print *p, const struct scale *s, double ms)
{
    const double x = at_x(s, ms);
    print_line(p, x, TOP, x, HEIGHT - BOTTOM);
    tk_print(p, "<text class=\"mid\"");
    print_number(p, "x", x);
    tk_print(p, " y=\"%d\">", HEIGHT - 10);
    tk_print_real(p, ms, 4);
    tk_print(p, " ms</text>");
}

/* Round times: about six, or the ones, twos and fives of each power of ten. */
static void print_times(struct tk_print *p, const struct scale *s)
{
    static const double steps[] = {1, 2, 5, 10};
    const double raw = (s->high - s->low) / 6, ten = pow(10, floor(log10(raw)));
    double step = 10 * ten;
    for (size_t i = sizeof steps / sizeof *steps; i-- > 0;)
        step = steps[i] * ten >= raw ? steps[i] * ten : step;
    if (!s->is_log) {
        for (double k = ceil(s->low / step); k * step <= s->high; k++)
            print_tick(p, s, k * step);
        return;
    }
    const size_t n = s->high / s->low > 100 ? 1 : 3;
    double unit = pow(10, floor(log10(s->low)));
    while (unit <= s->high) {
        for (size_t i = 0; i < n; i++)
            if (unit * steps[i] >= s->low && unit * steps[i] <= s->high)
                print_tick(p, s, unit * steps[i]);
        unit *= 10;
    }
}

static void print_shares(struct tk_print *p)
{
    static const struct {
        double longer;
        const char *text;
    } shares[] = {{1, "0 %"}, {0.5, "50 %"}, {0.1, "90 %"}, {0.01, "99 %"}, {0.001, "99.9 %"}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const double y = at_y(shares[i].longer);
        print_line(p, LEFT, y, WIDTH - RIGHT, y);
        tk_print(p, "<text class=\"end\" x=\"%d\"", LEFT - 6);
        print_number(p, "y", y + 4);
        tk_print(p, ">%s</text>", shares[i].text);
    }
}

static void print_curve(struct tk_print *p, const struct scale *s, const double *times, const char *class)
{
    tk_print(p, "<polyline class=\"%s\" points=\"", class);
    for (int i = 0; i < TK_FRAME_SHARES; i++)
        for (int before = i > 0; before >= 0; before--) { /* steps: frames are as long as they are */
            tk_print_fixed(p, at_x(s, times[i]), 1);
            tk_print(p, ",");
            tk_print_fixed(p, at_y(pow(10, -(i - before) / 16.0)), 1);
            tk_print(p, " ");
        }
    tk_print(p, "\"/>");
}

void tk_report_html_shares(struct tk_print *p, const struct tk_comparison *c)
{
    struct scale s;
    if (!find_scale(c, &s))
        return;
    tk_print(
        p,
        "<p>Share of the frames that took no longer than a time: before dashed, after solid. The axis is "
        "stretched for the longest frames.</p>\n<div class=\"plot shares\" tabindex=\"0\"><svg "
        "role=\"img\" "
        "aria-label=\"Share of the frames that took no longer than a time, before and after; the table above "
        "has percentiles\" "
        "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    print_shares(p);
    print_times(p, &s);
    print_curve(p, &s, c->frame_shares[1], "curve");
    print_curve(p, &s, c->frame_shares[0], "curve base");
    tk_print(p, "\n</svg></div>\n");
}
