/*
 * Makes things on the pool, and uses them in order there. A task makes each thing, and uses it if it is its
 * turn; another one uses what was made before that, and is queued again while the next one is made. See
 * in_order.h.
 */
#include "io/scratch/in_order.h"

#include "io/scratch/pool_internal.h"

/* Under the lock: is the next one there? */
static bool is_ready(const struct tk_in_order *o)
{
    return o->used < o->given && o->places[o->used % o->n_places].made;
}

static void use_next(void *ctx, size_t index, unsigned worker)
{
    struct tk_in_order *o = ctx;
    (void)index;
    if (o->status >= 0)
        o->last = o->use(o->ctx, o->used % o->n_places, worker);
}

static bool use_another(void *ctx)
{
    struct tk_in_order *o = ctx;
    if (o->status >= 0)
        o->status = o->last;
    o->used++;
    return o->busy = is_ready(o);
}

/* Under the lock, which it drops meanwhile: who has made the next one has it in the nearest cache, and uses
 * it. */
static bool use_own(struct tk_in_order *o, const struct tk_in_order_place *made, unsigned worker)
{
    if (made != &o->places[o->used % o->n_places])
        return true;
    tk_pool_unlock(o->pool);
    use_next(o, 0, worker);
    tk_pool_lock(o->pool);
    return use_another(o);
}

static void make_one(void *ctx, size_t index, unsigned worker)
{
    struct tk_in_order_place *place = ctx;
    struct tk_in_order *o = place->of;
    (void)index;
    o->make(o->ctx, (size_t)(place - o->places), worker);
    tk_pool_lock(o->pool);
    place->made = true;
    if (!o->busy && is_ready(o)) {
        o->busy = true;
        if (use_own(o, place, worker)) {
            o->task.next = o->task.done = 0;
            tk_pool_queue(o->pool, &o->task);
        }
    }
    tk_pool_unlock(o->pool);
}

void tk_in_order_open(struct tk_in_order *o, struct tk_pool *pool, tk_in_order_make_fn *make,
                      tk_in_order_use_fn *use, void *ctx)
{
    const size_t jobs = tk_pool_jobs(pool);
    *o = (struct tk_in_order){.pool = pool,
                              .make = make,
                              .use = use,
                              .ctx = ctx,
                              .n_places = jobs < TK_IN_ORDER_MOST ? jobs + 1 : TK_IN_ORDER_MOST};
    /* nothing to hand out until something is made; who waits for it goes first */
    o->task = (struct tk_task){
        .fn = use_next, .ctx = o, .count = 1, .next = 1, .done = 1, .first = true, .again = use_another};
    for (size_t i = 0; i < o->n_places; i++)
        o->places[i].of = o;
}

/* Waits until at most so many things are left. The failure so far. */
static int wait_for_rest(struct tk_in_order *o, size_t most)
{
    tk_pool_lock(o->pool);
    while (o->given - o->used > most)
        tk_pool_help(o->pool, &o->task);
    const int status = o->status;
    tk_pool_unlock(o->pool);
    return status;
}

int tk_in_order_give(struct tk_in_order *o)
{
    struct tk_in_order_place *place = &o->places[tk_in_order_filling(o)];
    tk_pool_wait(o->pool, &place->task); /* it was used, but who made it may not be back yet */
    tk_pool_lock(o->pool);
    place->made = false;
    o->given++;
    tk_pool_unlock(o->pool);
    tk_pool_start(o->pool, &place->task, make_one, place, 1);
    return wait_for_rest(o, o->n_places - 1);
}

int tk_in_order_drain(struct tk_in_order *o)
{
    if (!o->pool)
        return o->status;
    const int status = wait_for_rest(o, 0);
    for (size_t i = 0; i < o->n_places; i++)
        tk_pool_wait(o->pool, &o->places[i].task);
    return status;
}
