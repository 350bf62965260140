/* Tests of the values of selection options, and of exit codes. */
#include "args/select.h"
#include "run.h"
#include "terminal/host.h"

#include <string.h>

static int64_t time_of(const char *text)
{
    int64_t ns = -12345;
    ck_assert_msg(tk_select_time(text, &ns), "%s", text);
    return ns;
}

START_TEST(times)
{
    ck_assert_int_eq(time_of("0"), 0);
    ck_assert_int_eq(time_of("1.5"), 1500000000);
    ck_assert_int_eq(time_of("1.5s"), 1500000000);
    ck_assert_int_eq(time_of("20ms"), 20000000);
    ck_assert_int_eq(time_of("0.25ms"), 250000);
    ck_assert_int_eq(time_of("7us"), 7000);
    ck_assert_int_eq(time_of("7.0019us"), 7001);
    ck_assert_int_eq(time_of("100ns"), 100);
    ck_assert_int_eq(time_of("20000000000ns"), 20000000000);
    ck_assert_int_eq(time_of(".5"), 500000000);
    ck_assert_int_eq(time_of("5."), 5000000000);
    ck_assert_int_eq(time_of("-2.5ms"), -2500000);
    ck_assert_int_eq(time_of("1.123456789"), 1123456789);
    ck_assert_int_eq(time_of("0.1234567899999"), 123456789);
    ck_assert_int_eq(time_of("9000000000"), 9000000000000000000);
    ck_assert_int_eq(time_of("3m"), 180000000000);
    ck_assert_int_eq(time_of("1.5h"), 5400000000000);
    ck_assert_int_eq(time_of("1:30"), 90000000000);
    ck_assert_int_eq(time_of("90:00.25"), 5400250000000);
    ck_assert_int_eq(time_of("1:02:03.5"), 3723500000000);
    ck_assert_int_eq(time_of("-0:01"), -1000000000);
}
END_TEST

START_TEST(no_times)
{
    const char *const wrong[] = {"",
                                 "s",
                                 ".",
                                 "-",
                                 "1.2.3",
                                 "1 s",
                                 "1d",
                                 ":",
                                 "1:",
                                 ":30",
                                 "1:60",
                                 "1:123",
                                 "1.5:30",
                                 "1:-3",
                                 "1:2:3:4",
                                 "1:60:00",
                                 "1:30s",
                                 "9999999999999:00",
                                 "x",
                                 "1e9",
                                 "1,5",
                                 "--1",
                                 "99999999999",
                                 "99999999999999999999999999",
                                 "10000000000000000000ns"};
    int64_t ns;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!tk_select_time(wrong[i], &ns), "%s", wrong[i]);
}
END_TEST

/* What pages show as 0.887831 s is anything from 0.8878305 s on, up to 0.8878315 s. */
START_TEST(what_pages_show_selects_itself)
{
    static const struct {
        const char *text;
        int64_t first, last;
    } cases[] = {
        {"0.887831", 887830500, 887831499},  {"0.887831s", 887830500, 887831499},

        {"-0.000001s", -1500, -501},         {"0.88783", 887830000, 887830000},
        {"0.8878310", 887831000, 887831000}, {"0.887831ms", 887831, 887831},
        {"5", 5000000000, 5000000000},       {"887831000ns", 887831000, 887831000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t first, last;
        ck_assert(tk_select_displayed(cases[i].text, &first, &last));
        ck_assert_int_eq(first, cases[i].first);
        ck_assert_int_eq(last, cases[i].last);
    }
}
END_TEST

static bool fill(struct tk_selection *out, const char *from, const char *to, const char *frames,
                 char *message)
{
    struct tk_select_args args = {.from = from, .to = to, .frames = frames};
    return tk_select_fill(out, &args, message);
}

START_TEST(selections)
{
    struct tk_selection s;
    char message[TK_OPT_MESSAGE];
    ck_assert(fill(&s, NULL, NULL, NULL, message));
    ck_assert(!s.has_from && !s.has_to && !s.has_frames && s.n_threads == 0);
    ck_assert(fill(&s, "1s", "2500ms", "10-20", message));
    ck_assert(s.has_from && s.from_ns == 1000000000 && s.has_to && s.to_ns == 2500000000);
    ck_assert(s.has_frames && s.first_frame == 10 && s.last_frame == 20);
    ck_assert(fill(&s, NULL, NULL, "350..360", message) && s.first_frame == 350 && s.last_frame == 360);
    ck_assert(!fill(&s, NULL, NULL, "350..", message) && !fill(&s, NULL, NULL, "3.9", message));
    ck_assert(fill(&s, NULL, NULL, "7", message) && s.first_frame == 7 && s.last_frame == 7);
    ck_assert(fill(&s, NULL, NULL, "7-", message) && s.first_frame == 7 && s.last_frame == UINT64_MAX);
}
END_TEST

START_TEST(wrong_selections)
{
    struct tk_selection s;
    char message[TK_OPT_MESSAGE];
    const char *const wrong_frames[] = {"", "-", "-5", "5-4", "5-x", "a", "1-2-3", "1--2"};
    for (size_t i = 0; i < sizeof wrong_frames / sizeof *wrong_frames; i++)
        ck_assert_msg(!fill(&s, NULL, NULL, wrong_frames[i], message), "%s", wrong_frames[i]);
    ck_assert_str_eq(message, "option '--frames': '1--2' is not a range of frames (like 100-200)");
    ck_assert(!fill(&s, "soon", NULL, NULL, message));
    ck_assert_str_eq(message, "option '--from': 'soon' is not a time (like 1.5s, 20ms, 7us, 3m, 1:30)");
    ck_assert(!fill(&s, "2s", "1s", NULL, message));
    ck_assert(!fill(&s, "2s", "2000ms", NULL, message));
}
END_TEST

START_TEST(exit_codes)
{
    ck_assert_int_eq(tk_exit_of(TK_OK), 0);
    ck_assert_int_eq(tk_exit_of(TK_ITEM), 0);
    ck_assert_int_eq(tk_exit_of(TK_EPIPE), 0);
    ck_assert_int_eq(tk_exit_of(TK_EUSAGE), 2);
    ck_assert_int_eq(tk_exit_of(TK_EMATCH), 2);
    ck_assert_int_eq(tk_exit_of(TK_EIO), 3);
    ck_assert_int_eq(tk_exit_of(TK_EFORMAT), 3);
    ck_assert_int_eq(tk_exit_of(TK_EOUTPUT), 3);
    ck_assert_int_eq(tk_exit_of(TK_ENOMEM), 3);
    ck_assert_int_eq(tk_exit_of(TK_ELIMIT), 3);
    ck_assert_int_eq(tk_exit_of(TK_EDAMAGE), 3);
}
END_TEST

START_TEST(the_worse_exit_code)
{
    const enum tk_exit order[] = {TK_EXIT_USAGE, TK_EXIT_FAILED, TK_EXIT_NO, TK_EXIT_DAMAGED, TK_EXIT_DONE};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = i; k < 5; k++) {
            ck_assert_int_eq(tk_exit_worse(order[i], order[k]), order[i]);
            ck_assert_int_eq(tk_exit_worse(order[k], order[i]), order[i]);
        }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_pages_show_selects_itself,
                                  times,
                                  no_times,
                                  selections,
                                  wrong_selections,
                                  exit_codes,
                                  the_worse_exit_code};
    return RUN_TESTS("select", tests);
}
