/*
 * Table `timers`: random scopes of several lanes, in many batches, through scope model and builder, against
 * sums and sorted lists of every scope; and the window of the frame sums by hand.
 */
#include "../run.h"

#include <string.h>

#include "../model/scope_truth.h"
#include "model/emit.h"
#include "model/scope.h"
#include "stats/frame_sums.h"
#include "stats/timers.h"

#define LANES    4
#define TIMERS   12
#define LATE     3 /* slot i of the late ones is timer i, told in the middle or not at all */
#define OPS      400
#define FIRST_ID 40 /* of a thread */

/* ---- driving the table ---- */

struct rig {
    struct tk_context ctx;
    struct tk_dict dict;
    struct tk_select select;
    struct tk_frames frames;
    struct tk_query query;
    struct tk_view view;
    struct tk_emit *emit;
    struct tk_result *result;
    struct tk_sink sink;
    struct tk_scope_model *model;
    void *self;
    unsigned jobs;
};

static const struct tk_builder *const builder = &tk_builder_timers;

static struct tk_str name_of(uint32_t timer, char *room)
{
    int n = snprintf(room, 16, "Timer%u", timer);
    return (struct tk_str){.p = room, .n = (uint32_t)n};
}

static void tell_timers(struct rig *r)
{
    char room[16];
    for (uint32_t i = 0; i < TIMERS; i++) {
        struct tk_fact fact = {.kind = TK_FACT_TIMER, .size = sizeof fact};
        struct tk_str name = name_of(i, room);
        fact.u.timer = (struct tk_fact_timer){
            .id = i, .kind = TK_TIMER_SPEC, .name = tk_intern(&r->dict.strings, name.p, name.n, TK_ENC_UTF8)};
        ck_assert_int_eq(tk_dict_feed(&r->dict, &fact, NULL), TK_OK);
    }
}

static void tell_late(struct rig *r)
{
    for (uint32_t i = 0; i < LATE; i++) {
        struct tk_fact fact = {.kind = TK_FACT_TIMER_LATE, .size = sizeof fact};
        fact.u.timer_late = (struct tk_fact_timer_late){.slot = i, .timer = i};
        ck_assert_int_eq(tk_dict_feed(&r->dict, &fact, NULL), TK_OK);
    }
}

static int take(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct rig *r = ctx;
    return builder->take(r->self, slices, worker);
}

static int lane_end(void *ctx, const struct tk_lane_end *end, struct tk_err *err)
{
    struct rig *r = ctx;
    return builder->lane(r->self, end, err);
}

static void rig_open(struct rig *r, const char *const *columns, size_t n_columns)
{
    bool frames = false;
    r->ctx.limits = tk_limits_default();
    r->ctx.health.max_items = 100;
    r->ctx.pool = tk_pool_open(r->jobs);
    ck_assert_ptr_nonnull(r->ctx.pool);
    ck_assert_int_eq(tk_dict_init(&r->dict, &r->ctx.limits, NULL), TK_OK);
    tell_timers(r);
    for (uint32_t i = 0; i < LANES; i++)
        ck_assert_ptr_nonnull(tk_dict_thread(&r->dict, FIRST_ID + i));
    r->query.size = sizeof r->query;
    r->query.unit = TK_UNIT_CYCLES;
    r->query.columns = columns;
    r->query.n_columns = n_columns;
    r->view = (struct tk_view){.ctx = &r->ctx, .dict = &r->dict, .select = &r->select, .query = &r->query};
    ck_assert_int_eq(tk_result_new(&r->result, NULL), TK_OK);
    r->sink = tk_result_sink(r->result);
    ck_assert_int_eq(tk_emit_open(&r->emit, builder->table, &r->query, &r->sink, NULL), TK_OK);
    unsigned slices = builder->slices(&r->view, tk_emit_columns(r->emit), &frames);
    r->view.frames = frames ? &r->frames : NULL;
    ck_assert_int_eq(builder->open(&r->view, tk_emit_columns(r->emit), &r->self, NULL), TK_OK);
    struct tk_scope_setup setup = {.limits = &r->ctx.limits,
                                   .select = &r->select,
                                   .frames = r->view.frames,
                                   .pool = r->ctx.pool,
                                   .columns = slices,
                                   .take = take,
                                   .ctx = r};
    ck_assert_int_eq(tk_scope_model_open(&r->model, &setup, NULL), TK_OK);
}

