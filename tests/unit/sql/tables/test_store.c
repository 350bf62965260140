/* Rows that are kept: the same in memory and on disk, and found as SQLite would find them; and the budget. */
#include "run.h"
#include "sql/tables/tables_in.h"

#include <math.h>

enum { ROWS = 9000, BATCH = 700 };

static struct tk_err err;
static struct tk_sql_connection c;
static struct tk_sql_source source;
static const uint8_t to[] = {3, 0}; /* columns of the store */

static void begin(void)
{
    c = (struct tk_sql_connection){.budget = UINT64_MAX};
    err = (struct tk_err){0};
}

static void end(void)
{
    tk_sql_stores_release(&c);
    tk_intern_release(&c.texts);
    ck_assert_uint_eq(c.kept, 0);
}

/* A number that comes again and again, with gaps, or nothing; and a text. */
static struct tk_cell number_at(size_t i)
{
    const int64_t n = (int64_t)((i * 7919) % 4001) * 2;
    if (i % 50 == 0)
        return (struct tk_cell){.kind = TK_NONE};
    return i % 9 == 0 ? (struct tk_cell){.kind = TK_REAL, .v.r = (double)n + 0.5}
                      : (struct tk_cell){.kind = TK_INT, .v.i = n};
}

static double real_at(size_t i)
{
    const struct tk_cell cell = number_at(i);
    return cell.kind == TK_NONE ? -INFINITY : cell.kind == TK_REAL ? cell.v.r : (double)cell.v.i;
}

static const char *text_at(size_t i)
{
    static const char *const texts[] = {"Tick", "Draw", "", "Z", "a longer name"};
    return texts[i % 5];
}

static struct tk_sql_store *filled(uint64_t budget)
{
    struct tk_sql_store *store;
    struct tk_sql_scratch scratch = {0};
    struct tk_cell cells[BATCH * 2];
    c.budget = budget;
    must(tk_sql_store_new(&store, &source, "rows", 9, &err) == TK_OK);
    for (size_t i = 0; i < ROWS; i += BATCH) {
        const size_t n = ROWS - i < BATCH ? ROWS - i : BATCH;
        for (size_t k = 0; k < n; k++) {
            cells[2 * k] = number_at(i + k);
            cells[2 * k + 1] = (struct tk_cell){
                .kind = TK_TEXT, .v.p = text_at(i + k), .n = (uint32_t)strlen(text_at(i + k))};
        }
        const struct tk_rows rows = {n, cells};
        must(tk_sql_store_add(store, &c, &rows, to, 2, &scratch, &err) == TK_OK);
    }
    tk_sql_scratch_release(&scratch);
    must(tk_sql_store_keep(store, &c, &err) == TK_OK);
    return store;
}

static const uint64_t budgets[] = {UINT64_MAX, 100 << 10, 0}; /* all, some and nothing in memory */

START_TEST(rows_as_they_came)
{
    struct tk_sql_store *store = filled(budgets[_i]);
    ck_assert_uint_eq(store->n, ROWS);
    ck_assert_int_eq(store->spilled, _i > 0);
    ck_assert(c.kept <= c.budget);
    for (size_t i = 0; i < ROWS; i++) {
        struct tk_sql_value number, text;
        must(tk_sql_store_value(store, 3, i, &number, &err) == TK_OK);
        must(tk_sql_store_value(store, 0, i, &text, &err) == TK_OK);
        must(text.type == TK_SQL_TEXT && text.v.s->n == strlen(text_at(i)) &&
             memcmp(text.v.s->p, text_at(i), text.v.s->n) == 0);
        must(number.type == TK_SQL_NULL
                 ? isinf(real_at(i))
                 : (number.type == TK_SQL_INT ? (double)number.v.i : number.v.r) == real_at(i));
    }
}
END_TEST

START_TEST(found_by_a_number)
{
    struct tk_sql_store *store = filled(budgets[_i]);
    struct tk_sql_order *order;
    store->users++;
    must(tk_sql_store_order(store, &c, 3, &order, &err) == TK_OK);
    for (int64_t n = -3; n < 8010; n += 61)
        for (int after = 0; after < 2; after++) {
            const struct tk_sql_value value = {.type = TK_SQL_INT, .v.i = n};
            size_t place, wanted = 0;
            for (size_t i = 0; i < ROWS; i++)
                wanted += real_at(i) < (double)n || (after && real_at(i) == (double)n);
            must(tk_sql_order_find(store, order, &value, after, &place, &err) == TK_OK);
            ck_assert_uint_eq(place, wanted);
        }
}
END_TEST

START_TEST(in_order)
{
    struct tk_sql_store *store = filled(budgets[_i]);
    struct tk_sql_order *order, *again;
    static bool seen[ROWS];
    double before = -INFINITY;
    store->users++;
    memset(seen, 0, sizeof seen);
    must(tk_sql_store_order(store, &c, 3, &order, &err) == TK_OK);
    must(tk_sql_store_order(store, &c, 3, &again, &err) == TK_OK);
    ck_assert_ptr_eq(order, again);
    for (size_t place = 0; place < ROWS; place++) {
        size_t row;
        must(tk_sql_order_row(store, order, place, &row, &err) == TK_OK);
        must(row < ROWS && !seen[row] && real_at(row) >= before);
        seen[row] = true;
        before = real_at(row);
    }
}
END_TEST

/* What nobody reads makes space for what comes; the one that was used last stays longest. */
START_TEST(oldest_makes_space)
{
    struct tk_sql_store *first = filled(UINT64_MAX);
    const uint64_t one = c.kept;
    free(first->key);
    first->key = tk_sql_copy("first");
    struct tk_sql_store *second = filled(one * 2 + one / 2);
    ck_assert_uint_eq(c.stores.n, 2);
    ck_assert_ptr_eq(tk_sql_store_find(&c, &source, "first", 1), first);
    filled(one * 2 + one / 2);
    ck_assert_uint_eq(c.stores.n, 2);
    ck_assert_ptr_eq(tk_sql_store_find(&c, &source, "first", 1), first);
    ck_assert_ptr_ne(tk_sql_store_find(&c, &source, "rows", 1), second);
    ck_assert_ptr_null(tk_sql_store_find(&c, &source, "first", 2)); /* it has no such column */
    ck_assert(!tk_sql_store_find(&c, &source, "rows", 9)->spilled);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_as_they_came, found_by_a_number, in_order, oldest_makes_space};
    return run_tests("stores", tests, 4, 3, (struct around){begin, end});
}
