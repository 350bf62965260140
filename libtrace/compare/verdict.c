/*
 * Verdicts. See compare.h and matrix.h.
 *
 * Regressed or improved: the chance, adjusted for the number of tests of the kind (Benjamini-Hochberg), is
 * small, and the change passes the relative and the absolute floor, by the plain and by the robust value.
 * Unchanged: the interval lies inside the floors. Inconclusive: neither.
 */
#include "compare/chance.h"
#include "compare/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL        0.05 /* of intervals */
#define POWER        2.8  /* errors between nothing and what is found eight times in ten */
#define MOST_RUNS    999
#define BUSY_FLOOR   2.5 /* times the floor of timers */
#define RANKED_LEAST 5   /* runs a side */
#define RANKED_MOST  64

const char *tk_verdict_name(enum tk_verdict verdict)
{
    static const char *const names[] = {"unchanged", "inconclusive", "improved", "regressed",
                                        "added",     "removed",      "renamed"};
    return names[verdict];
}

const char *tk_change_kind_name(enum tk_change_kind kind)
{
    static const char *const names[] = {"frame", "hitches", "thread", "timer", "path",
                                        "gpu",   "counter", "memory", "log",   "loading"};
    return names[kind];
}

static const struct {
    uint8_t change;
    const char *unit;
} kinds[TK_ROW_KINDS] = {
    [TK_SERIES_TIMER] = {TK_CHANGE_TIMER, "ms/frame"}, [TK_SERIES_GPU] = {TK_CHANGE_GPU, "ms/frame"},
    [TK_SERIES_COUNTER] = {TK_CHANGE_COUNTER, ""},     [TK_SERIES_MEMORY] = {TK_CHANGE_MEMORY, "bytes"},
    [TK_SERIES_LOG] = {TK_CHANGE_LOG, "messages"},     [TK_SERIES_LOADING] = {TK_CHANGE_LOADING, "ms"},
    [TK_SERIES_BUSY] = {TK_CHANGE_THREAD, "ms/frame"}, [TK_SERIES_PATH] = {TK_CHANGE_PATH, "ms/frame"},
    [TK_SERIES_GROWTH] = {TK_CHANGE_MEMORY, "bytes"},
};

/* ---- what reports show beside the verdict ---- */

static double frames_of(const struct tk_matrix *m, int side)
{
    double n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        n += m->side[r] == side ? (double)m->runs[r]->frames.n : 0;
    return n;
}

static double calls_of(const struct tk_matrix *m, const struct tk_row *row, int side)
{
    double n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        n += m->side[r] == side && row->of[r] ? (double)row->of[r]->count : 0;
    return n;
}

/* Time of all calls. */
static double ms_of(const struct tk_matrix *m, const struct tk_row *row, int side)
{
    double ms = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        ms += m->side[r] == side && row->of[r] ? tk_base_ms(m->runs[r], (double)row->of[r]->total) : 0;
    return ms;
}

/* Buckets of the calls of both sides in steps of half an octave around the middle of the baseline's. */
static void draw_spark(const struct tk_matrix *m, const struct tk_row *row, struct tk_change *c)
{
    double sums[2][TK_SPARK] = {{0}}, most = 0, center = 0;
    for (size_t r = 0; r < m->n_runs && center <= 0; r++)
        if (row->of[r] && row->of[r]->sketch.n) {
            uint64_t n = tk_sketch_count(&row->of[r]->sketch);
            uint64_t value = tk_sketch_ranked(&row->of[r]->sketch, tk_sketch_rank(n, 50, 100));
            center = tk_base_ms(m->runs[r], (double)value);
        }
    for (size_t r = 0; r < m->n_runs && center > 0; r++) {
        const struct tk_series *s = row->of[r];
        for (uint32_t i = 0; s && m->side[r] < 2 && i < s->sketch.n; i++) {
            double ms = tk_base_ms(m->runs[r], (double)tk_sketch_value(TK_SKETCH_CALLS, s->sketch.first + i));
            double at = ms > 0 ? floor(log2(ms / center) * 2 + TK_SPARK / 2.0) : 0;
            at = at < 0 ? 0 : at > TK_SPARK - 1 ? TK_SPARK - 1 : at;
            sums[m->side[r]][(int)at] += (double)tk_sketch_count_at(&s->sketch, s->sketch.first + i);
        }
    }
    for (int s = 0; s < 2; s++) {
        most = 0;
        for (int i = 0; i < TK_SPARK; i++)
            most = sums[s][i] > most ? sums[s][i] : most;
        for (int i = 0; i < TK_SPARK; i++)
            c->spark[s][i] = (uint16_t)(most > 0 ? ceil(sums[s][i] / most * 1000) : 0);
    }
}

