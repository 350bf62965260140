/*
 * Computes variance, p-value and interval of each row. It follows measure.c; verdict.c uses the results.
 *
 * Runs: the variance of a row is pooled over baseline, candidate and noise. Where a kind has enough rows,
 * what their variances have together says which spreads there are, and the chance of a row is
 * found with these; else it is that of a t-test of its own.
 *
 * Two runs: bootstrap over blocks of frames; its error knows nothing of what differs between runs.
 */
#include "compare/baseline/block_walk.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"
#include "compare/verdict/verdict_in.h"

#include <math.h>
#include <stdlib.h>

/*
 * Distributions, quantiles and corrections for multiple tests. The other files of this folder call them.
 */

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

#define LEAST_ROWS   8 /* fewer rows of a kind tell nothing of each other */
#define LEAST_EFFECT 1e-9

double tk_matrix_floor(const struct tk_matrix *m, const struct tk_row *row)
{
    switch (row->any->kind) {
    case TK_SERIES_MEMORY:
    case TK_SERIES_GROWTH:
        return TK_FLOOR_BYTES;
    case TK_SERIES_LOADING:
        return TK_FLOOR_LOADING;
    case TK_SERIES_SAMPLES:
        return m->out->setup.floor_frame * 100;
    case TK_SERIES_COUNTER:
    case TK_SERIES_LOG:
        return 0;
    default:
        return fmax(m->out->setup.floor_ms, m->out->setup.floor_frame * m->out->frame_ms);
    }
}

/* A path that is not kept in all runs may be there with less than what is kept. */
static bool path_counts(const struct tk_matrix *m, const struct tk_row *row)
{
    return row->any->kind != TK_SERIES_PATH ||
           (!row->alone && tk_row_in_all(m, row, TK_SIDE_BASE) && tk_row_in_all(m, row, TK_SIDE_CANDIDATE));
}

/* Of samples: the functions, where all runs have some. */
static bool samples_count(const struct tk_matrix *m, const struct tk_row *row)
{
    return row->any->kind == TK_SERIES_SAMPLES ? m->sampled && row->any->name->n
                                               : row->any->kind != TK_SERIES_INSIDE;
}

bool tk_row_counts(const struct tk_matrix *m, const struct tk_row *row)
{
    double floor = tk_matrix_floor(m, row);
    return (fabs(row->mean[0]) >= floor || fabs(row->mean[1]) >= floor) &&
           tk_row_in_any(m, row, TK_SIDE_BASE) && tk_row_in_any(m, row, TK_SIDE_CANDIDATE) &&
           row->any->kind != TK_SERIES_LOG && path_counts(m, row) && samples_count(m, row);
}

/* The means of the sides, over the runs that count; how many these are is noted. */
static void find_means(const struct tk_matrix *m, const double *y, struct tk_row *row, double mean[3])
{
    for (int s = 0; s < 3; s++)
        row->n[s] = mean[s] = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (tk_row_counts_run(row, r)) {
            mean[m->side[r]] += y[r];
            row->n[m->side[r]]++;
        }
    for (int s = 0; s < 3; s++)
        mean[s] /= row->n[s] > 0 ? row->n[s] : 1;
}

/* The error of the difference of two means of values of such a variance. */
static double error_of(const struct tk_row *row, double variance)
{
    return row->n[0] > 0 && row->n[1] > 0 ? sqrt(variance * (1 / row->n[0] + 1 / row->n[1])) : INFINITY;
}

void tk_matrix_spread(const struct tk_matrix *m, const double *y, struct tk_row *row)
{
    double mean[3];
    find_means(m, y, row, mean);
    row->squares = row->freedom = 0;
    for (int s = 0; s < 3; s++)
        row->freedom += row->n[s] > 0 ? row->n[s] - 1 : 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (tk_row_counts_run(row, r))
            row->squares += (y[r] - mean[m->side[r]]) * (y[r] - mean[m->side[r]]);
    row->delta = mean[1] - mean[0];
    row->df = row->freedom;
    row->error = row->freedom > 0 ? error_of(row, row->squares / row->freedom) : 0;
}

static void find_p(struct tk_row *row)
{
    if (isinf(row->error))
        row->p = 1;
    else if (row->error > 0)
        row->p = tk_probability_t(row->delta / row->error, row->df);
    else
        row->p = fabs(row->delta) > LEAST_EFFECT ? 0 : 1;
}

/* ---- the spread that rows of a kind have together ---- */

static struct tk_spread spread_of(const struct tk_row *row)
{
    return (struct tk_spread){row->freedom > 0 ? row->squares / row->freedom : 0, row->freedom};
}

/* Finds the spreads of a kind; space for as many as there are rows. */
static int find_spreads(const struct tk_matrix *m, unsigned kind, struct tk_spread *buffer,
                        struct tk_spreads *s)
{
    size_t n = 0;
    s->n = 0;
    for (size_t i = 0; i < m->rows.n; i++) {
        const struct tk_row *row = &m->rows.v[i];
        if (row->any->kind == kind && tk_row_counts(m, row) && !row->waits && row->freedom > 0 &&
            isfinite(row->squares))
            buffer[n++] = spread_of(row);
    }
    return n < LEAST_ROWS ? 0 : tk_spreads_find(s, buffer, n);
}

/* The chance with what the rows of the kind have together. */
static void find_shared_p(struct tk_row *row, const struct tk_spreads *s)
{
    struct tk_spread spread = spread_of(row);
    row->p = tk_spreads_chance(s, &spread, row->delta, sqrt(1 / row->n[0] + 1 / row->n[1]));
    row->df = spread.freedom;
    row->error = error_of(row, spread.variance);
}

