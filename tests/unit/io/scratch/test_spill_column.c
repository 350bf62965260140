/*
 * Columns: records come back in order with their last values, whatever was spilled in between, and memory
 * stays within the budget.
 */
#include "io/scratch/spill.h"
#include "run.h"

#include <string.h>

struct record {
    uint64_t value, changes; /* without padding, whose bytes nobody sets */
};

enum { COLUMNS = 37, RECORDS = 5000 };

static uint64_t value_of(unsigned column, uint64_t i)
{
    return i * 1000 + column;
}

static void add(struct tk_spill_column *c, uint64_t value)
{
    struct record *r = tk_spill_column_add(c);
    must(r);
    *r = (struct record){value, 0};
}

/* Each third record gets another value, in no order. */
static void change_some(struct tk_spill_column *c, unsigned column, unsigned pass)
{
    for (uint64_t k = 0; k < RECORDS / 3; k++) {
        const uint64_t i = k * 577 % (RECORDS / 3) * 3;
        const struct record r = {value_of(column, i) + pass, pass};
        must(tk_spill_column_change(c, i, &r));
    }
}

static void check_column(const struct tk_spill_column *c, unsigned column)
{
    struct tk_spill_column_reading r;
    struct tk_err err = {0};
    const void *next;
    tk_spill_column_reading_open(&r, c, &err);
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct record got;
        must(tk_spill_column_read(&r, &next) == TK_ITEM);
        memcpy(&got, next, sizeof got);
        const bool changed = i % 3 == 0 && i / 3 < RECORDS / 3;
        must(got.value == value_of(column, i) + (changed ? 2 : 0));
        must(got.changes == (changed ? 2 : 0));
    }
    must(tk_spill_column_read(&r, &next) == TK_OK);
    tk_spill_column_reading_close(&r);
}

static const size_t budgets[] = {0, 20000, 300000, 1 << 30};

static void keep_last_values(int _i, bool sealed_between)
{
    struct tk_spill_columns *store;
    struct tk_spill_column columns[COLUMNS];
    ck_assert_int_eq(tk_spill_columns_open(&store, NULL, budgets[_i]), TK_OK);
    for (unsigned k = 0; k < COLUMNS; k++)
        tk_spill_column_begin(&columns[k], store, sizeof(struct record));
    for (uint64_t i = 0; i < RECORDS; i++)
        for (unsigned k = 0; k < COLUMNS; k++)
            add(&columns[k], value_of(k, i));
    ck_assert_uint_le(tk_spill_columns_held(store), budgets[_i] + 512);
    ck_assert_int_eq(tk_spill_columns_spilled(store) > 0, _i < 3);
    for (unsigned pass = 1; pass <= 2; pass++) {
        for (unsigned k = 0; k < COLUMNS; k++)
            change_some(&columns[k], k, pass);
        if (pass == 1 && sealed_between)
            ck_assert_int_eq(tk_spill_columns_seal(store, NULL), TK_OK);
    }
    ck_assert_int_eq(tk_spill_columns_seal(store, NULL), TK_OK);
    for (unsigned k = 0; k < COLUMNS; k++)
        check_column(&columns[k], k);
    for (unsigned k = 0; k < COLUMNS; k++)
        tk_spill_column_release(&columns[k]);
    ck_assert_uint_eq(tk_spill_columns_held(store), 0);
    tk_spill_columns_close(store);
}

START_TEST(keeps_last_values)
{
    keep_last_values(_i, false);
}
END_TEST

/* As a recording that goes on in another capture. */
START_TEST(keeps_last_values_of_two_seals)
{
    keep_last_values(_i, true);
}
END_TEST

START_TEST(gets_single_records)
{
    struct tk_spill_columns *store;
    struct tk_spill_column c;
    struct record r;
    ck_assert_int_eq(tk_spill_columns_open(&store, NULL, budgets[_i]), TK_OK);
    tk_spill_column_begin(&c, store, sizeof r);
    for (uint64_t i = 0; i < 200000; i++)
        add(&c, i * 7);
    for (uint64_t i = 0; i < 200000; i += 1777) {
        must(tk_spill_column_get(&c, i, &r));
        must(r.value == i * 7);
    }
    ck_assert_int_eq(tk_spill_columns_error(store, NULL), TK_OK);
    tk_spill_column_release(&c);
    tk_spill_columns_close(store);
}
END_TEST

START_TEST(keeps_bytes)
{
    struct tk_spill_columns *store;
    struct tk_spill_column c;
    struct tk_spill_column_reading r;
    struct tk_err err = {0};
    const uint8_t *p;
    size_t n, total = 0;
    ck_assert_int_eq(tk_spill_columns_open(&store, NULL, budgets[_i]), TK_OK);
    tk_spill_column_begin(&c, store, 1);
    for (unsigned i = 0; i < 3000; i++) {
        uint8_t text[700];
        memset(text, (int)(i & 0xff), sizeof text);
        must(tk_spill_column_add_bytes(&c, text, sizeof text));
    }
    tk_spill_column_reading_open(&r, &c, &err);
    while (tk_spill_column_read_bytes(&r, 333, &p, &n) == TK_ITEM) {
        must(n <= 333);
        for (size_t k = 0; k < n; k++)
            must(p[k] == (uint8_t)((total + k) / 700));
        total += n;
    }
    ck_assert_uint_eq(total, 3000 * 700);
    tk_spill_column_reading_close(&r);
    tk_spill_column_release(&c);
    tk_spill_columns_close(store);
}
END_TEST

START_TEST(says_where_it_cannot_spill)
{
    struct tk_spill_columns *store;
    struct tk_spill_column c;
    struct tk_err err = {0};
    uint64_t n = 0;
    ck_assert_int_eq(tk_spill_columns_open(&store, "/nonexistent", 4096), TK_OK);
    tk_spill_column_begin(&c, store, sizeof(struct record));
    while (n < 100000 && tk_spill_column_add(&c))
        n++;
    ck_assert_uint_lt(n, 1000);
    ck_assert_int_eq(tk_spill_columns_error(store, &err), TK_EOUTPUT);
    ck_assert_uint_gt(err.n, 0);
    tk_spill_column_release(&c);
    tk_spill_columns_close(store);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {keeps_last_values, keeps_last_values_of_two_seals, gets_single_records,
                                  keeps_bytes, says_where_it_cannot_spill};
    return RUN_TESTS_EACH("spill_column", tests, 4);
}
