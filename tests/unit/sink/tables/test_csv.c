/* Tests of CSV and TSV: every kind of cell, quoting, options, texts that are no Unicode. */
#include "sink/written.h"

static const struct tk_column two_columns[] = {{"name", TK_TEXT, 0, NULL, NULL},
                                               {"count, all", TK_UINT, 0, NULL, NULL}};
static const struct tk_table two = {.name = "two", .columns = two_columns, .n_columns = 2};

static const char *csv(struct tk_cell cell)
{
    return written_cell("csv", cell, TK_UNIT_NS);
}

START_TEST(numbers)
{
    ck_assert_str_eq(csv(natural(TK_BOOL, 1)), "true");
    ck_assert_str_eq(csv(natural(TK_BOOL, 0)), "false");
    ck_assert_str_eq(csv(integer(TK_INT, INT64_MIN)), "-9223372036854775808");
    ck_assert_str_eq(csv(integer(TK_INT, INT64_MAX)), "9223372036854775807");
    ck_assert_str_eq(csv(natural(TK_UINT, UINT64_MAX)), "18446744073709551615");
    ck_assert_str_eq(csv(natural(TK_UINT, 0)), "0");
    ck_assert_str_eq(csv(natural(TK_SIZE, 1048576)), "1048576");
    ck_assert_str_eq(csv(natural(TK_HEX, 0)), "0x0");
    ck_assert_str_eq(csv(natural(TK_HEX, 0xDEADBEEF01)), "0xdeadbeef01");
    ck_assert_str_eq(csv(natural(TK_HEX, UINT64_MAX)), "0xffffffffffffffff");
    ck_assert_str_eq(csv(real(TK_REAL, 0.1)), "0.1");
    ck_assert_str_eq(csv(real(TK_REAL, 1e300)), "1e+300");
    /* what 0.1f is, also where the compiler reckons constants with more digits */
    ck_assert_str_eq(csv(real(TK_REAL32, 0x1.99999ap-4)), "0.1");
    ck_assert_str_eq(csv(real(TK_REAL, 0x1.99999ap-4)), "0.10000000149011612");
    ck_assert_str_eq(csv(real(TK_REAL, NAN)), "NaN");
    ck_assert_str_eq(csv(real(TK_REAL32, INFINITY)), "Infinity");
    ck_assert_str_eq(csv(real(TK_MEAN, -INFINITY)), "-Infinity");
}
END_TEST

START_TEST(every_length_of_integers)
{
    uint64_t v = 0;
    char wanted[32];
    for (unsigned digits = 1; digits <= 19; digits++) {
        v = v * 10 + digits % 10;
        snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)v);
        ck_assert_str_eq(csv(natural(TK_UINT, v)), wanted);
        snprintf(wanted, sizeof wanted, "-%llu", (unsigned long long)v);
        ck_assert_str_eq(csv(integer(TK_INT, -(int64_t)v)), wanted);
    }
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
        snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)power);
        ck_assert_str_eq(csv(natural(TK_UINT, power)), wanted);
        snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)power - 1);
        ck_assert_str_eq(csv(natural(TK_UINT, power - 1)), wanted);
    }
}
END_TEST

START_TEST(times)
{
    ck_assert_str_eq(csv(integer(TK_TIME, -5)), "-5");
    ck_assert_str_eq(csv(integer(TK_DURATION, 1234567890)), "1234567890");
    ck_assert_str_eq(written_cell("csv", integer(TK_DURATION, 1234567890), TK_UNIT_CYCLES), "1234567890");
    ck_assert_str_eq(written_cell("csv", integer(TK_DURATION, 1234567890), TK_UNIT_US), "1234567.890");
    ck_assert_str_eq(written_cell("csv", integer(TK_DURATION, 1234567890), TK_UNIT_MS), "1234.567890");
    ck_assert_str_eq(written_cell("csv", integer(TK_DURATION, 1234567890), TK_UNIT_S), "1.234567890");
    ck_assert_str_eq(written_cell("csv", integer(TK_TIME, 7), TK_UNIT_S), "0.000000007");
    ck_assert_str_eq(written_cell("csv", integer(TK_TIME, -7), TK_UNIT_US), "-0.007");
    ck_assert_str_eq(written_cell("csv", integer(TK_TIME, INT64_MIN), TK_UNIT_S), "-9223372036.854775808");
    ck_assert_str_eq(csv(real(TK_MEAN, 1500.25)), "1500.25");
    ck_assert_str_eq(written_cell("csv", real(TK_MEAN, 1500.25), TK_UNIT_CYCLES), "1500.25");
    ck_assert_str_eq(written_cell("csv", real(TK_MEAN, 1500), TK_UNIT_US), "1.5");
    ck_assert_str_eq(written_cell("csv", real(TK_MEAN, 1500), TK_UNIT_MS), "0.0015");
    ck_assert_str_eq(written_cell("csv", real(TK_MEAN, 1500), TK_UNIT_S), "1.5e-06");
    ck_assert_str_eq(written_cell("csv", real(TK_REAL, 1500), TK_UNIT_S), "1500");
}
END_TEST

