/* Pool: every piece once, nested tasks, worker numbers. */
#include "io/scratch/pool.h"
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_JOBS = 8, PIECES = 5000 };

static const unsigned job_counts[] = {1, 2, 3, MOST_JOBS};

#define FOR_EACH_JOBS(jobs)                                                                                  \
    for (size_t j_ = 0, jobs; j_ < sizeof job_counts / sizeof job_counts[0] && (jobs = job_counts[j_], 1);   \
         j_++)

struct counts {
    atomic_uint ran[PIECES];
    unsigned jobs;
};

static void count_piece(void *ctx, size_t index, unsigned worker)
{
    struct counts *c = ctx;
    ck_assert_uint_lt(worker, c->jobs);
    atomic_fetch_add(&c->ran[index], 1);
}

START_TEST(every_piece_runs_once)
{
    FOR_EACH_JOBS(jobs)
    {
        struct tk_pool *pool = tk_pool_open((unsigned)jobs);
        ck_assert_ptr_nonnull(pool);
        ck_assert_uint_eq(tk_pool_jobs(pool), jobs);
        static struct counts c;
        for (size_t i = 0; i < PIECES; i++)
            atomic_store(&c.ran[i], 0);
        c.jobs = (unsigned)jobs;
        tk_pool_run(pool, count_piece, &c, PIECES);
        for (size_t i = 0; i < PIECES; i++)
            ck_assert_uint_eq(atomic_load(&c.ran[i]), 1);
        tk_pool_close(pool);
    }
}
END_TEST

static void no_piece(void *ctx, size_t index, unsigned worker)
{
    (void)ctx;
    (void)index;
    (void)worker;
    ck_abort_msg("a piece of an empty task ran");
}

START_TEST(empty_task_is_done)
{
    struct tk_pool *pool = tk_pool_open(2);
    tk_pool_run(pool, no_piece, NULL, 0);
    struct tk_task task;
    tk_pool_start(pool, &task, no_piece, NULL, 0);
    tk_pool_wait(pool, &task);
    tk_pool_wait(pool, &task);
    tk_pool_close(pool);
    tk_pool_close(NULL);
    pool = tk_pool_open(0);
    ck_assert_uint_eq(tk_pool_jobs(pool), 1);
    tk_pool_close(pool);
}
END_TEST

/*
 * A tree of tasks. Each piece owns the slot of its worker while it runs between waits: plain memory, so that
 * a sanitizer (and the check) sees two pieces of one number at a time.
 */
struct tree {
    struct tk_pool *pool;
    unsigned depth;
    atomic_ullong leaves, tokens;
    volatile uint64_t busy[MOST_JOBS];
};

struct node {
    struct tree *tree;
    unsigned level;
};

static void own_for_a_while(struct tree *t, unsigned worker)
{
    uint64_t token = atomic_fetch_add(&t->tokens, 1);
    t->busy[worker] = token;
    for (volatile int i = 0; i < 200; i++)
        continue;
    ck_assert_uint_eq(t->busy[worker], token);
}

static void walk(void *ctx, size_t index, unsigned worker)
{
    const struct node *n = ctx;
    (void)index;
    struct tree *t = n->tree;
    own_for_a_while(t, worker);
    if (n->level == t->depth) {
        atomic_fetch_add(&t->leaves, 1);
        return;
    }
    struct node child = {t, n->level + 1};
    struct tk_task first, second;
    tk_pool_start(t->pool, &first, walk, &child, 3);
    tk_pool_start(t->pool, &second, walk, &child, 2);
    tk_pool_wait(t->pool, &first);
    tk_pool_wait(t->pool, &second);
    own_for_a_while(t, worker);
}

START_TEST(tasks_nest)
{
    FOR_EACH_JOBS(jobs)
    {
        struct tree t = {.pool = tk_pool_open((unsigned)jobs), .depth = 6};
        struct node root = {&t, 0};
        tk_pool_run(t.pool, walk, &root, 4);
        /* 4 pieces, each level times 5: 4 * 5^6 */
        ck_assert_uint_eq(atomic_load(&t.leaves), 62500);
        tk_pool_close(t.pool);
    }
}
END_TEST

/*
 * A worker that waits is always tempted to begin another outer piece inside its wait: the second inner piece,
 * which the other worker runs, ends only when the next outer one has begun (or after a while). It must give
 * in a few times only, or stacks would grow with the number of pieces.
 */
enum { OUTER = 60, PATIENCE = 1000000 };

struct outer {
    struct tk_pool *pool;
    atomic_bool begun[OUTER + 1], taken[OUTER];
    atomic_uint deepest, inner;
};

struct inner {
    struct outer *outer;
    size_t index;
};

static _Thread_local unsigned nested;

