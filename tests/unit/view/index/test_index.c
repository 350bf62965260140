/* Tests of an index: windows, single scopes and searches, worked out by hand. */
#include "api/captured.h"
#include "api/trace.h"
#include "../../../writer/cpu.h"
#include "view/index/index.h"

enum { FRAME = 1, TASK, STEP, WAIT, LEVEL };

enum {
    FRAMES = 200,
    MANY = 1600,
    LEVELS = FRAMES / 20,
    TASKS = 10,
    STEPS = 50,
    LONG = 10000,
    MIDDLE = 1000,
    SHORT = 10
};

/* When a step begins in its frame: 0 to 4 cycles late, so that packets do not compress well. */
static int64_t step_at(uint64_t f, uint64_t t, uint64_t s)
{
    return (int64_t)(t * MIDDLE + s * 15 + (f * 7919 + t * 104729 + s * 1299709) % 10007 % 5);
}

/*
 * Thread 2: levels of 20 frames of 10,000 cycles, one after the other from 1,000,000 on; in each frame ten
 * tasks of 900 cycles, one every 1,000; in each task 50 steps of 10 cycles, one about every 15. So steps are
 * at row 3, always. Thread 3 waits once, from 1,000,000 to the end.
 */
static struct captured *make_frames(uint64_t frames)
{
    struct captured *c = captured_clock(7, 0, 1000000);
    struct tk_uw_cpu cpu[2];
    tk_uw_cpu_spec(&c->uw, FRAME, "Frame", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, TASK, "Task", "A.cpp", 2);
    tk_uw_cpu_spec(&c->uw, STEP, "Step", "B.cpp", 3);
    tk_uw_cpu_spec(&c->uw, WAIT, "Wait", "B.cpp", 4);
    tk_uw_cpu_spec(&c->uw, LEVEL, "Level", "B.cpp", 5);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_init(&cpu[i], &c->uw, &c->lanes[i], 3);
    tk_uw_cpu_begin(&cpu[1], 1000000, WAIT);
    for (uint64_t f = 0; f < frames; f++) {
        const uint64_t at = 1000000 + f * LONG;
        if (f % 20 == 0)
            tk_uw_cpu_begin(&cpu[0], at, LEVEL);
        tk_uw_cpu_begin(&cpu[0], at, FRAME);
        for (uint64_t t = 0; t < TASKS; t++) {
            tk_uw_cpu_begin(&cpu[0], at + t * MIDDLE, TASK);
            for (uint64_t s = 0; s < STEPS; s++) {
                tk_uw_cpu_begin(&cpu[0], at + (uint64_t)step_at(f, t, s), STEP);
                tk_uw_cpu_end(&cpu[0], at + (uint64_t)step_at(f, t, s) + SHORT);
            }
            tk_uw_cpu_end(&cpu[0], at + t * MIDDLE + 900);
        }
        tk_uw_cpu_end(&cpu[0], at + LONG);
        if (f % 20 == 19)
            tk_uw_cpu_end(&cpu[0], at + LONG);
    }
    tk_uw_cpu_end(&cpu[1], 1000000 + frames * LONG);
    tk_uw_cpu_flush(&cpu[0]);
    tk_uw_cpu_flush(&cpu[1]);
    captured_close(c);
    return c;
}

struct opened_index {
    struct captured *c;
    struct tk_trace *trace;
    struct tk_index *index;
    struct tk_index_about about;
    uint32_t lane; /* of thread 2 */
};

static struct opened_index open_index(struct captured *c, unsigned jobs)
{
    struct opened_index o = {.c = c};
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_index_lane lane;
    struct tk_err err = {0};
    options.jobs = jobs;
    ck_assert_int_eq(tk_open(&o.trace, c->path, &options, &err), TK_OK);
    ck_assert_int_eq(tk_index_build(&o.index, o.trace, NULL, &err), TK_OK);
    tk_index_tell(o.index, &o.about);
    while (tk_index_lane_get(o.index, o.lane, &lane) && lane.thread != 2)
        o.lane++;
    return o;
}

static void close_index(struct opened_index *o)
{
    tk_index_close(o->index);
    tk_close(o->trace);
    captured_free(o->c);
}

