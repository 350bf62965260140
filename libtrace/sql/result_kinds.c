/*
 * Kinds of columns of results, by the statement without the functions around columns.
 */
#include "base/text/text.h"
#include "sql/sql_in.h"
#include "sql/tables/shape.h"

#include <stdbool.h>
#include <stdlib.h>
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

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- the statement with columns in place of formulas ---- */

/* Which of the parentheses that are open are in the columns of a SELECT, a bit each; deeper ones are in none.
 */
struct columns {
    uint64_t in;
    bool begins; /* does the next token begin a column? */
};

static void follow(struct columns *c, const struct tk_sql_token *t)
{
    static const char *const modes[] = {"distinct", "all"};
    const uint64_t bit = t->depth < 64 ? UINT64_C(1) << t->depth : 0;
    c->in &= bit | (bit - 1); /* without those that are closed */
    if (tk_sql_token_says(t, "select"))
        c->in |= bit;
    else if (tk_sql_token_says(t, "from"))
        c->in &= ~bit;
    c->begins = (c->in & bit) && (tk_sql_token_says(t, "select") || *t->p == ',' ||
                                  tk_sql_token_says_one_of(t, modes, COUNT(modes)));
}

/* A rewriting: of formulas of the result, one column each, that of a number; of those inside, the first. */
struct rewriting {
    sqlite3 *db;
    const char *end;
    unsigned pick;
    struct tk_sql_formula *formulas; /* of the result, in order; those that are none have failed */
    int n, most, stars;              /* how many there are; those that stand for many columns */
    int star;                        /* where the last one stands */
};

static void note_formula(struct rewriting *r, const struct tk_sql_formula *f, const struct tk_sql_token *t)
{
    if (t->p < r->end && *t->p == '*' && t->depth == 0) {
        r->star = r->n;
        r->stars++;
    }
    if (r->n < r->most)
        r->formulas[r->n] = *f;
    r->n++;
}

/* The last token of `name.*`. */
static struct tk_sql_token star_of(struct tk_sql_token t, const char *end)
{
    struct tk_sql_token after = tk_sql_token_next(&t, end);
    while (t.p < end && tk_sql_is_word(*t.p) && after.p < end && *after.p == '.') {
        t = tk_sql_token_next(&after, end);
        after = t.p < end ? tk_sql_token_next(&t, end) : t;
    }
    return t;
}

/* Writes one column instead of the formula that begins at t. Returns where to go on. */
static struct tk_sql_token write_column(struct rewriting *r, sqlite3_str *out, struct tk_sql_token t)
{
    struct tk_sql_formula f;
    const struct tk_sql_token rest = tk_sql_formula_parse(&f, t, r->end), star = star_of(t, r->end);
    if (t.depth == 0)
        note_formula(r, &f, &star);
    if (f.failed)
        return t;
    if (f.n_columns == 0) { /* a number, as count(*) is */
        sqlite3_str_appendall(out, "(SELECT id FROM captures) ");
        return rest;
    }
    const unsigned pick = t.depth == 0 && r->pick < f.n_columns ? r->pick : 0;
    sqlite3_str_append(out, f.columns[pick].p, (int)(f.columns[pick].end - f.columns[pick].p));
    sqlite3_str_appendchar(out, 1, ' ');
    return rest;
}

/* The statement so. Owned; NULL: out of memory, or rows are those of several SELECTs, which need not be of
 * one kind. */
