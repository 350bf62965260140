/*
 * Distributions, quantiles and corrections for multiple tests. The other files of this folder call them.
 */
#include "compare/verdict/probability.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LEAST_VARIANCE 1e-24 /* less is rounding */

/* ---- Student's t ---- */

/* Continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (int m = 1; m <= 300; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double k = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                           : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + k * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + k / c;
            c = fabs(c) < tiny ? tiny : c;
            h *= d * c;
        }
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return h;
}

/* Regularised incomplete beta function. */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double tk_probability_t(double t, double df)
{
    if (!(df > 0) || isnan(t))
        return 1;
    return beta_share(df / 2, 0.5, df / (df + t * t));
}

double tk_probability_t_limit(double p, double df)
{
    double low = 0, high = 1;
    while (tk_probability_t(high, df) > p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = low + (high - low) / 2;
        if (tk_probability_t(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- counts ---- */

#define MOST_EXACT 10000 /* of both sides */

static double binomial_tail(uint64_t from, uint64_t to, uint64_t n, double share)
{
    double sum = 0, top = lgamma((double)n + 1), left = log(share), right = log1p(-share);
    for (uint64_t k = from; k <= to; k++) {
        double way = top - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
        sum += exp(way + (double)k * left + (double)(n - k) * right);
    }
    return sum;
}

double tk_probability_split(uint64_t a, uint64_t b, double share)
{
    if ((a == 0 && b == 0) || !(share > 0 && share < 1))
        return 1;
    if (a > MOST_EXACT || b > MOST_EXACT - a) {
        double mean = ((double)a + (double)b) * share, z = ((double)a - mean) / sqrt(mean * (1 - share));
        return erfc(fabs(z) / sqrt(2));
    }
    double low = binomial_tail(0, a, a + b, share), high = binomial_tail(a, a + b, a + b, share);
    double p = 2 * (low < high ? low : high);
    return p < 1 ? p : 1;
}

/* ---- ranks ---- */

#define MOST_SIDE 64

/* In how many ways n of n + m ranks give each value of U: counts[u]. */
static void count_ways(size_t n, size_t m, double *counts)
{
    /* the number of ways to choose n parts of at most m that sum up to u, one part more at a time */
    size_t most = n * m;
    for (size_t u = 0; u <= most; u++)
        counts[u] = u == 0;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = most; u + 1 > m + i; u--)
            counts[u] -= counts[u - (m + i)];
        for (size_t u = i; u <= most; u++)
            counts[u] += counts[u - i];
    }
}

double tk_probability_ranks(const double *a, size_t n, const double *b, size_t m)
{
    if (n == 0 || m == 0 || n > MOST_SIDE || m > MOST_SIDE)
        return 1;
    double u = 0, below = 0, all = 0;
    double *counts = malloc((n * m + 1) * sizeof *counts);
    if (!counts)
        return 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            u += a[i] < b[k] ? 1 : a[i] > b[k] ? 0 : 0.5;
    u = u > (double)(n * m) - u ? (double)(n * m) - u : u;
    count_ways(n, m, counts);
    for (size_t i = 0; i <= n * m; i++) {
        all += counts[i];
        below += (double)i <= u ? counts[i] : 0;
    }
    free(counts);
    double p = 2 * below / all;
    return p < 1 ? p : 1;
}

/* ---- many at once ---- */

/* qsort has no context, so the index is sorted by hand: heap sort, smallest p first. */
static void sift(const double *p, size_t *order, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && p[order[child + 1]] > p[order[child]])
            child++;
        if (p[order[at]] >= p[order[child]])
            return;
        size_t swap = order[at];
        order[at] = order[child];
        order[child] = swap;
    }
}

static void sort_index(const double *p, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n / 2; i-- > 0;)
        sift(p, order, i, n);
    for (size_t i = n; i-- > 1;) {
        size_t swap = order[0];
        order[0] = order[i];
        order[i] = swap;
        sift(p, order, 0, i);
    }
}

void tk_probability_adjust(double *p, size_t n, size_t *order)
{
    double least = 1;
    sort_index(p, order, n);
    for (size_t i = n; i-- > 0;) {
        double value = p[order[i]] * (double)n / (double)(i + 1);
        least = value < least ? value : least;
        p[order[i]] = least;
    }
}

static int by_value_probability(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double tk_probability_median(double *v, size_t n)
{
    if (n == 0)
        return 0;
    qsort(v, n, sizeof *v, by_value_probability);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ---- bootstrap ---- */

static size_t stretch_of(size_t n)
{
    size_t k = 1;
    while (k * k * k < n)
        k++;
    return k;
}

/* Variance of a ratio of sums, relative or in parts of a unit, from what blocks deviate in stretches. */
static double side_variance(const struct tk_probability_side *s, double unit)
{
    double sum = 0, weight = 0, stretch = 0, squares = 0, n = (double)s->n;
    size_t length = stretch_of(s->n);
    for (size_t i = 0; i < s->n; i++) {
        sum += s->sums[i];
        weight += s->weights[i];
    }
    if (!((sum > 0 || unit > 0) && weight > 0))
        return 0;
    double ratio = sum / weight, whole = unit > 0 ? unit * weight : sum;
    for (size_t i = 0; i < length; i++)
        stretch += s->sums[i] - ratio * s->weights[i];
    for (size_t i = 0; i < s->n; i++) {
        size_t in = (i + length) % s->n;
        squares += stretch * stretch;
        stretch += s->sums[in] - ratio * s->weights[in] - (s->sums[i] - ratio * s->weights[i]);
    }
    /* n / length stretches are drawn, each with the mean square of all n there are */
    return squares / n * (n / (double)length) / (whole * whole);
}

double tk_probability_bootstrap(const struct tk_probability_side *a, const struct tk_probability_side *b,
                                double unit)
{
    if (a->n == 0 || b->n == 0)
        return 0;
    double variance = side_variance(a, unit) + side_variance(b, unit);
    return variance > LEAST_VARIANCE ? sqrt(variance) : 0;
}

/*
 * Finds how the spreads of rows are distributed, by expectation maximization over a grid.
 *
 * The grid ends at the greatest deviation that a row shows: no row is taken to vary more than the one that
 * varies most, unless by the tail, a part that goes to spreads of a few to some percent. It begins where
 * changes are of no interest. A part of the shares stays what it was at first, the same for all: with few
 * rows a row is then judged by its own spread, as in a t-test.
 */

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
