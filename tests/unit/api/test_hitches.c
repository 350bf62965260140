/*
 * Hitches from events to rows: waits of the thread that runs the frames are followed to the task that it
 * waited for. Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"

enum { WAITS = 1, UPDATES, SLEEPS, BAKES, STEP = 100, FRAMES = 4 };

#define COLUMNS "frame,dur,rank,timer,work,thread_id,count,excl,typical,growth,cause"

/* Of 300 thread 2 is in scopes for 200, of 100 usually for 30. */
#define OUTSIDE(rank, own) "3|300|" #rank "|(outside every scope)|outside|2||" #own "|70|30|\n"

struct made {
    struct captured *c;
    struct put_type *launched, *started, *wait, *waited;
    struct tk_uw_cpu cpu[2];
};

static void open(struct made *m)
{
    m->c = captured_new(7);
    m->launched =
        put_new(m->c, "TaskTrace.Launched",
                "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:j TaskSize:q", TK_UW_AUX);
    m->started = put_new(m->c, "TaskTrace.Started", "Timestamp:q TaskId:q", 0);
    m->wait = put_new(m->c, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX);
    m->waited = put_new(m->c, "TaskTrace.WaitingFinished", "Timestamp:q", 0);
    tk_uw_cpu_spec(&m->c->uw, WAITS, "Tasks::Wait", "A.cpp", 1);
    tk_uw_cpu_spec(&m->c->uw, UPDATES, "Update", "A.cpp", 2);
    tk_uw_cpu_spec(&m->c->uw, SLEEPS, "Idle", "A.cpp", 3);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_init(&m->cpu[i], &m->c->uw, &m->c->lanes[i], 3);
}

static void scope(struct made *m, unsigned lane, uint32_t timer, uint64_t begin, uint64_t end)
{
    tk_uw_cpu_begin(&m->cpu[lane], begin, timer);
    tk_uw_cpu_end(&m->cpu[lane], end);
}

/* Three frames of 100 and one of 300, in which thread 2 waits 150, 50 of it for task 8 and 90 for task 9,
 * which thread 3 runs; thread 3 has nothing to do for long, which is no reason. */
static void play(struct made *m, bool tasks)
{
    struct captured *c = m->c;
    uint64_t ids[] = {8, 9};
    for (uint64_t i = 0, at = 2000; i < FRAMES; i++) {
        uint64_t end = at + (i == 3 ? 3 * STEP : STEP);
        tk_uw_frame_begin(&c->uw, &c->lanes[0], at, 0);
        scope(m, 0, WAITS, at, at + (i == 3 ? 150 : 20));
        scope(m, 0, UPDATES, at + (i == 3 ? 150 : 50), at + (i == 3 ? 200 : 60));
        scope(m, 1, SLEEPS, at, end - 10);
        tk_uw_frame_end(&c->uw, &c->lanes[0], end, 0);
        at = end;
    }
    if (!tasks)
        return;
    put(c, 0, m->wait, Q(2301), &ids[0], sizeof ids[0]);
    put(c, 0, m->waited, Q(2351));
    put(c, 0, m->launched, Q(2352), Q(9), "Bake", Q(1), Q(0), Q(0));
    put(c, 0, m->wait, Q(2355), &ids[1], sizeof ids[1]);
    put(c, 1, m->started, Q(2356), Q(9));
    put(c, 0, m->waited, Q(2445));
}

/* frame, duration and class of the hitches, the worst first; 0: all. */
static const char *captured_worst(struct captured *c, uint64_t top)
{
    static const char *const tables[] = {"hitches"}, *const columns[] = {"frame", "dur", "class"};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_result *result;
    size_t rows;
    q.tables = tables;
    q.columns = columns;
    q.n_tables = 1;
    q.n_columns = 3;
    q.unit = TK_UNIT_CYCLES;
    q.top_hitches = top;
    q.worst_first = true;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    const struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &c->err), TK_OK);
    tk_close(trace);
    tk_result_table(result, 0, &rows);
    c->n = 0;
    c->text[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < 3; k++) {
            captured_cell(c, &tk_result_row(result, 0, i)[k]);
            c->text[c->n++] = k < 2 ? '|' : '\n';
        }
        c->text[c->n] = 0;
    }
    tk_result_free(result);
    return c->text;
}

