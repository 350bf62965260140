/*
 * Hands the rows of a table to its tree or to statements, of which one takes many rows at a time. See
 * sqlite_rows.h.
 */
#include "sink/sqlite/sqlite_rows.h"

#include <stdbool.h>

enum { ROWS_AT_ONCE = 50 };

/* The page that SQLite has made for the table. */
static int find_root(sqlite3 *db, const char *table, uint32_t *root)
{
    static const char sql[] = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?";
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *root = rc == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_INTERNAL : rc;
}

static int prepare_insertion(sqlite3 *db, const char *table, const char *columns, unsigned n_columns,
                             unsigned rows, sqlite3_stmt **out)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w\"(%s)VALUES", table, columns);
    for (unsigned r = 0; r < rows; r++)
        for (unsigned i = 0; i < n_columns; i++)
            sqlite3_str_appendall(sql, i ? ",?" : r ? "),(?" : "(?");
    sqlite3_str_appendchar(sql, 1, ')');
    char *text = sqlite3_str_finish(sql);
    const int rc = text ? sqlite3_prepare_v2(db, text, -1, out, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

int tk_sqlite_rows_open(struct tk_sqlite_rows *r, const struct tk_sqlite_target *to, const char *table,
                        const char *columns, unsigned n_columns)
{
    *r = (struct tk_sqlite_rows){0};
    int rc;
    if (to->pages) {
        uint32_t root;
        rc = find_root(to->db, table, &root);
        tk_sqlite_tree_open(&r->tree, to->pages, root);
        return rc;
    }
    rc = prepare_insertion(to->db, table, columns, n_columns, 1, &r->one);
    return rc == SQLITE_OK ? prepare_insertion(to->db, table, columns, n_columns, ROWS_AT_ONCE, &r->many)
                           : rc;
}

static int insert_record(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more)
{
    if (!r->bound) {
        r->filling = more + 1 >= ROWS_AT_ONCE ? r->many : r->one;
        r->at = 1;
    }
    int rc = tk_sqlite_record_bind(record, r->filling, &r->at);
    if (rc == SQLITE_OK && r->filling == r->many && ++r->bound < ROWS_AT_ONCE)
        return rc;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(r->filling);
    sqlite3_reset(r->filling);
    r->bound = 0;
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int tk_sqlite_rows_add(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more)
{
    const int rc = tk_sqlite_record_check(record);
    if (rc != SQLITE_OK)
        return rc;
    if (!r->tree.pages)
        return r->one ? insert_record(r, record, more) : SQLITE_MISUSE;
    return tk_sqlite_tree_add(&r->tree, ++r->last, record);
}

int tk_sqlite_rows_finish(struct tk_sqlite_rows *r)
{
    return tk_sqlite_tree_finish(&r->tree);
}

void tk_sqlite_rows_release(struct tk_sqlite_rows *r)
{
    tk_sqlite_tree_release(&r->tree);
    sqlite3_finalize(r->many);
    sqlite3_finalize(r->one);
    *r = (struct tk_sqlite_rows){0};
}
