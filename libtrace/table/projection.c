/*
 * Projects a table to the columns of a query. It sits between the rows of a builder and a sink.
 */
#include "base/hash.h"
#include "base/text/glob.h"
#include "base/vec.h"
#include "table/cell.h"
#include "table/sink.h"
#include "table/table_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The order of rows by a column.
 */

static bool comes_after(const struct tk_row_order *o, const struct tk_cell *a, const struct tk_cell *b)
{
    a += o->column;
    b += o->column;
    unsigned absent_a = tk_cell_absence(a), absent_b = tk_cell_absence(b);
    if (absent_a || absent_b)
        return absent_a > absent_b;
    int c = tk_cell_compare(a, b);
    return o->descending ? c < 0 : c > 0;
}

static void merge_runs(const struct tk_row_order *o, const struct tk_cell **out, const struct tk_cell **in,
                       size_t middle, size_t end)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < end; i++) {
        bool second = a == middle || (b < end && comes_after(o, in[a], in[b]));
        out[i] = second ? in[b++] : in[a++];
    }
}

/* Merge sort from below: stable, no recursion. Returns which of the two arrays holds the result. */
const struct tk_cell **tk_row_order_sort(const struct tk_row_order *o, const struct tk_cell **rows,
                                         const struct tk_cell **spare, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t left = n - at;
            size_t end = left < 2 * run ? left : 2 * run;
            merge_runs(o, spare + at, rows + at, end < run ? end : run, end);
        }
        const struct tk_cell **swap = rows;
        rows = spare;
        spare = swap;
    }
    return rows;
}

/*
 * Rows in groups.
 */

#define LEFT_OUT UINT32_MAX

static uint64_t key_of(const struct tk_cell *cell)
{
    const bool bytes = cell->kind == TK_TEXT || cell->kind == TK_BYTES;
    if (cell->kind == TK_NONE)
        return 0;
    return bytes ? tk_hash_bytes(cell->v.p, cell->n, cell->enc) : tk_hash_pair(cell->kind, cell->v.u);
}

uint64_t tk_row_groups_key(const struct tk_cell *row, const uint32_t *columns, size_t n)
{
    uint64_t key = 0;
    for (size_t i = 0; i < n; i++)
        key = tk_hash_pair(key, key_of(&row[columns[i]]));
    return key;
}

struct grouping {
    struct tk_map index; /* key -> group */
    TK_VEC(size_t) rows; /* kept rows of each group, then where its next row goes */
    uint32_t *groups;    /* of each row, or LEFT_OUT */
};

static int find_group(struct grouping *g, uint64_t key, uint32_t *group)
{
    *group = tk_map_get(&g->index, key);
    if (*group != TK_MAP_NONE)
        return 0;
    *group = (uint32_t)g->rows.n;
    return *group == TK_MAP_NONE || tk_vec_push(&g->rows, 0) || tk_map_put(&g->index, key, *group) ? -1 : 0;
}

static int find_groups(struct grouping *g, const uint64_t *keys, size_t n, size_t most)
{
    g->groups = malloc((n + 1) * sizeof *g->groups);
    for (size_t i = 0; g->groups && i < n; i++) {
        if (find_group(g, keys[i], &g->groups[i]))
            return -1;
        size_t *rows = &g->rows.v[g->groups[i]];
        if (*rows == most)
            g->groups[i] = LEFT_OUT;
        else
            ++*rows;
    }
    return g->groups ? 0 : -1;
}

static size_t place_groups(struct grouping *g)
{
    size_t at = 0;
    for (size_t i = 0; i < g->rows.n; i++) {
        const size_t rows = g->rows.v[i];
        g->rows.v[i] = at;
        at += rows;
    }
    return at;
}

size_t tk_row_groups_order(const uint64_t *keys, size_t n, size_t most, size_t *order)
{
    struct grouping g = {0};
    size_t kept = SIZE_MAX;
    if (find_groups(&g, keys, n, most) == 0) {
        kept = place_groups(&g);
        for (size_t i = 0; i < n; i++)
            if (g.groups[i] != LEFT_OUT)
                order[g.rows.v[g.groups[i]]++] = i;
    }
    tk_map_release(&g.index);
    tk_vec_release(&g.rows);
    free(g.groups);
    return kept;
}

enum { MOST_COLUMNS = 64 };

static uint32_t find_projection(const struct tk_table *full, const char *name)
{
    uint32_t i = 0;
    while (i < full->n_columns && strcmp(full->columns[i].name, name) != 0)
        i++;
    return i;
}

