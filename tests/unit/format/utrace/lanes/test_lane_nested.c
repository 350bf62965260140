/*
 * Lanes of protocols 5 to 7: events inside others, and terminals that never come (wire 3.5).
 */
#include "format/utrace/lane_types.h"

/* ---- nesting ---- */

/* The example of wire 3.5, then its rule: in the order in which the headers stand. */
START_TEST(nested)
{
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 2, "\x11\x11", 2);
    put_tick(&tick, 7);
    tk_uw_blob(&f.lane, &text, 2, "\x22\x22", 2);
    tk_uw_end(&f.lane, &text);
    put_tick(&tock, 8);
    fed_check(&f, "#0 Demo.Text A=1 Text=\"\" Data=[4369,8738]\nDemo.Tick N=7\n#1 Demo.Tock N=8\n");
}
END_TEST

static void put_levels(unsigned level)
{
    char name[] = {(char)('0' + level), '\0'};
    const struct tk_uw_type *type = level % 2 ? &text : &note;
    begin_text(type, (uint16_t)level);
    tk_uw_blob(&f.lane, type, 1, name, 1);
    put_tick(&tick, 10 + level);
    if (level < 5)
        put_levels(level + 1);
    tk_uw_blob(&f.lane, type, 1, "!", 1);
    put_tick(&tock, 20 + level);
    tk_uw_end(&f.lane, type);
}

START_TEST(five_levels)
{
    open_lane(6);
    put_levels(1);
    put_tick(&tick, 99);
    fed_check(
        &f, "#0 Demo.Text A=1 Text=\"1!\" Data=[]\nDemo.Tick N=11\n"
            "Demo.Note A=2 Text=\"2!\" Data=[]\nDemo.Tick N=12\n"
            "#1 Demo.Text A=3 Text=\"3!\" Data=[]\nDemo.Tick N=13\n"
            "Demo.Note A=4 Text=\"4!\" Data=[]\nDemo.Tick N=14\n"
            "#2 Demo.Text A=5 Text=\"5!\" Data=[]\nDemo.Tick N=15\n"
            "#3 Demo.Tock N=25\n#4 Demo.Tock N=24\n#5 Demo.Tock N=23\n#6 Demo.Tock N=22\n#7 Demo.Tock N=21\n"
            "Demo.Tick N=99\n");
}
END_TEST

/* Nobody wants the outer event: what is inside comes all the same, with the serial of the outer one in its
 * place. */
START_TEST(nested_in_unwanted)
{
    memset(f.want, 1, sizeof f.want);
    f.want[2] = 0; /* Demo.Text */
    f.want[1] = 0; /* Demo.Tock */
    f.decoder.n_want = sizeof types / sizeof *types;
    f.handler.skip_serial = fed_skip;
    put_tick(&tock, 1);
    begin_text(&text, 2);
    tk_uw_blob(&f.lane, &text, 1, "ab", 2);
    put_text(&note, 3, "inside");
    put_tick(&tock, 4);
    tk_uw_blob(&f.lane, &text, 1, "cd", 2);
    put_tick(&tick, 5);
    tk_uw_end(&f.lane, &text);
    put_text(&text, 6, "direct");
    put_tick(&tick, 7);
    fed_check(&f, "skip 0\nskip 1\nDemo.Note A=3 Text=\"inside\" Data=[]\nskip 2\nDemo.Tick N=5\nskip "
                  "3\nDemo.Tick N=7\n");
}
END_TEST

/* Unwanted ones inside a wanted one leave only their serials, behind it. */
START_TEST(unwanted_in_nested)
{
    memset(f.want, 0, sizeof f.want);
    f.want[2] = 1;
    f.decoder.n_want = sizeof types / sizeof *types;
    f.handler.skip_serial = fed_skip;
    begin_text(&text, 2);
    tk_uw_blob(&f.lane, &text, 1, "ab", 2);
    put_tick(&tock, 4);
    put_tick(&tick, 5);
    tk_uw_blob(&f.lane, &text, 1, "cd", 2);
    tk_uw_end(&f.lane, &text);
    fed_check(&f, "#0 Demo.Text A=2 Text=\"abcd\" Data=[]\nskip 1\n");
}
END_TEST

/* ---- terminals that are lost ---- */

/* To the end: reported with what is there, and what began inside. Where other packets follow bytes are
 * missing.
 */
