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
    unsigned within;                 /* so many SELECTs inside formulas */
};

enum { MOST_WITHIN = 8 };

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

static void write_range(struct rewriting *r, sqlite3_str *out, struct tk_sql_token t, const char *end);

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
    const struct tk_sql_token column = f.columns[t.depth == 0 && r->pick < f.n_columns ? r->pick : 0];
    if (*column.p == '(' && r->within < MOST_WITHIN)
        write_range(r, out, tk_sql_token_at(column.p, column.end, column.depth), column.end);
    else
        sqlite3_str_append(out, column.p, (int)(column.end - column.p));
    sqlite3_str_appendchar(out, 1, ' ');
    return rest;
}

static void write_range(struct rewriting *r, sqlite3_str *out, struct tk_sql_token t, const char *end)
{
    struct columns columns = {0};
    r->within++;
    while (t.p < end) {
        const char *const was = t.p;
        if (columns.begins && !tk_sql_token_says(&t, "distinct") && !tk_sql_token_says(&t, "all"))
            t = write_column(r, out, t);
        columns.begins = false;
        if (t.p != was)
            continue;
        follow(&columns, &t);
        sqlite3_str_append(out, t.p, (int)(t.end - t.p));
        const struct tk_sql_token after = tk_sql_token_next(&t, end);
        if (after.p != t.end)
            sqlite3_str_appendchar(out, 1, ' ');
        t = after;
    }
    r->within--;
}

/* The statement so. Owned; NULL: out of memory. */
static char *rewrite(struct rewriting *r, const char *sql)
{
    sqlite3_str *out = sqlite3_str_new(r->db);
    r->n = r->stars = 0;
    write_range(r, out, tk_sql_token_at(sql, r->end, 0), r->end);
    return sqlite3_str_finish(out);
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
    if (column->kind != TK_NONE || kind == TK_NONE || tk_sql_formula_is_written(f))
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
        known->kinds[at][r->pick] =
            tk_sql_formula_counted(tk_sql_shape_kind(declared), tk_sql_shape_unit(declared));
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

/* ---- SELECTs of a compound ---- */

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

/* Of a statement without compounds. false: SQLite does not take it. */
static bool find_declared(sqlite3 *db, const char *sql, struct tk_column *columns, int n_columns)
{
    sqlite3_stmt *stmt = NULL;
    const bool good =
        sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_column_count(stmt) == n_columns;
    for (int i = 0; good && i < n_columns; i++) {
        const char *declared = sqlite3_column_decltype(stmt, i);
        columns[i] = (struct tk_column){.kind = (uint8_t)tk_sql_shape_kind(declared),
                                        .unit = tk_sql_shape_unit(declared)};
    }
    sqlite3_finalize(stmt);
    return good;
}

static bool has_unit(const struct tk_column *column)
{
    return column->kind == TK_TIME || column->kind == TK_DURATION || column->kind == TK_MEAN ||
           column->kind == TK_SIZE || column->unit;
}

static enum tk_kind counted(const struct tk_column *column)
{
    return tk_sql_formula_counted((enum tk_kind)column->kind, column->unit);
}

/* Rows of another SELECT have to be of the same kind where both say one; numbers that are written, and NULL,
 * take the unit. */
static void compare_arm(struct tk_column *columns, const struct tk_column *other, int n_columns)
{
    for (int i = 0; i < n_columns; i++)
        if (has_unit(&columns[i]) && other[i].kind != TK_NONE && counted(&columns[i]) != counted(&other[i])) {
            columns[i].kind = TK_NONE;
            columns[i].unit = NULL;
        }
}

/* Beyond them the rest is not looked at, and longer statements have no units: a compound takes the product.
 */
enum { MOST_SELECTS = 16, LONGEST = 64 << 10 };

/* One SELECT of each compound at a time. false: SQLite does not take the statement so. */
static bool find_by_arm(sqlite3 *db, const char *sql, size_t n, struct tk_column *columns, int n_columns)
{
    unsigned most = 1;
    struct tk_column *other = calloc((size_t)n_columns + 1, sizeof *other);
    bool good = other != NULL && n <= LONGEST;
    for (unsigned k = 0; good && k < most && k < MOST_SELECTS; k++) {
        char *arm = tk_sql_keep_select(db, sql, n, k, &most);
        const bool taken = arm && find_declared(db, arm, k ? other : columns, n_columns);
        if (taken)
            find_kinds(db, arm, strlen(arm), k ? other : columns, n_columns);
        if (taken && k)
            compare_arm(columns, other, n_columns);
        good &= taken || k; /* what refers to itself has a first SELECT alone */
        sqlite3_free(arm);
    }
    free(other);
    return good;
}

void tk_sql_result_kinds(struct tk_sql_connection *c, const char *sql, size_t n, struct tk_column *columns,
                         int n_columns)
{
    if (!is_kind_open(columns, n_columns) && !tk_sql_is_compound(sql, n))
        return;
    struct tk_column *found = calloc((size_t)n_columns + 1, sizeof *found);
    char *whole = tk_sql_with_views(c, sql, n);
    const bool good = found && ((whole && find_by_arm(c->db, whole, strlen(whole), found, n_columns)) ||
                                find_by_arm(c->db, sql, n, found, n_columns));
    for (int i = 0; good && i < n_columns; i++)
        if (has_unit(&columns[i]) || has_unit(&found[i])) {
            columns[i].kind = found[i].kind;
            columns[i].unit = found[i].unit;
        }
    sqlite3_free(whole);
    free(found);
}
