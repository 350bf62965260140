/*
 * What reports begin with, of comparisons made by hand.
 */
#include "compare/report/budget.h"
#include "compare/report/report.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STR(text)                                                                                            \
    {                                                                                                        \
        .p = text, .n = sizeof text - 1                                                                      \
    }

static const struct tk_str p99 = STR("p99"), flush = STR("Streaming.Flush"), lighting = STR("Lighting"),
                           game = STR("GameThread"), render = STR("RenderThread"), worker = STR("Worker 3"),
                           none = STR(""), tick = STR("T\nick");

static struct tk_change change(enum tk_change_kind kind, enum tk_verdict verdict, const struct tk_str *name,
                               const struct tk_str *group, double before, double after)
{
    return (struct tk_change){.kind = (uint8_t)kind,
                              .verdict = (uint8_t)verdict,
                              .tested = true,
                              .name = name,
                              .group = group,
                              .file = &none,
                              .unit = kind == TK_CHANGE_FRAME ? "ms" : "ms/frame",
                              .baseline = before,
                              .candidate = after,
                              .raw_ratio = after / before,
                              .ratio = after / before,
                              .low = NAN,
                              .high = NAN,
                              .per_call = {NAN, NAN},
                              .within = NAN};
}

static char *said_of(struct tk_change *v, size_t n,
                     void (*say)(struct tk_print *, const struct tk_comparison *))
{
    struct tk_comparison c = {.changes = {.v = v, .n = n}, .design = TK_DESIGN_RUNS, .runs = {5, 5}};
    struct tk_print out = {0};
    for (size_t i = 0; i < n; i++)
        c.worse |= v[i].verdict == TK_REGRESSED && !v[i].accepted;
    for (size_t i = 0; i < n; i++)
        c.accepted += v[i].accepted;
    say(&out, &c);
    tk_print_bytes(&out, "", 1);
    ck_assert(!out.failed);
    return out.v;
}

static void check(struct tk_change *v, size_t n, const char *wanted)
{
    char *said = said_of(v, n, tk_report_lead);
    ck_assert_str_eq(said, wanted);
    free(said);
}

START_TEST(frames_and_their_cause_come_first)
{
    struct tk_change v[] = {change(TK_CHANGE_FRAME, TK_REGRESSED, &p99, &none, 16.9, 22.4),
                            change(TK_CHANGE_TIMER, TK_REGRESSED, &flush, &game, 0.009, 0.41),
                            change(TK_CHANGE_TIMER, TK_REGRESSED, &lighting, &render, 0.5, 0.575),
                            change(TK_CHANGE_TIMER, TK_IMPROVED, &tick, &game, 2, 1)};
    v[0].cause = &v[1];
    v[1].per_call[0] = 0.3;
    v[1].per_call[1] = 13.7; /* a call of it is as long as frames grew */
    check(v, 4,
          "Frames are 33 % slower at p99 (16.9 to 22.4 ms): Streaming.Flush now takes 410 us a frame (9 us "
          "before), "
          "on GameThread. Also worse: Lighting +15.0 %; 1 is better.");
    v[1].per_call[1] = 0.4;
    check(v, 3,
          "Frames are 33 % slower at p99 (16.9 to 22.4 ms); what changed most is Streaming.Flush: now 410 us "
          "a frame "
          "(9 us before), on GameThread. Also worse: Lighting +15.0 %.");
    v[1].per_call[1] = 13.7;
    v[1].group = &worker; /* frames do not consist of what workers do */
    check(v, 1,
          "Frames are 33 % slower at p99 (16.9 to 22.4 ms); what changed most is Streaming.Flush: now 410 us "
          "a frame "
          "(9 us before), on Worker 3.");
    v[0].cause = NULL;
    check(v, 1, "Frames are 33 % slower at p99 (16.9 to 22.4 ms); no timer is known to be the cause.");
}
END_TEST

START_TEST(a_timer_leads_where_frames_did_not_change)
{
    struct tk_change v[] = {change(TK_CHANGE_FRAME, TK_UNCHANGED, &p99, &none, 16.9, 16.9),
                            change(TK_CHANGE_TIMER, TK_REGRESSED, &tick, &game, 0.5, 0.54),
                            change(TK_CHANGE_TIMER, TK_REGRESSED, &lighting, &render, 0.5, 1.6)};
    check(v, 3,
          "Lighting takes 3.2 times as long: 1.6 ms a frame (500 us before), on RenderThread; frames are not "
          "slower. Also worse: T ick +8.0 %.");
    v[0].verdict = TK_INCONCLUSIVE;
    v[2].accepted = true;
    check(v, 3,
          "T ick is 8.0 % slower: 540 us a frame (500 us before), on GameThread; whether frames are slower "
          "is not "
          "sure.");
    v[1].accepted = true;
    check(v, 3, "Nothing new is slower: 2 known regressions are let pass.");
}
END_TEST

