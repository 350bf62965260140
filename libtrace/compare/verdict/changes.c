/*
 * Fills what reports show of a row alongside its verdict, and sorts the changes. verdict.c calls it once the
 * verdicts are known.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "compare/baseline/block_walk.h"
#include "compare/verdict/matrix.h"
#include "judge/timer_key.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds renamed timers: a timer of the baseline only and one of the candidate only are the same if they run
 * on the same class of threads, are called as often, take as long, and each is the other's only such match.
 * verdict.c calls it.
 */

#define SAME_TIME  0.1  /* of robust own time */
#define SAME_CALLS 0.05 /* of calls a frame */
#define LEAST_MS   0.005
#define MOST_ALIKE 4096

static bool near(double a, double b, double share)
{
    return a > 0 && b > 0 && fabs(a - b) <= share * (a > b ? a : b);
}

static struct tk_change *change_of(const struct tk_matrix *m, const struct tk_row *row,
                                   enum tk_verdict verdict)
{
    struct tk_change *c = row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
    return c && c->verdict == verdict && c->kind == TK_CHANGE_TIMER ? c : NULL;
}

static bool match(const struct tk_matrix *m, const struct tk_row *gone, const struct tk_row *fresh)
{
    const struct tk_change *a = change_of(m, gone, TK_REMOVED), *b = change_of(m, fresh, TK_ADDED);
    return a && b && a->group == b->group &&
           tk_timer_class_of(gone->any->timer_kind) == tk_timer_class_of(fresh->any->timer_kind) &&
           gone->robust_mean[0] >= LEAST_MS && near(gone->robust_mean[0], fresh->robust_mean[1], SAME_TIME) &&
           near(a->calls[0], b->calls[1], SAME_CALLS);
}

/* A timer that only one side has. */
struct lone {
    uintptr_t group; /* as a number: any order will do */
    double ms;
    struct tk_row *row;
};

struct lones {
    struct lone *v; /* owned; by group and time */
    size_t n;
};

static int by_time_renames(const void *a, const void *b)
{
    const struct lone *x = a, *y = b;
    int c = (x->group > y->group) - (x->group < y->group);
    return c ? c : (x->ms > y->ms) - (x->ms < y->ms);
}

static int gather(struct lones *out, struct tk_matrix *m, int side)
{
    out->v = malloc((m->rows.n + 1) * sizeof *out->v);
    for (size_t i = 0; out->v && i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        const struct tk_change *c = change_of(m, row, side ? TK_ADDED : TK_REMOVED);
        if (c)
            out->v[out->n++] = (struct lone){(uintptr_t)c->group, row->robust_mean[side], row};
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_time_renames);
    return out->v ? 0 : -1;
}

/* The only match of a timer on the other side; NULL where there is none, or more, or so many that take as
 * long that nobody could tell. */
static struct tk_row *only(const struct tk_matrix *m, const struct lone *of, const struct lones *others,
                           bool gone)
{
    struct tk_row *found = NULL;
    const double least = of->ms * (1 - 2 * SAME_TIME), most = of->ms * (1 + 2 * SAME_TIME);
    size_t at;
    TK_SEARCH(at, others->n,
              others->v[at].group < of->group ||
                  (others->v[at].group == of->group && others->v[at].ms < least));
    for (size_t i = at; i < others->n && others->v[i].group == of->group && others->v[i].ms <= most; i++) {
        struct tk_row *row = others->v[i].row;
        if (i - at >= MOST_ALIKE)
            return NULL;
        if (!(gone ? match(m, of->row, row) : match(m, row, of->row)))
            continue;
        if (found)
            return NULL;
        found = row;
    }
    return found;
}

static void pair(struct tk_matrix *m, const struct tk_row *gone, const struct tk_row *fresh)
{
    struct tk_change *a = &m->out->changes.v[gone->change], *b = &m->out->changes.v[fresh->change];
    a->verdict = TK_RENAMED;
    a->to = b->name;
    a->candidate = b->candidate;
    a->calls[1] = b->calls[1];
    a->per_call[1] = b->per_call[1];
    a->ratio = fresh->robust_mean[1] / gone->robust_mean[0];
    b->verdict = TK_VERDICTS; /* taken out below */
}

