/* Interned texts: one object for equal bytes and encoding. */
#include "base/checksum.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "flood.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static void check(const struct tk_str *s, const char *p, size_t n, enum tk_encoding enc)
{
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(s->n, n);
    ck_assert_uint_eq(s->enc, enc);
    ck_assert(n == 0 || memcmp(s->p, p, n) == 0);
}

START_TEST(equal_texts_are_one)
{
    struct tk_intern t = {0};
    const struct tk_str *a = tk_intern_c(&t, "RenderThread");
    char other[] = "RenderThread 2";
    check(a, "RenderThread", 12, TK_ENC_UTF8);
    ck_assert_ptr_eq(tk_intern(&t, other, 12, TK_ENC_UTF8), a);
    ck_assert_ptr_ne(tk_intern(&t, other, 14, TK_ENC_UTF8), a);
    const struct tk_str *empty = tk_intern(&t, NULL, 0, TK_ENC_UTF8);
    check(empty, "", 0, TK_ENC_UTF8);
    ck_assert_ptr_nonnull(empty->p);
    ck_assert_ptr_eq(tk_intern_c(&t, ""), empty);
    ck_assert_ptr_ne(tk_intern(&t, "a\0b", 3, TK_ENC_UTF8), tk_intern(&t, "a\0c", 3, TK_ENC_UTF8));
    tk_intern_release(&t);
}
END_TEST

START_TEST(addresses_survive_growth)
{
    enum { N = 50000 };
    struct tk_intern t = {0};
    static const struct tk_str *seen[N];
    char text[32];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "timer %d", i);
        seen[i] = tk_intern_c(&t, text);
    }
    ck_assert_uint_eq(t.count, N);
    for (int i = 0; i < N; i++) {
        int n = snprintf(text, sizeof text, "timer %d", i);
        ck_assert_ptr_eq(tk_intern_c(&t, text), seen[i]);
        check(seen[i], text, (size_t)n, TK_ENC_UTF8);
    }
    tk_intern_release(&t);
}
END_TEST

START_TEST(encodings_are_reported)
{
    struct tk_intern t = {0};
    check(tk_intern(&t, "caf\xe9", 4, TK_ENC_UTF8), "caf\xe9", 4, TK_ENC_BYTES);
    check(tk_intern(&t, "caf\xe9", 4, TK_ENC_BYTES), "caf\xe9", 4, TK_ENC_BYTES);
    check(tk_intern(&t, "caf\xc3\xa9", 5, TK_ENC_BYTES), "caf\xc3\xa9", 5, TK_ENC_UTF8);
    ck_assert_uint_eq(t.count, 2);
    tk_intern_release(&t);
}
END_TEST

START_TEST(utf16_becomes_utf8_when_valid)
{
    struct tk_intern t = {0};
    /* "A", e acute, euro sign, U+1F600 */
    const char valid[] = "A\0\xe9\0\xac\x20\x3d\xd8\x00\xde";
    const struct tk_str *s = tk_intern(&t, valid, 10, TK_ENC_UTF16);
    check(s, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10, TK_ENC_UTF8);
    ck_assert_ptr_eq(tk_intern_c(&t, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), s);
    /* A high surrogate alone, and an odd length, keep their bytes. */
    check(tk_intern(&t, "\x3d\xd8", 2, TK_ENC_UTF16), "\x3d\xd8", 2, TK_ENC_UTF16);
    check(tk_intern(&t, "A\0B", 3, TK_ENC_UTF16), "A\0B", 3, TK_ENC_UTF16);
    /* The same bytes as 8-bit text are another text. */
    ck_assert_ptr_ne(tk_intern(&t, "\x3d\xd8", 2, TK_ENC_BYTES), tk_intern(&t, "\x3d\xd8", 2, TK_ENC_UTF16));
    tk_intern_release(&t);
}
END_TEST