static char *rewrite(struct rewriting *r, const char *sql)
{
    static const char *const compounds[] = {"union", "intersect", "except"};
    bool compound = false;
    sqlite3_str *out = sqlite3_str_new(r->db);
    struct columns columns = {0};
    struct tk_sql_token t = tk_sql_token_at(sql, r->end, 0);
    r->n = r->stars = 0;
    while (t.p < r->end) {
        const char *const was = t.p;
        if (columns.begins && !tk_sql_token_says(&t, "distinct") && !tk_sql_token_says(&t, "all"))
            t = write_column(r, out, t);
        columns.begins = false;
        if (t.p != was)
            continue;
        compound |= tk_sql_token_says_one_of(&t, compounds, COUNT(compounds));
        follow(&columns, &t);
        sqlite3_str_append(out, t.p, (int)(t.end - t.p));
        const struct tk_sql_token after = tk_sql_token_next(&t, r->end);
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

/* ---- columns of a result ---- */

static bool is_kind_open(const struct tk_column *columns, int n)
{
    for (int i = 0; i < n; i++)
        if (columns[i].kind == TK_NONE)
            return true;
    return false;
}

static void set_kind(struct tk_column *column, const struct tk_sql_formula *f,
                     const enum tk_kind kinds[TK_SQL_FORMULA_COLUMNS], bool below_0)
{
    const enum tk_kind kind = tk_sql_formula_kind(f, kinds);
    if (column->kind != TK_NONE || (kind != TK_TIME && kind != TK_DURATION && kind != TK_SIZE))
        return;
    const bool signed_bytes = kind == TK_SIZE && (below_0 || tk_sql_formula_subtracts(f));
    column->kind = (uint8_t)(signed_bytes ? TK_INT : kind);
    column->unit = signed_bytes ? "bytes" : NULL;
}

/* What is known of the columns of the result, by the columns of tables in their formulas. */
struct kinds_sql {
    struct tk_sql_formula formulas[64];
    enum tk_kind kinds[64][TK_SQL_FORMULA_COLUMNS];
    bool below_0[64]; /* one of them may be negative bytes */
};

/* The formula of a column of the result: behind what stands for many columns all are as many further. -1: not
 * known. */
static int formula_at(const struct rewriting *r, int column, int n_columns)
{
    if (r->stars == 0)
        return column < r->n ? column : -1;
    if (column < r->star && r->stars == 1)
        return column;
    const int further = n_columns - r->n;
    return r->stars == 1 && column - further > r->star ? column - further : -1;
}

/* Looks at the kinds of one column in each formula. false: nothing is known of the statement. */
static bool look_at(struct rewriting *r, const char *sql, struct kinds_sql *known, int n_columns)
{
    sqlite3_stmt *stmt = NULL;
    char *plain = rewrite(r, sql);
    const bool good = plain && sqlite3_prepare_v2(r->db, plain, -1, &stmt, NULL) == SQLITE_OK &&
                      sqlite3_column_count(stmt) == n_columns;
    for (int i = 0; good && i < n_columns; i++) {
        const int at = formula_at(r, i, n_columns);
        const char *declared = sqlite3_column_decltype(stmt, i);
        if (at < 0 || at >= r->most)
            continue;
        known->kinds[at][r->pick] = tk_sql_formula_column(declared);
        known->below_0[at] |= tk_sql_shape_unit(declared) != NULL;
    }
    sqlite3_finalize(stmt);
    sqlite3_free(plain);
    return good;
}

static unsigned most_columns(const struct rewriting *r)
{
    unsigned most = 1;
    for (int i = 0; i < r->n && i < r->most; i++)
        if (!r->formulas[i].failed && r->formulas[i].n_columns > most)
            most = r->formulas[i].n_columns;
    return most;
}

/* ---- temporary views: as if the statement began with them ---- */

/* "CREATE VIEW name AS SELECT ..." as "name AS (SELECT ...)". */
static void put_view(sqlite3_str *out, const char *sql)
{
    const char *end = sql + strlen(sql);
    const struct tk_sql_token create = tk_sql_token_at(sql, end, 0), view = tk_sql_token_next(&create, end);
    const struct tk_sql_token name = tk_sql_token_next(&view, end);
    struct tk_sql_token t = name;
    while (t.p < end && (t.depth || !tk_sql_token_says(&t, "as")))
        t = tk_sql_token_next(&t, end);
    if (t.p < end)
        sqlite3_str_appendf(out, "%s%.*s (%s)", sqlite3_str_length(out) ? ", " : "WITH RECURSIVE ",
                            (int)(t.end - name.p), name.p, t.end);
}

/* NULL: there are none, or out of memory. */
static char *with_views(sqlite3 *db, const char *sql, size_t n)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_str *out = sqlite3_str_new(db);
    const struct tk_sql_token first = tk_sql_token_at(sql, sql + n, 0);
    const char *rest = first.p;
    if (sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_temp_schema WHERE type = 'view' ORDER BY rowid", -1,
                           &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW)
            put_view(out, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    if (!sqlite3_str_length(out)) {
        sqlite3_free(sqlite3_str_finish(out));
        return NULL;
    }
    const struct tk_sql_token second = tk_sql_token_next(&first, sql + n);
    const bool has_own = tk_sql_token_says(&first, "with");
    if (has_own)
        rest = tk_sql_token_says(&second, "recursive") ? second.end : first.end;
    sqlite3_str_appendf(out, "%s %.*s", has_own ? "," : "", (int)(sql + n - rest), rest);
    return sqlite3_str_finish(out);
}

static void find_kinds(sqlite3 *db, const char *sql, size_t n, struct tk_column *columns, int n_columns)
{
    struct kinds_sql *known = is_kind_open(columns, n_columns) ? calloc(1, sizeof *known) : NULL;
    if (!known)
        return;
    struct rewriting r = {
        .db = db, .end = sql + n, .formulas = known->formulas, .most = COUNT(known->formulas)};
    bool good = look_at(&r, sql, known, n_columns);
    for (r.pick = 1; good && r.pick < most_columns(&r); r.pick++)
        good = look_at(&r, sql, known, n_columns);
    for (int i = 0; good && i < n_columns; i++) {
        const int at = formula_at(&r, i, n_columns);
        if (at >= 0 && at < r.most && !known->formulas[at].failed)
            set_kind(&columns[i], &known->formulas[at], known->kinds[at], known->below_0[at]);
    }
    free(known);
}

void tk_sql_result_kinds(sqlite3 *db, const char *sql, size_t n, struct tk_column *columns, int n_columns)
{
    char *whole = is_kind_open(columns, n_columns) ? with_views(db, sql, n) : NULL;
    find_kinds(db, whole ? whole : sql, whole ? strlen(whole) : n, columns, n_columns);
    sqlite3_free(whole);
}
