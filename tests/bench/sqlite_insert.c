/*
 * What SQLite itself takes for the rows of a table of whole numbers: they are read from a database into
 * memory, and inserted into a new one with one statement in one transaction. Only inserting is timed, on the
 * clock.
 *
 * usage: bench-sqlite-insert DATABASE TABLE OUT
 *
 * At most 4 million rows are taken, a multiple of 50. Prints: rows N single S several S
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROWS = 4000000, MOST_COLUMNS = 64, SEVERAL = 50 };

#define NOTHING INT64_MIN /* a cell without a value */

static void check(int rc, int wanted, sqlite3 *db)
{
    if (rc == wanted)
        return;
    fprintf(stderr, "bench-sqlite-insert: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run(sqlite3 *db, const char *sql)
{
    check(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, db);
}

struct rows {
    int64_t *cells; /* owned */
    size_t n;
    int columns;
    char *create; /* owned: how the table is made */
    int page_size;
};

static int64_t cell(sqlite3_stmt *stmt, int column)
{
    const int type = sqlite3_column_type(stmt, column);
    if (type != SQLITE_NULL && type != SQLITE_INTEGER) {
        fprintf(stderr, "bench-sqlite-insert: a cell that is no whole number\n");
        exit(1);
    }
    return type == SQLITE_NULL ? NOTHING : sqlite3_column_int64(stmt, column);
}

static sqlite3_stmt *ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt;
    check(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK, db);
    return stmt;
}

static void read_layout(struct rows *rows, sqlite3 *db, const char *table)
{
    sqlite3_stmt *stmt = ask(db, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?");
    sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    check(sqlite3_step(stmt), SQLITE_ROW, db);
    rows->create = strdup((const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    stmt = ask(db, "PRAGMA page_size");
    check(sqlite3_step(stmt), SQLITE_ROW, db);
    rows->page_size = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
}

static void read_rows(struct rows *rows, sqlite3 *db, const char *table)
{
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\" LIMIT %d", table, MOST_ROWS);
    sqlite3_stmt *stmt = ask(db, sql);
    rows->columns = sqlite3_column_count(stmt);
    rows->cells = malloc((size_t)MOST_ROWS * (size_t)rows->columns * sizeof *rows->cells);
    if (!rows->cells || !rows->create || rows->columns > MOST_COLUMNS)
        exit(1);
    int rc;
    for (; (rc = sqlite3_step(stmt)) == SQLITE_ROW; rows->n++)
        for (int i = 0; i < rows->columns; i++)
            rows->cells[rows->n * (size_t)rows->columns + (size_t)i] = cell(stmt, i);
    check(rc, SQLITE_DONE, db);
    sqlite3_finalize(stmt);
}

static sqlite3_stmt *insertion(sqlite3 *db, const char *table, int columns, int rows)
{
    static char sql[SEVERAL * (2 * MOST_COLUMNS + 3) + 256];
    int n = snprintf(sql, sizeof sql, "INSERT INTO \"%.200s\" VALUES", table);
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < columns; i++)
            n += snprintf(sql + n, sizeof sql - (size_t)n, "%s?%s",
                          i     ? ","
                          : row ? ",("
                                : "(",
                          i + 1 == columns ? ")" : "");
    return ask(db, sql);
}

static void insert(const struct rows *rows, sqlite3 *db, sqlite3_stmt *stmt, int at_once)
{
    const int64_t *at = rows->cells, *end = at + rows->n * (size_t)rows->columns;
    while (at < end) {
        for (int i = 1; i <= rows->columns * at_once; i++, at++)
            if (*at == NOTHING)
                sqlite3_bind_null(stmt, i);
            else
                sqlite3_bind_int64(stmt, i, *at);
        check(sqlite3_step(stmt), SQLITE_DONE, db);
        sqlite3_reset(stmt);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As an export does: nothing is kept for a way back. */
static double write_rows(const struct rows *rows, const char *table, const char *path, int at_once)
{
    sqlite3 *db;
    char sql[128];
    remove(path);
    check(sqlite3_open(path, &db), SQLITE_OK, db);
    snprintf(sql, sizeof sql, "PRAGMA page_size=%d", rows->page_size);
    run(db, sql);
    run(db, "PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;PRAGMA locking_mode=EXCLUSIVE;"
            "PRAGMA cache_size=-16384");
    run(db, rows->create);
    sqlite3_stmt *stmt = insertion(db, table, rows->columns, at_once);
    const double begin = seconds();
    run(db, "BEGIN");
    insert(rows, db, stmt, at_once);
    run(db, "COMMIT");
    const double end = seconds();
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return end - begin;
}

int main(int argc, char **argv)
{
    sqlite3 *db;
    struct rows rows = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: bench-sqlite-insert DATABASE TABLE OUT\n");
        return 2;
    }
    check(sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK, db);
    read_layout(&rows, db, argv[2]);
    read_rows(&rows, db, argv[2]);
    sqlite3_close(db);
    rows.n -= rows.n % SEVERAL;
    const double single = write_rows(&rows, argv[2], argv[3], 1);
    printf("rows %zu single %.6f several %.6f\n", rows.n, single,
           write_rows(&rows, argv[2], argv[3], SEVERAL));
    free(rows.cells);
    free(rows.create);
    return 0;
}
