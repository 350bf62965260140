/*
 * Several captures side by side, in the order given: what the timers of each took (table `groups`), and what
 * became of them from the first to the last (table `trend`). Timers of captures are the same by kind, name
 * and base name of the file. See tracekit.h.
 */
#include "base/err.h"
#include "base/hash/hash.h"
#include "base/sort.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "base/wrap.h"
#include "table/cell.h"
#include "table/sink.h"
#include "tracekit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

enum { GROUP, TIMER, COUNT, INCL, TOTAL, EXCL, MEAN, FRAME_MEAN, KIND, COLUMNS };

static const struct tk_column group_columns[COLUMNS] = {
    [GROUP] = {"group", TK_TEXT, 0, NULL, "the capture"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "calls"},
    [INCL] = {"incl", TK_SPAN, 0, NULL, "time, calls inside a call of the same timer left out"},
    [TOTAL] = {"total", TK_SPAN, 0, NULL, "sum of the times of all calls"},
    [EXCL] = {"excl", TK_SPAN, 0, NULL, "own time"},
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean time of a call"},
    [FRAME_MEAN] = {"frame_mean", TK_MEAN, 0, NULL, "mean time in a game frame"},
    [KIND] = {"kind", TK_TEXT, 0, NULL, "kind of the timer"},
};

enum { RANK, T_TIMER, FIRST, LAST, CHANGE, LEAST, MOST, TREND, CAPTURES, MEASURE, T_KIND, T_COLUMNS };

static const struct tk_column trend_columns[T_COLUMNS] = {
    [RANK] = {"rank", TK_UINT, 0, NULL, "1: changed most from the first capture to the last"},
    [T_TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer"},
    [FIRST] = {"first", TK_MEAN, 0, NULL, "what it took in the first capture, see measure"},
    [LAST] = {"last", TK_MEAN, 0, NULL, "in the last one"},
    [CHANGE] = {"change", TK_REAL, 0, "%", "from first to last in percent of the first"},
    [LEAST] = {"least", TK_MEAN, TK_COL_SPARE, NULL, "in the capture where it took least"},
    [MOST] = {"most", TK_MEAN, TK_COL_SPARE, NULL, "in the capture where it took most"},
    [TREND] = {"trend", TK_TEXT, TK_COL_LEVELS, NULL,
               "a digit a capture: 0 where it took least to 9 where it took most"},
    [CAPTURES] = {"captures", TK_UINT, TK_COL_SPARE, NULL, "captures that have the timer"},
    [MEASURE] = {"measure", TK_TEXT, 0, NULL,
                 "frame: mean time in a game frame; capture: time in the capture, where one has no frames"},
    [T_KIND] = {"kind", TK_TEXT, TK_COL_SPARE, NULL, "kind of the timer"},
};

/* ---- what is kept ---- */

struct timer {
    const struct tk_str *kind, *name, *file;
};

/* A timer in a capture. */
struct cell {
    uint32_t capture, timer;
    uint64_t count;
    int64_t incl, total, excl;
    double frame_mean;
};

struct tk_trend {
    struct tk_intern strings;
    TK_VEC(const struct tk_str *) captures;
    TK_VEC(struct timer) timers;
    TK_VEC(struct cell) cells; /* capture after capture */
    struct tk_map by_timer;    /* what it is -> index in timers */
    struct tk_map by_place;    /* capture, timer -> index in cells */
    bool unframed;             /* a capture has calls, and none in a game frame */
    enum tk_unit unit;
};

int tk_trend_new(struct tk_trend **out, struct tk_err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? TK_OK : tk_err_nomem(err, "a trend");
}

void tk_trend_free(struct tk_trend *t)
{
    if (!t)
        return;
    tk_intern_release(&t->strings);
    tk_vec_release(&t->captures);
    tk_vec_release(&t->timers);
    tk_vec_release(&t->cells);
    tk_map_release(&t->by_timer);
    tk_map_release(&t->by_place);
    free(t);
}

/* ---- adding ---- */

enum { IN_TIMER, IN_KIND, IN_FILE, IN_COUNT, IN_INCL, IN_TOTAL, IN_EXCL, IN_FRAME_MEAN, IN_COLUMNS };

static const char *const wanted[IN_COLUMNS] = {"timer", "kind",  "file", "count",
                                               "incl",  "total", "excl", "frame_mean"};

static const struct tk_str *text_of_trend(struct tk_trend *t, const struct tk_cell *c)
{
    if (c->kind != TK_TEXT)
        return tk_intern_c(&t->strings, "");
    return tk_intern(&t->strings, c->v.p, c->n, (enum tk_encoding)c->enc);
}

/* The file without its folders. */
static const struct tk_str *base_of(struct tk_trend *t, const struct tk_cell *c)
{
    struct tk_cell base = *c;
    const char *p = c->v.p;
    for (uint32_t i = 0; c->kind == TK_TEXT && i < c->n; i++) {
        if (p[i] != '/' && p[i] != '\\')
            continue;
        base.v.p = p + i + 1;
        base.n = c->n - i - 1;
    }
    return text_of_trend(t, &base);
}

/* The index of a timer, or TK_MAP_NONE without memory. */
static uint32_t timer_of_trend(struct tk_trend *t, const struct tk_cell *row)
{
    struct timer timer = {text_of_trend(t, &row[IN_KIND]), text_of_trend(t, &row[IN_TIMER]),
                          base_of(t, &row[IN_FILE])};
    const uint64_t parts[] = {(uint64_t)(uintptr_t)timer.kind, (uint64_t)(uintptr_t)timer.name,
                              (uint64_t)(uintptr_t)timer.file};
    uint64_t key = tk_hash_bytes(parts, sizeof parts, 0);
    uint32_t at = tk_map_get(&t->by_timer, key);
    if (at != TK_MAP_NONE || !timer.kind || !timer.name || !timer.file)
        return at;
    at = (uint32_t)t->timers.n;
    return tk_map_put(&t->by_timer, key, at) || tk_vec_push(&t->timers, timer) ? TK_MAP_NONE : at;
}

static int add_row(struct tk_trend *t, const struct tk_cell *row)
{
    struct cell fresh = {.capture = (uint32_t)t->captures.n - 1, .timer = timer_of_trend(t, row)};
    uint64_t key = (uint64_t)fresh.capture << 32 | fresh.timer;
    uint32_t at = tk_map_get(&t->by_place, key);
    if (fresh.timer == TK_MAP_NONE)
        return -1;
    if (!row[IN_COUNT].v.u)
        return 0;
    if (at == TK_MAP_NONE) {
        at = (uint32_t)t->cells.n;
        if (tk_map_put(&t->by_place, key, at) || tk_vec_push(&t->cells, fresh))
            return -1;
    }
    struct cell *cell = &t->cells.v[at];
    cell->count += row[IN_COUNT].v.u;
    cell->incl = tk_wrap_add(cell->incl, row[IN_INCL].v.i);
    cell->total = tk_wrap_add(cell->total, row[IN_TOTAL].v.i);
    cell->excl = tk_wrap_add(cell->excl, row[IN_EXCL].v.i);
    cell->frame_mean += row[IN_FRAME_MEAN].kind == TK_NONE ? 0 : row[IN_FRAME_MEAN].v.r;
    return 0;
}

static int add_rows(struct tk_trend *t, const struct tk_result *result, struct tk_err *err)
{
    bool framed = false;
    size_t n;
    tk_result_table(result, 0, &n);
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *row = tk_result_row(result, 0, i);
        framed |= row[IN_FRAME_MEAN].kind != TK_NONE;
        if (add_row(t, row))
            return tk_err_nomem(err, "a trend");
    }
    t->unframed |= n && !framed;
    return TK_OK;
}

