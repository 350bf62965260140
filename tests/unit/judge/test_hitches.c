/*
 * Hitches by the rule of judge/hitches.h. What is expected is calculated by hand.
 */
#include "judge/hitches.h"
#include "run.h"

#include <stdio.h>

enum { MOST = 200 };

static const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0};

static double ms[MOST];

static void fill(size_t from, size_t to, double value)
{
    for (size_t i = from; i < to; i++)
        ms[i] = value;
}

static struct tk_judged_frames judged(size_t n, const struct tk_hitch_rule *rule)
{
    struct tk_judged_frames j;
    ck_assert_int_eq(tk_frames_judge(&j, ms, n, rule), 0);
    return j;
}

/* Which frames are of a kind, as a text: "64 100". */
static const char *those(const struct tk_judged_frames *j, unsigned bit)
{
    static char text[1024];
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < j->n; i++)
        if (j->is[i] & bit)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu", at ? " " : "", i);
    return text;
}

/* 15 ms amid 8 ms is 7 ms late, and more than 1.5 x 8 and 8 + 4; 12 ms is neither. */
START_TEST(late_by_both)
{
    fill(0, 100, 8);
    ms[50] = 15;
    ms[70] = 12;
    struct tk_judged_frames j = judged(100, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "50");
    ck_assert(j.expected[50] == 8);
    tk_judged_frames_release(&j);
    fill(0, 100, 2);
    ms[50] = 6; /* 3 x as long, but just 4 ms */
    j = judged(100, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_LATE), "");
    tk_judged_frames_release(&j);
}
END_TEST

/* At the seam the frames behind it say what is expected. */
START_TEST(a_slower_part_is_no_hitch)
{
    fill(0, 100, 8);
    fill(100, 200, 20);
    ms[30] = 20;
    ms[150] = 31;
    struct tk_judged_frames j = judged(200, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "30 150");
    ck_assert(j.expected[100] == 20);
    tk_judged_frames_release(&j);
}
END_TEST

/* Every third frame is long: 13 runs are near each, which is a habit. One of other length is not. */
START_TEST(a_habit_is_uneven)
{
    fill(0, 120, 16);
    for (size_t i = 2; i < 120; i += 3)
        ms[i] = 33;
    ms[62] = 90;
    struct tk_judged_frames j = judged(120, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "62");
    ck_assert(j.is[32] & TK_FRAME_IS_UNEVEN);
    tk_judged_frames_release(&j);
}
END_TEST

/* A burst is one run; with two frames that make three runs of six frames in all near each other it is a
 * habit. */
START_TEST(runs_count)
{
    fill(0, 120, 10);
    fill(60, 65, 40);
    struct tk_judged_frames j = judged(120, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "60 61 62 63 64");
    tk_judged_frames_release(&j);
    fill(0, 120, 10);
    for (size_t i = 50; i <= 68; i += 6)
        fill(i, i + 2, 40); /* at 50, 56, 62, 68: near each there are three others with six frames */
    j = judged(120, &local);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "");
    ck_assert_str_eq(those(&j, TK_FRAME_IS_UNEVEN), "50 51 56 57 62 63 68 69");
    tk_judged_frames_release(&j);
}
END_TEST

/* The start-up ends where 30 frames in a row are no hitches, if that is in the first fifth. */
START_TEST(startup)
{
    fill(0, 200, 10);
    ms[3] = ms[10] = 90;
    struct tk_judged_frames j = judged(200, &local);
    ck_assert_uint_eq(j.startup, 11);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "3 10");
    ck_assert(!tk_is_hitch(j.is[10]));
    tk_judged_frames_release(&j);
    j = judged(50, &local); /* 11 is more than a fifth of 50 */
    ck_assert_uint_eq(j.startup, 0);
    ck_assert(tk_is_hitch(j.is[10]));
    tk_judged_frames_release(&j);
}
END_TEST

/* At least 60 ms, 1.5 times the frame before, 200 ms since the last one. */
START_TEST(the_rule_of_the_engine)
{
    const struct tk_hitch_rule unreal = {TK_HITCH_RULE_ENGINE, 0};
    fill(0, 100, 16);
    ms[20] = 59;
    ms[40] = 70;
    ms[43] = 80; /* 112 ms later */
    ms[60] = 61;
    ms[61] = 80; /* not 1.5 x 61 */
    struct tk_judged_frames j = judged(100, &unreal);
    ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), "40 60");
    tk_judged_frames_release(&j);
}
END_TEST

START_TEST(other_rules)
{
    struct tk_hitch_rule rule;
    char text[TK_HITCH_RULE_TEXT];
    static const struct {
        const char *text, *hitches;
    } cases[] = {{"median", "30"}, {"33.3", "30"}, {"19ms", "10 30"}, {"1.5x", "10 30"}, {"20", "30"}};
    fill(0, 60, 10);
    ms[10] = 20;
    ms[30] = 40;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(tk_hitch_rule_parse(cases[i].text, &rule));
        struct tk_judged_frames j = judged(60, &rule);
        ck_assert_str_eq(those(&j, TK_FRAME_IS_HITCH), cases[i].hitches);
        tk_judged_frames_release(&j);
    }
    tk_hitch_rule_text(&rule, text);
    ck_assert_str_eq(text, "20ms");
    ck_assert(!tk_hitch_rule_parse("0", &rule) && !tk_hitch_rule_parse("locals", &rule) &&
              !tk_hitch_rule_parse("5y", &rule) && !tk_hitch_rule_parse("nan", &rule));
}
END_TEST

/* Frames that load for half of their length, a second or more together. */
START_TEST(loading_stretches)
{
    static const double lengths[] = {600, 600, 16, 600, 300, 1200};
    static const double loading[] = {300, 400, 0, 500, 200, 600};
    uint8_t is[6] = {0};
    tk_frames_find_stretches(is, lengths, loading, 6);
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(is[i], i == 2 ? 0 : TK_FRAME_IS_LOADING);
    uint8_t short_ones[2] = {0};
    tk_frames_find_stretches(short_ones, (const double[]){600, 399}, (const double[]){600, 399}, 2);
    ck_assert_uint_eq(short_ones[0], 0);
    ck_assert(tk_region_loads("LoadMap Third", 13) && !tk_region_loads("Reload", 6));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        late_by_both, a_slower_part_is_no_hitch, a_habit_is_uneven, runs_count,
        startup,      the_rule_of_the_engine,    other_rules,       loading_stretches};
    return RUN_TESTS("hitches", tests);
}
