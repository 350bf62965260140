/* Tests of results: copies that outlive what they were made of, sorting, cutting, replaying. */
#include "run.h"
#include "table/cell.h"
#include "table/sink.h"
#include "tracekit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tk_column columns[] = {{"name", TK_TEXT, 0, NULL, "The name."},
                                           {"count", TK_UINT, 0, "calls", "How many."},
                                           {"mean", TK_MEAN, TK_COL_EXTRA, NULL, NULL}};
static const struct tk_table table = {.name = "timers",
                                      .help = "Timers.",
                                      .columns = columns,
                                      .n_columns = 3,
                                      .unit = TK_UNIT_MS,
                                      .sort_by = "count"};

static struct tk_cell text(const char *s)
{
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s};
}

static struct tk_cell number(uint64_t v)
{
    return (struct tk_cell){.kind = TK_UINT, .v.u = v};
}

static struct tk_cell mean(double v)
{
    return (struct tk_cell){.kind = TK_MEAN, .v.r = v};
}

static const struct tk_cell none = {.kind = TK_NONE};

static struct tk_result *empty_result(void)
{
    struct tk_result *r;
    ck_assert_int_eq(tk_result_new(&r, NULL), TK_OK);
    return r;
}

static void send(struct tk_result *r, const struct tk_table *t, const struct tk_cell *cells, size_t n)
{
    struct tk_sink sink = tk_result_sink(r);
    struct tk_rows rows = {.n = n, .cells = cells};
    ck_assert_int_eq(sink.begin(sink.self, t, NULL), TK_OK);
    ck_assert_int_eq(sink.rows(sink.self, t, &rows, NULL), TK_OK);
    if (sink.end)
        ck_assert_int_eq(sink.end(sink.self, t, NULL), TK_OK);
}

/* The names of all rows, one after another. */
static const char *names_of(const struct tk_result *r)
{
    static char all[256];
    size_t n = 0, rows;
    tk_result_table(r, 0, &rows);
    for (size_t i = 0; i < rows; i++) {
        const struct tk_cell *c = tk_result_row(r, 0, i);
        n += (size_t)snprintf(all + n, sizeof all - n, "%.*s", (int)c->n, (const char *)c->v.p);
    }
    return n ? all : "";
}

START_TEST(keeps_copies)
{
    struct tk_result *r = empty_result();
    char name[] = "Tick", column[] = "name", title[] = "timers";
    struct tk_column own[] = {{column, TK_TEXT, 0, NULL, NULL}};
    struct tk_table described = {.name = title, .columns = own, .n_columns = 1};
    struct tk_cell cell = text(name);
    size_t n = 0;
    send(r, &described, &cell, 1);
    memset(name, 'x', sizeof name);
    memset(column, 'x', sizeof column);
    memset(title, 'x', sizeof title);
    memset(own, 0, sizeof own);
    const struct tk_table *kept = tk_result_table(r, 0, &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(kept->name, "timers");
    ck_assert_str_eq(kept->columns[0].name, "name");
    ck_assert_str_eq(names_of(r), "Tick");
    tk_result_free(r);
}
END_TEST

START_TEST(keeps_descriptions_whole)
{
    struct tk_result *r = empty_result();
    size_t n = 7;
    send(r, &table, NULL, 0);
    const struct tk_table *kept = tk_result_table(r, 0, &n);
    ck_assert_uint_eq(n, 0);
    ck_assert_uint_eq(tk_result_count(r), 1);
    ck_assert_str_eq(kept->help, "Timers.");
    ck_assert_str_eq(kept->sort_by, "count");
    ck_assert_int_eq(kept->unit, TK_UNIT_MS);
    ck_assert_str_eq(kept->columns[1].unit, "calls");
    ck_assert_ptr_null(kept->columns[2].help);
    ck_assert_int_eq(kept->columns[2].flags, TK_COL_EXTRA);
    tk_result_free(r);
}
END_TEST

/* A record whose values stand in a buffer that is overwritten. */
static void field_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    *out = ((const struct tk_cell *)rec->impl)[field];
}

