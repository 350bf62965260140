/* What tracekit.h says of all its functions: causes may be left out, what could not be made is NULL, NULL can
 * be freed, structs have a size, outputs and results keep their promises. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct tk_err err;
static char folder[] = "/tmp/tk-rules-XXXXXX", path[64], gone[64];

static const char *fixture(const char *name)
{
    static char text[1024];
    const char *fixtures = getenv("TK_FIXTURES");
    snprintf(text, sizeof text, "%s/%s", fixtures ? fixtures : "fixtures", name);
    return text;
}

static void begin(void)
{
    memset(&err, 0, sizeof err);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(gone, sizeof gone, "%s/none/out", folder);
}

static void end(void)
{
    remove(path);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else is left in it */
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void expect_text(const char *text)
{
    char found[64] = {0};
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_lt(fread(found, 1, sizeof found - 1, file), sizeof found);
    ck_assert_str_eq(found, text);
    fclose(file);
}

START_TEST(null_can_be_freed)
{
    tk_close(NULL);
    tk_cursor_close(NULL);
    tk_result_free(NULL);
    tk_output_discard(NULL);
    tk_writer_free(NULL);
}
END_TEST

/* A call fails with a status, with and without a place for causes, and *out was not NULL before. */
#define FAILS(type, out, status, call)                                                                       \
    for (int reported = 0; reported < 2; reported++) {                                                       \
        struct type *out = (struct type *)path;                                                              \
        struct tk_err *e = reported ? &err : NULL;                                                           \
        err.n = 0;                                                                                           \
        ck_assert_int_eq(call, status);                                                                      \
        ck_assert_ptr_null(out);                                                                             \
        ck_assert_int_eq(err.n > 0, reported);                                                               \
    }

START_TEST(what_failed_is_null)
{
    const char *const limits[] = {"none=1"};
    const struct tk_options wrong = {sizeof wrong, .limits = limits, .n_limits = 1}, unsized = {0};
    FAILS(tk_trace, t, TK_EIO, tk_open(&t, gone, NULL, e));
    FAILS(tk_trace, t, TK_EFORMAT, tk_open(&t, fixture("README.md"), NULL, e));
    FAILS(tk_trace, t, TK_EUSAGE, tk_open(&t, fixture("tiny.utrace"), &wrong, e));
    FAILS(tk_trace, t, TK_EUSAGE, tk_open(&t, fixture("tiny.utrace"), &unsized, e));
    FAILS(tk_output, o, TK_EOUTPUT, tk_output_open(&o, gone, false, e));
    struct tk_output *output = NULL;
    ck_assert_int_eq(tk_output_open(&output, path, true, &err), TK_OK);
    FAILS(tk_writer, w, TK_EMATCH, tk_writer_new(&w, "none", output, NULL, e));
    FAILS(tk_writer, w, TK_EUSAGE, tk_writer_new(&w, "csv", NULL, NULL, e));
    tk_output_discard(output);
}
END_TEST

START_TEST(causes_may_be_left_out)
{
    struct tk_trace *trace = NULL;
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    static const char *const unknown[] = {"none"}, *const known[] = {"timers"};
    const struct tk_sink sink = {0};
    ck_assert_int_eq(tk_open(&trace, fixture("tiny.utrace"), NULL, NULL), TK_OK);
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, NULL), TK_EUSAGE);
    query.tables = unknown;
    query.n_tables = 1;
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, NULL), TK_EMATCH);
    query.tables = query.columns = known;
    query.n_columns = 1;
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, NULL), TK_EMATCH);
    query.n_columns = 0;
    ck_assert_int_eq(tk_export_run(trace, &query, &options, NULL), TK_EMATCH);
    options.format = "csv";
    options.path = gone;
    ck_assert_int_eq(tk_export_run(trace, &query, &options, NULL), TK_EOUTPUT);
    options.size = 0;
    ck_assert_int_eq(tk_export_run(trace, &query, &options, NULL), TK_EUSAGE);
    tk_close(trace);
}
END_TEST

/* How often a reading is reported of, until it is refused. */
struct patience {
    int left;
    uint64_t done;
};

static int refuse(void *ctx, uint64_t done, uint64_t total)
{
    struct patience *patience = ctx;
    ck_assert_uint_le(done, total);
    patience->done = done;
    return patience->left-- <= 0;
}

static int fail_begin(void *self, const struct tk_table *table, struct tk_err *e)
{
    (void)self, (void)table, (void)e;
    return TK_EPIPE;
}

START_TEST(callbacks_can_stop)
{
    const char *tables[] = {"scopes"};
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_trace *trace = NULL;
    query.tables = tables;
    query.n_tables = 1;
    ck_assert_int_eq(tk_open(&trace, fixture("tiny.utrace"), NULL, &err), TK_OK);
    ck_assert_int_eq(tk_query_run(trace, &query, &(struct tk_sink){.begin = fail_begin}, &err), TK_EPIPE);
    tk_close(trace);
    for (enum tk_order order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct patience patience = {1000, 0};
        tables[0] = order == TK_ORDER_FILE ? "scopes" : "events";
        query.order = order;
        options.progress = refuse;
        options.progress_ctx = &patience;
        ck_assert_int_eq(tk_open(&trace, fixture("tiny.utrace"), &options, &err), TK_OK);
        patience.done = 0;
        ck_assert_int_eq(tk_query_run(trace, &query, &(struct tk_sink){0}, &err), TK_OK);
        ck_assert_uint_gt(patience.done, 0);
        patience.left = 0;
        ck_assert_int_eq(tk_query_run(trace, &query, &(struct tk_sink){0}, &err), TK_ECANCELED);
        tk_close(trace);
    }
}
END_TEST