START_TEST(quoting)
{
    ck_assert_str_eq(csv(text("plain name")), "plain name");
    ck_assert_str_eq(csv(text(" spaces ")), " spaces ");
    ck_assert_str_eq(csv(text("a,b")), "\"a,b\"");
    ck_assert_str_eq(csv(text("say \"hi\"")), "\"say \"\"hi\"\"\"");
    ck_assert_str_eq(csv(text("\"")), "\"\"\"\"");
    ck_assert_str_eq(csv(text("a\rb")), "\"a\rb\"");
    ck_assert_str_eq(csv(text("a\tb;c|d'e")), "a\tb;c|d'e");
    ck_assert_str_eq(csv(text("TMap<A\xE2\x82\xAC, B>")), "\"TMap<A\xE2\x82\xAC, B>\"");
    const struct tk_cell cells[] = {text("a\nb"), natural(TK_UINT, 1)};
    ck_assert_str_eq(written("csv", NULL, &two, cells, 1), "name,\"count, all\"\n\"a\nb\",1\n");
}
END_TEST

START_TEST(tabs_are_the_separator_of_tsv)
{
    ck_assert_str_eq(written_cell("tsv", text("a,b"), TK_UNIT_NS), "a,b");
    ck_assert_str_eq(written_cell("tsv", text("a\tb"), TK_UNIT_NS), "\"a\tb\"");
    const struct tk_cell cells[] = {text("x"), natural(TK_UINT, 1), nothing(), nothing()};
    ck_assert_str_eq(written("tsv", NULL, &two, cells, 2), "name\tcount, all\nx\t1\n\t\n");
}
END_TEST

START_TEST(empty_fields)
{
    const struct tk_cell cells[] = {nothing(), natural(TK_UINT, 1), text(""), nothing()};
    ck_assert_str_eq(written("csv", NULL, &two, cells, 2), "name,\"count, all\"\n,1\n,\n");
    ck_assert_str_eq(csv(nothing()), "\"\"");
    ck_assert_str_eq(csv(text("")), "\"\"");
}
END_TEST

/* One U+FFFD (EF BF BD) per invalid byte or UTF-16 unit. */
START_TEST(text_that_is_not_unicode)
{
    ck_assert_str_eq(csv(text_of("a\xFF\xFE,", 4, TK_ENC_BYTES)), "\"a\xEF\xBF\xBD\xEF\xBF\xBD,\"");
    ck_assert_str_eq(csv(text_of("\xC3\xA4\xE4", 3, TK_ENC_BYTES)), "\xC3\xA4\xEF\xBF\xBD");
    ck_assert_str_eq(csv(text_of("a\x80", 2, TK_ENC_UTF8)), "a\xEF\xBF\xBD");
    /* "a", a lone high surrogate, a pair (U+1F600), a lone low surrogate, half a unit */
    static const char units[] = "a\0\x3D\xD8\x3D\xD8\x00\xDE\x00\xDC\x41";
    ck_assert_str_eq(csv(text_of(units, 11, TK_ENC_UTF16)),
                     "a\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD");
}
END_TEST

