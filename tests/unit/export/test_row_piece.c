/* Tests of rows that are copied to a piece: what they were when they were copied, whatever comes to where
 * they stood. */
#include "export/export_in.h"
#include "run.h"
#include "table/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tk_column columns[] = {{"n", TK_UINT, 0, NULL, ""}, {"text", TK_TEXT, 0, NULL, ""}};
static const struct tk_table table = {.name = "t", .columns = columns, .n_columns = 2};
static const struct tk_table other = {.name = "o", .columns = columns, .n_columns = 2};

static struct tk_row_piece piece;

static enum tk_row_copied copy(uint64_t n, const char *text, size_t length)
{
    const struct tk_cell cells[] = {tk_cell_of_uint(n),
                                    {.kind = TK_TEXT, .n = (uint32_t)length, .v.p = text}};
    const struct tk_rows rows = {.n = 1, .cells = cells};
    size_t at = 0;
    const enum tk_row_copied copied = tk_row_piece_copy(&piece, &table, &rows, &at);
    ck_assert_uint_eq(at, copied == TK_ROWS_ALL);
    return copied;
}

static void has(size_t row, uint64_t n, const char *text)
{
    const struct tk_cell *cells = tk_row_piece_rows(&piece).cells + row * 2;
    ck_assert_uint_eq(cells[0].v.u, n);
    ck_assert_uint_eq(cells[1].n, strlen(text));
    ck_assert_mem_eq(cells[1].v.p, text, strlen(text));
}

START_TEST(texts_stay_as_they_were)
{
    char text[] = "first";
    ck_assert_int_eq(copy(1, text, 5), TK_ROWS_ALL);
    memcpy(text, "other", 5);
    ck_assert_int_eq(copy(2, text, 5), TK_ROWS_ALL);
    ck_assert_int_eq(copy(3, text, 3), TK_ROWS_ALL); /* less of it */
    ck_assert_int_eq(copy(4, text, 0), TK_ROWS_ALL);
    memcpy(text, "first", 5);
    ck_assert_int_eq(copy(5, text, 5), TK_ROWS_ALL);
    memset(text, 'x', 5);
    has(0, 1, "first"), has(1, 2, "other"), has(2, 3, "oth"), has(3, 4, ""), has(4, 5, "first");
    tk_row_piece_clear(&piece);
    ck_assert_uint_eq(tk_row_piece_rows(&piece).n, 0);
    ck_assert_int_eq(copy(6, text, 5), TK_ROWS_ALL);
    has(0, 6, "xxxxx");
    tk_row_piece_release(&piece);
    piece = (struct tk_row_piece){0};
}
END_TEST

/* A new text in each row, at one address: more bytes than the piece has space for. */
START_TEST(what_has_no_space_comes_next)
{
    char text[1001];
    size_t filled = 0;
    for (unsigned round = 0; round < 5; round++) {
        unsigned n = 0;
        for (;; n++) {
            snprintf(text, sizeof text, "%01000u", round * 10000 + n);
            if (copy(n, text, 1000) == TK_ROWS_FULL)
                break;
        }
        ck_assert_uint_ge(n, 200);
        ck_assert_uint_eq(tk_row_piece_rows(&piece).n, n);
        for (unsigned i = 0; i < n; i++) {
            snprintf(text, sizeof text, "%01000u", round * 10000 + i);
            has(i, i, text);
        }
        filled += n;
        tk_row_piece_clear(&piece);
    }
    ck_assert_uint_ge(filled, 1000);
    tk_row_piece_release(&piece);
    piece = (struct tk_row_piece){0};
}
END_TEST

START_TEST(what_cannot_be_copied_is_reported)
{
    char *large = calloc(1, 1 << 20);
    const struct tk_cell cells[] = {tk_cell_of_uint(1), {.kind = TK_BYTES, .n = 1, .v.p = large}};
    const struct tk_rows rows = {.n = 1, .cells = cells};
    size_t at = 0;
    ck_assert_int_eq(copy(1, large, 1 << 20), TK_ROWS_DEEP);
    ck_assert_int_eq(tk_row_piece_copy(&piece, &table, &rows, &at), TK_ROWS_DEEP);
    ck_assert_int_eq(copy(1, "a", 1), TK_ROWS_ALL);
    ck_assert_int_eq(copy(1, large, 1 << 20), TK_ROWS_FULL);
    ck_assert_int_eq(tk_row_piece_copy(&piece, &other, &rows, &at), TK_ROWS_FULL);
    ck_assert_uint_eq(at, 0);
    has(0, 1, "a");
    tk_row_piece_release(&piece);
    piece = (struct tk_row_piece){0};
    free(large);
}
END_TEST

START_TEST(a_piece_has_2048_rows)
{
    for (unsigned i = 0; i < 2048; i++)
        ck_assert_int_eq(copy(i, "same", 4), TK_ROWS_ALL);
    ck_assert_int_eq(copy(1, "same", 4), TK_ROWS_FULL);
    has(2047, 2047, "same");
    tk_row_piece_release(&piece);
    piece = (struct tk_row_piece){0};
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {texts_stay_as_they_were, what_has_no_space_comes_next,
                                  what_cannot_be_copied_is_reported, a_piece_has_2048_rows};
    return RUN_TESTS("row_piece", tests);
}