/* Written to its end. */
static struct captured *made(const struct made *m)
{
    struct put_type *types[] = {m->launched, m->started, m->wait, m->waited};
    captured_send(m->c);
    captured_close(m->c);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    return m->c;
}

static struct captured *make(bool tasks)
{
    struct made m;
    open(&m);
    play(&m, tasks);
    return made(&m);
}

START_TEST(follows_waits)
{
    struct captured *c = make(true);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|task Bake on Thread 3\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n" OUTSIDE(3, 100));
    captured_free(c);
}
END_TEST

/* The same frames. Thread 2 waits for task 9 until 2445, and runs a task meanwhile that waits for task 8. */
START_TEST(follows_the_outer_wait)
{
    uint64_t ids[] = {8, 9};
    struct made m;
    open(&m);
    play(&m, false);
    put(m.c, 0, m.launched, Q(2300), Q(9), "Bake", Q(1), Q(0), Q(0));
    put(m.c, 0, m.wait, Q(2301), &ids[1], sizeof ids[1]);
    put(m.c, 1, m.started, Q(2305), Q(9));
    put(m.c, 0, m.wait, Q(2360), &ids[0], sizeof ids[0]);
    put(m.c, 0, m.waited, Q(2390));
    put(m.c, 0, m.waited, Q(2445));
    struct captured *c = made(&m);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|task Bake on Thread 3\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n" OUTSIDE(3, 100));
    captured_free(c);
}
END_TEST

START_TEST(says_what_is_not_recorded)
{
    struct captured *c = make(false);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|not recorded\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n" OUTSIDE(3, 100));
    captured_free(c);
}
END_TEST

/* The same frames. Thread 3 has the lock from before the request of thread 2 until 2400, and does "Bake" with
 * it; what thread 4 had before does not matter. */
START_TEST(follows_locks)
{
    struct made m;
    open(&m);
    struct put_type *ask = put_new(m.c, "Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0),
                    *got = put_new(m.c, "Chaos.LockAcquired", "Cycle:q", 0),
                    *gave = put_new(m.c, "Chaos.LockAcquireEnd", "Cycle:q", 0);
    tk_uw_cpu_spec(&m.c->uw, BAKES, "Bake", "A.cpp", 4);
    play(&m, false);
    scope(&m, 1, BAKES, 2592, 2598); /* behind its sleep */
    put(m.c, 2, ask, Q(2300), Q(1));
    put(m.c, 2, got, Q(2301));
    put(m.c, 2, gave, Q(2302));
    put(m.c, 1, ask, Q(2302), Q(1));
    put(m.c, 1, got, Q(2303));
    put(m.c, 0, ask, Q(2305), Q(1));
    put(m.c, 1, gave, Q(2400));
    put(m.c, 0, got, Q(2401));
    put(m.c, 0, gave, Q(2410));
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|lock physics scene held by Thread 3, in Bake\n"
                     "3|300|2|Bake|own|3|1|6|0|6|\n"
                     "3|300|3|Update|own|2|1|50|10|40|\n" OUTSIDE(4, 100));
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited, ask, got, gave};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m.c);
}
END_TEST

/* Thread 2 is on core 1 but for 2420 to 2560, when "Other" of another process runs there for 100 and thread 3
 * for 20; on core 2 runs who does not matter. */
