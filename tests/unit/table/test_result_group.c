/* Tests of groups of the rows of a result, as cells and packed; the orders are by hand. */
#include "run.h"
#include "table/sink.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 3, ROWS = 9 };

static const struct tk_column columns[COLUMNS] = {{"group", TK_TEXT, 0, NULL, "The group."},
                                                  {"number", TK_UINT, 0, NULL, "Its number."},
                                                  {"row", TK_UINT, 0, NULL, "The row."}};
static const struct tk_table table = {
    .name = "groups", .help = "Groups.", .columns = columns, .n_columns = COLUMNS};

/* Groups of equal names with other numbers, and one without a number. */
static const struct {
    const char *group;
    int number; /* -1: none */
} given[ROWS] = {{"b", 0}, {"a", 0}, {"b", 1}, {"a", 0}, {"b", 0}, {"b", -1}, {"a", 0}, {"b", 1}, {"b", 0}};

static struct tk_result *filled(bool packs)
{
    struct tk_result *r;
    struct tk_cell cells[ROWS * COLUMNS] = {{0}};
    ck_assert_int_eq(tk_result_new(&r, NULL), TK_OK);
    if (packs)
        tk_result_pack(r);
    for (unsigned i = 0; i < ROWS; i++) {
        struct tk_cell *row = cells + (size_t)i * COLUMNS;
        row[0] = (struct tk_cell){.kind = TK_TEXT, .n = 1, .v.p = given[i].group};
        if (given[i].number >= 0)
            row[1] = (struct tk_cell){.kind = TK_UINT, .v.u = (uint64_t)given[i].number};
        row[2] = (struct tk_cell){.kind = TK_UINT, .v.u = i};
    }
    const struct tk_sink sink = tk_result_sink(r);
    const struct tk_rows rows = {.n = ROWS, .cells = cells};
    ck_assert_int_eq(sink.begin(sink.self, &table, NULL), TK_OK);
    ck_assert_int_eq(sink.rows(sink.self, &table, &rows, NULL), TK_OK);
    return r;
}

static int take(void *self, const struct tk_table *of, const struct tk_rows *rows, struct tk_err *err)
{
    char *out = self;
    (void)of;
    (void)err;
    for (size_t i = 0; i < rows->n; i++)
        snprintf(out + strlen(out), 64 - strlen(out), "%u", (unsigned)rows->cells[i * COLUMNS + 2].v.u);
    return TK_OK;
}

/* The numbers of the rows, one after another. */
static const char *rows_of(const struct tk_result *r)
{
    static char all[64];
    const struct tk_sink sink = {.self = all, .rows = take};
    all[0] = '\0';
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_OK);
    return all;
}

static void check_group(size_t n_columns, size_t n, const char *wanted)
{
    static const char *const names[] = {"group", "number"};
    for (int packs = 0; packs < 2; packs++) {
        struct tk_result *r = filled(packs);
        size_t rows;
        ck_assert_int_eq(tk_result_group(r, 0, names, n_columns, n, NULL), TK_OK);
        ck_assert_str_eq(rows_of(r), wanted);
        tk_result_table(r, 0, &rows);
        ck_assert_uint_eq(rows, strlen(wanted));
        tk_result_free(r);
    }
}

START_TEST(groups)
{
    check_group(2, SIZE_MAX, "048136275");
    check_group(2, 3, "048136275");
    check_group(2, 2, "0413275");
    check_group(2, 1, "0125");
    check_group(1, SIZE_MAX, "024578136");
    check_group(1, 2, "0213");
    check_group(2, 0, "");
    check_group(0, 4, "0123");
}
END_TEST

/* What is sorted is grouped by the order it has then, and can be sorted again. */
START_TEST(groups_what_is_sorted)
{
    static const char *const names[] = {"group", "number"};
    for (int packs = 0; packs < 2; packs++) {
        struct tk_result *r = filled(packs);
        ck_assert_int_eq(tk_result_sort(r, 0, "row", true, NULL), TK_OK);
        ck_assert_int_eq(tk_result_group(r, 0, names, 2, 2, NULL), TK_OK);
        ck_assert_str_eq(rows_of(r), "8472635");
        ck_assert_int_eq(tk_result_sort(r, 0, "row", false, NULL), TK_OK);
        ck_assert_str_eq(rows_of(r), "2345678");
        ck_assert_int_eq(tk_result_group(r, 0, names, 2, 1, NULL), TK_OK);
        ck_assert_str_eq(rows_of(r), "2345");
        tk_result_free(r);
    }
}
END_TEST

START_TEST(groups_by_what_is_there)
{
    static const char *const names[] = {"group", "total"};
    struct tk_result *r = filled(false);
    struct tk_err err = {0};
    ck_assert_int_eq(tk_result_group(r, 0, names, 2, 1, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "table 'groups' has no column 'total'");
    ck_assert_str_eq(rows_of(r), "012345678");
    tk_result_free(r);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {groups, groups_what_is_sorted, groups_by_what_is_there};
    return RUN_TESTS("result groups", tests);
}