START_TEST(long_utf16_is_converted_too)
{
    enum { N = 5000 };
    struct tk_intern t = {0};
    static char wide[2 * N], utf8[3 * N];
    for (size_t i = 0; i < N; i++) {
        memcpy(wide + 2 * i, "\xac\x20", 2);
        memcpy(utf8 + 3 * i, "\xe2\x82\xac", 3);
    }
    check(tk_intern(&t, wide, sizeof wide, TK_ENC_UTF16), utf8, sizeof utf8, TK_ENC_UTF8);
    tk_intern_release(&t);
}
END_TEST

START_TEST(limit_ends_it)
{
    struct tk_intern t = {.limit = 1000};
    const struct tk_str *first = tk_intern_c(&t, "first");
    char text[16];
    int kept = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "%08d", i);
        kept += tk_intern_c(&t, text) != NULL;
    }
    ck_assert_int_gt(kept, 5);
    ck_assert_int_lt(kept, 1000 / 8);
    ck_assert_ptr_null(tk_intern_c(&t, "another"));
    ck_assert_ptr_eq(tk_intern_c(&t, "first"), first);
    tk_intern_release(&t);
    ck_assert_uint_eq(t.limit, 1000);
}
END_TEST

/* Names of 8 bytes that all belong in slot 0 for who does not know the key of the process. */
START_TEST(a_flood_of_names_costs_nothing)
{
    struct tk_intern t = {0};
    uint64_t probes = 0, seed = TK_ENC_BYTES ^ 8 * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = 1; i <= FLOOD; i++) {
        uint64_t word = flood_unmix(flood_unmix(i << 24)) ^ seed;
        uint8_t name[8];
        for (int k = 0; k < 8; k++)
            name[k] = (uint8_t)(word >> (8 * k));
        must((tk_checksum(name, 8, TK_ENC_BYTES) & 0xffffff) == 0);
        must(tk_intern(&t, name, 8, TK_ENC_BYTES) != NULL);
    }
    for (size_t i = 0; i <= t.mask; i++)
        if (t.slots[i])
            probes += ((i - (size_t)tk_hash_bytes(t.slots[i]->p, 8, t.slots[i]->enc)) & t.mask) + 1;
    ck_assert_uint_eq(t.count, FLOOD);
    ck_assert_uint_lt(probes, UINT64_C(3) * FLOOD);
    tk_intern_release(&t);
}
END_TEST

/* Where something stands for all others no text is an error; those that are there are found as before. */
START_TEST(others_beyond_the_limit)
{
    static const struct tk_str others = {"(others)", 8, TK_ENC_UTF8};
    struct tk_intern t = {0};
    tk_intern_bound(&t, 100, &others);
    const struct tk_str *first = tk_intern_c(&t, "first");
    check(first, "first", 5, TK_ENC_UTF8);
    while (tk_intern(&t, &t.count, sizeof t.count, TK_ENC_UTF8) != &others)
        ck_assert_uint_lt(t.count, 10);
    ck_assert_uint_eq(t.left_out, 1);
    ck_assert_ptr_eq(tk_intern(&t, "x\0y\0", 4, TK_ENC_UTF16), &others);
    ck_assert_ptr_eq(tk_intern_c(&t, "first"), first);
    check(tk_intern_c(&t, ""), "", 0, TK_ENC_UTF8);
    check(tk_intern_always(&t, "always", 6, TK_ENC_UTF8), "always", 6, TK_ENC_UTF8);
    ck_assert_ptr_eq(tk_intern_c(&t, "never"), &others);
    ck_assert_uint_eq(t.left_out, 3);
    ck_assert(t.full && !t.failed);
    tk_intern_release(&t);
    ck_assert_ptr_eq(t.others, &others);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        equal_texts_are_one,           addresses_survive_growth,       encodings_are_reported,
        utf16_becomes_utf8_when_valid, long_utf16_is_converted_too,    limit_ends_it,
        others_beyond_the_limit,       a_flood_of_names_costs_nothing,
    };
    return RUN_TESTS("intern", tests);
}