START_TEST(outputs_appear_when_complete)
{
    struct tk_output *out = NULL;
    ck_assert_int_eq(tk_output_open(&out, path, false, &err), TK_OK);
    ck_assert_int_eq(tk_output_write(out, "new", 3, &err), TK_OK);
    ck_assert_int_ne(access(path, F_OK), 0);
    tk_output_discard(out);
    ck_assert_int_ne(access(path, F_OK), 0);
    write_text("old");
    ck_assert_int_eq(tk_output_open(&out, path, false, &err), TK_EOUTPUT);
    expect_text("old");
    ck_assert_int_eq(tk_output_open(&out, path, true, &err), TK_OK);
    ck_assert_int_eq(tk_output_write(out, "new", 3, &err), TK_OK);
    expect_text("old");
    ck_assert_int_eq(tk_output_commit(out, &err), TK_OK);
    expect_text("new");
}
END_TEST

/* Rows 3 b, none a, 1 c, 3 d. */
static struct tk_result *four_rows(void)
{
    static const struct tk_column columns[] = {{"n", TK_UINT, 0, NULL, NULL},
                                               {"name", TK_TEXT, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = columns, .n_columns = 2};
    char names[] = "bacd";
    const struct tk_cell cells[] = {{.kind = TK_UINT, .v.u = 3}, {.kind = TK_TEXT, .n = 1, .v.p = names},
                                    {.kind = TK_NONE},           {.kind = TK_TEXT, .n = 1, .v.p = names + 1},
                                    {.kind = TK_UINT, .v.u = 1}, {.kind = TK_TEXT, .n = 1, .v.p = names + 2},
                                    {.kind = TK_UINT, .v.u = 3}, {.kind = TK_TEXT, .n = 1, .v.p = names + 3}};
    struct tk_result *result = NULL;
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(sink.begin(sink.self, &table, &err), TK_OK);
    ck_assert_int_eq(sink.rows(sink.self, &table, &(struct tk_rows){4, cells}, &err), TK_OK);
    memset(names, 'x', 4); /* what cells point to is copied */
    return result;
}

static void expect_order(const struct tk_result *result, const char *names)
{
    size_t n;
    ck_assert_ptr_nonnull(tk_result_table(result, 0, &n));
    ck_assert_uint_eq(n, strlen(names));
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(*(const char *)tk_result_row(result, 0, i)[1].v.p, names[i]);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *e)
{
    (void)table, (void)e;
    for (size_t i = 0; i < rows->n; i++)
        strncat(self, rows->cells[2 * i + 1].v.p, 1);
    return TK_OK;
}

START_TEST(results_are_sorted_and_cut)
{
    struct tk_result *result = four_rows();
    char names[8] = "";
    ck_assert_uint_eq(tk_result_count(result), 1);
    expect_order(result, "bacd");
    ck_assert_int_eq(tk_result_sort(result, 0, "none", false, NULL), TK_EMATCH);
    ck_assert_int_eq(tk_result_sort(result, 0, "n", false, &err), TK_OK);
    expect_order(result, "cbda");
    ck_assert_int_eq(tk_result_sort(result, 0, "n", true, &err), TK_OK);
    expect_order(result, "bdca");
    ck_assert_str_eq(tk_result_table(result, 0, NULL)->sort_by, "n");
    tk_result_top(result, 0, 5);
    expect_order(result, "bdca");
    tk_result_top(result, 0, 3);
    expect_order(result, "bdc");
    ck_assert_int_eq(tk_result_replay(result, &(struct tk_sink){.self = names, .rows = take_rows}, &err),
                     TK_OK);
    ck_assert_str_eq(names, "bdc");
    ck_assert_int_eq(tk_result_replay(result, &(struct tk_sink){.begin = fail_begin}, &err), TK_EPIPE);
    tk_result_free(result);
}
END_TEST

START_TEST(what_is_unknown)
{
    struct tk_trace *trace = NULL;
    size_t n;
    ck_assert_int_eq(tk_open(&trace, fixture("tiny.utrace"), NULL, &err), TK_OK);
    ck_assert(tk_has_table(trace, "timers"));
    ck_assert(!tk_has_table(trace, "none"));
    ck_assert_ptr_null(tk_table_find("none"));
    ck_assert_int_eq(tk_table_column(tk_table_find("timers"), "none"), -1);
    for (const struct tk_table *const *tables = tk_tables(&n); n > 0; n--)
        ck_assert_int_eq(tables[n - 1]->unit, TK_UNIT_NS);
    ck_assert(!tk_empty(trace) && !tk_damaged(trace) && !tk_truncated(trace));
    tk_close(trace);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        null_can_be_freed,  what_failed_is_null,          causes_may_be_left_out,
        callbacks_can_stop, outputs_appear_when_complete, results_are_sorted_and_cut,
        what_is_unknown};
    return RUN_TESTS_AROUND("rules", tests, begin, end);
}
