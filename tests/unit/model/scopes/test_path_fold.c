/* Paths that are folded: which nodes go, and where they go. Worked out by hand. */
#include "model/scopes/scope_lane.h"
#include "run.h"

enum { MOST = 64, MOST_NODES = 170 };

static struct tk_paths p;
static uint64_t uses[MOST];
static uint32_t to[MOST];

static void begin_paths(void)
{
    ck_assert_int_eq(tk_paths_init(&p, 1000), 0);
    memset(uses, 0, sizeof uses);
}

static void end_paths(void)
{
    tk_paths_release(&p);
}

static uint32_t put(uint32_t parent, uint32_t timer, uint64_t used)
{
    const uint32_t node = tk_paths_reach(&p, parent, timer);
    uses[node] = used;
    return node;
}

/* Of the sums by node that there were those by node that there are, as who keeps them does it. */
static void follow(void)
{
    uint64_t sums[MOST] = {0};
    for (uint32_t i = 0; i < MOST; i++)
        sums[tk_path_place(to[i])] += uses[i];
    memcpy(uses, sums, sizeof uses);
    memset(to, 0, sizeof to);
}

/* Folds by the uses of each node. */
static int fold(const uint64_t *used, uint32_t *places)
{
    uint16_t weight[MOST_NODES];
    for (size_t i = 0; i < p.nodes.n; i++)
        weight[i] = tk_path_weight(used[i]);
    return tk_paths_fold(&p, weight, places);
}

/* 1 holds 2 and 3, 4 holds 5. One node of five goes at a time: 2 with one use, then 3 with 50, then 5 with
 * 90, and 4, whose own two uses are the fewest by then. */
START_TEST(the_least_used_goes_first)
{
    const uint32_t a = put(TK_PATH_ROOT, 1, 100), b = put(a, 2, 1), c = put(a, 3, 50),
                   d = put(TK_PATH_ROOT, 4, 2), e = put(d, 5, 90);

    ck_assert_int_eq(fold(uses, to), 0);
    ck_assert_uint_eq(p.nodes.v[to[a]].timer, 1);
    ck_assert_uint_eq(p.nodes.v[to[b]].timer, TK_PATH_BEYOND);
    ck_assert_uint_eq(p.nodes.v[to[b]].parent, to[a]);
    ck_assert_uint_eq(p.nodes.v[to[c]].timer, 3);
    ck_assert_uint_eq(p.nodes.v[to[e]].parent, to[d]);
    ck_assert_uint_eq(tk_paths_count(&p), 2 + 4);
    const uint32_t a1 = to[a], b1 = to[b], c1 = to[c], d1 = to[d], e1 = to[e];
    follow();

    ck_assert_int_eq(fold(uses, to), 0);
    ck_assert_uint_eq(to[c1], to[b1]); /* both are right inside of 1 */
    const uint32_t a2 = to[a1], b2 = to[b1], d2 = to[d1], e2 = to[e1];
    follow();
    ck_assert_uint_eq(uses[b2], 51);

    ck_assert_int_eq(fold(uses, to), 0);
    ck_assert_uint_eq(p.nodes.v[to[e2]].timer, TK_PATH_BEYOND);
    ck_assert_uint_eq(p.nodes.v[to[e2]].parent, to[d2]);
    const uint32_t a3 = to[a2], d3 = to[d2], e3 = to[e2];
    follow();

    ck_assert_int_eq(fold(uses, to), 0);
    ck_assert_uint_eq(p.nodes.v[to[d3]].parent, TK_PATH_ROOT);
    ck_assert(tk_paths_is_beyond(&p, to[d3]) && !(to[d3] & TK_PATH_INSIDE));
    ck_assert_uint_eq(to[e3], to[d3] | TK_PATH_INSIDE); /* it was inside of 4 */
    ck_assert_uint_eq(tk_paths_beyond(&p, to[e3]), to[e3]);
    ck_assert_uint_eq(p.nodes.v[to[a3]].timer, 1);
    ck_assert_uint_eq(tk_paths_find(&p, TK_PATH_ROOT, 1), to[a3]);
    ck_assert_uint_eq(tk_paths_find(&p, TK_PATH_ROOT, 4), TK_PATH_NONE);
    ck_assert_uint_eq(tk_paths_reach(&p, TK_PATH_ROOT, 4), TK_PATH_LOST); /* for good */
    follow();
    ck_assert_uint_eq(uses[TK_PATH_ROOT] + uses[TK_PATH_LOST], 0);
}
END_TEST

