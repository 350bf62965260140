/* Tests of rows that are made apart from their writer: they stand where they are put, among those that are
 * not. */
#include "sink/tables/writer.h"
#include "sink/written.h"

static const struct tk_column columns[] = {{"name", TK_TEXT, 0, NULL, NULL},
                                           {"count", TK_UINT, 0, NULL, NULL}};
static const struct tk_table two = {.name = "two", .columns = columns, .n_columns = 2};

static struct tk_cell text_cell(const char *s)
{
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s};
}

static struct tk_cell count_cell(uint64_t n)
{
    return (struct tk_cell){.kind = TK_UINT, .v.u = n};
}

/* The first row is written, the next two are made last first, the last one is written. */
static const char *mixed(const char *format, bool tagged)
{
    const struct tk_cell cells[] = {text_cell("a"),    count_cell(1), text_cell("b,\"c"), count_cell(2),
                                    text_cell("\xff"), count_cell(3), text_cell("d"),     count_cell(4)};
    struct tk_writer_options look = TK_INIT(struct tk_writer_options);
    struct tk_made_rows made[2];
    look.tagged = tagged;
    struct writing w = writing_begin(format, &look);
    ck_assert_int_eq(w.sink.begin(w.sink.self, &two, NULL), TK_OK);
    ck_assert_int_eq(w.sink.rows(w.sink.self, &two, &(struct tk_rows){.n = 1, .cells = cells}, NULL), TK_OK);
    for (unsigned i = 2; i-- > 0;) {
        ck_assert_int_eq(tk_made_rows_init(&made[i], NULL), TK_OK);
        for (unsigned again = 0; again < 2; again++) /* in place of those that it had */
            tk_made_rows_make(&made[i], w.writer, &two,
                              &(struct tk_rows){.n = 1, .cells = cells + 2 + 2 * i});
    }
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(tk_made_rows_put(&made[i], w.writer, NULL), TK_OK);
        tk_made_rows_release(&made[i]);
    }
    ck_assert_int_eq(w.sink.rows(w.sink.self, &two, &(struct tk_rows){.n = 1, .cells = cells + 6}, NULL),
                     TK_OK);
    ck_assert_int_eq(w.sink.end(w.sink.self, &two, NULL), TK_OK);
    return writing_end(&w);
}

START_TEST(rows_stand_where_they_are_put)
{
    ck_assert_str_eq(mixed("csv", false), "name,count\na,1\n\"b,\"\"c\",2\n\xEF\xBF\xBD,3\nd,4\n");
    ck_assert_str_eq(mixed("tsv", false), "name\tcount\na\t1\n\"b,\"\"c\"\t2\n\xEF\xBF\xBD\t3\nd\t4\n");
    ck_assert_str_eq(mixed("ndjson", true), "{\"table\":\"two\",\"name\":\"a\",\"count\":1}\n"
                                            "{\"table\":\"two\",\"name\":\"b,\\\"c\",\"count\":2}\n"
                                            "{\"table\":\"two\",\"name\":{\"bytes\":\"ff\"},\"count\":3}\n"
                                            "{\"table\":\"two\",\"name\":\"d\",\"count\":4}\n");
}
END_TEST

START_TEST(formats_whose_rows_depend_on_others_are_not_made_apart)
{
    static const char *const apart[] = {"csv", "tsv", "ndjson"}, *const whole[] = {"json", "markdown",
                                                                                   "parquet"};
    for (size_t i = 0; i < COUNT(apart); i++)
        ck_assert(tk_format_makes_apart(apart[i]));
    for (size_t i = 0; i < COUNT(whole); i++)
        ck_assert(!tk_format_makes_apart(whole[i]));
    ck_assert(!tk_format_makes_apart("nothing"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_stand_where_they_are_put,
                                  formats_whose_rows_depend_on_others_are_not_made_apart};
    return RUN_TESTS("made_rows", tests);
}
