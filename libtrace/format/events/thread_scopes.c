/*
 * Scopes of a thread in order of start.
 *
 * A scope is known when it has ended, but its place is behind all that began before. So it is given a slot
 * when it begins, and scopes wait until nothing that is open began before them. Where one scope spans the
 * whole capture, that is its end: then they are sorted together, in a file if they are many.
 */
#include "format/events/events_in.h"
#include "tracekit/captures.h"

#include <string.h>

enum {
    STEP = 8192,         /* events of a part */
    FIRST_ENOUGH = 8192, /* scopes that wait before they are looked at */
};

/* The value of a slot whose scope has not ended. */
#define PENDING TK_EV_BEGIN

static int to_sorter(struct tk_ev_thread_scopes *t)
{
    int rc = TK_OK;
    t->uses_sorter = true;
    for (size_t i = 0; i < t->waiting.n && rc == TK_OK; i++)
        if (t->waiting.v[i].value != PENDING)
            rc = tk_ev_sorter_add(&t->sorter, &t->waiting.v[i], t->err);
    tk_vec_release(&t->waiting);
    return rc == TK_OK ? 0 : rc;
}

/* A scope behind those that wait; one that has not ended is not sorted yet. */
static int wait_behind(struct tk_ev_thread_scopes *t, const struct tk_ev_item *scope)
{
    int rc = !t->uses_sorter && t->waiting.n >= t->sorter.most ? to_sorter(t) : 0;
    if (rc)
        return rc;
    if (!t->uses_sorter)
        return tk_vec_push(&t->waiting, *scope) ? tk_err_nomem(t->err, "scopes to sort") : 0;
    return scope->value == PENDING ? 0 : tk_ev_sorter_add(&t->sorter, scope, t->err);
}

/* A scope that has ended goes to its slot. */
static int fill_slot(void *ctx, const struct tk_ev_item *scope)
{
    struct tk_ev_thread_scopes *t = ctx;
    if (t->uses_sorter)
        return tk_ev_sorter_add(&t->sorter, scope, t->err);
    t->waiting.v[t->pairs.slot - t->given] = *scope;
    return 0;
}

/* Gives what began before a time and needs wait no longer. */
static int give_before(struct tk_ev_thread_scopes *t, int64_t before, bool all)
{
    size_t n = all ? t->waiting.n : 0;
    while (n < t->waiting.n && t->waiting.v[n].time < before)
        n++;
    if (tk_ev_sort_items(t->waiting.v, n, t->sorter.compare))
        return tk_err_nomem(t->err, "scopes to sort");
    for (size_t i = 0; i < n; i++)
        if (t->take(t->ctx, &t->waiting.v[i]))
            return tk_err_nomem(t->err, "scopes of a thread");
    t->waiting.n -= n;
    t->given += n;
    if (t->waiting.n)
        memmove(t->waiting.v, t->waiting.v + n, t->waiting.n * sizeof *t->waiting.v);
    if (n < t->enough / 2)
        t->enough *= 2;
    return TK_OK;
}

static int give_sure(struct tk_ev_thread_scopes *t)
{
    const struct tk_ev_pairs *p = &t->pairs;
    int64_t before = p->stack.n && p->stack.v[0].begin < t->now ? p->stack.v[0].begin : t->now;
    return !t->uses_sorter && t->waiting.n >= t->enough ? give_before(t, before, false) : TK_OK;
}

static int open_scope(struct tk_ev_thread_scopes *t, const struct tk_ev_item *begin)
{
    t->pairs.stack.v[t->pairs.stack.n - 1].slot = t->given + t->waiting.n;
    return wait_behind(t, begin);
}

static int take_event(struct tk_ev_thread_scopes *t, const struct tk_ev_item *item)
{
    const bool pairs = item->value == TK_EV_BEGIN || item->value == TK_EV_END;
    int rc = pairs ? tk_ev_pairs_take(&t->pairs, item) : wait_behind(t, item);
    t->now = item->time;
    if (rc == 1)
        rc = open_scope(t, item);
    return rc == -1 ? tk_err_nomem(t->err, "open scopes of a thread") : rc;
}

