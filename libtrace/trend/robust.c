/*
 * Medians, weighted means and the order of two sides.
 */
#include "trend/curve.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * Takes logarithms.
 */

/* Half the median, or half of the least positive value if that is more; 0: nothing has to be added; -1:
 * there is no positive value. */
static double added(const struct tk_history_series *s, size_t runs, double *space)
{
    double least = INFINITY, positive = INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < runs; i++) {
        double v = s->values.v[i];
        if (isnan(v))
            continue;
        space[n++] = v;
        least = fmin(least, v);
        positive = v > 0 ? fmin(positive, v) : positive;
    }
    if (isinf(positive))
        return -1;
    if (least > 0 && s->kind != TK_HISTORY_HITCHES && s->kind != TK_HISTORY_CAUSE)
        return 0;
    return fmax(0.5 * tk_robust_median(space, n), 0.5 * positive);
}

void tk_trend_logs(const struct tk_history_series *s, size_t runs, double *to, double *space)
{
    double more = added(s, runs, space);
    for (size_t i = 0; i < runs; i++) {
        double v = s->values.v[i] + more;
        to[i] = more >= 0 && v > 0 ? log(v) : NAN;
    }
}

#define NORMAL     1.4826 /* standard deviations in a median deviation */
#define TWO_LEVELS 20.0

static void swap_values(double *a, double *b)
{
    double v = *a;
    *a = *b;
    *b = v;
}

/* Moves the values about so that v[k] is the one with rank k, with smaller ones before it. */
static void select_rank(double *v, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap_values(&v[i++], &v[j--]);
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
}

double tk_robust_median(double *v, size_t n)
{
    double below;
    if (n == 1)
        return v[0];
    select_rank(v, n, n / 2);
    if (n % 2)
        return v[n / 2];
    below = v[0];
    for (size_t i = 1; i < n / 2; i++)
        below = v[i] > below ? v[i] : below;
    return 0.5 * (below + v[n / 2]);
}

static int by_pair(const void *a, const void *b)
{
    const struct tk_robust_pair *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

double tk_robust_weighted_median(struct tk_robust_pair *v, size_t n)
{
    double sum = 0, acc = 0;
    qsort(v, n, sizeof *v, by_pair);
    for (size_t i = 0; i < n; i++)
        sum += v[i].weight;
    for (size_t i = 0; i < n; i++) {
        acc += v[i].weight;
        if (acc >= 0.5 * sum)
            return v[i].value;
    }
    return v[n - 1].value;
}

double tk_robust_spread(const double *v, size_t n, double *space)
{
    if (n < 4)
        return -1;
    for (size_t i = 0; i + 1 < n; i++)
        space[i] = fabs(v[i + 1] - v[i]);
    return NORMAL * tk_robust_median(space, n - 1) / sqrt(2);
}

double tk_robust_centre(const double *v, size_t n, double sd, double *space)
{
    double centre, k = 1 / (3 * sd);
    for (size_t i = 0; i < n; i++)
        space[i] = v[i];
    centre = tk_robust_median(space, n);
    for (int turn = 0; turn < 3; turn++) {
        double sum = 0, weights = 0;
        for (size_t i = 0; i < n; i++) {
            double u = fabs(v[i] - centre) * k, w = u <= 1 ? 1 : 1 / (u * u);
            sum += w * v[i];
            weights += w;
        }
        centre = sum / weights;
    }
    return centre;
}

/* ---- order ---- */

static double log_choose(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

static size_t count_beyond(const double *v, size_t n, double middle, bool up)
{
    size_t beyond = 0;
    for (size_t i = 0; i < n; i++)
        beyond += (v[i] > middle) == up;
    return beyond;
}

double tk_robust_order(const double *left, size_t n_left, const double *right, size_t n_right, double m1,
                       double m2)
{
    double middle = 0.5 * (m1 + m2), p = 0;
    size_t before = count_beyond(left, n_left, middle, m2 > m1);
    size_t after = count_beyond(right, n_right, middle, m2 > m1), all = before + after;
    for (size_t j = after; j <= n_right && j <= all; j++)
        if (all - j <= n_left)
            p +=
                exp(log_choose(n_right, j) + log_choose(n_left, all - j) - log_choose(n_left + n_right, all));
    if (before > (n_left / 10 > 1 ? n_left / 10 : 1))
        p *= TWO_LEVELS;
    return p < 1 ? p : 1;
}
