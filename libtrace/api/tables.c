/*
 * The table of tables.
 */
#include "query/tables.h"

#include "api/api_in.h"
#include "api/trace.h"
#include "base/text/glob.h"
#include "os/thread.h"

#include <string.h>

#define BUILDER(name) &tk_builder_##name,
static const struct tk_builder *const builders[] = {TK_TABLES(BUILDER)};
#undef BUILDER

enum { N_BUILDERS = sizeof builders / sizeof builders[0] };

const struct tk_builder *tk_builder_find(const char *name)
{
    for (size_t i = 0; i < N_BUILDERS; i++) {
        if (strcmp(builders[i]->table->name, name) == 0)
            return builders[i];
    }
    return NULL;
}

const struct tk_table *tk_format_table_find(const struct tk_format *format, const char *name)
{
    for (size_t i = 0; format->tables && format->tables[i]; i++) {
        if (strcmp(format->tables[i]->name, name) == 0)
            return format->tables[i];
    }
    return NULL;
}

const struct tk_table *tk_format_rows_find(const struct tk_format *format, const char *name)
{
    for (size_t i = 0; format->row_tables && format->row_tables[i]; i++) {
        if (strcmp(format->row_tables[i]->name, name) == 0)
            return format->row_tables[i];
    }
    return NULL;
}

/* ---- tables that several formats have, each with columns of its own ---- */

enum { MOST_VARYING = 8, MOST_COLUMNS = 48 };

static struct varying {
    struct tk_table table;
    struct tk_column columns[MOST_COLUMNS];
} varying[MOST_VARYING];
static size_t n_varying;

static struct varying *make_varying(const struct tk_table *table)
{
    if (n_varying >= MOST_VARYING || table->n_columns > MOST_COLUMNS)
        return NULL;
    struct varying *v = &varying[n_varying++];
    memcpy(v->columns, table->columns, table->n_columns * sizeof *v->columns);
    v->table = *table;
    v->table.columns = v->columns;
    v->table.flags |= TK_TABLE_VARIES;
    return v;
}

static struct varying *find_varying(const struct tk_table *table)
{
    for (size_t i = 0; i < n_varying; i++)
        if (&varying[i].table == table)
            return &varying[i];
    return make_varying(table);
}

static bool has_all(const struct tk_table *table, const struct tk_table *other)
{
    for (uint32_t i = 0; i < other->n_columns; i++)
        if (tk_table_column(table, other->columns[i].name) < 0)
            return false;
    return true;
}

/* The listed table gets the columns that the one of another format has beyond its own. */
static void add_columns(const struct tk_table **listed, const struct tk_table *other)
{
    struct varying *v;
    if (has_all(*listed, other) && has_all(other, *listed))
        return;
    if (!(v = find_varying(*listed)))
        return;
    *listed = &v->table;
    for (uint32_t i = 0; i < other->n_columns && v->table.n_columns < MOST_COLUMNS; i++)
        if (tk_table_column(&v->table, other->columns[i].name) < 0)
            v->columns[v->table.n_columns++] = other->columns[i];
}

static const struct tk_table **find_listed(const struct tk_table **tables, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(tables[i]->name, name) == 0)
            return &tables[i];
    }
    return NULL;
}

/* A name that several formats have is listed once. */
static size_t list_format(const struct tk_table *const *tables, const struct tk_table **out, size_t n)
{
    for (size_t i = 0; tables && tables[i]; i++) {
        const struct tk_table **listed = find_listed(out, n, tables[i]->name);
        if (listed)
            add_columns(listed, tables[i]);
        else if (n < TK_MOST_TABLES)
            out[n++] = tables[i];
    }
    return n;
}

/* ---- the list ---- */

/* Formats bring tables of their own, so the list is made on first use, by whoever comes first. */
static struct {
    const struct tk_table *v[TK_MOST_TABLES];
    size_t n;
} all;

static void list_tables(void)
{
    for (size_t i = 0; i < N_BUILDERS; i++)
        all.v[all.n++] = builders[i]->table;
    for (size_t f = 0; tk_formats[f]; f++) {
        all.n = list_format(tk_formats[f]->row_tables, all.v, all.n);
        all.n = list_format(tk_formats[f]->tables, all.v, all.n);
    }
}

const struct tk_table *const *tk_tables(size_t *n)
{
    static struct tk_os_once once;
    tk_os_once(&once, list_tables);
    if (n)
        *n = all.n;
    return all.v;
}

const struct tk_table *tk_table_find(const char *name)
{
    if (!name)
        return NULL;
    size_t n;
    const struct tk_table *const *list = tk_tables(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    }
    return NULL;
}

int tk_tables_fail(const char *name, struct tk_err *err)
{
    struct tk_nearest_search near;
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    tk_nearest_begin(&near, name);
    for (size_t i = 0; i < n; i++)
        tk_nearest_offer(&near, tables[i]->name, strlen(tables[i]->name));
    return tk_nearest_fail(&near, "table", n, err);
}
