/*
 * Finds how the spreads of rows are distributed, by expectation maximization over a grid. significance.c gets
 * its chances from here.
 *
 * The grid ends at the greatest deviation that a row shows: no row is taken to vary more than the one that
 * varies most, unless by the tail, a part that goes to spreads of a few to some percent. It begins where
 * changes are of no interest. A part of the shares stays what it was at first, the same for all: with few
 * rows a row is then judged by its own spread, as in a t-test.
 */
#include "compare/verdict/spreads.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_DEVIATION 1e-3
#define STEP            1.2
#define ROUNDS          30
#define TAIL_LEAST      0.02
#define TAIL_MOST       0.15
#define EQUAL_ROWS      1.0 /* so many rows count for equal shares */
#define MOST_ROWS       512
#define MOST_FREEDOM    200.0 /* beyond, t is as good as normal */
#define NEGLIGIBLE      1e-12

/* How likely each deviation makes the spread of a row, by the one that makes it most likely. */
static void find_likelihoods(const struct tk_spreads *s, struct tk_spread row, double *likelihood)
{
    double most = -INFINITY;
    for (size_t k = 0; k < s->n; k++) {
        const double v = s->deviation[k] * s->deviation[k];
        likelihood[k] = -row.freedom / 2 * (log(v) + row.variance / v);
        most = fmax(most, likelihood[k]);
    }
    for (size_t k = 0; k < s->n; k++)
        likelihood[k] = exp(likelihood[k] - most);
}

static void make_grid(struct tk_spreads *s, const struct tk_spread *rows, size_t n)
{
    double top = TAIL_MOST, d = LEAST_DEVIATION;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, sqrt(rows[i].variance));
    for (s->n = 0; s->n < TK_SPREADS && (!s->n || s->deviation[s->n - 1] < top); d *= STEP)
        s->deviation[s->n++] = d;
    for (size_t k = 0; k < s->n; k++)
        s->share[k] = 1.0 / (double)s->n;
}

/* Shares as the rows would have them, each divided among the deviations that it may have. */
static void improve(struct tk_spreads *s, double (*likelihood)[TK_SPREADS], size_t rows)
{
    double next[TK_SPREADS];
    for (size_t k = 0; k < s->n; k++)
        next[k] = EQUAL_ROWS / (double)s->n;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < s->n; k++)
            sum += s->share[k] * likelihood[i][k];
        for (size_t k = 0; k < s->n; k++)
            next[k] += s->share[k] * likelihood[i][k] / sum;
    }
    for (size_t k = 0; k < s->n; k++)
        s->share[k] = next[k] / ((double)rows + EQUAL_ROWS);
}

static void add_tail(struct tk_spreads *s, double tail)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += s->deviation[k] >= TAIL_LEAST;
    for (size_t k = 0; k < s->n && n; k++)
        s->share[k] = (1 - tail) * s->share[k] + (s->deviation[k] >= TAIL_LEAST ? tail / (double)n : 0);
}

int tk_spreads_find(struct tk_spreads *s, const struct tk_spread *rows, size_t n, double tail)
{
    const size_t every = n / MOST_ROWS + 1;
    size_t used = 0;
    double(*likelihood)[TK_SPREADS] = malloc((n / every + 1) * sizeof *likelihood);
    if (!likelihood)
        return -1;
    make_grid(s, rows, n);
    for (size_t i = 0; i < n; i += every)
        find_likelihoods(s, rows[i], likelihood[used++]);
    for (int i = 0; i < ROUNDS; i++)
        improve(s, likelihood, used);
    free(likelihood);
    add_tail(s, tail);
    return 0;
}

void tk_spreads_weigh(const struct tk_spreads *s, struct tk_spread row, double weight[TK_SPREADS])
{
    double sum = 0;
    find_likelihoods(s, row, weight);
    for (size_t k = 0; k < s->n; k++) {
        weight[k] *= s->share[k];
        sum += weight[k];
    }
    for (size_t k = 0; k < s->n; k++)
        weight[k] /= sum;
}

/* The variance of a row has a mean and a mean square: those of an inverse chi square distribution. */
static struct tk_spread settle(double mean, double square)
{
    const double varies = square / (mean * mean) - 1;
    const double freedom = varies > 2 / (MOST_FREEDOM - 4) ? 4 + 2 / varies : MOST_FREEDOM;
    return (struct tk_spread){mean * (freedom - 2) / freedom, freedom};
}

double tk_spreads_chance(const struct tk_spreads *s, struct tk_spread *row, double delta, double factor,
                         double extra)
{
    double weight[TK_SPREADS], mean = 0, square = 0, chance = 0;
    tk_spreads_weigh(s, *row, weight);
    for (size_t k = 0; k < s->n; k++) {
        const double w = weight[k], v = s->deviation[k] * s->deviation[k];
        if (w < NEGLIGIBLE)
            continue;
        mean += w * v;
        square += w * v * v;
        chance += w * erfc(fabs(delta) / (hypot(s->deviation[k] * factor, extra) * sqrt(2)));
    }
    *row = settle(mean, square);
    return fmin(chance, 1);
}
