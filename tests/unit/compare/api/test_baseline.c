/*
 * From captures to runs of a baseline. Ten frames of 100 cycles from cycle 2000 on; in frame i scopes of i +
 * 1 cycles, a counter that is i, and an error. The frames 2, 3, 7 and 8 are in a region. The clock starts at
 * 1000 and makes 1000 cycles per second, so that cycles are ms. Expectations are worked out by hand.
 */
#include "compare/baseline/baseline.h"
#include "compare/report/budget.h"

#include "api/put.h"
#include "cpu.h"

#include <math.h>

enum { WORK = 1, FRAMES = 10, STEP = 100 };

static uint64_t begin_of(unsigned frame)
{
    return 2000 + (uint64_t)frame * STEP;
}

static void play_frame(struct captured *c, struct tk_uw_cpu *cpu, unsigned i)
{
    struct tk_uw *uw = &c->uw;
    struct tk_uw_lane *lane = &c->lanes[0];
    const struct tk_uw_bytes none = {0};
    if (i == 2 || i == 7)
        tk_uw_region_begin(uw, lane, begin_of(i), "Fight", NULL);
    tk_uw_frame_begin(uw, lane, begin_of(i), 0);
    tk_uw_cpu_begin(cpu, begin_of(i) + 10, WORK);
    tk_uw_cpu_end(cpu, begin_of(i) + 10 + i + 1);
    tk_uw_counter_int(uw, lane, begin_of(i) + 50, 5, i);
    tk_uw_log(uw, &c->lanes[i % 2], begin_of(i) + 60, 7, &none);
    tk_uw_frame_end(uw, lane, begin_of(i + 1), 0);
    if (i == 3 || i == 8)
        tk_uw_region_end(uw, lane, begin_of(i + 1), "Fight");
}

static struct captured *make(void)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_thread_info(&c->uw, 2, 102, 0, "GameThread");
    tk_uw_thread_info(&c->uw, 3, 103, 0, "Worker");
    tk_uw_cpu_spec(&c->uw, WORK, "Work", "A.cpp", 1);
    tk_uw_counter_spec(&c->uw, 5, 0, 0, "Actors");
    tk_uw_log_category(&c->uw, 6, 5, "LogTemp");
    tk_uw_log_spec(&c->uw, 7, 6, 1, 2, "A.cpp", "Oh");
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (unsigned i = 0; i < FRAMES; i++)
        play_frame(c, &cpu, i);
    tk_uw_cpu_flush(&cpu);
    captured_close(c);
    return c;
}

/* The run of what is selected; the baseline is to be freed. */
static const struct tk_base_run *run_of(struct captured *c, struct tk_baseline **out)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_baseline_new(out, &c->err), TK_OK);
    int rc = tk_baseline_add(*out, trace, &c->select, &c->err);
    ck_assert_msg(rc == TK_OK, "%d: %s", rc, c->err.text[0]);
    tk_close(trace);
    return (*out)->runs.v[0];
}

static const struct tk_series *find(const struct tk_base_run *run, uint8_t kind)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind == kind)
            return run->series.v[i];
    return NULL;
}

/* Two blocks of two frames, between which there are frames of the capture that are none of the run. */
START_TEST(frames_that_are_selected_keep_their_places)
{
    static const char *const fight[] = {"Fight"};
    static const uint32_t numbers[] = {2, 3, 7, 8};
    struct captured *c = make();
    struct tk_baseline *b;
    c->select.regions = fight;
    c->select.n_regions = 1;
    const struct tk_base_run *run = run_of(c, &b);
    ck_assert_uint_eq(run->frames.n, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(run->numbers[i], numbers[i]);
        ck_assert(tk_base_run_begin(run, i) == 1000 + numbers[i] * STEP);
    }
    ck_assert_uint_eq(run->n_blocks, 2);
    ck_assert_uint_eq(run->starts[1], 2);
    const struct tk_series *work = find(run, TK_SERIES_TIMER), *actors = find(run, TK_SERIES_COUNTER),
                           *errors = find(run, TK_SERIES_LOG);
    ck_assert(work->blocks[0] == 3 + 4 && work->blocks[1] == 8 + 9);
    ck_assert(actors->blocks[0] == 2 + 3 && actors->blocks[1] == 7 + 8);
    ck_assert(actors->hits[0] == 2 && actors->hits[1] == 2);
    ck_assert(errors->blocks[0] == 2 && errors->blocks[1] == 2);
    tk_baseline_free(b);
    captured_free(c);
}
END_TEST