static void rig_feed(struct rig *r, const struct tk_batch *batch)
{
    ck_assert_int_eq(builder->feed(r->self, batch, r->emit, NULL), TK_OK);
    ck_assert_int_eq(tk_scope_model_feed(r->model, batch, NULL), TK_OK);
}

static void rig_finish(struct rig *r)
{
    ck_assert_int_eq(tk_scope_model_finish(r->model, &r->ctx.health, lane_end, r, NULL), TK_OK);
    ck_assert_int_eq(tk_emit_begin(r->emit, NULL), TK_OK);
    ck_assert_int_eq(builder->finish(r->self, r->emit, NULL), TK_OK);
    ck_assert_int_eq(tk_emit_end(r->emit, NULL), TK_OK);
}

static void rig_close(struct rig *r)
{
    builder->close(r->self);
    tk_scope_model_close(r->model);
    tk_emit_close(r->emit);
    tk_result_free(r->result);
    tk_dict_release(&r->dict);
    tk_health_release(&r->ctx.health);
    tk_pool_close(r->ctx.pool);
}

static size_t rig_rows(const struct rig *r)
{
    size_t n;
    ck_assert_ptr_nonnull(tk_result_table(r->result, 0, &n));
    return n;
}

static const struct tk_cell *cell(const struct rig *r, size_t row, const char *column)
{
    size_t n;
    const struct tk_table *table = tk_result_table(r->result, 0, &n);
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return &tk_result_row(r->result, 0, row)[i];
    ck_abort_msg("no column %s", column);
    return NULL;
}

/* ---- what ought to be ---- */

struct figures {
    uint64_t count, open, incl, total, excl;
    uint64_t *calls; /* total of each */
    size_t n_calls;
    uint64_t frames[TRUTH_FRAMES_MAX];
};

static struct truth_lane lanes[LANES];
static struct truth_rules rules;
static struct figures figures[LANES][TIMERS + 1]; /* the last is unknown metadata */
static struct truth_random rnd = {11};
static bool told; /* late timers */

static uint32_t real_timer(uint32_t timer)
{
    if (timer < TK_LATE)
        return timer;
    return told && timer - TK_LATE < LATE ? timer - TK_LATE : TIMERS;
}

static void count_scope(const struct tk_frames *frames, size_t lane, const struct truth_scope *c)
{
    struct figures *f = &figures[lane][real_timer(c->timer)];
    f->calls = realloc(f->calls, (f->n_calls + 1) * sizeof *f->calls);
    f->calls[f->n_calls++] = c->total;
    f->count++;
    f->total += c->total;
    f->excl += c->excl;
    f->incl += c->outer ? c->total : 0;
    for (size_t i = 0; c->outer && i < frames->n; i++) {
        int64_t from = c->begin > frames->v[i].from ? c->begin : frames->v[i].from;
        int64_t to = c->end < frames->v[i].to ? c->end : frames->v[i].to;
        if (from < to && frames->v[i].to != INT64_MAX)
            f->frames[i] += truth_selected(&rules, from, to);
    }
}

static void count_all(const struct tk_frames *frames)
{
    for (size_t i = 0; i < LANES; i++) {
        for (size_t k = 0; k < lanes[i].n_closed; k++)
            count_scope(frames, i, &lanes[i].closed[k]);
        for (size_t k = 0; k < lanes[i].n_open; k++)
            if (truth_touches(&rules, lanes[i].open[k].begin, INT64_MAX))
                figures[i][real_timer(lanes[i].open[k].timer)].open++;
        for (size_t k = 0; k < lanes[i].n_lost; k++)
            if (truth_touches(&rules, lanes[i].lost[k].begin, INT64_MAX))
                figures[i][real_timer(lanes[i].lost[k].timer)].open++;
    }
}

