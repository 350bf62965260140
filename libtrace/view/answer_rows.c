/*
 * Answers of tables to a selection: the same rows as trace-stats has.
 */
#include "base/err.h"
#include "os/process.h"
#include "page/markup.h"
#include "report/page.h"
#include "table/cell.h"
#include "tracekit/queries.h"
#include "view/view_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows of tables as columns of an answer, with the timers of the index that they are about. Answers of tables
 * are made with it.
 */

enum { COLUMNS = 64 };

/* Of timers these, as there may be many. */
static const char *const timer_columns[] = {"timer", "working", "count", "incl", "excl",
                                            "mean",  "median",  "p95",   "p99",  "max"};

/* Columns of tables that say which timer a row is about. */
enum { NAME_AT, FILE_AT, LINE_AT, PLACE };
static const char *const place_columns[PLACE] = {"timer", "file", "line"};

/* The first n rows of the only table, all columns; those of TK_COL_EXTRA only where `extra`. TK_OK,
 * TK_ENOMEM. */
static int put_rows(const struct tk_view_ask *ask, const char *name, const struct tk_result *rows, size_t n,
                    bool extra)
{
    const struct tk_table *table = tk_result_table(rows, 0, NULL);
    int at[COLUMNS];
    size_t n_at = 0;
    for (uint32_t i = 0; i < table->n_columns && n_at < COLUMNS; i++)
        if (extra || !(table->columns[i].flags & TK_COL_EXTRA))
            at[n_at++] = (int)i;
    return tk_columns_put(name, rows, at, n_at, n, 0, ask->m);
}

/* The same of the table of timers, of which there may be many: those columns that pages show. */
static int put_timers(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n)
{
    int at[sizeof timer_columns / sizeof *timer_columns];
    size_t n_at = 0;
    for (size_t i = 0; i < sizeof timer_columns / sizeof *timer_columns; i++) {
        const int column = tk_table_column(tk_result_table(rows, 0, NULL), timer_columns[i]);
        if (column >= 0)
            at[n_at++] = column;
    }
    return tk_columns_put("timers", rows, at, n_at, n, 0, ask->m);
}

/* The timer of the index that a row is about; -1: none. */
static int64_t timer_of(const struct tk_view_capture *c, const struct tk_cell *row, const int at[PLACE])
{
    const struct tk_cell *name = &row[at[NAME_AT]];
    if (name->kind != TK_TEXT)
        return -1;
    uint32_t timer;
    if (at[FILE_AT] >= 0 && at[LINE_AT] >= 0) {
        const struct tk_cell *file = &row[at[FILE_AT]], *line = &row[at[LINE_AT]];
        timer = tk_view_timers_at(&c->timers, c->index, tk_cell_text(name),
                                  file->kind == TK_TEXT ? tk_cell_text(file) : (struct tk_str){0},
                                  line->kind == TK_UINT ? (uint32_t)line->v.u : 0);
    } else
        timer = tk_view_timers_named(&c->timers, c->index, tk_cell_text(name));
    return timer == UINT32_MAX ? -1 : (int64_t)timer;
}

/* Which timers of the index n rows are about, as pages cut names off and several timers have the same.
 * Without an index, and of tables that are about none, null. */
static void put_timer_ids(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n)
{
    const struct tk_view_capture *c = ask->capture;
    struct tk_json *j = &ask->m->json;
    int at[PLACE];
    for (size_t i = 0; i < PLACE; i++)
        at[i] = tk_table_column(tk_result_table(rows, 0, NULL), place_columns[i]);
    if (at[NAME_AT] < 0 || tk_atomic_get(&c->state) != TK_VIEW_READY) {
        tk_json_plain(j, "timer_ids", "null");
        return;
    }
    tk_json_open(j, "timer_ids", '[');
    for (size_t i = 0; i < n; i++)
        tk_json_i64(j, NULL, timer_of(c, tk_result_row(rows, 0, i), at));
    tk_json_close(j);
}

/*
 * The answer of tables to what a capture is as a whole.
 */

