/*
 * Produces items ahead of their consumer, on the pool. The task produces one item, and is queued again while
 * there are free places.
 */
#include "io/scratch/readahead.h"

#include "io/scratch/scratch_in.h"

/*
 * Uses things behind their maker, on the pool. The task uses one thing, and is queued again while there are
 * others.
 */

static void use_one(void *ctx, size_t index, unsigned worker)
{
    struct tk_writebehind *w = ctx;
    (void)index;
    if (w->status >= 0)
        w->last = w->use(w->ctx, w->used, worker);
}

static bool use_another(void *ctx)
{
    struct tk_writebehind *w = ctx;
    if (w->status >= 0)
        w->status = w->last;
    w->used++;
    return w->busy = w->used < w->made;
}

void tk_writebehind_open(struct tk_writebehind *w, struct tk_pool *pool, tk_writebehind_fn *use, void *ctx,
                         size_t places)
{
    *w = (struct tk_writebehind){.pool = pool, .use = use, .ctx = ctx, .places = places};
    w->task = (struct tk_task){.fn = use_one, .ctx = w, .count = 1, .again = use_another};
}

/* Waits until at most so many things are left. The failure so far. */
static int wait_for_rest(struct tk_writebehind *w, size_t most)
{
    while (w->made - w->used > most)
        tk_pool_help(w->pool, &w->task);
    return w->status;
}

int tk_writebehind_give(struct tk_writebehind *w)
{
    if (tk_pool_jobs(w->pool) == 1) {
        w->made++;
        use_one(w, 0, 0);
        use_another(w);
        return w->status;
    }
    tk_pool_lock(w->pool);
    w->made++;
    if (!w->busy) {
        w->busy = true;
        w->task.next = w->task.done = 0;
        tk_pool_queue(w->pool, &w->task);
    }
    const int status = wait_for_rest(w, w->places - 1);
    tk_pool_unlock(w->pool);
    return status;
}

int tk_writebehind_drain(struct tk_writebehind *w)
{
    if (!w->pool || tk_pool_jobs(w->pool) == 1)
        return w->status;
    tk_pool_lock(w->pool);
    const int status = wait_for_rest(w, 0);
    tk_pool_unlock(w->pool);
    return status;
}

static void make_one(void *ctx, size_t index, unsigned worker)
{
    struct tk_readahead *a = ctx;
    (void)index;
    a->succeeded = a->make(a->ctx, a->made, worker);
}

static bool has_space_readahead(const struct tk_readahead *a)
{
    return !a->over && !a->closing && a->made - a->used < a->places;
}

static bool make_another(void *ctx)
{
    struct tk_readahead *a = ctx;
    a->made += a->succeeded;
    a->over = !a->succeeded;
    return a->busy = has_space_readahead(a);
}

/* With the lock held. */
static void start_readahead(struct tk_readahead *a)
{
    a->busy = true;
    a->task.next = a->task.done = 0;
    tk_pool_queue(a->pool, &a->task);
}

void tk_readahead_open(struct tk_readahead *a, struct tk_pool *pool, tk_readahead_fn *make, void *ctx,
                       size_t places)
{
    *a = (struct tk_readahead){.pool = pool, .make = make, .ctx = ctx, .places = places};
    a->task = (struct tk_task){.fn = make_one, .ctx = a, .count = 1, .again = make_another};
}

/* Where places are free and nobody fills them. */
static void start_if_space(struct tk_readahead *a)
{
    if (!a->busy && has_space_readahead(a))
        start_readahead(a);
}

void tk_readahead_begin(struct tk_readahead *a)
{
    if (tk_pool_jobs(a->pool) == 1)
        return;
    tk_pool_lock(a->pool);
    start_if_space(a);
    tk_pool_unlock(a->pool);
}

static bool make_now(struct tk_readahead *a)
{
    if (a->made == a->used && !a->over) {
        make_one(a, 0, 0);
        make_another(a);
    }
    return a->made > a->used;
}

bool tk_readahead_take(struct tk_readahead *a)
{
    if (tk_pool_jobs(a->pool) == 1)
        return make_now(a);
    tk_pool_lock(a->pool);
    while (a->made == a->used && !a->over) {
        start_if_space(a);
        tk_pool_help(a->pool, &a->task);
    }
    const bool any = a->made > a->used;
    tk_pool_unlock(a->pool);
    return any;
}

void tk_readahead_give_back(struct tk_readahead *a)
{
    if (tk_pool_jobs(a->pool) == 1) {
        a->used++;
        return;
    }
    tk_pool_lock(a->pool);
    a->used++;
    start_if_space(a);
    tk_pool_unlock(a->pool);
}

void tk_readahead_close(struct tk_readahead *a)
{
    if (!a->pool || tk_pool_jobs(a->pool) == 1)
        return;
    tk_pool_lock(a->pool);
    a->closing = true;
    while (a->busy)
        tk_pool_help(a->pool, &a->task);
    tk_pool_unlock(a->pool);
}
