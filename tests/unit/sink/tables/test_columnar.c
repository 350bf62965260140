/* Parquet and Arrow as formats of tables: what they refuse, and numbers that a type cannot hold. The
 * bytes are read by tests/columns. */
#include "sink/written.h"

static const struct tk_column columns[] = {
    {.name = "count", .kind = TK_UINT, .help = "A count."},
    {.name = "at", .kind = TK_INT, .help = "A place."},
};
static const struct tk_table table = {.name = "made", .columns = columns, .n_columns = 2};

static size_t length;

static bool has(const char *bytes, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= length; i++)
        if (memcmp(bytes + i, text, strlen(text)) == 0)
            return true;
    return false;
}

/* The bytes of a file of one row or two. */
static const char *file_of(const char *format, const struct tk_cell *cells, size_t rows)
{
    struct writing w = writing_begin(format, NULL);
    writing_table(&w, &table, cells, rows);
    ck_assert_int_eq(tk_writer_finish(w.writer, NULL), TK_OK);
    tk_writer_free(w.writer);
    ck_assert_int_eq(tk_output_commit(w.out, NULL), TK_OK);
    static char bytes[1 << 16];
    FILE *f = fopen(scratch_path(), "rb");
    ck_assert_ptr_nonnull(f);
    length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    remove(scratch_path());
    return bytes;
}

START_TEST(both_ends)
{
    const struct tk_cell cells[] = {{.kind = TK_UINT, .v.u = 1}, {.kind = TK_INT, .v.i = -1}};
    const char *bytes = file_of("parquet", cells, 1);
    ck_assert_mem_eq(bytes, "PAR1", 4);
    ck_assert_mem_eq(bytes + length - 4, "PAR1", 4);
    ck_assert(!has(bytes, "tracekit.lost"));
    bytes = file_of("arrow", cells, 1);
    ck_assert_mem_eq(bytes, "ARROW1\0\0", 8);
    ck_assert_mem_eq(bytes + length - 6, "ARROW1", 6);
    bytes = file_of("arrows", cells, 0);
    ck_assert_mem_eq(bytes, "\xff\xff\xff\xff", 4);
    ck_assert_mem_eq(bytes + length - 8, "\xff\xff\xff\xff\0\0\0\0", 8);
}
END_TEST

/* A column has a sign or all 64 bits; the first cell that needs one of both decides. */
START_TEST(beyond_both_ends)
{
    const struct tk_cell cells[] = {{.kind = TK_UINT, .v.u = UINT64_MAX},
                                    {.kind = TK_INT, .v.i = -1},
                                    {.kind = TK_INT, .v.i = -1},
                                    {.kind = TK_UINT, .v.u = UINT64_MAX}};
    ck_assert(has(file_of("parquet", cells, 2), "{\"count\":1,\"at\":1}"));
    ck_assert(!has(file_of("parquet", cells, 1), "tracekit.lost"));
}
END_TEST

static void note_lost(void *ctx, const char *of, const char *column, uint64_t values)
{
    char *text = ctx;
    const size_t n = strlen(text);
    snprintf(text + n, 80 - n, "%s.%s %llu;", of, column, (unsigned long long)values);
}

/* Whoever writes hears which columns lost what, of Arrow by the declared types. */
START_TEST(losses_are_reported)
{
    const struct tk_cell cells[] = {natural(TK_UINT, UINT64_MAX), integer(TK_INT, -1), integer(TK_INT, -1),
                                    natural(TK_UINT, UINT64_MAX)};
    static const char *const wanted[][2] = {{"csv", ""},
                                            {"arrow", "made.count 1;made.at 1;"},
                                            {"arrows", "made.count 1;made.at 1;"},
                                            {"parquet", "made.count 1;made.at 1;"}};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        char text[80] = "";
        struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
        opt.lost = note_lost;
        opt.ctx = text;
        written(wanted[i][0], &opt, &table, cells, 2);
        ck_assert_str_eq(text, wanted[i][1]);
    }
}
END_TEST

static int begin_status(const char *format, const struct tk_writer_options *opt, const struct tk_table *first,
                        struct tk_err *err)
{
    struct tk_output *out;
    struct tk_writer *writer;
    ck_assert_int_eq(tk_output_open(&out, scratch_path(), true, NULL), TK_OK);
    int rc = tk_writer_new(&writer, format, out, opt, err);
    for (int i = 0; i < 2 && rc == TK_OK; i++) {
        const struct tk_sink sink = tk_writer_sink(writer);
        rc = sink.begin(sink.self, first, err);
        if (rc == TK_OK)
            rc = sink.end(sink.self, first, err);
    }
    tk_writer_free(writer);
    tk_output_discard(out);
    return rc;
}

START_TEST(refused)
{
    static const char *const formats[] = {"parquet", "arrow", "arrows"};
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    struct tk_table in_ms = table;
    in_ms.unit = TK_UNIT_MS;
    opt.compress = "lzma";
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct tk_err err = {0};
        ck_assert_int_eq(begin_status(formats[i], NULL, &table, &err), TK_EUSAGE); /* the second one */
        ck_assert_ptr_nonnull(strstr(err.text[0], "holds one table"));
        err = (struct tk_err){0};
        ck_assert_int_eq(begin_status(formats[i], NULL, &in_ms, &err), TK_EUSAGE);
        ck_assert_ptr_nonnull(strstr(err.text[0], "in ns or in cycles"));
        err = (struct tk_err){0};
        ck_assert_int_eq(begin_status(formats[i], &opt, &table, &err), TK_EUSAGE);
        ck_assert_ptr_nonnull(strstr(err.text[0], "'lzma'"));
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {both_ends, beyond_both_ends, losses_are_reported, refused};
    return RUN_TESTS("columnar", tests);
}