START_TEST(keeps_records_lists_and_arrays)
{
    struct tk_result *r = empty_result();
    char inner_text[] = "deep";
    uint8_t packed[] = {1, 0, 2, 0};
    char first[] = "A", second[] = "B";
    struct tk_str fields[] = {{first, 1, 0}, {second, 1, 0}};
    struct tk_record_type type = {.name = "X.Y", .n_fields = 2, .fields = fields, .value = field_value};
    struct tk_cell list[] = {text(inner_text), number(9)};
    struct tk_cell values[] = {{.kind = TK_LIST, .n = 2, .v.p = list},
                               {.kind = TK_ARRAY, .elem = TK_UINT, .width = 2, .n = 2, .v.p = packed}};
    struct tk_record rec = {&type, values};
    struct tk_cell cell = {.kind = TK_RECORD, .v.p = &rec};
    struct tk_column one[] = {{"fields", TK_RECORD, 0, NULL, NULL}};
    struct tk_table t = {.name = "events", .columns = one, .n_columns = 1};
    send(r, &t, &cell, 1);
    memset(inner_text, 0, sizeof inner_text);
    memset(packed, 0, sizeof packed);
    memset(list, 0, sizeof list);
    memset(values, 0, sizeof values);
    memset(fields, 0, sizeof fields);
    first[0] = second[0] = 'z';
    const struct tk_record *kept = tk_result_row(r, 0, 0)->v.p;
    struct tk_cell out, element;
    ck_assert_str_eq(kept->type->name, "X.Y");
    ck_assert_uint_eq(kept->type->n_fields, 2);
    ck_assert(kept->type->fields[0].p[0] == 'A' && kept->type->fields[1].p[0] == 'B');
    kept->type->value(kept, 0, &out);
    ck_assert(out.kind == TK_LIST && out.n == 2);
    ck_assert(memcmp(((const struct tk_cell *)out.v.p)[0].v.p, "deep", 4) == 0);
    kept->type->value(kept, 1, &out);
    tk_cell_element(&out, 1, &element);
    ck_assert_uint_eq(element.v.u, 2);
    kept->type->value(kept, 2, &out);
    ck_assert_int_eq(out.kind, TK_NONE);
    tk_result_free(r);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    struct tk_cell nest[TK_CELL_DEPTH + 1];
    struct tk_column one[] = {{"v", TK_LIST, 0, NULL, NULL}};
    struct tk_table t = {.name = "t", .columns = one, .n_columns = 1};
    struct tk_err err = {0};
    nest[0] = number(1);
    for (size_t i = 1; i <= TK_CELL_DEPTH; i++)
        nest[i] = (struct tk_cell){.kind = TK_LIST, .n = 1, .v.p = &nest[i - 1]};
    struct tk_result *r = empty_result();
    send(r, &t, &nest[TK_CELL_DEPTH], 1);
    struct tk_cell deeper = {.kind = TK_LIST, .n = 1, .v.p = &nest[TK_CELL_DEPTH]};
    struct tk_sink sink = tk_result_sink(r);
    struct tk_rows rows = {.n = 1, .cells = &deeper};
    ck_assert_int_eq(sink.rows(sink.self, &t, &rows, &err), TK_ELIMIT);
    ck_assert_uint_eq(err.n, 1);
    tk_result_free(r);
}
END_TEST

static struct tk_result *letters(void)
{
    struct tk_result *r = empty_result();
    const struct tk_cell cells[] = {
        text("a"), number(3), none,      text("b"), number(1), mean(2.5), text("c"),
        none,      mean(NAN), text("d"), number(3), mean(-1),  text("e"), number(2),
        mean(9),   text("f"), number(1), mean(2.5), text("g"), none,      mean(1e9),
    };
    send(r, &table, cells, 7);
    return r;
}