static void inner_piece(void *ctx, size_t index, unsigned worker)
{
    const struct inner *in = ctx;
    struct outer *o = in->outer;
    (void)worker;
    if (index == 1)
        atomic_store(&o->taken[in->index], true);
    atomic_bool *until = index == 0 ? &o->taken[in->index] : &o->begun[in->index + 1];
    for (int i = 0; i < PATIENCE && !atomic_load(until); i++)
        continue;
    atomic_fetch_add(&o->inner, 1);
}

static void outer_piece(void *ctx, size_t index, unsigned worker)
{
    struct outer *o = ctx;
    struct inner in = {o, index};
    (void)worker;
    atomic_store(&o->begun[index], true);
    unsigned now = ++nested, deepest = atomic_load(&o->deepest);
    while (now > deepest && !atomic_compare_exchange_weak(&o->deepest, &deepest, now))
        continue;
    tk_pool_run(o->pool, inner_piece, &in, 2);
    nested--;
}

START_TEST(waiters_do_not_pile_up)
{
    static struct outer o;
    o.pool = tk_pool_open(2);
    tk_pool_run(o.pool, outer_piece, &o, OUTER);
    ck_assert_uint_eq(atomic_load(&o.inner), 2 * OUTER);
    unsigned deepest = atomic_load(&o.deepest);
    ck_assert_uint_le(deepest, 16);
    tk_pool_close(o.pool);
}
END_TEST

/* With one job everything runs in the caller, in order. */
struct order {
    pthread_t caller;
    size_t next;
};

static void in_order(void *ctx, size_t index, unsigned worker)
{
    struct order *o = ctx;
    ck_assert(pthread_equal(pthread_self(), o->caller));
    ck_assert_uint_eq(index, o->next);
    ck_assert_uint_eq(worker, 0);
    o->next++;
}

START_TEST(one_job_is_the_caller)
{
    struct tk_pool *pool = tk_pool_open(1);
    struct order o = {.caller = pthread_self()};
    tk_pool_run(pool, in_order, &o, 100);
    ck_assert_uint_eq(o.next, 100);
    tk_pool_close(pool);
}
END_TEST

/* A piece leaves what follows to a task of its own, perhaps to another worker. */
struct halves {
    struct tk_pool *pool;
    struct tk_task second[PIECES / 10];
    size_t n[PIECES / 10];
};

static void second_half(void *ctx, size_t index, unsigned worker)
{
    ck_assert_uint_eq(index, 0);
    ck_assert_uint_lt(worker, MOST_JOBS);
    ++*(size_t *)ctx;
}

static void first_half(void *ctx, size_t index, unsigned worker)
{
    struct halves *h = ctx;
    (void)worker;
    h->n[index] = index;
    tk_pool_start_here(h->pool, &h->second[index], second_half, &h->n[index]);
}

START_TEST(what_a_piece_leaves)
{
    FOR_EACH_JOBS(jobs)
    {
        static struct halves h;
        h.pool = tk_pool_open((unsigned)jobs);
        tk_pool_run(h.pool, first_half, &h, PIECES / 10);
        for (size_t i = 0; i < PIECES / 10; i++) {
            tk_pool_wait(h.pool, &h.second[i]);
            ck_assert_uint_eq(h.n[i], i + 1);
        }
        tk_pool_close(h.pool);
    }
}
END_TEST

/* Four pieces that wait for each other: they must run at the same time. */
static void meet(void *ctx, size_t index, unsigned worker)
{
    atomic_uint *arrived = ctx;
    (void)index;
    (void)worker;
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < 4)
        continue;
}

START_TEST(pieces_run_at_the_same_time)
{
    struct tk_pool *pool = tk_pool_open(4);
    for (int i = 0; i < 20; i++) {
        atomic_uint arrived = 0;
        tk_pool_run(pool, meet, &arrived, 4);
    }
    tk_pool_close(pool);
}
END_TEST

/* A worker of one pool that opens another is its worker 0; the outer number is untouched. */
static void with_own_pool(void *ctx, size_t index, unsigned worker)
{
    (void)index;
    (void)worker;
    static _Thread_local struct counts c;
    struct tk_pool *own = tk_pool_open(1);
    c.jobs = 1;
    for (size_t i = 0; i < 10; i++)
        atomic_store(&c.ran[i], 0);
    tk_pool_run(own, count_piece, &c, 10);
    for (size_t i = 0; i < 10; i++)
        ck_assert_uint_eq(atomic_load(&c.ran[i]), 1);
    tk_pool_close(own);
    atomic_fetch_add((atomic_uint *)ctx, 1);
}

START_TEST(pools_are_independent)
{
    struct tk_pool *pool = tk_pool_open(3);
    atomic_uint done = 0;
    tk_pool_run(pool, with_own_pool, &done, 50);
    ck_assert_uint_eq(atomic_load(&done), 50);
    tk_pool_close(pool);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_piece_runs_once, empty_task_is_done,          tasks_nest,          waiters_do_not_pile_up,
        one_job_is_the_caller, pieces_run_at_the_same_time, what_a_piece_leaves, pools_are_independent,
    };
    return RUN_TESTS("pool", tests);
}
