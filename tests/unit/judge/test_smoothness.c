/*
 * The words of studios, calculated by hand.
 */
#include "judge/smoothness.h"
#include "run.h"

#include <math.h>
#include <string.h>

static struct tk_smoothness of(const double *ms, size_t n, double target)
{
    const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0};
    struct tk_judged_frames j;
    struct tk_smoothness s;
    ck_assert_int_eq(tk_frames_judge(&j, ms, n, &local), 0);
    ck_assert_int_eq(tk_smoothness_of(&s, ms, &j, target), 0);
    tk_judged_frames_release(&j);
    return s;
}

#define NEAR(word, wanted) ck_assert_double_eq_tol(s.v[TK_SMOOTHNESS_##word], (wanted), 1e-9)

/* 199 frames of 10 ms and one of 110: 2.1 s. */
START_TEST(one_hitch)
{
    double ms[200];
    for (size_t i = 0; i < 200; i++)
        ms[i] = 10;
    ms[100] = 110;
    struct tk_smoothness s = of(ms, 200, 100);
    NEAR(HITCHES, 1);
    NEAR(HITCHES_MIN, 60 / 2.1);
    NEAR(HITCH_RATIO, 100 / 2.1); /* with the target of 10 ms as without */
    NEAR(HITCH_TIME, 100 * 110 / 2100.0);
    NEAR(MISSED, 100 * 10 / 210.0); /* 210 were due */
    NEAR(LATE, 0.5);
    NEAR(LOW1, 2000 / 120.0); /* the two longest */
    NEAR(PACING, 100 * (200 / 199.0) / 10.5);
    NEAR(OSCILLATION, 0);
    ck_assert(isnan(s.v[TK_SMOOTHNESS_LOW01])); /* of fewer than 1,000 frames */
    s = of(ms, 200, 0);
    NEAR(HITCH_RATIO, 100 / 2.1);
    ck_assert(isnan(s.v[TK_SMOOTHNESS_MISSED]) && isnan(s.v[TK_SMOOTHNESS_LATE]));
}
END_TEST

/* Nothing says how late the only frame is, nor whether it swings; how long it is is known. */
START_TEST(alone)
{
    const double ms[18] = {110, 10};
    struct tk_smoothness s = of(ms, 1, 10);
    ck_assert(isnan(s.v[TK_SMOOTHNESS_HITCHES]) && isnan(s.v[TK_SMOOTHNESS_HITCHES_MIN]));
    ck_assert(isnan(s.v[TK_SMOOTHNESS_UNEVEN]) && isnan(s.v[TK_SMOOTHNESS_PACING]));
    ck_assert(isnan(s.v[TK_SMOOTHNESS_OSCILLATION]));
    NEAR(LATE, 100);
    NEAR(HITCH_RATIO, 10 / 0.110);
    ck_assert(isnan(of(ms, 1, 0).v[TK_SMOOTHNESS_HITCH_RATIO]));
    s = of(ms, 18, 0);
    NEAR(UNEVEN, 0);
    ck_assert(isnan(s.v[TK_SMOOTHNESS_OSCILLATION])); /* a window has 19 */
}
END_TEST

/* 16 and 33 in turn: half of the frames are uneven, and it swings. */
START_TEST(in_turn)
{
    double ms[400];
    for (size_t i = 0; i < 400; i++)
        ms[i] = i % 2 ? 33 : 16;
    const struct tk_smoothness s = of(ms, 400, 60);
    NEAR(HITCHES, 0);
    NEAR(OSCILLATION, 1);
    NEAR(LATE, 50);
    ck_assert(s.v[TK_SMOOTHNESS_UNEVEN] >= 0);
}
END_TEST

START_TEST(words_have_names)
{
    for (unsigned i = 0; i < TK_SMOOTHNESS_WORDS; i++)
        ck_assert_uint_eq(
            tk_smoothness_word_of(tk_smoothness_texts[i].name, strlen(tk_smoothness_texts[i].name)), i);
    ck_assert_uint_eq(tk_smoothness_word_of("low", 3), TK_SMOOTHNESS_WORDS);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_hitch, alone, in_turn, words_have_names};
    return RUN_TESTS("smoothness", tests);
}