START_TEST(composite_values)
{
    static const uint8_t packed[] = {1, 0, 0xFF, 0xFF}, single[] = {0, 0, 0xC0, 0x7F, 0, 0, 0x20, 0x40};
    struct tk_record rec, inner_rec;
    struct tk_record_type type, inner_type;
    static const struct tk_str names[] = {{"Count", 5, 0}, {"Text", 4, 0}, {"None", 4, 0}, {"In", 2, 0}};
    static const struct tk_str inner_name[] = {{"X", 1, 0}};
    const struct tk_cell inner_values[] = {natural(TK_HEX, 16)};
    const struct tk_cell values[] = {natural(TK_UINT, 5), text("a \"b\"\\\n\x1b"), nothing(),
                                     record_of(&inner_rec, &inner_type, inner_name, 1, inner_values)};
    const struct tk_cell list[] = {text("a"), integer(TK_INT, -1)};
    struct tk_cell i16 = {.kind = TK_ARRAY, .elem = TK_INT, .width = 2, .n = 2, .v.p = packed};
    struct tk_cell f32 = {.kind = TK_ARRAY, .elem = TK_REAL32, .width = 4, .n = 2, .v.p = single};
    ck_assert_str_eq(csv(i16), "\"[1,-1]\"");
    i16.n = 1;
    ck_assert_str_eq(csv(i16), "[1]");
    i16.n = 0;
    ck_assert_str_eq(csv(i16), "[]");
    ck_assert_str_eq(csv(f32), "\"[NaN,2.5]\"");
    ck_assert_str_eq(csv((struct tk_cell){.kind = TK_BYTES, .n = 3, .v.p = "\x00\x7F\xFF"}), "007fff");
    ck_assert_str_eq(csv((struct tk_cell){.kind = TK_LIST, .n = 2, .v.p = list}), "\"[\"\"a\"\",-1]\"");
    ck_assert_str_eq(csv(record_of(&rec, &type, names, 4, values)),
                     "\"Count=5 Text=\"\"a \\\"\"b\\\"\"\\\\\\n\\x1b\"\" None= In={X=0x10}\"");
    ck_assert_str_eq(csv(record_of(&rec, &type, names, 1, values)), "Count=5");
    ck_assert_str_eq(csv(record_of(&rec, &type, names, 0, values)), "");
}
END_TEST

START_TEST(several_tables)
{
    struct writing w = writing_begin("csv", NULL);
    const struct tk_cell cells[] = {text("a"), natural(TK_UINT, 1)};
    writing_table(&w, &two, cells, 1);
    writing_table(&w, &two, NULL, 0);
    ck_assert_str_eq(writing_end(&w), "name,\"count, all\"\na,1\n\nname,\"count, all\"\n");
}
END_TEST

START_TEST(options)
{
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    const struct tk_cell cells[] = {text("=1+1"), natural(TK_UINT, 1), text("-x,y"), integer(TK_INT, -1),
                                    text("@a"),   nothing(),           text("a=b"),  nothing()};
    opt.crlf = opt.bom = opt.guard = true;
    ck_assert_str_eq(written("csv", &opt, &two, cells, 4),
                     "\xEF\xBB\xBFname,\"count, all\"\r\n'=1+1,1\r\n\"'-x,y\",-1\r\n'@a,\r\na=b,\r\n");
    opt = TK_INIT(struct tk_writer_options);
    opt.no_header = true;
    ck_assert_str_eq(written("csv", &opt, &two, cells, 1), "=1+1,1\n");
}
END_TEST

/* What spreadsheets take for formulas begins with = + - @, a tab or a carriage return. */
START_TEST(formulas_are_guarded)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"=1", "'=1"},     {"+1", "'+1"},         {"-1", "'-1"},  {"@a", "'@a"},
                 {"\t=1", "'\t=1"}, {"\r=1", "\"'\r=1\""}, {"'=1", "'=1"}, {" =1", " =1"}};
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    opt.guard = opt.no_header = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[32];
        const struct tk_cell value = text(cases[i].text);
        snprintf(line, sizeof line, "%s\n", cases[i].field);
        ck_assert_str_eq(written("csv", &opt, one_column(TK_TEXT, TK_UNIT_NS), &value, 1), line);
    }
}
END_TEST

/* The guard goes by the first character, and into the quotes. 3D 01 is U+013D, which only has the byte of a
 * `=`. */
