/*
 * Windows.
 */
#include "base/err.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "page/markup.h"
#include "report/report_in.h"
#include "table/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scope {
    int64_t start, length; /* length -1: it never ended */
    uint32_t lane, timer, depth, order;
};

struct lane {
    uint64_t id;
    bool gpu;
    uint32_t name;
};

struct window_sink {
    const struct tk_window *window;
    TK_VEC(struct scope) scopes;
    TK_VEC(struct lane) lanes;
    struct tk_names names;
    uint32_t order;
    uint64_t left_out;
    int64_t longest_left; /* of what was left out */
};

/* What is longer comes first, then what came first; what never ended is longer than all. */
static int by_length(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    const uint64_t n = (uint64_t)x->length, m = (uint64_t)y->length; /* -1 is the greatest */
    return n != m ? (n < m) - (n > m) : (x->order > y->order) - (x->order < y->order);
}

static int by_start(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static int cut(struct window_sink *w, size_t most)
{
    if (w->scopes.n <= most)
        return TK_OK;
    if (tk_sort(w->scopes.v, w->scopes.n, sizeof *w->scopes.v, by_length))
        return TK_ENOMEM;
    if (w->scopes.v[most].length > w->longest_left)
        w->longest_left = w->scopes.v[most].length;
    w->left_out += w->scopes.n - most;
    w->scopes.n = most;
    return TK_OK;
}

static int find_lane(struct window_sink *w, uint64_t id, bool gpu, struct tk_str name, uint32_t *out)
{
    for (size_t i = 0; i < w->lanes.n; i++)
        if (w->lanes.v[i].id == id && w->lanes.v[i].gpu == gpu) {
            *out = (uint32_t)i;
            return TK_OK;
        }
    const int64_t number = tk_names_number(&w->names, name);
    *out = (uint32_t)w->lanes.n;
    return number < 0 || tk_vec_push(&w->lanes, ((struct lane){id, gpu, (uint32_t)number})) ? TK_ENOMEM
                                                                                            : TK_OK;
}

static struct tk_str text_at(const struct tk_cell *row, int column)
{
    return column >= 0 && row[column].kind == TK_TEXT ? tk_cell_text(&row[column]) : (struct tk_str){.p = ""};
}

/* The whole of the work of a queue, which its passes are once more. */
static bool is_sum(const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_str kind = text_at(row, tk_table_column(table, "kind"));
    return kind.n == 8 && memcmp(kind.p, "gpu_work", 8) == 0;
}

static int take_scope(struct window_sink *w, const struct tk_table *table, const struct tk_cell *row)
{
    const bool gpu = tk_table_column(table, "queue") >= 0;
    const struct tk_cell *length = &row[tk_table_column(table, "dur")];
    struct scope scope = {.start = row[tk_table_column(table, "start")].v.i,
                          .length = length->kind == TK_DURATION ? length->v.i : -1,
                          .depth = (uint32_t)row[tk_table_column(table, "depth")].v.u,
                          .order = w->order++};
    const struct tk_str name = text_at(row, tk_table_column(table, gpu ? "queue" : "thread"));
    const int64_t timer = tk_names_number(&w->names, text_at(row, tk_table_column(table, "timer")));
    if (timer < 0 ||
        find_lane(w, row[tk_table_column(table, gpu ? "queue_id" : "thread_id")].v.u, gpu, name, &scope.lane))
        return TK_ENOMEM;
    scope.timer = (uint32_t)timer;
    if (tk_vec_push(&w->scopes, scope))
        return TK_ENOMEM;
    return w->scopes.n >= (size_t)8 * TK_WINDOW_SCOPES ? cut(w, TK_WINDOW_SCOPES) : TK_OK;
}

/* The critical path of the frame is a lane of its own. */
#define PATH_LANE UINT64_MAX

/* "Submit on RHIThread (task)" */
static int64_t path_name(struct window_sink *w, const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_str timer = text_at(row, tk_table_column(table, "timer")),
                        thread = text_at(row, tk_table_column(table, "thread")),
                        via = text_at(row, tk_table_column(table, "via"));
    const bool plain = timer.enc == TK_ENC_UTF8 && thread.enc == TK_ENC_UTF8;
    char text[600];
    const int n = snprintf(text, sizeof text, "%.*s on %.*s%s%.*s%s", (int)(timer.n < 255 ? timer.n : 255),
                           timer.p, (int)(thread.n < 255 ? thread.n : 255), thread.p, via.n ? " (" : "",
                           (int)via.n, via.p, via.n ? ")" : "");
    return tk_names_number(&w->names, plain ? (struct tk_str){text, (uint32_t)n, TK_ENC_UTF8} : timer);
}

static int take_stretch(struct window_sink *w, const struct tk_table *table, const struct tk_cell *row)
{
    struct scope scope = {.start = row[tk_table_column(table, "from")].v.i, .order = w->order++};
    if (row[tk_table_column(table, "frame")].v.u != w->window->frame)
        return TK_OK;
    scope.length = row[tk_table_column(table, "to")].v.i - scope.start;
    const int64_t name = path_name(w, table, row);
    if (name < 0 || find_lane(w, PATH_LANE, false, (struct tk_str)TK_STR_OF("Critical path"), &scope.lane))
        return TK_ENOMEM;
    scope.timer = (uint32_t)name;
    return tk_vec_push(&w->scopes, scope) ? TK_ENOMEM : TK_OK;
}

static int take_any(struct window_sink *w, const struct tk_table *table, const struct tk_cell *row)
{
    if (tk_table_column(table, "via") >= 0)
        return take_stretch(w, table, row);
    return is_sum(table, row) ? TK_OK : take_scope(w, table, row);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    for (size_t i = 0; i < rows->n; i++)
        if (take_any(self, table, rows->cells + i * table->n_columns))
            return tk_err_nomem(err, "the scopes of a hitch");
    return TK_OK;
}

/* ---- JSON ---- */

static void put_lanes(const struct window_sink *w, struct tk_json *j)
{
    tk_json_open(j, "lanes", '[');
    for (size_t i = 0; i < w->lanes.n; i++) {
        tk_json_open(j, NULL, '{');
        tk_json_u64(j, "id", w->lanes.v[i].id);
        tk_json_u64(j, "gpu", w->lanes.v[i].gpu);
        tk_json_u64(j, "name", w->lanes.v[i].name);
        if (w->lanes.v[i].id == PATH_LANE)
            tk_json_u64(j, "path", 1);
        tk_json_close(j);
    }
    tk_json_close(j);
}

typedef int64_t scope_value(const struct window_sink *w, size_t i);

static int64_t lane_value(const struct window_sink *w, size_t i)
{
    return w->scopes.v[i].lane;
}

static int64_t timer_value(const struct window_sink *w, size_t i)
{
    return w->scopes.v[i].timer;
}

static int64_t depth_value(const struct window_sink *w, size_t i)
{
    return w->scopes.v[i].depth;
}

/* From the start of the one before, which is a small number where they are of one lane. */
static int64_t start_value(const struct window_sink *w, size_t i)
{
    return w->scopes.v[i].start - (i ? w->scopes.v[i - 1].start : w->window->from);
}

static int64_t length_value(const struct window_sink *w, size_t i)
{
    return w->scopes.v[i].length;
}

static void put_column(const struct window_sink *w, struct tk_json *j, const char *key, scope_value *value)
{
    tk_json_open(j, key, '[');
    for (size_t i = 0; i < w->scopes.n; i++)
        tk_json_i64(j, NULL, value(w, i));
    tk_json_close(j);
}

static void put_window(const struct window_sink *w, struct tk_markup *m)
{
    const struct tk_window *at = w->window;
    struct tk_json *j = &m->json;
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "frame", at->frame);
    tk_json_i64(j, "from", at->from);
    tk_json_i64(j, "to", at->to);
    tk_json_i64(j, "begin", at->begin);
    tk_json_i64(j, "end", at->end);
    tk_json_u64(j, "left_out", w->left_out);
    tk_json_i64(j, "longest_left", w->longest_left);
    tk_names_put(&w->names, TK_NAMES_BYTES, m);
    put_lanes(w, j);
    put_column(w, j, "lane", lane_value);
    put_column(w, j, "timer", timer_value);
    put_column(w, j, "depth", depth_value);
    put_column(w, j, "start", start_value);
    put_column(w, j, "length", length_value);
    tk_json_close(j);
}

