/*
 * Table `locks`: how long threads waited for locks and held them; a row a lock, thread and mode.
 */
#include "base/text/text.h"
#include "query/tables.h"
#include "model/threads/lock_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/distribution_cells.h"

#include <string.h>

enum {
    LOCK,
    LOCK_ID,
    THREAD_ID,
    THREAD,
    MODE,
    COUNT,
    OPEN,
    TOTAL,
    LENGTHS,
    HELD = LENGTHS + TK_DISTRIBUTION_COLUMNS,
    HELD_LENGTHS,
    COLUMNS = HELD_LENGTHS + TK_DISTRIBUTION_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [LOCK] = {"lock", TK_TEXT, 0, NULL, "name of the lock"},
    [LOCK_ID] = {"lock_id", TK_UINT, TK_COL_EXTRA, NULL, "distinguishes locks of the same name"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [MODE] = {"mode", TK_TEXT, 0, NULL, "read (shared) or write (exclusive)"},
    [COUNT] = {"count", TK_UINT, 0, "waits", "number of times that it acquired the lock"},
    [OPEN] = {"open", TK_UINT, 0, "waits", "number of requests that were never granted"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "total time waiting for the lock"},
    TK_DISTRIBUTION_LENGTHS(LENGTHS, "", 0, "shortest wait", "longest wait", "mean wait",
                            "the waits (to 0.8 %)"),
    [HELD] = {"held", TK_DURATION, 0, NULL, "total time holding the lock"},
    TK_DISTRIBUTION_LENGTHS(HELD_LENGTHS, "held_", TK_DISTRIBUTION_ALL & ~TK_DISTRIBUTION_BIT(MAX),
                            "shortest of these times", "longest of these times", "mean of these times",
                            "these times (to 0.8 %)"),
};

static const struct tk_table table = {
    .name = "locks",
    .help = "locks by thread: time spent waiting for them and holding them",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "total",
};

struct waits {
    struct tk_lock_use key; /* the first of them; only lock, thread and mode matter */
    uint64_t open;
    struct tk_distribution wait, held;
    uint32_t next; /* with the same hash, or TK_MAP_NONE */
};

struct locks {
    struct tk_collector g;
    struct tk_lock_list list;
    TK_VEC(struct waits) waits; /* the first of a hash is looked up by it */
};

static uint64_t hash(const struct tk_lock_use *use)
{
    uint64_t h = tk_hash_pair(use->id, (uintptr_t)use->name);
    return tk_hash_u64(h ^ ((uint64_t)use->thread << 1 | use->write));
}

static bool is_same_locks(const struct tk_lock_use *x, const struct tk_lock_use *y)
{
    return x->id == y->id && x->name == y->name && x->thread == y->thread && x->write == y->write;
}

static struct waits *waits_of(struct locks *l, const struct tk_lock_use *use)
{
    uint64_t key = hash(use);
    uint32_t first = tk_map_get(&l->g.index, key), at = first;
    while (at != TK_MAP_NONE && !is_same_locks(&l->waits.v[at].key, use))
        at = l->waits.v[at].next;
    if (at != TK_MAP_NONE)
        return &l->waits.v[at];
    struct waits fresh = {.key = *use, .next = first};
    if (tk_map_put(&l->g.index, key, (uint32_t)l->waits.n) || tk_vec_push(&l->waits, fresh))
        return NULL;
    return &l->waits.v[l->waits.n - 1];
}

static int done_locks(void *ctx, const struct tk_lock_use *use)
{
    struct locks *l = ctx;
    if (!tk_lock_selected(l->g.view, use))
        return 0;
    struct waits *w = waits_of(l, use);
    if (!w)
        return -1;
    if (!use->has_obtained) {
        w->open++;
        return 0;
    }
    if (tk_distribution_add_between(&w->wait, use->requested, use->obtained))
        return -1;
    return use->has_released ? tk_distribution_add_between(&w->held, use->obtained, use->released) : 0;
}

static int start_locks(void *self)
{
    struct locks *l = self;
    tk_lock_list_init(&l->list, l->g.view, done_locks, l);
    return 0;
}

static void release_waits(void *thing)
{
    struct waits *w = thing;
    tk_distribution_release(&w->wait);
    tk_distribution_release(&w->held);
}

static void release_locks(void *self)
{
    tk_lock_list_release(&((struct locks *)self)->list);
}

static int take_locks(void *self, const struct tk_fact *fact)
{
    return tk_lock_list_feed(&((struct locks *)self)->list, fact);
}

static int by_lock(const void *a, const void *b)
{
    const struct tk_lock_use *x = &((const struct waits *)a)->key, *y = &((const struct waits *)b)->key;
    int order = tk_str_order(x->name, y->name);
    if (order)
        return order;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->write - y->write;
}

static int settle_locks(void *self)
{
    return tk_lock_list_finish(&((struct locks *)self)->list);
}

static void fill_locks(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct locks *)self)->g.view;
    const struct waits *w = thing;
    row[LOCK] = tk_cell_of_text(w->key.name);
    row[LOCK_ID] = tk_cell_of_uint(w->key.id);
    row[THREAD_ID] = tk_query_context_thread_id(w->key.thread);
    row[THREAD] = tk_query_context_thread(view, w->key.thread);
    row[MODE] = tk_cell_of_c(w->key.write ? "write" : "read");
    row[COUNT] = tk_cell_of_uint(w->wait.count);
    row[OPEN] = tk_cell_of_uint(w->open);
    row[TOTAL] = tk_query_context_span(view, (int64_t)w->wait.total);
    tk_distribution_put(view, TK_DURATION, &w->wait, &row[LENGTHS]);
    row[HELD] = tk_query_context_span(view, (int64_t)w->held.total);
    tk_distribution_put(view, TK_DURATION, &w->held, &row[HELD_LENGTHS]);
}

static const struct tk_collecting gathering = {
    .what = "locks",
    .start = start_locks,
    .take = take_locks,
    .settle = settle_locks,
    .release = release_locks,
    TK_COLLECTOR_ROWS(struct locks, waits),
    .release_thing = release_waits,
    .order = by_lock,
    .fill = fill_locks,
};

const struct tk_builder tk_builder_locks = {
    .table = &table,
    .facts = TK_LOCK_FACTS,
    .traits = TK_BUILDER_SERIAL,
    TK_COLLECTS(gathering),
};
