/* Patterns, edit distance. */
#include "base/text/glob.h"
#include "run.h"

#include <string.h>

static bool glob(const char *pattern, const char *text, bool fold)
{
    return tk_glob(pattern, strlen(pattern), text, strlen(text), fold);
}

START_TEST(patterns)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"*", "", true},
        {"**", "", true},
        {"*", "anything at all", true},
        {"?", "", false},
        {"?", "a", true},
        {"?", "ab", false},
        {"Frame*", "FrameTime", true},
        {"Frame*", "frameTime", false},
        {"*Time", "FrameTime", true},
        {"*Time", "FrameTimes", false},
        {"*a*b*c*", "xxaxxbxxcxx", true},
        {"*a*b*c*", "xxaxxcxxbxx", false},
        {"*ab", "aab", true},
        {"*aab", "aaaab", true},
        {"a*a", "a", false},
        {"a*?b", "ab", false},
        {"a*?b", "axb", true},
        {"**x**", "x", true},
        {"[a]", "a", false},
        {"[a]", "[a]", true},
        {"\\*", "\\abc", true},
        {"\\?", "?", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(glob(cases[i].pattern, cases[i].text, false) == cases[i].matches, "'%s' against '%s'",
                      cases[i].pattern, cases[i].text);
}
END_TEST

START_TEST(typed_patterns)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"uworld*", "UWorld::Tick", true},
        {"UWorld*", "UWorld::Tick", true},
        {"Uworld*", "UWorld::Tick", false},
        {"*PSO*|*pipeline*", "MyPSOs", true},
        {"*PSO*|*pipeline*", "Pipeline", true},
        {"*PSO*|*pipeline*", "pso", false},
        {"a|b|c", "B", true},
        {"a|b|c", "a|b", false},
        {"a|", "", true},
        {"|", "", true},
        {"", "", true},
        {"", "a", false},
        {"|", "|", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(tk_glob_typed(cases[i].pattern, strlen(cases[i].pattern), cases[i].text,
                                    strlen(cases[i].text)) == cases[i].matches,
                      "'%s' against '%s'", cases[i].pattern, cases[i].text);
}
END_TEST

START_TEST(question_mark_is_a_character)
{
    ck_assert(glob("?", "\xc3\xa9", false));
    ck_assert(!glob("??", "\xc3\xa9", false));
    ck_assert(!glob("*??", "\xe2\x82\xac", false));
    ck_assert(glob("*??", "a\xe2\x82\xac", false));
    ck_assert(glob("?x", "\xffx", false));
}
END_TEST

START_TEST(case_is_folded_when_requested)
{
    ck_assert(glob("FRAME*z", "frameTimeZ", true));
    ck_assert(!glob("@", "`", true));
    ck_assert(!glob("[", "{", true));
}
END_TEST

START_TEST(lengths_bound_both)
{
    ck_assert(tk_glob("ab*", 2, "abc", 2, false));
    ck_assert(!tk_glob("ab*", 2, "abc", 3, false));
    ck_assert(tk_glob("a\0b", 3, "a\0b", 3, false));
}
END_TEST

/* Exponential without care: 30 stars against a long text that does not match. */
START_TEST(many_stars_end_in_time)
{
    char pattern[64], text[20000];
    for (size_t i = 0; i < 60; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[60] = '*';
    pattern[61] = 'b';
    memset(text, 'a', sizeof text);
    ck_assert(!tk_glob(pattern, 62, text, sizeof text, false));
    text[sizeof text - 1] = 'b';
    ck_assert(tk_glob(pattern, 62, text, sizeof text, false));
}
END_TEST

static unsigned distance(const char *a, const char *b, unsigned limit)
{
    unsigned there = tk_distance(a, strlen(a), b, strlen(b), limit);
    unsigned back = tk_distance(b, strlen(b), a, strlen(a), limit);
    ck_assert_uint_eq(there, back);
    return there;
}

START_TEST(distances)
{
    ck_assert_uint_eq(distance("", "", 5), 0);
    ck_assert_uint_eq(distance("", "abc", 5), 3);
    ck_assert_uint_eq(distance("frames", "frames", 5), 0);
    ck_assert_uint_eq(distance("Frames", "fRAMES", 5), 0);
    ck_assert_uint_eq(distance("frames", "farmes", 5), 1);
    ck_assert_uint_eq(distance("frames", "frame", 5), 1);
    ck_assert_uint_eq(distance("frames", "xframes", 5), 1);
    ck_assert_uint_eq(distance("kitten", "sitting", 5), 3);
    ck_assert_uint_eq(distance("saturday", "sunday", 9), 3);
    ck_assert_uint_eq(distance("ab", "ba", 9), 1);
    ck_assert_uint_eq(distance("abcd", "dcba", 9), 3); /* replace, swap, replace */
    ck_assert_uint_eq(distance("abcdef", "uvwxyz", 20), 6);
}
END_TEST

START_TEST(limit_is_the_farthest)
{
    ck_assert_uint_eq(distance("kitten", "sitting", 3), 3);
    ck_assert_uint_eq(distance("kitten", "sitting", 2), 2);
    ck_assert_uint_eq(distance("kitten", "sitting", 1), 1);
    ck_assert_uint_eq(distance("a", "a", 0), 0);
    ck_assert_uint_eq(distance("a", "b", 0), 0);
    ck_assert_uint_eq(distance("abc", "abcdefghij", 4), 4);
    char a[500], b[500];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    ck_assert_uint_eq(tk_distance(a, 500, b, 500, 1000), 1000);
    ck_assert_uint_eq(tk_distance(a, 500, a, 490, 1000), 10);
    memcpy(b, a, 300);
    ck_assert_uint_eq(tk_distance(a, 320, b, 320, 64), 20);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        typed_patterns,
        patterns,
        question_mark_is_a_character,
        case_is_folded_when_requested,
        lengths_bound_both,
        many_stars_end_in_time,
        distances,
        limit_is_the_farthest,
    };
    return RUN_TESTS("glob", tests);
}
