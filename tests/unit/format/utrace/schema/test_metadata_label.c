/* Labels of instances and their CBOR values: by hand from events 0.6 and 2.4; bytes of numbers are
 * those of RFC 8949, appendix A. */
#include "format/utrace/schema/printf_args.h"
#include "run.h"

#include <string.h>

static struct tk_str str(const char *text)
{
    return (struct tk_str){text, (uint32_t)strlen(text), TK_ENC_UTF8};
}

static const struct {
    const char *name, *format, *values;
    size_t n;
    const char *label;
    bool cut;
} cases[] = {
    {"Frame", "Frame %u %s", "\x03\x65View0", 7, "Frame - 3 View0", false},
    {"Pass", "Pass", "", 0, "Pass", false},                   /* nothing to show */
    {"Pass", "Pass %d", "", 0, "Pass", false},                /* no values */
    {"Pass", "", "\x18\x64\x61x", 4, "Pass - 100, x", false}, /* 100 */
    {"Pass", "Pass", "\xf5\x20", 2, "Pass - 1, -1", false},   /* true, -1 */
    {"P", "Px %d", "\x05", 1, "P - Px 5", false},             /* one character alike is not dropped */
    {"A", "%d", "\x3b\x00\x00\x00\xe8\xd4\xa5\x0f\xff", 9, "A - -1000000000000", false},
    {"A", "%u", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff", 9, "A - 18446744073709551615", false},
    {"A", "%x%%", "\x19\x03\xe8", 3, "A - 3e8%", false}, /* 1000 */
    {"A", "%.2f", "\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a", 9, "A - 1.10", false},
    {"A", "", "\xfa\x47\xc3\x50\x00", 5, "A - 100000", false}, /* 100000.0, single */
    {"A", "%d", "\x9f\x01\xff", 3, "A - 1", false},            /* inside an array without length */
    {"A", "%d %s", "\x01", 1, "A - 1 ", false},                /* a value is missing */
    {"A", "%d", "\x01\x02", 2, "A - 1", false},                /* one too many */
    {"A", "%s", "\x01", 1, "A - ", false},                     /* of the wrong kind */
    {"A", "%s", "\x62\xc3\xa9", 3, "A - \xc3\xa9", false},
    {"A", "%d %s", "\x01\x65xy", 4, "A - 1 ", true},                   /* a text ends early */
    {"A", "%d", "\x1b\x00", 2, "A", true},                             /* a number does */
    {"A", "%s", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 9, "A", true}, /* longer than memory */
};

START_TEST(labels)
{
    struct tk_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_str name = str(cases[i].name), format = str(cases[i].format);
        struct tk_str rest = tk_ut_label_format(&name, &format);
        struct tk_bytes out;
        bool cut;
        int rc = tk_ut_label(&arena, &name, &rest, (const uint8_t *)cases[i].values, cases[i].n, &out, &cut);
        ck_assert_int_eq(rc, TK_OK);
        ck_assert_msg(out.n == strlen(cases[i].label) && memcmp(out.p, cases[i].label, out.n) == 0,
                      "case %zu: '%.*s' instead of '%s'", i, (int)out.n, (const char *)out.p, cases[i].label);
        ck_assert_msg(cut == cases[i].cut, "case %zu", i);
    }
    tk_arena_release(&arena);
}
END_TEST

/* A name that is no UTF-8: the label is. */
START_TEST(odd_names)
{
    static const struct tk_str names[] = {{"a\xff", 2, TK_ENC_BYTES}, {"a\0\x3d\xd8", 4, TK_ENC_UTF16}};
    struct tk_arena arena = {0};
    struct tk_str nothing = str("");
    for (size_t i = 0; i < 4; i++) {
        const char *wanted = i < 2 ? "a\xef\xbf\xbd" : "a\xef\xbf\xbd - 5";
        struct tk_bytes out;
        bool cut;
        ck_assert_int_eq(
            tk_ut_label(&arena, &names[i % 2], &nothing, (const uint8_t *)"\x05", i / 2, &out, &cut), TK_OK);
        ck_assert_uint_eq(out.n, strlen(wanted));
        ck_assert_int_eq(memcmp(out.p, wanted, out.n), 0);
    }
    tk_arena_release(&arena);
}
END_TEST

/* More values than a label can have. */
START_TEST(many_values)
{
    struct tk_arena arena = {0};
    uint8_t values[1000] = {0};
    struct tk_str name = str("A"), nothing = str("");
    struct tk_bytes out;
    bool cut;
    ck_assert_int_eq(tk_ut_label(&arena, &name, &nothing, values, sizeof values, &out, &cut), TK_OK);
    ck_assert_uint_eq(out.n, strlen("A - ") + 255 + 2 * 254);
    tk_arena_release(&arena);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {labels, odd_names, many_values};
    return RUN_TESTS("label", tests);
}
