/* Runs: order of tables, readings, columns, selection, patterns that match nothing, health over several
 * readings. */
#include "model/marks/frame_list.h"
#include "query/fake_case.h"

#include <stdio.h>

/* A sink that writes down what it is reported. */
struct diary {
    char text[2048];
    int stop_after; /* rows; negative: never */
};

static int on_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct diary *d = self;
    (void)err;
    strcat(d->text, "<");
    strcat(d->text, table->name);
    return TK_OK;
}

static int on_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct diary *d = self;
    (void)table;
    (void)err;
    sprintf(d->text + strlen(d->text), " %zu", rows->n);
    return d->stop_after >= 0 && (int)rows->n > d->stop_after ? TK_ECANCELED : TK_OK;
}

static int on_end(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct diary *d = self;
    (void)table;
    (void)err;
    strcat(d->text, ">");
    return TK_OK;
}

static int write_down(struct diary *d, const struct tk_builder *const *builders, size_t n,
                      const struct tk_query *query)
{
    const struct tk_sink sink = {.self = d, .begin = on_begin, .rows = on_rows, .end = on_end};
    f->err = (struct tk_err){0};
    return tk_run(&f->ctx, &f->capture, builders, n, query, &sink, &f->err);
}

static const struct tk_record_type types[] = {{.name = "Misc.A"}, {.name = "Misc.B"}, {.name = "Game.A"}};
static const struct tk_builder whole = {.table = &fake_table};

/* 10 frames of 100 cycles from 0 on, 5 cycles apart; a log message in the middle of each; some events. */
static void typical(void)
{
    fake_clock(f, 0, 1000000000);
    fake_thread(f, 2, "GameThread", NULL, -1);
    fake_thread(f, 3, "Worker 0", NULL, 0);
    for (int64_t i = 0; i < 10; i++) {
        fake_frame(f, true, 0, i * 105, (uint64_t)i * 2);
        fake_log(f, i % 2 ? 2 : 3, 5, "text", i * 105 + 50);
        if (i == 4)
            fake_cut(f);
        fake_frame(f, false, 0, i * 105 + 100, (uint64_t)i * 2 + 1);
    }
    fake_record(f, 2, &types[0], 10);
    fake_record(f, 3, &types[1], 20);
    fake_record(f, 7, &types[1], -1);
}

START_TEST(tables_come_in_the_order_requested)
{
    typical();
    struct diary d = {.stop_after = -1};
    const struct tk_builder *const builders[] = {
        &tk_builder_logs, &whole, &tk_builder_frames, &tk_builder_events, &tk_builder_frame_stats,
    };
    ck_assert_int_eq(write_down(&d, builders, 5, &q), TK_OK);
    ck_assert_str_eq(d.text, "<logs 10><fake 2><frames 10><events 3><frame_stats 1>");
    ck_assert_uint_eq(f->readings, 2); /* events stream, so they begin one of their own */
    ck_assert_uint_eq(f->requested[0], TK_FACT_MASK(LOG) | TK_FRAME_FACTS);
    ck_assert_uint_eq(f->requested[1], TK_FACT_MASK(RECORD) | TK_FRAME_FACTS);
}
END_TEST

START_TEST(describing_needs_no_reading)
{
    typical();
    const char *const columns[] = {"b"};
    const struct tk_builder *const builders[] = {&whole};
    q.columns = columns;
    q.n_columns = 1;
    ck_assert_int_eq(fake_query(f, builders, 1, &q), TK_OK);
    ck_assert_uint_eq(f->readings, 0);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    fake_is(f, 0, "b", 1);
    fake_is(f, 1, "b", 3);
}
END_TEST

START_TEST(columns_are_chosen)
{
    typical();
    const char *const columns[] = {"end", "frame"};
    size_t n;
    q.columns = columns;
    q.n_columns = 2;
    fake_ask(f, &tk_builder_frames, &q);
    const struct tk_table *t = tk_result_table(f->result, 0, &n);
    ck_assert_uint_eq(t->n_columns, 2);
    ck_assert_str_eq(t->columns[0].name, "end");
    ck_assert_int_eq(t->unit, TK_UNIT_CYCLES);
    fake_is(f, 9, "end", 1045);
    fake_is(f, 9, "frame", 9);
}
END_TEST

