/*
 * The text of a statement for those who want to know what its columns are: one SELECT of each compound, and
 * the views and temporary tables that it names as if it began with them. It is prepared, and never run.
 */
#include "base/err.h"
#include "sql/sql_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- compounds: one of their SELECTs ---- */

enum { MOST_GROUPS = 64 };

/* What is kept of the compound in each pair of parentheses that is open. */
struct arms {
    struct {
        unsigned number; /* SELECTs that were left out */
        int from;        /* where the one at hand begins in what is written; -1: there was none yet */
        bool done;       /* the one that was requested is over */
    } at[MOST_GROUPS];
    size_t depth;
    unsigned keep, most; /* which one is kept, from 0; how many the largest compound has */
};

static bool ends_arm(const struct tk_sql_token *t)
{
    static const char *const compounds[] = {"union", "intersect", "except"};
    return tk_sql_token_says_one_of(t, compounds, COUNT(compounds));
}

bool tk_sql_is_compound(const char *sql, size_t n)
{
    struct tk_sql_token t = tk_sql_token_at(sql, sql + n, 0);
    while (t.p < sql + n && !ends_arm(&t))
        t = tk_sql_token_next(&t, sql + n);
    return t.p < sql + n;
}

static void follow_arm(struct arms *a, const struct tk_sql_token *t, sqlite3_str *out)
{
    static const char *const begins[] = {"select", "values"};
    if (t->depth > a->depth)
        for (size_t i = a->depth + 1; i <= t->depth; i++) {
            a->at[i].number = 0;
            a->at[i].from = -1;
            a->at[i].done = a->at[i - 1].done;
        }
    a->depth = t->depth;
    if (a->at[t->depth].from < 0 && tk_sql_token_says_one_of(t, begins, COUNT(begins)))
        a->at[t->depth].from = sqlite3_str_length(out);
}

/* A compound goes on: either what was written of it is forgotten, or what follows is left out. */
static void next_arm(struct arms *a, size_t depth, sqlite3_str **out, sqlite3 *db)
{
    if (a->at[depth].number + 2 > a->most)
        a->most = a->at[depth].number + 2;
    if (a->at[depth].done || a->at[depth].number++ == a->keep || a->at[depth].from < 0) {
        a->at[depth].done = true;
        return;
    }
    char *text = sqlite3_str_finish(*out);
    *out = sqlite3_str_new(db);
    sqlite3_str_append(*out, text ? text : "", text ? a->at[depth].from : 0);
    sqlite3_free(text);
}

char *tk_sql_keep_select(sqlite3 *db, const char *sql, size_t n, unsigned keep, unsigned *most)
{
    const char *end = sql + n;
    sqlite3_str *out = sqlite3_str_new(db);
    struct arms a = {.keep = keep, .most = 1};
    a.at[0].from = -1;
    for (struct tk_sql_token t = tk_sql_token_at(sql, end, 0); t.p < end; t = tk_sql_token_next(&t, end)) {
        if (t.depth >= MOST_GROUPS)
            break;
        follow_arm(&a, &t, out);
        if (ends_arm(&t)) {
            next_arm(&a, t.depth, &out, db);
            const struct tk_sql_token all = tk_sql_token_next(&t, end);
            t = tk_sql_token_says(&all, "all") ? all : t;
            continue;
        }
        /* the parenthesis that closes a group is deeper than what follows, and not part of an arm */
        const bool closes = *t.p == ')' && t.depth > 0 && !a.at[t.depth - 1].done;
        if (a.at[t.depth].done && !closes)
            continue;
        const struct tk_sql_token after = tk_sql_token_next(&t, end);
        sqlite3_str_append(out, t.p, (int)(t.end - t.p));
        sqlite3_str_appendchar(out, after.p != t.end, ' '); /* not between the parts of an operator */
    }
    *most = a.most;
    return sqlite3_str_finish(out);
}

/* ---- views and temporary tables: as if the statement began with them ---- */

static void put_named(sqlite3_str *out, const char *text, int n)
{
    sqlite3_str_appendf(out, "%s%.*s", sqlite3_str_length(out) ? ", " : "WITH RECURSIVE ", n, text);
}

/* "CREATE VIEW name AS SELECT ..." as "name AS (SELECT ...)". */
static void put_view(sqlite3_str *out, const char *sql)
{
    const char *end = sql + strlen(sql);
    const struct tk_sql_token create = tk_sql_token_at(sql, end, 0), view = tk_sql_token_next(&create, end);
    const struct tk_sql_token name = tk_sql_token_next(&view, end);
    struct tk_sql_token t = name;
    while (t.p < end && (t.depth || !tk_sql_token_says(&t, "as")))
        t = tk_sql_token_next(&t, end);
    if (t.p >= end)
        return;
    put_named(out, name.p, (int)(t.end - name.p));
    sqlite3_str_appendf(out, " (%s)", t.end);
}

/* Views that the library made: the columns of their SELECTs are of one kind, and the first says it. */
static void put_own_view(sqlite3 *db, sqlite3_str *out, const char *sql)
{
    unsigned most;
    char *first = tk_sql_keep_select(db, sql, strlen(sql), 0, &most);
    if (first)
        put_view(out, first);
    sqlite3_free(first);
}