static const char *name_of(const struct opened_index *o, uint32_t timer)
{
    static char text[32];
    struct tk_index_timer known;
    ck_assert(tk_index_timer_get(o->index, timer, &known));
    snprintf(text, sizeof text, "%.*s", (int)known.name.n, known.name.p);
    return text;
}

static uint32_t timer_of(const struct opened_index *o, const char *name)
{
    for (uint32_t i = 0; i < o->about.timers; i++)
        if (strcmp(name_of(o, i), name) == 0)
            return i;
    ck_abort_msg("no timer %s", name);
    return 0;
}

START_TEST(what_there_is)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    struct tk_index_lane lane;
    ck_assert_uint_eq(o.about.lanes, 2);
    ck_assert_uint_eq(o.about.scopes, FRAMES * (1 + TASKS * (1 + STEPS)) + LEVELS + 1);
    ck_assert_int_eq(o.about.first, 1000000);
    ck_assert_int_eq(o.about.last, 1000000 + FRAMES * LONG);
    ck_assert(tk_index_lane_get(o.index, o.lane, &lane));
    ck_assert_uint_eq(lane.rows, 4);
    ck_assert_uint_eq(lane.scopes, FRAMES * (1 + TASKS * (1 + STEPS)) + LEVELS);
    ck_assert_uint_eq(lane.covered, FRAMES * LONG);
    ck_assert_uint_eq(lane.unended + lane.deeper, 0);
    ck_assert(!tk_index_lane_get(o.index, 2, &lane));
    ck_assert_int_eq(tk_index_ns(o.index, 5), 5000);
    ck_assert_int_eq(tk_index_cycles(o.index, 5000), 5);
    close_index(&o);
}
END_TEST

/* Every window of a task, wherever decoding begins: a level may begin before the window and behind the mark.
 */
START_TEST(rows_of_short_scopes)
{
    struct opened_index o = open_index(make_frames(MANY), 2);
    struct tk_index_window w = {0};
    for (int64_t f = 0; f < MANY; f += 7) {
        const int64_t frame = 1000000 + f * LONG, at = frame + f % TASKS * MIDDLE;
        const struct tk_index_question q = {
            .from = at + 5, .to = at + 755, .pixels = 750, .lanes = &o.lane, .n_lanes = 1, .each = true};
        ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_OK);
        ck_assert(w.exact);
        must(w.n == 3 + STEPS);
        must(w.boxes[0].depth == 0 && w.boxes[0].begin == 1000000 + f / 20 * 20 * LONG);
        must(w.boxes[1].depth == 1 && w.boxes[1].begin == 1000000 + f * LONG);
        must(w.boxes[1].end == w.boxes[1].begin + LONG);
        must(w.boxes[2].depth == 2 && w.boxes[2].begin == at && w.boxes[2].end == at + 900);
        for (size_t s = 0; s < STEPS; s++) {
            const struct tk_index_box *b = &w.boxes[3 + s];
            must(b->depth == 3 && b->begin == frame + step_at((uint64_t)f, (uint64_t)f % TASKS, s) &&
                 b->end == b->begin + SHORT && b->cover == 255);
        }
    }
    tk_index_window_release(&w);
    close_index(&o);
}
END_TEST

/* The whole run in 4 pixels: 50 frames each. Of a pixel tasks cover 90 % and steps 50 %. */
START_TEST(whole_run)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    struct tk_index_window w = {0};
    const struct tk_index_question q = {
        .from = 1000000, .to = 1000000 + FRAMES * LONG, .pixels = 4, .lanes = &o.lane, .n_lanes = 1};
    uint64_t count[4] = {0};
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_OK);
    ck_assert(!w.exact);
    ck_assert_int_gt(w.width, LONG);
    for (size_t i = 0; i < w.n; i++) {
        const struct tk_index_box *b = &w.boxes[i];
        static const char *const names[] = {"Level", "Frame", "Task", "Step"};
        static const double parts[] = {0, 254, 254 * 0.9, 254 * 0.5};
        const bool edge = b->begin < q.from || b->end > q.to;
        must(b->depth < 4 && strcmp(name_of(&o, b->timer), names[b->depth]) == 0);
        must(edge || b->depth == 0 || (b->cover > parts[b->depth] - 12 && b->cover < parts[b->depth] + 12));
        count[b->depth] += b->count;
    }
    ck_assert_uint_eq(count[0], LEVELS);
    ck_assert_uint_eq(count[1], FRAMES);
    /* counts above 127 are rounded down to a quarter of an octave */
    ck_assert_uint_le(count[2], FRAMES * TASKS);
    ck_assert_uint_ge(count[2], FRAMES * TASKS * 4 / 5);
    tk_index_window_release(&w);
    close_index(&o);
}
END_TEST

