/* Queries, options and errors of callers that know no layout of structs. */
#include "run.h"
#include "tracekit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct tk_err err;

static struct tk_trace *open_tiny(const struct tk_options *options)
{
    char path[1024];
    struct tk_trace *trace = NULL;
    const char *fixtures = getenv("TK_FIXTURES");
    snprintf(path, sizeof path, "%s/tiny.utrace", fixtures ? fixtures : "fixtures");
    ck_assert_msg(tk_open(&trace, path, options, &err) == TK_OK, "%s", err.text[0]);
    return trace;
}

START_TEST(query_of_setters)
{
    struct tk_query *query;
    ck_assert_int_eq(tk_query_new(&query, &err), TK_OK);
    ck_assert_uint_eq(query->size, sizeof *query);
    char name[] = "scopes"; /* copied */
    ck_assert_int_eq(tk_query_add(query, "tables", name, &err), TK_OK);
    name[0] = 'x';
    ck_assert_int_eq(tk_query_add(query, "threads", "A*", &err), TK_OK);
    ck_assert_int_eq(tk_query_add(query, "threads", "B", &err), TK_OK);
    ck_assert_int_eq(tk_query_text(query, "work", "one", &err), TK_OK);
    ck_assert_int_eq(tk_query_text(query, "work", "two", &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "from_ns", -5, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "first_frame", 3, &err), TK_OK);
    ck_assert(!query->select.has_frames);
    ck_assert_int_eq(tk_query_set(query, "last_frame", 7, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "by", TK_BY_EXTRA | TK_BY_THREAD, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "unit", TK_UNIT_CYCLES, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "clip", 1, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "unmatched", 1, &err), TK_OK);
    ck_assert_int_eq(tk_query_set(query, "memory_from_ns", 8, &err), TK_OK);
    ck_assert(!query->memory.has_window);
    ck_assert_int_eq(tk_query_set(query, "memory_to_ns", 9, &err), TK_OK);
    ck_assert_int_eq(tk_query_real(query, "min_share", 0.25, &err), TK_OK);
    ck_assert_uint_eq(query->n_tables, 1);
    ck_assert_str_eq(query->tables[0], "scopes");
    ck_assert_uint_eq(query->select.n_threads, 2);
    ck_assert_str_eq(query->select.threads[0], "A*");
    ck_assert_str_eq(query->select.threads[1], "B");
    ck_assert_str_eq(query->work, "two");
    ck_assert(query->select.has_from && !query->select.has_to && query->select.has_frames);
    ck_assert_int_eq(query->select.from_ns, -5);
    ck_assert_uint_eq(query->select.first_frame, 3);
    ck_assert_uint_eq(query->select.last_frame, 7);
    ck_assert_uint_eq(query->by, TK_BY_EXTRA | TK_BY_THREAD);
    ck_assert_int_eq(query->unit, TK_UNIT_CYCLES);
    ck_assert(query->select.unmatched);
    ck_assert(query->clip && !query->mixed && query->memory.has_window);
    ck_assert_int_eq(query->memory.from_ns, 8);
    ck_assert_int_eq(query->memory.to_ns, 9);
    ck_assert_double_eq(query->tree.min_share, 0.25);
    tk_query_free(query);
    tk_query_free(NULL);
}
END_TEST

START_TEST(fields_that_are_none)
{
    struct tk_query *query;
    ck_assert_int_eq(tk_query_new(&query, &err), TK_OK);
    ck_assert_int_eq(tk_query_add(query, "thread", "A", &err), TK_EMATCH);
    ck_assert_ptr_nonnull(strstr(err.text[0], "'threads'"));
    ck_assert_int_eq(tk_query_set(query, "threads", 1, &err), TK_EMATCH); /* of another type */
    ck_assert_int_eq(tk_query_real(query, "by", 1, &err), TK_EMATCH);
    ck_assert_int_eq(tk_query_text(query, "tables", "timers", &err), TK_EMATCH);
    ck_assert_int_eq(tk_query_set(query, "clip", 2, &err), TK_EUSAGE);
    ck_assert_int_eq(tk_query_set(query, "by", -1, &err), TK_EUSAGE);
    ck_assert_int_eq(tk_query_set(query, "by", (int64_t)UINT32_MAX + 1, &err), TK_EUSAGE);
    ck_assert_int_eq(tk_query_set(query, "slowest", -1, &err), TK_EUSAGE);
    ck_assert_ptr_nonnull(strstr(err.text[0], "'slowest'"));
    ck_assert_int_eq(tk_query_set(query, "slowest", INT64_MAX, NULL), TK_OK);
    ck_assert_uint_eq(query->n_tables, 0);
    tk_query_free(query);
}
END_TEST