START_TEST(nothing_slower_is_said_as_what_it_is)
{
    struct tk_change v[] = {change(TK_CHANGE_TIMER, TK_UNCHANGED, &lighting, &render, 0.5, 0.5),
                            change(TK_CHANGE_TIMER, TK_IMPROVED, &flush, &game, 2, 1.5)};
    check(v, 1, "Nothing is slower: 1 value is the same within noise and floors.");
    check(v, 2,
          "Nothing is slower. Streaming.Flush is 25 % faster: 1.5 ms a frame (2 ms before), on GameThread.");
    v[0].verdict = v[1].verdict = TK_INCONCLUSIVE;
    check(v, 2, "Nothing is known to be slower, but 2 of 2 values are not decided.");
    v[1].runs = 8;
    v[1].more[0] = v[1].more[1] = 3;
    char *said = said_of(v, 2, tk_report_todo);
    ck_assert_str_eq(
        said, "To do: record more runs of each side, or give --noise; of Streaming.Flush 3 more runs a "
              "side would decide.");
    free(said);
    check(v, 0, "Nothing can be said: every timer that both sides have is too small to be judged.");
}
END_TEST

START_TEST(hostile_names_stay_names)
{
    static const struct tk_str link = STR("[a](http://b) #1");
    struct tk_change v[] = {change(TK_CHANGE_TIMER, TK_REGRESSED, &link, &game, 0.5, 1.6)};
    char *said = said_of(v, 1, tk_report_lead);
    ck_assert_ptr_nonnull(strstr(said, "[a](http://b) #1"));
    free(said);
    struct tk_comparison c = {.changes = {.v = v, .n = 1}, .design = TK_DESIGN_RUNS, .worse = true};
    const struct tk_report_setup setup = {0};
    struct tk_print out = {0};
    c.unit_time = "ms/frame";
    tk_report_markdown(&out, &c, &setup);
    tk_print_bytes(&out, "", 1);
    ck_assert_ptr_null(strstr(out.v, "[a]("));
    free(out.v);
}
END_TEST

/* A value at 90 % of its error is listed, one below is not; a warning says itself what is near. */
START_TEST(budgets_near_their_limit_are_listed)
{
    struct tk_budget v[3];
    const double values[] = {0.45, 0.44, 0.45}, warnings[] = {NAN, NAN, 0.48};
    struct tk_budgets all = {.v = {.v = v, .n = 3}};
    struct tk_print out = {0};
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        v[i] = (struct tk_budget){.kind = TK_CHANGE_TIMER,
                                  .name = &lighting,
                                  .unit = "ms/frame",
                                  .value = values[i],
                                  .warning = warnings[i],
                                  .error = 0.5};
    ck_assert_ptr_eq(tk_budgets_next(&all, true, &at), &v[0]);
    ck_assert_ptr_null(tk_budgets_next(&all, true, &at));
    at = 0;
    ck_assert_ptr_eq(tk_budgets_next(&all, false, &at), &v[1]);
    ck_assert_ptr_eq(tk_budgets_next(&all, false, &at), &v[2]);
    ck_assert_ptr_null(tk_budgets_next(&all, false, &at));
    tk_budgets_lead(&out, &all);
    tk_print_bytes(&out, "", 1);
    ck_assert_str_eq(out.v, "All 3 budgets are met, 1 close (90 % or more).");
    free(out.v);
}
END_TEST

START_TEST(the_worst_budget_is_said_first)
{
    struct tk_budget v[] = {{.kind = TK_CHANGE_TIMER,
                             .level = TK_BUDGET_ERROR,
                             .name = &lighting,
                             .unit = "ms/frame",
                             .value = 0.66,
                             .warning = NAN,
                             .error = 0.6,
                             .where = &render},
                            {.kind = TK_CHANGE_FRAME,
                             .level = TK_BUDGET_ERROR,
                             .name = &p99,
                             .unit = "ms",
                             .value = 30,
                             .warning = 16,
                             .error = 20}};
    struct tk_budgets all = {.v = {.v = v, .n = 2}};
    struct tk_print out = {0};
    tk_budgets_lead(&out, &all);
    tk_print_bytes(&out, "", 1);
    ck_assert_str_eq(out.v,
                     "Frames at p99 are over budget: 30 ms of 20 ms (time of frames), 50 % too much. 2 of 2 "
                     "budgets exceeded.");
    out.n = 0;
    tk_budget_sentence(&out, &v[0]);
    tk_print_bytes(&out, "", 1);
    ck_assert_str_eq(out.v,
                     "Lighting is over budget: 660 us a frame of 600 us (exclusive time), 10 % too much, on "
                     "RenderThread");
    free(out.v);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        frames_and_their_cause_come_first,    a_timer_leads_where_frames_did_not_change,
        nothing_slower_is_said_as_what_it_is, hostile_names_stay_names,
        budgets_near_their_limit_are_listed,  the_worst_budget_is_said_first};
    return RUN_TESTS("story", tests);
}