static void pair_all(struct tk_matrix *m, const struct lones *gone, const struct lones *fresh)
{
    for (size_t i = 0; i < gone->n; i++) {
        struct tk_row *row = only(m, &gone->v[i], fresh, true);
        const struct lone other = {gone->v[i].group, row ? row->robust_mean[1] : 0, row};
        if (row && only(m, &other, gone, false) == gone->v[i].row)
            pair(m, gone->v[i].row, row);
    }
}

int tk_matrix_rename(struct tk_matrix *m, struct tk_err *err)
{
    struct lones gone = {0}, fresh = {0};
    size_t n = 0;
    int rc = gather(&gone, m, 0) || gather(&fresh, m, 1) ? tk_err_nomem(err, "renamed timers") : TK_OK;
    if (rc == TK_OK)
        pair_all(m, &gone, &fresh);
    free(gone.v);
    free(fresh.v);
    for (size_t i = 0; i < m->out->changes.n; i++)
        if (m->out->changes.v[i].verdict != TK_VERDICTS)
            m->out->changes.v[n++] = m->out->changes.v[i];
    m->out->changes.n = n;
    return rc;
}

/*
 * Links changes to their causes, so that one change raises one alarm. verdict.c calls it once the verdicts
 * are known.
 *
 * A path that changes with its timer is named there; a class of threads that is busier because of its timers,
 * memory in all because of a tag, growth because of the peak, and loading in all because of an operation or a
 * package raise no alarm alongside them. Timers that wait, and values that repeat the frame time, move with
 * the others.
 */

#define EXPLAINS 0.5 /* of a change of a class of threads */
#define PATH_HAS 0.8 /* of the change of its timer */

double tk_change_size(const struct tk_change *c)
{
    return (isnan(c->candidate) ? 0 : c->candidate) - (isnan(c->baseline) ? 0 : c->baseline);
}

static bool is_change(const struct tk_change *c)
{
    return c->verdict == TK_REGRESSED || c->verdict == TK_IMPROVED || c->verdict == TK_ADDED ||
           c->verdict == TK_REMOVED;
}

/* The greatest change of a timer in the direction of `sign` (0: any), of a class of threads where given; all
 * together in *sum. */
static struct tk_change *find_cause(const struct tk_comparison *out, const struct tk_str *group, int sign,
                                    double *sum)
{
    struct tk_change *found = NULL;
    *sum = 0;
    for (size_t i = 0; i < out->changes.n; i++) {
        struct tk_change *c = &out->changes.v[i];
        if (c->kind != TK_CHANGE_TIMER || c->waits || !is_change(c) ||
            (group && tk_str_order(group, c->group)))
            continue;
        *sum += tk_change_size(c);
        if ((sign == 0 || tk_change_size(c) * sign > 0) &&
            (!found || fabs(tk_change_size(c)) > fabs(tk_change_size(found))))
            found = c;
    }
    return found;
}

/* Does a counter tell the frame time or the frame rate, by its name? */
static bool follows_frames(const struct tk_change *c)
{
    static const char *const words[] = {"fps",        "framems",  "frametime", "frame ms",  "frame time",
                                        "frame_time", "frame_ms", "framerate", "frame rate"};
    for (size_t i = 0; c->kind == TK_CHANGE_COUNTER && i < sizeof words / sizeof *words; i++)
        if (tk_name_has(c->name, words[i]))
            return true;
    return false;
}

/* An alarm of the same kind and direction, in another group. */
static const struct tk_change *find_deeper(const struct tk_comparison *out, const struct tk_change *of)
{
    const struct tk_change *found = NULL;
    for (size_t i = 0; i < out->changes.n; i++) {
        const struct tk_change *c = &out->changes.v[i];
        if (c->kind != of->kind || c->verdict != of->verdict || c->cause || c == of)
            continue;
        bool deeper = c->kind == TK_CHANGE_LOADING ? tk_str_order(c->group, of->group) > 0 : c->group->n > 0;
        if (deeper && (!found || fabs(tk_change_size(c)) > fabs(tk_change_size(found))))
            found = c;
    }
    return found;
}

