/*
 * Rows as bytes: cells of all kinds come back as they were; bytes that are cut, changed or too many are a
 * fault. It stands alongside libtrace/kept/answers.
 */
#include "kept/kept_in.h"
#include "run.h"
#include "table/cell.h"

#include <string.h>

static const struct tk_str fields[] = {{.p = "x", .n = 1}, {.p = "", .n = 0}};
static const struct tk_cell inside[] = {{.kind = TK_INT, .v.i = -7}, {.kind = TK_NONE}};

static void value_of(const struct tk_record *record, uint32_t field, struct tk_cell *out)
{
    *out = ((const struct tk_cell *)record->impl)[field];
}

static const struct tk_str event = {.p = "Ev\xff", .n = 3, .enc = TK_ENC_BYTES};
static const struct tk_record_type type = {
    .name = "Ev", .text = &event, .n_fields = 2, .fields = fields, .value = value_of, .named = true};
static const struct tk_record record = {&type, inside};

static const struct tk_cell list[] = {{.kind = TK_RECORD, .v.p = &record},
                                      {.kind = TK_TEXT, .n = 2, .v.p = "ab", .enc = TK_ENC_UTF16}};

static const struct tk_cell cells[] = {
    {.kind = TK_NONE},
    {.kind = TK_BOOL, .v.u = 1},
    {.kind = TK_INT, .v.i = INT64_MIN, .width = 8},
    {.kind = TK_UINT, .v.u = UINT64_MAX, .width = 1},
    {.kind = TK_HEX, .v.u = 0xabc},
    {.kind = TK_REAL32, .v.r = 0.5},
    {.kind = TK_REAL, .v.r = -1e300},
    {.kind = TK_TIME, .v.i = INT64_MAX},
    {.kind = TK_DURATION, .v.i = -1},
    {.kind = TK_MEAN, .v.r = 1.0 / 3},
    {.kind = TK_SIZE, .v.u = 1 << 20},
    {.kind = TK_TEXT, .n = 0, .v.p = ""},
    {.kind = TK_BYTES, .n = 3, .v.p = "\0\1\2"},
    {.kind = TK_ARRAY, .elem = TK_UINT, .width = 2, .n = 2, .v.p = "\1\0\2\0"},
    {.kind = TK_LIST, .n = 2, .v.p = list},
};

enum { CELLS = sizeof cells / sizeof *cells };

static struct tk_kept_bytes put_all(void)
{
    struct tk_kept_bytes out = {.failed = false};
    ck_assert(tk_kept_cells_put(&out, cells, CELLS));
    return out;
}

static void expect_same(const struct tk_cell *a, const struct tk_cell *b)
{
    const size_t bytes = (size_t)a->n * (a->kind == TK_ARRAY ? a->width : 1);
    must(a->kind == b->kind && a->width == b->width && a->enc == b->enc && a->elem == b->elem);
    must(a->kind == TK_RECORD || a->n == b->n);
    if (a->kind == TK_TEXT || a->kind == TK_BYTES || a->kind == TK_ARRAY)
        must(memcmp(a->v.p, b->v.p, bytes) == 0);
    else if (a->kind < TK_TEXT)
        must(memcmp(&a->v, &b->v, sizeof a->v) == 0);
}

static void expect_record(const struct tk_record *r)
{
    struct tk_cell value;
    ck_assert_str_eq(r->type->name, "Ev");
    ck_assert_ptr_null(r->type->family);
    ck_assert(r->type->named);
    ck_assert_uint_eq(r->type->n_fields, 2);
    ck_assert_mem_eq(r->type->text->p, event.p, 3);
    ck_assert_uint_eq(r->type->text->enc, TK_ENC_BYTES);
    ck_assert_mem_eq(r->type->fields[0].p, "x", 1);
    for (uint32_t i = 0; i < 2; i++) {
        r->type->value(r, i, &value);
        expect_same(&inside[i], &value);
    }
    r->type->value(r, 2, &value);
    ck_assert_uint_eq(value.kind, TK_NONE);
}

