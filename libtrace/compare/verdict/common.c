/*
 * The change that all timers share: a verdict of its own. verdict.c calls it.
 *
 * A shift that all timers share is removed from their figures. Beyond 5 % it is reported by itself, before
 * all else: machine or build? It is a regression where it also exceeds what the common part of runs of one
 * side, or of noise, differs by. Two single runs do not show that.
 */
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"

#include <math.h>

#define COMMON_RATIO  1.05
#define COMMON_CHANCE 0.001
#define LEVEL_COMMON  0.05 /* of the interval */

/* Where nothing varies a difference is certain. */
static double chance_of(const struct tk_row *row)
{
    return row->error > 0 ? tk_probability_t(row->delta / row->error, row->df) : 0;
}

static enum tk_verdict decide_common(const struct tk_matrix *m, const struct tk_row *row)
{
    if (m->out->setup.ignore_common)
        return TK_UNCHANGED;
    if (m->out->design == TK_DESIGN_FRAMES || !(row->freedom > 0) || chance_of(row) > COMMON_CHANCE)
        return TK_INCONCLUSIVE;
    return row->delta > 0 ? TK_REGRESSED : TK_IMPROVED;
}

int tk_matrix_judge_common(struct tk_matrix *m, struct tk_err *err)
{
    struct tk_row row = {0};
    tk_matrix_spread(m, m->factor, &row);
    if (fabs(row.delta) < log(COMMON_RATIO))
        return TK_OK;
    const bool reported = m->out->design == TK_DESIGN_RUNS && row.freedom > 0;
    const double width = row.error > 0 ? tk_probability_t_limit(LEVEL_COMMON, row.df) * row.error : 0;
    struct tk_change c = {.kind = TK_CHANGE_COMMON,
                          .verdict = (uint8_t)decide_common(m, &row),
                          .unit = "",
                          .tested = true,
                          .baseline = 1,
                          .candidate = exp(row.delta),
                          .raw_ratio = NAN,
                          .ratio = exp(row.delta),
                          .low = reported ? exp(row.delta - width) : NAN,
                          .high = reported ? exp(row.delta + width) : NAN,
                          .p = reported ? chance_of(&row) : NAN,
                          .per_call = {NAN, NAN}};
    c.name = tk_intern_c(&m->out->names, "all timers");
    c.group = c.file = tk_intern_c(&m->out->names, "");
    m->out->tested++;
    if (!c.name || !c.group || tk_vec_push(&m->out->changes, c))
        return tk_err_nomem(err, "a comparison");
    return TK_OK;
}

/* Is what is left of a change without the common part below the floor? */
static bool is_all(const struct tk_matrix *m, const struct tk_change *c, const struct tk_change *common)
{
    return fabs(log(c->ratio / common->ratio)) < log1p(m->out->setup.floor_ratio);
}

void tk_matrix_explain_common(struct tk_matrix *m)
{
    struct tk_comparison *out = m->out;
    const struct tk_change *common = out->changes.n ? &out->changes.v[0] : NULL;
    if (!common || common->kind != TK_CHANGE_COMMON)
        return;
    for (size_t i = 1; i < out->changes.n; i++) {
        struct tk_change *c = &out->changes.v[i];
        const bool alike = (c->ratio > 1) == (common->ratio > 1);
        if (c->kind != TK_CHANGE_FRAME || !isfinite(c->ratio) || !alike || c->verdict == TK_UNCHANGED)
            continue;
        if (!c->cause || is_all(m, c, common))
            c->cause = common;
        if (out->setup.ignore_common && c->cause == common && is_all(m, c, common))
            c->verdict = TK_UNCHANGED;
    }
}
