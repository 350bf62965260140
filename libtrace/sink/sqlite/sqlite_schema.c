/*
 * Creates the tables and views of a database, or adds columns to those of an existing one. sqlite_table.c
 * calls it when a table begins.
 */
#include "sink/sqlite/sqlite_in.h"
#include "table/sink.h"

#include <stdio.h>
#include <string.h>

/*
 * Creates the views over several tables, and the indexes, when all tables are there. sqlite.c calls it at the
 * end.
 */

/* Made of schemas/views.sql. */
extern const char tk_sqlite_views[];

/* Threads and processes are also those of this table, which is empty where it is not exported. */
static const char threads_of_system[] =
    "CREATE TABLE IF NOT EXISTS _switches(capture_id INTEGER,system_id INTEGER,thread_id INTEGER,"
    "thread_ref INTEGER,process_id INTEGER,process_ref INTEGER)";

int tk_sqlite_views_make(sqlite3 *db)
{
    const char *sql = tk_sqlite_views;
    if (sqlite3_exec(db, threads_of_system, NULL, NULL, NULL) != SQLITE_OK)
        return -1;
    while (*sql) {
        const char *rest = sql;
        sqlite3_stmt *stmt = NULL;
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, &rest) != SQLITE_OK || rest == sql)
            return -1;
        if (stmt && sqlite3_step(stmt) != SQLITE_DONE) {
            sqlite3_finalize(stmt);
            return -1;
        }
        sqlite3_finalize(stmt);
        sql = rest;
    }
    return 0;
}

static const struct {
    const char *name, *table, *columns;
} indexes[] = {
    {"scopes_start", "_scopes", "start"},
    {"scopes_thread", "_scopes", "capture_id, thread_id, start"},
    {"gpu_scopes_queue", "_gpu_scopes", "capture_id, queue_id, start"},
    {"scopes_timer", "_scopes", "timer_ref"},
    {"string_text", "string", "text"},
};

int tk_sqlite_indexes_make(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "CREATE INDEX IF NOT EXISTS %s ON %s(%s)", indexes[i].name,
                 indexes[i].table, indexes[i].columns);
        if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
            return -1;
    }
    return 0;
}

static const char args_column[] = "arg_set_id";

enum tk_sqlite_affinity tk_sqlite_schema_affinity(uint8_t kind)
{
    switch (kind) {
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        return TK_SQLITE_REAL;
    default:
        return kind >= TK_BYTES || kind == TK_NONE ? TK_SQLITE_AS_IS : TK_SQLITE_INTEGER;
    }
}

static const char *declared_type(uint8_t kind)
{
    static const char *const types[] = {
        [TK_SQLITE_AS_IS] = "", [TK_SQLITE_INTEGER] = " INTEGER", [TK_SQLITE_REAL] = " REAL"};
    return kind == TK_BYTES ? " BLOB" : types[tk_sqlite_schema_affinity(kind)];
}

static void put_name_sqlite_schema(struct tk_buffer *b, const char *begin, const char *name, const char *end)
{
    tk_buffer_char(b, '"');
    tk_buffer_text(b, begin);
    tk_buffer_text(b, name);
    tk_buffer_text(b, end);
    tk_buffer_char(b, '"');
}

/* ---- columns: those of the rows and, where there are records, the number of the arguments ---- */

static uint32_t count_sqlite_schema(const struct tk_sqlite_table *t)
{
    return t->n + (t->record != TK_SQLITE_NO_RECORD);
}

static const char *name_of_sqlite_schema(const struct tk_sqlite_table *t, uint32_t i)
{
    return i < t->n ? t->table->columns[t->columns[i].from].name : args_column;
}

static const char *end_of(const struct tk_sqlite_table *t, uint32_t i)
{
    return i < t->n && t->columns[i].text ? "_ref" : "";
}

static void put_declared(struct tk_buffer *b, const struct tk_sqlite_table *t, uint32_t i)
{
    put_name_sqlite_schema(b, "", name_of_sqlite_schema(t, i), end_of(t, i));
    tk_buffer_text(b, i < t->n ? declared_type(t->table->columns[t->columns[i].from].kind) : " INTEGER");
}

void tk_sqlite_schema_columns(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool declared)
{
    /* The arguments come first, where rows have them, too. */
    for (uint32_t k = 0, n = count_sqlite_schema(t); k < n; k++) {
        const uint32_t i = (k + t->n) % n;
        tk_buffer_char(&c->sql, ',');
        if (declared)
            put_declared(&c->sql, t, i);
        else
            put_name_sqlite_schema(&c->sql, "", name_of_sqlite_schema(t, i), end_of(t, i));
    }
}