int tk_window_put(const struct tk_window *window, struct tk_trace *trace, const struct tk_query *query,
                  struct tk_markup *m, struct tk_err *err)
{
    const char *tables[3];
    struct tk_query of = *query;
    struct window_sink w = {.window = window};
    of.tables = tables;
    of.n_tables = 0;
    tables[of.n_tables++] = "scopes";
    if (tk_has_table(trace, "gpu_scopes"))
        tables[of.n_tables++] = "gpu_scopes";
    tables[of.n_tables++] = "critical_path";
    of.select.has_from = of.select.has_to = true;
    of.select.from_ns = window->from;
    of.select.to_ns = window->to;
    of.mixed = true;
    of.by = TK_BY_EXTRA;
    int rc = tk_query_run(trace, &of, &(struct tk_sink){.self = &w, .rows = take_rows}, err);
    if (rc == TK_OK &&
        (cut(&w, TK_WINDOW_SCOPES) || tk_sort(w.scopes.v, w.scopes.n, sizeof *w.scopes.v, by_start)))
        rc = tk_err_nomem(err, "the scopes of a hitch");
    if (rc == TK_OK)
        put_window(&w, m);
    tk_vec_release(&w.scopes);
    tk_vec_release(&w.lanes);
    tk_names_release(&w.names);
    return rc;
}
