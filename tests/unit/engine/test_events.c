/* Events and their numbers. */
#include "query/fake.h"
#include "run.h"

static const struct tk_record_type types[] = {
    {.name = "Misc.A"}, {.name = "Misc.B"}, {.name = "Game.A"}, {.name = "Misc.A"}};

static void count(struct fake *f, const struct tk_record_type *type, uint64_t n, uint64_t bytes)
{
    fake_add(f, TK_FACT_RECORD_COUNT, TK_NO_THREAD, 0, TK_NO_SEQ)->u.record_count =
        (struct tk_fact_record_count){.type = type, .count = n, .bytes = bytes};
}

static struct fake *typical(void)
{
    struct fake *f = fake_new();
    fake_clock(f, 0, 1000000000);
    fake_thread(f, 2, "Main", NULL, 0);
    fake_thread(f, 3, "Worker", NULL, 0);
    fake_record(f, 2, &types[0], -1); /* stands at the start */
    fake_record(f, 2, &types[1], 50);
    fake_record(f, 3, &types[2], -1);
    fake_cut(f);
    fake_record(f, 2, &types[0], -1);
    f->facts[f->n_facts - 1].time = 50; /* where it stands */
    fake_record(f, 3, &types[2], 10);
    fake_record(f, 2, &types[3], 90);
    count(f, &types[0], 2, 20);
    count(f, &types[1], 1, 11);
    count(f, &types[2], 2, 30);
    count(f, &types[3], 1, 8);
    return f;
}

START_TEST(rows_say_what_is_known)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    f->facts[3].u.record.has_serial = true;
    f->facts[3].u.record.serial = 77;
    f->facts[3].u.record.within = 5;
    f->facts[3].u.record.incomplete = true;
    f->facts[3].u.record.attachment = (struct tk_cell){.kind = TK_BYTES, .n = 2, .v.p = "xy"};
    const char *const columns[] = {"time",   "thread_id", "thread", "event",      "serial",
                                   "offset", "within",    "fields", "attachment", "incomplete"};
    q.columns = columns;
    q.n_columns = 10;
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 6);
    fake_is(f, 0, "time", FAKE_NONE);
    fake_is(f, 0, "serial", 77);
    fake_is(f, 0, "within", 5);
    fake_is(f, 0, "incomplete", 1);
    fake_is(f, 0, "offset", 4);
    ck_assert_int_eq(fake_cell(f, 0, 0, "fields")->kind, TK_RECORD);
    ck_assert_int_eq(fake_cell(f, 0, 0, "attachment")->n, 2);
    fake_is_text(f, 1, "event", "Misc.B");
    fake_is(f, 1, "time", 50);
    fake_is(f, 1, "serial", FAKE_NONE);
    fake_is(f, 1, "attachment", FAKE_NONE);
    fake_is(f, 2, "thread_id", 3);
    fake_free(f);
}
END_TEST

START_TEST(events_without_a_time_are_selected_by_where_they_stand)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    q.select = (struct tk_selection){.has_from = true, .from_ns = 20};
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_is_text(f, 0, "event", "Misc.B");
    fake_is(f, 1, "time", FAKE_NONE);
    fake_is(f, 2, "time", 90);
    q.select = (struct tk_selection){.has_to = true, .to_ns = 20};
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_free(f);
}
END_TEST

START_TEST(events_of_a_thread)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const char *const threads[] = {"Work*"};
    fake_record(f, TK_NO_THREAD, &types[1], 5);
    q.select = (struct tk_selection){.threads = threads, .n_threads = 1};
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    for (size_t i = 0; i < 2; i++) {
        fake_is_text(f, i, "event", "Game.A");
        fake_is(f, i, "thread_id", 3);
    }
    fake_ask(f, &tk_builder_event_counts, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is(f, 0, "count", 2);
    fake_free(f);
}
END_TEST

START_TEST(counts_by_name)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    fake_ask(f, &tk_builder_event_counts, &q);
    ck_assert_uint_eq(f->requested[0], TK_FACT_MASK(RECORD_COUNT));
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_is_text(f, 0, "event", "Game.A");
    fake_is(f, 0, "bytes", 30);
    fake_is_text(f, 1, "event", "Misc.A"); /* two types of one name */
    fake_is(f, 1, "count", 3);
    fake_is(f, 1, "bytes", 28);
    fake_is(f, 2, "count", 1);
    fake_free(f);
}
END_TEST

START_TEST(counts_of_a_part)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const char *const threads[] = {"Main"};
    q.select = (struct tk_selection){.has_to = true, .to_ns = 60, .threads = threads, .n_threads = 1};
    fake_ask(f, &tk_builder_event_counts, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 0, "event", "Misc.A");
    fake_is(f, 0, "count", 2);
    fake_is(f, 0, "bytes", FAKE_NONE);
    fake_is(f, 1, "count", 1);
    fake_free(f);
}
END_TEST

START_TEST(patterns_of_events)
{
    struct fake *f = typical();
    struct tk_query q = FAKE_QUERY;
    const char *const some[] = {"Misc.*"}, *const none[] = {"Misc.C"};
    const struct tk_builder *const counts[] = {&tk_builder_event_counts}, *const events[] = {
                                                                              &tk_builder_events};
    q.select = (struct tk_selection){.events = some, .n_events = 1};
    fake_ask(f, &tk_builder_event_counts, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    q.select.events = none;
    ck_assert_int_eq(fake_query(f, counts, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "no event matches 'Misc.C'; the nearest: 'Misc.A', 'Misc.B'");
    ck_assert_int_eq(fake_query(f, events, 1, &q), TK_EMATCH);
    fake_free(f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        rows_say_what_is_known, events_without_a_time_are_selected_by_where_they_stand,
        events_of_a_thread,     counts_by_name,
        counts_of_a_part,       patterns_of_events,
    };
    return RUN_TESTS("events", tests);
}
