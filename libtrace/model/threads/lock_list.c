/*
 * Uses of locks. See lock_list.h.
 */
#include "model/threads/lock_list.h"

#include "base/stack.h"

#include <inttypes.h>

/* What a thread asked for and has not given back, innermost last. */
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

/* One past the place of the innermost use of the lock, of those not obtained only if `asked`; 0: none. */
static size_t find_lock_list(const struct tk_lock_thread *t, const struct tk_fact_lock *lock, bool asked)
{
    size_t i = t->open.n;
    while (i > 0 &&
           !(is_same_lock_list(&t->open.v[i - 1], lock) && !(asked && t->open.v[i - 1].has_obtained)))
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

/* Hands on all that is asked for or held. */
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