/* Of the overview: so many rows are kept of each. The last one needs frames. */
static const struct tk_gather_want wanted[] = {{"capture", 1},      {"frame_stats", 64}, {"regions", 5000},
                                               {"bookmarks", 5000}, {"logs", 5000},      {"timers", 20000},
                                               {"sample_rows", 1},  {"task_waits", 1},   {"hitches", 5000}};

enum { WANTED = sizeof wanted / sizeof *wanted };

/* ---- the overview ---- */

static int gather_tables(const struct tk_view_ask *ask, size_t n)
{
    struct tk_view_capture *c = ask->capture;
    struct tk_query query = TK_INIT(struct tk_query);
    query.by = TK_BY_SOURCE; /* timers of the index are those of places */
    tk_gather_release(&c->gather);
    c->gather = (struct tk_gather){0};
    return tk_gather_run(&c->gather, c->tables, &query, wanted, n, ask->err);
}

static int gather(const struct tk_view_ask *ask)
{
    struct tk_view_capture *c = ask->capture;
    if (c->gathered)
        return TK_OK;
    int rc = gather_tables(ask, WANTED);
    if (rc == TK_EMATCH) /* there are no frames */
        rc = gather_tables(ask, WANTED - 1);
    c->gathered = rc == TK_OK;
    c->hitches_beyond = tk_view_capture_take_hitches(c);
    if (rc == TK_OK) {
        tk_frame_times_sort(&c->gather.frames);
        tk_view_capture_learn(c, ask->path);
    }
    tk_os_heap_trim();
    return rc;
}

static int put_gathered(const struct tk_view_ask *ask, const char *name)
{
    const struct tk_gathered *kept;
    struct tk_json *j = &ask->m->json;
    char all[64];
    size_t n;
    if (!tk_gather_table(&ask->capture->gather, name, &kept, &n)) {
        tk_json_plain(j, name, "null");
        return TK_OK;
    }
    const bool timers = strcmp(name, "timers") == 0;
    const int rc = timers ? put_timers(ask, kept->rows, n) : put_rows(ask, name, kept->rows, n, true);
    if (timers)
        put_timer_ids(ask, kept->rows, n);
    snprintf(all, sizeof all, "%s_all", name);
    tk_json_u64(j, all, kept->seen);
    return rc;
}

int tk_view_answer_overview(const struct tk_view_ask *ask)
{
    const struct tk_view_capture *c = ask->capture;
    struct tk_json *j = &ask->m->json;
    int rc = gather(ask);
    tk_json_open(j, NULL, '{');
    for (size_t i = 0; i < WANTED && rc == TK_OK; i++)
        rc = put_gathered(ask, wanted[i].table);
    if (rc < 0)
        return rc;
    tk_json_u64(j, "hitches_beyond", c->hitches_beyond);
    tk_json_u64(j, "damaged", tk_damaged(c->tables));
    tk_json_u64(j, "partial", tk_partial(c->tables));
    tk_json_u64(j, "lossy", tk_lossy(c->tables));
    tk_json_u64(j, "samples", tk_has_table(c->tables, "sample_rows"));
    tk_frame_times_put(&c->gather.frames, ask->m, "frames");
    tk_frame_times_put(&c->gather.gpu, ask->m, "gpu");
    tk_series_put(&c->gather.counters, ask->m, "counters");
    tk_series_put(&c->gather.tags, ask->m, "tags");
    tk_json_close(j);
    return TK_OK;
}

enum { ROWS = 1000, MOST_ROWS = 20000 };

/* ---- rows ---- */

/* Rows that are kept, the first ones; the others are counted, until there are more than enough. */
struct kept {
    struct tk_result *rows; /* owned; NULL: none */
    struct tk_sink sink;
    uint64_t seen, enough; /* enough: 0: all are counted */
    uint64_t beyond;       /* hitches that have no rows */
    bool over;             /* there were more */
};

static int begin_kept(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct kept *k = self;
    return k->sink.begin(k->sink.self, table, err);
}

