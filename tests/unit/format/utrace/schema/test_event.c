/*
 * Values of events: every type code, widening, sizes that disagree with types, texts of all kinds,
 * attachments (wire 3.9, 8).
 */
#include "base/text/text.h"
#include "format/utrace/lines.h"
#include "format/utrace/schema/event.h"

#include <math.h>

#define MOST 8

/* An event of one field. */
struct one {
    struct tk_ut_field field;
    struct tk_ut_type type;
    struct tk_ut_blob blobs[MOST];
    struct tk_ut_event ev;
    struct tk_arena scratch;
    struct lines reported;
    struct tk_intern strings;
    struct tk_str name;
};

static void set_up(struct one *o, uint8_t info, uint16_t size)
{
    memset(o, 0, sizeof *o);
    o->name = (struct tk_str){"F", 1, TK_ENC_UTF8};
    o->field = (struct tk_ut_field){.name = &o->name, .size = size, .info = info, .readable = true};
    o->type = (struct tk_ut_type){.n_fields = 1, .fields = &o->field, .fixed = size};
    o->ev = (struct tk_ut_event){
        .type = &o->type, .fixed = (const uint8_t *)"", .scratch = &o->scratch, .blobs = o->blobs};
}

static void tear_down(struct one *o)
{
    tk_arena_release(&o->scratch);
    tk_intern_release(&o->strings);
    release_lines(&o->reported);
}

static const char *reported(struct one *o)
{
    struct tk_cell c;
    clear_lines(&o->reported);
    tk_ut_event_value(&o->ev, 0, &c);
    add_cell(&o->reported, &c);
    return o->reported.text;
}

static void set_fixed(struct one *o, const void *p, size_t n)
{
    o->ev.fixed = p;
    o->ev.n_fixed = (uint32_t)n;
}

static void add_blob(struct one *o, const char *p, size_t n)
{
    o->blobs[o->ev.n_blobs++] = (struct tk_ut_blob){(const uint8_t *)p, (uint32_t)n, 0};
}

static void check_blob(uint8_t info, const char *p, size_t n, const char *expected)
{
    struct one o;
    set_up(&o, info, 0);
    add_blob(&o, p, n);
    ck_assert_str_eq(reported(&o), expected);
    tear_down(&o);
}

#define BLOB(info, text, expected) check_blob((info), (text), sizeof(text) - 1, (expected))

START_TEST(scalars)
{
    static const struct {
        uint8_t info, kind, width;
        const char *bytes, *expected;
    } cases[] = {
        {0x00, TK_UINT, 1, "\xFF", "255"},
        {0x01, TK_UINT, 2, "\xFE\xFF", "65534"},
        {0x02, TK_UINT, 4, "\xFE\xFF\xFF\xFF", "4294967294"},
        {0x03, TK_UINT, 8, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "18446744073709551614"},
        {0x10, TK_INT, 1, "\xFF", "-1"},
        {0x10, TK_INT, 1, "\x7F", "127"},
        {0x11, TK_INT, 2, "\x00\x80", "-32768"},
        {0x12, TK_INT, 4, "\xFE\xFF\xFF\xFF", "-2"},
        {0x12, TK_INT, 4, "\xFF\xFF\xFF\x7F", "2147483647"},
        {0x13, TK_INT, 8, "\x00\x00\x00\x00\x00\x00\x00\x80", "-9223372036854775808"},
        {0x42, TK_REAL32, 4, "\x00\x00\xC0\x3F", "1.5"},
        {0x43, TK_REAL, 8, "\x00\x00\x00\x00\x00\x00\xF4\xBF", "-1.25"},
        {0x40, TK_BYTES, 0, "\xAB", "<ab>"},
        {0x41, TK_BYTES, 0, "\xAB\xCD", "<abcd>"},
        {0x24, TK_UINT, 1, "\x07", "7"}, /* unused bits */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one o;
        struct tk_cell c;
        uint16_t size = (uint16_t)(1u << (cases[i].info & 3));
        set_up(&o, cases[i].info, size);
        set_fixed(&o, cases[i].bytes, size);
        ck_assert_str_eq(reported(&o), cases[i].expected);
        tk_ut_event_value(&o.ev, 0, &c);
        ck_assert_uint_eq(c.kind, cases[i].kind);
        if (c.kind == TK_UINT || c.kind == TK_INT)
            ck_assert_uint_eq(c.width, cases[i].width);
        tear_down(&o);
    }
}
END_TEST

