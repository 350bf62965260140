/*
 * Table `lock_rows`: every use of a lock, in order of the requests.
 */
#include "model/builders.h"
#include "model/lock_list.h"
#include "model/room.h"
#include "model/sort.h"
#include "model/view.h"

#include <stdlib.h>

enum { LOCK, LOCK_ID, MODE, THREAD_ID, THREAD, REQUESTED, OBTAINED, RELEASED, WAIT, HELD, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [LOCK] = {"lock", TK_TEXT, 0, NULL, "name of the lock"},
    [LOCK_ID] = {"lock_id", TK_UINT, TK_COL_EXTRA, NULL, "which of the locks of that name"},
    [MODE] = {"mode", TK_TEXT, 0, NULL, "read (with others) or write (alone)"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [REQUESTED] = {"requested", TK_TIME, 0, NULL, "when it asked for the lock"},
    [OBTAINED] = {"obtained", TK_TIME, 0, NULL, "when it got it; empty where it did not"},
    [RELEASED] = {"released", TK_TIME, 0, NULL, "when it gave it back; empty where it did not"},
    [WAIT] = {"wait", TK_SPAN, 0, NULL, "from requested to obtained"},
    [HELD] = {"held", TK_SPAN, 0, NULL, "from obtained to released"},
};

static const struct tk_table table = {
    .name = "lock_rows",
    .help = "every use of a lock",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct rows {
    const struct tk_view *view;
    struct tk_lock_list list;
    TK_VEC(struct tk_lock_use) rows;
    struct tk_room room;
};

static int done(void *ctx, const struct tk_lock_use *use)
{
    struct rows *r = ctx;
    if (!tk_lock_selected(r->view, use) || !tk_room_for(&r->room, r->rows.n))
        return 0;
    return tk_vec_push(&r->rows, *use);
}

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    struct rows *r = calloc(1, sizeof *r);
    (void)wanted;
    if (!r)
        return tk_err_nomem(err, "locks");
    r->view = view;
    r->room =
        (struct tk_room){.health = &view->ctx->health, .rows = view->ctx->limits.rows, .table = table.name};
    tk_lock_list_init(&r->list, view, done, r);
    *self = r;
    return TK_OK;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct rows *r = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (tk_lock_list_feed(&r->list, &batch->facts[i]))
            return tk_err_nomem(err, "locks");
    return TK_OK;
}

static int by_request(const void *a, const void *b)
{
    const struct tk_lock_use *x = a, *y = b;
    return (x->requested > y->requested) - (x->requested < y->requested);
}

static void fill(const struct tk_view *view, const struct tk_lock_use *use, struct tk_cell *row)
{
    row[LOCK] = tk_cell_of_text(use->name);
    row[LOCK_ID] = tk_cell_of_uint(use->id);
    row[MODE] = tk_cell_of_c(use->write ? "write" : "read");
    row[THREAD_ID] = tk_view_thread_id(use->thread);
    row[THREAD] = tk_view_thread(view, use->thread);
    row[REQUESTED] = tk_view_time(view, use->requested);
    if (use->has_obtained) {
        row[OBTAINED] = tk_view_time(view, use->obtained);
        row[WAIT] = tk_view_between(view, use->requested, use->obtained);
    }
    if (use->has_released)
        row[RELEASED] = tk_view_time(view, use->released);
    if (use->has_obtained && use->has_released)
        row[HELD] = tk_view_between(view, use->obtained, use->released);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct rows *r = self;
    if (tk_lock_list_finish(&r->list) || tk_sort(r->rows.v, r->rows.n, sizeof *r->rows.v, by_request))
        return tk_err_nomem(err, "locks");
    for (size_t i = 0; i < r->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill(r->view, &r->rows.v[i], row);
    }
    return tk_emit_status(emit);
}

static void close(void *self)
{
    struct rows *r = self;
    tk_lock_list_release(&r->list);
    tk_vec_release(&r->rows);
    free(r);
}

const struct tk_builder tk_builder_lock_rows = {
    .table = &table,
    .facts = TK_LOCK_FACTS,
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
