/* The table of tables, and queries by name over a small capture whose truth is alongside it. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

static struct tk_err err;

static struct tk_trace *open_fixture(const char *name)
{
    char path[1024];
    struct tk_trace *trace = NULL;
    const char *fixtures = getenv("TK_FIXTURES");
    snprintf(path, sizeof path, "%s/%s", fixtures ? fixtures : "fixtures", name);
    ck_assert_msg(tk_open(&trace, path, NULL, &err) == TK_OK, "%s: %s", path, err.text[0]);
    return trace;
}

START_TEST(tables_are_described)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    ck_assert_uint_gt(n, 15);
    for (size_t i = 0; i < n; i++) {
        const struct tk_table *t = tables[i];
        ck_assert_ptr_eq(tk_table_find(t->name), t); /* no name twice */
        ck_assert_uint_gt(strlen(t->help), 5);
        ck_assert_uint_gt(t->n_columns, 0);
        ck_assert_uint_le(t->n_columns, 64);
        bool sorted = t->sort_by == NULL;
        for (uint32_t c = 0; c < t->n_columns; c++) {
            ck_assert_msg(t->columns[c].name && t->columns[c].help, "column %u of '%s'", c, t->name);
            ck_assert_int_ne(t->columns[c].kind, TK_NONE);
            sorted |= t->sort_by && strcmp(t->sort_by, t->columns[c].name) == 0;
            for (uint32_t k = 0; k < c; k++)
                ck_assert_str_ne(t->columns[c].name, t->columns[k].name);
        }
        ck_assert(sorted);
    }
    ck_assert_ptr_null(tk_table_find("nosuch"));
}
END_TEST

