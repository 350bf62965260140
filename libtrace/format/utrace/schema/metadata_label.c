/*
 * Labels of instances. Values become packed arguments, so that formats of messages and
 * of labels are filled in by the same code.
 */
#include "base/text/text.h"
#include "base/vec.h"
#include "format/utrace/schema/printf_args.h"
#include "format/utrace/schema/schema.h"

#include <string.h>

/*
 * Values of metadata.
 */

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

enum { MOST_VALUES = 255 };

struct bytes {
    TK_VEC(uint8_t) v;
    bool failed;
};

static void put_metadata_label(struct bytes *b, const void *p, size_t n)
{
    b->failed |= tk_vec_reserve(&b->v, b->v.n + n) != 0;
    if (b->failed || !n)
        return;
    memcpy(b->v.v + b->v.n, p, n);
    b->v.n += n;
}

static void put_byte(struct bytes *b, uint8_t byte)
{
    put_metadata_label(b, &byte, 1);
}

struct label {
    struct bytes descriptors, payload, format;
    size_t n;
};

static void put_le64(struct bytes *b, uint64_t u)
{
    for (unsigned i = 0; i < 8; i++)
        put_byte(b, (uint8_t)(u >> (8 * i)));
}

/* As a packed argument (events 0.7). */
static void put_argument(struct label *l, const struct tk_ut_cbor *value)
{
    uint64_t bits = value->u;
    if (value->kind == TK_UT_CBOR_TEXT) {
        const uint8_t *nul = value->text.n ? memchr(value->text.p, 0, value->text.n) : NULL;
        put_byte(&l->descriptors, 0xc1);
        put_metadata_label(&l->payload, value->text.p, nul ? (size_t)(nul - value->text.p) : value->text.n);
        put_byte(&l->payload, 0);
        return;
    }
    if (value->kind == TK_UT_CBOR_REAL)
        memcpy(&bits, &value->r, sizeof bits);
    put_byte(&l->descriptors, value->kind == TK_UT_CBOR_REAL ? 0x88 : 0x48);
    put_le64(&l->payload, bits);
}

/* How a value stands where there is no format for it. */
static void put_plain(struct label *l, const struct tk_ut_cbor *value)
{
    static const char *const formats[] = {[TK_UT_CBOR_INT] = "%llu",
                                          [TK_UT_CBOR_REAL] = "%g",
                                          [TK_UT_CBOR_TEXT] = "%s",
                                          [TK_UT_CBOR_BOOL] = "%llu",
                                          [TK_UT_CBOR_NULL] = "%llu"};
    const char *format = value->is_signed ? "%lld" : formats[value->kind];
    put_metadata_label(&l->format, ", ", l->n ? 2 : 0);
    put_metadata_label(&l->format, format, strlen(format));
}

/* Integers of labels have 64 bits whatever the format says. */
static void put_format(struct bytes *b, const struct tk_str *format)
{
    const char *p = format->p, *end = p + format->n;
    bool open = false;
    for (; p < end; p++) {
        if (open && memchr("diuoxX", *p, 6))
            put_metadata_label(b, "ll", 2);
        if (*p == '%')
            open = !open;
        else if (open && !memchr("-+ #0123456789.*", *p, 16))
            open = false;
        put_byte(b, (uint8_t)*p);
    }
}

struct tk_str tk_ut_label_format(const struct tk_str *name, const struct tk_str *format)
{
    struct tk_str rest = *format;
    uint32_t same = 0;
    while (same < name->n && same < format->n && name->p[same] == format->p[same])
        same++;
    if (format->enc == TK_ENC_UTF16 || name->enc == TK_ENC_UTF16)
        same = 0;
    if (same > 1) {
        rest.p += same;
        rest.n -= same;
    }
    for (; rest.n && *rest.p == ' '; rest.n--)
        rest.p++;
    return rest;
}

/* A text as UTF-8: what is not valid in it is replaced. */
static void put_name_metadata_label(struct bytes *b, const struct tk_str *name)
{
    const uint8_t *p = (const uint8_t *)name->p;
    size_t len, most = 3 * (size_t)name->n;
    if (name->enc == TK_ENC_UTF8) {
        put_metadata_label(b, p, name->n);
        return;
    }
    b->failed |= tk_vec_reserve(&b->v, b->v.n + most) != 0;
    if (b->failed || !name->n)
        return;
    if (name->enc == TK_ENC_UTF16)
        b->v.n += tk_utf16_to_utf8(b->v.v + b->v.n, p, name->n);
    for (size_t at = 0; name->enc == TK_ENC_BYTES && at < name->n; at += len)
        b->v.n += tk_utf8_put(b->v.v + b->v.n, tk_utf8_next(p + at, name->n - at, &len));
}

/* Name, and behind it the values where there are some. */
static int fill_metadata_label(const struct label *l, struct tk_arena *arena, const struct tk_str *name,
                               struct tk_bytes *out)
{
    struct bytes args = {.failed = false}, all = {.failed = false};
    struct tk_str filled = {"", 0, TK_ENC_UTF8};
    struct tk_str format = {(const char *)l->format.v.v, (uint32_t)l->format.v.n, TK_ENC_UTF8};
    bool cut;
    put_byte(&args, (uint8_t)l->n);
    put_metadata_label(&args, l->descriptors.v.v, l->descriptors.v.n);
    put_metadata_label(&args, l->payload.v.v, l->payload.v.n);
    int rc = args.failed ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK && l->n)
        rc = tk_ut_format(arena, &format, args.v.v, args.v.n, &filled, &cut);
    put_name_metadata_label(&all, name);
    put_metadata_label(&all, " - ", l->n ? 3 : 0);
    put_name_metadata_label(&all, &filled);
    if (rc == TK_OK && (all.failed || !(out->p = tk_arena_copy(arena, all.v.v, all.v.n))))
        rc = TK_ENOMEM;
    out->n = all.v.n;
    tk_vec_release(&args.v);
    tk_vec_release(&all.v);
    return rc;
}

int tk_ut_label(struct tk_arena *arena, const struct tk_str *name, const struct tk_str *format,
                const uint8_t *values, size_t n, struct tk_bytes *out, bool *cut)
{
    struct tk_cur c = tk_cur_of(n ? values : (const uint8_t *)"", n);
    struct label l = {.n = 0};
    struct tk_ut_cbor value;
    for (; l.n < MOST_VALUES && tk_ut_cbor_next(&c, &value); l.n++) {
        if (!format->n)
            put_plain(&l, &value);
        put_argument(&l, &value);
    }
    *cut = !tk_cur_ok(&c);
    put_format(&l.format, format->n ? format : &(struct tk_str){.p = ""});
    *out = (struct tk_bytes){(const uint8_t *)name->p, name->n};
    int rc = l.descriptors.failed || l.payload.failed || l.format.failed ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK && (l.n || name->enc != TK_ENC_UTF8))
        rc = fill_metadata_label(&l, arena, name, out);
    tk_vec_release(&l.descriptors.v);
    tk_vec_release(&l.payload.v);
    tk_vec_release(&l.format.v);
    return rc;
}