START_TEST(options_of_setters)
{
    struct tk_options *options;
    ck_assert_int_eq(tk_options_new(&options, &err), TK_OK);
    ck_assert_int_eq(tk_options_set(options, "jobs", 3, &err), TK_OK);
    ck_assert_int_eq(tk_options_set(options, "strict", 1, &err), TK_OK);
    ck_assert_int_eq(tk_options_text(options, "spool_dir", "/nowhere", &err), TK_OK);
    ck_assert_int_eq(tk_options_add(options, "limits", "health_items=5", &err), TK_OK);
    ck_assert_int_eq(tk_options_set(options, "job", 3, &err), TK_EMATCH);
    ck_assert_uint_eq(options->size, sizeof *options);
    ck_assert_uint_eq(options->jobs, 3);
    ck_assert(options->strict && !options->map);
    ck_assert_str_eq(options->spool_dir, "/nowhere");
    ck_assert_uint_eq(options->n_limits, 1);
    tk_close(open_tiny(options));
    ck_assert_int_eq(tk_options_add(options, "limits", "nothing=5", &err), TK_OK);
    struct tk_trace *trace;
    ck_assert_int_eq(tk_open(&trace, "x", options, &err), TK_EUSAGE);
    tk_options_free(options);
    tk_options_free(NULL);
}
END_TEST

/* From tiny.truth.json: count of the timer. */
static const struct {
    const char *timer;
    uint64_t count;
} timers[] = {{"FEngineLoop::Tick", 39}, {"Draw", 8}, {"Timer \"quoted\"", 8}, {"T", 25}};

static uint64_t count_of(const struct tk_result *result, const char *timer)
{
    for (size_t row = 0; tk_result_cell(result, 0, row, 0); row++) {
        size_t n;
        const char *p = tk_cell_bytes(tk_result_cell(result, 0, row, 0), &n);
        if (n == strlen(timer) && memcmp(p, timer, n) == 0)
            return tk_cell_uint(tk_result_cell(result, 0, row, 1));
    }
    return 0;
}

START_TEST(result_of_a_query)
{
    struct tk_trace *trace = open_tiny(NULL);
    struct tk_query *query;
    struct tk_result *result;
    ck_assert_int_eq(tk_query_new(&query, &err), TK_OK);
    ck_assert_int_eq(tk_query_add(query, "tables", "timers", &err), TK_OK);
    ck_assert_int_eq(tk_query_add(query, "columns", "timer", &err), TK_OK);
    ck_assert_int_eq(tk_query_add(query, "columns", "count", &err), TK_OK);
    ck_assert_int_eq(tk_result_query(&result, trace, query, &err), TK_OK);
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        ck_assert_uint_eq(count_of(result, timers[i].timer), timers[i].count);
    const struct tk_table *table = tk_result_table(result, 0, NULL);
    ck_assert_str_eq(tk_table_name(table), "timers");
    ck_assert_ptr_eq(tk_table_help(table), table->help);
    ck_assert_int_eq(tk_table_unit(table), TK_UNIT_NS);
    ck_assert_uint_eq(tk_table_width(table), 2);
    ck_assert_str_eq(tk_column_name(table, 1), "count");
    ck_assert_int_eq(tk_column_kind(table, 0), TK_TEXT);
    ck_assert_str_eq(tk_column_unit(table, 1), "calls");
    ck_assert_uint_eq(tk_column_flags(table, 1), table->columns[1].flags);
    ck_assert_ptr_eq(tk_column_help(table, 1), table->columns[1].help);
    ck_assert_ptr_null(tk_column_name(table, 2));
    ck_assert_int_eq(tk_column_kind(table, SIZE_MAX), TK_NONE);
    ck_assert_ptr_null(tk_result_cell(result, 1, 0, 0));
    ck_assert_ptr_null(tk_result_cell(result, 0, 0, 2));
    ck_assert_ptr_null(tk_result_cell(result, 0, SIZE_MAX, 0));
    tk_result_free(result);
    ck_assert_int_eq(tk_query_add(query, "tables", "nosuch", &err), TK_OK);
    ck_assert_int_lt(tk_result_query(&result, trace, query, &err), 0);
    ck_assert_ptr_null(result);
    tk_query_free(query);
    tk_close(trace);
}
END_TEST

