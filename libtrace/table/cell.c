/*
 * Elements of packed arrays, the order of cells, columns by name. Builders and sinks use it.
 */
#include "table/cell.h"

#include "base/cursor.h"
#include "tracekit/tables.h"

#include <math.h>
#include <string.h>

/*
 * Cells, columns and tables for callers that know no layout of structs.
 */

enum form { NO_NUMBER, SIGNED, UNSIGNED, REAL };

static enum form form_of(const struct tk_cell *cell)
{
    static const uint8_t forms[] = {
        [TK_BOOL] = UNSIGNED, [TK_INT] = SIGNED,    [TK_UINT] = UNSIGNED, [TK_HEX] = UNSIGNED,
        [TK_REAL32] = REAL,   [TK_REAL] = REAL,     [TK_TIME] = SIGNED,   [TK_DURATION] = SIGNED,
        [TK_MEAN] = REAL,     [TK_SIZE] = UNSIGNED,
    };
    return cell->kind < sizeof forms ? (enum form)forms[cell->kind] : NO_NUMBER;
}

enum tk_kind tk_cell_kind(const struct tk_cell *cell)
{
    if (!cell)
        return TK_NONE;
    return (enum tk_kind)cell->kind;
}

static int64_t int_of_real(double r)
{
    if (isnan(r))
        return 0;
    if (r >= 0x1p63)
        return INT64_MAX;
    return r < -0x1p63 ? INT64_MIN : (int64_t)r;
}

static uint64_t uint_of_real(double r)
{
    if (!(r > 0))
        return 0;
    return r >= 0x1p64 ? UINT64_MAX : (uint64_t)r;
}

int64_t tk_cell_int(const struct tk_cell *cell)
{
    if (!cell)
        return 0;
    switch (form_of(cell)) {
    case SIGNED:
        return cell->v.i;
    case UNSIGNED:
        return cell->v.u < INT64_MAX ? (int64_t)cell->v.u : INT64_MAX;
    case REAL:
        return int_of_real(cell->v.r);
    default:
        return 0;
    }
}

uint64_t tk_cell_uint(const struct tk_cell *cell)
{
    if (!cell)
        return 0;
    switch (form_of(cell)) {
    case SIGNED:
        return cell->v.i > 0 ? (uint64_t)cell->v.i : 0;
    case UNSIGNED:
        return cell->v.u;
    case REAL:
        return uint_of_real(cell->v.r);
    default:
        return 0;
    }
}

double tk_cell_real(const struct tk_cell *cell)
{
    if (!cell)
        return (double)NAN;
    switch (form_of(cell)) {
    case SIGNED:
        return (double)cell->v.i;
    case UNSIGNED:
        return (double)cell->v.u;
    case REAL:
        return cell->v.r;
    default:
        return NAN;
    }
}

const char *tk_cell_bytes(const struct tk_cell *cell, size_t *n)
{
    if (!cell)
        return NULL;
    const bool is = cell->kind == TK_TEXT || cell->kind == TK_BYTES;
    if (n)
        *n = is ? cell->n : 0;
    return is ? cell->v.p : NULL;
}

enum tk_encoding tk_cell_encoding(const struct tk_cell *cell)
{
    if (!cell)
        return TK_ENC_UTF8;
    return cell->kind == TK_TEXT ? (enum tk_encoding)cell->enc : TK_ENC_UTF8;
}

const char *tk_table_name(const struct tk_table *table)
{
    if (!table)
        return NULL;
    return table->name;
}

const char *tk_table_help(const struct tk_table *table)
{
    if (!table)
        return NULL;
    return table->help;
}

enum tk_unit tk_table_unit(const struct tk_table *table)
{
    if (!table)
        return TK_UNIT_NS;
    return table->unit;
}

size_t tk_table_width(const struct tk_table *table)
{
    if (!table)
        return 0;
    return table->n_columns;
}

static const struct tk_column *column_of(const struct tk_table *table, size_t column)
{
    static const struct tk_column none = {.kind = TK_NONE};
    return column < table->n_columns ? &table->columns[column] : &none;
}

const char *tk_column_name(const struct tk_table *table, size_t column)
{
    if (!table)
        return NULL;
    return column_of(table, column)->name;
}

enum tk_kind tk_column_kind(const struct tk_table *table, size_t column)
{
    if (!table)
        return TK_NONE;
    return (enum tk_kind)column_of(table, column)->kind;
}

unsigned tk_column_flags(const struct tk_table *table, size_t column)
{
    if (!table)
        return 0;
    return column_of(table, column)->flags;
}

const char *tk_column_unit(const struct tk_table *table, size_t column)
{
    if (!table)
        return NULL;
    return column_of(table, column)->unit;
}

const char *tk_column_help(const struct tk_table *table, size_t column)
{
    if (!table)
        return NULL;
    return column_of(table, column)->help;
}

/*
 * Keeps the names and nodes of stacks. The call trees of the model and the exporters fill them, sinks write
 * them.
 */

static const struct tk_str *tk_stacks_keep(struct tk_stacks *s, const struct tk_str *text)
{
    return tk_intern(&s->texts, text->p, text->n, (enum tk_encoding)text->enc);
}

static uint32_t tk_stacks_add_name(struct tk_stacks *s, struct tk_stack_name name)
{
    const uint32_t number = (uint32_t)s->names.n;
    if (name.file && !(name.file = tk_stacks_keep(s, name.file)))
        return TK_MAP_NONE;
    return tk_vec_push(&s->names, name) ? TK_MAP_NONE : number;
}

uint32_t tk_stacks_name(struct tk_stacks *s, const struct tk_stack_name *name)
{
    struct tk_stack_name kept = *name;
    kept.text = tk_stacks_keep(s, name->text);
    const uint64_t key = (uint64_t)(uintptr_t)kept.text;
    if (!kept.text)
        return TK_MAP_NONE;
    /* threads of one name are not one */
    uint32_t number = name->thread ? TK_MAP_NONE : tk_map_get(&s->numbers, key);
    if (number != TK_MAP_NONE)
        return number;
    number = tk_stacks_add_name(s, kept);
    if (number == TK_MAP_NONE || name->thread)
        return number;
    return tk_map_put(&s->numbers, key, number) ? TK_MAP_NONE : number;
}

uint32_t tk_stacks_reach(struct tk_stacks *s, uint32_t parent, uint32_t name)
{
    const struct tk_stack_node root = {0}, node = {.parent = parent, .name = name};
    const uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t found = tk_map_get(&s->index, key);
    if (found != TK_MAP_NONE)
        return found;
    if ((!s->nodes.n && tk_vec_push(&s->nodes, root)) || tk_vec_push(&s->nodes, node) ||
        tk_map_put(&s->index, key, (uint32_t)s->nodes.n - 1))
        return TK_MAP_NONE;
    return (uint32_t)s->nodes.n - 1;
}

void tk_stacks_release(struct tk_stacks *s)
{
    tk_vec_release(&s->nodes);
    tk_vec_release(&s->names);
    tk_map_release(&s->index);
    tk_map_release(&s->numbers);
    tk_intern_release(&s->texts);
    *s = (struct tk_stacks){0};
}

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

uint32_t tk_table_begin(const struct tk_table *table)
{
    static const char *const names[] = {"start", "time", "started", "requested", "issued"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int at = tk_table_column(table, names[i]);
        if (at >= 0 && table->columns[at].kind == TK_TIME)
            return (uint32_t)at;
    }
    return UINT32_MAX;
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
