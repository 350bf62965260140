/*
 * Kinds of columns of results, by the statement without the functions around columns. See result_kinds.h.
 */
#include "sql/result_kinds.h"

#include "sql/tables/shape.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* ---- words of a statement ---- */

/* A place in a statement, and the token that begins there: a word, a text in quotes, a number, or one
 * character. */
struct token {
    const char *p, *end; /* p == the end of the statement: there is none */
    size_t depth;        /* how many parentheses are open in front of it */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (end - p >= 2 && p[0] == '-' && p[1] == '-') {
            while (p < end && *p != '\n')
                p++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            for (p += 2; p < end && !(p[0] == '/' && p[-1] == '*'); p++)
                ;
            p += p < end;
        } else {
            break;
        }
    }
    return p;
}

static const char *token_end(const char *p, const char *end)
{
    const char quote = *p == '[' ? ']' : *p;
    if (*p == '\'' || *p == '"' || *p == '`' || *p == '[') {
        for (p++; p < end && *p != quote; p++)
            ;
        return p < end ? p + 1 : end;
    }
    if (!is_word(*p))
        return p + 1;
    while (p < end && is_word(*p))
        p++;
    return p;
}

static struct token token_at(const char *p, const char *end, size_t depth)
{
    struct token t = {.p = skip_space(p, end), .depth = depth};
    t.end = t.p < end ? token_end(t.p, end) : end;
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
    return t->p == end || *t->p == ',' || *t->p == ';' || *t->p == '"' || *t->p == '\'' || is_word(*t->p);
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

void tk_sql_result_kinds(sqlite3 *db, const char *sql, size_t n, uint8_t *kinds, int n_kinds)
{
    sqlite3_stmt *stmt = NULL;
    char *plain = memchr(kinds, TK_NONE, (size_t)n_kinds) ? without_functions(db, sql, sql + n) : NULL;
    if (plain && sqlite3_prepare_v2(db, plain, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_column_count(stmt) == n_kinds) {
        for (int i = 0; i < n_kinds; i++) {
            const enum tk_kind kind = tk_sql_shape_kind(sqlite3_column_decltype(stmt, i));
            if (kinds[i] == TK_NONE && has_unit(kind))
                kinds[i] = (uint8_t)kind;
        }
    }
    sqlite3_finalize(stmt);
    sqlite3_free(plain);
}