START_TEST(cells)
{
    static const struct {
        struct tk_cell cell;
        int64_t i;
        uint64_t u;
        double r;
    } cases[] = {
        {{.kind = TK_INT, .v.i = -3}, -3, 0, -3.0},
        {{.kind = TK_DURATION, .v.i = 12}, 12, 12, 12.0},
        {{.kind = TK_UINT, .v.u = UINT64_MAX}, INT64_MAX, UINT64_MAX, 0x1p64},
        {{.kind = TK_BOOL, .v.u = 1}, 1, 1, 1.0},
        {{.kind = TK_REAL, .v.r = 2.75}, 2, 2, 2.75},
        {{.kind = TK_REAL, .v.r = -2.75}, -2, 0, -2.75},
        {{.kind = TK_REAL, .v.r = 1e300}, INT64_MAX, UINT64_MAX, 1e300},
        {{.kind = TK_MEAN, .v.r = -1e300}, INT64_MIN, 0, -1e300},
    };
    size_t n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(tk_cell_int(&cases[i].cell), cases[i].i);
        ck_assert_uint_eq(tk_cell_uint(&cases[i].cell), cases[i].u);
        ck_assert_double_eq(tk_cell_real(&cases[i].cell), cases[i].r);
        ck_assert_ptr_null(tk_cell_bytes(&cases[i].cell, &n));
        ck_assert_uint_eq(n, 0);
    }
    const struct tk_cell nan = {.kind = TK_REAL, .v.r = NAN};
    ck_assert_int_eq(tk_cell_int(&nan), 0);
    ck_assert_uint_eq(tk_cell_uint(&nan), 0);
    const struct tk_cell text = {.kind = TK_TEXT, .enc = TK_ENC_BYTES, .n = 2, .v.p = "ab"};
    ck_assert_int_eq(tk_cell_kind(&text), TK_TEXT);
    ck_assert_int_eq(tk_cell_encoding(&text), TK_ENC_BYTES);
    ck_assert_int_eq(tk_cell_int(&text), 0);
    ck_assert_double_nan(tk_cell_real(&text));
    ck_assert_mem_eq(tk_cell_bytes(&text, &n), "ab", 2);
    ck_assert_uint_eq(n, 2);
}
END_TEST

START_TEST(errors)
{
    struct tk_err *own = tk_err_new();
    struct tk_trace *trace;
    ck_assert_int_eq(tk_err_status(own), TK_OK);
    ck_assert_uint_eq(tk_err_count(own), 0);
    ck_assert_ptr_null(tk_err_cause(own, 0));
    ck_assert_int_eq(tk_open(&trace, "/nowhere/at/all", NULL, own), TK_EIO);
    ck_assert_int_eq(tk_err_status(own), TK_EIO);
    ck_assert_uint_eq(tk_err_count(own), 1);
    ck_assert_ptr_nonnull(strstr(tk_err_cause(own, 0), "'/nowhere/at/all'"));
    ck_assert_ptr_null(tk_err_cause(own, 1));
    ck_assert_ptr_null(tk_err_cause(NULL, 0));
    tk_err_free(own);
    tk_err_free(NULL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        query_of_setters, fields_that_are_none, options_of_setters, result_of_a_query, cells, errors};
    return RUN_TESTS("setters", tests);
}
