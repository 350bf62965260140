/*
 * Call trees by the game frames that their calls lie in, worked out by hand.
 */
#include "open_scopes.h"

#define COLUMNS "depth,timer,count,incl,frame_mean"

/* Two frames of 100. In the first one 40 of Outer, with 20 of Inner and in it 8 of Inner; in the second one
 * 20 of Outer, and the first 10 of another 100. */
static struct captured *make(void)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, OUTER, "Outer", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, INNER, "Inner", "A.cpp", 2);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (uint64_t at = 2000; at < 2200; at += 100) {
        tk_uw_frame_begin(&c->uw, &c->lanes[0], at, 0);
        tk_uw_frame_end(&c->uw, &c->lanes[0], at + 100, 0);
    }
    tk_uw_cpu_begin(&cpu, 2010, OUTER);
    tk_uw_cpu_begin(&cpu, 2020, INNER);
    tk_uw_cpu_begin(&cpu, 2025, INNER);
    tk_uw_cpu_end(&cpu, 2033);
    tk_uw_cpu_end(&cpu, 2040);
    tk_uw_cpu_end(&cpu, 2050);
    tk_uw_cpu_begin(&cpu, 2110, OUTER);
    tk_uw_cpu_end(&cpu, 2130);
    tk_uw_cpu_begin(&cpu, 2190, OUTER);
    tk_uw_cpu_end(&cpu, 2290);
    captured_send(c);
    captured_close(c);
    return c;
}

/* 40 + 20 + 10 of Outer in two frames. */
START_TEST(threads_have_what_lies_below_them)
{
    struct captured *c = make();
    c->by = TK_BY_THREAD;
    ck_assert_str_eq(captured_table(c, "tree", COLUMNS), "0|Thread 2|0|160|35r\n"
                                                         "1|Outer|3|160|35r\n"
                                                         "2|Inner|1|20|10r\n"
                                                         "3|Inner|1|8|4r\n");
    captured_free(c);
}
END_TEST

/* A fifth of 160 is more than Inner has. */
START_TEST(small_ones_come_together)
{
    struct captured *c = make();
    c->tree.min_share = 0.2;
    ck_assert_str_eq(captured_table(c, "tree", COLUMNS), "0|Outer|3|160|35r\n"
                                                         "1|(other)|1|20|10r\n");
    captured_free(c);
}
END_TEST

/* What is requested by its name is displayed, however small it is. */
START_TEST(what_is_requested_is_no_other)
{
    static const char *const inner[] = {"Inner"};
    struct captured *c = make();
    c->tree.min_share = 0.2;
    c->select = (struct tk_selection){.timers = inner, .n_timers = 1};
    ck_assert_str_eq(captured_table(c, "tree", COLUMNS), "0|Outer|3|160|35r\n"
                                                         "1|Inner|1|20|10r\n"
                                                         "2|Inner|1|8|4r\n");
    captured_free(c);
}
END_TEST

/* Outer ends where the selection begins, and so does not belong to it; the call of no length in it does. */
START_TEST(around_a_call_of_no_length)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, OUTER, "Outer", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, INNER, "Inner", "A.cpp", 2);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    tk_uw_cpu_begin(&cpu, 2300, OUTER);
    tk_uw_cpu_begin(&cpu, 2320, INNER);
    tk_uw_cpu_end(&cpu, 2320);
    tk_uw_cpu_end(&cpu, 2320);
    tk_uw_cpu_begin(&cpu, 2330, OUTER);
    tk_uw_cpu_end(&cpu, 2340);
    captured_send(c);
    captured_close(c);
    c->select = (struct tk_selection){.has_from = true, .from_ns = 1320000000};
    ck_assert_str_eq(captured_table(c, "tree", "depth,timer,count,incl"), "0|Outer|1|10\n"
                                                                          "1|Inner|1|0\n");
    captured_free(c);
}
END_TEST

/* The inner call of Inner is in the time of the outer one. */
START_TEST(callers_count_outer_calls)
{
    struct captured *c = make();
    c->tree.callers = "Inner";
    ck_assert_str_eq(captured_table(c, "callers", COLUMNS), "0|Inner|2|20|10r\n"
                                                            "1|Outer|1|20|10r\n"
                                                            "1|Inner|1|0|0r\n"
                                                            "2|Outer|1|0|0r\n");
    captured_free(c);
}
END_TEST

#define OPEN_COLUMNS "depth,timer,count,incl,excl,open_time,share"

/* Both roots last 100. */
START_TEST(open_scopes_keep_what_is_in_them)
{
    struct captured *c = make_open();
    ck_assert_str_eq(captured_table(c, "tree", OPEN_COLUMNS), "0|Outer|0|0|0|100|0.5r\n"
                                                              "1|Inner|1|30|30||0.15r\n"
                                                              "1|Outer|1|20|20||0.1r\n"
                                                              "0|Other|1|100|100||0.5r\n");
    c->select = (struct tk_selection){.has_to = true, .to_ns = 1050000000};
    ck_assert_str_eq(captured_table(c, "tree", OPEN_COLUMNS), "0|Outer|0|0|0|50|0.5r\n"
                                                              "1|Inner|1|30|30||0.3r\n"
                                                              "0|Other|1|50|50||0.5r\n");
    captured_free(c);
}
END_TEST

