/*
 * Windows of --split.
 */
#include "run/windows.h"

#include "terminal/host.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 9999 };

static int fail(struct tk_err *err, int code, const char *text)
{
    *err = (struct tk_err){.code = code, .n = 1};
    snprintf(err->text[0], TK_ERR_TEXT, "%s", text);
    return code;
}

static int add(struct tk_windows *w, struct tk_window window, struct tk_err *err)
{
    if (w->n >= MOST_PARTS)
        return fail(err, TK_EUSAGE, "'--split' would make more than 9999 parts");
    struct tk_window *v = realloc(w->v, (w->n + 1) * sizeof *v);
    if (!v)
        return fail(err, TK_ENOMEM, "out of memory");
    w->v = v;
    w->v[w->n++] = window;
    return TK_OK;
}

static int ask(struct tk_result **out, struct tk_trace *trace, const char *table,
               const struct tk_selection *select, struct tk_err *err)
{
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = &table;
    query.n_tables = 1;
    if (select)
        query.select = *select;
    return tk_result_query(out, trace, &query, err);
}

/* A cell of the one table of a result; NULL: it has no such column, or row. */
static const struct tk_cell *cell_at(const struct tk_result *result, size_t row, const char *column)
{
    size_t n = 0;
    const struct tk_table *table = tk_result_table(result, 0, &n);
    const int at = table ? tk_table_column(table, column) : -1;
    return at < 0 || row >= n ? NULL : tk_result_cell(result, 0, row, (size_t)at);
}

/* ---- times ---- */

/* From the first time of the program on: what is in front of it belongs to the first part. */
struct extent {
    int64_t first, last; /* ns, exclusive */
    uint64_t bytes;
};

static int find_ends(struct tk_trace *trace, const struct tk_selection *within, struct extent *out,
                     struct tk_err *err)
{
    struct tk_result *result;
    int rc = ask(&result, trace, "capture", NULL, err);
    if (rc < 0)
        return rc;
    const struct tk_cell *begin = cell_at(result, 0, "first"), *end = cell_at(result, 0, "last"),
                         *bytes = cell_at(result, 0, "bytes");
    const bool known = begin && end && end->kind == TK_TIME;
    if (known) {
        out->first = within->has_from                           ? within->from_ns
                     : begin->kind != TK_TIME || begin->v.i < 0 ? 0
                                                                : begin->v.i;
        out->last = within->has_to ? within->to_ns : end->v.i + 1;
        out->bytes = bytes ? tk_cell_uint(bytes) : 0;
    }
    tk_result_free(result);
    return known && out->first < out->last ? TK_OK : fail(err, TK_EMATCH, "there is nothing to be split");
}

static int divide_times(struct tk_windows *w, int64_t first, int64_t last, int64_t each, struct tk_err *err)
{
    int rc = TK_OK;
    for (int64_t from = first; rc >= 0 && from < last; from += each) {
        const int64_t to = last - from > each ? from + each : last;
        rc = add(w, (struct tk_window){true, true, from, to}, err);
        if (to == last)
            break;
    }
    return rc;
}

/* ---- frames ---- */

static bool is_game(const struct tk_result *result, size_t row)
{
    const struct tk_cell *type = cell_at(result, row, "type_id");
    return !type || type->kind != TK_UINT || type->v.u == 0;
}

static int divide_frames(struct tk_windows *w, struct tk_trace *trace, const struct tk_selection *within,
                         uint64_t each, struct tk_err *err)
{
    struct tk_result *result;
    struct tk_window window = {.has_from = within->has_from, .from = within->from_ns};
    uint64_t frames = 0;
    size_t n = 0;
    int rc = ask(&result, trace, "frames", within, err);
    if (rc < 0)
        return rc;
    tk_result_table(result, 0, &n);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const struct tk_cell *start = cell_at(result, i, "start");
        if (!is_game(result, i) || !start || start->kind != TK_TIME)
            continue;
        if (frames && frames % each == 0) {
            window.has_to = true;
            window.to = start->v.i;
            rc = add(w, window, err);
            window = (struct tk_window){.has_from = true, .from = start->v.i};
        }
        frames++;
    }
    window.has_to = within->has_to;
    window.to = within->to_ns;
    if (rc >= 0)
        rc = frames ? add(w, window, err)
                    : fail(err, TK_EMATCH, "the capture has no game frames to split it by");
    tk_result_free(result);
    return rc;
}

/* ---- regions ---- */

static int divide_regions(struct tk_windows *w, struct tk_trace *trace, const struct tk_selection *within,
                          const char *name, struct tk_err *err)
{
    struct tk_result *result;
    struct tk_selection select = *within;
    size_t n = 0;
    select.regions = &name;
    select.n_regions = 1;
    int rc = ask(&result, trace, "regions", &select, err);
    if (rc < 0)
        return rc;
    tk_result_table(result, 0, &n);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const struct tk_cell *start = cell_at(result, i, "start"), *end = cell_at(result, i, "end");
        const bool ends = end && end->kind == TK_TIME;
        if (start && start->kind == TK_TIME && (!ends || end->v.i > start->v.i))
            rc = add(w, (struct tk_window){true, ends, start->v.i, ends ? end->v.i : 0}, err);
    }
    tk_result_free(result);
    return rc >= 0 && !w->n ? fail(err, TK_EMATCH, "no region of that name lasts any time") : rc;
}

/* ---- all of them ---- */

static int64_t part_of(const struct extent *e, uint64_t each)
{
    const uint64_t parts = e->bytes / each + (e->bytes % each != 0);
    return (int64_t)((uint64_t)(e->last - e->first) / (parts ? parts : 1)) + 1;
}

int tk_windows_divide(struct tk_windows *out, struct tk_trace *trace, const struct tk_selection *within,
                      const struct tk_split *split, struct tk_err *err)
{
    struct extent extent = {0};
    if (split->frames)
        return divide_frames(out, trace, within, split->frames, err);
    if (split->region)
        return divide_regions(out, trace, within, split->region, err);
    int rc = find_ends(trace, within, &extent, err);
    if (rc >= 0)
        rc = divide_times(out, extent.first, extent.last,
                          split->ns ? split->ns : part_of(&extent, split->bytes), err);
    if (rc >= 0 && out->n) {
        out->v[0].has_from = within->has_from;
        out->v[out->n - 1].has_to = within->has_to;
    }
    return rc;
}

struct tk_selection tk_window_select(const struct tk_window *w, const struct tk_selection *within)
{
    struct tk_selection select = *within;
    select.has_from = w->has_from;
    select.from_ns = w->from;
    select.has_to = w->has_to;
    select.to_ns = w->to;
    return select;
}

char *tk_window_path(const char *path, size_t number)
{
    const size_t head = tk_host_stem(path), capacity = strlen(path) + 16;
    char *made = malloc(capacity);
    if (made)
        snprintf(made, capacity, "%.*s-%03zu%s", (int)head, path, number, path + head);
    return made;
}

void tk_windows_release(struct tk_windows *w)
{
    free(w->v);
    *w = (struct tk_windows){0};
}
