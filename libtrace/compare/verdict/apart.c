/*
 * Finds runs that lie apart: one that stands out from all others of the baseline, which is left out, and two
 * groups of runs, as a machine makes them that has two speeds. It follows measure.c.
 *
 * How fast a run is, is what its timers have in common, or, with too few timers, its mean frame. A run stands
 * out where it is off by a quarter or more, and four times as far as any of the others is. The limit of two
 * speeds is one that fewer than one in two hundred draws of a single one reach: the distance of the
 * groups by the spread inside of them, which few runs can make great by chance. script/evaluate-diff measures
 * both.
 */
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"

#include <math.h>
#include <stdlib.h>

#define STANDS_OUT   1.25
#define TIMES_OTHERS 4.0
#define LEAST_OTHERS 3
#define LEAST_RATIO  1.04
#define LEAST_GROUP  2
#define LEAST_RUNS   5
#define SMALLEST     1e-9 /* spread */

#define DISTANCE_ALWAYS 3.3 /* spreads, and so many more by the runs beyond two */
#define DISTANCE_FEW    34.0

/* A run: the logarithm of how long it takes. */
struct pace {
    double v;
    size_t run;
};

static int by_pace(const void *a, const void *b)
{
    const struct pace *x = a, *y = b;
    return x->v > y->v ? 1 : x->v < y->v ? -1 : (x->run > y->run) - (x->run < y->run);
}

static double pace_of(const struct tk_matrix *m, size_t r)
{
    const struct tk_base_run *run = m->runs[r];
    double sum = 0;
    if (m->out->shift.rows)
        return m->factor[r];
    for (size_t i = run->starts[m->skip[r]]; i < run->frames.n; i++)
        sum += tk_base_ms(run, (double)run->frames.v[i]);
    return sum > 0 ? log(sum / (double)(run->frames.n - run->starts[m->skip[r]])) : 0;
}

/* ---- one that stands out ---- */

/* How far run r is from the middle of the others, and how far the furthest of these; space for as many. */
static bool stands_out(const struct pace *all, size_t n, size_t r, double *space, double *off)
{
    size_t k = 0;
    double furthest = 0;
    for (size_t i = 0; i < n; i++)
        if (i != r)
            space[k++] = all[i].v;
    const double middle = tk_probability_median(space, k);
    for (size_t i = 0; i < k; i++)
        furthest = fmax(furthest, fabs(space[i] - middle));
    *off = all[r].v - middle;
    return k >= LEAST_OTHERS && fabs(*off) >= log(STANDS_OUT) && fabs(*off) >= TIMES_OTHERS * furthest;
}

static void find_standing_out(struct tk_matrix *m, const struct pace *all, size_t n, double *space)
{
    for (size_t i = 0; i < n; i++) {
        double off;
        if (m->side[all[i].run] != TK_SIDE_BASE || !stands_out(all, n, i, space, &off))
            continue;
        m->out->standing = m->runs[all[i].run];
        m->out->standing_ratio = exp(off);
    }
}

/* ---- two speeds ---- */

static double squares_of(const struct pace *v, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += v[i].v / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (v[i].v - mean) * (v[i].v - mean);
    return sum;
}

/* Are there runs of one side on both sides of the gap? Else it is between the sides, and no two speeds. */
static bool divides_a_side(const struct tk_matrix *m, const struct pace *v, size_t n, size_t k)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = k; j < n; j++)
            if (m->side[v[i].run] == m->side[v[j].run])
                return true;
    return false;
}

static double mean_of(const struct pace *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i].v;
    return sum / (double)n;
}

/* How far the first k of n runs in order are from the others, by the spread inside of both. */
static double distance_of(const struct pace *v, size_t n, size_t k)
{
    const double spread = sqrt((squares_of(v, k) + squares_of(v + k, n - k)) / (double)(n - 2));
    return (mean_of(v + k, n - k) - mean_of(v, k)) / fmax(spread, SMALLEST);
}

static void find_speeds(struct tk_matrix *m, struct pace *v, size_t n)
{
    double furthest = 0;
    size_t at = 0;
    qsort(v, n, sizeof *v, by_pace);
    for (size_t k = LEAST_GROUP; k + LEAST_GROUP <= n; k++)
        if (distance_of(v, n, k) > furthest) {
            furthest = distance_of(v, n, k);
            at = k;
        }
    const double ratio = at ? exp(mean_of(v + at, n - at) - mean_of(v, at)) : 1;
    if (n >= LEAST_RUNS && ratio >= LEAST_RATIO && divides_a_side(m, v, n, at) &&
        furthest >= DISTANCE_ALWAYS + DISTANCE_FEW / (double)(n - 2))
        m->out->speeds = (struct tk_speeds){{at, n - at}, ratio};
}

int tk_matrix_find_apart(struct tk_matrix *m)
{
    struct pace *v = malloc((m->n_runs + 1) * sizeof *v);
    double *space = malloc((m->n_runs + 1) * sizeof *space);
    size_t n = 0;
    for (size_t r = 0; v && space && r < m->n_runs; r++)
        if (m->side[r] != TK_SIDE_CANDIDATE)
            v[n++] = (struct pace){pace_of(m, r), r};
    if (v && space)
        find_standing_out(m, v, n, space);
    for (size_t r = 0; v && space && r < m->n_runs; r++)
        if (m->side[r] == TK_SIDE_CANDIDATE)
            v[n++] = (struct pace){pace_of(m, r), r};
    if (v && space && !m->out->standing)
        find_speeds(m, v, n);
    const int rc = v && space ? 0 : -1;
    free(v);
    free(space);
    return rc;
}
