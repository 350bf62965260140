/*
 * Computes the value of each run in each row. It follows matrix.c and derived_rows.c; significance.c tests
 * the values.
 *
 * Of timers and paths: own time in ms a frame; of counters: the mean; of memory: the greatest value, and the
 * last less the first; of errors: a frame; of loading: own time in ms; of functions: their percentage of the
 * samples. In the robust value frames that are far above the others count as much as judge/clip.h lets them;
 * of timers whose frames are not known it is blocks of them.
 *
 * The factor of the machine of a run is the median, over timers that every run has, of how far the logarithm
 * of the timer lies from its mean over the runs of the baseline and of noise.
 */
#include "compare/baseline/block_walk.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"
#include "judge/clip.h"

#include <math.h>
#include <stdlib.h>

#define TINY     6e-5  /* of the median frame, added to times before taking logarithms */
#define SMALLEST 1e-12 /* ms */

static double weight_of(const struct tk_matrix *m, const struct tk_row *row, size_t r, size_t b)
{
    const struct tk_series *s = row->of[r];
    if (row->any->kind == TK_SERIES_SAMPLES)
        return m->samples[r]->blocks[b] / 100;
    return s->hits ? (double)s->hits[b] : tk_block_weight(m->runs[r], b);
}

/* Frames are known by where the blocks begin. */
static double weight_of_all(const struct tk_matrix *m, const struct tk_row *row, size_t r)
{
    const struct tk_base_run *run = m->runs[r];
    const size_t n = run->n_blocks, first = m->skip[r];
    double weight = 0;
    if (first < n && !row->of[r]->hits && row->any->kind != TK_SERIES_SAMPLES)
        return run->starts[n] - run->starts[first];
    for (size_t b = first; b < n; b++)
        weight += weight_of(m, row, r, b);
    return weight;
}

static double scale_of(const struct tk_matrix *m, const struct tk_row *row, size_t r)
{
    return tk_kind_is_time(row->any->kind) ? tk_base_ms(m->runs[r], 1) : 1;
}

static void measure_blocks(const struct tk_matrix *m, struct tk_row *row, size_t r)
{
    const struct tk_series *s = row->of[r];
    const double sum = s ? tk_block_sum(s, m->skip[r], m->runs[r]->n_blocks) : 0,
                 weight = s ? weight_of_all(m, row, r) : 0;
    row->raw[r] = weight > 0 ? sum / weight * scale_of(m, row, r) : 0;
    if (s && s->kind == TK_SERIES_MEMORY)
        row->raw[r] = tk_matrix_values(m, r, s).high;
    else if (s && s->hits && weight == 0)
        row->raw[r] = s->last;
    row->robust[r] = row->raw[r];
}

/* The rates of the blocks of a run; how many there are. */
static size_t find_rates(const struct tk_matrix *m, const struct tk_row *row, size_t r, struct tk_rate *rates)
{
    struct tk_block_walk walk = tk_block_walk_from(row->of[r], m->skip[r]);
    size_t n = 0;
    for (size_t b = m->skip[r]; b < m->runs[r]->n_blocks; b++) {
        const double w = weight_of(m, row, r, b), here = tk_block_walk_next(&walk);
        if (w > 0)
            rates[n++] = (struct tk_rate){here / w, w};
    }
    return n;
}

static void make_robust(const struct tk_matrix *m, struct tk_row *row, size_t r, struct tk_rate *rates)
{
    const struct tk_base_run *run = m->runs[r];
    if (row->by_frame && m->skip[r] < run->n_blocks) {
        const uint32_t first = run->starts[m->skip[r]], n = run->starts[run->n_blocks];
        row->robust[r] -= tk_series_beyond(row->of[r], first, n) / (n - first) * scale_of(m, row, r);
        return;
    }
    row->robust[r] = tk_rates_clipped_mean(rates, find_rates(m, row, r, rates)) * scale_of(m, row, r);
}

/* Do all runs that have it know its greatest frames? Others are clipped by blocks on both sides. */
static bool knows_frames(const struct tk_matrix *m, const struct tk_row *row)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (row->of[r] && !row->of[r]->greatest)
            return false;
    return tk_series_has_calls(row->any->kind);
}

/* With the greatest frames clipped, or blocks of them; a timer that is neither tested nor reports the machine
 * goes without that.
 */
static void measure_robust(const struct tk_matrix *m, struct tk_row *row, struct tk_rate *rates)
{
    const uint8_t kind = row->any->kind;
    const double least = fmin(tk_matrix_floor(m, row), TK_MACHINE_SHARE * m->out->frame_ms);
    if (kind == TK_SERIES_TIMER && fabs(row->mean[0]) < least && fabs(row->mean[1]) < least)
        return;
    row->by_frame = knows_frames(m, row);
    for (size_t r = 0; r < m->n_runs; r++)
        if (row->of[r] && !row->of[r]->hits && !tk_series_is_counted(row->of[r]->kind))
            make_robust(m, row, r, rates);
}

/* What is a value of the whole run. */
static bool measure_whole(const struct tk_matrix *m, struct tk_row *row, size_t r)
{
    const struct tk_series *s = row->of[r];
    if (row->any->kind == TK_SERIES_LOADING)
        row->raw[r] = s ? tk_base_ms(m->runs[r], (double)s->own) : 0;
    else if (row->any->kind == TK_SERIES_GROWTH || row->metric)
        row->raw[r] = s ? s->last : 0;
    else
        return false;
    row->robust[r] = row->raw[r];
    return true;
}

