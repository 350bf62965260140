/*
 * Table `logs`: log messages in order of time. Messages of different threads come in any order; those of one
 * time keep the order in which they came.
 */
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    TIME,
    THREAD_ID,
    THREAD,
    CATEGORY = THREAD + TK_THREAD_COLUMNS,
    VERBOSITY,
    SOURCE,
    LINE,
    TEXT,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was written"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread that wrote it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_OPTIONAL, "the thread that wrote it"),
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category; empty if it is not defined"},
    [VERBOSITY] = {"verbosity", TK_TEXT, 0, NULL,
                   "NoLogging, Fatal, Error, Warning, Display, Log, Verbose or VeryVerbose"},
    [SOURCE] = {"file", TK_TEXT, TK_COL_OPTIONAL, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in the source file"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "the message"},
};

static const struct tk_table table = {
    .name = "logs",
    .help = "log messages, in order of time",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

static const char *const verbosities[] = {"NoLogging", "Fatal", "Error",   "Warning",
                                          "Display",   "Log",   "Verbose", "VeryVerbose"};

struct message {
    int64_t time;
    uint32_t thread;
    struct tk_fact_log info; /* its text in the arena */
};

struct logs {
    struct tk_collector g;
    TK_VEC(struct message) rows;
    struct tk_arena texts;
};

static int keep_logs(struct logs *l, const struct tk_fact *fact)
{
    struct message row = {.time = fact->time, .thread = fact->thread, .info = fact->u.log};
    row.info.text.p = tk_arena_copy(&l->texts, row.info.text.p, row.info.text.n);
    return row.info.text.p ? tk_vec_push(&l->rows, row) : -1;
}

static bool is_selected_logs(const struct tk_query_context *view, const struct tk_fact *fact)
{
    return fact->kind == TK_FACT_LOG && tk_select_has(view->select, fact->time) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static int take_logs(void *self, const struct tk_fact *fact)
{
    struct logs *l = self;
    if (!is_selected_logs(l->g.view, fact) || !tk_row_limit_for(&l->g.capacity, l->rows.n))
        return 0;
    return keep_logs(l, fact);
}

static int by_time_logs(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static struct tk_cell verbosity(uint8_t level)
{
    if (level < sizeof verbosities / sizeof verbosities[0])
        return tk_cell_of_c(verbosities[level]);
    return tk_cell_of_uint(level);
}

static void fill_logs(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct logs *)self)->g.view;
    const struct message *m = thing;
    row[TIME] = tk_query_context_time(view, m->time);
    row[THREAD_ID] = tk_query_context_thread_id(m->thread);
    tk_thread_put(view, m->thread, &row[THREAD]);
    row[CATEGORY] = tk_cell_of_text(m->info.category);
    row[VERBOSITY] = verbosity(m->info.verbosity);
    row[SOURCE] = tk_cell_of_text(m->info.file);
    row[LINE] = tk_cell_of_uint(m->info.line);
    row[TEXT] = tk_cell_of_text(&m->info.text);
}

static void release_logs(void *self)
{
    tk_arena_release(&((struct logs *)self)->texts);
}

static const struct tk_collecting gathering = {
    .what = "log messages",
    .take = take_logs,
    .release = release_logs,
    TK_COLLECTOR_ROWS(struct logs, rows),
    .order = by_time_logs,
    .fill = fill_logs,
};

const struct tk_builder tk_builder_logs = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(LOG)},
    TK_COLLECTS(gathering),
};