static const struct tk_str *keep(struct tk_matrix *m, const struct tk_str *text)
{
    return tk_intern(&m->out->names, text->p, text->n, (enum tk_encoding)text->enc);
}

static struct tk_change *new_change(struct tk_matrix *m, struct tk_row *row)
{
    const struct tk_series *s = row->any;
    struct tk_change c = {.kind = kinds[s->kind].change,
                          .unit = kinds[s->kind].unit,
                          .line = s->line,
                          .waits = row->waits,
                          .ratio = NAN,
                          .low = NAN,
                          .high = NAN,
                          .p = NAN,
                          .per_call = {NAN, NAN}};
    c.name = keep(m, s->name);
    c.group = s->kind == TK_SERIES_BUSY ? tk_intern_c(&m->out->names, "") : keep(m, s->group);
    c.file = keep(m, s->file);
    c.baseline = tk_row_in_any(m, row, TK_SIDE_BASE) ? row->mean[0] : NAN;
    c.candidate = tk_row_in_any(m, row, TK_SIDE_CANDIDATE) ? row->mean[1] : NAN;
    c.metric = s->kind == TK_SERIES_MEMORY ? "peak" : s->kind == TK_SERIES_GROWTH ? "growth" : NULL;
    for (int side = 0; side < 2 && tk_series_has_calls(s->kind); side++) {
        double calls = calls_of(m, row, side);
        c.calls[side] = calls / frames_of(m, side);
        c.per_call[side] = calls > 0 ? ms_of(m, row, side) / calls : NAN;
    }
    if (!c.name || !c.group || !c.file)
        return NULL;
    row->change = m->out->changes.n;
    return tk_vec_push(&m->out->changes, c) ? NULL : &m->out->changes.v[row->change];
}

/* ---- verdicts ---- */

/* The change as a factor. */
static double ratio_of(const struct tk_row *row, double delta)
{
    double ratio = row->logs ? exp(delta) : 1 + delta;
    return ratio > 0 ? ratio : 0;
}

/* Classes of threads are there for what many small changes come to, which has to be more than one of them. */
static double ratio_floor(const struct tk_matrix *m, const struct tk_row *row)
{
    return m->out->setup.floor_ratio * (row->any->kind == TK_SERIES_BUSY ? BUSY_FLOOR : 1);
}

/* The floor as a difference of y. */
static double margin_of(const struct tk_matrix *m, const struct tk_row *row)
{
    double floor = tk_matrix_floor(m, row), mean = fabs(row->robust_mean[0]);
    double relative = ratio_floor(m, row), absolute = mean > 0 ? floor / mean : 0;
    return log1p(relative > absolute ? relative : absolute);
}

static bool passes(const struct tk_matrix *m, const struct tk_row *row, double ratio, double mean)
{
    return fabs(ratio - 1) >= ratio_floor(m, row) && fabs(ratio - 1) * mean >= tk_matrix_floor(m, row);
}

static double side_factor(const struct tk_matrix *m, int side)
{
    double sum = 0, n = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] == side) {
            sum += m->factor[r];
            n++;
        }
    return n > 0 ? sum / n : 0;
}

/* The plain change with the machine taken out. */
static double raw_ratio(const struct tk_matrix *m, const struct tk_row *row)
{
    bool times = tk_kind_is_time(row->any->kind) && row->any->kind != TK_SERIES_GPU;
    double machine = times ? exp(side_factor(m, 1) - side_factor(m, 0)) : 1;
    return row->mean[0] != 0 ? row->mean[1] / row->mean[0] / machine : INFINITY;
}