START_TEST(open_scopes_call_and_are_called)
{
    struct captured *c = make_open();
    c->tree.callers = "Inner";
    ck_assert_str_eq(captured_table(c, "callers", OPEN_COLUMNS), "0|Inner|1|30|30||1r\n"
                                                                 "1|Outer|1|30|30||1r\n");
    c->tree.callers = "Outer";
    ck_assert_str_eq(captured_table(c, "callers", OPEN_COLUMNS), "0|Outer|1|20|20|100|1r\n"
                                                                 "1|Outer|1|20|20||0.166666667r\n");
    c->tree.callees = "Outer";
    ck_assert_str_eq(captured_table(c, "callees", OPEN_COLUMNS), "0|Outer|0|0|0|100|1r\n"
                                                                 "1|Inner|1|30|30||0.3r\n"
                                                                 "1|Outer|1|20|20||0.2r\n");
    captured_free(c);
}
END_TEST

/* What is known of the inner call is not that of the timer. */
START_TEST(no_time_alongside_own_time)
{
    static const char *const outer[] = {"Outer"};
    struct captured *c = make_open();
    c->select = (struct tk_selection){.timers = outer, .n_timers = 1};
    ck_assert_str_eq(captured_table(c, "timers", "count,open,incl,total,excl"), "1|1||20|20\n");
    captured_free(c);
}
END_TEST

/* What is on a row without its depth is checked by its name: Rare timers are called once, but Back, which
 * comes again; Outer and Inner come last and are called most. */
static void write_rare(struct captured *c, uint32_t n)
{
    enum { BACK = 90, FIRST = 100 };
    char name[32];
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, OUTER, "Outer", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, INNER, "Inner", "A.cpp", 2);
    tk_uw_cpu_spec(&c->uw, BACK, "Back", "A.cpp", 2);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "Rare%u", (unsigned)i);
        tk_uw_cpu_spec(&c->uw, FIRST + i, name, "A.cpp", 3);
    }
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (uint32_t i = 0; i < n; i++) {
        tk_uw_cpu_begin(&cpu, 2000 + 2 * i, i == 60 || i == n - 1 ? BACK : FIRST + i);
        tk_uw_cpu_end(&cpu, 2001 + 2 * i);
    }
    for (uint32_t i = 0; i < n; i++) {
        tk_uw_cpu_begin(&cpu, 10000 + 3 * i, OUTER);
        tk_uw_cpu_begin(&cpu, 10000 + 3 * i, INNER);
        tk_uw_cpu_end(&cpu, 10001 + 3 * i);
        tk_uw_cpu_end(&cpu, 10002 + 3 * i);
        if (i % 16 == 0) {
            tk_uw_cpu_begin(&cpu, 10002 + 3 * i, BACK);
            tk_uw_cpu_end(&cpu, 10002 + 3 * i);
        }
    }
    captured_send(c);
    captured_close(c);
}

/* 3000 timers that are called once for a cycle each, then 3000 calls of Outer for two cycles, with Inner for
 * one of them: what came last and is used most has its rows, and what goes together loses nothing. Back is
 * called 2 + 188 times: it has a row with all of them or none. */
START_TEST(beyond_the_limit_rare_ones_go_together)
{
    enum { N = 3000 };
    struct captured *c = captured_new(7);
    write_rare(c, N);
    c->limit = "tree_nodes=50";
    const char *row = captured_table(c, "tree", "depth,timer,count,incl,excl"),
               *first = "0|Outer|3000|6000|3000\n1|Inner|3000|3000|3000\n", *back = strstr(row, "|Back|");
    ck_assert_int_eq(strncmp(row, first, strlen(first)), 0);
    ck_assert_ptr_nonnull(strstr(row, "|(beyond the limit)|"));
    if (back)
        ck_assert_int_eq(strncmp(back, "|Back|190|2|2\n", 14), 0);
    unsigned long long calls = 0, own = 0, count, incl, excl;
    for (; *row; row = strchr(row, '\n') + 1) {
        ck_assert_int_eq(sscanf(row, "%*u|%*[^|]|%llu|%llu|%llu", &count, &incl, &excl), 3);
        calls += count;
        own += excl;
    }
    ck_assert_uint_eq(calls, 3 * N + 188);
    ck_assert_uint_eq(own, N + 2 * N);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads_have_what_lies_below_them,
                                  small_ones_come_together,
                                  what_is_requested_is_no_other,
                                  around_a_call_of_no_length,
                                  callers_count_outer_calls,
                                  open_scopes_keep_what_is_in_them,
                                  open_scopes_call_and_are_called,
                                  no_time_alongside_own_time,
                                  beyond_the_limit_rare_ones_go_together};
    return RUN_TESTS("tree", tests);
}
