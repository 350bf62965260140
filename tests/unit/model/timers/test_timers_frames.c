/*
 * Table `timers`: the choice of columns and the window of the frame sums, worked out by hand.
 */
#include "table/timers_rig.h"

/* Every choice of columns gives what all columns give. */
START_TEST(columns_do_not_change_figures)
{
    static const int64_t time[] = {0, 10, 30, 60, 150, 160};
    static const uint32_t op[] = {1, 2, 1, TK_OP_END, TK_OP_END, TK_OP_END};
    static const struct {
        const char *name;
        int64_t value; /* of timer 1: calls of 160 and 30, the second inside the first; own time 20 and 30 */
    } ought[] = {{"count", 2}, {"incl", 160},  {"total", 190}, {"excl", 50},      {"min", 30},
                 {"max", 160}, {"median", 30}, {"p95", 160},   {"frame_p95", 100}};
    for (size_t i = 0; i < sizeof ought / sizeof ought[0]; i++) {
        struct tk_range frames[] = {{0, 100}, {100, 170}, {170, 200}};
        struct rig r = {.jobs = 1, .frames = {frames, 3}, .select.all_time = true};
        rig_open(&r, &ought[i].name, 1);
        rig_feed_run(&r, 0, time, op, 6);
        rig_finish(&r);
        ck_assert_uint_eq(rig_rows(&r), 2);
        ck_assert_msg(cell(&r, 0, ought[i].name)->v.i == ought[i].value, "%s is %lld", ought[i].name,
                      (long long)cell(&r, 0, ought[i].name)->v.i);
        rig_close(&r);
    }
}
END_TEST

#define MANY 1000

static const char *const frame_columns[] = {"timer", "frame_mean", "frame_p95", "incl"};

/* Frame i is [100 i, 100 i + 100). */
static void many_frames(struct rig *r, unsigned by)
{
    static struct tk_range frames[MANY];
    for (int64_t i = 0; i < MANY; i++)
        frames[i] = (struct tk_range){100 * i, 100 * i + 100};
    *r = (struct rig){.jobs = 1, .frames = {frames, MANY}, .select.all_time = true, .query.by = by};
    rig_open(r, frame_columns, 4);
}

/* A scope of a timer in each of n frames from `frame` on, in the frame i cycles i % 50 + 1 long. */
static void feed_frames(struct rig *r, uint32_t lane, uint32_t timer, int64_t frame, size_t n)
{
    static int64_t time[2 * MANY];
    static uint32_t op[2 * MANY];
    for (size_t i = 0; i < n; i++) {
        time[2 * i] = (frame + (int64_t)i) * 100 + 20;
        time[2 * i + 1] = time[2 * i] + (frame + (int64_t)i) % 50 + 1;
        op[2 * i] = timer;
        op[2 * i + 1] = TK_OP_END;
    }
    rig_feed_run(r, lane, time, op, 2 * n);
}

static void feed_scope(struct rig *r, uint32_t lane, uint32_t timer, int64_t begin, int64_t end)
{
    int64_t time[] = {begin, end};
    uint32_t op[] = {timer, TK_OP_END};
    rig_feed_run(r, lane, time, op, 2);
}

/* Two lanes, all frames of one batch or of many: sums are those of both, frame by frame. */
START_TEST(frames_pass_through_the_window)
{
    static const size_t steps[] = {MANY, 100, 7};
    for (size_t k = 0; k < 3; k++) {
        struct rig r;
        many_frames(&r, 0);
        for (size_t at = 0; at < MANY; at += steps[k]) {
            size_t n = MANY - at < steps[k] ? MANY - at : steps[k];
            feed_frames(&r, 0, 3, (int64_t)at, n);
            if (k) /* in one batch of 1000 frames the second lane would be late */
                feed_frames(&r, 1, 3, (int64_t)at, n);
        }
        rig_finish(&r);
        int64_t times = k ? 2 : 1;
        ck_assert_uint_eq(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 0);
        ck_assert_int_eq(cell(&r, 0, "incl")->v.i, times * 25500); /* 20 times 1 + ... + 50 */
        ck_assert_double_eq_tol(cell(&r, 0, "frame_mean")->v.r, (double)times * 25.5, 1e-9);
        ck_assert_int_eq(cell(&r, 0, "frame_p95")->v.i, times * 48); /* the 950th of 20 times 1 .. 50 */
        rig_close(&r);
    }
}
END_TEST

