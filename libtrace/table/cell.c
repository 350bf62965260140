/*
 * Elements of packed arrays, the order of cells, columns by name. Builders and sinks use it.
 */
#include "table/cell.h"

#include "base/cursor.h"

#include <math.h>
#include <string.h>

static int64_t sign_extended(uint64_t v, unsigned width)
{
    unsigned shift = 64 - 8 * width;
    return (int64_t)(v << shift) >> shift;
}

static double real_of(uint64_t bits, unsigned width)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double wide;
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    return width == 4 ? (double)single : wide;
}

void tk_cell_element(const struct tk_cell *array, uint32_t i, struct tk_cell *out)
{
    unsigned width = array->width;
    *out = (struct tk_cell){.kind = TK_NONE};
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return;
    uint64_t bits = tk_load_le((const uint8_t *)array->v.p + (size_t)i * width, width);
    out->width = array->width;
    out->kind = array->elem;
    if (array->elem == TK_INT) {
        out->v.i = sign_extended(bits, width);
    } else if (array->elem == TK_REAL || array->elem == TK_REAL32) {
        if (width < 4)
            out->kind = TK_NONE;
        else
            out->v.r = real_of(bits, width);
    } else {
        out->kind = array->elem == TK_BOOL || array->elem == TK_HEX ? array->elem : TK_UINT;
        out->v.u = bits;
    }
}

enum shape { SHAPE_SIGNED, SHAPE_UNSIGNED, SHAPE_REAL, SHAPE_TEXT, SHAPE_OTHER };

static enum shape shape_of(const struct tk_cell *c)
{
    static const uint8_t shapes[] = {
        [TK_NONE] = SHAPE_OTHER,    [TK_BOOL] = SHAPE_UNSIGNED, [TK_INT] = SHAPE_SIGNED,
        [TK_UINT] = SHAPE_UNSIGNED, [TK_HEX] = SHAPE_UNSIGNED,  [TK_REAL32] = SHAPE_REAL,
        [TK_REAL] = SHAPE_REAL,     [TK_TIME] = SHAPE_SIGNED,   [TK_DURATION] = SHAPE_SIGNED,
        [TK_MEAN] = SHAPE_REAL,     [TK_SIZE] = SHAPE_UNSIGNED, [TK_TEXT] = SHAPE_TEXT,
        [TK_BYTES] = SHAPE_TEXT,    [TK_ARRAY] = SHAPE_OTHER,   [TK_LIST] = SHAPE_OTHER,
        [TK_RECORD] = SHAPE_OTHER,
    };
    return c->kind < sizeof shapes ? (enum shape)shapes[c->kind] : SHAPE_OTHER;
}

unsigned tk_cell_absence(const struct tk_cell *c)
{
    if (c->kind == TK_NONE)
        return 2;
    return shape_of(c) == SHAPE_REAL && isnan(c->v.r);
}

static int compare_integers(const struct tk_cell *a, enum shape sa, const struct tk_cell *b, enum shape sb)
{
    bool minus_a = sa == SHAPE_SIGNED && a->v.i < 0;
    bool minus_b = sb == SHAPE_SIGNED && b->v.i < 0;
    if (minus_a != minus_b)
        return minus_a ? -1 : 1;
    /* Of one sign, two's complement bits are in order. */
    return (a->v.u > b->v.u) - (a->v.u < b->v.u);
}

/* Exact: a 64-bit integer has no double of its own above 2^53. */
static int compare_mixed(const struct tk_cell *a, enum shape sa, double r)
{
    struct tk_cell whole = {.kind = TK_INT};
    if (isnan(r))
        return -1;
    if (r >= 0x1p64)
        return -1;
    if (r < -0x1p63)
        return 1;
    double down = floor(r);
    enum shape sw = down < 0 ? SHAPE_SIGNED : SHAPE_UNSIGNED;
    if (down < 0)
        whole.v.i = (int64_t)down;
    else
        whole.v.u = (uint64_t)down;
    int c = compare_integers(a, sa, &whole, sw);
    return c ? c : down < r ? -1 : 0;
}

static int compare_numbers(const struct tk_cell *a, enum shape sa, const struct tk_cell *b, enum shape sb)
{
    if (sa == SHAPE_REAL && sb == SHAPE_REAL)
        return (a->v.r > b->v.r) - (a->v.r < b->v.r);
    if (sb == SHAPE_REAL)
        return compare_mixed(a, sa, b->v.r);
    if (sa == SHAPE_REAL)
        return -compare_mixed(b, sb, a->v.r);
    return compare_integers(a, sa, b, sb);
}

static int compare_bytes(const struct tk_cell *a, const struct tk_cell *b)
{
    uint32_t n = a->n < b->n ? a->n : b->n;
    int c = n ? memcmp(a->v.p, b->v.p, n) : 0;
    return c ? c : (a->n > b->n) - (a->n < b->n);
}

int tk_cell_compare(const struct tk_cell *a, const struct tk_cell *b)
{
    enum shape sa = shape_of(a), sb = shape_of(b);
    if (sa < SHAPE_TEXT && sb < SHAPE_TEXT)
        return compare_numbers(a, sa, b, sb);
    if (sa == SHAPE_TEXT && sb == SHAPE_TEXT)
        return compare_bytes(a, b);
    enum shape ra = sa < SHAPE_TEXT ? SHAPE_SIGNED : sa, rb = sb < SHAPE_TEXT ? SHAPE_SIGNED : sb;
    return (ra > rb) - (ra < rb);
}

int tk_table_column(const struct tk_table *table, const char *name)
{
    if (!table || !name)
        return TK_EUSAGE;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}
