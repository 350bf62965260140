/*
 * Uses things behind their maker, on the pool. The task uses one thing, and is queued again while there are
 * others.
 */
#include "io/scratch/writebehind.h"

#include "io/scratch/pool_internal.h"

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
