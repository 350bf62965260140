/* Cells as people see them. */
#include "sink/write/human.h"
#include "sink/written.h"

static const char *made(struct tk_buffer *b)
{
    static char text_made[256];
    snprintf(text_made, sizeof text_made, "%.*s", (int)b->n, b->p);
    b->n = 0;
    return text_made;
}

static const char *span(int64_t ns)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_span(&b, ns);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *size(uint64_t bytes)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_size(&b, bytes);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *number(double v)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_real(&b, v);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

static const char *cell(struct tk_cell c, enum tk_unit unit, bool exact)
{
    struct tk_buffer b;
    struct tk_human human = {.unit = unit, .exact = exact};
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    tk_human_cell(&b, &c, &human);
    const char *s = made(&b);
    tk_buffer_release(&b);
    return s;
}

START_TEST(spans)
{
    ck_assert_str_eq(span(0), "0 ns");
    ck_assert_str_eq(span(999), "999 ns");
    ck_assert_str_eq(span(-999), "-999 ns");
    ck_assert_str_eq(span(1000), "1.000 us");
    ck_assert_str_eq(span(1234), "1.234 us");
    ck_assert_str_eq(span(12344), "12.34 us");
    ck_assert_str_eq(span(12345), "12.35 us");
    ck_assert_str_eq(span(9999), "9.999 us");
    ck_assert_str_eq(span(99994), "99.99 us");
    ck_assert_str_eq(span(99995), "100.0 us");
    ck_assert_str_eq(span(999949), "999.9 us");
    ck_assert_str_eq(span(999950), "1.000 ms");
    ck_assert_str_eq(span(-16666667), "-16.67 ms");
    ck_assert_str_eq(span(999949999), "999.9 ms");
    ck_assert_str_eq(span(1000000000), "1.000 s");
    ck_assert_str_eq(span(61500000000), "61.50 s");
    ck_assert_str_eq(span(1234499999999), "1234 s");
    ck_assert_str_eq(span(1234500000000), "1235 s");
    ck_assert_str_eq(span(999950000000), "1000 s");
    ck_assert_str_eq(span(INT64_MAX), "9223372037 s");
    ck_assert_str_eq(span(INT64_MIN), "-9223372037 s");
}
END_TEST

START_TEST(sizes)
{
    ck_assert_str_eq(size(0), "0 B");
    ck_assert_str_eq(size(1023), "1023 B");
    ck_assert_str_eq(size(1024), "1.00 KiB");
    ck_assert_str_eq(size(1536), "1.50 KiB");
    ck_assert_str_eq(size(12 * 1024 + 300), "12.3 KiB");
    ck_assert_str_eq(size(1023 * 1024), "1023 KiB");
    ck_assert_str_eq(size(1024 * 1024 - 1), "1.00 MiB");
    ck_assert_str_eq(size(UINT64_C(3) << 30), "3.00 GiB");
    ck_assert_str_eq(size(UINT64_MAX), "16777216 TiB");
}
END_TEST

START_TEST(reals)
{
    ck_assert_str_eq(number(0), "0");
    ck_assert_str_eq(number(0.5), "0.5");
    ck_assert_str_eq(number(1.0 / 3), "0.333333");
    ck_assert_str_eq(number(-2.0 / 3), "-0.666667");
    ck_assert_str_eq(number(0.00123456789), "0.00123457");
    ck_assert_str_eq(number(1234.56789), "1234.57");
    ck_assert_str_eq(number(1234567.89), "1234568");
    ck_assert_str_eq(number(99.99999999), "100");
    ck_assert_str_eq(number(1e20), "1e+20");
    ck_assert_str_eq(number(1e-7), "1e-07");
    ck_assert_str_eq(number(NAN), "NaN");
    ck_assert_str_eq(number(-INFINITY), "-Infinity");
}
END_TEST

