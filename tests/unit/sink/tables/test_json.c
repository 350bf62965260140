/* Tests of JSON and NDJSON: every kind of cell, escapes, documents of several tables. */
#include "sink/written.h"

/* The value of a cell in NDJSON, which is {"v":VALUE}. */
static const char *json_in(struct tk_cell cell, enum tk_unit unit)
{
    static char value[4096];
    const char *line = written_cell("ndjson", cell, unit);
    ck_assert_int_eq(strncmp(line, "{\"v\":", 5), 0);
    snprintf(value, sizeof value, "%s", line + 5);
    ck_assert_int_eq(value[strlen(value) - 1], '}');
    value[strlen(value) - 1] = 0;
    return value;
}

static const char *json(struct tk_cell cell)
{
    return json_in(cell, TK_UNIT_NS);
}

START_TEST(numbers)
{
    ck_assert_str_eq(json(nothing()), "null");
    ck_assert_str_eq(json(natural(TK_BOOL, 1)), "true");
    ck_assert_str_eq(json(natural(TK_BOOL, 0)), "false");
    ck_assert_str_eq(json(integer(TK_INT, INT64_MIN)), "-9223372036854775808");
    ck_assert_str_eq(json(natural(TK_UINT, UINT64_MAX)), "18446744073709551615");
    ck_assert_str_eq(json(natural(TK_SIZE, 4096)), "4096");
    ck_assert_str_eq(json(natural(TK_HEX, 0xABC)), "\"0xabc\"");
    ck_assert_str_eq(json(real(TK_REAL, -0.25)), "-0.25");
    ck_assert_str_eq(json(real(TK_REAL, 5e-324)), "5e-324");
    ck_assert_str_eq(json(real(TK_REAL32, (double)3.4e38f)), "3.4e+38");
    ck_assert_str_eq(json(real(TK_REAL, NAN)), "\"NaN\"");
    ck_assert_str_eq(json(real(TK_REAL32, INFINITY)), "\"Infinity\"");
    ck_assert_str_eq(json(real(TK_MEAN, -INFINITY)), "\"-Infinity\"");
}
END_TEST

START_TEST(times)
{
    ck_assert_str_eq(json(integer(TK_TIME, -5)), "-5");
    ck_assert_str_eq(json_in(integer(TK_DURATION, 1234567890), TK_UNIT_CYCLES), "1234567890");
    ck_assert_str_eq(json_in(integer(TK_DURATION, 1234567890), TK_UNIT_MS), "1234.567890");
    ck_assert_str_eq(json_in(integer(TK_TIME, -1), TK_UNIT_S), "-0.000000001");
    ck_assert_str_eq(json_in(real(TK_MEAN, 2500), TK_UNIT_US), "2.5");
}
END_TEST