START_TEST(follows_switches)
{
    static const struct {
        uint64_t from, to, system_id, core;
    } runs[] = {{2000, 2420, 1002, 1}, {2430, 2530, 77, 1},   {2400, 2600, 88, 2},
                {2530, 2550, 1003, 1}, {2560, 2700, 1002, 1}, {2700, 2800, 77, 1}};
    struct made m;
    open(&m);
    struct put_type *ran = put_new(m.c, "PlatformEvent.ContextSwitch",
                                   "StartTime:q EndTime:q ThreadId:i CoreNumber:b", TK_UW_NOSYNC),
                    *name = put_new(m.c, "PlatformEvent.ThreadName", "ThreadId:i ProcessId:i Name:w", 0);
    tk_uw_thread_info(&m.c->uw, 2, 1002, 0, "Game");
    tk_uw_thread_info(&m.c->uw, 3, 1003, 0, "Worker");
    play(&m, false);
    put(m.c, 2, name, Q(77), Q(9), "Other");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        put(m.c, 2, ran, Q(runs[i].from), Q(runs[i].to), Q(runs[i].system_id), Q(runs[i].core));
    captured_send(m.c);
    captured_close(m.c);
    /* of the 140 that it does not run 30 are of its wait, which is why it does not; the update has all of its
     * 50, and 60 are outside, which leaves less than usual of both */
    ck_assert_str_eq(captured_table(m.c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|not recorded\n"
                     "3|300|2|(on no core)|off_core|2||110|0|110|core 1 ran Other\n");
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited, ran, name};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m.c);
}
END_TEST

/* Thread 2 is off its core for 2505 to 2590, where it has no scope: that is known by itself. */
START_TEST(off_the_core_between_calls)
{
    struct made m;
    open(&m);
    struct put_type *ran = put_new(m.c, "PlatformEvent.ContextSwitch",
                                   "StartTime:q EndTime:q ThreadId:i CoreNumber:b", TK_UW_NOSYNC);
    tk_uw_thread_info(&m.c->uw, 2, 1002, 0, "Game");
    play(&m, false);
    put(m.c, 2, ran, Q(2000), Q(2505), Q(1002), Q(1));
    put(m.c, 2, ran, Q(2590), Q(2700), Q(1002), Q(1));
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "hitches", COLUMNS ",off_core"),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|not recorded|\n"
                     "3|300|2|(on no core)|off_core|2||85|0|85|core 1 ran nothing that was recorded|\n"
                     "3|300|3|Update|own|2|1|50|10|40||\n");
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited, ran};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m.c);
}
END_TEST

/* What is usual is distinguished from all frames, whatever is selected: frame 3 alone, or a part of it, or
 * another one. */
START_TEST(a_selection_only_lists)
{
    struct captured *c = make(false);
    c->select = (struct tk_selection){.has_frames = true, .first_frame = 3, .last_frame = 3};
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|not recorded\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n" OUTSIDE(3, 100));
    c->select = (struct tk_selection){.has_from = true, .from_ns = INT64_C(1590000000)}; /* cycle 2590 */
    ck_assert_str_eq(captured_table(c, "hitches", "frame,dur,excl,typical"),
                     "3|300|150|20\n3|300|50|10\n3|300|100|70\n");
    c->select = (struct tk_selection){.has_frames = true, .first_frame = 0, .last_frame = 2};
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS), "");
    captured_free(c);
}
END_TEST

/* Frames of 100; the first, the third and number 40 take longer. The first 30 calm ones begin with the
 * fourth, which is in the first fifth. */
START_TEST(a_start_up_stands_apart)
{
    struct made m;
    open(&m);
    uint64_t at = 2000;
    for (uint64_t i = 0; i < 60; i++) {
        const uint64_t length = i == 0 ? 900 : i == 2 ? 500 : i == 40 ? 400 : STEP;
        tk_uw_frame_begin(&m.c->uw, &m.c->lanes[0], at, 0);
        scope(&m, 0, UPDATES, at, at + length - 10);
        at += length;
        tk_uw_frame_end(&m.c->uw, &m.c->lanes[0], at, 0);
    }
    struct captured *c = made(&m);
    ck_assert_str_eq(captured_table(c, "hitches", "frame,dur,class,excl,typical"), "40|400||390|90\n");
    ck_assert_str_eq(captured_table(c, "late_frames", "frame,dur,expected,class"),
                     "0|900|100|start-up\n2|500|100|start-up\n40|400|100|hitch\n");
    ck_assert_str_eq(captured_worst(c, 0), "40|400|\n");
    ck_assert_str_eq(captured_worst(c, 2), "40|400|\n");
    captured_free(c);
}
END_TEST

