/* What lanes tell of the quality of times: gaps, scopes without an end, clocks that go backwards. */
#include "query/fake_case.h"

/* Two scopes are lost with bytes, one when its thread ends and one whose end has no time; the second op of
 * the last lane is before the first. Where bytes are missing no time is known, so none goes backwards. */
START_TEST(lanes)
{
    static const int64_t times[] = {10, 20, 30, 40}, cut[] = {10, 20, INT64_MIN}, backwards[] = {50, 40};
    static const uint32_t gap[] = {0, 1, TK_OP_CUT}, ended[] = {0, TK_OP_LOSE, 1, TK_OP_CLOSE},
                          fine[] = {0, TK_OP_END};
    fake_clock(f, 0, 1000000000);
    for (uint32_t thread = 2; thread < 6; thread++)
        fake_thread(f, thread, thread == 2 ? "Gap" : thread == 3 ? "Ended" : "Other", NULL, 0);
    fake_timer(f, 0, "A");
    fake_timer(f, 1, "B");
    fake_run(f, 2, 0, 3, cut, gap);
    fake_run(f, 3, 1, 4, times, ended);
    fake_run(f, 4, 2, 2, times, fine);
    fake_run(f, 5, 3, 2, backwards, fine);
    fake_ask(f, &tk_builder_quality, &q);
    static const struct {
        const char *kind, *subject;
        int64_t count;
    } want[] = {{"gap", "Gap", 2}, {"open", "Ended", 2}, {"clock", "Other", 1}};
    ck_assert_uint_eq(fake_rows(f, 0), sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        fake_is_text(f, i, "kind", want[i].kind);
        fake_is_text(f, i, "subject", want[i].subject);
        fake_is(f, i, "count", want[i].count);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {lanes};
    return RUN_TESTS_AROUND("quality", tests, case_begin, case_end);
}