START_TEST(cells_come_back)
{
    struct tk_kept_bytes bytes = put_all();
    struct tk_cur c = tk_cur_of(bytes.bytes.v, bytes.bytes.n);
    struct tk_kept_cells back = {.cells = {.n = 0}};
    ck_assert_int_eq(tk_kept_cells_take(&c, &back, CELLS), TK_OK);
    ck_assert(tk_cur_ok(&c) && !tk_cur_left(&c));
    for (size_t i = 0; i < CELLS; i++)
        expect_same(&cells[i], &back.cells.v[i]);
    const struct tk_cell *inner = back.cells.v[CELLS - 1].v.p;
    expect_same(&list[1], &inner[1]);
    expect_record(inner[0].v.p);
    tk_kept_cells_release(&back);
    tk_kept_release(&bytes);
}
END_TEST

START_TEST(bytes_that_are_cut_are_a_fault)
{
    struct tk_kept_bytes bytes = put_all();
    for (size_t n = 0; n < bytes.bytes.n; n++) {
        uint8_t *part = malloc(n + 1); /* so that a sanitizer sees what is read behind it */
        struct tk_cur c = tk_cur_of(part, n);
        struct tk_kept_cells back = {.cells = {.n = 0}};
        memcpy(part, bytes.bytes.v, n);
        part = realloc(part, n ? n : 1);
        c = tk_cur_of(part, n);
        must(tk_kept_cells_take(&c, &back, CELLS) == TK_OK);
        must(!tk_cur_ok(&c));
        tk_kept_cells_release(&back);
        free(part);
    }
    tk_kept_release(&bytes);
}
END_TEST

START_TEST(no_byte_reads_beyond)
{
    struct tk_kept_bytes bytes = put_all();
    for (size_t at = 0; at < bytes.bytes.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct tk_cur c = tk_cur_of(bytes.bytes.v, bytes.bytes.n);
            struct tk_kept_cells back = {.cells = {.n = 0}};
            bytes.bytes.v[at] ^= (uint8_t)(1u << bit);
            must(tk_kept_cells_take(&c, &back, CELLS) == TK_OK);
            must(back.cells.n <= CELLS);
            bytes.bytes.v[at] ^= (uint8_t)(1u << bit);
            tk_kept_cells_release(&back);
        }
    tk_kept_release(&bytes);
}
END_TEST

/* Lists in lists, as deep as cells may be, and deeper. */
START_TEST(depth_has_a_limit)
{
    struct tk_cell nested[TK_CELL_DEPTH + 1] = {{.kind = TK_INT}};
    for (unsigned i = 1; i <= TK_CELL_DEPTH; i++)
        nested[i] = (struct tk_cell){.kind = TK_LIST, .n = 1, .v.p = &nested[i - 1]};
    struct tk_kept_bytes out = {.failed = false};
    ck_assert(tk_kept_cells_put(&out, &nested[TK_CELL_DEPTH - 1], 1));
    ck_assert(!tk_kept_cells_put(&out, &nested[TK_CELL_DEPTH], 1));
    tk_kept_release(&out);

    uint8_t deep[200];
    memset(deep, 1, sizeof deep);
    for (size_t i = 0; i < sizeof deep; i += 2)
        deep[i] = TK_LIST;
    struct tk_cur c = tk_cur_of(deep, sizeof deep);
    struct tk_kept_cells back = {.cells = {.n = 0}};
    ck_assert_int_eq(tk_kept_cells_take(&c, &back, 1), TK_OK);
    ck_assert(!tk_cur_ok(&c));
    tk_kept_cells_release(&back);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {cells_come_back, bytes_that_are_cut_are_a_fault, no_byte_reads_beyond,
                                  depth_has_a_limit};
    return RUN_TESTS("kept-row_bytes", tests);
}
