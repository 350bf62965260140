/*
 * Scope model: every kernel against the slow way on random ops, and small cases by hand.
 */
#include "query/scope_rig.h"

START_TEST(random_ops)
{
    for (unsigned i = 0; i < 250; i++)
        random_case(1);
}
END_TEST

/* ---- by hand ---- */

static void feed_one(struct tk_scope_model *model, size_t n, const int64_t *time, const uint32_t *op)
{
    struct tk_scope_run run = {.thread = 100, .n = n, .time = time, .op = op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    ck_assert_int_eq(tk_scope_model_feed(model, &batch, NULL), TK_OK);
}

static struct tk_scope_model *open_columns(struct tk_pool *pool, const struct tk_limits *limits,
                                           unsigned columns, const struct tk_range *selected)
{
    struct tk_scope_model *model;
    struct tk_scope_setup setup = {.limits = limits,
                                   .select = &t.select,
                                   .frames = &t.frames,
                                   .pool = pool,
                                   .columns = columns,
                                   .take = take,
                                   .ctx = &t};
    memset(&t, 0, sizeof t);
    t.select.all_time = true;
    if (selected)
        ck_assert_int_eq(tk_select_narrow(&t.select, selected, 1, "", NULL), TK_OK);
    ck_assert_int_eq(tk_scope_model_open(&model, &setup, NULL), TK_OK);
    return model;
}

static struct tk_scope_model *open_all(struct tk_pool *pool, const struct tk_limits *limits)
{
    return open_columns(pool, limits, 15, NULL);
}

/* Selected is 40 .. 50: inside 1 (0 .. 100) and 3 (30 .. 60), and not in 2 (10 .. 20) and 4 (70 .. 90), which
 * lie in 1, too. */
static void whole_or_cut(unsigned columns, const uint64_t total[2], const uint64_t excl[2])
{
    static const struct tk_range selected = {40, 50};
    static const int64_t time[] = {0, 10, 20, 30, 60, 70, 90, 100};
    static const uint32_t op[] = {1, 2, TK_OP_END, 3, TK_OP_END, 4, TK_OP_END, TK_OP_END};
    struct tk_limits limits = tk_limits_default();
    struct tk_pool *pool = tk_pool_open(1);
    struct tk_scope_model *model = open_columns(pool, &limits, columns, &selected);
    const struct truth_scope *s = t.seen[0].scopes;
    feed_one(model, sizeof op / sizeof *op, time, op);
    ck_assert_uint_eq(t.seen[0].n, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(s[i].timer, i ? 1 : 3);
        ck_assert_uint_eq(s[i].total, total[i]);
        ck_assert_uint_eq(s[i].excl, excl[i]);
    }
    tk_scope_model_close(model);
    tk_select_release(&t.select);
    tk_pool_close(pool);
}

START_TEST(whole_by_hand)
{
    whole_or_cut(15 | TK_SLICE_WHOLE, (const uint64_t[]){30, 100}, (const uint64_t[]){30, 40});
    whole_or_cut(15, (const uint64_t[]){10, 10}, (const uint64_t[]){10, 0});
}
END_TEST

/* A stamped scope that outlives the plain one it began in; the plain one is taken out of the middle. */
START_TEST(two_writers_by_hand)
{
    static const int64_t time[] = {0, 10, 20, 50, 70, 90};
    static const uint32_t op[] = {1, 2, 3 | TK_OP_STAMPED, TK_OP_END, TK_OP_END | TK_OP_STAMPED, TK_OP_END};
    struct tk_limits limits = tk_limits_default();
    struct tk_pool *pool = tk_pool_open(1);
    struct tk_scope_model *model = open_all(pool, &limits);
    const struct truth_scope *s = t.seen[0].scopes;
    feed_one(model, 6, time, op);
    ck_assert_uint_eq(t.seen[0].n, 3);
    ck_assert_uint_eq(s[0].timer, 2); /* 10 .. 50, nothing closed inside */
    ck_assert_uint_eq(s[0].total, 40);
    ck_assert_uint_eq(s[0].excl, 40);
    ck_assert_uint_eq(s[1].timer, 3); /* 20 .. 70, now directly in 1 */
    ck_assert_uint_eq(s[1].total, 50);
    ck_assert_uint_eq(s[1].depth, 1);
    ck_assert_uint_eq(s[1].parent, 1);
    ck_assert_uint_eq(s[2].timer, 1); /* 0 .. 90 with children of 40 and 50 */
    ck_assert_uint_eq(s[2].total, 90);
    ck_assert_uint_eq(s[2].excl, 0);
    tk_scope_model_close(model);
    tk_pool_close(pool);
}
END_TEST

/* Late timers far apart and a plain timer of a great number: what counts open scopes by timer must not be
 * their size. */
START_TEST(recursion_by_hand)
{
    static const int64_t time[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t op[] = {TK_LATE + 60000, 70000,     TK_LATE + 60000, 70000,
                                  TK_OP_END,       TK_OP_END, TK_OP_END,       TK_OP_END};
    struct tk_limits limits = tk_limits_default();
    struct tk_pool *pool = tk_pool_open(1);
    struct tk_scope_model *model = open_all(pool, &limits);
    const struct truth_scope *s = t.seen[0].scopes;
    feed_one(model, 8, time, op);
    ck_assert_uint_eq(t.seen[0].n, 4);
    ck_assert_int_eq(s[0].outer, 0);
    ck_assert_int_eq(s[1].outer, 0);
    ck_assert_int_eq(s[2].outer, 1);
    ck_assert_int_eq(s[3].outer, 1);
    tk_scope_model_close(model);
    tk_pool_close(pool);
}
END_TEST

static int refuse(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    (void)ctx, (void)slices, (void)worker;
    return TK_ECANCELED;
}

START_TEST(take_can_stop)
{
    static const int64_t time[] = {0, 1};
    static const uint32_t op[] = {1, TK_OP_END};
    struct tk_limits limits = tk_limits_default();
    struct tk_select all = {.all_time = true};
    struct tk_pool *pool = tk_pool_open(1);
    struct tk_scope_setup setup = {.limits = &limits, .select = &all, .pool = pool, .take = refuse};
    struct tk_scope_run run = {.thread = 100, .n = 2, .time = time, .op = op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    struct tk_scope_model *model;
    struct tk_err err;
    ck_assert_int_eq(tk_scope_model_open(&model, &setup, &err), TK_OK);
    ck_assert_int_eq(tk_scope_model_feed(model, &batch, &err), TK_ECANCELED);
    ck_assert_int_eq(err.code, TK_ECANCELED);
    tk_scope_model_close(model);
    tk_pool_close(pool);
}
END_TEST

struct stack_depth {
    uint32_t timer, depth; /* depth 0: its node is not known */
};

struct stack_depths {
    struct stack_depth v[8];
    size_t n;
};

static int take_depths(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct stack_depths *d = ctx;
    (void)worker;
    for (size_t i = 0; i < slices->n; i++) {
        const uint32_t node = slices->node[i];
        d->v[d->n++] = (struct stack_depth){slices->timer[i],
                                            node == TK_PATH_LOST ? 0 : tk_paths_depth(slices->paths, node)};
    }
    return 0;
}

static uint64_t least_of_fifty(void *ctx, uint32_t lane)
{
    (void)ctx, (void)lane;
    return 50;
}

/* Of 50 cycles and more are 2 (10 .. 110) inside of 1 (0 .. 1000), and 5 (2010 .. 3000) inside of 4, which
 * another writer ends before, after 20 cycles. The first batch leaves 4 alone on the stack. */
START_TEST(nodes_of_long_scopes)
{
    static const int64_t time[] = {0, 10, 20, 25, 110, 1000, 2000, 2010, 2020, 3000};
    static const uint32_t op[] = {
        1, 2, 3, TK_OP_END, TK_OP_END, TK_OP_END, 4 | TK_OP_STAMPED, 5, TK_OP_END | TK_OP_STAMPED, TK_OP_END};
    static const struct stack_depth ought[] = {{3, 0}, {2, 2}, {1, 1}, {4, 0}, {5, 2}};
    struct tk_limits limits = tk_limits_default();
    struct tk_select all = {.all_time = true};
    struct tk_pool *pool = tk_pool_open(1);
    struct stack_depths depths = {.n = 0};
    struct tk_scope_setup setup = {.limits = &limits,
                                   .select = &all,
                                   .pool = pool,
                                   .columns = TK_SLICE_PATH,
                                   .take = take_depths,
                                   .least = least_of_fifty,
                                   .ctx = &depths};
    struct tk_scope_model *model;
    ck_assert_int_eq(tk_scope_model_open(&model, &setup, NULL), TK_OK);
    feed_one(model, 7, time, op);
    feed_one(model, 3, time + 7, op + 7);
    ck_assert_uint_eq(depths.n, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(depths.v[i].timer, ought[i].timer);
        if (ought[i].depth)
            ck_assert_uint_eq(depths.v[i].depth, ought[i].depth);
    }
    tk_scope_model_close(model);
    tk_pool_close(pool);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_ops,        two_writers_by_hand, whole_by_hand,
                                  recursion_by_hand, take_can_stop,       nodes_of_long_scopes};
    return RUN_TESTS("scope", tests);
}
