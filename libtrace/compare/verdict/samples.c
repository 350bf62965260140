/*
 * Stack samples in a comparison: what functions have of all of them, and which function has the change of a
 * timer. compare.c calls it once the rows are made, verdict.c once there are verdicts.
 */
#include "base/saturate.h"
#include "base/text/text.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_HAS 0.5 /* of the samples by which a timer changes */

/* A function without samples in a run. */
static struct tk_series *none_of(struct tk_matrix *m, size_t run, const struct tk_series *like)
{
    struct tk_series *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->kind = like->kind;
    s->name = like->name;
    s->group = like->group;
    s->file = like->file;
    s->blocks = calloc((size_t)m->runs[run]->n_blocks + 1, sizeof *s->blocks);
    if (s->blocks && !tk_vec_push(&m->made, s))
        return s;
    free(s->blocks);
    free(s);
    return NULL;
}

int tk_matrix_find_samples(struct tk_matrix *m)
{
    size_t n = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        for (size_t i = 0; i < m->runs[r]->series.n && !m->samples[r]; i++) {
            const struct tk_series *s = m->runs[r]->series.v[i];
            if (s->kind == TK_SERIES_SAMPLES && !s->name->n && s->count)
                m->samples[r] = s;
        }
        n += m->samples[r] != NULL;
    }
    m->sampled = n && n == m->n_runs;
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        const bool function = row->any->kind == TK_SERIES_SAMPLES;
        for (size_t r = 0; r < m->n_runs && function; r++) {
            if (!m->samples[r])
                row->of[r] = NULL; /* a part of nothing */
            else if (!row->of[r] && !(row->of[r] = none_of(m, r, row->any)))
                return -1;
        }
    }
    return 0;
}

/* Of a run: samples of a row, and frames. */
static void count_run(const struct tk_matrix *m, const struct tk_row *row, size_t r, double *samples,
                      double *frames)
{
    for (size_t b = m->skip[r]; b < m->runs[r]->n_blocks; b++) {
        *samples += row->of[r] ? row->of[r]->blocks[b] : 0;
        *frames += tk_block_weight(m->runs[r], b);
    }
}

static double samples_a_frame(const struct tk_matrix *m, const struct tk_row *row, size_t r)
{
    double samples = 0, frames = 0;
    count_run(m, row, r, &samples, &frames);
    return frames > 0 ? samples / frames : 0;
}

/* The mean over runs of a side. */
static double side_a_frame(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    double sum = 0, n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side) {
            sum += samples_a_frame(m, row, r);
            n++;
        }
    return n > 0 ? sum / n : 0;
}

/* The chance of the samples of a frame of both sides, if they are the same: by the spread of runs, or by
 * counts where there are only two runs. */
static double chance_of(const struct tk_matrix *m, const struct tk_row *row)
{
    double samples[3] = {0}, frames[3] = {0}, *y = calloc(m->n_runs + 1, sizeof *y);
    struct tk_row spread = {.any = NULL};
    for (size_t r = 0; y && r < m->n_runs; r++) {
        y[r] = samples_a_frame(m, row, r);
        count_run(m, row, r, &samples[m->side[r]], &frames[m->side[r]]);
    }
    if (y)
        tk_matrix_spread(m, y, &spread);
    free(y);
    if (spread.error > 0)
        return tk_probability_t(spread.delta / spread.error, spread.df);
    return tk_probability_split(tk_saturate_u64(samples[1]), tk_saturate_u64(samples[0]),
                                frames[1] / (frames[0] + frames[1]));
}

bool tk_matrix_samples_change(const struct tk_matrix *m, const struct tk_row *row, double change)
{
    const double before = side_a_frame(m, row, TK_SIDE_BASE),
                 by = side_a_frame(m, row, TK_SIDE_CANDIDATE) - before;
    return (by > 0) == (change > 0) && fabs(by) >= m->out->setup.floor_ratio * before &&
           chance_of(m, row) <= m->out->setup.chance;
}

/* The samples a frame that functions inside of a timer have more of; in *most the row with the most of them.
 */
static double change_inside(const struct tk_matrix *m, const struct tk_str *timer, double sign,
                            const struct tk_row **most, double *by)
{
    double all = 0;
    *most = NULL;
    *by = 0;
    for (size_t i = 0; i < m->n_sorted; i++) {
        const struct tk_row *row = &m->rows.v[i];
        if (row->any->kind != TK_SERIES_INSIDE || tk_str_order(row->any->group, timer) != 0)
            continue;
        const double change =
            sign * (side_a_frame(m, row, TK_SIDE_CANDIDATE) - side_a_frame(m, row, TK_SIDE_BASE));
        all += change;
        if (change > *by) {
            *by = change;
            *most = row;
        }
    }
    return all;
}

int tk_matrix_explain_functions(struct tk_matrix *m)
{
    for (size_t i = 0; m->sampled && i < m->n_sorted; i++) {
        const struct tk_row *row = &m->rows.v[i], *most;
        struct tk_change *c = row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
        double by;
        if (row->any->kind != TK_SERIES_TIMER || !c ||
            (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED))
            continue;
        const double all = change_inside(m, row->any->name, c->verdict == TK_REGRESSED ? 1 : -1, &most, &by);
        if (!most || by < FUNCTION_HAS * fabs(all))
            continue;
        const struct tk_str *name = most->any->name;
        c->function = tk_intern(&m->out->names, name->p, name->n, (enum tk_encoding)name->enc);
        if (!c->function)
            return -1;
    }
    return 0;
}