START_TEST(frames_have_the_numbers_of_the_capture)
{
    struct captured *c = make();
    struct tk_baseline *b;
    const struct tk_base_run *run = run_of(c, &b);
    ck_assert(run->frames.n == FRAMES && run->numbers == NULL);
    ck_assert(tk_base_run_begin(run, 4) == 1400);
    tk_baseline_free(b);
    c->select.has_frames = true;
    c->select.first_frame = 4;
    c->select.last_frame = 6;
    run = run_of(c, &b);
    ck_assert(run->frames.n == 3 && run->numbers[0] == 4 && run->numbers[2] == 6);
    ck_assert(tk_base_run_begin(run, 0) == 1400 && tk_base_run_begin(run, 2) == 1600);
    tk_baseline_free(b);
    captured_free(c);
}
END_TEST

/* The errors of odd frames are those of the worker; the first block ends where the region begins. */
START_TEST(errors_of_threads_that_are_selected)
{
    static const char *const worker[] = {"Worker"};
    struct captured *c = make();
    struct tk_baseline *b;
    ck_assert_uint_eq(find(run_of(c, &b), TK_SERIES_LOG)->count, FRAMES);
    tk_baseline_free(b);
    c->select.threads = worker;
    c->select.n_threads = 1;
    const struct tk_series *errors = find(run_of(c, &b), TK_SERIES_LOG);
    ck_assert(errors->count == FRAMES / 2 && errors->blocks[0] == 1);
    tk_baseline_free(b);
    captured_free(c);
}
END_TEST

static void put_tag(struct captured *c, const struct put_type *value, uint64_t cycle, uint64_t bytes)
{
    const uint32_t tag = 10;
    put(c, 0, value, Q(1), Q(cycle), &tag, sizeof tag, &bytes, sizeof bytes);
}

/* A tag with 9 and 7 bytes before the first frame, 100 + i in frame i, and 500 behind the last one. */
START_TEST(values_before_the_frames_are_no_growth)
{
    const uint8_t flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX;
    struct captured *c = captured_new(7);
    struct tk_baseline *b;
    struct put_type *tracker = put_new(c, "LLM.TrackerSpec", "TrackerId:b Name:s", flags),
                    *tag = put_new(c, "LLM.TagsSpec", "TagId:i ParentId:j Name:s", flags),
                    *value = put_new(c, "LLM.TagValue", "TrackerId:b Cycle:q Tags:I Values:U", TK_UW_AUX);
    put_event(&c->uw.important, tracker, Q(1), "Default");
    put_event(&c->uw.important, tag, Q(10), Q(UINT32_MAX), "Audio");
    put_tag(c, value, 1100, 9);
    put_tag(c, value, 1200, 7);
    for (unsigned i = 0; i < FRAMES; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[0], begin_of(i), 0);
        put_tag(c, value, begin_of(i) + 5, 100 + i);
        tk_uw_frame_end(&c->uw, &c->lanes[0], begin_of(i + 1), 0);
    }
    put_tag(c, value, begin_of(FRAMES) + 50, 500);
    captured_close(c);
    const struct tk_base_run *run = run_of(c, &b);
    const struct tk_series *s = find(run, TK_SERIES_MEMORY);
    ck_assert(s->count == FRAMES && !tk_series_of_allocations(s, run->n_blocks));
    ck_assert(s->first == 100 && s->last == 500 && s->low == 7 && s->high == 500);
    ck_assert(s->blocks[0] == 100 + 101 + 102 + 103 && s->hits[0] == 4);
    tk_baseline_free(b);
    free(tracker);
    free(tag);
    free(value);
    captured_free(c);
}
END_TEST

/* What is no number counts for nothing: 1 and 3 are left. */
START_TEST(values_that_are_no_numbers)
{
    static const double values[] = {INFINITY, 1, NAN, 3, -INFINITY};
    struct captured *c = captured_new(7);
    struct tk_baseline *b;
    tk_uw_counter_spec(&c->uw, 1, 1, 0, "Load");
    captured_send(c);
    for (unsigned i = 0; i < FRAMES; i++) {
        tk_uw_frame_begin(&c->uw, &c->lanes[0], begin_of(i), 0);
        if (i < 5)
            tk_uw_counter_float(&c->uw, &c->lanes[0], begin_of(i) + 10, 1, values[i]);
        tk_uw_frame_end(&c->uw, &c->lanes[0], begin_of(i + 1), 0);
    }
    captured_close(c);
    const struct tk_series *s = find(run_of(c, &b), TK_SERIES_COUNTER);
    ck_assert(s->count == 2 && s->first == 1 && s->last == 3 && s->low == 1 && s->high == 3);
    ck_assert(s->blocks[0] == 4 && s->hits[0] == 2 && s->hits[1] == 0);
    tk_baseline_free(b);
    captured_free(c);
}
END_TEST

enum { WAIT = 2 };