static void tell_nothing(struct tk_row *row)
{
    row->error = INFINITY;
    row->df = 1;
}

static bool knows_others(const struct tk_row *row, const struct tk_spreads *s)
{
    return s->n > 0 && row->n[0] > 0 && row->n[1] > 0 && isfinite(row->squares) && isfinite(row->delta);
}

static int test_runs(struct tk_matrix *m, struct tk_err *err)
{
    struct tk_spreads *of = malloc(TK_ROW_KINDS * sizeof *of);
    struct tk_spread *buffer = malloc((m->rows.n + 1) * sizeof *buffer);
    int rc = of && buffer ? 0 : -1;
    for (size_t i = 0; i < m->rows.n; i++)
        tk_matrix_spread(m, m->rows.v[i].y, &m->rows.v[i]);
    for (unsigned k = 0; k < TK_ROW_KINDS && rc == 0; k++)
        rc = find_spreads(m, k, buffer, &of[k]);
    free(buffer);
    for (size_t i = 0; i < m->rows.n && rc == 0; i++) {
        struct tk_row *row = &m->rows.v[i];
        if (knows_others(row, &of[row->any->kind])) {
            find_shared_p(row, &of[row->any->kind]);
            continue;
        }
        if (row->freedom <= 0)
            tell_nothing(row);
        find_p(row);
    }
    free(of);
    return rc ? tk_err_nomem(err, "a comparison") : TK_OK;
}

/* ---- two runs ---- */

static size_t find_run(const struct tk_matrix *m, enum tk_side side)
{
    size_t r = 0;
    while (m->side[r] != side)
        r++;
    return r;
}

static size_t blocks_of(const struct tk_matrix *m, size_t r)
{
    const size_t n = m->runs[r]->n_blocks;
    return n > m->skip[r] ? n - m->skip[r] : 0;
}

static void fill_side(const struct tk_matrix *m, const struct tk_row *row, size_t r,
                      struct tk_probability_side *side, double *buffer)
{
    const struct tk_base_run *run = m->runs[r];
    const struct tk_series *s = row->of[r];
    const size_t n = blocks_of(m, r);
    struct tk_block_walk walk = tk_block_walk_from(s, n ? m->skip[r] : 0);
    for (size_t i = 0; i < n; i++) {
        size_t b = m->skip[r] + i;
        buffer[i] = tk_block_walk_next(&walk);
        buffer[n + i] = s->hits ? (double)s->hits[b] : tk_block_weight(run, b);
        if (s->kind == TK_SERIES_SAMPLES)
            buffer[n + i] = m->samples[r]->blocks[b] / 100;
    }
    *side = (struct tk_probability_side){buffer, buffer + n, n};
}

static void test_pair(const struct tk_matrix *m, struct tk_row *row, double *buffer[2])
{
    struct tk_probability_side side[2];
    size_t run[2] = {find_run(m, TK_SIDE_BASE), find_run(m, TK_SIDE_CANDIDATE)};
    row->delta = row->y[run[1]] - row->y[run[0]];
    row->df = 1;
    row->p = 1;
    if (!row->of[run[0]] || !row->of[run[1]] || !tk_row_counts(m, row))
        return;
    const size_t n[2] = {blocks_of(m, run[0]), blocks_of(m, run[1])}, least = n[0] < n[1] ? n[0] : n[1];
    row->df = least > 2 ? (double)least - 1 : 1;
    if (!(fabs(row->delta) > log(1 + m->out->setup.floor_ratio) / 4))
        return;
    for (int s = 0; s < 2; s++)
        fill_side(m, row, run[s], &side[s], buffer[s]);
    /* such a peak is one value of a run, and its frames do not say how sure it is */
    if (!tk_series_of_allocations(row->of[run[0]], m->runs[run[0]]->n_blocks))
        row->error = tk_probability_bootstrap(&side[0], &side[1], row->logs ? 0 : row->unit);
    find_p(row);
}

static int test_frames(struct tk_matrix *m, struct tk_err *err)
{
    size_t most = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        most = m->runs[r]->n_blocks > most ? m->runs[r]->n_blocks : most;
    double *buffer = malloc((4 * most + 4) * sizeof *buffer);
    if (!buffer)
        return tk_err_nomem(err, "a comparison");
    double *parts[2] = {buffer, buffer + 2 * most};
    for (size_t i = 0; i < m->rows.n; i++)
        test_pair(m, &m->rows.v[i], parts);
    free(buffer);
    return TK_OK;
}

int tk_matrix_test(struct tk_matrix *m, struct tk_err *err)
{
    return m->out->design == TK_DESIGN_RUNS ? test_runs(m, err) : test_frames(m, err);
}

/* Values of whole runs have no blocks to leave stalls out of: few of them tell nothing, as a stall
 * makes a short timer twice as long. */
static bool says_by_runs(const struct tk_comparison *c)
{
    const size_t least = c->unit ? TK_UNIT_RUNS : 1;
    return c->design == TK_DESIGN_RUNS && c->runs[0] >= least && c->runs[1] >= least;
}

enum tk_verdict tk_matrix_confirm(const struct tk_matrix *m, enum tk_verdict verdict, double log_ratio)
{
    const bool changed = verdict == TK_REGRESSED || verdict == TK_IMPROVED;
    if (!changed || says_by_runs(m->out))
        return verdict;
    return !m->out->unit && fabs(log_ratio) >= log(TK_PAIR_FACTOR) ? verdict : TK_INCONCLUSIVE;
}
