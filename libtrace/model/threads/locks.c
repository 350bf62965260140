/*
 * Tables `locks` (how long threads waited for locks and held them; a row a lock, thread and mode) and
 * `lock_rows` (every use of a lock, in order of the requests).
 */
#include "base/arena.h"
#include "base/text/text.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <string.h>

/*
 * Lock list: puts the uses of locks together from the records of threads, and hands each on when it ends.
 * A thread can ask for a lock while it holds one: what it gets or gives back is the innermost that fits. What
 * goes on where events are lost is handed on without what came later. Facts come in order of seq.
 */

#define LOCK_FACTS (TK_FACT_MASK(LOCK) | TK_FACT_MASK(GAP))

/* Times in cycles since the start. */
struct lock_use {
    uint64_t id;
    const struct tk_str *name; /* NULL: not known */
    uint32_t thread;
    bool write;
    bool has_obtained, has_released;
    int64_t requested, obtained, released;
};

/* What a thread requested and has not given back, innermost last. */
struct lock_thread {
    TK_STACK(struct lock_use) open;
};

struct lock_list {
    const struct tk_query_context *view;
    struct tk_map index; /* thread -> place */
    TK_VEC(struct lock_thread) threads;
    uint64_t unmatched, left_out, torn;
    int (*done)(void *ctx, const struct lock_use *use); /* 0, or -1 if out of memory */
    void *ctx;
};

static void lock_list_init(struct lock_list *list, const struct tk_query_context *view,
                           int (*done)(void *ctx, const struct lock_use *use), void *ctx)
{
    *list = (struct lock_list){.view = view, .done = done, .ctx = ctx};
}

static struct lock_thread *thread_of(struct lock_list *list, uint32_t thread)
{
    uint32_t at = tk_map_get(&list->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)list->threads.n;
        if (tk_map_put(&list->index, thread, at) || tk_vec_push(&list->threads, (struct lock_thread){0}))
            return NULL;
    }
    return &list->threads.v[at];
}

static int request(struct lock_list *list, struct lock_thread *t, const struct tk_fact *fact)
{
    struct lock_use use = {.id = fact->u.lock.id,
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

static bool is_use_of(const struct lock_use *use, const struct tk_fact_lock *lock)
{
    return use->id == lock->id && use->name == lock->name;
}

/* One past the place of the innermost use of the lock, of those not obtained only if `requested`; 0: none. */
static size_t find_use(const struct lock_thread *t, const struct tk_fact_lock *lock, bool requested)
{
    size_t i = t->open.n;
    while (i > 0 && !(is_use_of(&t->open.v[i - 1], lock) && !(requested && t->open.v[i - 1].has_obtained)))
        i--;
    return i;
}

static void obtain(struct lock_list *list, struct lock_thread *t, const struct tk_fact *fact)
{
    size_t at = find_use(t, &fact->u.lock, true);
    if (!at) {
        list->unmatched++;
        return;
    }
    t->open.v[at - 1].obtained = fact->time;
    t->open.v[at - 1].has_obtained = true;
}

static int give_back(struct lock_list *list, struct lock_thread *t, const struct tk_fact *fact)
{
    size_t at = find_use(t, &fact->u.lock, false);
    if (!at) {
        list->unmatched++;
        return 0;
    }
    struct lock_use use = t->open.v[at - 1];
    use.released = fact->time;
    use.has_released = true;
    tk_stack_remove(&t->open, at - 1);
    return list->done(list->ctx, &use);
}

/* Hands on all that is requested or held. */
static int hand_on_open(struct lock_list *list, uint64_t *n)
{
    int rc = 0;
    for (size_t i = 0; i < list->threads.n; i++) {
        struct lock_thread *t = &list->threads.v[i];
        for (size_t k = 0; k < t->open.n && rc == 0; k++)
            rc = list->done(list->ctx, &t->open.v[k]);
        *n += t->open.n;
        t->open.n = 0;
    }
    return rc;
}

/* Takes a fact; ignores others than LOCK_FACTS. 0, or -1 if out of memory. */
static int lock_list_feed(struct lock_list *list, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GAP)
        return hand_on_open(list, &list->torn);
    if (fact->kind != TK_FACT_LOCK)
        return 0;
    struct lock_thread *t = thread_of(list, fact->thread);
    if (!t)
        return -1;
    if (fact->u.lock.what == TK_LOCK_REQUESTED)
        return request(list, t, fact);
    if (fact->u.lock.what == TK_LOCK_RELEASED)
        return give_back(list, t, fact);
    obtain(list, t, fact);
    return 0;
}

/* Hands on what is still requested or held, and notes what was wrong. 0, or -1 if out of memory. */
static int lock_list_finish(struct lock_list *list)
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

static void lock_list_release(struct lock_list *list)
{
    for (size_t i = 0; i < list->threads.n; i++)
        tk_vec_release(&list->threads.v[i].open);
    tk_vec_release(&list->threads);
    tk_map_release(&list->index);
}

/* Is a use selected? By its thread, and the time from the request to the last that is known of it. */
static bool is_lock_selected(const struct tk_query_context *view, const struct lock_use *use)
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
    struct lock_use key; /* the first of them; only lock, thread and mode matter */
    uint64_t open;
    struct tk_distribution wait, held;
    uint32_t next; /* with the same hash, or TK_MAP_NONE */
};

struct locks {
    struct tk_collector g;
    struct lock_list list;
    TK_VEC(struct waits) waits; /* the first of a hash is looked up by it */
};

static uint64_t hash(const struct lock_use *use)
{
    uint64_t h = tk_hash_pair(use->id, (uintptr_t)use->name);
    return tk_hash_u64(h ^ ((uint64_t)use->thread << 1 | use->write));
}