START_TEST(sorts_stably)
{
    struct tk_result *r = letters();
    ck_assert_int_eq(tk_result_sort(r, 0, "count", true, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "adebfcg");
    ck_assert_int_eq(tk_result_sort(r, 0, "name", false, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "abcdefg");
    ck_assert_int_eq(tk_result_sort(r, 0, "count", false, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "bfeadcg");
    ck_assert_int_eq(tk_result_sort(r, 0, "name", true, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "gfedcba");
    tk_result_free(r);
}
END_TEST

/* NaN stands behind all numbers and before missing values, whichever way is sorted. */
START_TEST(sorts_missing_values_last)
{
    struct tk_result *r = letters();
    ck_assert_int_eq(tk_result_sort(r, 0, "mean", false, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "dbfegca");
    tk_result_free(r);
    r = letters();
    ck_assert_int_eq(tk_result_sort(r, 0, "mean", true, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "gebfdca");
    tk_result_free(r);
}
END_TEST

START_TEST(sorts_by_what_is_there)
{
    struct tk_result *r = letters();
    struct tk_err err = {0};
    ck_assert_int_eq(tk_result_sort(r, 0, "total", true, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "table 'timers' has no column 'total'");
    ck_assert_str_eq(names_of(r), "abcdefg");
    tk_result_free(r);
}
END_TEST

START_TEST(cuts)
{
    struct tk_result *r = letters();
    tk_result_sort(r, 0, "count", true, NULL);
    tk_result_top(r, 0, 100);
    ck_assert_str_eq(names_of(r), "adebfcg");
    tk_result_top(r, 0, 3);
    ck_assert_str_eq(names_of(r), "ade");
    ck_assert_int_eq(tk_result_sort(r, 0, "name", true, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "eda");
    tk_result_top(r, 0, 0);
    ck_assert_str_eq(names_of(r), "");
    tk_result_free(r);
}
END_TEST

/* Many rows: every length of runs, several batches in a replay. */
START_TEST(sorts_and_replays_many)
{
    enum { N = 1000 };
    static struct tk_cell cells[3 * N];
    struct tk_result *r = empty_result(), *again = empty_result();
    for (unsigned i = 0; i < N; i++) {
        cells[3 * i] = number(i);
        cells[3 * i + 1] = number(i * 7919 % 97);
        cells[3 * i + 2] = none;
    }
    send(r, &table, cells, N);
    ck_assert_int_eq(tk_result_sort(r, 0, "count", false, NULL), TK_OK);
    struct tk_sink sink = tk_result_sink(again);
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_OK);
    size_t n = 0;
    tk_result_table(again, 0, &n);
    ck_assert_uint_eq(n, N);
    for (size_t i = 1; i < N; i++) {
        const struct tk_cell *a = tk_result_row(again, 0, i - 1), *b = tk_result_row(again, 0, i);
        ck_assert(a[1].v.u < b[1].v.u || (a[1].v.u == b[1].v.u && a[0].v.u < b[0].v.u));
    }
    tk_result_free(again);
    tk_result_free(r);
}
END_TEST

struct counter {
    unsigned begins, rows, ends;
    int answer;
};

static int count_begin(void *self, const struct tk_table *t, struct tk_err *err)
{
    (void)t, (void)err;
    ((struct counter *)self)->begins++;
    return TK_OK;
}

static int count_rows(void *self, const struct tk_table *t, const struct tk_rows *rows, struct tk_err *err)
{
    struct counter *c = self;
    (void)t, (void)err;
    c->rows += (unsigned)rows->n;
    return c->answer;
}

static int count_end(void *self, const struct tk_table *t, struct tk_err *err)
{
    (void)t, (void)err;
    ((struct counter *)self)->ends++;
    return TK_OK;
}

START_TEST(replays_until_the_sink_refuses)
{
    struct tk_result *r = letters();
    struct counter seen = {0};
    struct tk_sink sink = {&seen, count_begin, count_rows, count_end};
    send(r, &table, NULL, 0);
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_OK);
    ck_assert(seen.begins == 2 && seen.rows == 7 && seen.ends == 2);
    seen = (struct counter){.answer = TK_EPIPE};
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_EPIPE);
    ck_assert(seen.begins == 1 && seen.ends == 0);
    struct tk_sink deaf = {.self = NULL};
    ck_assert_int_eq(tk_result_replay(r, &deaf, NULL), TK_OK);
    tk_result_free(r);
    tk_result_free(NULL);
}
END_TEST

/* Rows that were sent to a sink, which borrow what their cells point to. */
struct heard {
    struct tk_cell cells[64];
    size_t n;
};

static int hear_rows(void *self, const struct tk_table *t, const struct tk_rows *rows, struct tk_err *err)
{
    struct heard *h = self;
    (void)err;
    memcpy(h->cells + h->n, rows->cells, rows->n * t->n_columns * sizeof *rows->cells);
    h->n += rows->n * t->n_columns;
    return TK_OK;
}

static struct heard replayed(const struct tk_result *r)
{
    struct heard h = {.n = 0};
    const struct tk_sink sink = {.self = &h, .rows = hear_rows};
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_OK);
    return h;
}

static struct tk_result *packed_result(const struct tk_table *t, const struct tk_cell *cells, size_t n)
{
    struct tk_result *r = empty_result();
    tk_result_pack(r);
    send(r, t, cells, n);
    return r;
}

START_TEST(packed_rows_come_back_as_they_were)
{
    const struct tk_column one[] = {{"v", TK_UINT, 0, NULL, NULL}};
    const struct tk_table t = {.name = "t", .columns = one, .n_columns = 1};
    const uint8_t words[] = {1, 0, 2, 0};
    const struct tk_cell list[] = {text("deep"), number(9)};
    const struct tk_cell cells[] = {
        none,
        {.kind = TK_BOOL, .v.u = 1},
        {.kind = TK_INT, .v.i = INT64_MIN},
        {.kind = TK_INT, .v.i = -1, .width = 4},
        number(0),
        number(127),
        number(UINT64_MAX),
        {.kind = TK_HEX, .v.u = UINT64_C(1) << 63},
        {.kind = TK_SIZE, .v.u = 128},
        {.kind = TK_TIME, .v.i = INT64_MAX},
        {.kind = TK_DURATION, .v.i = -300},
        mean(-0.0),
        mean(NAN),
        {.kind = TK_REAL32, .v.r = 1.5},
        {.kind = TK_REAL, .v.r = 1e300},
        text("Tick"),
        text(""),
        text("Tick"),
        {.kind = TK_TEXT, .enc = TK_ENC_UTF16, .n = 4, .v.p = "Tick"},
        {.kind = TK_BYTES, .n = 4, .v.p = words},
        {.kind = TK_ARRAY, .elem = TK_UINT, .width = 2, .n = 2, .v.p = words},
        {.kind = TK_LIST, .n = 2, .v.p = list},
    };
    const size_t n = sizeof cells / sizeof *cells;
    struct tk_result *r = packed_result(&t, cells, n);
    const struct heard h = replayed(r);
    ck_assert_uint_eq(h.n, n);
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *a = &cells[i], *b = &h.cells[i];
        ck_assert(a->kind == b->kind && a->enc == b->enc && a->elem == b->elem && a->width == b->width);
        ck_assert_uint_eq(a->n, b->n);
        if (a->kind < TK_TEXT)
            ck_assert(memcmp(&a->v, &b->v, sizeof a->v) == 0);
        else if (a->kind < TK_LIST)
            ck_assert(b->v.p != a->v.p && memcmp(a->v.p, b->v.p, (size_t)a->n) == 0);
    }
    ck_assert(tk_cell_compare((const struct tk_cell *)h.cells[n - 1].v.p, &list[0]) == 0);
    ck_assert(h.cells[15].v.p == h.cells[17].v.p && h.cells[15].v.p != h.cells[18].v.p);
    ck_assert_ptr_null(tk_result_row(r, 0, 0));
    ck_assert_ptr_null(tk_result_cell(r, 0, 0, 0));
    tk_result_free(r);
}
END_TEST

/* The names of packed rows, one after another. */
static const char *packed_names(const struct tk_result *r)
{
    static char all[64];
    const struct heard h = replayed(r);
    size_t n = 0;
    for (size_t i = 0; i < h.n; i += 3)
        n += (size_t)snprintf(all + n, sizeof all - n, "%.*s", (int)h.cells[i].n,
                              (const char *)h.cells[i].v.p);
    return n ? all : "";
}

static bool has_mean(void *ctx, const struct tk_cell *row)
{
    ++*(unsigned *)ctx;
    return row[2].kind == TK_MEAN;
}

/* The orders are those of sorts_stably, sorts_missing_values_last and cuts. */
START_TEST(packed_rows_are_sorted_and_cut)
{
    struct tk_result *plain = letters();
    const struct heard cells = replayed(plain);
    struct tk_result *r = packed_result(&table, cells.cells, 7);
    unsigned requested = 0;
    ck_assert_int_eq(tk_result_sort(r, 0, "total", true, NULL), TK_EMATCH);
    ck_assert_str_eq(packed_names(r), "abcdefg");
    ck_assert_int_eq(tk_result_sort(r, 0, "mean", false, NULL), TK_OK);
    ck_assert_str_eq(packed_names(r), "dbfegca");
    ck_assert_int_eq(tk_result_sort(r, 0, "name", false, NULL), TK_OK);
    ck_assert_int_eq(tk_result_sort(r, 0, "count", true, NULL), TK_OK);
    ck_assert_str_eq(packed_names(r), "adebfcg");
    ck_assert_str_eq(tk_result_table(r, 0, NULL)->sort_by, "count");
    ck_assert_int_eq(tk_result_keep(r, 0, has_mean, &requested, NULL), TK_OK);
    ck_assert_uint_eq(requested, 7);
    ck_assert_str_eq(packed_names(r), "debfcg");
    tk_result_top(r, 0, 4);
    ck_assert_str_eq(packed_names(r), "debf");
    ck_assert_int_eq(tk_result_sort(r, 0, "name", true, NULL), TK_OK);
    ck_assert_str_eq(packed_names(r), "fedb");
    tk_result_top(r, 0, 0);
    ck_assert_str_eq(packed_names(r), "");
    tk_result_free(r);
    tk_result_free(plain);
}
END_TEST

/* Batches of a replay, with an order and without. */
START_TEST(packed_rows_of_many_batches)
{
    enum { N = 1000 };
    static struct tk_cell cells[3 * N];
    for (unsigned i = 0; i < N; i++) {
        cells[3 * i] = number(i);
        cells[3 * i + 1] = number(i * 7919 % 97);
        cells[3 * i + 2] = none;
    }
    struct tk_result *r = packed_result(&table, cells, N), *again = empty_result(), *sorted = empty_result();
    struct tk_sink sink = tk_result_sink(again), other = tk_result_sink(sorted);
    ck_assert_int_eq(tk_result_replay(r, &sink, NULL), TK_OK);
    for (size_t i = 0; i < N; i++)
        must(tk_result_row(again, 0, i)[0].v.u == i);
    ck_assert_int_eq(tk_result_sort(r, 0, "count", false, NULL), TK_OK);
    ck_assert_int_eq(tk_result_replay(r, &other, NULL), TK_OK);
    for (size_t i = 1; i < N; i++) {
        const struct tk_cell *a = tk_result_row(sorted, 0, i - 1), *b = tk_result_row(sorted, 0, i);
        must(a[1].v.u < b[1].v.u || (a[1].v.u == b[1].v.u && a[0].v.u < b[0].v.u));
    }
    tk_result_free(sorted);
    tk_result_free(again);
    tk_result_free(r);
}
END_TEST

/* Too late: the rows are cells already. */
START_TEST(rows_that_are_there_are_not_packed)
{
    struct tk_result *r = letters();
    tk_result_pack(r);
    ck_assert_int_eq(tk_result_sort(r, 0, "name", true, NULL), TK_OK);
    ck_assert_str_eq(names_of(r), "gfedcba");
    ck_assert_uint_eq(replayed(r).n, 21); /* cells */
    tk_result_free(r);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        keeps_copies,
        keeps_descriptions_whole,
        keeps_records_lists_and_arrays,
        nesting_has_a_limit,
        sorts_stably,
        sorts_missing_values_last,
        sorts_by_what_is_there,
        cuts,
        sorts_and_replays_many,
        replays_until_the_sink_refuses,
        packed_rows_come_back_as_they_were,
        packed_rows_are_sorted_and_cut,
        packed_rows_of_many_batches,
        rows_that_are_there_are_not_packed,
    };
    return RUN_TESTS("result", tests);
}
