/*
 * The order of rows by a column. See row_order.h.
 */
#include "table/row_order.h"

#include "table/cell.h"

static bool comes_after(const struct tk_row_order *o, const struct tk_cell *a, const struct tk_cell *b)
{
    a += o->column;
    b += o->column;
    unsigned absent_a = tk_cell_absence(a), absent_b = tk_cell_absence(b);
    if (absent_a || absent_b)
        return absent_a > absent_b;
    int c = tk_cell_compare(a, b);
    return o->descending ? c < 0 : c > 0;
}

static void merge_runs(const struct tk_row_order *o, const struct tk_cell **out, const struct tk_cell **in,
                       size_t middle, size_t end)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < end; i++) {
        bool second = a == middle || (b < end && comes_after(o, in[a], in[b]));
        out[i] = second ? in[b++] : in[a++];
    }
}

/* Merge sort from below: stable, no recursion. Returns which of the two arrays holds the result. */
const struct tk_cell **tk_row_order_sort(const struct tk_row_order *o, const struct tk_cell **rows,
                                         const struct tk_cell **spare, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t left = n - at;
            size_t end = left < 2 * run ? left : 2 * run;
            merge_runs(o, spare + at, rows + at, end < run ? end : run, end);
        }
        const struct tk_cell **swap = rows;
        rows = spare;
        spare = swap;
    }
    return rows;
}