/* Has a table or view the column? SQLITE_OK or what failed. */
static int find_sqlite_schema(struct tk_sqlite_capture *c, const char *table[2], const char *name,
                              const char *end, bool *there)
{
    static const char sql[] =
        "SELECT count(*) FROM pragma_table_info(?1 || ?2) WHERE name = (?3 || ?4) COLLATE NOCASE";
    const char *const values[] = {table[0], table[1], name, end};
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);
    for (int i = 0; i < 4 && rc == SQLITE_OK; i++)
        rc = sqlite3_bind_text(stmt, i + 1, values[i], -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *there = rc == SQLITE_ROW && sqlite3_column_int(stmt, 0) > 0;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/* ---- statements ---- */

static int execute(struct tk_sqlite_capture *c)
{
    tk_buffer_char(&c->sql, '\0');
    return c->sql.status < 0 ? SQLITE_NOMEM : sqlite3_exec(c->db, c->sql.p, NULL, NULL, NULL);
}

static int create_table(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t)
{
    c->sql.n = 0;
    tk_buffer_text(&c->sql, "CREATE TABLE ");
    put_name_sqlite_schema(&c->sql, "_", t->table->name, "");
    tk_buffer_text(&c->sql, "(capture_id INTEGER");
    tk_sqlite_schema_columns(c, t, true);
    tk_buffer_char(&c->sql, ')');
    return execute(c);
}

static int add_column(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, uint32_t i)
{
    c->sql.n = 0;
    tk_buffer_text(&c->sql, "ALTER TABLE ");
    put_name_sqlite_schema(&c->sql, "_", t->table->name, "");
    tk_buffer_text(&c->sql, " ADD COLUMN ");
    put_declared(&c->sql, t, i);
    return execute(c);
}

static int add_columns(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t)
{
    const char *table[] = {"_", t->table->name};
    int rc = SQLITE_OK;
    for (uint32_t i = 0; i < count_sqlite_schema(t) && rc == SQLITE_OK; i++) {
        bool there;
        rc = find_sqlite_schema(c, table, name_of_sqlite_schema(t, i), end_of(t, i), &there);
        if (rc == SQLITE_OK && !there)
            rc = add_column(c, t, i);
    }
    return rc;
}

/* ---- views ---- */

/* Are there numbers of 2^63 and more in an unsigned column, which stand in the table as negative ones? */
static int find_beyond(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, const char *name,
                       bool *there)
{
    sqlite3_stmt *stmt = NULL;
    uint32_t i = 0;
    *there = false;
    while (i < t->table->n_columns && strcmp(t->table->columns[i].name, name) != 0)
        i++;
    if (i == t->table->n_columns ||
        (t->table->columns[i].kind != TK_UINT && t->table->columns[i].kind != TK_SIZE))
        return SQLITE_OK;
    char *sql = sqlite3_mprintf("SELECT 1 FROM \"_%w\" WHERE \"%w\" < 0 LIMIT 1", t->table->name, name);
    int rc = sql ? sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *there = rc == SQLITE_ROW;
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void put_plain(struct tk_buffer *b, const char *name, bool beyond)
{
    tk_buffer_text(b, beyond ? "(CASE WHEN t." : "t.");
    put_name_sqlite_schema(b, "", name, "");
    if (!beyond)
        return;
    tk_buffer_text(b, "<0 THEN printf('%u',t.");
    put_name_sqlite_schema(b, "", name, "");
    tk_buffer_text(b, ") ELSE t.");
    put_name_sqlite_schema(b, "", name, "");
    tk_buffer_text(b, " END)");
}

/* What is said of threads, which rows of `scopes` lack. */
static const char *const of_threads[] = {"thread", "role", "process_id", "process"};

enum { OF_THREADS = sizeof of_threads / sizeof *of_threads };

static bool is_thread_of_scopes(const struct tk_sqlite_table *t, const char *name)
{
    for (size_t i = 0; strcmp(t->table->name, "scopes") == 0 && i < OF_THREADS; i++)
        if (strcmp(name, of_threads[i]) == 0)
            return true;
    return false;
}

static void put_of_thread(struct tk_buffer *b, const char *name)
{
    const bool number = strcmp(name, "process_id") == 0;
    tk_buffer_text(b, number ? "(SELECT h." : "(SELECT (SELECT text FROM string WHERE id=h.");
    put_name_sqlite_schema(b, "", name, number ? "" : "_ref");
    tk_buffer_text(b, number ? "" : ")");
    tk_buffer_text(b, " FROM _threads h WHERE h.capture_id=t.capture_id AND h.thread_id=t.thread_id)");
}

/* Of two captures, one may have texts in a column where the other has numbers, or what another table has. */
static int put_displayed(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, const char *name)
{
    const char *table[] = {"_", t->table->name};
    bool plain = false, text = false, beyond = false, thread = false;
    int rc = find_sqlite_schema(c, table, name, "", &plain);
    if (rc == SQLITE_OK)
        rc = find_sqlite_schema(c, table, name, "_ref", &text);
    if (rc == SQLITE_OK && plain)
        rc = find_beyond(c, t, name, &beyond);
    if (rc == SQLITE_OK && is_thread_of_scopes(t, name))
        rc = find_sqlite_schema(c, table, "thread_id", "", &thread);
    const bool several = plain + text + thread > 1;
    tk_buffer_text(&c->sql, several ? ",coalesce(" : ",");
    if (plain)
        put_plain(&c->sql, name, beyond);
    tk_buffer_text(&c->sql, plain && (text || thread) ? "," : "");
    if (text) {
        tk_buffer_text(&c->sql, "(SELECT text FROM string WHERE id=t.");
        put_name_sqlite_schema(&c->sql, "", name, "_ref");
        tk_buffer_char(&c->sql, ')');
    }
    tk_buffer_text(&c->sql, text && thread ? "," : "");
    if (thread)
        put_of_thread(&c->sql, name);
    tk_buffer_text(&c->sql, several ? ") AS " : " AS ");
    put_name_sqlite_schema(&c->sql, "", name, "");
    return rc;
}

/* What is said of the capture of a row, and where there is a time in the table, when that was. */
static void put_capture(struct tk_buffer *b, const struct tk_sqlite_table *t)
{
    const uint32_t begin = tk_table_begin(t->table);
    tk_buffer_text(b, ",(SELECT name FROM captures WHERE id=t.capture_id) AS capture");
    if (begin == UINT32_MAX)
        return;
    tk_buffer_text(b, ",(SELECT begin FROM captures WHERE id=t.capture_id)+t.");
    put_name_sqlite_schema(b, "", t->table->columns[begin].name, "");
    tk_buffer_text(b, " AS wall_clock");
}

/* What the view has so far, capture_id in front, without what is said of captures. */
static int put_viewed(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t)
{
    static const char sql[] = "SELECT name FROM pragma_table_info(?1) WHERE cid > 0 AND "
                              "name NOT IN('capture','wall_clock')";
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(c->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, t->table->name, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
        rc = put_displayed(c, t, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Adds the columns that the view lacks to the statement, and says how many these are. */
static int put_lacking(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, uint32_t *n)
{
    const char *view[] = {"", t->table->name};
    int rc = SQLITE_OK;
    *n = 0;
    for (uint32_t k = 0; k < count_sqlite_schema(t) && rc == SQLITE_OK; k++) {
        const char *name = name_of_sqlite_schema(t, (k + t->n) % count_sqlite_schema(t));
        bool there;
        rc = find_sqlite_schema(c, view, name, "", &there);
        *n += rc == SQLITE_OK && !there;
        if (rc == SQLITE_OK && !there)
            rc = put_displayed(c, t, name);
    }
    return rc;
}

/* What is said of threads in the view of scopes, unless the columns were named. A view that is there may have
 * it of some captures only. */
static int put_threads(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, uint32_t *lacking)
{
    const char *view[] = {"", t->table->name};
    bool there;
    int rc = SQLITE_OK;
    if (c->requested || !is_thread_of_scopes(t, of_threads[0]))
        return SQLITE_OK;
    *lacking = 1;
    for (size_t i = 0; i < OF_THREADS && rc == SQLITE_OK; i++) {
        rc = find_sqlite_schema(c, view, of_threads[i], "", &there);
        if (rc == SQLITE_OK && !there)
            rc = put_displayed(c, t, of_threads[i]);
    }
    return rc;
}

static int fit_view(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool anew)
{
    uint32_t lacking = 0, threads = 0;
    c->sql.n = 0;
    tk_buffer_text(&c->sql, "DROP VIEW IF EXISTS ");
    put_name_sqlite_schema(&c->sql, "", t->table->name, "");
    tk_buffer_text(&c->sql, ";CREATE VIEW ");
    put_name_sqlite_schema(&c->sql, "", t->table->name, "");
    tk_buffer_text(&c->sql, " AS SELECT capture_id");
    int rc = put_viewed(c, t);
    if (rc == SQLITE_OK)
        rc = put_lacking(c, t, &lacking);
    if (rc == SQLITE_OK)
        rc = put_threads(c, t, &threads);
    put_capture(&c->sql, t);
    tk_buffer_text(&c->sql, " FROM ");
    put_name_sqlite_schema(&c->sql, "_", t->table->name, "");
    tk_buffer_text(&c->sql, " t");
    return rc == SQLITE_OK && (anew || lacking + threads) ? execute(c) : rc;
}

int tk_sqlite_schema_show(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t)
{
    bool beyond = false;
    for (uint32_t i = 0; i < t->n; i++)
        beyond |= t->columns[i].beyond;
    return beyond ? fit_view(c, t, true) : SQLITE_OK;
}

int tk_sqlite_schema_fit(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool displayed)
{
    const char *table[] = {"_", t->table->name};
    bool there;
    int rc = find_sqlite_schema(c, table, "capture_id", "", &there);
    if (rc == SQLITE_OK)
        rc = there ? add_columns(c, t) : create_table(c, t);
    return rc == SQLITE_OK && (displayed || !there) ? fit_view(c, t, false) : rc;
}
