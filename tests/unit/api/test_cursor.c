/* Walks give what a sink gets and can be left at any time; errors have a text; columns are found by their
 * names. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

/* From tiny.truth.json: scopes_total, bookmarks, frames. */
enum { SCOPES = 450, BOOKMARKS = 2, FRAMES = 10 };

static struct tk_err err;
static const char *const tables[] = {"scopes", "bookmarks", "frames"};

static struct tk_trace *open_tiny(unsigned jobs)
{
    char path[1024];
    struct tk_trace *trace = NULL;
    struct tk_options options = TK_INIT(struct tk_options);
    const char *fixtures = getenv("TK_FIXTURES");
    options.jobs = jobs;
    snprintf(path, sizeof path, "%s/tiny.utrace", fixtures ? fixtures : "fixtures");
    ck_assert_msg(tk_open(&trace, path, &options, &err) == TK_OK, "%s: %s", path, err.text[0]);
    return trace;
}

static struct tk_query about(const char *const *names, size_t n)
{
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = names;
    query.n_tables = n;
    return query;
}

START_TEST(all_rows)
{
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct tk_trace *trace = open_tiny(jobs);
        const struct tk_query query = about(tables, 3);
        struct tk_cursor *cursor;
        const struct tk_table *table;
        struct tk_rows rows;
        size_t counts[3] = {0};
        int rc, last = 0;
        ck_assert_int_eq(tk_cursor_open(&cursor, trace, &query, &err), TK_OK);
        while ((rc = tk_cursor_next(cursor, &table, &rows, &err)) == TK_ITEM) {
            int at = 0;
            while (strcmp(tables[at], table->name) != 0)
                at++;
            ck_assert_int_ge(at, last); /* in the order requested */
            last = at;
            counts[at] += rows.n;
        }
        ck_assert_int_eq(rc, TK_OK);
        ck_assert_int_eq(tk_cursor_next(cursor, &table, &rows, &err), TK_OK);
        ck_assert_uint_eq(counts[0], SCOPES);
        ck_assert_uint_eq(counts[1], BOOKMARKS);
        ck_assert_uint_eq(counts[2], FRAMES);
        tk_cursor_close(cursor);
        tk_close(trace);
    }
}
END_TEST

/* The capture can be used again, and gives the same. */
START_TEST(left_early)
{
    struct tk_trace *trace = open_tiny(2);
    for (int taken = 0; taken < 3; taken++) {
        const struct tk_query query = about(tables, 3);
        struct tk_cursor *cursor;
        const struct tk_table *table;
        struct tk_rows rows;
        ck_assert_int_eq(tk_cursor_open(&cursor, trace, &query, &err), TK_OK);
        for (int i = 0; i < taken; i++)
            ck_assert_int_eq(tk_cursor_next(cursor, &table, &rows, &err), TK_ITEM);
        tk_cursor_close(cursor);
    }
    const struct tk_query query = about(tables + 1, 1);
    struct tk_result *result;
    size_t n = 0;
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, &err), TK_OK);
    tk_result_table(result, 0, &n);
    ck_assert_uint_eq(n, BOOKMARKS);
    tk_result_free(result);
    tk_cursor_close(NULL);
    tk_close(trace);
}
END_TEST

START_TEST(faults)
{
    static const char *const wrong[] = {"scope"};
    struct tk_trace *trace = open_tiny(1);
    const struct tk_query query = about(wrong, 1);
    struct tk_cursor *cursor;
    const struct tk_table *table;
    struct tk_rows rows;
    ck_assert_int_eq(tk_cursor_open(&cursor, trace, &query, &err), TK_OK);
    ck_assert_int_eq(tk_cursor_next(cursor, &table, &rows, &err), TK_EMATCH);
    ck_assert_ptr_nonnull(strstr(tk_err_text(&err, TK_EMATCH), "'scopes'")); /* the nearest name */
    ck_assert_int_eq(tk_cursor_next(cursor, &table, &rows, NULL), TK_EMATCH);
    tk_cursor_close(cursor);
    tk_close(trace);
}
END_TEST

START_TEST(texts_of_statuses)
{
    struct tk_err none = {0};
    for (int status = TK_ECANCELED; status < 0; status++)
        for (int other = status + 1; other <= 0; other++)
            ck_assert_str_ne(tk_err_text(NULL, status), tk_err_text(&none, other));
    ck_assert_ptr_eq(tk_err_text(&none, -1000), tk_err_text(NULL, TK_OK));
    snprintf(none.text[0], TK_ERR_TEXT, "inner");
    snprintf(none.text[1], TK_ERR_TEXT, "outer");
    none.n = 2;
    ck_assert_str_eq(tk_err_text(&none, TK_EIO), "outer");
}
END_TEST

START_TEST(columns)
{
    const struct tk_table *timers = tk_table_find("timers");
    for (uint32_t i = 0; i < timers->n_columns; i++)
        ck_assert_int_eq(tk_table_column(timers, timers->columns[i].name), (int)i);
    ck_assert_int_eq(tk_table_column(timers, "nosuch"), -1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_rows, left_early, faults, texts_of_statuses, columns};
    return RUN_TESTS("cursor", tests);
}
