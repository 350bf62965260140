/* Nearest names: which are near, and in which order. By hand from near.h and near.c. */
#include "base/text/glob.h"
#include "run.h"

#include <string.h>

static char found[256];

static const char *nearest(const char *wanted, const char *const *names)
{
    struct tk_nearest_search near;
    tk_nearest_begin(&near, wanted);
    for (; *names; names++)
        tk_nearest_offer(&near, *names, strlen(*names));
    found[0] = '\0';
    for (size_t i = 0; i < near.n; i++) {
        strcat(found, i ? "," : "");
        strncat(found, near.names[i].p, near.names[i].n);
    }
    return found;
}

#define NEAREST(wanted, ...) nearest(wanted, (const char *const[]){__VA_ARGS__, NULL})

/* The case counts nothing, a letter around it 1, another difference 2; of equal ones the first comes first.
 */
START_TEST(order)
{
    ck_assert_str_eq(NEAREST("frame", "frame_stats", "framed", "FRAME", "flame"), "FRAME,framed,flame");
    ck_assert_str_eq(NEAREST("frame", "frames", "aframe", "framed"), "frames,aframe,framed");
    ck_assert_str_eq(NEAREST("frame", "flame", "frames", "brame"), "frames,flame,brame");
    ck_assert_str_eq(NEAREST("log", "logs", "logs", "logs"), "logs");
}
END_TEST

/* What a name has more counts up to 8. */
START_TEST(long_names)
{
    ck_assert_str_eq(NEAREST("frame", "frame_of_the_rendering_thread", "the_frame_of_a_game"),
                     "frame_of_the_rendering_thread,the_frame_of_a_game");
    ck_assert_str_eq(NEAREST("frame", "frame_of_the_rendering_thread", "frame_1234"),
                     "frame_1234,frame_of_the_rendering_thread");
}
END_TEST

START_TEST(short_names)
{
    ck_assert_str_eq(NEAREST("a", "b", "ab", "abc"), ""); /* one letter is in most names */
    ck_assert_str_eq(NEAREST("a", "A"), "A");
    ck_assert_str_eq(NEAREST("ab", "xy"), ""); /* nothing in common */
    ck_assert_str_eq(NEAREST("ab", "ax", "cab"), "cab,ax");
    ck_assert_str_eq(NEAREST("*", "a"), "");
    ck_assert_str_eq(NEAREST("", "a", ""), "");
}
END_TEST

/* Fewer letters may differ than a third of those wanted and two. */
START_TEST(differences)
{
    ck_assert_str_eq(NEAREST("abcdef", "abxxxf", "abxxxx", "abcdxx"), "abcdxx,abxxxf");
    ck_assert_str_eq(NEAREST("abcde", "abxxe", "abcxe"), "abcxe,abxxe");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {order, long_names, short_names, differences};
    return RUN_TESTS("near", tests);
}