/* Where no frame is a hitch people are reported what the longest is: here frame 1, of 150 ms. */
START_TEST(says_what_the_longest_was)
{
    struct made m;
    open(&m);
    for (uint64_t i = 0, at = 2000; i < 3; i++) {
        const uint64_t end = at + (i == 1 ? 150 : STEP);
        tk_uw_frame_begin(&m.c->uw, &m.c->lanes[0], at, 0);
        tk_uw_frame_end(&m.c->uw, &m.c->lanes[0], end, 0);
        at = end;
    }
    scope(&m, 0, UPDATES, 2000, 2010);
    struct captured *c = made(&m);
    struct tk_query q = TK_INIT(struct tk_query);
    const char *const tables[] = {"hitches"};
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_result *result;
    q.tables = tables;
    q.n_tables = 1;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    const struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &c->err), TK_OK);
    tk_close(trace);
    ck_assert_str_eq(tk_result_table(result, 0, NULL)->none,
                     "no game frame is late against the frames around it; the longest is 150 ms (frame 1)");
    tk_result_free(result);
    captured_free(c);
}
END_TEST

/* In frame 3, from 2300 to 2600, and around it. */
START_TEST(says_what_happened_inside)
{
    const struct tk_uw_bytes none = {0};
    struct made m;
    open(&m);
    struct put_type *file = put_new(m.c, "PlatformFile.BeginRead",
                                    "Cycle:q ReadHandle:q FileHandle:q Offset:q Size:q", 0),
                    *end = put_new(m.c, "PlatformFile.EndRead", "Cycle:q ReadHandle:q SizeRead:q", 0);
    play(&m, false);
    tk_uw_bookmark_spec(&m.c->uw, 1, 2, "Wave", "A.cpp");
    tk_uw_bookmark(&m.c->uw, &m.c->lanes[0], 2250, 1, &none);
    tk_uw_bookmark(&m.c->uw, &m.c->lanes[0], 2310, 1, &none);
    put(m.c, 1, file, Q(2290), Q(7), Q(8), Q(0), Q(100));
    put(m.c, 1, end, Q(2330), Q(7), Q(90));
    put(m.c, 1, file, Q(2400), Q(7), Q(8), Q(0), Q(100));
    put(m.c, 1, end, Q(2450), Q(7), Q(50));
    put(m.c, 1, file, Q(2600), Q(7), Q(8), Q(0), Q(100)); /* begins where the frame ends */
    put(m.c, 1, end, Q(2650), Q(7), Q(20));
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "hitch_events", "frame,kind,start,dur,count,bytes,text"),
                     "3|bookmark|2310||||Wave\n"
                     "3|file|2300|80|2|140|?\n");
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited, file, end};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m.c);
}
END_TEST

START_TEST(keeps_the_longest)
{
    struct captured *c = make(false);
    c->limit = "hitches=0";
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS), "");
    ck_assert_uint_eq(captured_faults(c, "hitches", "limit_reached"), 1);
    captured_free(c);
}
END_TEST

/* Three frames of 100 and a last one: it has to be more than 1.5 times as long. */
static struct captured *make_last(uint64_t length)
{
    struct made m;
    open(&m);
    for (uint64_t i = 0, at = 2000; i < FRAMES; i++) {
        uint64_t end = at + (i == FRAMES - 1 ? length : STEP);
        tk_uw_frame_begin(&m.c->uw, &m.c->lanes[0], at, 0);
        scope(&m, 0, UPDATES, at, end - 10);
        tk_uw_frame_end(&m.c->uw, &m.c->lanes[0], end, 0);
        at = end;
    }
    return made(&m);
}

START_TEST(is_longer_than_its_budget)
{
    struct captured *c = make_last(150), *longer = make_last(151);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS), "");
    ck_assert_str_eq(captured_table(longer, "hitches", "frame,dur,rank,timer,excl,typical"),
                     "3|151|1|Update|141|90\n");
    captured_free(c);
    captured_free(longer);
}
END_TEST

