/*
 * Stack samples in a comparison: what functions have of all of them, and which function has the change of a
 * timer. compare.c calls it once the rows are made, verdict.c once there are verdicts.
 */
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"
#include "model/code/code_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_HAS 0.5 /* of the samples by which a timer changes */
#define SYMBOLS_HAVE 0.5 /* of the samples by which a function changes */

enum { FULL_FUNCTIONS = 1, FULL_INSIDE = 2 };

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

static uint8_t full_lists(const struct tk_base_run *run)
{
    size_t functions = 0, inside = 0;
    for (size_t i = 0; i < run->series.n; i++) {
        functions += run->series.v[i]->kind == TK_SERIES_SAMPLES && run->series.v[i]->name->n;
        inside += run->series.v[i]->kind == TK_SERIES_INSIDE;
    }
    return (uint8_t)((functions >= TK_SAMPLED_FUNCTIONS ? FULL_FUNCTIONS : 0) |
                     (inside >= TK_SAMPLED_FUNCTIONS ? FULL_INSIDE : 0));
}

static bool is_of_no_function(const struct tk_series *s)
{
    const size_t n = sizeof TK_NO_FUNCTION - 1;
    return s->name->n >= n && memcmp(s->name->p, TK_NO_FUNCTION, n) == 0;
}

static bool has_no_function(const struct tk_row *row)
{
    return is_of_no_function(row->any);
}

/* Has the run left it out, perhaps, as others have more samples? What has no function is taken for none then:
 * it is few, and reports symbols alone. */
static bool is_unknown(const struct tk_matrix *m, const struct tk_row *row, size_t r)
{
    return !row->of[r] && !has_no_function(row) &&
           m->full[r] & (row->any->kind == TK_SERIES_INSIDE ? FULL_INSIDE : FULL_FUNCTIONS);
}

/* Of a run that has only a part of its functions, or of those inside of timers: the one with the fewest
 * samples. No other has more. */
static struct tk_series *fewest_of(const struct tk_base_run *run, enum tk_series_kind kind)
{
    struct tk_series *fewest = NULL;
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        if (s->kind == kind && s->name->n && !is_of_no_function(s) && (!fewest || s->count < fewest->count))
            fewest = s;
    }
    return fewest;
}

static double part_of(const struct tk_matrix *m, size_t r, const struct tk_series *s)
{
    return (double)s->count / (double)m->samples[r]->count;
}

static bool is_missing(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    bool missing = true;
    for (size_t r = 0; r < m->n_runs; r++)
        missing &= m->side[r] != side || is_unknown(m, row, r);
    return missing;
}

/* A function that no run of a side has, as their lists are full, has at most what the fewest of each have.
 * Where all runs of the other side have more than that, it is compared as if it had as many, which is said.
 */
static void bound_by_fewest(struct tk_matrix *m, struct tk_row *row, enum tk_side side)
{
    struct tk_series *const *fewest = row->any->kind == TK_SERIES_INSIDE ? m->fewest_inside : m->fewest;
    double most = 0, least = 1;
    if (!is_missing(m, row, side))
        return;
    for (size_t r = 0; r < m->n_runs; r++) {
        if (m->side[r] != TK_SIDE_BASE && m->side[r] != TK_SIDE_CANDIDATE)
            continue;
        const bool here = m->side[r] == side;
        const struct tk_series *s = here ? fewest[r] : row->of[r];
        if (!s)
            return;
        most = here ? fmax(most, part_of(m, r, s)) : most;
        least = here ? least : fmin(least, part_of(m, r, s));
    }
    if (!(least > most))
        return;
    row->bounded |= (uint8_t)(1u << side);
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side)
            row->of[r] = fewest[r];
}

/* NULL where the recording had none. */
static const struct tk_series *all_samples_of(const struct tk_base_run *run)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind == TK_SERIES_SAMPLES && !run->series.v[i]->name->n)
            return run->series.v[i];
    return NULL;
}

