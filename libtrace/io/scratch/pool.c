/*
 * The thread pool: worker threads and one monitor. Readings hand their pieces of work
 * to it.
 *
 * Tasks that have pieces to hand out are in a list: those that pieces have started first, since somebody
 * waits for them in the middle of something, then the others in the order they came. Pieces are large (20 us
 * and more), so handing them out under the lock costs nothing that counts.
 */
#include "io/scratch/pool.h"

#include "base/bits.h"
#include "io/scratch/scratch_in.h"
#include "os/thread.h"

#include <stdlib.h>

/*
 * Makes things on the pool, and uses them in order there. A task makes each thing, and uses it if it is its
 * turn; another one uses what was made before that, and is queued again while the next one is made.
 */

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

/* Pieces of other tasks run inside each other's waits on one stack: so many deep, then a waiter sleeps. */
enum { DEEPEST_HELP = 8 };

struct tk_pool {
    struct tk_os_monitor lock; /* changes: a task was queued or is done, or the pool closes */
    struct tk_task *first, *last;
    unsigned sleepers;
    bool closing;
    unsigned jobs, n_threads;
    struct worker {
        struct tk_pool *pool;
        unsigned number;
        struct tk_os_thread thread;
    } threads[]; /* jobs - 1 */
};

/* Which worker of which pool this thread is; any other thread is worker 0 of the pools that it opened. */
static TK_THREAD_LOCAL const struct tk_pool *own_pool;
static TK_THREAD_LOCAL unsigned own_number;
static TK_THREAD_LOCAL unsigned help_depth;
static TK_THREAD_LOCAL const struct tk_pool *running; /* whose piece this thread is in */

static unsigned worker_number(const struct tk_pool *pool)
{
    return own_pool == pool ? own_number : 0;
}

static void call(struct tk_pool *pool, tk_task_fn *fn, void *ctx, size_t index)
{
    const struct tk_pool *outer = running;
    running = pool;
    fn(ctx, index, worker_number(pool));
    running = outer;
}

/* All below are called with the lock held. */

static void wake_all(struct tk_pool *pool)
{
    if (pool->sleepers)
        tk_os_monitor_tell(&pool->lock);
}

void tk_pool_queue(struct tk_pool *pool, struct tk_task *task)
{
    if (task->first || !pool->first) {
        task->link = pool->first;
        pool->first = task;
    } else {
        task->link = NULL;
        pool->last->link = task;
    }
    if (!task->link)
        pool->last = task;
    wake_all(pool);
}

static void unqueue(struct tk_pool *pool, struct tk_task *task)
{
    struct tk_task **at = &pool->first, *before = NULL;
    while (*at && *at != task) {
        before = *at;
        at = &before->link;
    }
    *at = task->link; /* it is there: only what has pieces left is run */
    if (pool->last == task)
        pool->last = before;
}

static void sleep_until_change(struct tk_pool *pool)
{
    pool->sleepers++;
    tk_os_monitor_wait(&pool->lock);
    pool->sleepers--;
}

/* Runs one piece, without the lock meanwhile. The task has pieces left. */
static void run_piece(struct tk_pool *pool, struct tk_task *task)
{
    size_t index = task->next++;
    if (task->next == task->count)
        unqueue(pool, task);
    tk_os_monitor_unlock(&pool->lock);
    call(pool, task->fn, task->ctx, index);
    tk_os_monitor_lock(&pool->lock);
    if (task->again && task->again(task->ctx)) {
        task->next = 0;
        tk_pool_queue(pool, task);
        return;
    }
    /* The last to finish must not touch the task again: its owner may be gone with it. */
    if (++task->done == task->count)
        wake_all(pool);
}

/* The first task that is at home here or anywhere, else the first one; NULL without any. */
static struct tk_task *pick(const struct tk_pool *pool)
{
    const unsigned here = worker_number(pool) + 1;
    for (struct tk_task *t = pool->first; t; t = t->link)
        if (!t->home || t->home == here)
            return t;
    return pool->first;
}

