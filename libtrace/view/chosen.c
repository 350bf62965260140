/*
 * What a request selects: a table, times, and lanes of threads and queues, as a query. Answers of tables and
 * pages are made with it.
 */
#include "base/err.h"
#include "view/view_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables that a page may ask for. */
static const char *const tables[] = {
    "timers", "threads",     "frame_stats",    "frames",      "hitches",          "regions",     "bookmarks",
    "logs",   "counters",    "counter_values", "samples",     "sample_functions", "tasks",       "waits",
    "locks",  "gpu",         "open_scopes",    "files",       "health",           "sample_rows", "can",
    "tree",   "sample_tree", "task_rows",      "screenshots", "frame_images",     "task_waits",  "lock_rows",
    "memory", "gpu_fences",  "memory_growth",  "leaks",       "switch_rows"};

static const char *find_table(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i], name) == 0)
            return tables[i];
    return NULL;
}

/* Lanes of threads and queues; the others are no part of a selection. */
static int select_lanes(const struct tk_view_ask *ask, uint32_t lanes[TK_VIEW_LANES])
{
    const struct tk_view_capture *c = ask->capture;
    const bool ready = tk_atomic_get(&c->state) == TK_VIEW_READY;
    const int n = tk_view_lanes(ask, ready ? c->n_lanes : 0, lanes);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        struct tk_index_lane lane;
        tk_index_lane_get(c->index, lanes[i], &lane);
        if (tk_index_has_scopes(lane.kind))
            lanes[kept++] = lanes[i];
    }
    if (n > 0 && !kept)
        return tk_err_set(ask->err, TK_EUSAGE, "select lanes of threads or of queues of a GPU");
    return n < 0 ? n : kept;
}

static int choose_threads(const struct tk_view_ask *ask, struct tk_view_chosen *chosen)
{
    const struct tk_view_capture *c = ask->capture;
    uint32_t lanes[TK_VIEW_LANES];
    const int n = select_lanes(ask, lanes);
    if (n <= 0)
        return n;
    chosen->names = calloc((size_t)n, sizeof *chosen->names);
    if (!chosen->names)
        return tk_err_nomem(ask->err, "threads");
    for (int i = 0; i < n; i++) {
        const struct tk_str name = tk_view_capture_lane(c, lanes[i]);
        if (name.n >= TK_HTTP_TARGET || memchr(name.p, '\0', name.n))
            return tk_err_set(ask->err, TK_EUSAGE, "the name of a thread cannot be asked for");
        memcpy(chosen->names[i], name.p, name.n);
        if (c->queues[lanes[i]])
            chosen->threads[(size_t)n - ++chosen->n_queues] = chosen->names[i];
        else {
            struct tk_index_lane lane;
            tk_index_lane_get(c->index, lanes[i], &lane);
            chosen->ids[chosen->n_threads] = lane.thread;
            chosen->threads[chosen->n_threads++] = chosen->names[i];
        }
    }
    chosen->query.select.thread_ids = chosen->ids;
    chosen->query.select.n_thread_ids = chosen->n_threads;
    chosen->query.select.threads = chosen->threads;
    chosen->query.select.n_threads = (size_t)n;
    return TK_OK;
}

bool tk_view_wants_extra(const struct tk_view_ask *ask)
{
    int64_t extra = 0;
    tk_http_number(ask->query, "extra", 0, 1, &extra);
    return extra;
}

/* The column that a search looks through. */
static const struct {
    const char *table, *column;
} searched[] = {{"logs", "text"}, {"bookmarks", "text"}, {"regions", "name"}};

static int choose_rows(const struct tk_view_ask *ask, struct tk_view_chosen *chosen)
{
    char typed[TK_HTTP_TARGET / 2];
    const long n = tk_http_parameter(ask->query, "q", typed, sizeof typed);
    size_t i = 0;
    if (n == -1)
        return TK_OK;
    while (i < sizeof searched / sizeof *searched && strcmp(searched[i].table, chosen->table) != 0)
        i++;
    if (n < 1 || i == sizeof searched / sizeof *searched)
        return tk_err_set(ask->err, TK_EUSAGE,
                          "only messages, bookmarks and regions are searched, for a text");
    snprintf(chosen->find, sizeof chosen->find, "%s~%s", searched[i].column, typed);
    chosen->where = chosen->find;
    chosen->query.where = &chosen->where;
    chosen->query.n_where = 1;
    return TK_OK;
}

static int choose(const struct tk_view_ask *ask, struct tk_view_chosen *chosen)
{
    char name[32];
    struct tk_selection *select = &chosen->query.select;
    if (tk_http_parameter(ask->query, "t", name, sizeof name) < 1 || !(chosen->table = find_table(name)))
        return tk_err_set(ask->err, TK_EUSAGE, "there is no such table for a page");
    const int from = tk_http_number(ask->query, "a", INT64_MIN, INT64_MAX, &select->from_ns);
    const int to = tk_http_number(ask->query, "b", INT64_MIN, INT64_MAX, &select->to_ns);
    if (from < 0 || to < 0 || (from && to && select->to_ns <= select->from_ns))
        return tk_err_set(ask->err, TK_EUSAGE, "'b' must be greater than 'a'");
    select->has_from = from;
    select->has_to = to;
    chosen->query.tables = &chosen->table;
    chosen->query.n_tables = 1;
    chosen->query.in_passing = true;
    chosen->query.by = TK_BY_HUMAN | TK_BY_SOURCE; /* timers of the index are those of places */
    if (tk_view_wants_extra(ask))
        chosen->query.by |= TK_BY_EXTRA;
    if (strcmp(chosen->table, "tree") == 0 || strcmp(chosen->table, "sample_tree") == 0)
        chosen->query.by |= TK_BY_THREAD; /* roots are threads */
    const int rc = choose_rows(ask, chosen);
    return rc == TK_OK ? choose_threads(ask, chosen) : rc;
}

int tk_view_choose(const struct tk_view_ask *ask, struct tk_view_chosen **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return tk_err_nomem(ask->err, "what is selected");
    (*out)->query = (struct tk_query)TK_INIT(struct tk_query);
    return choose(ask, *out);
}

void tk_view_chosen_free(struct tk_view_chosen *chosen)
{
    if (chosen)
        free(chosen->names);
    free(chosen);
}

/*
 * Parameters, as answers need them.
 */

int tk_view_number(const struct tk_view_ask *ask, const char *name, int64_t least, int64_t most, int64_t *out)
{
    const int found = tk_http_number(ask->query, name, least, most, out);
    return found == 1 ? TK_OK
                      : tk_err_set(ask->err, TK_EUSAGE,
                                   found ? "'%s' is out of its range" : "'%s' is missing", name);
}

int tk_view_lanes(const struct tk_view_ask *ask, uint32_t lanes, uint32_t out[TK_VIEW_LANES])
{
    char text[TK_HTTP_TARGET];
    uint64_t value = 0;
    bool digits = false;
    int n = 0;
    const long length = tk_http_parameter(ask->query, "l", text, sizeof text);
    if (length == -1)
        return 0;
    for (long i = 0; i <= length; i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (digit)
            value = value * 10 + (uint64_t)(text[i] - '0');
        if (value >= lanes || n == TK_VIEW_LANES ||
            (!digit && !(digits && (text[i] == '.' || text[i] == '\0'))))
            return tk_err_set(ask->err, TK_EUSAGE, "there is no such lane");
        digits = digit;
        if (digit)
            continue;
        out[n++] = (uint32_t)value;
        value = 0;
    }
    return length < 0 ? tk_err_set(ask->err, TK_EUSAGE, "there is no such lane") : n;
}