static int read_part(struct tk_ev_thread_scopes *t)
{
    const struct tk_ev_item *item;
    int rc = TK_ITEM;
    for (size_t i = 0; i < STEP && rc == TK_ITEM; i++) {
        rc = tk_ev_ordered_next(&t->events, &item, t->err);
        if (rc == TK_ITEM) {
            int taken = take_event(t, item);
            rc = taken ? taken : TK_ITEM;
        }
    }
    if (rc == TK_ITEM) {
        int given = give_sure(t);
        return given == TK_OK ? TK_ITEM : given;
    }
    if (rc != TK_OK)
        return rc;
    t->read = true;
    rc = tk_ev_pairs_finish(&t->pairs);
    if (rc)
        return rc == -1 ? tk_err_nomem(t->err, "open scopes of a thread") : rc;
    if (t->uses_sorter)
        rc = tk_ev_sorter_start(&t->sorter, t->err);
    return rc == TK_OK ? TK_ITEM : rc;
}

static int give_sorted(struct tk_ev_thread_scopes *t)
{
    const struct tk_ev_item *item;
    int rc = TK_ITEM;
    if (!t->uses_sorter)
        return give_before(t, 0, true);
    for (size_t i = 0; i < STEP && rc == TK_ITEM; i++) {
        rc = tk_ev_sorter_next(&t->sorter, &item, t->err);
        if (rc == TK_ITEM && t->take(t->ctx, item))
            return tk_err_nomem(t->err, "scopes of a thread");
    }
    return rc;
}

static int give_nested(struct tk_ev_thread_scopes *t)
{
    const struct tk_ev_item *items;
    size_t n = 0;
    int rc = TK_ITEM;
    for (size_t i = 0; i < STEP && rc == TK_ITEM; i += n) {
        rc = tk_ev_track_next_all(&t->events.reader, &items, &n, t->err);
        if (rc == TK_ITEM && t->take_nested(t->ctx, items, n))
            return tk_err_nomem(t->err, "scopes of a thread");
    }
    return rc;
}

int tk_ev_thread_scopes_step(struct tk_ev_thread_scopes *t, struct tk_err *err)
{
    t->err = err;
    if (t->nested)
        return give_nested(t);
    return t->read ? give_sorted(t) : read_part(t);
}

int tk_ev_thread_scopes_open(struct tk_ev_thread_scopes *t, struct tk_ev_capture *c,
                             const struct tk_ev_thread *thread, struct tk_err *err)
{
    const char *dir = c->ctx->options->spool_dir;
    bool by_end = thread->any_whole && thread->begins_fall && !thread->ends_fall;
    t->c = c;
    t->err = err;
    t->enough = FIRST_ENOUGH;
    t->uses_sorter = t->read = false;
    t->open = true;
    t->sorter = (struct tk_ev_sorter){.compare = by_end ? tk_ev_by_begin_late : tk_ev_by_begin,
                                      .dir = dir,
                                      .most = thread->scopes.unsorted ? TK_EV_SORT_MANY : TK_EV_SORT_FEW};
    t->nested = t->take_nested && c->ctx->limits.nesting >= TK_EV_NESTED_DEPTH && c->ctx->limits.lanes &&
                !thread->any_whole && !thread->nested.fails && !thread->scopes.unsorted;
    t->given = 0;
    t->pairs.put = fill_slot;
    t->pairs.ctx = t;
    t->pairs.names = c->names.name_of_timer.v;
    t->pairs.most = c->ctx->limits.nesting;
    tk_ev_pairs_begin(&t->pairs);
    return tk_ev_ordered_open(&t->events, &thread->scopes, c->spill, dir, err);
}

void tk_ev_thread_scopes_close(struct tk_ev_thread_scopes *t)
{
    if (!t->open)
        return;
    t->open = false;
    tk_ev_ordered_release(&t->events);
    tk_ev_sorter_clear(&t->sorter);
    t->waiting.n = 0;
}

void tk_ev_thread_scopes_release(struct tk_ev_thread_scopes *t)
{
    tk_ev_thread_scopes_close(t);
    tk_ev_pairs_release(&t->pairs);
    tk_vec_release(&t->waiting);
}
