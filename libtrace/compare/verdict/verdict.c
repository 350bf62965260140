/*
 * Decides the verdict of each row. It follows significance.c; reports are written from the verdicts.
 *
 * Regressed or improved: the chance, adjusted for the number of tests of the kind (Benjamini-Hochberg), is
 * small, and the change passes the relative and the absolute floor, by the plain and by the robust value.
 * Unchanged: the interval lies inside the floors. Inconclusive: neither. For two single runs without noise, a
 * change must also exceed the usual difference between runs of one build, which the frames of one run do not
 * show.
 */
#include "base/wrap.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"
#include "judge/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL        0.05 /* of intervals */
#define BUSY_FLOOR   2.5  /* times the floor of timers */
#define RANKED_LEAST 5    /* runs a side */
#define RANKED_MOST  64

/* The change as a factor. */
static double ratio_of(const struct tk_row *row, double delta)
{
    double ratio = row->logs ? exp(delta) : 1 + delta;
    return ratio > 0 ? ratio : 0;
}

/* The same as a logarithm; infinite where nothing is left. */
static double log_of(double delta)
{
    return delta > -1 ? log1p(delta) : -INFINITY;
}

/* Classes of threads are there for what many small changes come to, which has to be more than one of them. */
static double ratio_floor(const struct tk_matrix *m, const struct tk_row *row)
{
    if (row->metric)
        return row->metric->floor_ratio;
    return m->out->setup.floor_ratio * (row->any->kind == TK_SERIES_BUSY ? BUSY_FLOOR : 1);
}

/* The floor as a difference of y. */
static double margin_of(const struct tk_matrix *m, const struct tk_row *row)
{
    double floor = tk_matrix_floor(m, row), mean = row->logs ? fabs(row->robust_mean[0]) : row->unit;
    double margin = fmax(ratio_floor(m, row), mean > 0 ? floor / mean : 0);
    return row->logs ? log1p(margin) : margin;
}

/* Is a change of what there was before beyond the floors? Where that is nothing, there is no ratio. */
static bool passes_verdict(const struct tk_matrix *m, const struct tk_row *row, double change, double before)
{
    return fabs(change) >= ratio_floor(m, row) * fabs(before) && fabs(change) >= tk_matrix_floor(m, row);
}

/* The plain change without the shift that was taken out. */
static double raw_change(const struct tk_matrix *m, const struct tk_row *row)
{
    return row->mean[1] / (tk_row_is_single(row) ? m->out->machine : 1) - row->mean[0];
}

/* The same of the robust value, of a difference of y. */
static double robust_change(const struct tk_row *row, double delta)
{
    double before = fabs(row->robust_mean[0]);
    if (!row->logs)
        return delta * row->unit;
    return before > 0 ? (ratio_of(row, delta) - 1) * before : row->robust_mean[1];
}

/* What is negative, or was nothing, has no ratio that says anything. */
static bool has_ratio(const struct tk_row *row)
{
    return row->any->kind != TK_SERIES_GROWTH &&
           (row->logs || (row->robust_mean[0] > 0 && row->robust_mean[1] >= 0));
}

/* Where there are enough runs, their ranks have to agree: one wild run is no change. */
static bool ranks_agree(const struct tk_matrix *m, const struct tk_row *row)
{
    double y[2][RANKED_MOST];
    size_t n[2] = {0};
    if (row->n[0] < RANKED_LEAST || row->n[1] < RANKED_LEAST)
        return true;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] < 2 && n[m->side[r]] < RANKED_MOST && tk_row_counts_run(row, r))
            y[m->side[r]][n[m->side[r]]++] = row->y[r];
    return tk_probability_ranks(y[0], n[0], y[1], n[1]) <= LEVEL;
}

