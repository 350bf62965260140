/* Frames, regions, bookmarks and logs: the rules of pairing and order, by hand from events 3. */
#include "query/fake_case.h"

START_TEST(frames_pair_in_the_order_of_seq)
{
    fake_clock(f, 1000, 10000000);
    fake_frame(f, false, 0, 5, 1); /* an end without a frame: ignored */
    fake_frame(f, true, 0, 20, 4); /* comes before the end of the first */
    fake_frame(f, true, 0, 10, 2);
    fake_frame(f, false, 0, 19, 3);
    fake_cut(f);
    fake_frame(f, true, 1, 15, 5);
    fake_frame(f, true, 0, 30, 6); /* frame 1 never ends */
    fake_frame(f, false, 1, 40, 7);
    fake_frame(f, false, 0, 38, 8);
    fake_frame(f, false, 0, 39, 9); /* a second end counts */
    fake_frame(f, true, 7, 50, 10);
    fake_ask(f, &tk_builder_frames, &q);
    const int64_t want[][5] = {
        {0, 0, 1010, 1019, 9}, {0, 1, 1020, FAKE_NONE, FAKE_NONE}, {1, 0, 1015, 1040, 25},
        {0, 2, 1030, 1039, 9}, {7, 0, 1050, FAKE_NONE, FAKE_NONE},
    };
    const char *const columns[] = {"type_id", "frame", "start", "end", "dur"};
    ck_assert_uint_eq(fake_rows(f, 0), 5);
    for (size_t row = 0; row < 5; row++) {
        for (size_t c = 0; c < 5; c++)
            fake_is(f, row, columns[c], want[row][c]);
    }
    fake_is_text(f, 0, "type", "game");
    fake_is_text(f, 2, "type", "rendering");
    fake_is_text(f, 4, "type", "type 7");
}
END_TEST

