/* Kernels in plain C do as those in the way of the compiler: the same slices, and the same lane afterwards.
 */
#define TK_BITS_PLAIN
#define tk_scope_kernel_for tk_scope_kernel_plain
#include "model/scopes/scope_kernel.c" /* NOLINT(bugprone-suspicious-include) */
#undef tk_scope_kernel_for

#include "run.h"

#include <stdlib.h>

const struct tk_scope_kernel *tk_scope_kernel_for(const struct tk_scope_rules *rules);

#define OPS    700u
#define TIMERS 40u

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

struct ops {
    int64_t time[OPS];
    uint32_t op[OPS];
    const struct tk_str *text[OPS];
    size_t n;
};

static void draw(struct ops *ops)
{
    static const struct tk_str texts[2] = {{.p = "a", .n = 1}, {.p = "b", .n = 1}};
    const uint32_t back = below(3) ? 0 : 4, large = below(4) == 0;
    int64_t now = (int64_t)below(1000) - 100;
    ops->n = below(OPS);
    for (size_t i = 0; i < ops->n; i++) {
        now += (int64_t)below(9) - (int64_t)(back ? below(back) : 0);
        ops->time[i] = large && below(50) == 0 ? now + ((int64_t)below(4) << 61) : now;
        const uint32_t timer = below(30) ? below(TIMERS) : TK_LATE + below(3);
        ops->op[i] = below(2) ? timer : TK_OP_END;
        ops->op[i] |= below(40) ? 0 : TK_OP_STAMPED;
        ops->text[i] = &texts[below(2)];
    }
}

struct side {
    struct tk_scope_lane *lane;
    struct tk_slice_space space;
};

static void open_side(struct side *s, const struct tk_scope_rules *rules)
{
    const struct tk_scope_run run = {.thread = 1};
    memset(&s->space, 0, sizeof s->space);
    s->lane = tk_scope_lane_new(rules, &run);
    ck_assert_ptr_nonnull(s->lane);
    ck_assert_int_eq(tk_scope_count(&s->space, TIMERS / 2), 0);
}

/* Steps where the kernel stops; forgets slices when they fill the space. Returns their sum. */
static uint64_t run_side(struct side *s, const struct tk_scope_rules *rules,
                         const struct tk_scope_kernel *kernel, const struct ops *ops)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ops->n; i++) {
        ck_assert_int_eq(tk_scope_lane_grow(rules, s->lane, ops->n - i), 0);
        i += kernel->run(s->lane, &s->space, ops->time + i, ops->op + i, ops->text + i, ops->n - i);
        for (size_t k = 0; s->space.n + TK_SCOPE_BLOCK > TK_SLICE_SPACE && k < s->space.n; k++)
            sum = sum * 31 + s->space.total[k] * 7 + s->space.excl[k] + s->space.timer[k];
        s->space.n = s->space.n + TK_SCOPE_BLOCK > TK_SLICE_SPACE ? 0 : s->space.n;
        ck_assert_int_eq(tk_scope_lane_grow(rules, s->lane, ops->n - i), 0);
        if (i < ops->n)
            ck_assert_int_eq(tk_scope_step(rules, s->lane, &s->space, ops->time[i], ops->op[i], ops->text[i]),
                             0);
    }
    return sum;
}

#define SAME(column) ck_assert_mem_eq(a->space.column, b->space.column, a->space.n * sizeof *a->space.column)

static void same(const struct side *a, const struct side *b, unsigned columns)
{
    ck_assert_uint_eq(a->space.n, b->space.n);
    SAME(timer);
    SAME(total);
    SAME(excl);
    if (columns & TK_SLICE_OUTER)
        SAME(outer);
    if (columns & TK_SLICE_BEGIN) {
        SAME(begin);
        SAME(end);
    }
    if (columns & TK_SLICE_PLACE) {
        SAME(id);
        SAME(parent);
        SAME(depth);
    }
    if (columns & TK_SLICE_PATH)
        SAME(hash);
    if (columns & TK_SLICE_TEXT)
        SAME(text);
    ck_assert_uint_eq(a->lane->depth, b->lane->depth);
    ck_assert_uint_eq(a->lane->max_depth, b->lane->max_depth);
    ck_assert_int_eq(a->lane->last, b->lane->last);
    ck_assert_uint_eq(a->lane->own, b->lane->own);
    ck_assert_uint_eq(a->lane->raised, b->lane->raised);
    ck_assert_uint_eq(a->lane->scopes, b->lane->scopes);
    ck_assert_uint_eq(a->lane->begun, b->lane->begun);
}

static void close_side(struct side *s)
{
    tk_scope_lane_free(s->lane);
    free(s->space.open);
    tk_vec_release(&s->space.around);
}

START_TEST(kernels_are_alike)
{
    static const unsigned columns[] = {0,
                                       TK_SLICE_OUTER,
                                       TK_SLICE_BEGIN | TK_SLICE_PLACE | TK_SLICE_OUTER,
                                       TK_SLICE_PATH | TK_SLICE_BEGIN,
                                       TK_SLICE_TEXT | TK_SLICE_OUTER,
                                       TK_SLICE_TEXT | TK_SLICE_PATH | TK_SLICE_PLACE | TK_SLICE_BEGIN};
    static struct side a, b;
    static struct ops ops;
    const struct tk_select select = {.all_time = true};
    for (unsigned i = 0; i < 600; i++) {
        struct tk_scope_rules rules = {
            .select = &select, .columns = columns[i % (sizeof columns / sizeof *columns)], .limit = 200};
        const struct tk_scope_kernel *plain = tk_scope_kernel_plain(&rules),
                                     *best = tk_scope_kernel_for(&rules);
        ck_assert_uint_eq(plain->columns, best->columns);
        rules.columns |= plain->columns;
        open_side(&a, &rules);
        open_side(&b, &rules);
        for (unsigned run = 0; run < 4; run++) {
            draw(&ops);
            ck_assert_uint_eq(run_side(&a, &rules, plain, &ops), run_side(&b, &rules, best, &ops));
            same(&a, &b, plain->columns);
        }
        close_side(&a);
        close_side(&b);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {kernels_are_alike};
    return RUN_TESTS("scope kernels in plain C", tests);
}