static int keep_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct kept *k = self;
    const uint64_t free = k->seen < MOST_ROWS ? MOST_ROWS - k->seen : 0;
    const struct tk_rows some = {rows->n < free ? rows->n : (size_t)free, rows->cells};
    k->seen += rows->n;
    const int rc = some.n ? k->sink.rows(k->sink.self, table, &some, err) : TK_OK;
    k->over = rc == TK_OK && k->enough && k->seen > k->enough;
    return k->over ? TK_ECANCELED : rc;
}

/* Into an empty result. */
static int run_query(const struct tk_view_ask *ask, const struct tk_view_chosen *chosen, struct kept *kept)
{
    tk_result_free(kept->rows);
    kept->rows = NULL;
    kept->seen = 0;
    int rc = tk_result_new(&kept->rows, ask->err);
    if (rc != TK_OK)
        return rc;
    kept->sink = tk_result_sink(kept->rows);
    rc = tk_query_run(ask->capture->tables, &chosen->query,
                      &(struct tk_sink){.self = kept, .begin = begin_kept, .rows = keep_rows}, ask->err);
    return rc == TK_ECANCELED && kept->over ? TK_OK : rc;
}

/* Where a table knows nothing of queues of GPUs they match no thread: then the threads alone are requested.
 */
static int run_chosen(const struct tk_view_ask *ask, struct tk_view_chosen *chosen, struct kept *kept)
{
    const int rc = run_query(ask, chosen, kept);
    if (rc != TK_EMATCH || !chosen->n_queues)
        return rc;
    *ask->err = (struct tk_err){0};
    chosen->query.select.n_threads = chosen->n_threads;
    if (chosen->n_threads)
        return run_query(ask, chosen, kept);
    tk_result_free(kept->rows);
    kept->rows = NULL;
    return TK_OK;
}

/* What the capture has nothing of. */
static void put_none(struct tk_json *j)
{
    tk_json_u64(j, "all", 0);
    tk_json_u64(j, "beyond", 0);
    tk_json_open(j, "table", '{');
    tk_json_u64(j, "rows", 0);
    tk_json_plain(j, "columns", "[]");
    tk_json_plain(j, "names", "[]");
    tk_json_close(j);
    tk_json_plain(j, "timer_ids", "null");
}

static int put_table(const struct tk_view_ask *ask, const struct kept *kept, size_t most)
{
    char sort[64];
    size_t n = 0;
    const struct tk_table *table = kept->rows ? tk_result_table(kept->rows, 0, &n) : NULL;
    struct tk_json *j = &ask->m->json;
    int rc = TK_OK;
    tk_json_open(j, NULL, '{');
    if (!table) {
        put_none(j);
        tk_json_close(j);
        return TK_OK;
    }
    if (tk_http_parameter(ask->query, "sort", sort, sizeof sort) > 0 && tk_table_column(table, sort) >= 0)
        rc = tk_result_sort(kept->rows, 0, sort, true, ask->err);
    tk_json_u64(j, "all", kept->seen);
    tk_json_u64(j, "beyond", kept->beyond);
    if (rc == TK_OK)
        rc = put_rows(ask, "table", kept->rows, n < most ? n : most, tk_view_wants_extra(ask));
    put_timer_ids(ask, kept->rows, n < most ? n : most);
    tk_json_close(j);
    return rc;
}

int tk_view_answer_rows(const struct tk_view_ask *ask)
{
    struct tk_view_chosen *chosen = NULL;
    struct kept kept = {0};
    int64_t top = ROWS, enough = 0;
    int rc = tk_view_choose(ask, &chosen);
    if (rc == TK_OK && tk_http_number(ask->query, "top", 1, MOST_ROWS, &top) < 0)
        rc = tk_err_set(ask->err, TK_EUSAGE, "'top' is out of its range");
    if (rc == TK_OK && tk_has_table(ask->capture->tables, chosen->table)) {
        tk_http_number(ask->query, "enough", 0, 1, &enough);
        kept.enough = enough ? (uint64_t)top : 0;
        rc = run_chosen(ask, chosen, &kept);
        kept.beyond = tk_view_capture_take_hitches(ask->capture);
    }
    if (rc == TK_OK)
        rc = put_table(ask, &kept, (size_t)top);
    tk_result_free(kept.rows);
    tk_view_chosen_free(chosen);
    return rc;
}