static void put_call(struct tk_uw_cpu *cpu, uint64_t begin, uint64_t length, uint32_t timer)
{
    tk_uw_cpu_begin(cpu, begin, timer);
    tk_uw_cpu_end(cpu, begin + length);
}

/*
 * On each of two workers 1 cycle of Work in each frame, but 20 in frames 8 and 9, and 30 in frame 5, which
 * has the most (60). Blocks are frames 0 to 3, 4 to 6 (21 a frame), 7 and 8 (21), and 9, whose mean is the
 * greatest. In frame 2 they wait for 50. The counter is i, but 20 in frame 6. Region Fight has the frames 7
 * and 8.
 */
static struct captured *make_uneven(void)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu[2];
    tk_uw_thread_info(&c->uw, 3, 103, 0, "Worker 1");
    tk_uw_thread_info(&c->uw, 4, 104, 0, "Worker 2");
    tk_uw_cpu_spec(&c->uw, WORK, "Work", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, WAIT, "WaitForWork", "A.cpp", 2);
    tk_uw_counter_spec(&c->uw, 5, 0, 0, "Actors");
    for (unsigned t = 0; t < 2; t++)
        tk_uw_cpu_init(&cpu[t], &c->uw, &c->lanes[1 + t], 3);
    for (unsigned i = 0; i < FRAMES; i++) {
        if (i == 7)
            tk_uw_region_begin(&c->uw, &c->lanes[0], begin_of(i), "Fight", NULL);
        tk_uw_frame_begin(&c->uw, &c->lanes[0], begin_of(i), 0);
        for (unsigned t = 0; t < 2; t++) {
            put_call(&cpu[t], begin_of(i) + 10, i == 5 ? 30 : i >= 8 ? 20 : 1, WORK);
            if (i == 2)
                put_call(&cpu[t], begin_of(i) + 20, 50, WAIT);
        }
        tk_uw_counter_int(&c->uw, &c->lanes[0], begin_of(i) + 50, 5, i == 6 ? 20 : i);
        tk_uw_frame_end(&c->uw, &c->lanes[0], begin_of(i + 1), 0);
        if (i == 8)
            tk_uw_region_end(&c->uw, &c->lanes[0], begin_of(i + 1), "Fight");
    }
    for (unsigned t = 0; t < 2; t++)
        tk_uw_cpu_flush(&cpu[t]);
    captured_close(c);
    return c;
}

static void read_watched(struct captured *c, const struct tk_budgets *budgets, struct tk_baseline **out)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_baseline_new(out, &c->err), TK_OK);
    if (budgets)
        tk_baseline_watch(*out, budgets);
    ck_assert_int_eq(tk_baseline_add(*out, trace, NULL, &c->err), TK_OK);
    tk_close(trace);
}

START_TEST(the_worst_place_is_a_frame)
{
    static const char text[] =
        "{\"budgets\": [{\"kind\": \"timer\", \"name\": \"Work\", \"error\": 1},"
        "{\"kind\": \"thread\", \"name\": \"Worker\", \"error\": 1},"
        "{\"kind\": \"counter\", \"name\": \"Actors\", \"error\": 1},"
        "{\"kind\": \"timer\", \"name\": \"Work\", \"error\": 1, \"region\": \"Fight\"},"
        "{\"kind\": \"timer\", \"name\": \"WaitForWork\", \"error\": 1}]}";
    static const uint64_t frames[] = {5, 5, 6, 8, 2};
    struct captured *c = make_uneven();
    struct tk_budgets budgets;
    struct tk_baseline *b;
    ck_assert_int_eq(tk_budgets_parse(&budgets, text, sizeof text - 1, &c->err), TK_OK);
    read_watched(c, &budgets, &b);
    ck_assert_int_eq(tk_budgets_check(&budgets, b, &c->err), TK_OK);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        const struct tk_budget *budget = &budgets.v.v[i];
        ck_assert_uint_eq(budget->first_frame, frames[i]);
        ck_assert_uint_eq(budget->last_frame, frames[i]);
        ck_assert(budget->ms == 1000 + (double)frames[i] * STEP);
    }
    tk_baseline_free(b);
    /* of runs that nobody watched, as those in files, blocks are known */
    read_watched(c, NULL, &b);
    ck_assert_int_eq(tk_budgets_check(&budgets, b, &c->err), TK_OK);
    ck_assert(budgets.v.v[0].first_frame == 9 && budgets.v.v[0].last_frame == 9);
    tk_baseline_free(b);
    tk_budgets_release(&budgets);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {frames_that_are_selected_keep_their_places,
                                  frames_have_the_numbers_of_the_capture,
                                  errors_of_threads_that_are_selected,
                                  values_before_the_frames_are_no_growth,
                                  values_that_are_no_numbers,
                                  the_worst_place_is_a_frame};
    return RUN_TESTS("baseline", tests);
}