START_TEST(narrow_scopes_are_put_together)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    struct tk_index_window w = {0};
    /* pixels of 15 cycles, as steps come */
    const struct tk_index_question q = {
        .from = 1000000, .to = 1000750, .pixels = 50, .lanes = &o.lane, .n_lanes = 1, .rows = 4};
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_OK);
    ck_assert(w.exact);
    ck_assert_int_eq(w.width, 15);
    ck_assert_uint_eq(w.n, 3 + STEPS);
    for (size_t i = 3; i < w.n; i++) {
        const struct tk_index_box *b = &w.boxes[i];
        must(b->begin == 1000000 + (int64_t)(i - 3) * 15 && b->end == b->begin + 15 && b->count == 1);
        must(b->cover == 169); /* 10 / 15 * 254, rounded */
    }
    tk_index_window_release(&w);
    close_index(&o);
}
END_TEST

START_TEST(questions_without_sense)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    struct tk_index_window w = {0};
    const uint32_t none = 2;
    struct tk_index_question q = {.from = 5, .to = 5, .pixels = 1, .lanes = &o.lane, .n_lanes = 1};
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_EUSAGE);
    q.to = 6;
    q.pixels = 0;
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_EUSAGE);
    q.pixels = 65537;
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_EUSAGE);
    q.pixels = 1;
    q.lanes = &none;
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_EUSAGE);
    q.lanes = &o.lane;
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_OK);
    ck_assert_uint_eq(w.n, 0);
    q.from = INT64_MIN;
    q.to = INT64_MAX;
    ck_assert_int_eq(tk_index_window(o.index, &q, &w, NULL), TK_OK);
    ck_assert_uint_ge(w.n, 1);
    tk_index_window_release(&w);
    close_index(&o);
}
END_TEST

START_TEST(scope_at)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    struct tk_index_window w = {0};
    ck_assert_int_eq(tk_index_scope_at(o.index, o.lane, 1021007, 9, &w, NULL), TK_OK);
    ck_assert_uint_eq(w.n, 4);
    ck_assert_str_eq(name_of(&o, w.boxes[0].timer), "Level");
    ck_assert_str_eq(name_of(&o, w.boxes[1].timer), "Frame");
    ck_assert_str_eq(name_of(&o, w.boxes[2].timer), "Task");
    ck_assert_str_eq(name_of(&o, w.boxes[3].timer), "Step");
    ck_assert_int_eq(w.boxes[3].begin, 1020000 + step_at(2, 1, 0));
    /* between two steps; and no deeper than row 0 */
    ck_assert_int_eq(tk_index_scope_at(o.index, o.lane, 1020000 + step_at(2, 1, 0) + SHORT, 9, &w, NULL),
                     TK_OK);
    ck_assert_uint_eq(w.n, 3);
    ck_assert_int_eq(tk_index_scope_at(o.index, o.lane, 1021007, 0, &w, NULL), TK_OK);
    ck_assert_uint_eq(w.n, 1);
    ck_assert_int_eq(tk_index_scope_at(o.index, o.lane, 5, 9, &w, NULL), TK_OK);
    ck_assert_uint_eq(w.n, 0);
    tk_index_window_release(&w);
    close_index(&o);
}
END_TEST

