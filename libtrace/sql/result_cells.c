/*
 * Cells of results. See result_cells.h.
 */
#include "sql/result_cells.h"

#include "base/text/text.h"

/* ---- a cell ---- */

static void number_cell(struct tk_cell *cell, uint8_t kind, int64_t v)
{
    const bool fits = kind == TK_TIME || kind == TK_DURATION || kind == TK_HEX ||
                      (kind == TK_BOOL && (v == 0 || v == 1)) || (kind == TK_SIZE && v >= 0);
    cell->kind = fits ? kind : TK_INT;
    cell->v.i = v;
}

static void text_cell(struct tk_cell *cell)
{
    cell->kind = TK_TEXT;
    cell->enc = tk_utf8_valid(cell->v.p, cell->n) ? TK_ENC_UTF8 : TK_ENC_BYTES;
}

static int bytes_cell(struct tk_cell *cell, struct tk_arena *texts, const void *p, size_t n, bool text)
{
    cell->v.p = tk_arena_copy(texts, n ? p : "", n);
    cell->n = (uint32_t)n;
    cell->kind = TK_BYTES;
    if (!cell->v.p)
        return TK_ENOMEM;
    if (text)
        text_cell(cell);
    return TK_OK;
}

int tk_sql_result_cell(struct tk_cell *cell, struct tk_arena *texts, sqlite3_stmt *stmt, int i, uint8_t kind)
{
    *cell = (struct tk_cell){0};
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER:
        number_cell(cell, kind == TK_MEAN ? TK_DURATION : kind, sqlite3_column_int64(stmt, i));
        return TK_OK;
    case SQLITE_FLOAT:
        cell->kind = kind == TK_MEAN || kind == TK_DURATION || kind == TK_TIME ? TK_MEAN : TK_REAL;
        cell->v.r = sqlite3_column_double(stmt, i);
        return TK_OK;
    case SQLITE_NULL:
        return TK_OK;
    case SQLITE_TEXT:
        return bytes_cell(cell, texts, sqlite3_column_text(stmt, i), (size_t)sqlite3_column_bytes(stmt, i),
                          true);
    default:
        return bytes_cell(cell, texts, sqlite3_column_blob(stmt, i), (size_t)sqlite3_column_bytes(stmt, i),
                          kind == TK_TEXT);
    }
}

/* ---- kinds ---- */

/* The kinds of the cells, a bit each, without those that are NULL. */
static unsigned kinds_of(const struct tk_cell *cells, size_t n, size_t stride)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < n; i++, cells += stride)
        kinds |= cells->kind == TK_NONE ? 0 : 1u << cells->kind;
    return kinds;
}

bool tk_sql_result_tells(const struct tk_cell *cells, size_t n, size_t stride)
{
    return kinds_of(cells, n, stride) != 0;
}

/* What holds values of all these kinds. Names that are no UTF-8 come as bytes among texts. */
static enum tk_kind common_kind(unsigned kinds)
{
    const unsigned ints = 1u << TK_INT, reals = 1u << TK_REAL;
    if (kinds == ints)
        return TK_INT;
    if (kinds && !(kinds & ~(ints | reals)))
        return TK_REAL;
    return kinds == 1u << TK_BYTES ? TK_BYTES : TK_TEXT;
}

/* A mean of integers is none; where all is NULL nobody knows what follows. */
static enum tk_kind kind_of_function(enum tk_kind kind, unsigned kinds)
{
    if (kinds && !(kinds & (1u << TK_MEAN | 1u << TK_REAL)))
        return kind;
    if (kind == TK_TIME || kind == TK_DURATION)
        return TK_MEAN;
    return kind == TK_SIZE || kind == TK_INT ? TK_REAL : kind;
}

enum tk_kind tk_sql_result_kind(struct tk_cell *cells, size_t n, size_t stride, enum tk_kind known,
                                bool of_function)
{
    const unsigned kinds = kinds_of(cells, n, stride);
    if (known != TK_NONE)
        return of_function ? kind_of_function(known, kinds) : known;
    const enum tk_kind kind = common_kind(kinds);
    for (size_t i = 0; kind == TK_TEXT && i < n; i++, cells += stride)
        if (cells->kind == TK_BYTES)
            text_cell(cells);
    return kind;
}
