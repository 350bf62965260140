/*
 * Cells, columns and tables for callers that know no layout of structs. See tracekit.h.
 */
#include "tracekit.h"

#include <math.h>

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
