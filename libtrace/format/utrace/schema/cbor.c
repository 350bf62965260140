/*
 * Values of metadata: see cbor.h.
 */
#include "format/utrace/schema/cbor.h"

#include <string.h>

enum { MAJOR_UINT, MAJOR_NEGATIVE, MAJOR_BYTES, MAJOR_TEXT, MAJOR_ARRAY, MAJOR_MAP, MAJOR_TAG, MAJOR_OTHER };
enum { OTHER_FALSE = 20, OTHER_TRUE = 21, OTHER_REAL32 = 26, OTHER_REAL64 = 27, BREAK = 31 };

/* The number of a head: in it, or in the bytes behind it. */
static uint64_t argument(struct tk_cur *c, unsigned info)
{
    size_t width = info >= 24 && info <= 27 ? (size_t)1 << (info - 24) : 0;
    const uint8_t *p = width ? tk_take(c, width, "a number") : NULL;
    uint64_t value = 0;
    if (info < 24)
        return info;
    for (size_t i = 0; p && i < width; i++)
        value = value << 8 | p[i];
    return value;
}

static void take_other(unsigned info, uint64_t bits, struct tk_ut_cbor *out)
{
    uint32_t low = (uint32_t)bits;
    float single;
    *out = (struct tk_ut_cbor){.kind = TK_UT_CBOR_NULL};
    if (info == OTHER_FALSE || info == OTHER_TRUE) {
        *out = (struct tk_ut_cbor){.kind = TK_UT_CBOR_BOOL, .u = info == OTHER_TRUE};
    } else if (info == OTHER_REAL32) {
        memcpy(&single, &low, sizeof single);
        *out = (struct tk_ut_cbor){.kind = TK_UT_CBOR_REAL, .r = (double)single};
    } else if (info == OTHER_REAL64) {
        out->kind = TK_UT_CBOR_REAL;
        memcpy(&out->r, &bits, sizeof out->r);
    }
}

static void take_text(struct tk_cur *c, uint64_t n, struct tk_ut_cbor *out)
{
    const uint8_t *p = tk_take(c, n > tk_cur_left(c) ? SIZE_MAX : (size_t)n, "a text");
    *out = (struct tk_ut_cbor){.kind = TK_UT_CBOR_TEXT, .text = {p, p ? (size_t)n : 0}};
}

bool tk_ut_cbor_next(struct tk_cur *c, struct tk_ut_cbor *out)
{
    while (tk_cur_ok(c) && tk_cur_left(c)) {
        uint8_t head = tk_u8(c, "a value");
        unsigned major = head >> 5, info = head & 31;
        uint64_t number = argument(c, info);
        if (major == MAJOR_ARRAY || major == MAJOR_MAP || major == MAJOR_TAG ||
            (major == MAJOR_OTHER && info == BREAK))
            continue;
        if (major == MAJOR_BYTES || major == MAJOR_TEXT)
            take_text(c, number, out);
        else if (major == MAJOR_OTHER)
            take_other(info, number, out);
        else
            *out = (struct tk_ut_cbor){.kind = TK_UT_CBOR_INT,
                                       .is_signed = major == MAJOR_NEGATIVE,
                                       .u = major == MAJOR_NEGATIVE ? ~number : number};
        return tk_cur_ok(c);
    }
    return false;
}