START_TEST(next_and_previous)
{
    struct opened_index o = open_index(make_frames(FRAMES), 1);
    const uint32_t step = timer_of(&o, "Step"), frame = timer_of(&o, "Frame"), wait = timer_of(&o, "Wait");
    struct tk_index_box box;
    ck_assert_int_eq(tk_index_next(o.index, o.lane, step, 1000004, false, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1000000 + step_at(0, 0, 1));
    ck_assert_int_eq(tk_index_next(o.index, o.lane, step, 1000740, false, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1000000 + step_at(0, 1, 0));
    ck_assert_int_eq(tk_index_next(o.index, o.lane, step, 2000000, true, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1990000 + step_at(99, 9, 49));
    ck_assert_int_eq(tk_index_next(o.index, o.lane, step, 1000000, true, &box, NULL), TK_OK);
    ck_assert_int_eq(tk_index_next(o.index, o.lane, step, 0, false, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1000000 + step_at(0, 0, 0));
    ck_assert_int_eq(tk_index_next(o.index, o.lane, frame, 1000000, false, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1010000);
    ck_assert_int_eq(tk_index_next(o.index, o.lane, frame, INT64_MAX, true, &box, NULL), TK_ITEM);
    ck_assert_int_eq(box.begin, 1000000 + (FRAMES - 1) * LONG);
    ck_assert_int_eq(tk_index_next(o.index, o.lane, wait, 0, false, &box, NULL), TK_OK);
    ck_assert_int_eq(tk_index_next(o.index, 7, wait, 0, false, &box, NULL), TK_EUSAGE);
    close_index(&o);
}
END_TEST

START_TEST(search)
{
    struct opened_index o = open_index(make_frames(FRAMES), 2);
    struct tk_index_search found = {0};
    uint8_t parts[4];
    ck_assert_int_eq(tk_index_search(o.index, "A", 10, &found, NULL), TK_OK);
    ck_assert_uint_eq(found.matches, 3); /* FrAme, TAsk, WAit */
    ck_assert_str_eq(name_of(&o, found.found[0].timer), "Task");
    ck_assert_uint_eq(found.found[0].scopes, FRAMES * TASKS);
    ck_assert_int_eq(tk_index_search(o.index, "a", 1, &found, NULL), TK_OK);
    ck_assert_uint_eq(found.n, 1);
    ck_assert_uint_eq(found.matches, 3);
    ck_assert_int_eq(tk_index_search(o.index, "S*", 10, &found, NULL), TK_OK);
    ck_assert_uint_eq(found.n, 1);
    ck_assert_int_eq(tk_index_presence(o.index, found.found[0].timer, parts, 4, NULL), TK_OK);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_gt(parts[i], 0);
    /* it ends with the run */
    ck_assert_int_eq(tk_index_presence(o.index, timer_of(&o, "Wait"), parts, 4, NULL), TK_OK);
    ck_assert_int_eq(parts[0] + parts[1] + parts[2], 0);
    ck_assert_uint_eq(parts[3], 1);
    ck_assert_int_eq(tk_index_presence(o.index, 0, parts, 0, NULL), TK_EUSAGE);
    tk_index_search_release(&found);
    close_index(&o);
}
END_TEST

static int stop(void *ctx, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    ++*(int *)ctx;
    return 1;
}

START_TEST(cancelled)
{
    struct captured *c = make_frames(FRAMES);
    struct tk_trace *trace;
    struct tk_index *index;
    int calls = 0;
    const struct tk_index_options options = {.progress = stop, .progress_ctx = &calls};
    struct tk_err err = {0};
    ck_assert_int_eq(tk_open(&trace, c->path, NULL, &err), TK_OK);
    ck_assert_int_eq(tk_index_build(&index, trace, &options, &err), TK_ECANCELED);
    ck_assert_ptr_null(index);
    ck_assert_int_eq(calls, 1);
    /* and the folder that is not there */
    const struct tk_index_options nowhere = {.folder = "/nowhere/at/all"};
    ck_assert_int_eq(tk_index_build(&index, trace, &nowhere, &err), TK_EOUTPUT);
    tk_close(trace);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_there_is,
                                  rows_of_short_scopes,
                                  whole_run,
                                  narrow_scopes_are_put_together,
                                  questions_without_sense,
                                  scope_at,
                                  next_and_previous,
                                  search,
                                  cancelled};
    return RUN_TESTS("index", tests);
}