/* Growth is judged by what it changes of the memory that grows. */
static enum tk_verdict decide_growth(const struct tk_matrix *m, const struct tk_row *row, double width)
{
    double all = fabs(m->rows.v[row->about].robust_mean[0]), floor = tk_matrix_floor(m, row);
    double margin = all > 0 ? fmax(ratio_floor(m, row), floor / all) : INFINITY;
    if (row->adjusted <= m->out->setup.chance && fabs(row->delta) >= margin)
        return row->delta > 0 ? TK_REGRESSED : TK_IMPROVED;
    return fabs(row->delta) + width <= margin ? TK_UNCHANGED : TK_INCONCLUSIVE;
}

/* Does it go one way in whatever it is looked at: plain and robust, as measured and without the shift? What
 * is better as measured is no regression, whatever the others do. */
static bool is_sure(const struct tk_matrix *m, const struct tk_row *row)
{
    const double before = row->robust_mean[0], change = robust_change(row, row->delta),
                 raw = raw_change(m, row), measured = row->mean[1] - row->mean[0],
                 other = isnan(row->other) ? change : robust_change(row, row->other);
    const bool up = change > 0, same = (raw > 0) == up && (measured > 0) == up && (other > 0) == up;
    return same && passes_verdict(m, row, change, before) && passes_verdict(m, row, other, before) &&
           passes_verdict(m, row, raw, row->mean[0]) && ranks_agree(m, row);
}

/* How long loading takes, and what a metric is, is known by nothing that one run has. */
static bool is_of_whole_runs(const struct tk_row *row)
{
    return row->any->kind == TK_SERIES_LOADING || row->metric;
}

/* What a metric becomes: it says itself which way is better. */
static enum tk_verdict verdict_of_metric(const struct tk_base_metric *metric, enum tk_verdict verdict)
{
    if (verdict != TK_REGRESSED && verdict != TK_IMPROVED)
        return verdict;
    if (metric->better == TK_METRIC_NEITHER)
        return TK_CHANGED;
    const bool up = verdict == TK_REGRESSED;
    return up == (metric->better == TK_METRIC_LESS) ? TK_REGRESSED : TK_IMPROVED;
}

static enum tk_verdict decide(const struct tk_matrix *m, const struct tk_row *row, double width)
{
    if (row->any->kind == TK_SERIES_GROWTH)
        return decide_growth(m, row, width);
    double change = robust_change(row, row->delta), margin = margin_of(m, row);
    if (is_of_whole_runs(row) && m->out->design == TK_DESIGN_FRAMES)
        return passes_verdict(m, row, change, row->robust_mean[0]) ? TK_INCONCLUSIVE : TK_UNCHANGED;
    if (row->any->kind == TK_SERIES_SAMPLES && !tk_matrix_samples_change(m, row, change))
        return TK_UNCHANGED;
    if (row->adjusted <= m->out->setup.chance && is_sure(m, row))
        return change > 0 ? TK_REGRESSED : TK_IMPROVED;
    if (fabs(row->delta) + width <= margin || (row->p >= 1 && isfinite(width)))
        return TK_UNCHANGED;
    return row->adjusted <= m->out->setup.chance && fabs(row->delta) < margin ? TK_UNCHANGED
                                                                              : TK_INCONCLUSIVE;
}

/* Many rows have the same degrees of freedom, and the limit is dear. */
static double width_of(struct tk_matrix *m, const struct tk_row *row)
{
    if (!(row->error > 0))
        return 0;
    if (row->df < m->limit_df || row->df > m->limit_df) {
        m->limit = tk_probability_t_limit(LEVEL, row->df);
        m->limit_df = row->df;
    }
    return m->limit * row->error;
}

/* Single stalls moved the mean as measured, and nothing else did: that is no more than inconclusive. */
static int find_stalls(const struct tk_matrix *m, const struct tk_row *row, struct tk_change *c)
{
    const double measured = row->mean[1] - row->mean[0], robust = row->robust_mean[1] - row->robust_mean[0];
    if (row->waits || !tk_row_is_single(row) || !passes_verdict(m, row, raw_change(m, row), row->mean[0]) ||
        !passes_verdict(m, row, measured, row->mean[0]) ||
        passes_verdict(m, row, robust, row->robust_mean[0]))
        return 0;
    if (tk_row_stalls(m, row, &c->stalls, &c->stall_ms))
        return -1;
    c->stalled_frames = row->by_frame;
    if (c->stalls)
        c->verdict = TK_INCONCLUSIVE;
    return 0;
}