/* Numbers as handlers read them: sign-extended if signed, reals cut. */
START_TEST(widening)
{
    static const struct {
        uint8_t info;
        const char *bytes;
        uint64_t u;
        double r;
    } cases[] = {
        {0x10, "\x80", (uint64_t)-128, -128.0},
        {0x00, "\x80", 128, 128.0},
        {0x11, "\xFF\xFF", UINT64_MAX, -1.0},
        {0x01, "\xFF\xFF", 65535, 65535.0},
        {0x13, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", UINT64_MAX, -1.0},
        {0x03, "\x00\x00\x00\x00\x00\x00\x00\x80", UINT64_C(1) << 63, 9223372036854775808.0},
        {0x42, "\x00\x00\xC0\xBF", (uint64_t)-1, -1.5},
        {0x43, "\x00\x00\x00\x00\x00\x00\xF8\x7F", 0, 0.0}, /* NaN; its real is checked below */
        {0x43, "\x00\x00\x00\x00\x00\x00\xF0\x7F", 0, HUGE_VAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one o;
        uint16_t size = (uint16_t)(1u << (cases[i].info & 3));
        set_up(&o, cases[i].info, size);
        set_fixed(&o, cases[i].bytes, size);
        ck_assert_uint_eq(tk_ut_event_u64(&o.ev, &o.field), cases[i].u);
        double r = tk_ut_event_real(&o.ev, &o.field);
        ck_assert(r == cases[i].r || (i == 7 && r != r));
        tear_down(&o);
    }
    struct one none;
    set_up(&none, 2, 4);
    ck_assert_uint_eq(tk_ut_event_u64(&none.ev, NULL), 0);
    ck_assert(tk_ut_event_real(&none.ev, NULL) == 0.0);
    tear_down(&none);
}
END_TEST

/* Wire 3.9: the size governs the layout; the value is as many bytes as size and type both allow. */
START_TEST(sizes_and_types)
{
    struct one o;
    set_up(&o, 0x03, 4);
    set_fixed(&o, "\xFF\xFF\xFF\xFF", 4);
    ck_assert_str_eq(reported(&o), "4294967295");
    tear_down(&o);
    set_up(&o, 0x13, 4);
    set_fixed(&o, "\xFF\xFF\xFF\xFF", 4);
    ck_assert_str_eq(reported(&o), "-1");
    tear_down(&o);
    set_up(&o, 0x01, 8);
    set_fixed(&o, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    ck_assert_str_eq(reported(&o), "513");
    tear_down(&o);
    set_up(&o, 0x02, 0);
    ck_assert_str_eq(reported(&o), "-");
    tear_down(&o);
}
END_TEST

START_TEST(unreadable)
{
    struct one o;
    set_up(&o, 0x02, 4);
    set_fixed(&o, "\x01\x00\x00\x00", 4);
    o.field.readable = false;
    ck_assert_str_eq(reported(&o), "-");
    o.field.readable = true;
    o.ev.n_fixed = 3; /* protocols 0 to 4: less is there than declared */
    ck_assert_str_eq(reported(&o), "-");
    tear_down(&o);
}
END_TEST

START_TEST(arrays)
{
    BLOB(0x80, "\x01\xFF", "[1,255]");
    BLOB(0x81, "\x01\x00\xFF\xFF", "[1,65535]");
    BLOB(0x82, "\x01\x00\x00\x00\xFF\xFF\xFF\xFF", "[1,4294967295]");
    BLOB(0x83, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "[18446744073709551615]");
    BLOB(0x90, "\x01\xFF", "[1,-1]");
    BLOB(0x91, "\x01\x00\xFF\xFF", "[1,-1]");
    BLOB(0x92, "\xFE\xFF\xFF\xFF", "[-2]");
    BLOB(0x93, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "[-2]");
    BLOB(0xC2, "\x00\x00\xC0\x3F\x00\x00\x00\xC0", "[1.5,-2]");
    BLOB(0xC3, "\x00\x00\x00\x00\x00\x00\xF4\xBF", "[-1.25]");
    BLOB(0x81, "", "[]");
    BLOB(0x82, "\x01\x00\x00\x00\x02\x00", "[1]"); /* a remainder is left out */
    BLOB(0xC0, "\x01\x02", "[?1,?2]");             /* undefined numbers */
}
END_TEST

START_TEST(pieces)
{
    struct one o;
    set_up(&o, 0x81, 0);
    add_blob(&o, "\x01", 1);
    add_blob(&o, "\x02\x03", 2);
    add_blob(&o, "", 0);
    add_blob(&o, "\x04", 1);
    o.blobs[o.ev.n_blobs++] = (struct tk_ut_blob){(const uint8_t *)"zz", 2, 5}; /* another field's */
    ck_assert_str_eq(reported(&o), "[513,1027]");
    tear_down(&o);
}
END_TEST

START_TEST(narrow_texts)
{
    BLOB(0x88, "abc", "\"abc\"");
    BLOB(0x88, "H\xC3\xA9", "\"H\xC3\xA9\"");
    BLOB(0x88, "", "\"\"");
    BLOB(0x88, "H\xE9", "bytes:48e9");
    BLOB(0x88, "\xED\xA0\x80", "bytes:eda080"); /* a surrogate */
    BLOB(0x88, "\xC0\x80", "bytes:c080");       /* an overlong form */
}
END_TEST

START_TEST(wide_texts)
{
    BLOB(0x89, "H\x00\xE9\x00", "\"H\xC3\xA9\"");
    BLOB(0x89, "\x3D\xD8\x00\xDE", "\"\xF0\x9F\x98\x80\"");
    BLOB(0x89, "", "\"\"");
    BLOB(0x89, "H\x00\x3D\xD8", "utf16:48003dd8"); /* half of a pair */
    BLOB(0x89, "\x00\xDE\x3D\xD8", "utf16:00de3dd8");
}
END_TEST

/* Wire 8: of an odd byte count the last byte is dropped. Records keep the NULs that some writers count in. */
START_TEST(text_ends)
{
    struct one o;
    struct tk_cell c;
    BLOB(0x89, "H\x00i", "\"H\"");
    BLOB(0x89, "H", "\"\"");
    set_up(&o, 0x88, 0);
    add_blob(&o, "abc", 4);
    tk_ut_event_value(&o.ev, 0, &c);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_int_eq(memcmp(c.v.p, "abc", 4), 0);
    tear_down(&o);
}
END_TEST

/* The string bit without the array bit: a string all the same (wire 3.9), in the fixed part or in blobs. */
START_TEST(bare_string_bit)
{
    struct one o;
    BLOB(0x08, "abc", "\"abc\"");
    BLOB(0x09, "a\x00", "\"a\"");
    set_up(&o, 0x08, 3);
    set_fixed(&o, "xyz", 3);
    ck_assert_str_eq(reported(&o), "\"xyz\"");
    tear_down(&o);
}
END_TEST

/* Ids and references are unsigned numbers whatever else their info says. */
START_TEST(references)
{
    struct one o;
    set_up(&o, 0x02, 4);
    o.field.family = TK_UT_REFERENCE;
    set_fixed(&o, "\xFF\xFF\xFF\xFF", 4);
    ck_assert_str_eq(reported(&o), "4294967295");
    o.field.family = TK_UT_DEFINITION_ID;
    ck_assert_str_eq(reported(&o), "4294967295");
    tear_down(&o);
}
END_TEST

/* ---- interned texts ---- */

static void check_interned(struct one *o, const char *p, size_t n, unsigned width, const char *expected,
                           uint8_t enc)
{
    const struct tk_str *s = tk_ut_text(&o->strings, (const uint8_t *)p, n, width);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(s->n, strlen(expected));
    ck_assert_int_eq(memcmp(s->p, expected, s->n), 0);
    ck_assert_uint_eq(s->enc, enc);
}

START_TEST(interned)
{
    struct one o;
    set_up(&o, 0, 1);
    check_interned(&o, "abc\0\0", 5, 1, "abc", TK_ENC_UTF8);
    check_interned(&o, "a\0b\0\0\0", 6, 2, "ab", TK_ENC_UTF8);
    check_interned(&o, "a\0b\0\0", 5, 2, "ab", TK_ENC_UTF8);
    check_interned(&o, "a\0\0\0b\0\0\0\0\0\0\0", 12, 4, "ab", TK_ENC_UTF8);
    check_interned(&o, "\x00\xF6\x01\x00", 4, 4, "\xF0\x9F\x98\x80", TK_ENC_UTF8);
    check_interned(&o, "\xE9", 1, 1, "\xE9", TK_ENC_BYTES);
    check_interned(&o, "\x3D\xD8", 2, 2, "\x3D\xD8", TK_ENC_UTF16);
    check_interned(&o, NULL, 0, 1, "", TK_ENC_UTF8);
    ck_assert_ptr_eq(tk_ut_text(&o.strings, (const uint8_t *)"a\0b\0", 4, 2),
                     tk_ut_text(&o.strings, (const uint8_t *)"ab", 2, 1));
    tear_down(&o);
}
END_TEST

/* The text of a field, or of the attachment where the field is not declared. */
START_TEST(text_or_attachment)
{
    struct one o;
    set_up(&o, 0x89, 0);
    add_blob(&o, "h\0i\0", 4);
    o.ev.attachment = (const uint8_t *)"name";
    o.ev.n_attachment = 5;
    const struct tk_str *s = tk_ut_event_text(&o.ev, &o.field, 1, &o.strings);
    ck_assert_uint_eq(s->n, 2);
    ck_assert_int_eq(memcmp(s->p, "hi", 2), 0);
    s = tk_ut_event_text(&o.ev, NULL, 1, &o.strings);
    ck_assert_uint_eq(s->n, 4);
    ck_assert_int_eq(memcmp(s->p, "name", 4), 0);
    const struct tk_ut_field *bound[] = {&o.field, NULL};
    o.ev.bound = bound;
    ck_assert(tk_ut_has(&o.ev, 0) && !tk_ut_has(&o.ev, 1));
    ck_assert_uint_eq(tk_ut_bytes(&o.ev, 0).n, 4);
    ck_assert_uint_eq(tk_ut_bytes(&o.ev, 1).n, 5);
    tear_down(&o);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {scalars,    widening,     sizes_and_types,   unreadable, arrays,
                                  pieces,     narrow_texts, wide_texts,        text_ends,  bare_string_bit,
                                  references, interned,     text_or_attachment};
    return RUN_TESTS("utrace event", tests);
}