/* Is a view of the library read from, behind FROM or JOIN? `view` says whether there is one of a name. */
static bool reads_view(sqlite3_stmt *view, const char *sql, size_t n)
{
    static const char *const before[] = {"from", "join"};
    bool behind = false, found = false;
    for (struct tk_sql_token t = tk_sql_token_at(sql, sql + n, 0); t.p < sql + n && !found;
         t = tk_sql_token_next(&t, sql + n)) {
        if (behind && sqlite3_bind_text(view, 1, t.p, (int)(t.end - t.p), SQLITE_STATIC) == SQLITE_OK)
            found = sqlite3_step(view) == SQLITE_ROW;
        sqlite3_reset(view);
        behind = tk_sql_token_says_one_of(&t, before, COUNT(before));
    }
    return found;
}

static bool needs_own_views(sqlite3 *db, sqlite3_str *before, const char *sql, size_t n)
{
    sqlite3_stmt *view = NULL;
    const char *text = sqlite3_str_length(before) ? sqlite3_str_value(before) : NULL;
    const bool found =
        sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE",
                           -1, &view, NULL) == SQLITE_OK &&
        (reads_view(view, sql, n) || (text && reads_view(view, text, strlen(text))));
    sqlite3_finalize(view);
    return found;
}

static void put_views(struct tk_sql_connection *c, sqlite3_str *out, const char *sql, size_t n)
{
    sqlite3_stmt *views = NULL;
    if (sqlite3_prepare_v2(c->db, "SELECT sql FROM sqlite_temp_schema WHERE type = 'view' ORDER BY rowid", -1,
                           &views, NULL) == SQLITE_OK)
        while (sqlite3_step(views) == SQLITE_ROW)
            put_view(out, (const char *)sqlite3_column_text(views, 0));
    sqlite3_finalize(views);
    views = NULL;
    for (size_t i = 0; i < c->made.n; i++)
        put_named(out, c->made.v[i], (int)strlen(c->made.v[i]));
    if (needs_own_views(c->db, out, sql, n) &&
        sqlite3_prepare_v2(c->db, "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid", -1,
                           &views, NULL) == SQLITE_OK)
        while (sqlite3_step(views) == SQLITE_ROW)
            put_own_view(c->db, out, (const char *)sqlite3_column_text(views, 0));
    sqlite3_finalize(views);
}

char *tk_sql_with_views(struct tk_sql_connection *c, const char *sql, size_t n)
{
    sqlite3_str *out = sqlite3_str_new(c->db);
    const struct tk_sql_token first = tk_sql_token_at(sql, sql + n, 0);
    const char *rest = first.p;
    put_views(c, out, sql, n);
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

/* ---- what temporary tables were made of ---- */

/* Behind the words, as far as they stand there. */
static struct tk_sql_token behind_words(struct tk_sql_token t, const char *end, const char *const *words)
{
    for (; *words; words++)
        if (t.p < end && tk_sql_token_says(&t, *words))
            t = tk_sql_token_next(&t, end);
    return t;
}

static void forget(struct tk_sql_connection *c, const struct tk_sql_token *name)
{
    const size_t n = (size_t)(name->end - name->p);
    for (size_t i = 0; i < c->made.n; i++)
        if (sqlite3_strnicmp(c->made.v[i], name->p, (int)n) == 0 && c->made.v[i][n] == ' ') {
            free(c->made.v[i]);
            c->made.v[i] = c->made.v[--c->made.n];
            return;
        }
}

static int note_made(struct tk_sql_connection *c, const struct tk_sql_token *name, const char *select,
                     const char *end, struct tk_err *err)
{
    static const char form[] = "%.*s AS (%.*s)";
    const int length = (int)(name->end - name->p), rest = (int)(end - select);
    const size_t size = sizeof form + (size_t)length + (size_t)rest;
    char *text = malloc(size);
    if (!text || tk_vec_push(&c->made, text)) {
        free(text);
        return tk_err_nomem(err, "a temporary table");
    }
    snprintf(text, size, form, length, name->p, rest, select);
    return TK_OK;
}

int tk_sql_result_note(struct tk_sql_connection *c, const char *sql, size_t n, struct tk_err *err)
{
    static const char *const before[] = {"create", "drop", "temp",   "temporary", "table",
                                         "if",     "not",  "exists", NULL};
    const char *end = sql + n;
    const struct tk_sql_token first = tk_sql_token_at(sql, end, 0);
    if (!tk_sql_token_says(&first, "create") && !tk_sql_token_says(&first, "drop"))
        return TK_OK;
    struct tk_sql_token name = behind_words(first, end, before), as = tk_sql_token_next(&name, end);
    if (as.p < end && *as.p == '.') {
        name = tk_sql_token_next(&as, end);
        as = tk_sql_token_next(&name, end);
    }
    while (end > as.end && (end[-1] == ';' || end[-1] == ' ' || end[-1] == '\n'))
        end--;
    forget(c, &name);
    return tk_sql_token_says(&as, "as") ? note_made(c, &name, as.end, end, err) : TK_OK;
}
