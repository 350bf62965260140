/*
 * Texts in fields, worked out by hand: all become "xy", whatever the form; what is no text stays.
 */
#include "edit/utrace/texts/texts.h"
#include "run.h"

#include <string.h>

static size_t calls;
static uint8_t last[64];
static size_t n_last;

static void put_xy(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    (void)ctx;
    calls++;
    n_last = n < sizeof last ? n : sizeof last;
    memcpy(last, p, n_last);
    tk_anon_put(out, "xy", 2);
}

static void expect(enum tk_edit_holds holds, unsigned width, const void *p, size_t n, const void *wanted,
                   size_t n_wanted)
{
    struct tk_anon_text out = {0};
    calls = 0;
    tk_edit_texts_map(holds, width, p, n, put_xy, NULL, &out);
    ck_assert(!out.failed);
    ck_assert_uint_eq(out.bytes.n, n_wanted);
    ck_assert(!n_wanted || memcmp(out.bytes.v, wanted, n_wanted) == 0);
    tk_vec_release(&out.bytes);
}

#define BYTES(text) text, sizeof text - 1

START_TEST(texts_of_any_width)
{
    expect(TK_EDIT_HOLDS_TEXT, 1, BYTES("bob"), BYTES("xy"));
    expect(TK_EDIT_HOLDS_TEXT, 1, BYTES("bob\0\0"), BYTES("xy\0\0"));
    expect(TK_EDIT_HOLDS_TEXT, 2, BYTES("b\0o\0b\0\0\0"), BYTES("x\0y\0\0\0"));
    expect(TK_EDIT_HOLDS_TEXT, 2, BYTES("\x3d\xd8\0\xde"), BYTES("x\0y\0")); /* U+1F600 */
    ck_assert(n_last == 4 && memcmp(last, "\xf0\x9f\x98\x80", 4) == 0);
    expect(TK_EDIT_HOLDS_TEXT, 2, BYTES("\0\xd8"), BYTES("x\0y\0")); /* half a pair */
    ck_assert(n_last == 3 && memcmp(last, "\xed\xa0\x80", 3) == 0);
    expect(TK_EDIT_HOLDS_TEXT, 1, BYTES("\0"), BYTES("\0"));
    ck_assert_uint_eq(calls, 0);
}
END_TEST

START_TEST(arguments)
{
    /* an integer, a narrow text, a real, a wide text */
    expect(TK_EDIT_HOLDS_ARGS, 1, BYTES("\4\x44\xc1\x88\xc2\1\2\3\4bob\0\1\2\3\4\5\6\7\10b\0\0\0"),
           BYTES("\4\x44\xc1\x88\xc2\1\2\3\4xy\0\1\2\3\4\5\6\7\10x\0y\0\0\0"));
    ck_assert_uint_eq(calls, 2);
    expect(TK_EDIT_HOLDS_ARGS, 1,
           BYTES("\1\xc1"
                 "bo"),
           BYTES("\1\xc1xy")); /* no terminator */
    expect(TK_EDIT_HOLDS_ARGS, 1,
           BYTES("\2\xc1\x44"
                 "bo\0\1"),
           BYTES("\2\xc1\x44xy\0")); /* half a number */
    expect(TK_EDIT_HOLDS_ARGS, 1,
           BYTES("\11\xc1"
                 "bob"),
           NULL, 0);                                            /* more kinds than bytes */
    expect(TK_EDIT_HOLDS_ARGS, 1, BYTES("\0bob"), BYTES("\0")); /* nothing says that this is a text */
}
END_TEST

START_TEST(values)
{
    expect(TK_EDIT_HOLDS_CBOR, 1,
           BYTES("\x63"
                 "bob\x18\x2a\x43"
                 "bob\xf5"),
           BYTES("\x62xy\x18\x2a\x42xy\xf5"));
    ck_assert_uint_eq(calls, 2);
    expect(TK_EDIT_HOLDS_CBOR, 1, BYTES("\x78\3bob\xfb\1\2\3\4\5\6\7\10"),
           BYTES("\x62xy\xfb\1\2\3\4\5\6\7\10"));
    expect(TK_EDIT_HOLDS_CBOR, 1,
           BYTES("\x82\x61"
                 "b\1"),
           BYTES("\x82\x62xy\1"));
    expect(TK_EDIT_HOLDS_CBOR, 1,
           BYTES("\1\x64"
                 "bob"),
           BYTES("\1")); /* it ends early */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {texts_of_any_width, arguments, values};
    return run_tests("field_texts", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