/* The alarm about the most of the memory whose growth this is. */
static const struct tk_change *find_peak(const struct tk_comparison *out, const struct tk_change *growth)
{
    for (size_t i = 0; i < out->changes.n; i++) {
        const struct tk_change *c = &out->changes.v[i];
        if (c != growth && c->kind == TK_CHANGE_MEMORY && c->verdict == growth->verdict &&
            c->name == growth->name && c->group == growth->group && c->metric != growth->metric)
            return c;
    }
    return NULL;
}

static void explain_memory(struct tk_comparison *out, struct tk_change *c)
{
    const struct tk_change *cause = c->metric[0] == 'g' ? find_peak(out, c) : NULL;
    if (!cause && c->group->n == 0)
        cause = find_deeper(out, c);
    c->cause = cause;
    if (cause)
        c->verdict = TK_UNCHANGED;
}

static void explain_thread(struct tk_comparison *out, struct tk_change *c, int sign)
{
    double sum;
    const struct tk_change *cause = find_cause(out, c->name, sign, &sum);
    if (!cause || sum / tk_change_size(c) < EXPLAINS)
        return;
    c->cause = cause;
    c->verdict = TK_UNCHANGED;
}

static void explain(struct tk_comparison *out, struct tk_change *c)
{
    double sum;
    int sign = c->verdict == TK_REGRESSED ? 1 : -1;
    if (c->verdict == TK_INCONCLUSIVE && c->kind == TK_CHANGE_FRAME && isfinite(c->ratio))
        c->cause = find_cause(out, NULL, c->ratio > 1 ? 1 : -1, &sum);
    if (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED)
        return;
    if (c->waits || follows_frames(c)) {
        c->cause = find_cause(out, NULL, 0, &sum);
        c->verdict = TK_UNCHANGED;
    } else if (c->kind == TK_CHANGE_THREAD) {
        explain_thread(out, c, sign);
    } else if (c->kind == TK_CHANGE_MEMORY) {
        explain_memory(out, c);
    } else if (c->kind == TK_CHANGE_LOADING) {
        c->cause = find_deeper(out, c);
        if (c->cause)
            c->verdict = TK_UNCHANGED;
    } else if (c->kind == TK_CHANGE_FRAME || c->kind == TK_CHANGE_HITCH) {
        c->cause = find_cause(out, NULL, sign, &sum);
    }
}

/* ---- paths ---- */

static struct tk_change *explain_change_of(const struct tk_matrix *m, const struct tk_row *row)
{
    return row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
}

/* The row of the timer that a path ends in: rows of timers are sorted. */
static const struct tk_row *timer_of_explain(const struct tk_matrix *m, const struct tk_row *path)
{
    size_t at;
    TK_SEARCH(at, m->n_sorted, tk_series_compare(m->rows.v[at].any, path->leaf) < 0);
    return at < m->n_sorted && tk_series_compare(m->rows.v[at].any, path->leaf) == 0 ? &m->rows.v[at] : NULL;
}

void tk_matrix_explain_paths(struct tk_matrix *m)
{
    for (size_t i = m->n_sorted; i < m->rows.n; i++) {
        const struct tk_row *row = &m->rows.v[i];
        const struct tk_row *timer = row->leaf ? timer_of_explain(m, row) : NULL;
        struct tk_change *own = explain_change_of(m, row), *c = timer ? explain_change_of(m, timer) : NULL;
        if (!c || (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED))
            continue;
        double share = (row->mean[1] - row->mean[0]) / (timer->mean[1] - timer->mean[0]);
        if (share >= PATH_HAS)
            c->path = tk_intern(&m->out->names, row->any->name->p, row->any->name->n,
                                (enum tk_encoding)row->any->name->enc);
        if (own && own->verdict == c->verdict) {
            own->verdict = TK_UNCHANGED;
        }
    }
}

void tk_matrix_explain(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->out->changes.n; i++)
        explain(m->out, &m->out->changes.v[i]);
}