int tk_matrix_find_samples(struct tk_matrix *m)
{
    size_t n = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct tk_series *all = all_samples_of(m->runs[r]);
        m->samples[r] = all && all->count ? all : NULL;
        m->out->unsampled += all && !all->count;
        m->full[r] = full_lists(m->runs[r]);
        m->fewest[r] = m->full[r] & FULL_FUNCTIONS ? fewest_of(m->runs[r], TK_SERIES_SAMPLES) : NULL;
        m->fewest_inside[r] = m->full[r] & FULL_INSIDE ? fewest_of(m->runs[r], TK_SERIES_INSIDE) : NULL;
        n += m->samples[r] != NULL;
    }
    m->sampled = n && n == m->n_runs;
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        const bool function = row->any->kind == TK_SERIES_SAMPLES;
        for (size_t r = 0; r < m->n_runs && function; r++) {
            if (!m->samples[r])
                row->of[r] = NULL; /* a part of nothing */
            else if (!row->of[r] && !is_unknown(m, row, r) && !(row->of[r] = none_of(m, r, row->any)))
                return -1;
        }
        if ((function || row->any->kind == TK_SERIES_INSIDE) && m->sampled) {
            bound_by_fewest(m, row, TK_SIDE_BASE);
            bound_by_fewest(m, row, TK_SIDE_CANDIDATE);
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

/* The mean over runs of a side that it is known of; 0 without any. */
static double side_a_frame(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    double sum = 0, n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side && !is_unknown(m, row, r)) {
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
    struct tk_row spread = {.any = row->any, .of = row->of};
    for (size_t r = 0; y && r < m->n_runs; r++) {
        if (is_unknown(m, row, r))
            continue;
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

static bool known_on_side(const struct tk_matrix *m, const struct tk_row *row, enum tk_side side)
{
    bool known = false;
    for (size_t r = 0; r < m->n_runs; r++)
        known |= m->side[r] == side && !is_unknown(m, row, r);
    return known;
}

/* Samples a frame that the candidate has more of. */
static double change_of(const struct tk_matrix *m, const struct tk_row *row)
{
    return side_a_frame(m, row, TK_SIDE_CANDIDATE) - side_a_frame(m, row, TK_SIDE_BASE);
}

/* Of what has no function only what is no chance. */
static double symbols_change(const struct tk_matrix *m, const struct tk_row *row)
{
    const double change = change_of(m, row);
    return !has_no_function(row) || tk_matrix_samples_change(m, row, change) ? change : 0;
}

/* Do samples move between the functions of a module and what has none there? */
static bool moves_by_symbols(const struct tk_matrix *m, const struct tk_row *row)
{
    const double own = change_of(m, row);
    double other = 0;
    for (size_t i = 0; i < m->n_sorted; i++) {
        const struct tk_row *with = &m->rows.v[i];
        if (with->any->kind == row->any->kind && with->any->name->n &&
            has_no_function(with) != has_no_function(row) &&
            tk_str_order(with->any->group, row->any->group) == 0 &&
            tk_str_order(with->any->file, row->any->file) == 0)
            other += symbols_change(m, with);
    }
    return (own > 0) != (other > 0) && fabs(other) >= SYMBOLS_HAVE * fabs(own);
}

bool tk_matrix_lacks_symbols(const struct tk_matrix *m, const struct tk_row *row)
{
    return has_no_function(row) || moves_by_symbols(m, row);
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
        if (row->any->kind != TK_SERIES_INSIDE || tk_str_order(row->any->group, timer) != 0 ||
            !known_on_side(m, row, TK_SIDE_BASE) || !known_on_side(m, row, TK_SIDE_CANDIDATE))
            continue;
        const double change = sign * change_of(m, row);
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
        const double sign = c->verdict == TK_REGRESSED ? 1 : -1;
        const double all = change_inside(m, row->any->name, sign, &most, &by);
        /* a timer can change without its samples, as by waiting */
        if (!most || by < FUNCTION_HAS * fabs(all) || !tk_matrix_samples_change(m, most, sign) ||
            moves_by_symbols(m, most))
            continue;
        const struct tk_str *name = most->any->name;
        c->function = tk_intern(&m->out->names, name->p, name->n, (enum tk_encoding)name->enc);
        if (!c->function)
            return -1;
    }
    return 0;
}