static void side_means(const struct tk_matrix *m, const struct tk_row *row, const double *values,
                       double mean[2])
{
    for (int s = 0; s < 2; s++) {
        double sum = 0, n = 0;
        for (size_t r = 0; r < m->n_runs; r++) {
            if (m->side[r] != s || !tk_row_counts_run(row, r))
                continue;
            sum += values[r];
            n++;
        }
        mean[s] = n > 0 ? sum / n : 0;
    }
}

/* The mean of the baseline, or of the candidate where that is 0; of growth that of what it is about. */
static double unit_of(const struct tk_matrix *m, const struct tk_row *row)
{
    double mean = fabs(row->robust_mean[0]);
    if (row->about != SIZE_MAX)
        mean = fabs(m->rows.v[row->about].robust_mean[0]);
    else if (!(mean > 0))
        mean = fabs(row->robust_mean[1]);
    return mean > 0 ? mean : 1;
}

/* Logarithms, or parts of a unit where a value is not positive. */
static void scale(const struct tk_matrix *m, struct tk_row *row)
{
    double tiny = tk_kind_is_time(row->any->kind) ? TINY * m->out->frame_ms + SMALLEST : 0;
    row->unit = unit_of(m, row);
    row->logs = row->any->kind != TK_SERIES_GROWTH;
    for (size_t r = 0; r < m->n_runs; r++)
        row->logs = row->logs && (row->robust[r] + tiny > 0 || !tk_row_counts_run(row, r));
    for (size_t r = 0; r < m->n_runs; r++) {
        row->y[r] = 0;
        if (tk_row_counts_run(row, r))
            row->y[r] = row->logs ? log(row->robust[r] + tiny) : row->robust[r] / row->unit;
    }
}

/* The frames of a run beyond the limit, without the warm-up. */
static size_t count_frames(const struct tk_matrix *m, const struct tk_row *row, size_t r, double *most)
{
    const struct tk_base_run *run = m->runs[r];
    const struct tk_greatest *g = row->of[r]->greatest;
    size_t n = 0;
    for (uint32_t i = 0; i < g->n && m->skip[r] < run->n_blocks; i++) {
        if (g->v[i].frame < run->starts[m->skip[r]])
            continue;
        *most = fmax(*most, (double)g->v[i].own * scale_of(m, row, r));
        n++;
    }
    return n;
}

int tk_row_stalls(const struct tk_matrix *m, const struct tk_row *row, size_t *n, double *most)
{
    *n = 0;
    *most = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        const size_t blocks = m->runs[r]->n_blocks;
        if (m->side[r] > TK_SIDE_CANDIDATE || !row->of[r] || row->of[r]->hits)
            continue;
        if (row->by_frame) {
            *n += count_frames(m, row, r, most);
            continue;
        }
        struct tk_rate *rates = malloc((blocks + 1) * sizeof *rates);
        if (!rates)
            return -1;
        const size_t k = find_rates(m, row, r, rates);
        const double limit = tk_rates_limit(rates, k);
        for (size_t i = 0; i < k; i++)
            if (rates[i].v > limit) {
                *n += 1;
                *most = fmax(*most, rates[i].v * scale_of(m, row, r));
            }
        free(rates);
    }
    return 0;
}

/* ---- the machine ---- */

static double usual(const struct tk_matrix *m, const struct tk_row *row)
{
    double sum = 0, n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] != TK_SIDE_CANDIDATE) {
            sum += row->y[r];
            n++;
        }
    return sum / n;
}

static void find_factors(struct tk_matrix *m, double *shifts)
{
    size_t n = 0;
    for (size_t i = 0; i < m->rows.n; i++)
        n += tk_row_shows_machine(m, &m->rows.v[i]);
    if (n < TK_SHIFT_ROWS)
        return;
    m->out->shift.rows = n;
    for (size_t r = 0; r < m->n_runs; r++) {
        n = 0;
        for (size_t i = 0; i < m->rows.n; i++)
            if (tk_row_shows_machine(m, &m->rows.v[i]))
                shifts[n++] = m->rows.v[i].y[r] - usual(m, &m->rows.v[i]);
        m->factor[r] = tk_probability_median(shifts, n);
    }
}

/* How runs of a side swing together is taken out of timers; what the sides differ by only where it is decided
 * what that is. */
static void take_out(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        for (size_t r = 0; r < m->n_runs && tk_row_is_single(row); r++)
            row->y[r] -= m->factor[r] - (m->side[r] == TK_SIDE_CANDIDATE ? m->shift : 0);
    }
}

int tk_matrix_measure(struct tk_matrix *m, struct tk_err *err)
{
    size_t most = m->rows.n;
    for (size_t r = 0; r < m->n_runs; r++)
        most = m->runs[r]->n_blocks > most ? m->runs[r]->n_blocks : most;
    struct tk_rate *buffer = malloc((most + 1) * sizeof *buffer);
    if (!buffer)
        return tk_err_nomem(err, "a comparison");
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        bool whole = false;
        for (size_t r = 0; r < m->n_runs; r++) {
            whole = measure_whole(m, row, r);
            if (!whole)
                measure_blocks(m, row, r);
        }
        side_means(m, row, row->raw, row->mean);
        if (!whole)
            measure_robust(m, row, buffer);
        side_means(m, row, row->robust, row->robust_mean);
        scale(m, row);
    }
    find_factors(m, (double *)(void *)buffer);
    free(buffer);
    tk_matrix_decide_shift(m);
    take_out(m);
    return TK_OK;
}
