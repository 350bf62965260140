/*
 * Table `bookmarks`: marked points in time with a text, in order of time.
 */
#include "model/builders.h"
#include "model/room.h"
#include "model/sort.h"
#include "model/view.h"

#include <stdlib.h>

enum { TIME, THREAD_ID, THREAD, TEXT, SOURCE, LINE, CALLSTACK, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was set"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that set it"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "the thread that set it"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "its text"},
    [SOURCE] = {"file", TK_TEXT, 0, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in the source file"},
    [CALLSTACK] = {"callstack", TK_UINT, 0, NULL, "id of the call stack; 0 for none"},
};

static const struct tk_table table = {
    .name = "bookmarks",
    .help = "bookmarks, in order of time",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct bookmark {
    int64_t time;
    uint32_t thread;
    struct tk_fact_bookmark info; /* its text in the arena */
};

struct bookmarks {
    const struct tk_view *view;
    TK_VEC(struct bookmark) rows;
    struct tk_arena texts;
    struct tk_room room;
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct bookmarks *b = calloc(1, sizeof *b);
    if (!b)
        return tk_err_nomem(err, "bookmarks");
    b->view = view;
    b->room = tk_view_room(view, table.name);
    *self = b;
    return TK_OK;
}

static int keep(struct bookmarks *b, const struct tk_fact *fact, struct tk_err *err)
{
    struct bookmark row = {.time = fact->time, .thread = fact->thread, .info = fact->u.bookmark};
    row.info.text.p = tk_arena_copy(&b->texts, row.info.text.p, row.info.text.n);
    if (!row.info.text.p || tk_vec_push(&b->rows, row))
        return tk_err_nomem(err, "bookmarks");
    return TK_OK;
}

static bool is_selected(const struct tk_view *view, const struct tk_fact *fact)
{
    return fact->kind == TK_FACT_BOOKMARK && tk_select_has(view->select, fact->time) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct bookmarks *b = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        if (is_selected(b->view, &batch->facts[i]) && tk_room_for(&b->room, b->rows.n))
            rc = keep(b, &batch->facts[i], err);
    }
    return rc;
}

static int by_time(const void *a, const void *b)
{
    const struct bookmark *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void fill(const struct tk_view *view, const struct bookmark *b, struct tk_cell *row)
{
    row[TIME] = tk_view_time(view, b->time);
    row[THREAD_ID] = tk_view_thread_id(b->thread);
    row[THREAD] = tk_view_thread(view, b->thread);
    row[TEXT] = tk_cell_of_text(&b->info.text);
    row[SOURCE] = tk_cell_of_text(b->info.file);
    row[LINE] = tk_cell_of_uint(b->info.line);
    row[CALLSTACK] = tk_cell_of_uint(b->info.callstack);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct bookmarks *b = self;
    if (tk_sort(b->rows.v, b->rows.n, sizeof *b->rows.v, by_time))
        return tk_err_nomem(err, "bookmarks");
    for (size_t i = 0; i < b->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        fill(b->view, &b->rows.v[i], row);
    }
    return TK_OK;
}

static void close(void *self)
{
    struct bookmarks *b = self;
    tk_vec_release(&b->rows);
    tk_arena_release(&b->texts);
    free(b);
}

const struct tk_builder tk_builder_bookmarks = {
    .table = &table,
    .facts = TK_FACT_MASK(BOOKMARK),
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