START_TEST(frames_without_seq_pair_by_time)
{
    fake_frame(f, true, 0, 20, TK_NO_SEQ);
    fake_frame(f, false, 0, 20, TK_NO_SEQ);
    fake_frame(f, true, 0, 10, TK_NO_SEQ);
    fake_frame(f, false, 0, 19, TK_NO_SEQ);
    fake_ask(f, &tk_builder_frames, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is(f, 0, "end", 19);
    fake_is(f, 1, "dur", 0);
}
END_TEST

/* 100 frames of 1 to 100 ms, in a mixed order: the k-th percentile is k ms. */
START_TEST(frame_stats_are_exact)
{
    q = (struct tk_query){.size = sizeof q, .unit = TK_UNIT_NS};
    fake_clock(f, 0, 1000); /* milliseconds */
    int64_t t = 0;
    uint64_t seq = 0;
    for (int i = 0; i < 100; i++) {
        fake_frame(f, true, 0, t, seq++);
        t += (i * 37) % 100 + 1;
        fake_frame(f, false, 0, t, seq++);
    }
    fake_frame(f, true, 0, t, seq++); /* open */
    fake_frame(f, true, 1, t, seq++);
    fake_ask(f, &tk_builder_frame_stats, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is(f, 0, "count", 100);
    fake_is(f, 0, "open", 1);
    fake_is(f, 0, "total", 5050 * INT64_C(1000000));
    fake_is(f, 0, "min", 1000000);
    fake_is(f, 0, "median", 50000000);
    fake_is(f, 0, "p95", 95000000);
    fake_is(f, 0, "p99", 99000000);
    fake_is(f, 0, "max", 100000000);
    ck_assert(fake_cell(f, 0, 0, "mean")->v.r == 50500000.0);
    fake_is(f, 1, "count", 0);
    fake_is(f, 1, "open", 1);
    fake_is(f, 1, "max", FAKE_NONE);
}
END_TEST

START_TEST(regions_by_name)
{
    const char *const columns[] = {"name", "start", "end", "dur", "thread", "category", "state"};
    q.columns = columns;
    q.n_columns = 7;
    fake_thread(f, 2, "Main", NULL, 0);
    fake_region(f, true, "Load", 10, 1)->category = fake_str(f, "Boot");
    fake_region(f, true, "Play", 15, 2);
    fake_region(f, false, "Load", 20, 3);
    fake_region(f, false, "Load", 25, 4); /* no region of the name is open */
    fake_region(f, true, "Play", 30, 5);  /* ends the first */
    fake_ask(f, &tk_builder_regions, &q);
    const struct {
        const char *name;
        int64_t begin, end, duration;
        const char *category, *state;
    } want[] = {
        {"Load", 10, 20, 10, "Boot", "closed"},
        {"Play", 15, 30, 15, NULL, "replaced"},
        {"Load", 25, 25, 0, NULL, "bare_end"},
        {"Play", 30, FAKE_NONE, FAKE_NONE, NULL, "open"},
    };
    ck_assert_uint_eq(fake_rows(f, 0), 4);
    for (size_t i = 0; i < 4; i++) {
        fake_is_text(f, i, "name", want[i].name);
        fake_is(f, i, "start", want[i].begin);
        fake_is(f, i, "end", want[i].end);
        fake_is(f, i, "dur", want[i].duration);
        fake_is_text(f, i, "category", want[i].category);
        fake_is_text(f, i, "state", want[i].state);
        fake_is_text(f, i, "thread", "Main");
    }
}
END_TEST

static void region_with_id(bool begin, const char *name, uint64_t id, int64_t time, uint64_t seq)
{
    struct tk_fact_region *r = fake_region(f, begin, name, time, seq);
    r->has_id = true;
    r->id = id;
}

START_TEST(regions_by_id)
{
    region_with_id(true, "Wave", 100, 10, 1);
    region_with_id(true, "Wave", 200, 20, 2);
    fake_region(f, false, "Wave", 25, 3); /* an end by name ends no region with an id */
    region_with_id(false, NULL, 100, 30, 4);
    region_with_id(false, NULL, 0, 31, 5);   /* id 0 is none */
    region_with_id(false, NULL, 777, 32, 6); /* unknown */
    region_with_id(false, NULL, 100, 33, 7); /* ended already */
    fake_ask(f, &tk_builder_regions, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 5);
    fake_is(f, 0, "region_id", 100);
    fake_is(f, 0, "end", 30);
    fake_is(f, 1, "region_id", 200);
    fake_is(f, 1, "end", FAKE_NONE);
    fake_is_text(f, 2, "name", "Wave");
    fake_is(f, 2, "region_id", FAKE_NONE);
    fake_is(f, 2, "dur", 0);
    fake_is_text(f, 3, "name", "Unknown Region (missing begin, Id=777)");
    fake_is(f, 3, "start", 32);
    fake_is(f, 3, "dur", 0);
    fake_is_text(f, 4, "name", "Unknown Region (missing begin, Id=100)");
}
END_TEST

START_TEST(regions_from_bookmarks)
{
    fake_bookmark(f, 2, "RegionStart:Boss", 10, 1);
    fake_bookmark(f, 2, "Something else", 15, 2);
    fake_region(f, false, "Boss", 20, 3); /* the same name, whoever says it */
    fake_region(f, true, "Menu", 25, 4);
    fake_bookmark(f, 2, "RegionEnd:Menu", 30, 5);
    fake_ask(f, &tk_builder_regions, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 0, "name", "Boss");
    fake_is(f, 0, "dur", 10);
    fake_is_text(f, 1, "name", "Menu");
    fake_is(f, 1, "dur", 5);
    fake_ask(f, &tk_builder_bookmarks, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_is_text(f, 1, "text", "Something else");
}
END_TEST

START_TEST(logs_sort_by_time_and_keep_ties)
{
    fake_thread(f, 2, "Main", NULL, 0);
    fake_thread(f, 3, "Worker", NULL, 0);
    fake_log(f, 2, 5, "third", 30);
    fake_log(f, 2, 2, "fourth", 30);
    fake_cut(f);
    fake_log(f, 3, 3, "first", 10);
    fake_log(f, 3, 7, "second", 20);
    fake_log(f, 3, 12, "fifth", 30);
    fake_ask(f, &tk_builder_logs, &q);
    const char *const texts[] = {"first", "second", "third", "fourth", "fifth"};
    const char *const levels[] = {"Warning", "VeryVerbose", "Log", "Error"};
    ck_assert_uint_eq(fake_rows(f, 0), 5);
    for (size_t i = 0; i < 5; i++)
        fake_is_text(f, i, "text", texts[i]);
    for (size_t i = 0; i < 4; i++)
        fake_is_text(f, i, "verbosity", levels[i]);
    fake_is(f, 4, "verbosity", 12);
    fake_is_text(f, 0, "thread", "Worker");
    fake_is_text(f, 0, "category", "LogTest");
    fake_is_text(f, 0, "file", NULL);
    fake_is(f, 0, "line", 9);
    fake_is(f, 0, "thread_id", 3);
}
END_TEST

START_TEST(held_rows_have_a_limit)
{
    f->ctx.limits.rows = 2;
    for (int i = 0; i < 5; i++)
        fake_log(f, 2, 5, "x", i);
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    ck_assert_uint_eq(f->ctx.health.counts[TK_HEALTH_LIMIT_REACHED], 3);
    ck_assert_uint_eq(f->ctx.health.n_items, 1);
    ck_assert_str_eq(
        f->ctx.health.items[0].text,
        "table 'logs' holds no more than 2 rows (limit 'rows': --limit rows=NUMBER sets another)");
}
END_TEST

START_TEST(session_is_one_record)
{
    struct tk_fact_session *s = &fake_add(f, TK_FACT_SESSION, TK_NO_THREAD, 0, TK_NO_SEQ)->u.session;
    s->key = fake_str(f, "Changelist");
    s->value = (struct tk_cell){.kind = TK_UINT, .v.u = 42};
    s = &fake_add(f, TK_FACT_SESSION, TK_NO_THREAD, 0, TK_NO_SEQ)->u.session;
    s->key = fake_str(f, "AppName");
    s->value = (struct tk_cell){.kind = TK_TEXT, .n = 3, .v.p = "App"};
    fake_ask(f, &tk_builder_session, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    const struct tk_cell *c = fake_cell(f, 0, 0, "session");
    ck_assert_int_eq(c->kind, TK_RECORD);
    const struct tk_record *r = c->v.p;
    struct tk_cell value;
    ck_assert_uint_eq(r->type->n_fields, 2);
    ck_assert(memcmp(r->type->fields[0].p, "Changelist", 10) == 0);
    r->type->value(r, 0, &value);
    ck_assert_uint_eq(value.v.u, 42);
    fake_ask(f, &tk_builder_capture, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is_text(f, 0, "app", "App");
    fake_is_text(f, 0, "engine", NULL);
    fake_is(f, 0, "first", FAKE_NONE);
}
END_TEST

START_TEST(channels_and_toggles)
{
    struct tk_fact_channel *c = &fake_add(f, TK_FACT_CHANNEL, TK_NO_THREAD, 0, TK_NO_SEQ)->u.channel;
    *c = (struct tk_fact_channel){.id = 8, .enabled = true};
    c = &fake_add(f, TK_FACT_CHANNEL, TK_NO_THREAD, 0, TK_NO_SEQ)->u.channel;
    *c = (struct tk_fact_channel){.id = 8, .announced = true, .read_only = true, .name = fake_str(f, "cpu")};
    fake_ask(f, &tk_builder_channels, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is_text(f, 0, "name", "cpu");
    fake_is(f, 0, "enabled", 0);
    fake_is(f, 0, "read_only", 1);
    fake_ask(f, &tk_builder_toggles, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is_text(f, 0, "name", "cpu");
    fake_is(f, 0, "enabled", 1);
    fake_is(f, 0, "announced", 0);
    fake_is(f, 1, "index", 1);
    fake_is(f, 1, "announced", 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        frames_pair_in_the_order_of_seq,
        frames_without_seq_pair_by_time,
        frame_stats_are_exact,
        regions_by_name,
        regions_by_id,
        regions_from_bookmarks,
        logs_sort_by_time_and_keep_ties,
        held_rows_have_a_limit,
        session_is_one_record,
        channels_and_toggles,
    };
    return RUN_TESTS_AROUND("tables", tests, case_begin, case_end);
}
