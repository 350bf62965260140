/*
 * Kinds of columns of results, by the statement without the functions around columns.
 */
#include "base/text/text.h"
#include "sql/sql_in.h"
#include "sql/tables/shape.h"

#include <stdbool.h>
#include <string.h>

/*
 * Cells of results.
 */

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

bool tk_sql_result_says(const struct tk_cell *cells, size_t n, size_t stride)
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

/* ---- words of a statement ---- */

/* A place in a statement, and the token that begins there: a word, a text in quotes, a number, or one
 * character. */
struct token {
    const char *p, *end; /* p == the end of the statement: there is none */
    size_t depth;        /* how many parentheses are open in front of it */
};

static struct token token_at(const char *p, const char *end, size_t depth)
{
    struct token t = {.p = tk_sql_skip_space(p, end), .depth = depth};
    t.end = t.p < end ? tk_sql_token_end(t.p, end) : end;
    return t;
}

static struct token next(const struct token *t, const char *end)
{
    const size_t depth = t->depth + (*t->p == '(') - (*t->p == ')' && t->depth);
    return token_at(t->end, end, depth);
}

static bool says(const struct token *t, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(t->end - t->p) == n && sqlite3_strnicmp(t->p, word, (int)n) == 0;
}

static bool says_one_of(const struct token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (says(t, words[i]))
            return true;
    return false;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- functions around columns ---- */

/* Behind the parenthesis that is open at t, or the end. */
static struct token behind_group(struct token t, const char *end)
{
    const size_t depth = t.depth;
    do
        t = next(&t, end);
    while (t.p < end && t.depth > depth);
    return t;
}

/* Behind FILTER (...) and OVER (...) or OVER name, which an alias or the next column follows. */
static struct token behind_clauses(struct token t, const char *end)
{
    static const char *const clauses[] = {"filter", "over"};
    while (t.p < end && says_one_of(&t, clauses, COUNT(clauses))) {
        t = next(&t, end);
        if (t.p < end)
            t = *t.p == '(' ? behind_group(t, end) : next(&t, end);
    }
    return t;
}

/* The first argument of a function whose opening parenthesis is at t: [*begin, *stop). */
static void first_argument(struct token t, const char *end, const char **begin, const char **stop)
{
    const size_t depth = t.depth;
    t = next(&t, end);
    if (t.p < end && says(&t, "distinct"))
        t = next(&t, end);
    *begin = t.p;
    while (t.p < end && !(t.depth == depth + 1 && (*t.p == ',' || *t.p == ')')))
        t = next(&t, end);
    *stop = t.p;
}

/* Where a column of the result ends, or an alias of it begins; never an operator. */
static bool ends_column(const struct token *t, const char *end)
{
    return t->p == end || *t->p == ',' || *t->p == ';' || *t->p == '"' || *t->p == '\'' ||
           tk_sql_is_word(*t->p);
}

/* Writes a column of the result that begins at t, without the function around it when that is all of it.
 * Returns where to go on. */
static struct token write_column(sqlite3_str *out, struct token t, const char *end)
{
    static const char *const functions[] = {"sum", "total", "avg", "min", "max", "median", "percentile"};
    const struct token opened = next(&t, end);
    if (!says_one_of(&t, functions, COUNT(functions)) || opened.p == end || *opened.p != '(')
        return t;
    const char *begin, *stop;
    first_argument(opened, end, &begin, &stop);
    const struct token rest = behind_clauses(behind_group(opened, end), end);
    if (!ends_column(&rest, end))
        return t;
    sqlite3_str_append(out, begin, (int)(stop - begin));
    sqlite3_str_appendchar(out, 1, ' ');
    return rest;
}

/* Which of the parentheses that are open are in the columns of a SELECT, a bit each; deeper ones are in none.
 */
struct columns {
    uint64_t in;
    bool begins; /* does the next token begin a column? */
};

static void follow(struct columns *c, const struct token *t)
{
    static const char *const modes[] = {"distinct", "all"};
    const uint64_t bit = t->depth < 64 ? UINT64_C(1) << t->depth : 0;
    c->in &= bit | (bit - 1); /* without those that are closed */
    if (says(t, "select"))
        c->in |= bit;
    else if (says(t, "from"))
        c->in &= ~bit;
    c->begins = (c->in & bit) && (says(t, "select") || *t->p == ',' || says_one_of(t, modes, COUNT(modes)));
}

/* The statement with columns instead of functions of them, in each SELECT. Owned; NULL: out of memory, or
 * rows are those of several SELECTs, which need not be of one kind. */
static char *without_functions(sqlite3 *db, const char *sql, const char *end)
{
    static const char *const compounds[] = {"union", "intersect", "except"};
    bool compound = false;
    sqlite3_str *out = sqlite3_str_new(db);
    struct columns columns = {0};
    struct token t = token_at(sql, end, 0);
    while (t.p < end) {
        const char *const was = t.p;
        if (columns.begins)
            t = write_column(out, t, end);
        columns.begins = false;
        if (t.p != was)
            continue;
        compound |= says_one_of(&t, compounds, COUNT(compounds));
        follow(&columns, &t);
        sqlite3_str_append(out, t.p, (int)(t.end - t.p));
        const struct token after = next(&t, end);
        if (after.p != t.end)
            sqlite3_str_appendchar(out, 1, ' ');
        t = after;
    }
    char *plain = sqlite3_str_finish(out);
    if (compound) {
        sqlite3_free(plain);
        plain = NULL;
    }
    return plain;
}

/* ---- kinds ---- */

static bool has_unit(enum tk_kind kind)
{
    return kind == TK_TIME || kind == TK_DURATION || kind == TK_MEAN || kind == TK_SIZE;
}

/* The kind and unit of a column by the type it was declared with. */
static void set_kind(struct tk_column *column, const char *declared)
{
    const enum tk_kind kind = tk_sql_shape_kind(declared);
    const char *unit = tk_sql_shape_unit(declared);
    if (column->kind != TK_NONE || !(has_unit(kind) || unit))
        return;
    column->kind = (uint8_t)kind;
    column->unit = unit;
}

static bool is_kind_open(const struct tk_column *columns, int n)
{
    for (int i = 0; i < n; i++)
        if (columns[i].kind == TK_NONE)
            return true;
    return false;
}

void tk_sql_result_kinds(sqlite3 *db, const char *sql, size_t n, struct tk_column *columns, int n_columns)
{
    sqlite3_stmt *stmt = NULL;
    char *plain = is_kind_open(columns, n_columns) ? without_functions(db, sql, sql + n) : NULL;
    if (plain && sqlite3_prepare_v2(db, plain, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_column_count(stmt) == n_columns)
        for (int i = 0; i < n_columns; i++)
            set_kind(&columns[i], sqlite3_column_decltype(stmt, i));
    sqlite3_finalize(stmt);
    sqlite3_free(plain);
}