static int judge_row(struct tk_matrix *m, struct tk_row *row)
{
    struct tk_change *c = tk_change_new(m, row);
    if (!c)
        return -1;
    c->tested = true;
    c->p = row->adjusted;
    c->ratio = has_ratio(row) ? ratio_of(row, row->delta) : NAN;
    if (has_ratio(row) && tk_kind_is_time(row->any->kind) && row->mean[0] > 0)
        c->raw_ratio = row->mean[1] / row->mean[0];
    double width = width_of(m, row);
    if (!row->bounded && has_ratio(row) && m->out->design == TK_DESIGN_FRAMES && row->error > 0)
        c->within = row->logs ? expm1(width) : width;
    if (!row->bounded && has_ratio(row) && m->out->design == TK_DESIGN_RUNS) {
        c->low = ratio_of(row, row->delta - width);
        c->high = ratio_of(row, row->delta + width);
    }
    const double least = fabs(row->other) < fabs(row->delta) ? row->other : row->delta;
    c->verdict = (uint8_t)tk_matrix_confirm(m, decide(m, row, width), row->logs ? least : log_of(least));
    if (row->metric)
        c->verdict = (uint8_t)verdict_of_metric(row->metric, (enum tk_verdict)c->verdict);
    if (row->waits && c->verdict == TK_INCONCLUSIVE)
        c->verdict = TK_UNCHANGED;
    if (c->verdict == TK_UNCHANGED && find_stalls(m, row, c))
        return -1;
    if (c->verdict == TK_INCONCLUSIVE && !c->stalls)
        tk_change_need_runs(m, c, tk_matrix_runs_needed(m, row->n, row->error, margin_of(m, row)));
    if ((c->verdict == TK_REGRESSED || c->verdict == TK_IMPROVED) && row->any->kind == TK_SERIES_SAMPLES &&
        tk_matrix_lacks_symbols(m, row))
        c->verdict = TK_INCONCLUSIVE;
    if (c->verdict != TK_UNCHANGED && tk_series_has_calls(row->any->kind))
        tk_change_draw_spark(m, row, c);
    m->out->tested++;
    return 0;
}

/* Values that are one and the same in all runs cannot be a change, however the runs are dealt to the sides:
 * they are no test that others have to be adjusted for (Tarone). Metrics and counters have many of them. */
static bool is_tested(const struct tk_row *row)
{
    return !(row->freedom > 0 && row->squares <= 0 && row->delta <= 0 && row->delta >= 0);
}

/* Adjusts chances kind by kind. */
static int adjust(struct tk_matrix *m)
{
    double *p = malloc((m->rows.n + 1) * sizeof *p);
    size_t *order = malloc((m->rows.n + 1) * 2 * sizeof *order), *which = order + m->rows.n + 1;
    for (unsigned kind = 0; kind < TK_ROW_KINDS && p && order; kind++) {
        size_t n = 0;
        for (size_t i = 0; i < m->rows.n; i++)
            if (m->rows.v[i].any->kind == kind && tk_row_counts(m, &m->rows.v[i]) && !m->rows.v[i].waits) {
                m->rows.v[i].adjusted = m->rows.v[i].p;
                if (!is_tested(&m->rows.v[i]))
                    continue;
                which[n] = i;
                p[n++] = m->rows.v[i].p;
            }
        tk_probability_adjust(p, n, order);
        for (size_t i = 0; i < n; i++)
            m->rows.v[which[i]].adjusted = p[i];
    }
    int rc = p && order ? 0 : -1;
    free(p);
    free(order);
    return rc;
}

