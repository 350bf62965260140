/*
 * The authorizer. See authorize.h.
 */
#include "sql/authorize.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_one_of(const char *name, const char *const *list)
{
    for (; name && *list; list++)
        if (sqlite3_stricmp(name, *list) == 0)
            return true;
    return false;
}

static const char *const pragmas[] = {"table_info",    "table_xinfo",    "table_list",      "database_list",
                                      "function_list", "collation_list", "compile_options", NULL};

/* Functions that compare each part of one text with all parts of another one. */
static bool is_slow(const char *name)
{
    return name && (sqlite3_stricmp(name, "json_patch") == 0 || sqlite3_strnicmp(name, "geopoly_", 8) == 0);
}

static int authorize(void *ctx, int action, const char *one, const char *two, const char *schema,
                     const char *cause)
{
    static const char *const functions[] = {"load_extension", "fts3_tokenizer", "readfile",
                                            "writefile",      "edit",           NULL};
    const struct tk_sql_connection *c = ctx;
    (void)schema;
    (void)cause;
    if (c->declaring)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_one_of(two, functions) || (c->bounded && is_slow(two)) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_one_of(one, pragmas) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Tables that SQLite makes when they are named first, which it may not do any more then. */
static void make_known(sqlite3 *db)
{
    static const char *const tables[] = {"json_each('[]')", "json_tree('[]')", NULL};
    for (size_t i = 0; pragmas[i]; i++) {
        char *sql = sqlite3_mprintf("SELECT 1 FROM pragma_%s LIMIT 0", pragmas[i]);
        if (sql)
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    for (size_t i = 0; tables[i]; i++) {
        char *sql = sqlite3_mprintf("SELECT 1 FROM %s LIMIT 0", tables[i]);
        if (sql)
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
}

void tk_sql_authorize(struct tk_sql_connection *c)
{
    make_known(c->db);
    sqlite3_set_authorizer(c->db, authorize, c);
}
