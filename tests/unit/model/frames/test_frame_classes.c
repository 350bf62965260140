/*
 * Frames that took too long and usual ones, by points in time.
 */
#include "model/frames/frame_classes.h"
#include "run.h"
#include "tracekit/queries.h"

static const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0}, twice = {TK_HITCH_RULE_TIMES, 2};

/* Frames of 100 around it, so that 300 is a hitch; from 500 to 600 there is no frame. */
START_TEST(an_end_is_outside)
{
    static const struct {
        int64_t time;
        uint32_t mark;
    } cases[] = {{-1, TK_FRAME_CLASS_NONE},     {0, TK_FRAME_CLASS_TYPICAL}, {99, TK_FRAME_CLASS_TYPICAL},
                 {100, TK_FRAME_CLASS_HITCH},   {399, TK_FRAME_CLASS_HITCH}, {400, TK_FRAME_CLASS_TYPICAL},
                 {500, TK_FRAME_CLASS_NONE},    {599, TK_FRAME_CLASS_NONE},  {600, TK_FRAME_CLASS_TYPICAL},
                 {699, TK_FRAME_CLASS_TYPICAL}, {700, TK_FRAME_CLASS_NONE}};
    struct tk_range ranges[] = {{0, 100}, {100, 400}, {400, 500}, {600, 700}};
    const struct tk_frames frames = {ranges, 4};
    struct tk_select select = {.all_time = true};
    struct tk_context ctx = {.limits = tk_limits_default()};
    const struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_query_context view = {.ctx = &ctx, .query = &query, .select = &select, .frames = &frames};
    struct tk_frame_classes marks;
    ck_assert_int_eq(tk_frame_classes_build(&marks, &view, &local), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(tk_frame_classes_at(&marks, cases[i].time) == cases[i].mark, "at %d",
                      (int)cases[i].time);
    tk_frame_classes_release(&marks);
}
END_TEST

/* Twice the median does not fit 64 bits: nothing is longer. */
START_TEST(a_budget_beyond_all_times)
{
    struct tk_range ranges[] = {{INT64_MIN, INT64_MAX - 1}}; /* to the highest it would be open */
    const struct tk_frames frames = {ranges, 1};
    struct tk_select select = {.all_time = true};
    struct tk_context ctx = {.limits = tk_limits_default()};
    const struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_query_context view = {.ctx = &ctx, .query = &query, .select = &select, .frames = &frames};
    struct tk_frame_classes marks;
    ck_assert_int_eq(tk_frame_classes_build(&marks, &view, &twice), 0);
    ck_assert_uint_eq(marks.hitches.n, 0);
    ck_assert_uint_eq(tk_frame_classes_at(&marks, 0), TK_FRAME_CLASS_NONE);
    tk_frame_classes_release(&marks);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {an_end_is_outside, a_budget_beyond_all_times};
    return RUN_TESTS("frame_marks", tests);
}