/* Where there are enough runs, their ranks have to agree: one wild run is no change. */
static bool ranks_agree(const struct tk_matrix *m, const struct tk_row *row)
{
    double y[2][RANKED_MOST];
    size_t n[2] = {0};
    if (m->out->runs[0] < RANKED_LEAST || m->out->runs[1] < RANKED_LEAST)
        return true;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] < 2 && n[m->side[r]] < RANKED_MOST)
            y[m->side[r]][n[m->side[r]]++] = row->y[r];
    return tk_chance_ranks(y[0], n[0], y[1], n[1]) <= LEVEL;
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

static enum tk_verdict decide(const struct tk_matrix *m, const struct tk_row *row, double width)
{
    if (row->any->kind == TK_SERIES_GROWTH)
        return decide_growth(m, row, width);
    double ratio = ratio_of(row, row->delta), raw = raw_ratio(m, row), margin = margin_of(m, row);
    bool same = (ratio > 1) == (raw > 1);
    double base = fabs(row->robust_mean[0]);
    /* how long loading takes is told by nothing that one run has */
    if (row->any->kind == TK_SERIES_LOADING && m->out->design == TK_DESIGN_FRAMES)
        return passes(m, row, ratio, base) ? TK_INCONCLUSIVE : TK_UNCHANGED;
    if (row->adjusted <= m->out->setup.chance && same && passes(m, row, ratio, base) &&
        passes(m, row, raw, fabs(row->mean[0])) && ranks_agree(m, row))
        return ratio > 1 ? TK_REGRESSED : TK_IMPROVED;
    if (fabs(row->delta) + width <= margin || row->p >= 1)
        return TK_UNCHANGED;
    return row->adjusted <= m->out->setup.chance && fabs(row->delta) < margin ? TK_UNCHANGED
                                                                              : TK_INCONCLUSIVE;
}

static unsigned runs_needed(const struct tk_matrix *m, const struct tk_row *row)
{
    double n0 = (double)m->out->runs[0], n1 = (double)m->out->runs[1];
    double one = row->error / sqrt(1 / n0 + 1 / n1);
    double n = ceil(2 * pow(POWER * one / margin_of(m, row), 2)) + 1;
    if (m->out->design != TK_DESIGN_RUNS || !(n > 0) || n > MOST_RUNS)
        return 0;
    n = n > n0 ? n : n0 + 1;
    return (unsigned)n;
}

/* Many rows have the same degrees of freedom, and the limit is dear. */
static double width_of(struct tk_matrix *m, const struct tk_row *row)
{
    if (!(row->error > 0))
        return 0;
    if (row->df < m->limit_df || row->df > m->limit_df) {
        m->limit = tk_chance_t_limit(LEVEL, row->df);
        m->limit_df = row->df;
    }
    return m->limit * row->error;
}

static int judge_row(struct tk_matrix *m, struct tk_row *row)
{
    struct tk_change *c = new_change(m, row);
    if (!c)
        return -1;
    c->tested = true;
    c->p = row->adjusted;
    bool growth = row->any->kind == TK_SERIES_GROWTH;
    c->ratio = growth ? NAN : ratio_of(row, row->delta);
    double width = width_of(m, row);
    if (!growth && (m->out->design == TK_DESIGN_RUNS || row->error > 0 || row->p <= 0)) {
        c->low = ratio_of(row, row->delta - width);
        c->high = ratio_of(row, row->delta + width);
    }
    c->verdict = (uint8_t)decide(m, row, width);
    if (row->waits && c->verdict == TK_INCONCLUSIVE)
        c->verdict = TK_UNCHANGED;
    if (c->verdict == TK_INCONCLUSIVE)
        c->runs = runs_needed(m, row);
    if (c->verdict != TK_UNCHANGED && tk_series_has_calls(row->any->kind))
        draw_spark(m, row, c);
    m->out->tested++;
    return 0;
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
                which[n] = i;
                p[n++] = m->rows.v[i].p;
            }
        tk_chance_adjust(p, n, order);
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
    struct tk_change *c = new_change(m, row);
    if (!c)
        return -1;
    c->verdict = base ? TK_REMOVED : TK_ADDED;
    draw_spark(m, row, c);
    return 0;
}

