/* Threads, their order, and what streams and scopes tell about them; scopes that stay open. */
#include "query/fake.h"
#include "run.h"

#define END TK_OP_END

static void stream(struct fake *f, uint32_t thread, uint64_t packets, uint64_t stored, uint64_t events)
{
    fake_add(f, TK_FACT_STREAM, thread, 0, TK_NO_SEQ)->u.stream =
        (struct tk_fact_stream){.packets = packets, .stored = stored, .events = events};
}

/* Negative hints first, then groups in their fixed order, then priority, then first appearance. */
START_TEST(display_order)
{
    struct fake *f = fake_new();
    struct tk_query q = FAKE_QUERY;
    fake_thread(f, 10, "low", NULL, 4);
    fake_thread(f, 11, "normal", NULL, 0);
    fake_thread(f, 12, "critical", NULL, 6);
    fake_thread(f, 13, "normal too", "Unheard of", 0);
    fake_thread(f, 14, "pool", "ThreadPool", 2);
    fake_thread(f, 15, "pool above", "ThreadPool", 1);
    fake_thread(f, 16, "rhi", "Render", 5);
    fake_thread(f, 17, "render", "Render", 3);
    fake_thread(f, 18, "odd hint", NULL, 10);
    fake_thread(f, 19, "game", NULL, -1);
    fake_ask(f, &tk_builder_threads, &q);
    const int64_t want[] = {19, 17, 16, 15, 14, 12, 11, 13, 10, 18};
    ck_assert_uint_eq(fake_rows(f, 0), 10);
    for (size_t i = 0; i < 10; i++)
        fake_is(f, i, "thread_id", want[i]);
    fake_is_text(f, 1, "group", "Render");
    fake_is(f, 0, "system_id", 1019);
    fake_is(f, 0, "sort_hint", -1);
    fake_free(f);
}
END_TEST

/*
 * Lane 0: A from 10 to 40 with B from 20 to 30 inside, an end without a begin at 50, B from 60 on and A from
 * 70 on that never end. Lane 1: a scope of 10 whose timer nobody ever says.
 */
static const int64_t times[] = {10, 20, 30, 40, 50, 60, 70};
static const uint32_t ops[] = {0, 1, END, END, END, 1, 0}, late_ops[] = {TK_LATE + 3, END};

static struct fake *typical(void)
{
    struct fake *f = fake_new();
    fake_clock(f, 0, 1000000000);
    fake_thread(f, 2, "Main", NULL, 0);
    fake_timer(f, 0, "A");
    fake_timer(f, 1, "B");
    fake_run(f, 2, 0, 7, times, ops);
    fake_run(f, 9, 1, 2, times, late_ops);
    stream(f, 2, 5, 1000, 70);
    stream(f, 1, 3, 100, 7); /* of no thread that is defined */
    return f;
}

START_TEST(streams_and_scopes)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    fake_ask(f, &tk_builder_threads, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    const struct {
        const char *column;
        int64_t value;
    } want[] = {{"packets", 5}, {"bytes", 1000},  {"events", 70},   {"scopes", 2},
                {"open", 2},    {"max_depth", 2}, {"unmatched", 1}, {"thread_id", 2}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        fake_is(f, 0, want[i].column, want[i].value);
    fake_is_text(f, 1, "thread", "Thread 9");
    fake_is(f, 1, "sort_hint", FAKE_NONE);
    fake_is(f, 1, "packets", FAKE_NONE);
    fake_is(f, 1, "scopes", 1);
    fake_is(f, 1, "busy", 10);
    fake_free(f);
}
END_TEST

/* Scopes say which threads there are, whatever is requested of them. */
START_TEST(columns_decide_what_is_read)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const char *const names[] = {"thread"}, *const streams[] = {"thread", "bytes"};
    q.columns = names;
    q.n_columns = 1;
    fake_ask(f, &tk_builder_threads, &q);
    ck_assert_uint_eq(f->requested[0], TK_FACT_MASK(SCOPES));
    q.columns = streams;
    q.n_columns = 2;
    fake_ask(f, &tk_builder_threads, &q);
    ck_assert_uint_eq(f->requested[1], TK_FACT_MASK(SCOPES) | TK_FACT_MASK(STREAM));
    fake_free(f);
}
END_TEST

