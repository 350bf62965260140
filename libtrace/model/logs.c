/*
 * Table `logs`: log messages in order of time. Messages of different threads come in any order; those of one
 * time keep the order in which they came.
 */
#include "model/builders.h"
#include "model/room.h"
#include "model/sort.h"
#include "model/view.h"

#include <stdlib.h>

enum { TIME, THREAD_ID, THREAD, CATEGORY, VERBOSITY, SOURCE, LINE, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was written"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread that wrote it"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "the thread that wrote it"},
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category; empty where it is not defined"},
    [VERBOSITY] = {"verbosity", TK_TEXT, 0, NULL,
                   "NoLogging, Fatal, Error, Warning, Display, Log, Verbose or VeryVerbose"},
    [SOURCE] = {"file", TK_TEXT, 0, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in the source file"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "the message"},
};

static const struct tk_table table = {
    .name = "logs",
    .help = "log messages, in order of time",
    .columns = columns,
    .n_columns = COLUMNS,
};

static const char *const verbosities[] = {"NoLogging", "Fatal", "Error",   "Warning",
                                          "Display",   "Log",   "Verbose", "VeryVerbose"};

struct message {
    int64_t time;
    uint32_t thread;
    struct tk_fact_log info; /* its text in the arena */
};

struct logs {
    const struct tk_view *view;
    TK_VEC(struct message) rows;
    struct tk_arena texts;
    struct tk_room room;
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct logs *l = calloc(1, sizeof *l);
    if (!l)
        return tk_err_nomem(err, "log messages");
    l->view = view;
    l->room = tk_view_room(view, table.name);
    *self = l;
    return TK_OK;
}

static int keep(struct logs *l, const struct tk_fact *fact, struct tk_err *err)
{
    struct message row = {.time = fact->time, .thread = fact->thread, .info = fact->u.log};
    row.info.text.p = tk_arena_copy(&l->texts, row.info.text.p, row.info.text.n);
    if (!row.info.text.p || tk_vec_push(&l->rows, row))
        return tk_err_nomem(err, "log messages");
    return TK_OK;
}

static bool is_selected(const struct tk_view *view, const struct tk_fact *fact)
{
    return fact->kind == TK_FACT_LOG && tk_select_has(view->select, fact->time) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct logs *l = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        if (is_selected(l->view, &batch->facts[i]) && tk_room_for(&l->room, l->rows.n))
            rc = keep(l, &batch->facts[i], err);
    }
    return rc;
}

static int by_time(const void *a, const void *b)
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

static void fill(const struct tk_view *view, const struct message *m, struct tk_cell *row)
{
    row[TIME] = tk_view_time(view, m->time);
    row[THREAD_ID] = tk_view_thread_id(m->thread);
    row[THREAD] = tk_view_thread(view, m->thread);
    row[CATEGORY] = tk_cell_of_text(m->info.category);
    row[VERBOSITY] = verbosity(m->info.verbosity);
    row[SOURCE] = tk_cell_of_text(m->info.file);
    row[LINE] = tk_cell_of_uint(m->info.line);
    row[TEXT] = tk_cell_of_text(&m->info.text);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct logs *l = self;
    if (tk_sort(l->rows.v, l->rows.n, sizeof *l->rows.v, by_time))
        return tk_err_nomem(err, "log messages");
    for (size_t i = 0; i < l->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        fill(l->view, &l->rows.v[i], row);
    }
    return TK_OK;
}

static void close(void *self)
{
    struct logs *l = self;
    tk_vec_release(&l->rows);
    tk_arena_release(&l->texts);
    free(l);
}

const struct tk_builder tk_builder_logs = {
    .table = &table,
    .facts = TK_FACT_MASK(LOG),
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