START_TEST(cells_of_all_kinds)
{
    ck_assert_str_eq(cell(integer(TK_DURATION, 1500), TK_UNIT_NS, false), "1.500 us");
    ck_assert_str_eq(cell(integer(TK_DURATION, 1500), TK_UNIT_NS, true), "1500");
    ck_assert_str_eq(cell(integer(TK_DURATION, 1500), TK_UNIT_CYCLES, false), "1500");
    ck_assert_str_eq(cell(integer(TK_DURATION, 1500), TK_UNIT_MS, false), "0.001500");
    ck_assert_str_eq(cell(integer(TK_TIME, 12345678900), TK_UNIT_NS, false), "12.345679 s");
    ck_assert_str_eq(cell(integer(TK_TIME, -500), TK_UNIT_NS, false), "0.000000 s");
    ck_assert_str_eq(cell(integer(TK_TIME, -1500000), TK_UNIT_NS, false), "-0.001500 s");
    ck_assert_str_eq(cell(integer(TK_TIME, 12345678900), TK_UNIT_NS, true), "12345678900");
    ck_assert_str_eq(cell(real(TK_MEAN, 12.3456), TK_UNIT_NS, false), "12.35 ns");
    ck_assert_str_eq(cell(real(TK_MEAN, 0.5), TK_UNIT_NS, false), "0.5 ns");
    ck_assert_str_eq(cell(real(TK_MEAN, 999.96), TK_UNIT_NS, false), "1.000 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_NS, false), "1.235 ms");
    ck_assert_str_eq(cell(real(TK_MEAN, 30384.6), TK_UNIT_NS, false), "30.38 us"); /* not by way of 30385 */
    ck_assert_str_eq(cell(real(TK_MEAN, 9999.4), TK_UNIT_NS, false), "9.999 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 9999.5), TK_UNIT_NS, false), "10.00 us");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_NS, true), "1234567.5");
    ck_assert_str_eq(cell(real(TK_MEAN, 1234567.5), TK_UNIT_MS, false), "1.234568");
    ck_assert_str_eq(cell(real(TK_MEAN, 1.0 / 3), TK_UNIT_CYCLES, false), "0.333333");
    ck_assert_str_eq(cell(real(TK_MEAN, NAN), TK_UNIT_NS, false), "NaN");
    ck_assert_str_eq(cell(natural(TK_SIZE, 2048), TK_UNIT_NS, false), "2.00 KiB");
    ck_assert_str_eq(cell(natural(TK_SIZE, 2048), TK_UNIT_NS, true), "2048");
    ck_assert_str_eq(cell(natural(TK_UINT, 1234567), TK_UNIT_NS, false), "1234567");
    ck_assert_str_eq(cell(natural(TK_HEX, 255), TK_UNIT_NS, false), "0xff");
    ck_assert_str_eq(cell(nothing(), TK_UNIT_NS, false), "");
}
END_TEST

static const char *bytes_cell(struct tk_cell c, bool exact)
{
    static const struct tk_column growth = {"growth", TK_INT, 0, "bytes", "by how much it grew"};
    static char text[64];
    struct tk_buffer b = {0};
    struct tk_human h = {.unit = TK_UNIT_NS, .exact = exact};
    tk_human_column(&h, &growth);
    tk_human_cell(&b, &c, &h);
    snprintf(text, sizeof text, "%.*s", (int)b.n, (const char *)b.p);
    tk_buffer_release(&b);
    return text;
}

START_TEST(bytes_with_a_sign)
{
    ck_assert_str_eq(bytes_cell(integer(TK_INT, 2048), false), "2.00 KiB");
    ck_assert_str_eq(bytes_cell(integer(TK_INT, -3 * 1024 * 1024), false), "-3.00 MiB");
    ck_assert_str_eq(bytes_cell(integer(TK_INT, INT64_MIN), false), "-8388608 TiB");
    ck_assert_str_eq(bytes_cell(integer(TK_INT, -2048), true), "-2048");
    ck_assert_str_eq(bytes_cell(real(TK_REAL, -1536.4), false), "-1.50 KiB");
    ck_assert_str_eq(bytes_cell(real(TK_REAL, NAN), false), "NaN");
    ck_assert_str_eq(bytes_cell(real(TK_REAL, INFINITY), false), "Infinity");
    ck_assert_str_eq(bytes_cell(natural(TK_UINT, 2048), false), "2048"); /* such as an offset */
}
END_TEST

/* Nothing of a name steers the terminal: controls, C1 controls, reordering, byte order marks. */
START_TEST(names_are_harmless)
{
    ck_assert_str_eq(cell(text("a\nb\tc\rd\x1b[2Je\x7f"), TK_UNIT_NS, false), "a␊b␉c␍d\\x1b[2Je\\x7f");
    ck_assert_str_eq(cell(text("x\xC2\x9By\xE2\x80\xAEz\xEF\xBB\xBF"), TK_UNIT_NS, false),
                     "x\\u009by\\u202ez\\ufeff");
    ck_assert_str_eq(cell(text("C:\\dir \"q\""), TK_UNIT_NS, false), "C:\\dir \"q\"");
    ck_assert_str_eq(cell(text_of("a\xFF", 2, TK_ENC_BYTES), TK_UNIT_NS, false), "a\xEF\xBF\xBD");
    ck_assert_str_eq(cell(text_of("a\0\n\0\x00\xD8", 6, TK_ENC_UTF16), TK_UNIT_NS, false), "a␊\xEF\xBF\xBD");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        spans, sizes, reals, cells_of_all_kinds, bytes_with_a_sign, names_are_harmless};
    return RUN_TESTS("human", tests);
}
