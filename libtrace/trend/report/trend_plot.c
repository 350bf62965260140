/*
 * Values of a series of a history by night, drawn. Where nights are more than columns, a column is the mean
 * of its nights.
 */
#include "trend/report/trend_plot.h"

#include <math.h>

#define MOST_COLUMNS 64
#define EIGHTHS      8
#define ROWS         6 /* of a picture */

static const char *const bars[][EIGHTHS] = {{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                            {".", ":", "-", "=", "+", "*", "#", "@"}};

struct columns {
    double means[MOST_COLUMNS]; /* NAN: none */
    size_t n;
    double low, high;
};

static void fold(const struct tk_trend *t, const struct tk_history_series *s, size_t width, struct columns *c)
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
}

/* The height of a column in steps from 0 to `most`. */
static unsigned height_of(const struct columns *c, size_t column, unsigned most)
{
    const double range = c->high - c->low;
    return range > 0 ? (unsigned)((c->means[column] - c->low) / range * most + 0.5) : 0;
}

void tk_trend_spark(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    size_t width, bool ascii)
{
    struct columns c;
    fold(t, s, width, &c);
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
    fold(t, s, width, &c);
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
