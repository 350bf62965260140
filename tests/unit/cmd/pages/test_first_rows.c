/* Tests of cmd/pages/out.h: what passes, the end of the table, and when the query is stopped. */
#include "pages/out.h"
#include "run.h"

#include <string.h>

static const struct tk_column column = {"n", TK_UINT, 0, NULL, "a number"};
static const struct tk_table table = {.name = "numbers", .columns = &column, .n_columns = 1};

/* "begin 1 2 end", as they came. */
static char came[128];

static void add(const char *text)
{
    snprintf(came + strlen(came), sizeof came - strlen(came), "%s%s", came[0] ? " " : "", text);
}

static int took_begin(void *self, const struct tk_table *t, struct tk_err *err)
{
    (void)self, (void)err;
    ck_assert_ptr_eq(t, &table);
    add("begin");
    return TK_OK;
}

static int took_rows(void *self, const struct tk_table *t, const struct tk_rows *rows, struct tk_err *err)
{
    char number[8];
    (void)self, (void)t, (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        snprintf(number, sizeof number, "%d", (int)rows->cells[i].v.u);
        add(number);
    }
    return TK_OK;
}

static int took_end(void *self, const struct tk_table *t, struct tk_err *err)
{
    (void)self, (void)t, (void)err;
    add("end");
    return TK_OK;
}

static const struct tk_sink keep = {.begin = took_begin, .rows = took_rows, .end = took_end};

/* The numbers from 1 in batches of two, as a query sends them; its status. */
static int send(const struct tk_sink *sink, uint64_t n)
{
    struct tk_err err = {0};
    int rc = sink->begin(sink->self, &table, &err);
    for (uint64_t i = 0; i < n && rc >= 0; i += 2) {
        const struct tk_cell cells[] = {{.kind = TK_UINT, .v.u = i + 1}, {.kind = TK_UINT, .v.u = i + 2}};
        const struct tk_rows rows = {n - i < 2 ? 1 : 2, cells};
        rc = sink->rows(sink->self, &table, &rows, &err);
    }
    return rc < 0 ? rc : sink->end(sink->self, &table, &err);
}

static void check(uint64_t most, uint64_t n, int sent, const char *wanted)
{
    struct tk_first_rows first;
    const struct tk_sink sink = tk_first_rows_sink(&first, most, &keep);
    came[0] = 0;
    int rc = send(&sink, n);
    ck_assert_int_eq(rc, sent);
    ck_assert_int_eq(tk_first_rows_end(&first, rc), TK_OK);
    ck_assert_str_eq(came, wanted);
}

START_TEST(first_rows)
{
    check(1, 5, TK_ECANCELED, "begin 1 end");
    check(2, 5, TK_ECANCELED, "begin 1 2 end");
    check(3, 5, TK_ECANCELED, "begin 1 2 3 end");
    check(5, 5, TK_ECANCELED, "begin 1 2 3 4 5 end");
    check(6, 5, TK_OK, "begin 1 2 3 4 5 end");
    check(1, 0, TK_OK, "begin end");
}
END_TEST

START_TEST(other_failures_stay)
{
    struct tk_first_rows first;
    tk_first_rows_sink(&first, 3, &keep);
    ck_assert_int_eq(tk_first_rows_end(&first, TK_EPIPE), TK_EPIPE);
    ck_assert_int_eq(tk_first_rows_end(&first, TK_ECANCELED), TK_ECANCELED); /* by somebody else */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {first_rows, other_failures_stay};
    return RUN_TESTS("first_rows", tests);
}