START_TEST(lost_at_the_end)
{
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    size_t data = f.lane.pending.size;
    put_tick(&tick, 2);
    check_text(fed_whole(&f), "#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\nDemo.Tick N=2\n");
    check_text(fed_in_pieces(&f, (const size_t[]){data, 0}),
               "#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\ncut\nDemo.Tick N=2\n");
    ck_assert_uint_gt(noted(TK_HEALTH_EVENT_INCOMPLETE), 0);
}
END_TEST

/* Later groups open and close inside; at the limit of records all is handed on and the lane goes on. That the
 * end never came is damage then. */
START_TEST(lost_with_many_after)
{
    f.limits.group_events = 100;
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    const size_t cuts[] = {f.lane.pending.size, 0};
    for (uint32_t i = 0; i < 1000; i++) {
        put_tick(&tick, i);
        put_text(&note, (uint16_t)i, "n");
    }
    struct lines expected = {0};
    add_line(&expected, "#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\ncut\n");
    for (unsigned i = 0; i < 1000; i++)
        add_line(&expected, "Demo.Tick N=%u\nDemo.Note A=%u Text=\"n\" Data=[]\n", i, i);
    check_text(fed_in_pieces(&f, cuts), expected.text);
    ck_assert_uint_eq(noted(TK_HEALTH_EVENT_EARLY), 1);
    ck_assert_uint_eq(noted(TK_HEALTH_EVENT_INCOMPLETE), 1);
    ck_assert(tk_health_damaged(&f.health));
    release_lines(&expected);
}
END_TEST

START_TEST(lost_with_many_bytes)
{
    static char data[1000];
    f.limits.group_bytes = 10000;
    memset(data, 'y', sizeof data - 1);
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    for (unsigned i = 0; i < 50; i++)
        put_text(&note, (uint16_t)i, data);
    struct tk_ut_lane lane = {.tid = 2};
    add_line(&f.reported, "%s", "");
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 0);
    ck_assert_ptr_nonnull(strstr(f.reported.text, "incomplete"));
    ck_assert_ptr_nonnull(strstr(f.reported.text, "A=49")); /* not only when the lane is finished */
    ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, false), TK_OK);
    tk_ut_lane_release(&lane);
}
END_TEST

/* What comes for an event that a limit closed is left out, which is reported with the limit; what is inside
 * is not. */
START_TEST(more_after_a_limit)
{
    struct tk_ut_lane lane = {.tid = 2};
    f.limits.group_events = 3;
    begin_text(&text, 1);
    for (unsigned i = 0; i < 6; i++) {
        tk_uw_blob(&f.lane, &text, 1, "ab", 2);
        if (i == 4)
            put_text(&note, 7, "n");
        if (i == 5) {
            tk_uw_end(&f.lane, &text);
            put_text(&note, 8, "m");
        }
        fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, i);
        f.lane.pending.size = 0;
    }
    ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, false), TK_OK);
    /* the first piece comes with the beginning, which is the first record of the group */
    check_text(f.reported.text, "#0 Demo.Text A=1 Text=\"abababab\" Data=[] incomplete\ncut\n"
                                "Demo.Note A=7 Text=\"n\" Data=[]\nDemo.Note A=8 Text=\"m\" Data=[]\n");
    ck_assert_uint_eq(noted(TK_HEALTH_LIMIT_REACHED), 2);
    ck_assert_uint_eq(noted(TK_HEALTH_BLOB_ORPHAN), 0);
    tk_ut_lane_release(&lane);
}
END_TEST

/* The beginning of a tail: data and ends without their event are passed over. */
START_TEST(orphans)
{
    FED_RAW(&f, "\x06");
    FED_RAW(&f, "\x02\x41\x00\x00hi");
    FED_RAW(&f, "\x06");
    FED_RAW(&f, "\x0A");
    FED_RAW(&f, "\x12\1\2\3\4\5\6\7");
    put_tick(&tick, 1);
    fed_check(&f, "Demo.Tick N=1\n");
    ck_assert_uint_eq(noted(TK_HEALTH_BLOB_ORPHAN) % 3, 0);
    ck_assert_uint_gt(noted(TK_HEALTH_BLOB_ORPHAN), 0);
    ck_assert(!tk_health_damaged(&f.health));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        nested,          five_levels,          nested_in_unwanted,   unwanted_in_nested,
        lost_at_the_end, lost_with_many_after, lost_with_many_bytes, more_after_a_limit,
        orphans};
    return RUN_TESTS_AROUND("utrace lane, nested", tests, lane_begin, lane_end);
}