static bool is_same(const struct lock_use *x, const struct lock_use *y)
{
    return x->id == y->id && x->name == y->name && x->thread == y->thread && x->write == y->write;
}

static struct waits *waits_of(struct locks *l, const struct lock_use *use)
{
    uint64_t key = hash(use);
    uint32_t first = tk_map_get(&l->g.index, key), at = first;
    while (at != TK_MAP_NONE && !is_same(&l->waits.v[at].key, use))
        at = l->waits.v[at].next;
    if (at != TK_MAP_NONE)
        return &l->waits.v[at];
    struct waits fresh = {.key = *use, .next = first};
    if (tk_map_put(&l->g.index, key, (uint32_t)l->waits.n) || tk_vec_push(&l->waits, fresh))
        return NULL;
    return &l->waits.v[l->waits.n - 1];
}

static int done_locks(void *ctx, const struct lock_use *use)
{
    struct locks *l = ctx;
    if (!is_lock_selected(l->g.view, use))
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
    lock_list_init(&l->list, l->g.view, done_locks, l);
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
    lock_list_release(&((struct locks *)self)->list);
}

static int take_locks(void *self, const struct tk_fact *fact)
{
    return lock_list_feed(&((struct locks *)self)->list, fact);
}

static int by_lock(const void *a, const void *b)
{
    const struct lock_use *x = &((const struct waits *)a)->key, *y = &((const struct waits *)b)->key;
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
    return lock_list_finish(&((struct locks *)self)->list);
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
    .needs = {.facts = LOCK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};

/*
 * Table `lock_rows`.
 */

enum {
    USE_LOCK,
    USE_LOCK_ID,
    USE_MODE,
    USE_THREAD_ID,
    USE_THREAD,
    USE_REQUESTED = USE_THREAD + TK_THREAD_COLUMNS,
    USE_OBTAINED,
    USE_RELEASED,
    USE_WAIT,
    USE_HELD,
    USE_COLUMNS
};

static const struct tk_column use_columns[USE_COLUMNS] = {
    [USE_LOCK] = {"lock", TK_TEXT, 0, NULL, "name of the lock"},
    [USE_LOCK_ID] = {"lock_id", TK_UINT, TK_COL_EXTRA, NULL, "distinguishes locks of the same name"},
    [USE_MODE] = {"mode", TK_TEXT, 0, NULL, "read (shared) or write (exclusive)"},
    [USE_THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [USE_THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [USE_REQUESTED] = {"requested", TK_TIME, 0, NULL, "when it requested the lock"},
    [USE_OBTAINED] = {"obtained", TK_TIME, 0, NULL, "when it acquired the lock; empty if it did not"},
    [USE_RELEASED] = {"released", TK_TIME, 0, NULL, "when it released the lock; empty if it did not"},
    [USE_WAIT] = {"wait", TK_DURATION, 0, NULL, "from requested to obtained"},
    [USE_HELD] = {"held", TK_DURATION, 0, NULL, "from obtained to released"},
};

static const struct tk_table use_table = {
    .name = "lock_rows",
    .help = "every use of a lock",
    .columns = use_columns,
    .n_columns = USE_COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct rows {
    struct tk_collector g;
    struct lock_list list;
    TK_VEC(struct lock_use) rows;
};

static int done_lock_rows(void *ctx, const struct lock_use *use)
{
    struct rows *r = ctx;
    if (!is_lock_selected(r->g.view, use) || !tk_row_limit_for(&r->g.capacity, r->rows.n))
        return 0;
    return tk_vec_push(&r->rows, *use);
}

static int start_lock_rows(void *self)
{
    struct rows *r = self;
    lock_list_init(&r->list, r->g.view, done_lock_rows, r);
    return 0;
}

static int take_lock_rows(void *self, const struct tk_fact *fact)
{
    return lock_list_feed(&((struct rows *)self)->list, fact);
}

static int by_request(const void *a, const void *b)
{
    const struct lock_use *x = a, *y = b;
    return (x->requested > y->requested) - (x->requested < y->requested);
}

static void fill_lock_rows(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct rows *)self)->g.view;
    const struct lock_use *use = thing;
    row[USE_LOCK] = tk_cell_of_text(use->name);
    row[USE_LOCK_ID] = tk_cell_of_uint(use->id);
    row[USE_MODE] = tk_cell_of_c(use->write ? "write" : "read");
    row[USE_THREAD_ID] = tk_query_context_thread_id(use->thread);
    tk_thread_put(view, use->thread, &row[USE_THREAD]);
    row[USE_REQUESTED] = tk_query_context_time(view, use->requested);
    if (use->has_obtained) {
        row[USE_OBTAINED] = tk_query_context_time(view, use->obtained);
        row[USE_WAIT] = tk_query_context_between(view, use->requested, use->obtained);
    }
    if (use->has_released)
        row[USE_RELEASED] = tk_query_context_time(view, use->released);
    if (use->has_obtained && use->has_released)
        row[USE_HELD] = tk_query_context_between(view, use->obtained, use->released);
}

static int settle_lock_rows(void *self)
{
    return lock_list_finish(&((struct rows *)self)->list);
}

static void release_lock_rows(void *self)
{
    lock_list_release(&((struct rows *)self)->list);
}

static const struct tk_collecting use_gathering = {
    .what = "locks",
    .start = start_lock_rows,
    .take = take_lock_rows,
    .settle = settle_lock_rows,
    .release = release_lock_rows,
    TK_COLLECTOR_ROWS(struct rows, rows),
    .order = by_request,
    .spills = true,
    .fill = fill_lock_rows,
};

const struct tk_builder tk_builder_lock_rows = {
    .table = &use_table,
    .needs = {.facts = LOCK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(use_gathering),
};