static int query(struct tk_trace *trace, const char *table, const char *const *columns, size_t n,
                 struct tk_result **result)
{
    const char *const tables[] = {table};
    struct tk_query q = TK_INIT(struct tk_query);
    q.tables = tables;
    q.n_tables = 1;
    q.columns = columns;
    q.n_columns = n;
    q.unit = TK_UNIT_CYCLES;
    ck_assert_int_eq(tk_result_new(result, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(*result);
    return tk_query_run(trace, &q, &sink, &err);
}

/* From tiny.truth.json: 10 game frames, the first from 5000500000 to 5000500435. */
START_TEST(rows_are_as_the_truth_says)
{
    const char *const columns[] = {"type_id", "start", "end"};
    struct tk_trace *trace = open_fixture("tiny.utrace");
    struct tk_result *result;
    size_t n;
    ck_assert_int_eq(query(trace, "frames", columns, 3, &result), TK_OK);
    ck_assert_ptr_nonnull(tk_result_table(result, 0, &n));
    ck_assert_uint_eq(n, 10);
    const struct tk_cell *row = tk_result_row(result, 0, 0);
    ck_assert_uint_eq(row[0].v.u, 0);
    ck_assert_int_eq(row[1].v.i, 5000500000);
    ck_assert_int_eq(row[2].v.i, 5000500435);
    ck_assert(!tk_damaged(trace) && !tk_truncated(trace) && !tk_empty(trace));
    tk_result_free(result);
    tk_close(trace);
}
END_TEST

/* Two readings of one capture tell of the same faults. */
START_TEST(faults_do_not_add_up)
{
    struct tk_trace *trace = open_fixture("damaged/trunc_tiny_00.utrace");
    struct tk_result *first, *second;
    size_t n_first, n_second;
    ck_assert_int_eq(query(trace, "threads", NULL, 0, &first), TK_OK);
    tk_result_free(first);
    ck_assert_int_eq(query(trace, "health", NULL, 0, &first), TK_OK);
    ck_assert_int_eq(query(trace, "threads", NULL, 0, &second), TK_OK);
    tk_result_free(second);
    ck_assert_int_eq(query(trace, "health", NULL, 0, &second), TK_OK);
    tk_result_table(first, 0, &n_first);
    tk_result_table(second, 0, &n_second);
    ck_assert_uint_gt(n_first, 0);
    ck_assert_uint_eq(n_first, n_second);
    ck_assert(tk_truncated(trace) && !tk_damaged(trace));
    tk_result_free(first);
    tk_result_free(second);
    tk_close(trace);
}
END_TEST

/* The number of rows; *first says of the first one its kind, damage, count and offset. */
static size_t faults_of(const struct tk_result *result, char first[128])
{
    static const char *const names[] = {"kind", "damage", "count", "offset"};
    size_t n, at = 0;
    const struct tk_table *table = tk_result_table(result, 0, &n);
    const struct tk_cell *row = n ? tk_result_row(result, 0, 0) : NULL;
    first[0] = '\0';
    for (size_t i = 0; row && i < 4; i++) {
        const struct tk_cell *cell = &row[tk_table_column(table, names[i])];
        if (cell->kind == TK_TEXT)
            at += (size_t)snprintf(first + at, 128 - at, "%.*s ", (int)cell->n, (const char *)cell->v.p);
        else if (cell->kind == TK_NONE)
            at += (size_t)snprintf(first + at, 128 - at, "- ");
        else
            at += (size_t)snprintf(first + at, 128 - at, "%llu ", (unsigned long long)cell->v.u);
    }
    return n;
}

static struct tk_result *health_now(struct tk_trace *trace)
{
    struct tk_result *result;
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_health(trace, &sink, &err), TK_OK);
    return result;
}

/* In flip_lz4 the packet at 13653 does not unpack: nobody knows before it is read. */
START_TEST(health_reads_what_it_is_about)
{
    struct tk_trace *trace = open_fixture("damaged/flip_lz4.utrace");
    struct tk_result *result = health_now(trace);
    char first[128];
    ck_assert_uint_eq(faults_of(result, first), 1);
    ck_assert_str_eq(first, "not_read 0 - - ");
    ck_assert(!tk_damaged(trace));
    tk_result_free(result);
    ck_assert_int_eq(query(trace, "health", NULL, 0, &result), TK_OK);
    ck_assert_uint_gt(faults_of(result, first), 0);
    ck_assert_str_eq(first, "packet_damaged 1 1 13653 ");
    ck_assert(tk_damaged(trace));
    tk_result_free(result);
    tk_close(trace);
}
END_TEST

/* Other tables read as much as they need; what they found is reported as far as it goes. */
START_TEST(health_in_passing)
{
    const char *const session[] = {"session", "health"}, *const frames[] = {"frames", "health"};
    struct tk_trace *trace = open_fixture("tiny.utrace");
    struct tk_query q = TK_INIT(struct tk_query);
    const struct tk_sink nowhere = {0};
    char first[128];
    q.n_tables = 2;
    q.in_passing = true;
    q.tables = session;
    ck_assert_int_eq(tk_query_run(trace, &q, &nowhere, &err), TK_OK);
    struct tk_result *result = health_now(trace);
    ck_assert_uint_eq(faults_of(result, first), 1);
    ck_assert_str_eq(first, "not_read 0 - - ");
    tk_result_free(result);
    q.tables = frames;
    ck_assert_int_eq(tk_query_run(trace, &q, &nowhere, &err), TK_OK);
    result = health_now(trace);
    ck_assert_uint_eq(faults_of(result, first), 0);
    tk_result_free(result);
    tk_close(trace);
}
END_TEST

START_TEST(wrong_names_are_reported)
{
    const char *const columns[] = {"strat"};
    struct tk_trace *trace = open_fixture("tiny.utrace");
    struct tk_result *result;
    ck_assert_int_eq(query(trace, "frame", NULL, 0, &result), TK_EMATCH);
    ck_assert_str_eq(err.text[0],
                     "no table matches 'frame'; the nearest: 'frames', 'per_frame', 'gpu_frames'");
    tk_result_free(result);
    ck_assert_int_eq(query(trace, "frames", columns, 1, &result), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "no column of table 'frames' matches 'strat'; the nearest: 'start'");
    tk_result_free(result);
    tk_close(trace);
}
END_TEST

START_TEST(queries_that_make_no_sense)
{
    const char *const tables[] = {"frames", "logs"}, *const columns[] = {"start"};
    struct tk_trace *trace = open_fixture("tiny.utrace");
    const struct tk_sink sink = {0};
    struct tk_query q = {.tables = tables, .n_tables = 2};
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_EUSAGE); /* without its size */
    q.size = sizeof q;
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_OK); /* a sink may have no hooks */
    q.columns = columns;
    q.n_columns = 1;
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_EUSAGE);
    q.n_columns = 0;
    q.order = (enum tk_order)(TK_ORDER_SERIAL + 1);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_EUSAGE);
    q.order = TK_ORDER_FILE;
    q.n_tables = 0;
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, NULL), TK_EUSAGE);
    tk_close(trace);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        tables_are_described,          rows_are_as_the_truth_says, faults_do_not_add_up,
        health_reads_what_it_is_about, health_in_passing,          wrong_names_are_reported,
        queries_that_make_no_sense,
    };
    return RUN_TESTS("query", tests);
}
