/*
 * What is wrong with a statement, in words: where, and which names are near.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "sql/sql_in.h"
#include "sql/tables/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads what SQLite says of a plan, and the text in it that plan.h describes.
 */

/* SQLite's line for a table of ours: "SCAN NAME VIRTUAL TABLE INDEX 0:TERMS", before 3.36 "SCAN TABLE NAME".
 */
static const char scan[] = "SCAN ", table_word[] = "TABLE ", index_words[] = " VIRTUAL TABLE INDEX ";

static const struct tk_column columns[] = {
    {.name = "step", .kind = TK_INT, .help = "steps in their order; inner loops follow outer ones"},
    {.name = "work", .kind = TK_TEXT, .help = "what is read and how it is selected, or a step of SQLite"},
};
static const struct tk_table plan_table = {
    .name = "plan", .help = "what a statement reads", .columns = columns, .n_columns = 2};

/* ---- words of a term ---- */

static const struct {
    const char *sign, *words;
} operators[] = {{"<=", " <= ..."}, {">=", " >= ..."}, {"<", " < ..."},
                 {">", " > ..."},   {"=", ""},         {"@", " in a list"}};

static void add_term(sqlite3_str *out, const char *word)
{
    const size_t name = strcspn(word, "<>=@");
    size_t i = 0;
    while (i + 1 < sizeof operators / sizeof *operators &&
           strncmp(word + name, operators[i].sign, strlen(operators[i].sign)) != 0)
        i++;
    sqlite3_str_appendf(out, "%s%.*s%s", sqlite3_str_length(out) ? ", " : "", (int)name, word,
                        operators[i].words);
}

/* ---- one table ---- */

struct said {
    const char *table; /* its name, in the text */
    int n_table;
    sqlite3_str *selected, *looked_up, *more;
};

static bool starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static void add_word(struct said *said, const char *word, size_t n)
{
    static const struct {
        const char *key, *words, *behind;
    } others[] = {{"group:", "grouped by", ""}, {"down:", "grouped by", ", descending"}, {"by:", "by", ""}};
    if (starts(word, "columns:")) {
        const char *names = memchr(word, '=', n);
        const int length = names ? (int)(n - (size_t)(names + 1 - word)) : 0;
        if (length)
            sqlite3_str_appendf(said->more, "; columns %.*s", length, names + 1);
        return;
    }
    if (starts(word, "table:")) {
        said->table = word + strlen("table:");
        said->n_table = (int)(word + n - said->table);
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts(word, others[i].key)) {
            const size_t key = strlen(others[i].key);
            sqlite3_str_appendf(said->more, "; %s %.*s%s", others[i].words, (int)(n - key), word + key,
                                others[i].behind);
            return;
        }
    add_term(word[n - 1] == '!' ? said->selected : said->looked_up, word);
}

