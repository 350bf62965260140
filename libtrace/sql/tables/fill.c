/*
 * Creates the tables of a group in its schema, and the views of schemas/views.sql over them.
 */
#include "sql/tables/connection.h"
#include "sql/tables/tables_in.h"

#include <stdio.h>
#include <string.h>

/* Made of schemas/views.sql. */
extern const char tk_sqlite_views[];

struct filling {
    struct tk_sql_connection *c;
    const char *schema;
    size_t group;
    bool temporary;
    sqlite3_stmt *insert; /* NULL: tables are created one by one */
    struct tk_err *err;
};

static int fail_filling(const struct filling *f, int code)
{
    return code == SQLITE_NOMEM ? tk_err_nomem(f->err, "the tables of a capture")
                                : tk_err_set(f->err, TK_EUSAGE, "cannot create the tables of schema '%s': %s",
                                             f->schema, sqlite3_errmsg(f->c->db));
}

/* Runs a statement, which is freed. */
static int run_sql(const struct filling *f, char *sql)
{
    int rc = sql ? sqlite3_exec(f->c->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK ? TK_OK : fail_filling(f, rc);
}

/* Adds a table or view, whose statement is freed. */
static int add_object(const struct filling *f, const char *type, const char *name, char *sql)
{
    if (!f->insert || !sql)
        return run_sql(f, sql);
    sqlite3_bind_text(f->insert, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(f->insert, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(f->insert, 3, sql, -1, sqlite3_free);
    int rc = sqlite3_step(f->insert);
    sqlite3_reset(f->insert);
    return rc == SQLITE_DONE ? TK_OK : fail_filling(f, rc);
}

/* The names are ours: letters and _. */
static int add_table_sql(const struct filling *f, const char *before, const char *name, const char *module,
                         const char *end)
{
    char full[80];
    snprintf(full, sizeof full, "%s%s", before, name);
    return add_object(f, "table", full,
                      f->insert
                          ? sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING %s(%d,%s%s)", full, module,
                                            (int)f->group, *before == '_' ? name : full, end)
                          : sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING %s(%d,%s%s)", f->schema,
                                            full, module, (int)f->group, *before == '_' ? name : full, end));
}

static int add_tables(const struct filling *f)
{
    static const char *const listings[] = {"string", "captures", "record_args"};
    const struct tk_table *baseline;
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = add_table_sql(f, "", tables[i]->name, "tracekit_group", ",plain");
        if (rc == TK_OK)
            rc = add_table_sql(f, "_", tables[i]->name, "tracekit_group", ",physical");
    }
    for (size_t i = 0; rc == TK_OK && (baseline = tk_baseline_table(i)); i++)
        rc = add_table_sql(f, tk_sql_is_of_both(baseline->name) ? "" : "baseline_", baseline->name,
                           "tracekit_group", ",plain");
    for (size_t i = 0; i < sizeof listings / sizeof *listings && rc == TK_OK; i++)
        rc = add_table_sql(f, "", listings[i], "tracekit_listing", "");
    return rc;
}

/* Statements begin with these words. */
static const char create_view[] = "CREATE VIEW IF NOT EXISTS ";

/* A table of the library has the name of a view: it is the one that is meant. */
static bool is_table(const char *name, size_t n)
{
    char copy[80];
    snprintf(copy, sizeof copy, "%.*s", (int)n, name);
    return tk_table_find(copy) != NULL;
}

/* Without the comments and the semicolon behind it. */
static int view_length(const char *body, const char *end)
{
    const char *stop = body;
    for (const char *p = body; p < end; p++)
        if (*p == ';' && p[1] == '\n')
            stop = p;
    return (int)(stop - body);
}

static int add_view(const struct filling *f, const char *body, int n)
{
    const size_t name = strcspn(body, " ");
    char copy[80];
    snprintf(copy, sizeof copy, "%.*s", (int)name, body);
    if (is_table(body, name))
        return TK_OK;
    return add_object(f, "view", copy,
                      f->temporary ? sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS %.*s", n, body)
                                   : sqlite3_mprintf("CREATE VIEW %.*s", n, body));
}

static int add_views(const struct filling *f)
{
    const char *at = strstr(tk_sqlite_views, create_view);
    int rc = TK_OK;
    while (at && rc == TK_OK) {
        const char *body = at + sizeof create_view - 1;
        const char *after = strstr(body, create_view);
        rc = add_view(f, body, view_length(body, after ? after : body + strlen(body)));
        at = after;
    }
    return rc;
}

/* Puts all at once into the schema, which is read again then: tables are made ready when they are used. */
static int fill_schema(struct filling *f)
{
    char *sql = sqlite3_mprintf("INSERT INTO \"%w\".sqlite_schema VALUES(?1,?2,?2,0,?3)", f->schema);
    int rc = sql ? sqlite3_prepare_v2(f->c->db, sql, -1, &f->insert, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK)
        return fail_filling(f, rc);
    rc = add_tables(f);
    if (rc == TK_OK)
        rc = add_views(f);
    sqlite3_finalize(f->insert);
    f->insert = NULL;
    return rc;
}

int tk_sql_module_fill(struct tk_sql_connection *c, size_t group, bool temporary, struct tk_err *err)
{
    struct filling f = {c, c->groups.v[group]->schema, group, temporary, NULL, err};
    int rc = run_sql(&f, sqlite3_mprintf(temporary ? "BEGIN" : "PRAGMA writable_schema=ON;BEGIN"));
    if (rc == TK_OK && !temporary)
        rc = fill_schema(&f);
    else if (rc == TK_OK && (rc = add_tables(&f)) == TK_OK)
        rc = add_views(&f);
    if (rc == TK_OK)
        return run_sql(&f, sqlite3_mprintf(temporary ? "COMMIT" : "COMMIT;PRAGMA writable_schema=RESET"));
    sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
