/*
 * A chapter of tracekit.h: what can be requested, and how rows are delivered.
 */
#ifndef TRACEKIT_TABLES_H
#define TRACEKIT_TABLES_H

#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_trace;

/* ---- 5 tables ----
 *
 * All information about a capture is in tables: described columns, and rows in batches. tk_tables() and
 * `trace-stats --list` list all tables and their columns. Queries can choose columns, so look a column up by
 * name in the table that is delivered with the rows:
 *
 *     int at = tk_table_column(table, "count");
 *     for (size_t i = 0; i < rows->n; i++)
 *         use(&rows->cells[i * table->n_columns + (size_t)at]);
 */

struct tk_column {
    const char *name;
    uint8_t kind;     /* enum tk_kind of its cells (which may be TK_NONE) */
    uint8_t flags;    /* TK_COL_... */
    const char *unit; /* "calls", "bytes", ... ; NULL if the kind implies it; times use the table's */
    const char *help; /* one sentence */
};

#define TK_COL_EXTRA       1   /* not displayed unless requested */
#define TK_COL_GROUP       2   /* part of the key of the row (displayed when grouping requests it) */
#define TK_COL_LOWER_BOUND 4   /* values are lower bounds: displayed to people with ">=" */
#define TK_COL_HUMAN_ONLY  8   /* with EXTRA: displayed to people by default */
#define TK_COL_OPTIONAL    16  /* dropped first if the terminal is too narrow */
#define TK_COL_BAR         32  /* a text whose length is a value: displayed to people as a bar that fits */
#define TK_COL_PART        128 /* a share, 0 to 1: displayed to people as percent */

enum tk_unit { TK_UNIT_NS = 0, TK_UNIT_CYCLES, TK_UNIT_US, TK_UNIT_MS, TK_UNIT_S };

/* A described stream of rows. */
struct tk_table {
    const char *name;
    const char *help;
    const struct tk_column *columns;
    uint32_t n_columns;
    uint32_t flags;      /* TK_TABLE_... */
    enum tk_unit unit;   /* of times: cells hold cycles (TK_UNIT_CYCLES) or nanoseconds (all others) */
    const char *sort_by; /* column by which it is sorted for people, or NULL for the order of the rows */
    const char *none;    /* what people see if there are no rows, or NULL */
    uint32_t schema; /* raised when its columns, rows or their meaning change (CHANGELOG.md); 0 counts as 1 */
};

#define TK_TABLE_SINGLE     1   /* exactly one row: an object rather than a list */
#define TK_TABLE_ON_REQUEST 2   /* answers a question of the query; not part of an export of all tables */
#define TK_TABLE_WHOLE      4   /* has all columns, even if the query names columns of another table */
#define TK_TABLE_TIMES      8   /* has times of scopes: `quality` of a selection applies to its rows */
#define TK_TABLE_EACH       16  /* each row is one event: an export that cannot hold it reports it */
#define TK_TABLE_AFTER      64  /* WHOLE unless it is the first table of the query */
#define TK_TABLE_VARIES     128 /* each format has some of its columns, which a query without columns gets */

/* A batch of rows; the sink borrows it during the call. `cells` has n_columns cells per row. */
struct tk_rows {
    size_t n;
    const struct tk_cell *cells;
};

/* The receiver of tables. Hooks that are NULL are skipped. Each returns TK_OK or a negative status, which
 * ends the query. */
struct tk_sink {
    void *self;
    int (*begin)(void *self, const struct tk_table *table, struct tk_err *err);
    int (*rows)(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err);
    int (*end)(void *self, const struct tk_table *table, struct tk_err *err);
};

/* The index of the column with this name, or -1. */
TK_API int tk_table_column(const struct tk_table *table, const char *name);

/*
 * The same without the layout of the structs: name, help, unit and number of columns of a table; name, kind,
 * flags (TK_COL_...), unit (may be NULL) and help of a column (from 0). After the last column: NULL, TK_NONE
 * and 0. Texts are valid as long as the table.
 */
TK_API const char *tk_table_name(const struct tk_table *table);
TK_API const char *tk_table_help(const struct tk_table *table);
TK_API enum tk_unit tk_table_unit(const struct tk_table *table);
TK_API size_t tk_table_width(const struct tk_table *table);
TK_API const char *tk_column_name(const struct tk_table *table, size_t column);
TK_API enum tk_kind tk_column_kind(const struct tk_table *table, size_t column);
TK_API unsigned tk_column_flags(const struct tk_table *table, size_t column);
TK_API const char *tk_column_unit(const struct tk_table *table, size_t column);
TK_API const char *tk_column_help(const struct tk_table *table, size_t column);

/* All tables: *n of them, static, with default units. */
TK_API const struct tk_table *const *tk_tables(size_t *n);

/* The table with this name, or NULL. */
TK_API const struct tk_table *tk_table_find(const char *name);

/* Can this capture answer a query for the table with this name? Tables that describe files exist only for
 * some formats. */
TK_API bool tk_has_table(const struct tk_trace *trace, const char *name);

#ifdef __cplusplus
}
#endif

#endif