/* The same frames, and before them one that begins 2^63 cycles before the clock, in which thread 2 waits for
 * a lock from one end to the other, and is on a core at both ends only: it lasts for 2^63 + 1000 cycles. */
START_TEST(times_far_apart)
{
    const uint64_t first = 1000 + (UINT64_C(1) << 63), last = 2000;
    struct made m;
    open(&m);
    struct put_type *ask = put_new(m.c, "Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0),
                    *got = put_new(m.c, "Chaos.LockAcquired", "Cycle:q", 0),
                    *ran = put_new(m.c, "PlatformEvent.ContextSwitch",
                                   "StartTime:q EndTime:q ThreadId:i CoreNumber:b", TK_UW_NOSYNC);
    tk_uw_thread_info(&m.c->uw, 2, 1002, 0, "Game");
    tk_uw_frame_begin(&m.c->uw, &m.c->lanes[0], first, 0);
    tk_uw_frame_end(&m.c->uw, &m.c->lanes[0], last, 0);
    play(&m, true);
    put(m.c, 0, ask, first, Q(1));
    put(m.c, 0, got, last - 1);
    put(m.c, 2, ran, first, first + 1, Q(1002), Q(1));
    put(m.c, 2, ran, last - 1, last, Q(1002), Q(1));
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(
        captured_table(m.c, "hitches", COLUMNS),
        "0|9223372036854776808|1|(outside every scope)|outside|2||9223372036854775807|70|"
        "9223372036854775737|\n"
        "4|300|1|Tasks::Wait|wait|2|1|150|20|130|task Bake on Thread 3\n"
        "4|300|2|Update|own|2|1|50|10|40|\n"
        "4|300|3|(outside every scope)|outside|2||100|70|30|\n"); /* who ran then is not recorded */
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited, ask, got, ran};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m.c);
}
END_TEST

static void write_scope(FILE *file, const char *name, unsigned at, unsigned length)
{
    fprintf(file, ",{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%u,\"dur\":%u,\"pid\":1,\"tid\":1}", name, at,
            length);
}

/* Frames of 10 ms with 4 of A and then 4 of B; one of 50 ms, in which A takes 30, and B 25 from 20 on. */
static void write_overlaps(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"GameThread\"}}",
          file);
    for (unsigned i = 0, at = 0; i <= 12; i++) {
        const bool longer = i == 6;
        fprintf(file, ",{\"name\":\"Frame\",\"ph\":\"i\",\"s\":\"t\",\"ts\":%u,\"pid\":1,\"tid\":1}", at);
        if (i == 12)
            break;
        write_scope(file, "A", at, longer ? 30000 : 4000);
        write_scope(file, "B", at + (longer ? 20000 : 4000), longer ? 25000 : 4000);
        at += longer ? 50000 : 10000;
    }
    fputs("]", file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Time is once: that of who began last. What is usual is that of the thread, whatever lane it lay on. */
START_TEST(overlaps)
{
    struct captured *c = captured_new(7);
    captured_close(c);
    write_overlaps(c->path);
    c->ns = true;
    ck_assert_str_eq(captured_table(c, "hitches", "frame,rank,timer,count,excl,typical,growth"),
                     "6|1|B|1|25000000|4000000|21000000\n6|2|A|1|20000000|4000000|16000000\n"
                     "6|3|(outside every scope)||5000000|2000000|3000000\n"); /* 50 less 45, else 10 less 8 */
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {overlaps,
                                  follows_waits,
                                  follows_the_outer_wait,
                                  follows_locks,
                                  follows_switches,
                                  says_what_is_not_recorded,
                                  off_the_core_between_calls,
                                  a_selection_only_lists,
                                  a_start_up_stands_apart,
                                  says_what_the_longest_was,
                                  says_what_happened_inside,
                                  keeps_the_longest,
                                  is_longer_than_its_budget,
                                  times_far_apart};
    return RUN_TESTS("hitches", tests);
}
