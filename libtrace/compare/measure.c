/*
 * Values of runs. See matrix.h.
 *
 * Of timers: own time in ms a frame; of counters: the mean; of memory: the greatest value; of errors: a
 * frame. The robust value leaves out the greatest 4 % of the blocks.
 *
 * The factor of the machine of a run is the median, over timers that every run has, of how far the logarithm
 * of the timer lies from its mean over the runs of the baseline and of noise.
 */
#include "compare/chance.h"
#include "compare/matrix.h"

#include <math.h>
#include <stdlib.h>

#define ROBUST_BLOCKS 16   /* fewer are not cut */
#define TRIM          25   /* one of so many blocks is left out */
#define TINY_MS       1e-3 /* added to times before taking logarithms */
#define MACHINE_MS    0.005
#define MACHINE_ROWS  8

double tk_block_weight(const struct tk_base_run *run, size_t block)
{
    uint64_t before = (uint64_t)block * run->block_frames, left = run->frames.n - before;
    return left < run->block_frames ? (double)left : run->block_frames;
}

/* Moves the k greatest of n values to the end. k is small. */
static void part(double *v, size_t n, size_t k)
{
    double *top = v + (n - k);
    for (size_t i = 0; i < n - k; i++) {
        size_t least = 0;
        for (size_t t = 1; t < k; t++)
            least = top[t] < top[least] ? t : least;
        for (; i < n - k && v[i] <= top[least]; i++)
            ;
        if (i < n - k) {
            double swap = v[i];
            v[i] = top[least];
            top[least] = swap;
        }
    }
}

/* Mean of rates without the greatest ones. */
static double trimmed(double *rates, size_t n)
{
    size_t cut = n >= ROBUST_BLOCKS ? (n + TRIM - 1) / TRIM : 0;
    double sum = 0;
    if (cut)
        part(rates, n, cut);
    for (size_t i = 0; i < n - cut; i++)
        sum += rates[i];
    return n > cut ? sum / (double)(n - cut) : 0;
}

static void measure_blocks(const struct tk_matrix *m, struct tk_row *row, size_t r, double *rates)
{
    const struct tk_base_run *run = m->runs[r];
    const struct tk_series *s = row->of[r];
    double sum = 0, weight = 0;
    size_t n = 0;
    for (size_t b = m->skip[r]; s && b < run->n_blocks; b++) {
        double w = s->hits ? (double)s->hits[b] : tk_block_weight(run, b);
        sum += s->blocks[b];
        weight += w;
        if (w > 0)
            rates[n++] = s->blocks[b] / w;
    }
    bool time = row->any->kind != TK_SERIES_COUNTER && row->any->kind != TK_SERIES_MEMORY &&
                row->any->kind != TK_SERIES_LOG;
    double scale = time ? tk_base_ms(run, 1) : 1;
    row->raw[r] = weight > 0 ? sum / weight * scale : 0;
    row->robust[r] = s && s->hits ? row->raw[r] : trimmed(rates, n) * scale;
    if (s && s->hits && (weight == 0 || s->kind == TK_SERIES_MEMORY))
        row->raw[r] = row->robust[r] = s->kind == TK_SERIES_MEMORY ? s->high : s->last;
}

static void side_means(const struct tk_matrix *m, struct tk_row *row)
{
    for (int s = 0; s < 2; s++) {
        double raw = 0, robust = 0, n = 0;
        for (size_t r = 0; r < m->n_runs; r++) {
            if (m->side[r] != s)
                continue;
            raw += row->raw[r];
            robust += row->robust[r];
            n++;
        }
        row->mean[s] = raw / n;
        row->robust_mean[s] = robust / n;
    }
}

static bool is_time(const struct tk_row *row)
{
    return row->any->kind == TK_SERIES_TIMER || row->any->kind == TK_SERIES_GPU ||
           row->any->kind == TK_SERIES_BUSY;
}

/* Logarithms, or parts of the mean where a value is not positive. */
static void scale(const struct tk_matrix *m, struct tk_row *row)
{
    double tiny = is_time(row) ? TINY_MS : 0, mean = fabs(row->robust_mean[0]);
    row->logs = true;
    for (size_t r = 0; r < m->n_runs; r++)
        row->logs = row->logs && row->robust[r] + tiny > 0;
    for (size_t r = 0; r < m->n_runs; r++)
        row->y[r] = row->logs ? log(row->robust[r] + tiny) : row->robust[r] / (mean > 0 ? mean : 1);
}

/* ---- the machine ---- */

static bool tells_of_machine(const struct tk_matrix *m, const struct tk_row *row)
{
    if (row->any->kind != TK_SERIES_TIMER || row->waits || row->robust_mean[0] < MACHINE_MS)
        return false;
    for (size_t r = 0; r < m->n_runs; r++)
        if (!row->of[r])
            return false;
    return true;
}

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
        n += tells_of_machine(m, &m->rows.v[i]);
    if (n < MACHINE_ROWS)
        return;
    for (size_t r = 0; r < m->n_runs; r++) {
        n = 0;
        for (size_t i = 0; i < m->rows.n; i++)
            if (tells_of_machine(m, &m->rows.v[i]))
                shifts[n++] = m->rows.v[i].y[r] - usual(m, &m->rows.v[i]);
        m->factor[r] = tk_chance_median(shifts, n);
    }
}

static void take_out(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        bool of_machine = row->any->kind == TK_SERIES_TIMER || row->any->kind == TK_SERIES_BUSY;
        for (size_t r = 0; r < m->n_runs && of_machine; r++)
            row->y[r] -= m->factor[r];
    }
}

int tk_matrix_measure(struct tk_matrix *m, struct tk_err *err)
{
    size_t most = m->rows.n;
    for (size_t r = 0; r < m->n_runs; r++)
        most = m->runs[r]->n_blocks > most ? m->runs[r]->n_blocks : most;
    double *room = malloc((most + 1) * sizeof *room);
    if (!room)
        return tk_err_nomem(err, "a comparison");
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        for (size_t r = 0; r < m->n_runs; r++)
            measure_blocks(m, row, r, room);
        side_means(m, row);
        scale(m, row);
    }
    find_factors(m, room);
    free(room);
    take_out(m);
    return TK_OK;
}
