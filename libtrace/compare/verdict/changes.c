/*
 * Fills what reports show of a row beside its verdict, and sorts the changes. verdict.c calls it once the
 * verdicts are known.
 */
#include "base/text/text.h"
#include "compare/baseline/call_walk.h"
#include "compare/verdict/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *tk_verdict_name(enum tk_verdict verdict)
{
    static const char *const names[] = {"unchanged", "inconclusive", "improved", "regressed",
                                        "added",     "removed",      "renamed"};
    return names[verdict];
}

const char *tk_change_kind_name(enum tk_change_kind kind)
{
    static const char *const names[] = {"frame",    "hitches", "thread", "timer", "path",
                                        "gpu",      "counter", "memory", "log",   "loading",
                                        "function", "common",  "added"};
    return names[kind];
}

static const struct {
    uint8_t change;
    const char *unit;
} kinds[TK_ROW_KINDS] = {
    [TK_SERIES_TIMER] = {TK_CHANGE_TIMER, "ms/frame"}, [TK_SERIES_GPU] = {TK_CHANGE_GPU, "ms/frame"},
    [TK_SERIES_COUNTER] = {TK_CHANGE_COUNTER, ""},     [TK_SERIES_MEMORY] = {TK_CHANGE_MEMORY, "bytes"},
    [TK_SERIES_LOG] = {TK_CHANGE_LOG, "messages"},     [TK_SERIES_LOADING] = {TK_CHANGE_LOADING, "ms"},
    [TK_SERIES_SAMPLES] = {TK_CHANGE_FUNCTION, "%"},   [TK_SERIES_BUSY] = {TK_CHANGE_THREAD, "ms/frame"},
    [TK_SERIES_PATH] = {TK_CHANGE_PATH, "ms/frame"},   [TK_SERIES_GROWTH] = {TK_CHANGE_MEMORY, "bytes"},
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

/* Where the steps of half an octave begin, around the middle of the baseline's calls. */
static void find_steps(double center, double steps[TK_SPARK])
{
    const int middle = TK_SPARK / 2;
    for (int i = 0; i < TK_SPARK; i++)
        steps[i] = center * exp2((i - middle) / 2.0);
}

static double middle_call(const struct tk_matrix *m, const struct tk_row *row)
{
    double center = 0;
    for (size_t r = 0; r < m->n_runs && center <= 0; r++)
        if (row->of[r] && tk_series_tells_calls(row->of[r])) {
            const uint64_t n = tk_series_calls(row->of[r]);
            const uint64_t value = tk_series_call_ranked(row->of[r], tk_sketch_rank(n, 50, 100));
            center = tk_base_ms(m->runs[r], (double)value);
        }
    return center;
}

/* Adds the calls of a run, which come in the order of their lengths. */
static void add_calls(const struct tk_base_run *run, const struct tk_series *calls, const double *steps,
                      double *sums)
{
    struct tk_call_walk walk = tk_call_walk_of(calls);
    uint32_t bucket;
    uint64_t n;
    int at = 0;
    while (tk_call_walk_next(&walk, &bucket, &n)) {
        const double ms = tk_base_ms(run, (double)tk_sketch_value(TK_SKETCH_CALLS, bucket));
        while (at < TK_SPARK - 1 && ms >= steps[at + 1])
            at++;
        sums[at] += (double)n;
    }
}

void tk_change_draw_spark(const struct tk_matrix *m, const struct tk_row *row, struct tk_change *c)
{
    double sums[2][TK_SPARK] = {{0}}, steps[TK_SPARK], most;
    const double center = middle_call(m, row);
    find_steps(center, steps);
    for (size_t r = 0; r < m->n_runs && center > 0; r++)
        if (row->of[r] && m->side[r] < 2)
            add_calls(m->runs[r], row->of[r], steps, sums[m->side[r]]);
    for (int s = 0; s < 2; s++) {
        most = 0;
        for (int i = 0; i < TK_SPARK; i++)
            most = sums[s][i] > most ? sums[s][i] : most;
        for (int i = 0; i < TK_SPARK; i++)
            c->spark[s][i] = (uint16_t)(most > 0 ? ceil(sums[s][i] / most * 1000) : 0);
    }
}

static const struct tk_str *keep_changes(struct tk_matrix *m, const struct tk_str *text)
{
    return tk_intern(&m->out->names, text->p, text->n, (enum tk_encoding)text->enc);
}

int tk_change_keep_values(struct tk_matrix *m, struct tk_change *c, const double *v, const struct tk_row *row)
{
    c->values = m->out->values.n + 1;
    for (size_t r = 0; r < m->n_runs; r++)
        if (tk_vec_push(&m->out->values, !row || tk_row_counts_run(row, r) ? v[r] : (double)NAN))
            return -1;
    return 0;
}

struct tk_change *tk_change_new(struct tk_matrix *m, struct tk_row *row)
{
    const struct tk_series *s = row->any;
    struct tk_change c = {.kind = kinds[s->kind].change,
                          .unit = kinds[s->kind].unit,
                          .line = s->line,
                          .waits = row->waits,
                          .bounded = row->bounded,
                          .raw_ratio = NAN,
                          .ratio = NAN,
                          .low = NAN,
                          .high = NAN,
                          .p = NAN,
                          .per_call = {NAN, NAN}};
    if (strcmp(c.unit, "ms/frame") == 0)
        c.unit = m->out->unit_time;
    c.name = keep_changes(m, s->name);
    c.group = s->kind == TK_SERIES_BUSY ? tk_intern_c(&m->out->names, "") : keep_changes(m, s->group);
    c.file = keep_changes(m, s->file);
    c.baseline = tk_row_in_any(m, row, TK_SIDE_BASE) ? row->mean[0] : NAN;
    c.candidate = tk_row_in_any(m, row, TK_SIDE_CANDIDATE) ? row->mean[1] : NAN;
    c.metric = s->kind == TK_SERIES_MEMORY ? "peak" : s->kind == TK_SERIES_GROWTH ? "growth" : NULL;
    for (int side = 0; side < 2 && tk_series_has_calls(s->kind); side++) {
        double calls = m->out->torn[side] ? NAN : calls_of(m, row, side);
        c.calls[side] = calls / frames_of(m, side);
        c.per_call[side] = calls > 0 ? ms_of(m, row, side) / calls : NAN;
    }
    if (!c.name || !c.group || !c.file || (row->raw && tk_change_keep_values(m, &c, row->raw, row)))
        return NULL;
    row->change = m->out->changes.n;
    return tk_vec_push(&m->out->changes, c) ? NULL : &m->out->changes.v[row->change];
}

static int by_importance(const void *a, const void *b)
{
    static const uint8_t rank[TK_VERDICTS] = {6, 5, 1, 0, 2, 3, 4};
    const struct tk_change *x = a, *y = b;
    double u = fabs(tk_change_size(x)), v = fabs(tk_change_size(y));
    int c = (y->kind == TK_CHANGE_COMMON) - (x->kind == TK_CHANGE_COMMON);
    c = c ? c : (x->kind > y->kind) - (x->kind < y->kind);
    c = c ? c : (rank[x->verdict] > rank[y->verdict]) - (rank[x->verdict] < rank[y->verdict]);
    c = c || x->kind == TK_CHANGE_FRAME ? c : (u < v) - (u > v);
    c = c ? c : tk_str_order(x->group, y->group);
    c = c ? c : tk_str_order(x->name, y->name);
    return c ? c : tk_str_order(x->file, y->file);
}

static int by_path(const void *a, const void *b)
{
    const struct tk_comparison_path *x = a, *y = b;
    int c = tk_str_order(x->group, y->group);
    return c ? c : tk_str_order(x->text, y->text);
}

int tk_matrix_list_paths(struct tk_matrix *m)
{
    for (size_t i = m->n_sorted; i < m->rows.n; i++) {
        const struct tk_row *row = &m->rows.v[i];
        struct tk_comparison_path p = {.us = {row->mean[0] * 1e3, row->mean[1] * 1e3}};
        if (!row->leaf)
            continue;
        p.group = keep_changes(m, row->any->group);
        p.text = keep_changes(m, row->any->name);
        if (!p.group || !p.text || tk_vec_push(&m->out->paths, p))
            return -1;
    }
    if (m->out->paths.n)
        qsort(m->out->paths.v, m->out->paths.n, sizeof *m->out->paths.v, by_path);
    return 0;
}

void tk_matrix_sort(struct tk_matrix *m)
{
    if (m->out->changes.n)
        qsort(m->out->changes.v, m->out->changes.n, sizeof *m->out->changes.v, by_importance);
}
