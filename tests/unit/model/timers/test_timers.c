/*
 * Table `timers`: random scopes of several lanes, in many batches, through scope model and builder, against
 * sums and sorted lists of every scope.
 */
#include "table/timers_truth.h"

#define OPS 400

static struct truth_random rnd = {11};

static const char *const all_columns[] = {
    "thread_id", "thread", "timer", "kind",  "file", "line",       "count",     "open",
    "incl",      "total",  "excl",  "share", "min",  "max",        "mean",      "median",
    "p50",       "p90",    "p95",   "p99",   "p999", "frame_mean", "frame_p95",
};

static void random_batch(struct rig *r, const struct truth_style *style)
{
    static int64_t time[6][OPS];
    static uint32_t op[6][OPS];
    struct tk_scope_run runs[6];
    struct tk_batch batch = {.runs = runs, .n_runs = truth_below(&rnd, 6)};
    for (size_t i = 0; i < batch.n_runs; i++) {
        uint32_t lane = truth_below(&rnd, LANES);
        size_t n = truth_below(&rnd, OPS);
        for (size_t k = 0; k < n; k++) {
            time[i][k] = truth_draw_time(&rnd, style, lanes[lane].seen ? lanes[lane].last : 0);
            op[i][k] = truth_draw_op(&rnd, style, lanes[lane].n_open);
            truth_op(&rules, &lanes[lane], time[i][k], op[i][k]);
        }
        runs[i] = (struct tk_scope_run){
            .thread = FIRST_ID + lane, .lane = lane, .n = n, .time = time[i], .op = op[i]};
    }
    rig_feed(r, &batch);
}

static void draw_frames(struct tk_frames *frames, struct tk_range *v, size_t most)
{
    int64_t at = 0;
    *frames = (struct tk_frames){v, truth_below(&rnd, (uint32_t)most)};
    for (size_t i = 0; i < frames->n; i++) {
        v[i].from = at + (int64_t)truth_below(&rnd, 100);
        at = v[i].to = v[i].from + (int64_t)truth_below(&rnd, 1000);
    }
    if (frames->n && truth_below(&rnd, 2))
        v[frames->n - 1].to = INT64_MAX;
}

static void draw_selection(struct rig *r)
{
    static struct tk_range ranges[2];
    static const char *const timer1[] = {"Timer1*"};
    rules = (struct truth_rules){.all_time = truth_below(&rnd, 2), .limit = 1024};
    r->select = (struct tk_select){.all_time = true};
    if (!rules.all_time) {
        int64_t at = truth_below(&rnd, 2000);
        ranges[0] = (struct tk_range){at, at + 1 + truth_below(&rnd, 3000)};
        ranges[1] = (struct tk_range){ranges[0].to + 10, ranges[0].to + 20 + truth_below(&rnd, 3000)};
        rules.ranges = ranges;
        rules.n_ranges = 2;
        ck_assert_int_eq(tk_select_narrow(&r->select, ranges, 2, "x", NULL), TK_OK);
    }
    if (truth_below(&rnd, 4) == 0)
        ck_assert_int_eq(tk_patterns_init(&r->select.timers, timer1, 1, NULL), TK_OK);
}

static void reset(void)
{
    for (size_t i = 0; i < LANES; i++) {
        truth_release(&lanes[i]);
        for (uint32_t k = 0; k <= TIMERS; k++)
            free(figures[i][k].calls);
    }
    memset(lanes, 0, sizeof lanes);
    memset(figures, 0, sizeof figures);
}

static void random_case(unsigned jobs)
{
    struct tk_range frames[40];
    struct truth_style style = {.two_writers = true,
                                .backwards = true,
                                .cuts = truth_below(&rnd, 2),
                                .late = truth_below(&rnd, 2),
                                .timers = TIMERS,
                                .depth = 8,
                                .step = 12};
    struct rig r = {.jobs = jobs};
    reported = truth_below(&rnd, 2);
    draw_selection(&r);
    draw_frames(&r.frames, frames, 40);
    r.query.by = truth_below(&rnd, 2) ? TK_BY_THREAD : 0;
    rig_open(&r, all_columns, sizeof all_columns / sizeof all_columns[0]);
    unsigned batches = truth_below(&rnd, 20);
    for (unsigned i = 0; i < batches; i++) {
        random_batch(&r, &style);
        if (reported && i == batches / 2)
            tell_late(&r);
    }
    if (reported)
        tell_late(&r);
    rig_finish(&r);
    count_all(&r.frames);
    check_rows(&r);
    ck_assert_uint_eq(r.ctx.health.counts[TK_HEALTH_FRAME_LATE], 0);
    tk_select_release(&r.select);
    rig_close(&r);
    reset();
}

START_TEST(random_scopes)
{
    for (unsigned i = 0; i < 200; i++)
        random_case(1);
}
END_TEST

START_TEST(random_scopes_three_jobs)
{
    for (unsigned i = 0; i < 100; i++)
        random_case(3);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_scopes, random_scopes_three_jobs};
    return RUN_TESTS("timers", tests);
}
