/*
 * Counts the rows of tables that an export format cannot hold. It sits between the reading and the sink, and
 * only if the caller requests the counts. Pictures are a format of that kind.
 */
#include "api/trace.h"
#include "base/err.h"
#include "engine/run.h"
#include "export/export_in.h"
#include "model/timeline/timeline_items.h"
#include "query/emit.h"
#include "sink/tables/table_folder.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/* Does a format that takes no tables hold the rows of this one? */
static bool has_place(const char *table, unsigned holds)
{
    static const char *const events[] = {"allocations", "sample_rows", "switch_rows", "callstacks",
                                         "lock_rows"};
    const char *item;
    for (size_t i = 0; holds & TK_HOLDS_MARKS && (item = tk_timeline_table(i)); i++)
        if (strcmp(item, table) == 0)
            return true;
    if (holds & TK_HOLDS_SAMPLES && strcmp(table, "sample_rows") == 0)
        return true;
    for (size_t i = 0; holds & TK_HOLDS_EVENTS && i < sizeof events / sizeof *events; i++)
        if (strcmp(events[i], table) == 0)
            return true;
    return holds & TK_HOLDS_BYTES && strcmp(table, "allocations") == 0;
}

/* Counts the rows of a table that the capture can fill. */
static void add_skipped(struct tk_left *left, const struct tk_export *e, const char *name)
{
    const struct tk_builder *known = tk_builder_find(name);
    const struct tk_table *rows = known ? NULL : tk_format_rows_find(e->trace->ctx.format, name);
    if (!known && !rows)
        return;
    if (rows)
        left->tables[left->n].made = tk_rows_builder(rows);
    left->tables[left->n].builder = known ? known : &left->tables[left->n].made;
    left->n++;
}

int tk_left_init(struct tk_left *left, const struct tk_export *e, unsigned holds, struct tk_err *err)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    *left = (struct tk_left){.n = 0};
    if (!e->options->left_out)
        return TK_OK;
    left->tables = calloc(TK_MOST_TABLES, sizeof *left->tables);
    if (!left->tables)
        return tk_err_nomem(err, "the tables that an export leaves out");
    for (size_t i = 0; i < n; i++)
        if (tables[i]->flags & TK_TABLE_EACH && !has_place(tables[i]->name, holds))
            add_skipped(left, e, tables[i]->name);
    return TK_OK;
}

void tk_left_release(struct tk_left *left)
{
    free(left->tables);
}

static uint64_t *find_skipped(struct tk_left *left, const struct tk_table *table)
{
    for (size_t i = 0; i < left->n; i++)
        if (strcmp(left->tables[i].builder->table->name, table->name) == 0)
            return &left->tables[i].rows;
    return NULL;
}

static int begin_skipped(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_left *left = self;
    if (find_skipped(left, table) || !left->inner->begin)
        return TK_OK;
    return left->inner->begin(left->inner->self, table, err);
}

static int rows_skipped(void *self, const struct tk_table *table, const struct tk_rows *batch,
                        struct tk_err *err)
{
    struct tk_left *left = self;
    uint64_t *count = find_skipped(left, table);
    if (count)
        *count += batch->n;
    else if (left->inner->rows)
        return left->inner->rows(left->inner->self, table, batch, err);
    return TK_OK;
}

static int end_skipped(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_left *left = self;
    if (find_skipped(left, table) || !left->inner->end)
        return TK_OK;
    return left->inner->end(left->inner->self, table, err);
}

int tk_left_run(struct tk_left *left, const struct tk_export *e, const struct tk_builder *const *builders,
                size_t n, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_sink counting = {
        .self = left, .begin = begin_skipped, .rows = rows_skipped, .end = end_skipped};
    const struct tk_builder **all = calloc(n + left->n + 1, sizeof *all);
    struct tk_query mixed = *query;
    if (!all)
        return tk_err_nomem(err, "the tables of an export");
    mixed.mixed = true;
    left->inner = sink;
    if (n)
        memcpy(all, builders, n * sizeof *all);
    for (size_t i = 0; i < left->n; i++)
        all[n + i] = left->tables[i].builder;
    n += left->n;
    int rc = n ? tk_run(&e->trace->ctx, e->trace->capture, all, n, &mixed, &counting, err) : TK_OK;
    free(all);
    return rc;
}

void tk_left_tell(const struct tk_left *left, const struct tk_export *e)
{
    for (size_t i = 0; i < left->n; i++)
        if (left->tables[i].rows)
            e->options->left_out(e->options->ctx, left->tables[i].builder->table->name, left->tables[i].rows);
}

/*
 * Exports pictures: screenshots and frame images of a capture, one file each in a folder. It feeds the sink
 * of pictures.h.
 */

/* The table of pictures that captures of this kind have; NULL: none. */
static const struct tk_picture_table *picture_table_of(const struct tk_export *e)
{
    for (size_t i = 0; i < sizeof tk_picture_tables / sizeof *tk_picture_tables; i++)
        if (tk_format_rows_find(e->trace->ctx.format, tk_picture_tables[i].table))
            return &tk_picture_tables[i];
    return NULL;
}

static void note_refused(const struct tk_export *e, const struct tk_pictures *pictures)
{
    const size_t n = tk_pictures_refused(pictures);
    if (n)
        tk_health_note(&e->trace->ctx.health, TK_HEALTH_PAYLOAD_DAMAGED, TK_NO_OFFSET, n,
                       "frame images of a size that is none, or too large, were left out");
}

int tk_export_pictures(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_picture_table *table = picture_table_of(e);
    struct tk_query query = *e->query;
    struct tk_pictures *pictures;
    if (strcmp(e->options->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "pictures need a folder to be written to");
    if (!table)
        return tk_err_set(err, TK_EMATCH, "captures of this kind have no pictures");
    query.tables = &table->table;
    query.n_tables = 1;
    query.columns = table->columns;
    query.n_columns = table->n;
    int rc = tk_pictures_open(&pictures, e->options->path, e->options->force, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_pictures_sink(pictures, table);
    rc = tk_query_run(e->trace, &query, &sink, err);
    note_refused(e, pictures);
    if (rc == TK_OK)
        return tk_pictures_commit(pictures, err);
    tk_pictures_discard(pictures);
    return rc;
}