START_TEST(formulas_of_other_kinds_are_guarded)
{
    static const struct tk_str names[] = {{.p = "=a", .n = 2}, {.p = "b", .n = 1}};
    const struct tk_cell values[] = {integer(TK_INT, 1), text("x")};
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    struct tk_record_type type;
    struct tk_record record;
    const struct tk_cell cells[] = {record_of(&record, &type, names, 2, values),
                                    text_of("=\0"
                                            "1\0",
                                            4, TK_ENC_UTF16),
                                    text_of("\x3d\x01", 2, TK_ENC_UTF16)};
    static const char *const lines[] = {"\"'=a=1 b=\"\"x\"\"\"\n", "'=1\n", "\xc4\xbd\n"};
    opt.guard = opt.no_header = true;
    for (size_t i = 0; i < COUNT(cells); i++)
        ck_assert_str_eq(written("csv", &opt, one_column(cells[i].kind, TK_UNIT_NS), &cells[i], 1), lines[i]);
}
END_TEST

/* Far more than a buffer, with fields across its border and one that is larger than it. */
START_TEST(long_outputs)
{
    enum { N = 20000, LONG = 200000 };
    static struct tk_cell cells[2 * N];
    char *large = malloc(LONG);
    memset(large, 'x', LONG);
    for (size_t i = 0; i < N; i++) {
        cells[2 * i] = text("abcdefg,h");
        cells[2 * i + 1] = natural(TK_UINT, i);
    }
    cells[2 * 10000] = text_of(large, LONG, TK_ENC_UTF8);
    const char *p = written("csv", NULL, &two, cells, N);
    char line[64];
    p += strlen("name,\"count, all\"\n");
    for (size_t i = 0; i < N; i++) {
        if (i == 10000) {
            ck_assert_int_eq(memcmp(p, large, LONG), 0);
            p += LONG;
        }
        int n = snprintf(line, sizeof line, "%s,%zu\n", i == 10000 ? "" : "\"abcdefg,h\"", i);
        ck_assert_int_eq(strncmp(p, line, (size_t)n), 0);
        p += n;
    }
    ck_assert_str_eq(p, "");
    free(large);
}
END_TEST

START_TEST(formats_by_name)
{
    struct tk_writer *writer;
    struct tk_output *out;
    struct tk_err err = {0};
    const char *const *names = tk_writer_formats();
    ck_assert_int_eq(tk_output_open(&out, scratch_path(), true, NULL), TK_OK);
    for (; *names; names++) {
        ck_assert_int_eq(tk_writer_new(&writer, *names, out, NULL, NULL), TK_OK);
        tk_writer_free(writer);
    }
    ck_assert_int_eq(tk_writer_new(&writer, "cvs", out, NULL, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "there is no output format 'cvs'");
    ck_assert_ptr_null(writer);
    tk_writer_free(NULL);
    tk_output_discard(out);
}
END_TEST

START_TEST(failures_of_the_output_are_reported)
{
    struct writing w;
    struct tk_err err = {0};
    const struct tk_cell cells[] = {text("a"), natural(TK_UINT, 1)};
    struct tk_rows rows = {.n = 1, .cells = cells};
    ck_assert_int_eq(tk_output_open(&w.out, "/dev/full", true, NULL), TK_OK);
    ck_assert_int_eq(tk_writer_new(&w.writer, "csv", w.out, NULL, NULL), TK_OK);
    w.sink = tk_writer_sink(w.writer);
    int rc = w.sink.begin(w.sink.self, &two, &err);
    for (size_t i = 0; i < 1000000 && rc == TK_OK; i++)
        rc = w.sink.rows(w.sink.self, &two, &rows, &err);
    ck_assert_int_eq(rc, TK_EOUTPUT);
    ck_assert_uint_ge(err.n, 1);
    ck_assert_int_eq(tk_writer_finish(w.writer, &err), TK_EOUTPUT);
    tk_writer_free(w.writer);
    tk_output_discard(w.out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {numbers,
                                  every_length_of_integers,
                                  times,
                                  quoting,
                                  tabs_are_the_separator_of_tsv,
                                  empty_fields,
                                  text_that_is_not_unicode,
                                  composite_values,
                                  several_tables,
                                  options,
                                  formulas_are_guarded,
                                  formulas_of_other_kinds_are_guarded,
                                  long_outputs,
                                  formats_by_name,
                                  failures_of_the_output_are_reported};
    return RUN_TESTS("csv", tests);
}
