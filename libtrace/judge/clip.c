/*
 * Clips what few frames, or blocks of frames, have far above the others. compare/collect and compare/verdict
 * call it.
 *
 * With quartiles q1 and q3 of the frames of a run, what lies above q3 by more than three times their distance
 * counts as that limit; a frame may always have half as much again as q3. A single stall then moves neither
 * the mean of a run nor what it seems to vary by. Where a quarter of the frames or fewer have anything, each
 * of them is one of few, and nothing is clipped.
 */
#include "judge/clip.h"

#include <math.h>

#define LEAST_CLIPPED  16 /* fewer show no limit */
#define DISTANCE       3.0
#define LEAST_DISTANCE 0.5 /* of q3 */

static void swap_rates(struct tk_rate *a, struct tk_rate *b)
{
    const struct tk_rate c = *a;
    *a = *b;
    *b = c;
}

double tk_rates_ranked(struct tk_rate *v, size_t n, size_t rank)
{
    for (size_t from = 0, to = n; to - from > 1;) {
        const double pivot = v[from + (to - from) / 2].v;
        size_t below = from, at = from, above = to;
        while (at < above)
            if (v[at].v < pivot)
                swap_rates(&v[at++], &v[below++]);
            else if (v[at].v > pivot)
                swap_rates(&v[at], &v[--above]);
            else
                at++;
        if (rank >= below && rank < above)
            break;
        from = rank < below ? from : above;
        to = rank < below ? below : to;
    }
    return v[rank].v;
}

double tk_rates_limit(struct tk_rate *v, size_t n)
{
    if (n < LEAST_CLIPPED)
        return INFINITY;
    const double q1 = tk_rates_ranked(v, n, n / 4), q3 = tk_rates_ranked(v, n, n - 1 - n / 4);
    return q3 > 0 ? q3 + fmax(DISTANCE * (q3 - q1), LEAST_DISTANCE * q3) : INFINITY;
}

double tk_rates_clipped_mean(struct tk_rate *v, size_t n)
{
    const double limit = tk_rates_limit(v, n);
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        sum += fmin(v[i].v, limit) * v[i].weight;
        weight += v[i].weight;
    }
    return weight > 0 ? sum / weight : 0;
}