/* 3 inside of 2 inside of 1 stays, and so do they, whatever they are used; of two that are alike the newer
 * one goes; at last there is none that may. */
START_TEST(what_has_to_stay_stays)
{
    const uint32_t a = put(TK_PATH_ROOT, 1, 0), b = put(a, 2, 0), c = put(b, 3, TK_PATH_STAYS),
                   d = put(TK_PATH_ROOT, 4, 7), e = put(TK_PATH_ROOT, 5, 7);
    ck_assert_int_eq(fold(uses, to), 0);
    ck_assert_uint_eq(p.nodes.v[to[e]].timer, TK_PATH_BEYOND);
    ck_assert_uint_eq(p.nodes.v[to[d]].timer, 4);
    const uint32_t a1 = to[a], c1 = to[c];
    follow();
    ck_assert_int_eq(fold(uses, to), 0);
    const uint32_t a2 = to[a1], c2 = to[c1];
    follow();
    ck_assert_int_eq(fold(uses, to), 1);
    ck_assert_uint_eq(tk_paths_depth(&p, c2), 3);
    ck_assert_uint_eq(p.nodes.v[a2].timer, 1);
}
END_TEST

/* Of 160 nodes eleven go. */
START_TEST(a_sixteenth_goes)
{
    uint64_t many[MOST_NODES] = {0};
    uint32_t places[MOST_NODES];
    for (uint32_t i = 0; i < 160; i++)
        many[tk_paths_reach(&p, TK_PATH_ROOT, i)] = 1000 + 997 * i % 160;
    ck_assert_int_eq(fold(many, places), 0);
    ck_assert_uint_eq(tk_paths_count(&p), 2 + 160 - 11);
    ck_assert_uint_eq(p.beyond, 1);
}
END_TEST

/* 3,000 nodes know of twice as many stacks beyond the limit, fewer of 4,096, and then nothing new is let in.
 */
START_TEST(twice_as_many_are_known)
{
    ck_assert_uint_eq(tk_paths_most_folded(&p), 4096);
    p.limit = 10000;
    for (uint32_t i = 0; i < 3000 - 2; i++)
        must(tk_paths_reach(&p, TK_PATH_ROOT, i) != TK_PATH_NONE);
    ck_assert_uint_eq(tk_paths_most_folded(&p), 6000);
    for (uint32_t i = 0; i < 6000; i++)
        must(tk_paths_keep_folded(&p, tk_path_hash(tk_path_hash_empty(), 3000 + i), 6000) == 0 && !p.closed);
    ck_assert(!tk_paths_full(&p) && !tk_paths_may_have(&p, tk_path_hash(tk_path_hash_empty(), 3000)));
    ck_assert(tk_paths_may_have(&p, tk_path_hash(tk_path_hash_empty(), 9000)));
    ck_assert_int_eq(tk_paths_keep_folded(&p, tk_path_hash(tk_path_hash_empty(), 9000), 6000), 0);
    ck_assert(tk_paths_full(&p) && !tk_paths_may_have(&p, tk_path_hash(tk_path_hash_empty(), 9001)));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_least_used_goes_first, what_has_to_stay_stays, a_sixteenth_goes,
                                  twice_as_many_are_known};
    return RUN_TESTS_AROUND("folded paths", tests, begin_paths, end_paths);
}