/* Errors of the log are counted: is the share of the candidate what its frames give it? */
static int judge_errors(struct tk_matrix *m, struct tk_row *row)
{
    uint64_t n[2] = {(uint64_t)calls_of(m, row, 0), (uint64_t)calls_of(m, row, 1)};
    double share = frames_of(m, 1) / (frames_of(m, 0) + frames_of(m, 1));
    struct tk_change *c = new_change(m, row);
    if (!c)
        return -1;
    c->tested = true;
    c->p = tk_chance_split(n[1], n[0], share);
    c->baseline = (double)n[0] / (double)m->out->runs[0];
    c->candidate = (double)n[1] / (double)m->out->runs[1];
    c->unit = "messages/run";
    if (c->p <= m->out->setup.chance)
        c->verdict = c->candidate > c->baseline ? TK_REGRESSED : TK_IMPROVED;
    m->out->tested++;
    return 0;
}

/* ---- all ---- */

static int by_importance(const void *a, const void *b)
{
    static const uint8_t rank[TK_VERDICTS] = {6, 5, 1, 0, 2, 3, 4};
    const struct tk_change *x = a, *y = b;
    double u = fabs(tk_change_size(x)), v = fabs(tk_change_size(y));
    int c = (x->kind > y->kind) - (x->kind < y->kind);
    c = c ? c : (rank[x->verdict] > rank[y->verdict]) - (rank[x->verdict] < rank[y->verdict]);
    c = c || x->kind == TK_CHANGE_FRAME ? c : (u < v) - (u > v);
    c = c ? c : tk_str_order(x->group, y->group);
    c = c ? c : tk_str_order(x->name, y->name);
    return c ? c : tk_str_order(x->file, y->file);
}

static void judge_machine(struct tk_matrix *m)
{
    struct tk_row row = {0};
    m->out->machine = exp(side_factor(m, 1) - side_factor(m, 0));
    m->out->machine_p = NAN;
    tk_matrix_spread(m, m->factor, &row);
    if (row.error > 0)
        m->out->machine_p = tk_chance_t(row.delta / row.error, row.df);
}

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

static int by_path(const void *a, const void *b)
{
    const struct tk_comparison_path *x = a, *y = b;
    int c = tk_str_order(x->group, y->group);
    return c ? c : tk_str_order(x->text, y->text);
}

static int list_paths(struct tk_matrix *m)
{
    for (size_t i = m->n_sorted; i < m->rows.n; i++) {
        const struct tk_row *row = &m->rows.v[i];
        struct tk_comparison_path p = {.us = {row->mean[0] * 1e3, row->mean[1] * 1e3}};
        if (!row->leaf)
            continue;
        p.group = keep(m, row->any->group);
        p.text = keep(m, row->any->name);
        if (!p.group || !p.text || tk_vec_push(&m->out->paths, p))
            return -1;
    }
    if (m->out->paths.n)
        qsort(m->out->paths.v, m->out->paths.n, sizeof *m->out->paths.v, by_path);
    return 0;
}

int tk_matrix_judge(struct tk_matrix *m, struct tk_err *err)
{
    struct tk_comparison *out = m->out;
    int rc = tk_matrix_judge_frames(m, err);
    if (rc == TK_OK && judge_rows(m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        tk_matrix_explain_paths(m);
    if (rc == TK_OK)
        rc = tk_matrix_rename(m, err);
    if (rc == TK_OK && list_paths(m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc < 0)
        return rc;
    judge_machine(m);
    qsort(out->changes.v, out->changes.n, sizeof *out->changes.v, by_importance);
    tk_matrix_explain(m);
    for (size_t i = 0; i < out->changes.n; i++) {
        out->worse |= out->changes.v[i].verdict == TK_REGRESSED;
        out->unsure |= out->changes.v[i].verdict == TK_INCONCLUSIVE;
    }
    return TK_OK;
}