/* Adds lane b to lane a. */
static void add_figures(struct figures *a, const struct figures *b)
{
    a->count += b->count;
    a->open += b->open;
    a->incl += b->incl;
    a->total += b->total;
    a->excl += b->excl;
    a->calls = realloc(a->calls, (a->n_calls + b->n_calls + 1) * sizeof *a->calls);
    if (b->n_calls)
        memcpy(a->calls + a->n_calls, b->calls, b->n_calls * sizeof *b->calls);
    a->n_calls += b->n_calls;
    for (size_t i = 0; i < TRUTH_FRAMES_MAX; i++)
        a->frames[i] += b->frames[i];
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Nearest rank: the smallest value that has at least share / of of all values at or below it. */
static uint64_t nearest(const uint64_t *sorted, size_t n, unsigned share, unsigned of)
{
    size_t i = 0;
    while ((i + 1) * of < n * share)
        i++;
    return sorted[i];
}

static void is_near(const struct rig *r, size_t row, const char *column, uint64_t exact, unsigned bits)
{
    uint64_t is = (uint64_t)cell(r, row, column)->v.i, off = is > exact ? is - exact : exact - is;
    ck_assert_msg(off <= exact >> (bits + 1), "%s is %llu, not %llu", column, (unsigned long long)is,
                  (unsigned long long)exact);
}

static void check_frames(const struct rig *r, size_t row, const struct figures *f,
                         const struct tk_frames *frames)
{
    uint64_t sums[TRUTH_FRAMES_MAX], total = 0;
    size_t n = 0;
    for (size_t i = 0; i < frames->n; i++) {
        if (frames->v[i].to == INT64_MAX || !truth_touches(&rules, frames->v[i].from, frames->v[i].to))
            continue;
        sums[n++] = f->frames[i];
        total += f->frames[i];
    }
    if (!n) {
        ck_assert_int_eq(cell(r, row, "frame_mean")->kind, TK_NONE);
        return;
    }
    qsort(sums, n, sizeof *sums, by_value);
    ck_assert_double_eq_tol(cell(r, row, "frame_mean")->v.r, (double)total / (double)n, 1e-9);
    is_near(r, row, "frame_p95", nearest(sums, n, 95, 100), TK_SKETCH_FRAMES);
}

static void check_row(const struct rig *r, size_t row, struct figures *f)
{
    ck_assert_uint_eq(cell(r, row, "count")->v.u, f->count);
    ck_assert_uint_eq(cell(r, row, "open")->v.u, f->open);
    if (!f->count) {
        ck_assert_int_eq(cell(r, row, "min")->kind, TK_NONE);
        ck_assert_int_eq(cell(r, row, "p99")->kind, TK_NONE);
        return;
    }
    qsort(f->calls, f->n_calls, sizeof *f->calls, by_value);
    ck_assert_uint_eq(cell(r, row, "incl")->v.u, f->incl);
    ck_assert_uint_eq(cell(r, row, "total")->v.u, f->total);
    ck_assert_uint_eq(cell(r, row, "excl")->v.u, f->excl);
    ck_assert_uint_eq(cell(r, row, "min")->v.u, f->calls[0]);
    ck_assert_uint_eq(cell(r, row, "max")->v.u, f->calls[f->n_calls - 1]);
    ck_assert_double_eq_tol(cell(r, row, "mean")->v.r, (double)f->total / (double)f->count, 1e-9);
    is_near(r, row, "median", nearest(f->calls, f->n_calls, 50, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p50", nearest(f->calls, f->n_calls, 50, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p90", nearest(f->calls, f->n_calls, 90, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p95", nearest(f->calls, f->n_calls, 95, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p99", nearest(f->calls, f->n_calls, 99, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p999", nearest(f->calls, f->n_calls, 999, 1000), TK_SKETCH_CALLS);
    check_frames(r, row, f, &r->frames);
}

static bool is_timer(const struct rig *r, size_t row, uint32_t timer)
{
    char room[16];
    const struct tk_cell *c = cell(r, row, "timer");
    struct tk_str name =
        timer < TIMERS ? name_of(timer, room) : (struct tk_str){.p = "<unknown metadata>", .n = 18};
    return c->n == name.n && memcmp(c->v.p, name.p, name.n) == 0;
}

static bool selected_name(const struct rig *r, uint32_t timer)
{
    return !r->select.timers.n || timer == 1 || timer == 10 || timer == 11; /* the pattern is Timer1* */
}

/* Rows by timer, then by lane; timers without any scope are not there. */
static void check_rows(const struct rig *r)
{
    size_t row = 0, n = r->query.by & TK_BY_THREAD ? LANES : 1;
    double shares = 0;
    for (size_t i = 1; n == 1 && i < LANES; i++)
        for (uint32_t k = 0; k <= TIMERS; k++)
            add_figures(&figures[0][k], &figures[i][k]);
    for (uint32_t k = 0; k <= TIMERS; k++) {
        for (size_t i = 0; i < n; i++) {
            struct figures *f = &figures[i][k];
            if ((!f->count && !f->open) || !selected_name(r, k))
                continue;
            ck_assert_uint_lt(row, rig_rows(r));
            ck_assert(is_timer(r, row, k));
            if (n > 1)
                ck_assert_uint_eq(cell(r, row, "thread_id")->v.u, FIRST_ID + i);
            check_row(r, row, f);
            if (f->count)
                shares += cell(r, row, "share")->v.r;
            row++;
        }
    }
    ck_assert_uint_eq(row, rig_rows(r));
    if (!r->select.timers.n && rules.all_time && row)
        ck_assert_double_eq_tol(shares, 1, 1e-6);
}

/* ---- random cases ---- */

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
    told = truth_below(&rnd, 2);
    draw_selection(&r);
    draw_frames(&r.frames, frames, 40);
    r.query.by = truth_below(&rnd, 2) ? TK_BY_THREAD : 0;
    rig_open(&r, all_columns, sizeof all_columns / sizeof all_columns[0]);
    unsigned batches = truth_below(&rnd, 20);
    for (unsigned i = 0; i < batches; i++) {
        random_batch(&r, &style);
        if (told && i == batches / 2)
            tell_late(&r);
    }
    if (told)
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
        struct tk_scope_run run = {.thread = FIRST_ID, .n = 6, .time = time, .op = op};
        struct tk_batch batch = {.runs = &run, .n_runs = 1};
        rig_open(&r, &ought[i].name, 1);
        rig_feed(&r, &batch);
        rig_finish(&r);
        ck_assert_uint_eq(rig_rows(&r), 2);
        ck_assert_msg(cell(&r, 0, ought[i].name)->v.i == ought[i].value, "%s is %lld", ought[i].name,
                      (long long)cell(&r, 0, ought[i].name)->v.i);
        rig_close(&r);
    }
}
END_TEST

/* ---- the window of frames ---- */

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
    struct tk_scope_run run = {.thread = FIRST_ID + lane, .lane = lane, .n = 2 * n, .time = time, .op = op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    rig_feed(r, &batch);
}

static void feed_scope(struct rig *r, uint32_t lane, uint32_t timer, int64_t begin, int64_t end)
{
    int64_t time[] = {begin, end};
    uint32_t op[] = {timer, TK_OP_END};
    struct tk_scope_run run = {.thread = FIRST_ID + lane, .lane = lane, .n = 2, .time = time, .op = op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    rig_feed(r, &batch);
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

/* One scope over 500 and a half frames, told at its end, with nothing else: every frame counts. */
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
    const TTest *const tests[] = {random_scopes,
                                  random_scopes_three_jobs,
                                  columns_do_not_change_figures,
                                  frames_pass_through_the_window,
                                  a_long_scope_counts_in_every_frame,
                                  late_scopes_count_in_the_mean,
                                  a_long_scope_can_be_late_in_part,
                                  frames_by_thread_pass_through_the_window};
    return RUN_TESTS("timers", tests);
}