static char *say_table(const char *name, int n_name, const char *terms)
{
    struct said said = {"", 0, sqlite3_str_new(NULL), sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
    for (size_t n; *terms; terms += n + (terms[n] == ' '))
        if ((n = strcspn(terms, " ")) > 0)
            add_word(&said, terms, n);
    char *selected = sqlite3_str_finish(said.selected), *looked_up = sqlite3_str_finish(said.looked_up),
         *more = sqlite3_str_finish(said.more);
    const bool alias = said.n_table != n_name || memcmp(said.table, name, (size_t)n_name) != 0;
    char *text =
        sqlite3_mprintf("%s %.*s%s%.*s%s%s%s%s%s%s", looked_up ? "look up" : "read", said.n_table, said.table,
                        alias ? " as " : "", alias ? n_name : 0, name, looked_up ? " by " : " once",
                        looked_up ? looked_up : "", looked_up ? " for each earlier row" : "",
                        selected ? ", selected by " : "", selected ? selected : "", more ? more : "");
    sqlite3_free(selected);
    sqlite3_free(looked_up);
    sqlite3_free(more);
    return text;
}

static char *say_step(const char *detail)
{
    const char *index = strstr(detail, index_words), *terms = index ? strchr(index, ':') : NULL;
    if (!terms || !starts(detail, scan))
        return sqlite3_mprintf("SQLite: %s", detail);
    const char *name = detail + sizeof scan - 1;
    if (starts(name, table_word))
        name += sizeof table_word - 1;
    return say_table(name, (int)(index - name), terms + 1);
}

/* ---- all steps ---- */

static int put_step(const struct tk_sink *sink, const struct tk_table *table, int64_t step,
                    const char *detail, struct tk_err *err)
{
    char *text = say_step(detail);
    if (!text)
        return tk_err_nomem(err, "a plan");
    const struct tk_cell cells[] = {{.kind = TK_INT, .v.i = step},
                                    {.kind = TK_TEXT, .v.p = text, .n = (uint32_t)strlen(text)}};
    const struct tk_rows rows = {.n = 1, .cells = cells};
    int rc = sink->rows ? sink->rows(sink->self, table, &rows, err) : TK_OK;
    sqlite3_free(text);
    return rc;
}

int tk_sql_plan_text(sqlite3_stmt *stmt, unsigned number, const struct tk_sink *sink, int *code,
                     struct tk_err *err)
{
    char name[24];
    struct tk_table table = plan_table;
    snprintf(name, sizeof name, number > 1 ? "plan_%u" : "plan", number);
    table.name = name;
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (int64_t step = 1; rc == TK_OK && (*code = sqlite3_step(stmt)) == SQLITE_ROW; step++) {
        const char *detail = (const char *)sqlite3_column_text(stmt, 3);
        rc = put_step(sink, &table, step, detail ? detail : "", err);
    }
    return rc == TK_OK && sink->end ? sink->end(sink->self, &table, err) : rc;
}

/* Line and column of a place in a text, from 1. */
static void locate(const char *text, const char *at, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (; text < at && *text; text++) {
        *column = *text == '\n' ? 1 : *column + (((unsigned char)*text & 0xc0) != 0x80);
        *line += *text == '\n';
    }
}

static int find_near(struct tk_sql_connection *c, struct tk_nearest_search *near, const char *sql,
                     sqlite3_stmt **stmt)
{
    if (sqlite3_prepare_v2(c->db, sql, -1, stmt, NULL) != SQLITE_OK)
        return -1;
    while (sqlite3_step(*stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(*stmt, 0);
        const char *own = name ? tk_intern_c(&c->texts, name) ? tk_intern_c(&c->texts, name)->p : NULL : NULL;
        /* one that is of another table than is read here is no other name */
        if (own && sqlite3_stricmp(name, near->wanted) != 0)
            tk_nearest_offer(near, own, strlen(name));
    }
    return 0;
}

/* Names that there are: of tables, columns of the tables that the statement has, functions. */
static const struct {
    const char *begin, *names,
        *lists; /* lists: where they stand, said when none is near; NULL: they are listed */
    char where; /* of habits; 0: there are none */
} mistakes[] = {
    {"no such table: ",
     "SELECT name FROM pragma_table_list WHERE name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE "
     "'sqlite_%'",
     "'trace-stats --list' lists the tables", 't'},
    {"no such column: ",
     "SELECT DISTINCT i.name FROM pragma_table_list l, pragma_table_xinfo(l.name, l.schema) i "
     "WHERE instr(?1, l.name) AND l.name NOT LIKE '\\_%' ESCAPE '\\' AND l.name NOT LIKE 'sqlite_%'",
     NULL, 0},
    {"no such function: ", "SELECT DISTINCT name FROM pragma_function_list",
     "'man trace-query' lists those that are added to SQLite's", 'f'},
};

/* The habit in a statement that SQLite does not read: where it stopped, or the word before. Signs that mean
 * something elsewhere have to stand first, or twice. */
static void add_habit(const char *at, int offset, char *out, size_t capacity)
{
    const char *end = at + strlen(at), *stop = at + offset;
    const struct tk_sql_token first = tk_sql_token_at(at, end, 0);
    struct tk_sql_token before = first, t = first;
    for (; t.p < stop && t.p < end; t = tk_sql_token_next(&t, end))
        before = t;
    const bool twice = t.p < end && before.p + 1 == t.p && *before.p == *t.p;
    if (t.p < end && (*t.p == '/' || *t.p == '*' ? !twice : *t.p == '.' || tk_sql_token_says(&t, "from")) &&
        (t.p != first.p || *t.p == '/' || *t.p == '*'))
        return;
    if (!(t.p < end && tk_sql_habits_put('s', t.p, (size_t)(t.end - t.p), out, capacity)) &&
        tk_sql_is_word(*before.p))
        tk_sql_habits_put('s', before.p, (size_t)(before.end - before.p), out, capacity);
}

/* Says which names are near. quoted: what was wanted stands in double quotes, as only names do. */
static void put_near(const struct tk_nearest_search *near, bool quoted, const char *lists, char *out,
                     size_t capacity)
{
    size_t used = 0;
    for (size_t k = 0; k < near->n && used < capacity; k++)
        used += (size_t)snprintf(out + used, capacity - used, "%s'%.*s'", k ? ", " : "; did you mean ",
                                 near->names[k].n < 64 ? (int)near->names[k].n : 64, near->names[k].p);
    if (used >= capacity)
        return;
    if (near->n)
        snprintf(out + used, capacity - used,
                 quoted ? ", or the text '%.40s', which stands in single quotes?" : "?", near->wanted);
    else if (quoted)
        snprintf(out, capacity, "; a text stands in single quotes: '%.40s'", near->wanted);
    else if (lists)
        snprintf(out, capacity, "; %s", lists);
}

/* Appends a name to a list of them; false: what follows it would not fit. */
static bool add_name(char *out, size_t capacity, const char *name)
{
    const size_t used = strlen(out), n = strlen(name);
    const char *between = out[used - 1] == ':' ? " " : ", ";
    if (used + n + sizeof ", , ..." > capacity) {
        snprintf(out + used, capacity - used, ", ...");
        return false;
    }
    snprintf(out + used, capacity - used, "%s%s", between, name);
    return true;
}

/* Lists the columns of a table; false: there is no such table. */
static bool add_columns(struct tk_sql_connection *c, const char *table, int n, char *out, size_t capacity)
{
    sqlite3_stmt *stmt = NULL;
    bool any = false, more = true;
    if (sqlite3_prepare_v2(c->db, "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0", -1, &stmt,
                           NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(stmt, 1, table, n, SQLITE_STATIC);
    while (more && sqlite3_step(stmt) == SQLITE_ROW) {
        const size_t used = strlen(out);
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        if (!any && used + 64 + (size_t)n < capacity)
            snprintf(out + used, capacity - used,
                     "%s of %.*s:", used && out[used - 1] == '?' ? " Columns" : "; columns", n, table);
        more = name && (any || strlen(out) > used) && add_name(out, capacity, name);
        any = true;
    }
    sqlite3_finalize(stmt);
    return any;
}

/* The columns of the first table that a statement reads. */
static void add_columns_of(struct tk_sql_connection *c, const char *text, char *out, size_t capacity)
{
    static const char *const before[] = {"from", "join"};
    const char *end = text + strlen(text);
    struct tk_sql_token t = tk_sql_token_at(text, end, 0);
    if (tk_sql_token_says(&t, "with")) /* what it names is no table */
        return;
    while (t.p < end) {
        const bool reads = tk_sql_token_says_one_of(&t, before, 2);
        t = tk_sql_token_next(&t, end);
        if (reads && t.p < end && tk_sql_is_word(*t.p) &&
            add_columns(c, t.p, (int)(t.end - t.p), out, capacity))
            return;
    }
}

static void add_near(struct tk_sql_connection *c, const char *text, const char *message, bool quoted,
                     char *out, size_t capacity)
{
    *out = '\0';
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const size_t n = strlen(mistakes[i].begin);
        struct tk_nearest_search near;
        sqlite3_stmt *stmt = NULL;
        if (strncmp(message, mistakes[i].begin, n) != 0)
            continue;
        const char *dot = strrchr(message + n, '.'), *wanted = dot ? dot + 1 : message + n;
        const char *now = strncmp(message, "no such column: ", 16) == 0 ? tk_column_now(wanted) : NULL;
        if (now) {
            snprintf(out, capacity, "; since 0.2 it is %s", now);
            return;
        }
        const char *whole = message + n; /* a table of a schema goes by the schema, too */
        if (mistakes[i].where &&
            (tk_sql_habits_put(mistakes[i].where, wanted, strlen(wanted), out, capacity) ||
             tk_sql_habits_put(mistakes[i].where, whole, strcspn(whole, "."), out, capacity)))
            return;
        tk_nearest_begin(&near, wanted);
        char *sql = sqlite3_mprintf("%s", mistakes[i].names);
        char *bound = NULL;
        const char *mark = sql ? strstr(sql, "?1") : NULL;
        if (mark)
            bound = sqlite3_mprintf("%.*s%Q%s", (int)(mark - sql), sql, text, mark + 2);
        find_near(c, &near, bound ? bound : sql ? sql : "", &stmt);
        sqlite3_finalize(stmt);
        sqlite3_free(bound);
        sqlite3_free(sql);
        put_near(&near, quoted, mistakes[i].lists, out, capacity);
        if (!mistakes[i].lists && !(quoted && !near.n))
            add_columns_of(c, text, out, capacity);
        return;
    }
}

static int status_of(int code)
{
    switch (code) {
    case SQLITE_NOMEM:
        return TK_ENOMEM;
    case SQLITE_INTERRUPT:
        return TK_ECANCELED;
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return TK_EOUTPUT;
    case SQLITE_TOOBIG:
        return TK_ELIMIT;
    default:
        return TK_EUSAGE;
    }
}

int tk_sql_statement_fail(struct tk_sql_connection *c, const char *text, const char *at, struct tk_err *err)
{
    const int code = sqlite3_errcode(c->db) & 0xff, offset = sqlite3_error_offset(c->db);
    char message[300], near[TK_ERR_TEXT - 100];
    unsigned line = 1, column = 1;
    if (c->status < 0) { /* a table has said why */
        if (err)
            *err = c->err;
        return c->status;
    }
    const int status = status_of(code);
    if (status == TK_ENOMEM)
        return tk_err_nomem(err, "a statement");
    if (status == TK_ECANCELED)
        return tk_err_set(err, status, "stopped");
    snprintf(message, sizeof message, "%s", sqlite3_errmsg(c->db));
    if (code == SQLITE_AUTH)
        return tk_err_set(
            err, TK_EUSAGE,
            "captures are read-only: SELECT, WITH and temporary tables are allowed, but nothing "
            "else that writes, attaches, loads or sets (%s)",
            message);
    const bool quoted =
        at && offset >= 0 && at[offset] == '"' && strncmp(message, "no such column: ", 16) == 0;
    if (quoted && strstr(message, " - should this be a string literal"))
        *strstr(message, " - should this be a string literal") = '\0'; /* newer SQLites say it, too */
    add_near(c, text, message, quoted, near, sizeof near);
    if (at && offset >= 0 && !*near &&
        (strstr(message, "syntax error") || strstr(message, "unrecognized token")))
        add_habit(at, offset, near, sizeof near);
    if (!at || offset < 0)
        return tk_err_set(err, status, "%s%s", message, near);
    locate(text, at + offset, &line, &column);
    return tk_err_set(err, status, "line %u, column %u: %s%s", line, column, message, near);
}