static void work(void *arg)
{
    struct worker *self = arg;
    struct tk_pool *pool = self->pool;
    own_pool = pool;
    own_number = self->number;
    tk_os_monitor_lock(&pool->lock);
    while (!pool->closing) {
        struct tk_task *task = pick(pool);
        if (task)
            run_piece(pool, task);
        else
            sleep_until_change(pool);
    }
    tk_os_monitor_unlock(&pool->lock);
}

static bool start_threads(struct tk_pool *pool)
{
    for (unsigned i = 0; i + 1 < pool->jobs; i++) {
        struct worker *w = &pool->threads[i];
        *w = (struct worker){.pool = pool, .number = i + 1};
        if (!tk_os_thread_start(&w->thread, work, w))
            break;
        pool->n_threads++;
    }
    return pool->n_threads + 1 == pool->jobs;
}

struct tk_pool *tk_pool_open(unsigned jobs)
{
    if (jobs == 0)
        jobs = 1;
    struct tk_pool *pool = calloc(1, sizeof *pool + (jobs - 1) * sizeof pool->threads[0]);
    if (!pool)
        return NULL;
    pool->jobs = jobs;
    if (!tk_os_monitor_init(&pool->lock)) {
        free(pool);
        return NULL;
    }
    if (!start_threads(pool)) {
        tk_pool_close(pool);
        return NULL;
    }
    return pool;
}

unsigned tk_pool_jobs(const struct tk_pool *pool)
{
    return pool->jobs;
}

static void start_pool(struct tk_pool *pool, struct tk_task *task)
{
    tk_os_monitor_lock(&pool->lock);
    tk_pool_queue(pool, task);
    tk_os_monitor_unlock(&pool->lock);
}

void tk_pool_start(struct tk_pool *pool, struct tk_task *task, tk_task_fn *fn, void *ctx, size_t count)
{
    *task = (struct tk_task){.fn = fn, .ctx = ctx, .count = count, .first = running == pool};
    if (count)
        start_pool(pool, task);
}

void tk_pool_start_here(struct tk_pool *pool, struct tk_task *task, tk_task_fn *fn, void *ctx)
{
    *task =
        (struct tk_task){.fn = fn, .ctx = ctx, .count = 1, .first = true, .home = 1 + worker_number(pool)};
    start_pool(pool, task);
}

void tk_pool_lock(struct tk_pool *pool)
{
    tk_os_monitor_lock(&pool->lock);
}

void tk_pool_unlock(struct tk_pool *pool)
{
    tk_os_monitor_unlock(&pool->lock);
}

/* What a waiter runs: what it waits for, unless that is at home elsewhere and something else is here. */
static struct tk_task *choose_pool(const struct tk_pool *pool, struct tk_task *task)
{
    struct tk_task *other = help_depth < DEEPEST_HELP ? pick(pool) : NULL;
    if (task->next == task->count)
        return other;
    const unsigned here = worker_number(pool) + 1;
    return other && task->home && task->home != here && other->home == here ? other : task;
}

void tk_pool_help(struct tk_pool *pool, struct tk_task *task)
{
    struct tk_task *chosen = choose_pool(pool, task);
    if (!chosen) {
        sleep_until_change(pool);
        return;
    }
    const unsigned deeper = chosen != task; /* which is gone afterwards */
    help_depth += deeper;
    run_piece(pool, chosen);
    help_depth -= deeper;
}

void tk_pool_wait(struct tk_pool *pool, struct tk_task *task)
{
    tk_os_monitor_lock(&pool->lock);
    while (task->done < task->count)
        tk_pool_help(pool, task);
    tk_os_monitor_unlock(&pool->lock);
}

void tk_pool_run(struct tk_pool *pool, tk_task_fn *fn, void *ctx, size_t count)
{
    struct tk_task task;
    if (count == 1) { /* nobody else could help */
        call(pool, fn, ctx, 0);
        return;
    }
    tk_pool_start(pool, &task, fn, ctx, count);
    tk_pool_wait(pool, &task);
}

void tk_pool_close(struct tk_pool *pool)
{
    if (!pool)
        return;
    tk_os_monitor_lock(&pool->lock);
    pool->closing = true;
    wake_all(pool);
    tk_os_monitor_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_threads; i++)
        tk_os_thread_join(&pool->threads[i].thread);
    tk_os_monitor_destroy(&pool->lock);
    free(pool);
}
