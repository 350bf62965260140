/*
 * Types of frames have one order, whatever made them appear first.
 */
#include "model/marks/frame_list.h"
#include "run.h"

static void put(struct tk_frame_list *list, uint32_t type, int64_t time, bool begin)
{
    const struct tk_fact fact = {
        .kind = TK_FACT_FRAME, .time = time, .seq = TK_NO_SEQ, .u.frame = {.type = type, .begin = begin}};
    ck_assert_int_eq(tk_frame_list_feed(list, &fact, NULL), TK_OK);
}

static void put_frame(struct tk_frame_list *list, uint32_t type)
{
    put(list, type, 10 * type, true);
    put(list, type, 10 * type + 5, false);
}

/* Each type has a frame of its own; all orders of appearance give the same list. */
START_TEST(types_are_in_the_order_of_their_ids)
{
    static const uint32_t orders[][3] = {{0, 1, 7}, {1, 0, 7}, {7, 1, 0}, {7, 0, 1}};
    struct tk_context ctx = {.limits = tk_limits_default()};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        struct tk_frame_list list;
        tk_frame_list_init(&list, &ctx, "frame_stats");
        for (size_t i = 0; i < 3; i++)
            put_frame(&list, orders[o][i]);
        ck_assert_int_eq(tk_frame_list_pair(&list, NULL), TK_OK);
        ck_assert(list.types.n == 3 && list.frames.n == 3);
        for (size_t i = 0; i < 3; i++) {
            const uint32_t id = list.types.v[list.frames.v[i].type].id;
            ck_assert_uint_eq(list.types.v[i].id, orders[0][i]);
            ck_assert_uint_eq(id, orders[0][i]); /* frames are in order of time */
            ck_assert_int_eq(list.frames.v[i].begin, 10 * (int64_t)id);
            ck_assert(!list.frames.v[i].open);
        }
        tk_frame_list_release(&list);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {types_are_in_the_order_of_their_ids};
    return RUN_TESTS("frame_list", tests);
}
