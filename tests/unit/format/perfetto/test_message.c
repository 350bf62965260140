/* Varints of all sizes and fields of all kinds, with bytes behind and without. */
#include "format/perfetto/perfetto_in.h"
#include "run.h"

#include <stdlib.h>

/* Writes a varint; its size. */
static size_t put(uint8_t *out, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (uint8_t)(v | 0x80);
    out[n++] = (uint8_t)v;
    return n;
}

/* A copy of exactly n bytes: what is read beyond them is seen. */
static uint8_t *exactly(const uint8_t *p, size_t n)
{
    uint8_t *copy = malloc(n);
    ck_assert(copy);
    memcpy(copy, p, n);
    return copy;
}

START_TEST(varints)
{
    uint8_t bytes[32];
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned less = 0; less < 2; less++)
            for (size_t behind = 0; behind < 12; behind++) {
                const uint64_t v = (UINT64_C(1) << bit) - less;
                const size_t n = put(bytes, v);
                memset(bytes + n, 0xff, behind);
                uint8_t *copy = exactly(bytes, n + behind);
                const uint8_t *p = copy;
                uint64_t got = 0;
                ck_assert_int_eq(tk_pf_varint(&p, copy + n + behind, &got), 1);
                ck_assert(got == v && p == copy + n);
                p = copy;
                ck_assert_int_eq(tk_pf_varint(&p, copy + n - 1, &got), 0);
                free(copy);
            }
    memset(bytes, 0xff, 12);
    const uint8_t *p = bytes;
    uint64_t got;
    ck_assert_int_eq(tk_pf_varint(&p, bytes + 12, &got), -1);
}
END_TEST

START_TEST(fields)
{
    static const uint8_t message[] = {0x08, 0x96, 0x01,                 /* 1: 150 */
                                      0xba, 0x01, 3,    'a',  'b', 'c', /* 23: "abc" */
                                      0x1d, 1,    0,    0,    0,        /* 3: fixed, 1 */
                                      0xd0, 0x01, 5,                    /* 26: 5 */
                                      0x0a, 0,                          /* 1: "" */
                                      0x82, 0x80, 0x80, 0x00, 9};       /* field 0 in a long form */
    static const struct {
        uint32_t number;
        uint8_t wire;
        uint64_t value;
        size_t n;
    } wanted[] = {{1, TK_PF_VARINT, 150, 0},
                  {23, TK_PF_BYTES, 0, 3},
                  {3, TK_PF_FIXED32, 1, 0},
                  {26, TK_PF_VARINT, 5, 0},
                  {1, TK_PF_BYTES, 0, 0}};
    struct tk_pf_message m = {message, message + sizeof message};
    struct tk_pf_field f;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ck_assert_int_eq(tk_pf_next(&m, &f), 1);
        ck_assert(f.number == wanted[i].number && f.wire == wanted[i].wire);
        ck_assert(f.bytes.n == wanted[i].n && (f.wire == TK_PF_BYTES || f.value == wanted[i].value));
    }
    ck_assert_int_eq(tk_pf_next(&m, &f), -1);
}
END_TEST

START_TEST(broken)
{
    static const uint8_t cases[][12] = {
        {0x00, 1},          /* field 0 */
        {0x0b, 1},          /* a group */
        {0x0a, 4, 'a'},     /* more than there is */
        {0x08},             /* no value */
        {0x88},             /* half a tag */
        {0x88, 0x01, 0x80}, /* half a value */
    };
    static const size_t sizes[] = {2, 2, 3, 1, 1, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *copy = exactly(cases[i], sizes[i]);
        struct tk_pf_message m = {copy, copy + sizes[i]};
        struct tk_pf_field f;
        ck_assert_msg(tk_pf_next(&m, &f) == -1, "case %zu", i);
        free(copy);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {varints, fields, broken};
    return RUN_TESTS("messages of protobuf", tests);
}