START_TEST(open_scopes_outermost_first)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const char *const a[] = {"A"}, *const none[] = {"C"};
    fake_ask(f, &tk_builder_open_scopes, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 0, "timer", "B");
    fake_is(f, 0, "start", 60);
    fake_is(f, 0, "depth", 0);
    fake_is_text(f, 1, "timer", "A");
    fake_is(f, 1, "depth", 1);
    fake_is_text(f, 1, "thread", "Main");
    q.select = (struct tk_selection){.timers = a, .n_timers = 1};
    fake_ask(f, &tk_builder_open_scopes, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    q.select.timers = none;
    ck_assert_int_eq(fake_query(f, (const struct tk_builder *const[]){&tk_builder_open_scopes}, 1, &q),
                     TK_EMATCH);
    fake_free(f);
}
END_TEST

START_TEST(the_capture_spans_its_scopes)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const struct tk_builder *const builders[] = {&tk_builder_threads, &tk_builder_capture};
    ck_assert_int_eq(fake_query(f, builders, 2, &q), TK_OK);
    ck_assert_int_eq(fake_cell(f, 1, 0, "first")->v.i, 0); /* the thread begins with the capture */
    ck_assert_int_eq(fake_cell(f, 1, 0, "last")->v.i, 70);
    ck_assert_int_eq(fake_cell(f, 1, 0, "dur")->v.i, 70);     /* from the start of the capture */
    ck_assert_uint_eq(fake_cell(f, 1, 0, "threads")->v.u, 1); /* the other is not defined */
    fake_free(f);
}
END_TEST

/* Two that are open where bytes are missing at 30, one inside the other. */
START_TEST(lost_scopes_have_rows)
{
    static const uint32_t op[] = {0, 1, TK_OP_CUT};
    static const int64_t time[] = {10, 20, 30};
    struct fake *f = fake_new();
    struct tk_query q = FAKE_QUERY;
    fake_clock(f, 0, 1000000000);
    fake_timer(f, 0, "A");
    fake_timer(f, 1, "B");
    fake_run(f, 2, 0, 3, time, op);
    fake_ask(f, &tk_builder_open_scopes, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 1, "timer", "B");
    fake_is(f, 1, "start", 20);
    fake_is(f, 1, "depth", 1);
    fake_ask(f, &tk_builder_scopes, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 0, "timer", "A");
    fake_is(f, 0, "start", 10);
    fake_is(f, 0, "dur", FAKE_NONE);
    fake_is(f, 0, "scope_id", 1);
    fake_is(f, 1, "start", 20);
    fake_is(f, 1, "depth", 1);
    fake_is(f, 1, "parent_id", 1);
    fake_free(f);
}
END_TEST

/* Scopes whose ends are missing with bytes, or that were lost one by one, are open as those at the end are.
 */
START_TEST(lost_scopes_are_open)
{
    static const uint32_t gap[] = {0, 1, TK_OP_CUT}, ended[] = {0, TK_OP_LOSE, 1, TK_OP_CLOSE};
    struct fake *f = fake_new();
    struct tk_query q = FAKE_QUERY;
    fake_clock(f, 0, 1000000000);
    fake_thread(f, 2, "Gap", NULL, 0);
    fake_thread(f, 3, "Ended", NULL, 0);
    fake_timer(f, 0, "A");
    fake_timer(f, 1, "B");
    fake_run(f, 2, 0, 3, times, gap);
    fake_run(f, 3, 1, 4, times, ended);
    fake_ask(f, &tk_builder_threads, &q);
    for (size_t row = 0; row < 2; row++) {
        fake_is(f, row, "open", 2);
        fake_is(f, row, "scopes", 0);
    }
    fake_free(f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        display_order,
        lost_scopes_have_rows,
        lost_scopes_are_open,
        streams_and_scopes,
        columns_decide_what_is_read,
        open_scopes_outermost_first,
        the_capture_spans_its_scopes,
    };
    return RUN_TESTS("threads", tests);
}