/* One scope over 500 and a half frames, reported at its end, with nothing else: every frame counts. */
START_TEST(a_long_scope_counts_in_every_frame)
{
    struct rig r;
    many_frames(&r, 0);
    feed_scope(&r, 0, 5, 150, 50200);
    rig_finish(&r);
    ck_assert_uint_eq(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 0);
    ck_assert_double_eq_tol(cell(&r, 0, "frame_mean")->v.r, 50.05, 1e-9);
    ck_assert_int_eq(cell(&r, 0, "frame_p95")->v.i, 100);
    rig_close(&r);
}
END_TEST

/* The window is 256 frames, half of it behind the newest: from frame 999 back to 872. */
START_TEST(late_scopes_count_in_the_mean)
{
    struct rig r;
    many_frames(&r, 0);
    feed_frames(&r, 0, 3, 0, MANY);
    feed_scope(&r, 1, 4, 1010, 1060);   /* frame 10: late */
    feed_scope(&r, 2, 4, 87110, 87160); /* frame 871: late */
    feed_scope(&r, 3, 4, 87210, 87260); /* frame 872: not */
    rig_finish(&r);
    ck_assert_uint_eq(rig_rows(&r), 2);
    ck_assert_uint_eq(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 2);
    ck_assert_int_eq(tk_health_damaged(&r.ctx.health), 0);
    ck_assert_double_eq_tol(cell(&r, 1, "frame_mean")->v.r, 0.15, 1e-9);
    ck_assert_int_eq(cell(&r, 1, "incl")->v.i, 150);
    rig_close(&r);
}
END_TEST

/* A scope over more closed frames than open ones: 70.5 frames from 830 on, of which 42 are closed. */
START_TEST(a_long_scope_can_be_late_in_part)
{
    struct rig r;
    many_frames(&r, 0);
    feed_frames(&r, 0, 3, 0, MANY);
    feed_scope(&r, 1, 4, 83000, 90050);
    rig_finish(&r);
    ck_assert_uint_eq(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 42);
    ck_assert_double_eq_tol(cell(&r, 1, "frame_mean")->v.r, 7.05, 1e-9);
    rig_close(&r);
}
END_TEST

/* Each lane has its own sums, for a window of 64 frames; the lanes here are never more than one batch apart.
 */
START_TEST(frames_by_thread_pass_through_the_window)
{
    static const size_t steps[] = {30, 7};
    for (size_t k = 0; k < 2; k++) {
        struct rig r;
        many_frames(&r, TK_BY_THREAD);
        for (size_t at = 0; at < MANY; at += steps[k]) {
            size_t n = MANY - at < steps[k] ? MANY - at : steps[k];
            feed_frames(&r, 0, 3, (int64_t)at, n);
            feed_frames(&r, 1, 3, (int64_t)at, at % 2 ? n : 1);
        }
        feed_scope(&r, 2, 3, 0, 100000);
        rig_finish(&r);
        /* lane 2: of 1000 frames at least the newest 32 are open, and at most 64; the others are late */
        ck_assert_uint_le(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 968);
        ck_assert_uint_ge(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 936);
        ck_assert_uint_eq(rig_rows(&r), 3);
        ck_assert_double_eq_tol(cell(&r, 0, "frame_mean")->v.r, 25.5, 1e-9);
        ck_assert_int_eq(cell(&r, 0, "frame_p95")->v.i, 48);
        ck_assert_double_eq_tol(cell(&r, 2, "frame_mean")->v.r, 100, 1e-9);
        rig_close(&r);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        columns_do_not_change_figures,      frames_pass_through_the_window,
        a_long_scope_counts_in_every_frame, late_scopes_count_in_the_mean,
        a_long_scope_can_be_late_in_part,   frames_by_thread_pass_through_the_window};
    return RUN_TESTS("timers, frames", tests);
}
