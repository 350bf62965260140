/*
 * Where events stand in time, and between which times a capture lies; worked out by hand.
 */
#include "cpu.h"
#include "put.h"

#define ALL "time,thread_id,event"

/* Thread 2: a mark at 2000, one without a time, a batch that begins at 2100, another mark without a time, a
 * stamped event at 2300, one without a time. Thread 3: one without a time before a mark at 2250. */
static struct captured *make_at(int64_t late)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    struct put_type *mark = put_new(c, "Demo.Mark", "Cycle:q", TK_UW_NOSYNC);
    struct put_type *plain = put_new(c, "Demo.Plain", "N:i", TK_UW_NOSYNC);
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    put(c, 0, mark, Q(2000 + late));
    put(c, 0, plain, Q(1));
    tk_uw_cpu_begin(&cpu, Q(2100 + late), 1);
    tk_uw_cpu_end(&cpu, Q(2200 + late));
    tk_uw_cpu_flush(&cpu);
    put(c, 0, plain, Q(2));
    tk_uw_enter_absolute(&c->lanes[0], Q(2300 + late));
    put(c, 0, plain, Q(3));
    tk_uw_leave_absolute(&c->lanes[0], Q(2310 + late));
    put(c, 0, plain, Q(4));
    put(c, 1, plain, Q(5));
    put(c, 1, mark, Q(2250 + late));
    captured_close(c);
    free(mark);
    free(plain);
    return c;
}

static const char *ask(struct captured *c, const char *table, const char *columns, const char *pattern,
                       int64_t from, int64_t to)
{
    static const char *events[1];
    events[0] = pattern;
    c->select = (struct tk_selection){.events = events,
                                      .n_events = 1,
                                      .has_from = true,
                                      .from_ns = from * 1000000,
                                      .has_to = true,
                                      .to_ns = to * 1000000};
    return captured_table(c, table, columns);
}

/* The clock starts at 1000; times are selected from there on. */
START_TEST(batches_and_stamped_events_have_times)
{
    struct captured *c = make_at(0);
    ck_assert_str_eq(ask(c, "events", ALL, "*", 1000, 1299), "2000|2|Demo.Mark\n"
                                                             "|2|Demo.Plain\n"
                                                             "2100|2|CpuProfiler.EventBatchV3\n"
                                                             "|2|Demo.Plain\n"
                                                             "2250|3|Demo.Mark\n");
    ck_assert_str_eq(ask(c, "events", ALL, "*", 1300, 2000), "2300|2|Demo.Plain\n"
                                                             "|2|Demo.Plain\n");
    captured_free(c);
}
END_TEST

/* That of thread 3 stands at the start, before all times of its thread. */
START_TEST(patterns_move_no_event)
{
    struct captured *c = make_at(0);
    ck_assert_str_eq(ask(c, "events", "time,thread_id,fields", "Demo.Pl*", 1000, 1100), "|2|{N=1}\n");
    ck_assert_str_eq(ask(c, "events", "time,thread_id,fields", "Demo.Pl*", 1100, 1300), "|2|{N=2}\n");
    ck_assert_str_eq(ask(c, "events", "time,thread_id,fields", "Demo.Pl*", 1300, 2000), "2300|2|{N=3}\n"
                                                                                        "|2|{N=4}\n");
    ck_assert_str_eq(ask(c, "events", "time,thread_id,fields", "Demo.Pl*", 0, 1000), "|3|{N=5}\n");
    ck_assert_str_eq(ask(c, "event_counts", "event,count", "Demo.Pl*", 1000, 2000), "Demo.Plain|4\n");
    captured_free(c);
}
END_TEST

static int64_t number(const struct tk_result *result, const char *column)
{
    const struct tk_table *table = tk_result_table(result, 0, NULL);
    uint32_t at = 0;
    while (strcmp(table->columns[at].name, column) != 0)
        ck_assert_uint_lt(++at, table->n_columns);
    return tk_result_row(result, 0, 0)[at].v.i;
}

/* Requests the capture and another table. */
static void check_end(int64_t late, const char *alongside, int64_t last, int64_t duration)
{
    const char *const tables[] = {"capture", alongside};
    struct captured *c = make_at(late);
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_result *result;
    struct tk_trace *trace = NULL;
    q.tables = tables;
    q.n_tables = 2;
    q.unit = TK_UNIT_CYCLES;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &c->err), TK_OK);
    ck_assert_int_eq(number(result, "last"), last);
    ck_assert_int_eq(number(result, "dur"), duration);
    tk_result_free(result);
    tk_close(trace);
    captured_free(c);
}

/* The stamp is the last time. `threads` has scopes alone, and `health` everything read; `session` only the
 * ends. What begins within a tenth of a second began with the program. */
START_TEST(captures_end_with_their_last_event)
{
    static const char *const alongside[] = {"session", "threads", "frames", "health"};
    for (size_t i = 0; i < sizeof alongside / sizeof *alongside; i++) {
        check_end(0, alongside[i], 2300, 300);
        check_end(-990, alongside[i], 1310, 310);
    }
}
END_TEST

/* A clock that passes 2^63: frames before, over and behind it. */
START_TEST(cycles_beyond_the_half)
{
    const uint64_t half = UINT64_C(1) << 63;
    struct captured *c = captured_clock(7, half - 100, 1000);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], half - 60, 0);
    tk_uw_frame_end(&c->uw, &c->lanes[0], half - 50, 0);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], half - 10, 0);
    tk_uw_frame_end(&c->uw, &c->lanes[0], half + 20, 0);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], half + 30, 0);
    tk_uw_frame_end(&c->uw, &c->lanes[0], half + 70, 0);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "frames", "start,end,dur"),
                     "9223372036854775748|9223372036854775758|10\n"
                     "9223372036854775798|9223372036854775828|30\n"
                     "9223372036854775838|9223372036854775878|40\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {batches_and_stamped_events_have_times, patterns_move_no_event,
                                  captures_end_with_their_last_event, cycles_beyond_the_half};
    return RUN_TESTS("event times", tests);
}
