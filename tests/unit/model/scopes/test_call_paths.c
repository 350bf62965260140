/* Paths: nodes by stack, and what happens at the limit. */
#include "model/scopes/call_paths.h"
#include "run.h"

START_TEST(nodes)
{
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 1000000), 0);
    ck_assert_uint_eq(tk_paths_find(&p, TK_PATH_ROOT, 7), TK_PATH_NONE);
    uint32_t a = tk_paths_reach(&p, TK_PATH_ROOT, 7), b = tk_paths_reach(&p, a, 7),
             c = tk_paths_reach(&p, a, 8);
    ck_assert_uint_eq(a, 2);
    ck_assert(b != a && c != a && c != b);
    ck_assert_uint_eq(tk_paths_reach(&p, a, 7), b);
    ck_assert_uint_eq(tk_paths_find(&p, a, 8), c);
    ck_assert_uint_eq(tk_paths_find(&p, b, 8), TK_PATH_NONE);
    ck_assert_uint_eq(tk_paths_depth(&p, b), 2);
    ck_assert_uint_eq(p.nodes.v[c].parent, a);
    ck_assert_uint_eq(p.nodes.v[c].timer, 8);
    tk_paths_release(&p);
}
END_TEST

/* Enough of them for the table to grow several times. */
START_TEST(many)
{
    enum { N = 5000 };
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 1000000), 0);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(tk_paths_reach(&p, i ? i / 2 + 2 : TK_PATH_ROOT, i), i + 2);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(tk_paths_find(&p, i ? i / 2 + 2 : TK_PATH_ROOT, i), i + 2);
    ck_assert_uint_eq(p.nodes.n, N + 2);
    tk_paths_release(&p);
}
END_TEST

START_TEST(limit)
{
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 4), 0);
    uint32_t a = tk_paths_reach(&p, TK_PATH_ROOT, 1), b = tk_paths_reach(&p, a, 1);
    ck_assert_uint_eq(tk_paths_reach(&p, b, 1), TK_PATH_LOST);
    ck_assert_uint_eq(tk_paths_find(&p, TK_PATH_ROOT, 9), TK_PATH_LOST);
    ck_assert_uint_eq(tk_paths_find(&p, TK_PATH_LOST, 1), TK_PATH_LOST);
    ck_assert_uint_eq(tk_paths_find(&p, a, 1), b);
    ck_assert_uint_eq(p.nodes.n, 4);
    p.limit = 5;
    ck_assert_uint_eq(tk_paths_reach(&p, b, 1), 4);
    ck_assert_uint_eq(tk_paths_reach(&p, TK_PATH_LOST, 1), TK_PATH_LOST);
    tk_paths_release(&p);
}
END_TEST

/* What has no node of its own is put together by where it is: right inside of a node, and inside of that. */
START_TEST(beyond_the_limit)
{
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 4), 0);
    const uint32_t a = tk_paths_reach(&p, TK_PATH_ROOT, 1), b = tk_paths_reach(&p, a, 2);
    ck_assert_uint_eq(tk_paths_reach(&p, b, 3), TK_PATH_LOST);
    const uint32_t in_b = tk_paths_beyond(&p, b), in_root = tk_paths_beyond(&p, TK_PATH_ROOT);
    ck_assert_uint_ne(in_b, in_root);
    ck_assert_uint_eq(tk_paths_beyond(&p, b), in_b);
    ck_assert_uint_eq(p.nodes.v[in_b].parent, b);
    const uint32_t far = tk_paths_beyond(&p, in_b);
    ck_assert_uint_eq(far, in_b | TK_PATH_INSIDE);
    ck_assert_uint_eq(tk_path_place(far), in_b);
    ck_assert_uint_eq(tk_paths_beyond(&p, far), far);
    ck_assert_uint_eq(tk_paths_beyond(&p, TK_PATH_LOST), TK_PATH_LOST);
    ck_assert_uint_eq(p.beyond, 2);
    ck_assert(tk_paths_is_beyond(&p, in_b) && tk_paths_is_beyond(&p, far));
    ck_assert(!tk_paths_is_beyond(&p, b));
    ck_assert(tk_paths_is_beyond(&p, TK_PATH_LOST));
    ck_assert_uint_eq(tk_paths_find(&p, a, 2), b);
    tk_paths_release(&p);
}
END_TEST