START_TEST(texts)
{
    ck_assert_str_eq(json(text("")), "\"\"");
    ck_assert_str_eq(json(text("a\"b\\c/d")), "\"a\\\"b\\\\c/d\"");
    ck_assert_str_eq(json(text("\b\f\n\r\t\x01\x1f\x7f")), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    ck_assert_str_eq(json(text_of("a\0b", 3, TK_ENC_UTF8)), "\"a\\u0000b\"");
    ck_assert_str_eq(json(text("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80")),
                     "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    ck_assert_str_eq(json(text_of("a\xFF", 2, TK_ENC_BYTES)), "{\"bytes\":\"61ff\"}");
    ck_assert_str_eq(json(text_of("\x3D\xD8", 2, TK_ENC_UTF16)), "{\"bytes\":\"3dd8\"}");
    /* What calls itself UTF-8 is looked at all the same. */
    ck_assert_str_eq(json(text_of("\xC0\xAF", 2, TK_ENC_UTF8)), "{\"bytes\":\"c0af\"}");
    ck_assert_str_eq(json(text_of("\xED\xA0\x80", 3, TK_ENC_UTF8)), "{\"bytes\":\"eda080\"}");
    ck_assert_str_eq(json((struct tk_cell){.kind = TK_BYTES, .n = 2, .v.p = "hi"}), "{\"bytes\":\"6869\"}");
    ck_assert_str_eq(json((struct tk_cell){.kind = TK_BYTES}), "{\"bytes\":\"\"}");
}
END_TEST

START_TEST(composite_values)
{
    static const uint8_t packed[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t single[] = {0, 0, 0x80, 0x7F, 0, 0, 0x20, 0x40};
    static const struct tk_str names[] = {{"A", 1, 0}, {"B\"", 2, 0}, {"\xFF", 1, TK_ENC_BYTES}, {"A", 1, 0}};
    struct tk_record rec;
    struct tk_record_type type;
    const struct tk_cell list[] = {text("x"), nothing(), natural(TK_BOOL, 1)};
    const struct tk_cell values[] = {
        integer(TK_INT, 1), nothing(), {.kind = TK_LIST, .n = 3, .v.p = list}, text("")};
    struct tk_cell u64 = {.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = 1, .v.p = packed};
    struct tk_cell f32 = {.kind = TK_ARRAY, .elem = TK_REAL32, .width = 4, .n = 2, .v.p = single};
    ck_assert_str_eq(json(u64), "[18446744073709551615]");
    u64.n = 0;
    ck_assert_str_eq(json(u64), "[]");
    ck_assert_str_eq(json(f32), "[\"Infinity\",2.5]");
    /* A name twice: keys are unique all the same. */
    ck_assert_str_eq(json(record_of(&rec, &type, names, 4, values)),
                     "{\"A\":1,\"B\\\"\":null,\"\xEF\xBF\xBD\":[\"x\",null,true],\"A#2\":\"\"}");
    ck_assert_str_eq(json(record_of(&rec, &type, names, 0, values)), "{}");
}
END_TEST

static const struct tk_column columns[] = {{"na\"me", TK_TEXT, 0, NULL, NULL}, {"n", TK_UINT, 0, NULL, NULL}};
static const struct tk_table list_table = {.name = "list", .columns = columns, .n_columns = 2};
static const struct tk_table single_table = {
    .name = "one", .columns = columns, .n_columns = 2, .flags = TK_TABLE_SINGLE};
static const struct tk_column record_column[] = {{"session", TK_RECORD, 0, NULL, NULL}};
static const struct tk_table record_table = {
    .name = "session", .columns = record_column, .n_columns = 1, .flags = TK_TABLE_SINGLE};

static void write_three(struct writing *w)
{
    static const struct tk_str names[] = {{"Platform", 8, 0}};
    struct tk_record rec;
    struct tk_record_type type;
    const struct tk_cell platform[] = {text("Linux")};
    const struct tk_cell cells[] = {text("a"), natural(TK_UINT, 1), text("b"), nothing()};
    struct tk_cell record = record_of(&rec, &type, names, 1, platform);
    writing_table(w, &list_table, cells, 2);
    writing_table(w, &single_table, cells, 1);
    writing_table(w, &record_table, &record, 1);
    writing_table(w, &list_table, NULL, 0);
}

/* Programs of continuous integration look for commands in all that a step writes. */
START_TEST(commands_are_broken)
{
    static const char *const pairs[][2] = {{"##vso[task.x]a", "\"\\u0023#vso[task.x]a\""},
                                           {"a ##[error]", "\"a \\u0023#[error]\""},
                                           {"###[x]", "\"#\\u0023#[x]\""},
                                           {"##teamcity[x]", "\"\\u0023#teamcity[x]\""},
                                           {"# ## ##v ##teamcity #[", "\"# ## ##v ##teamcity #[\""},
                                           {"##", "\"##\""}};
    const struct tk_table *table = one_column(TK_TEXT, TK_UNIT_NS);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char want[80];
        const struct tk_cell cell = text(pairs[i][0]);
        snprintf(want, sizeof want, "{\"v\":%s}\n", pairs[i][1]);
        ck_assert_str_eq(written("ndjson", NULL, table, &cell, 1), want);
        snprintf(want, sizeof want, "{\n\"t\":[\n{\"v\":%s}]\n}\n", pairs[i][1]);
        ck_assert_str_eq(written("json", NULL, table, &cell, 1), want);
    }
}
END_TEST

START_TEST(documents)
{
    struct writing w = writing_begin("json", NULL);
    write_three(&w);
    ck_assert_str_eq(writing_end(&w), "{\n"
                                      "\"list\":[\n"
                                      "{\"na\\\"me\":\"a\",\"n\":1},\n"
                                      "{\"na\\\"me\":\"b\",\"n\":null}],\n"
                                      "\"one\":{\"na\\\"me\":\"a\",\"n\":1},\n"
                                      "\"session\":{\"Platform\":\"Linux\"},\n"
                                      "\"list\":[]\n"
                                      "}\n");
    w = writing_begin("json", NULL);
    ck_assert_str_eq(writing_end(&w), "{}\n");
}
END_TEST

START_TEST(rows_of_a_list_come_in_batches)
{
    struct writing w = writing_begin("json", NULL);
    const struct tk_cell cells[] = {text("a"), natural(TK_UINT, 1)};
    struct tk_rows rows = {.n = 1, .cells = cells};
    w.sink.begin(w.sink.self, &list_table, NULL);
    w.sink.rows(w.sink.self, &list_table, &rows, NULL);
    w.sink.rows(w.sink.self, &list_table, &rows, NULL);
    w.sink.end(w.sink.self, &list_table, NULL);
    ck_assert_str_eq(writing_end(&w),
                     "{\n\"list\":[\n{\"na\\\"me\":\"a\",\"n\":1},\n{\"na\\\"me\":\"a\",\"n\":1}]\n}\n");
}
END_TEST

START_TEST(a_single_table_has_one_row)
{
    struct writing w = writing_begin("json", NULL);
    struct tk_err err = {0};
    const struct tk_cell cells[] = {text("a"), natural(TK_UINT, 1), text("b"), nothing()};
    struct tk_rows rows = {.n = 2, .cells = cells};
    w.sink.begin(w.sink.self, &single_table, &err);
    ck_assert_int_eq(w.sink.rows(w.sink.self, &single_table, &rows, &err), TK_EUSAGE);
    tk_writer_free(w.writer);
    tk_output_discard(w.out);
}
END_TEST

START_TEST(lines)
{
    struct writing w = writing_begin("ndjson", NULL);
    write_three(&w);
    ck_assert_str_eq(writing_end(&w), "{\"na\\\"me\":\"a\",\"n\":1}\n"
                                      "{\"na\\\"me\":\"b\",\"n\":null}\n"
                                      "{\"na\\\"me\":\"a\",\"n\":1}\n"
                                      "{\"Platform\":\"Linux\"}\n");
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    opt.tagged = true;
    w = writing_begin("ndjson", &opt);
    write_three(&w);
    ck_assert_str_eq(writing_end(&w), "{\"table\":\"list\",\"na\\\"me\":\"a\",\"n\":1}\n"
                                      "{\"table\":\"list\",\"na\\\"me\":\"b\",\"n\":null}\n"
                                      "{\"table\":\"one\",\"na\\\"me\":\"a\",\"n\":1}\n"
                                      "{\"table\":\"session\",\"Platform\":\"Linux\"}\n");
}
END_TEST

/* 32 levels are written, 33 are not. */
START_TEST(nesting_has_a_limit)
{
    struct tk_cell nest[34];
    struct tk_err err = {0};
    nest[0] = natural(TK_UINT, 1);
    for (size_t i = 1; i < COUNT(nest); i++)
        nest[i] = (struct tk_cell){.kind = TK_LIST, .n = 1, .v.p = &nest[i - 1]};
    ck_assert_str_eq(json(nest[32]), "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    const char *const formats[] = {"ndjson", "json", "csv", "table", "markdown", "text"};
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct writing w = writing_begin(formats[i], NULL);
        struct tk_rows rows = {.n = 1, .cells = &nest[33]};
        struct tk_table *table = one_column(TK_LIST, TK_UNIT_NS);
        w.sink.begin(w.sink.self, table, &err);
        int rc = w.sink.rows(w.sink.self, table, &rows, &err);
        if (rc == TK_OK)
            rc = w.sink.end(w.sink.self, table, &err);
        ck_assert_msg(rc == TK_ELIMIT, "%s: %d", formats[i], rc);
        tk_writer_free(w.writer);
        tk_output_discard(w.out);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {commands_are_broken,
                                  numbers,
                                  times,
                                  texts,
                                  composite_values,
                                  documents,
                                  rows_of_a_list_come_in_batches,
                                  a_single_table_has_one_row,
                                  lines,
                                  nesting_has_a_limit};
    return RUN_TESTS("json", tests);
}