static int no_column(const struct tk_table *full, const char *name, struct tk_err *err)
{
    struct tk_nearest_search near;
    char what[80];
    tk_nearest_begin(&near, name);
    for (uint32_t i = 0; i < full->n_columns; i++)
        tk_nearest_offer(&near, full->columns[i].name, strlen(full->columns[i].name));
    snprintf(what, sizeof what, "column of table '%s'", full->name);
    return tk_nearest_fail(&near, what, full->n_columns, err);
}

static void take_projection(struct tk_projection *p, const struct tk_table *full, uint32_t column)
{
    p->from[p->table.n_columns] = column;
    p->columns[p->table.n_columns++] = full->columns[column];
    p->mask |= UINT64_C(1) << column;
}

const char *tk_projection_column(const char *requested, const char *table)
{
    const size_t n = strlen(table);
    return strncmp(requested, table, n) == 0 && requested[n] == '.' ? requested + n + 1 : NULL;
}

/* The column of this table that a name stands for; NULL: it is of another table of the query. */
static const char *own_name(const struct tk_table *full, const struct tk_query *query, size_t i)
{
    const char *requested = query->columns[i], *own = tk_projection_column(requested, full->name);
    return own || (query->n_tables > 1 && strchr(requested, '.')) ? own : requested;
}

static int take_requested(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query,
                          struct tk_err *err)
{
    for (size_t i = 0; i < query->n_columns; i++) {
        const char *name = own_name(full, query, i);
        if (!name)
            continue;
        uint32_t column = find_projection(full, name);
        if (column == full->n_columns)
            return no_column(full, name, err);
        if (p->mask >> column & 1)
            return tk_err_set(err, TK_EUSAGE, "column '%s' is named twice", name);
        take_projection(p, full, column);
    }
    return TK_OK;
}

/* Is a column of this table named? */
static bool names_one(const struct tk_table *full, const struct tk_query *query)
{
    for (size_t i = 0; i < query->n_columns; i++)
        if (own_name(full, query, i))
            return true;
    return false;
}

static void take_usual(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query)
{
    uint8_t hidden = query->by & TK_BY_EXTRA ? 0 : TK_COL_EXTRA;
    uint8_t displayed = query->by & TK_BY_HUMAN ? TK_COL_HUMAN_ONLY : 0;
    if (!(query->by & TK_BY_THREAD))
        hidden |= TK_COL_GROUP;
    for (uint32_t i = 0; i < full->n_columns; i++) {
        uint8_t flags = full->columns[i].flags;
        if (!(flags & hidden & (flags & displayed ? ~TK_COL_EXTRA : UINT8_MAX)))
            take_projection(p, full, i);
    }
}

/* The usual columns, and those others that are named for this table. */
static void take_whole(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query)
{
    take_usual(p, full, query);
    for (size_t i = 0; i < query->n_columns; i++) {
        const char *name = tk_projection_column(query->columns[i], full->name);
        const uint32_t column = name ? find_projection(full, name) : full->n_columns;
        if (column < full->n_columns && !(p->mask >> column & 1))
            take_projection(p, full, column);
    }
}

bool tk_projection_whole(const struct tk_table *full, const struct tk_query *query)
{
    bool first = query->n_tables < 2 || strcmp(query->tables[0], full->name) == 0;
    return full->flags & (first ? TK_TABLE_WHOLE : TK_TABLE_WHOLE | TK_TABLE_AFTER) && query->n_tables > 1;
}

int tk_projection_init(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err)
{
    int rc = TK_OK;
    *p = (struct tk_projection){.table = *full};
    p->table.n_columns = 0;
    p->table.unit = query->unit;
    if (full->n_columns > MOST_COLUMNS)
        return tk_err_set(err, TK_ELIMIT, "table '%s' has more than %d columns", full->name, MOST_COLUMNS);
    p->table.columns = p->columns = calloc(full->n_columns + 1, sizeof *p->columns);
    p->from = calloc(full->n_columns + 1, sizeof *p->from);
    if (!p->columns || !p->from)
        rc = tk_err_nomem(err, "the columns of a table");
    else if (!names_one(full, query))
        take_usual(p, full, query);
    else if (tk_projection_whole(full, query))
        take_whole(p, full, query);
    else
        rc = take_requested(p, full, query, err);
    if (rc == TK_OK && full->sort_by && find_projection(&p->table, full->sort_by) == p->table.n_columns)
        p->table.sort_by = NULL;
    if (rc < 0)
        tk_projection_release(p);
    return rc;
}

void tk_projection_release(struct tk_projection *p)
{
    free(p->columns);
    free(p->from);
    *p = (struct tk_projection){0};
}