START_TEST(unknown_columns_are_reported)
{
    typical();
    const char *const columns[] = {"strat"}, *const twice[] = {"end", "end"};
    const struct tk_builder *const builders[] = {&tk_builder_frames};
    q.columns = columns;
    q.n_columns = 1;
    ck_assert_int_eq(fake_query(f, builders, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "no column of table 'frames' matches 'strat'; the nearest: 'start'");
    q.columns = twice;
    q.n_columns = 2;
    ck_assert_int_eq(fake_query(f, builders, 1, &q), TK_EUSAGE);
    ck_assert_uint_eq(f->readings, 0);
}
END_TEST

START_TEST(times_select)
{
    typical();
    /* at 10^9 cycles per second a cycle is a nanosecond */
    q.select = (struct tk_selection){.has_from = true, .has_to = true, .from_ns = 155, .to_ns = 260};
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1); /* 155, not 260 */
    fake_is(f, 0, "time", 155);
    ck_assert_uint_eq(f->readings, 1);
    fake_ask(f, &tk_builder_frames, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2); /* 105 to 205 and 210 to 310 */
    fake_is(f, 0, "frame", 1);
    q.select.to_ns = 155;
    ck_assert_int_eq(fake_query(f, (const struct tk_builder *const[]){&tk_builder_logs}, 1, &q), TK_EUSAGE);
}
END_TEST