const char *tk_verdict_name(enum tk_verdict verdict)
{
    static const char *const names[] = {"unchanged", "inconclusive", "improved", "regressed", "added",
                                        "removed",   "renamed",      "moved",    "changed"};
    return names[verdict];
}

bool tk_change_kind_is_owned(unsigned kind)
{
    return kind == TK_CHANGE_TIMER || kind == TK_CHANGE_THREAD || kind == TK_CHANGE_GPU ||
           kind == TK_CHANGE_PATH || kind == TK_CHANGE_FUNCTION;
}

const char *tk_change_kind_name(enum tk_change_kind kind)
{
    static const char *const names[] = {"frame",   "hitches",    "thread", "timer",   "path",     "gpu",
                                        "counter", "memory",     "log",    "loading", "function", "common",
                                        "added",   "smoothness", "metric", "cell"};
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
    [TK_SERIES_METRIC] = {TK_CHANGE_METRIC, ""},       [TK_SERIES_CELL] = {TK_CHANGE_CELL, "ms"},
};

/* ---- what reports show alongside the verdict ---- */

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
        if (row->of[r] && tk_series_says_calls(row->of[r])) {
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

/* "update (npc.cpp)" */
static const struct tk_str *name_with_file(struct tk_matrix *m, const struct tk_series *s)
{
    char text[512];
    const int n = snprintf(text, sizeof text, "%.*s (%.*s)", s->name->n < 300 ? (int)s->name->n : 300,
                           s->name->p, s->file->n < 200 ? (int)s->file->n : 200, s->file->p);
    return tk_intern(&m->out->names, text, (size_t)n, (enum tk_encoding)s->name->enc);
}

/* With a NUL; what reports scale by themselves and have no words for is as in other series. */
static const char *unit_of_metric(struct tk_matrix *m, const struct tk_str *unit)
{
    static const char *const known[][2] = {
        {"count", ""}, {"ratio", ""}, {"percent", "%"}, {"per_minute", "1/min"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (unit->n == strlen(known[i][0]) && memcmp(unit->p, known[i][0], unit->n) == 0)
            return known[i][1];
    char *copy = tk_arena_bytes(&m->out->units, unit->n + 1);
    if (copy) {
        memcpy(copy, unit->p, unit->n);
        copy[unit->n] = '\0';
    }
    return copy;
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
                          .within = NAN,
                          .per_call = {NAN, NAN}};
    if (strcmp(c.unit, "ms/frame") == 0)
        c.unit = m->out->unit_time;
    if (row->metric && s->kind == TK_SERIES_METRIC)
        c.unit = unit_of_metric(m, row->metric->unit);
    c.name = row->by_file ? name_with_file(m, s) : keep_changes(m, s->name);
    c.group = s->kind == TK_SERIES_BUSY ? tk_intern_c(&m->out->names, "") : keep_changes(m, s->group);
    c.file = keep_changes(m, s->file);
    c.baseline = tk_row_in_any(m, row, TK_SIDE_BASE) ? row->mean[0] : NAN;
    c.candidate = tk_row_in_any(m, row, TK_SIDE_CANDIDATE) ? row->mean[1] : NAN;
    c.metric = s->kind == TK_SERIES_MEMORY   ? "peak"
               : s->kind == TK_SERIES_GROWTH ? "growth"
               : s->kind == TK_SERIES_CELL   ? "p95"
               : row->increases              ? "increase"
                                             : NULL;
    for (int side = 0; side < 2 && tk_series_has_calls(s->kind); side++) {
        double calls = m->out->torn[side] ? NAN : calls_of(m, row, side);
        c.calls[side] = calls / frames_of(m, side);
        c.per_call[side] = calls > 0 ? ms_of(m, row, side) / calls : NAN;
    }
    if (!c.unit || !c.name || !c.group || !c.file ||
        (row->raw && tk_change_keep_values(m, &c, row->raw, row)))
        return NULL;
    row->change = m->out->changes.n;
    return tk_vec_push(&m->out->changes, c) ? NULL : &m->out->changes.v[row->change];
}

static int by_importance(const void *a, const void *b)
{
    static const uint8_t rank[TK_VERDICTS] = {8, 7, 1, 0, 3, 4, 5, 6, 2};
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