int tk_trend_add(struct tk_trend *t, struct tk_trace *trace, const char *name, const struct tk_query *query,
                 struct tk_err *err)
{
    static const char *const tables[] = {"timers"};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_result *result;
    q.tables = tables;
    q.n_tables = 1;
    q.columns = wanted;
    q.n_columns = IN_COLUMNS;
    q.unit = t->unit = query->unit;
    q.select = query->select;
    const struct tk_str *text = tk_intern(&t->strings, name, strlen(name), TK_ENC_UTF8);
    if (!text || tk_vec_push(&t->captures, text))
        return tk_err_nomem(err, "a trend");
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    struct tk_sink sink = tk_result_sink(result);
    rc = tk_query_run(trace, &q, &sink, err);
    if (rc >= 0)
        rc = add_rows(t, result, err);
    tk_result_free(result);
    return rc;
}

/* ---- groups ---- */

static void fill_group(const struct tk_trend *t, const struct cell *c, struct tk_cell row[COLUMNS])
{
    const struct timer *timer = &t->timers.v[c->timer];
    row[GROUP] = tk_cell_of_text(t->captures.v[c->capture]);
    row[TIMER] = tk_cell_of_text(timer->name);
    row[COUNT] = tk_cell_of_uint(c->count);
    row[INCL] = tk_cell_of_span(c->incl);
    row[TOTAL] = tk_cell_of_span(c->total);
    row[EXCL] = tk_cell_of_span(c->excl);
    row[MEAN] = tk_cell_of_mean((double)c->total / (double)c->count);
    row[FRAME_MEAN] = t->unframed ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_mean(c->frame_mean);
    row[KIND] = tk_cell_of_text(timer->kind);
}

static int by_time_trend(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->capture != y->capture)
        return x->capture < y->capture ? -1 : 1;
    return (x->incl < y->incl) - (x->incl > y->incl);
}