START_TEST(frames_select)
{
    typical();
    const struct tk_builder *const logs[] = {&tk_builder_logs};
    q.select = (struct tk_selection){.has_frames = true, .first_frame = 2, .last_frame = 4};
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(f->readings, 2);
    ck_assert_uint_eq(f->requested[0], TK_FRAME_FACTS);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_is(f, 0, "time", 260);
    fake_is(f, 2, "time", 470);
    fake_ask(f, &tk_builder_frames, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    q.select.has_to = true;
    q.select.to_ns = 300;
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    q.select = (struct tk_selection){.has_frames = true, .first_frame = 8, .last_frame = 99};
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 2);
    q.select.first_frame = 10;
    ck_assert_int_eq(fake_query(f, logs, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "there is no frame 10: the game frames are 0 to 9");
}
END_TEST

/* What to do about it is said by the format, where there is one and it knows. */
START_TEST(frames_are_missing)
{
    static const struct tk_format silent = {.name = "a"},
                                  speaking = {.name = "b", .hints = {[TK_HINT_FRAMES] = "press the button"}};
    const struct tk_builder *const logs[] = {&tk_builder_logs};
    q.select = (struct tk_selection){.has_frames = true, .last_frame = 1};
    ck_assert_int_eq(fake_query(f, logs, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "the capture has no game frames");
    f->ctx.format = &silent;
    ck_assert_int_eq(fake_query(f, logs, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "the capture has no game frames");
    f->ctx.format = &speaking;
    ck_assert_int_eq(fake_query(f, logs, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "the capture has no game frames; press the button");
}
END_TEST

START_TEST(regions_select)
{
    typical();
    const char *const names[] = {"Comb*", "Menu"}, *const wrong[] = {"Combat 3"};
    fake_region(f, true, "Combat 1", 40, 100);
    fake_region(f, false, "Combat 1", 160, 101);
    fake_region(f, true, "Combat 2", 150, 102);
    fake_region(f, false, "Combat 2", 270, 103);
    fake_region(f, true, "Menu", 900, 104); /* never ends */
    q.select = (struct tk_selection){.regions = names, .n_regions = 2};
    fake_ask(f, &tk_builder_logs, &q);
    const int64_t times[] = {50, 155, 260, 995};
    ck_assert_uint_eq(fake_rows(f, 0), 4);
    for (size_t i = 0; i < 4; i++)
        fake_is(f, i, "time", times[i]);
    fake_ask(f, &tk_builder_regions, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    q.select = (struct tk_selection){.regions = wrong, .n_regions = 1};
    ck_assert_int_eq(fake_query(f, (const struct tk_builder *const[]){&tk_builder_logs}, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "no region matches 'Combat 3'; the nearest: 'Combat 1', 'Combat 2'");
}
END_TEST

START_TEST(threads_select)
{
    typical();
    const char *const worker[] = {"Worker*"}, *const made_up[] = {"Thread 7"}, *const none[] = {"Wroker 0"};
    const struct tk_builder *const events[] = {&tk_builder_events};
    q.select = (struct tk_selection){.threads = worker, .n_threads = 1};
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 5);
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is_text(f, 0, "event", "Misc.B");
    q.select.threads = made_up;
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is_text(f, 0, "thread", "Thread 7");
    q.select.threads = none;
    ck_assert_int_eq(fake_query(f, events, 1, &q), TK_EMATCH);
    ck_assert_str_eq(f->err.text[0], "no thread matches 'Wroker 0'; the nearest: 'Worker 0'");
}
END_TEST

/* A thread whose name comes behind its events is selected by that name all the same. */
START_TEST(late_names_select)
{
    const char *const late[] = {"Late"};
    fake_record(f, 5, &types[0], 1);
    fake_cut(f);
    fake_thread(f, 5, "Late", NULL, 0);
    q.select = (struct tk_selection){.threads = late, .n_threads = 1};
    fake_ask(f, &tk_builder_events, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 1);
    fake_is_text(f, 0, "thread", "Late");
}
END_TEST

START_TEST(a_sink_can_stop)
{
    typical();
    struct diary d = {.stop_after = 5};
    const struct tk_builder *const builders[] = {&tk_builder_frames, &tk_builder_logs};
    ck_assert_int_eq(write_down(&d, builders, 2, &q), TK_ECANCELED);
    ck_assert_str_eq(d.text, "<frames 10");
    ck_assert_int_eq(f->err.code, TK_ECANCELED);
}
END_TEST

START_TEST(many_rows_come_in_batches)
{
    for (int i = 0; i < 3000; i++)
        fake_log(f, 2, 5, "text", i);
    fake_ask(f, &tk_builder_logs, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3000);
    for (int i = 0; i < 3000; i++)
        fake_is(f, (size_t)i, "time", i);
}
END_TEST

START_TEST(an_empty_capture_gives_empty_tables)
{
    struct diary d = {.stop_after = -1};
    const struct tk_builder *const builders[] = {&tk_builder_events, &tk_builder_frames, &tk_builder_threads};
    ck_assert_int_eq(write_down(&d, builders, 3, &q), TK_OK);
    ck_assert_str_eq(d.text, "<events><frames><threads>");
}
END_TEST

/* Each reading notes its faults again; they count once. What was known at opening stays. */
START_TEST(faults_count_once)
{
    typical();
    struct tk_health opened = {.max_items = 10};
    const struct tk_builder *const builders[] = {&tk_builder_frames, &tk_builder_events, &tk_builder_health};
    tk_health_note(&opened, TK_HEALTH_HEADER_DAMAGED, 4, 1, "header");
    opened.ledger[TK_LEDGER_EVENTS] = 1000;
    f->ctx.opened = &opened;
    f->faults = 3;
    q.select = (struct tk_selection){.has_frames = true, .first_frame = 2, .last_frame = 4};
    ck_assert_int_eq(fake_query(f, builders, 3, &q), TK_OK);
    ck_assert_uint_eq(f->readings, 4);
    ck_assert_uint_eq(f->ctx.health.counts[TK_HEALTH_PACKET_DAMAGED], 3);
    ck_assert_uint_eq(f->ctx.health.counts[TK_HEALTH_HEADER_DAMAGED], 1);
    ck_assert_uint_eq(f->ctx.health.n_items, 4);
    ck_assert_uint_eq(f->ctx.health.ledger[TK_LEDGER_EVENTS], 1000);
    ck_assert_uint_eq(fake_rows(f, 2), 4);
    f->faults = 1; /* a later reading that looks at less does not forget */
    ck_assert_int_eq(fake_query(f, builders, 1, &q), TK_OK);
    ck_assert_uint_eq(f->ctx.health.counts[TK_HEALTH_PACKET_DAMAGED], 3);
    ck_assert_uint_eq(f->ctx.health.n_items, 4);
    tk_health_release(&opened);
}
END_TEST

START_TEST(strict_stops_at_damage)
{
    typical();
    f->faults = 1;
    f->options.strict = true;
    ck_assert_int_eq(fake_query(f, (const struct tk_builder *const[]){&tk_builder_frames}, 1, &q),
                     TK_EDAMAGE);
    ck_assert_str_eq(f->err.text[0], "packet 0 is damaged (offset 100)");
}
END_TEST

START_TEST(health_counts_what_is_not_listed)
{
    f->ctx.health.max_items = 2;
    f->faults = 5;
    fake_ask(f, &tk_builder_health, &q);
    ck_assert_uint_eq(fake_rows(f, 0), 3);
    fake_is_text(f, 0, "text", "packet 0 is damaged");
    fake_is(f, 1, "offset", 101);
    fake_is(f, 2, "offset", FAKE_NONE);
    fake_is(f, 2, "count", 3);
    fake_is(f, 2, "damage", 1);
    fake_is_text(f, 2, "kind", "packet_damaged");
}
END_TEST

START_TEST(ledger_lists_every_part)
{
    f->ctx.health.ledger[TK_LEDGER_HEADER] = 25;
    f->ctx.health.ledger[TK_LEDGER_EVENTS] = 75;
    fake_ask(f, &tk_builder_ledger, &q);
    ck_assert_uint_eq(fake_rows(f, 0), TK_LEDGER_COUNT);
    fake_is_text(f, TK_LEDGER_EVENTS, "part", "events");
    fake_is(f, TK_LEDGER_EVENTS, "bytes", 75);
    ck_assert(fake_cell(f, 0, TK_LEDGER_HEADER, "share")->v.r == 0.25);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        tables_come_in_the_order_requested,
        describing_needs_no_reading,
        columns_are_chosen,
        unknown_columns_are_reported,
        times_select,
        frames_select,
        frames_are_missing,
        regions_select,
        threads_select,
        late_names_select,
        a_sink_can_stop,
        many_rows_come_in_batches,
        an_empty_capture_gives_empty_tables,
        faults_count_once,
        strict_stops_at_damage,
        health_counts_what_is_not_listed,
        ledger_lists_every_part,
    };
    return RUN_TESTS_AROUND("run", tests, case_begin, case_end);
}
