/*
 * Table `locks`: how long threads waited for locks and held them; a row a lock, thread and mode.
 */
#include "base/arena.h"
#include "base/text/text.h"
#include "model/threads/threads_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <string.h>

/*
 * Uses of locks.
 */

/* What a thread requested and has not given back, innermost last. */
struct tk_lock_thread {
    TK_STACK(struct tk_lock_use) open;
};

void tk_lock_list_init(struct tk_lock_list *list, const struct tk_query_context *view,
                       int (*done)(void *ctx, const struct tk_lock_use *use), void *ctx)
{
    *list = (struct tk_lock_list){.view = view, .done = done, .ctx = ctx};
}

static struct tk_lock_thread *thread_of_lock_list(struct tk_lock_list *list, uint32_t thread)
{
    uint32_t at = tk_map_get(&list->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)list->threads.n;
        if (tk_map_put(&list->index, thread, at) || tk_vec_push(&list->threads, (struct tk_lock_thread){0}))
            return NULL;
    }
    return &list->threads.v[at];
}

static int request(struct tk_lock_list *list, struct tk_lock_thread *t, const struct tk_fact *fact)
{
    struct tk_lock_use use = {.id = fact->u.lock.id,
                              .name = fact->u.lock.name,
                              .thread = fact->thread,
                              .write = fact->u.lock.write,
                              .requested = fact->time};
    if (t->open.n >= list->view->ctx->limits.open_scopes) {
        list->left_out++;
        return 0;
    }
    return tk_stack_push(&t->open, use);
}

static bool is_same_lock_list(const struct tk_lock_use *use, const struct tk_fact_lock *lock)
{
    return use->id == lock->id && use->name == lock->name;
}

/* One past the place of the innermost use of the lock, of those not obtained only if `requested`; 0: none. */
static size_t find_lock_list(const struct tk_lock_thread *t, const struct tk_fact_lock *lock, bool requested)
{
    size_t i = t->open.n;
    while (i > 0 &&
           !(is_same_lock_list(&t->open.v[i - 1], lock) && !(requested && t->open.v[i - 1].has_obtained)))
        i--;
    return i;
}

static void obtain(struct tk_lock_list *list, struct tk_lock_thread *t, const struct tk_fact *fact)
{
    size_t at = find_lock_list(t, &fact->u.lock, true);
    if (!at) {
        list->unmatched++;
        return;
    }
    t->open.v[at - 1].obtained = fact->time;
    t->open.v[at - 1].has_obtained = true;
}

static int give_back(struct tk_lock_list *list, struct tk_lock_thread *t, const struct tk_fact *fact)
{
    size_t at = find_lock_list(t, &fact->u.lock, false);
    if (!at) {
        list->unmatched++;
        return 0;
    }
    struct tk_lock_use use = t->open.v[at - 1];
    use.released = fact->time;
    use.has_released = true;
    tk_stack_remove(&t->open, at - 1);
    return list->done(list->ctx, &use);
}

/* Hands on all that is requested or held. */
static int hand_on_open(struct tk_lock_list *list, uint64_t *n)
{
    int rc = 0;
    for (size_t i = 0; i < list->threads.n; i++) {
        struct tk_lock_thread *t = &list->threads.v[i];
        for (size_t k = 0; k < t->open.n && rc == 0; k++)
            rc = list->done(list->ctx, &t->open.v[k]);
        *n += t->open.n;
        t->open.n = 0;
    }
    return rc;
}

int tk_lock_list_feed(struct tk_lock_list *list, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GAP)
        return hand_on_open(list, &list->torn);
    if (fact->kind != TK_FACT_LOCK)
        return 0;
    struct tk_lock_thread *t = thread_of_lock_list(list, fact->thread);
    if (!t)
        return -1;
    if (fact->u.lock.what == TK_LOCK_REQUESTED)
        return request(list, t, fact);
    if (fact->u.lock.what == TK_LOCK_RELEASED)
        return give_back(list, t, fact);
    obtain(list, t, fact);
    return 0;
}

int tk_lock_list_finish(struct tk_lock_list *list)
{
    struct tk_health *health = &list->view->ctx->health;
    uint64_t rest = 0;
    int rc = hand_on_open(list, &rest);
    if (list->torn)
        tk_health_note(health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->torn,
                       "locks were requested or held where events are lost, so their outcome is unknown");
    if (list->unmatched)
        tk_health_note(health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->unmatched,
                       "%" PRIu64 " acquisitions and releases of locks that were never requested",
                       list->unmatched);
    if (list->left_out)
        tk_health_limit(health, TK_LIMIT_open_scopes, TK_NO_OFFSET, list->left_out,
                        "%" PRIu64 " uses of locks were left out", list->left_out);
    return rc;
}

void tk_lock_list_release(struct tk_lock_list *list)
{
    for (size_t i = 0; i < list->threads.n; i++)
        tk_vec_release(&list->threads.v[i].open);
    tk_vec_release(&list->threads);
    tk_map_release(&list->index);
}

bool tk_lock_selected(const struct tk_query_context *view, const struct tk_lock_use *use)
{
    int64_t end = use->has_released ? use->released : INT64_MAX;
    return tk_select_touches(view->select, use->requested, end > use->requested ? end : use->requested) &&
           tk_select_thread(view->select, view->dict, use->thread);
}

enum {
    LOCK,
    LOCK_ID,
    THREAD_ID,
    THREAD,
    MODE = THREAD + TK_THREAD_COLUMNS,
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
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
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
    .schema = 2,
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
    tk_thread_put(view, w->key.thread, &row[THREAD]);
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
    .needs = {.facts = TK_LOCK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