/* A timer inside another one, whose stack belongs in the first of 2^14 slots for who takes a constant for the
 * hash of the stack without timers. */
static uint32_t flooding_timer(uint32_t outer)
{
    uint64_t below = tk_path_hash(UINT64_C(0x2545f4914f6cdd1d), outer);
    uint32_t timer = 0;
    while (tk_path_hash(below, timer) >> 50)
        timer++;
    return timer;
}

START_TEST(a_flood_costs_nothing)
{
    enum { N = 2000 };
    struct tk_paths p;
    uint64_t probes = 0;
    ck_assert_int_eq(tk_paths_init(&p, 1000000), 0);
    for (uint32_t i = 0; i < N; i++)
        tk_paths_reach(&p, tk_paths_reach(&p, TK_PATH_ROOT, i), flooding_timer(i));
    for (uint32_t i = 0; i <= p.mask; i++)
        if (p.slots[i])
            probes += ((i - (uint32_t)(p.hashes.v[p.slots[i] & p.mask] >> p.shift)) & p.mask) + 1;
    ck_assert_uint_eq(p.nodes.n, 2 * N + 2);
    ck_assert_uint_lt(probes, UINT64_C(3) * 2 * N);
    tk_paths_release(&p);
}
END_TEST

/* 16,000 threads with a stack or two are 16 MB at most. */
START_TEST(few_stacks_take_little)
{
    enum { THREADS = 16000, MOST = 16000000 };
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 1000000), 0);
    const uint32_t outer = tk_paths_reach(&p, TK_PATH_ROOT, 1);
    ck_assert_uint_ne(tk_paths_reach(&p, outer, 2), TK_PATH_NONE);
    ck_assert_uint_le(THREADS * (((size_t)p.mask + 1) * sizeof *p.slots + p.nodes.cap * sizeof *p.nodes.v +
                                 p.hashes.cap * sizeof *p.hashes.v),
                      MOST);
    tk_paths_release(&p);
}
END_TEST

/* Two stacks are kept in mind at most; a third closes the paths, which then know none and make none. */
START_TEST(closed_paths_keep_no_hashes)
{
    struct tk_paths p;
    ck_assert_int_eq(tk_paths_init(&p, 1000), 0);
    const uint32_t a = tk_paths_reach(&p, TK_PATH_ROOT, 1);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(tk_paths_keep_folded(&p, tk_path_hash(p.hashes.v[a], 2 + i), 2), 0);
    ck_assert_uint_eq(p.folded.count, 2);
    ck_assert(tk_paths_may_have(&p, tk_path_hash(p.hashes.v[a], 9)));
    ck_assert(!tk_paths_may_have(&p, tk_path_hash(p.hashes.v[a], 3)));
    ck_assert_int_eq(tk_paths_keep_folded(&p, tk_path_hash(p.hashes.v[a], 4), 2), 0);
    ck_assert_uint_eq(p.folded.count + p.folded.n_slots, 0);
    for (uint32_t timer = 2; timer < 10; timer++) {
        ck_assert(!tk_paths_may_have(&p, tk_path_hash(p.hashes.v[a], timer)));
        ck_assert_uint_eq(tk_paths_reach(&p, a, timer), TK_PATH_LOST);
    }
    ck_assert_uint_eq(tk_paths_reach(&p, TK_PATH_ROOT, 1), a);
    tk_paths_release(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {few_stacks_take_little, closed_paths_keep_no_hashes, nodes, many, limit,
                                  beyond_the_limit,       a_flood_costs_nothing};
    return RUN_TESTS("paths", tests);
}
