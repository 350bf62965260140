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
#include "judge/clip.h"

#include <math.h>
#include <stdlib.h>

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
    case TK_SERIES_METRIC:
    case TK_SERIES_CELL:
        return row->metric->floor;
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
    double floor = row->metric ? 0 : tk_matrix_floor(m, row);
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

static double chance_of(const struct tk_row *row, double delta, double error)
{
    if (isinf(error))
        return 1;
    if (error > 0)
        return tk_probability_t(delta / error, row->df);
    return fabs(delta) > LEAST_EFFECT ? 0 : 1;
}

/* How sure is the part of a difference that timers share and keep. */
static double shift_error(const struct tk_matrix *m, const struct tk_row *row)
{
    return tk_row_is_single(row) ? m->shift_error : 0;
}

/* Where it is undecided what the shift of all is, both differences have to be sure by what timers vary: the
 * one without it keeps machines out, so that the other need not. */
static bool is_undecided(const struct tk_matrix *m, const struct tk_row *row)
{
    return m->out->shift.state == TK_SHIFT_UNDECIDED && tk_row_is_single(row);
}

static void find_p(const struct tk_matrix *m, struct tk_row *row)
{
    const double own = row->error;
    row->error = hypot(own, shift_error(m, row));
    row->p = chance_of(row, row->delta, is_undecided(m, row) ? own : row->error);
    if (!is_undecided(m, row))
        return;
    row->other = row->delta - m->shift;
    row->p = fmax(row->p, chance_of(row, row->other, own));
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
    return n < LEAST_ROWS ? 0 : tk_spreads_find(s, buffer, n, TK_SPREADS_TAIL);
}

/* The chance with what the rows of the kind have together. */
static void find_shared_p(const struct tk_matrix *m, struct tk_row *row, const struct tk_spreads *s)
{
    const double factor = sqrt(1 / row->n[0] + 1 / row->n[1]), extra = shift_error(m, row);
    struct tk_spread spread = spread_of(row), same = spread;
    row->p = tk_spreads_chance(s, &spread, row->delta, factor, is_undecided(m, row) ? 0 : extra);
    row->df = spread.freedom;
    row->error = hypot(error_of(row, spread.variance), extra);
    if (!is_undecided(m, row))
        return;
    row->other = row->delta - m->shift;
    row->p = fmax(row->p, tk_spreads_chance(s, &same, row->other, factor, 0));
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
            find_shared_p(m, row, &of[row->any->kind]);
            continue;
        }
        if (row->freedom <= 0)
            tell_nothing(row);
        find_p(m, row);
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

/* Sums of n blocks, behind which are their weights and space for as many rates. */
static void clip_side(double *buffer, size_t n)
{
    struct tk_rate *rates = (struct tk_rate *)(void *)(buffer + 2 * n);
    for (size_t i = 0; i < n; i++)
        rates[i] = (struct tk_rate){buffer[i] / buffer[n + i], buffer[n + i]};
    const double limit = tk_rates_limit(rates, n);
    for (size_t i = 0; i < n; i++)
        buffer[i] = fmin(buffer[i], limit * buffer[n + i]);
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
        if (row->by_frame)
            buffer[i] -= tk_series_beyond(s, run->starts[b], run->starts[b + 1]);
        buffer[n + i] = s->hits ? (double)s->hits[b] : tk_block_weight(run, b);
        if (s->kind == TK_SERIES_SAMPLES)
            buffer[n + i] = m->samples[r]->blocks[b] / 100;
    }
    if (tk_kind_is_time(s->kind) && !row->by_frame)
        clip_side(buffer, n);
    *side = (struct tk_probability_side){buffer, buffer + n, n};
}

static void test_pair(const struct tk_matrix *m, struct tk_row *row, double *buffer[2])
{
    struct tk_probability_side side[2];
    size_t run[2] = {find_run(m, TK_SIDE_BASE), find_run(m, TK_SIDE_CANDIDATE)};
    row->delta = row->y[run[1]] - row->y[run[0]];
    row->df = 1;
    row->p = 1;
    row->other = is_undecided(m, row) ? row->delta - m->shift : (double)NAN;
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
    find_p(m, row);
}

static int test_frames(struct tk_matrix *m, struct tk_err *err)
{
    size_t most = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        most = m->runs[r]->n_blocks > most ? m->runs[r]->n_blocks : most;
    double *buffer = malloc((8 * most + 8) * sizeof *buffer);
    if (!buffer)
        return tk_err_nomem(err, "a comparison");
    double *parts[2] = {buffer, buffer + 4 * most};
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

/* ---- how many runs would decide what is inconclusive ---- */

#define POWER     2.8 /* errors between nothing and what is found eight times in ten */
#define MOST_RUNS 999
#define FEW_RUNS  5

unsigned tk_matrix_runs_needed(const struct tk_matrix *m, const double n[2], double error, double margin)
{
    const double one = error / sqrt(1 / n[0] + 1 / n[1]), have = fmin(n[0], n[1]);
    const double runs = ceil(2 * pow(POWER * one / margin, 2)) + 1;
    if (m->out->design == TK_DESIGN_FRAMES)
        return FEW_RUNS; /* which show how much runs differ */
    if (!(runs > 0) || runs > MOST_RUNS)
        return 0;
    return (unsigned)fmax(runs, have + 1);
}

void tk_change_need_runs(const struct tk_matrix *m, struct tk_change *c, unsigned runs)
{
    c->runs = runs;
    for (int s = 0; s < 2; s++)
        c->more[s] = runs > m->out->runs[s] ? runs - (unsigned)m->out->runs[s] : 0;
}