/* Timers that only one side has. */
static int judge_alone(struct tk_matrix *m, struct tk_row *row)
{
    bool base = tk_row_in_any(m, row, TK_SIDE_BASE);
    if (!tk_series_has_calls(row->any->kind) || base == tk_row_in_any(m, row, TK_SIDE_CANDIDATE))
        return 0;
    struct tk_change *c = tk_change_new(m, row);
    if (!c)
        return -1;
    c->verdict = base ? TK_REMOVED : TK_ADDED;
    tk_change_draw_spark(m, row, c);
    return 0;
}

/* Frames and errors of the log on a side, without those of the warm-up. */
static void count_errors(const struct tk_matrix *m, const struct tk_row *row, int side, double *frames,
                         double *errors)
{
    *frames = *errors = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct tk_base_run *run = m->runs[r];
        if (m->side[r] != side)
            continue;
        *frames += (double)(run->frames.n - run->starts[m->skip[r]]);
        *errors += row->of[r] && !m->skip[r] ? (double)row->of[r]->count : 0;
        for (size_t b = m->skip[r]; row->of[r] && m->skip[r] && b < run->n_blocks; b++)
            *errors += row->of[r]->blocks[b];
    }
}

/* Errors of the log are counted: is the share of the candidate what its frames give it? */
static int judge_errors(struct tk_matrix *m, struct tk_row *row)
{
    double frames[2], errors[2];
    for (int s = 0; s < 2; s++)
        count_errors(m, row, s, &frames[s], &errors[s]);
    uint64_t n[2] = {tk_saturate_u64(errors[0]), tk_saturate_u64(errors[1])};
    double share = frames[1] / (frames[0] + frames[1]);
    struct tk_change *c = tk_change_new(m, row);
    if (!c)
        return -1;
    c->tested = true;
    c->p = tk_probability_split(n[1], n[0], share);
    c->baseline = (double)n[0] / (double)m->out->runs[0];
    c->candidate = (double)n[1] / (double)m->out->runs[1];
    c->unit = "messages/run";
    if (c->p <= m->out->setup.chance)
        c->verdict = (uint8_t)tk_matrix_confirm(m, c->candidate > c->baseline ? TK_REGRESSED : TK_IMPROVED,
                                                log(c->candidate / c->baseline));
    m->out->tested++;
    return 0;
}

/* ---- all ---- */

static int judge_rows(struct tk_matrix *m)
{
    int rc = adjust(m);
    for (size_t i = 0; i < m->rows.n && rc == 0; i++) {
        struct tk_row *row = &m->rows.v[i];
        if (row->waits)
            row->adjusted = row->p;
        if (row->any->kind == TK_SERIES_LOG)
            rc = judge_errors(m, row);
        else
            rc = tk_row_counts(m, row) ? judge_row(m, row) : judge_alone(m, row);
    }
    return rc;
}

int tk_matrix_judge(struct tk_matrix *m, struct tk_err *err)
{
    struct tk_comparison *out = m->out;
    int rc = tk_matrix_judge_frames(m, err);
    if (rc == TK_OK && judge_rows(m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        tk_matrix_explain_paths(m);
    if (rc == TK_OK && (tk_matrix_explain_functions(m) || tk_matrix_explain_places(m)))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        rc = tk_matrix_rename(m, err);
    if (rc == TK_OK && tk_matrix_list_paths(m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc < 0)
        return rc;
    rc = tk_matrix_judge_common(m, err);
    if (rc < 0)
        return rc;
    tk_matrix_sort(m);
    tk_matrix_explain(m);
    tk_matrix_explain_common(m);
    for (size_t i = 0; i < out->changes.n; i++) {
        out->worse |= out->changes.v[i].verdict == TK_REGRESSED;
        out->unsure |= out->changes.v[i].verdict == TK_INCONCLUSIVE &&
                       out->changes.v[i].kind != TK_CHANGE_SMOOTHNESS; /* of few runs never decided */
    }
    return TK_OK;
}