int tk_trend_groups(struct tk_trend *t, size_t top, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_table table = {.name = "groups",
                                   .help = "timers by capture",
                                   .columns = group_columns,
                                   .n_columns = COLUMNS,
                                   .unit = t->unit};
    size_t sent = 0;
    if (tk_sort(t->cells.v, t->cells.n, sizeof *t->cells.v, by_time_trend))
        return tk_err_nomem(err, "a trend");
    tk_map_release(&t->by_place);
    int rc = tk_sink_begin(sink, &table, err);
    for (size_t i = 0; i < t->cells.n && rc >= 0; i++) {
        struct tk_cell row[COLUMNS];
        sent = i && t->cells.v[i].capture == t->cells.v[i - 1].capture ? sent + 1 : 0;
        if (top && sent >= top)
            continue;
        fill_group(t, &t->cells.v[i], row);
        rc = tk_sink_row(sink, &table, row, err);
    }
    return rc < 0 ? rc : tk_sink_end(sink, &table, err);
}

/* ---- trend ---- */

/* A timer with its value in each capture. */
struct line {
    double *values; /* one a capture; 0 where it was not called */
    uint32_t timer, captures;
};

static double change(const struct tk_trend *t, const struct line *l)
{
    return l->values[t->captures.n - 1] - l->values[0];
}

struct ranked {
    double change; /* without sign */
    uint32_t timer;
};

static int by_change(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->change != y->change)
        return x->change > y->change ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

static void find_range(const struct tk_trend *t, const struct line *l, double *least, double *most)
{
    *least = *most = l->values[0];
    for (size_t i = 1; i < t->captures.n; i++) {
        *least = fmin(*least, l->values[i]);
        *most = fmax(*most, l->values[i]);
    }
}

/* `digits` has room for one a capture. */
static void fill_line(const struct tk_trend *t, const struct line *l, char *digits,
                      struct tk_cell row[T_COLUMNS])
{
    const struct timer *timer = &t->timers.v[l->timer];
    size_t n = t->captures.n;
    double first = l->values[0], last = l->values[n - 1], least, most;
    find_range(t, l, &least, &most);
    for (size_t i = 0; i < n; i++)
        digits[i] =
            (char)('0' + (most > least ? (int)floor((l->values[i] - least) / (most - least) * 9 + 0.5) : 0));
    row[T_TIMER] = tk_cell_of_text(timer->name);
    row[FIRST] = tk_cell_of_mean(first);
    row[LAST] = tk_cell_of_mean(last);
    row[CHANGE] = (struct tk_cell){.kind = TK_NONE};
    if (first > 0)
        row[CHANGE] = (struct tk_cell){.kind = TK_REAL, .v.r = (last - first) / first * 100};
    row[LEAST] = tk_cell_of_mean(least);
    row[MOST] = tk_cell_of_mean(most);
    row[TREND] = (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)n, .v.p = digits};
    row[CAPTURES] = tk_cell_of_uint(l->captures);
    row[MEASURE] = tk_cell_of_c(t->unframed ? "capture" : "frame");
    row[T_KIND] = tk_cell_of_text(timer->kind);
}

static int send_lines(const struct tk_trend *t, const struct line *lines, struct ranked *ranks, size_t top,
                      const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_table table = {.name = "trend",
                                   .help = "timers from the first capture to the last",
                                   .columns = trend_columns,
                                   .n_columns = T_COLUMNS,
                                   .unit = t->unit};
    char *digits = malloc(t->captures.n + 1);
    int rc = digits ? tk_sink_begin(sink, &table, err) : tk_err_nomem(err, "a trend");
    for (size_t i = 0; i < t->timers.n && rc >= 0 && (!top || i < top); i++) {
        struct tk_cell row[T_COLUMNS] = {[RANK] = tk_cell_of_uint(i + 1)};
        fill_line(t, &lines[ranks[i].timer], digits, row);
        rc = tk_sink_row(sink, &table, row, err);
    }
    free(digits);
    return rc < 0 ? rc : tk_sink_end(sink, &table, err);
}

static void fill_lines(const struct tk_trend *t, struct line *lines, double *values)
{
    for (uint32_t i = 0; i < t->timers.n; i++)
        lines[i] = (struct line){.values = values + i * t->captures.n, .timer = i};
    for (size_t i = 0; i < t->cells.n; i++) {
        const struct cell *c = &t->cells.v[i];
        values[c->timer * t->captures.n + c->capture] = t->unframed ? (double)c->incl : c->frame_mean;
        lines[c->timer].captures++;
    }
}

int tk_trend_changes(const struct tk_trend *t, size_t top, const struct tk_sink *sink, struct tk_err *err)
{
    size_t n = t->timers.n;
    double *values = calloc(n * t->captures.n + 1, sizeof *values);
    struct line *lines = calloc(n + 1, sizeof *lines);
    struct ranked *ranks = calloc(n + 1, sizeof *ranks);
    int rc = values && lines && ranks ? TK_OK : tk_err_nomem(err, "a trend");
    if (rc == TK_OK)
        fill_lines(t, lines, values);
    for (uint32_t i = 0; i < n && rc == TK_OK; i++)
        ranks[i] = (struct ranked){fabs(change(t, &lines[i])), i};
    if (rc == TK_OK && tk_sort(ranks, n, sizeof *ranks, by_change))
        rc = tk_err_nomem(err, "a trend");
    if (rc == TK_OK)
        rc = send_lines(t, lines, ranks, top, sink, err);
    free(values);
    free(lines);
    free(ranks);
    return rc;
}
