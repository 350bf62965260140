/*
 * Tables whose rows come sorted: a sink between a query and the sink of a format that keeps the rows of
 * `scopes` in a sorter until the table ends, and hands on all others.
 *
 * Of scopes with one begin the outer ones come first: their ids are numbers in order of begins.
 */
#include "base/err.h"
#include "base/text/intern.h"
#include "export/export_in.h"
#include "io/scratch/spill.h"

#include <stdlib.h>
#include <string.h>

enum { SORT_BYTES = 32 << 20, BATCH = 256, MOST_COLUMNS = 32 };

static const char sorted_table[] = "scopes";

/* A row: as many values as there are columns follow. Texts are the address of an interned one. */
struct record {
    int64_t start;
    bool beyond;         /* start is unsigned, from 2^63 on */
    uint64_t id, number; /* number: of the row as it came */
    uint8_t kinds[MOST_COLUMNS];
    union {
        int64_t i;
        uint64_t u;
        double r;
        const struct tk_str *text;
    } values[];
};

struct sorted {
    const struct tk_sink *inner;
    const char *spool_dir;
    struct tk_external_sort *sorter; /* owned; NULL: the table is not there */
    struct tk_intern texts;
    uint32_t start, id; /* columns */
    uint64_t rows;
    struct record *record; /* owned: space for one */
};

static int compare_sorted(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->beyond != y->beyond)
        return x->beyond ? 1 : -1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t find_column(const struct tk_table *table, const char *name)
{
    uint32_t i = 0;
    while (i < table->n_columns && strcmp(table->columns[i].name, name) != 0)
        i++;
    return i;
}

static bool is_sorted(const struct tk_table *table)
{
    return strcmp(table->name, sorted_table) == 0;
}

static int begin_sorted(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct sorted *s = self;
    if (is_sorted(table)) {
        const size_t size = sizeof *s->record + table->n_columns * sizeof *s->record->values;
        s->start = find_column(table, "start");
        s->id = find_column(table, "scope_id");
        if (s->start == table->n_columns || table->n_columns > MOST_COLUMNS)
            return tk_err_set(err, TK_EUSAGE, "scopes without column 'start' cannot be sorted by it");
        s->record = calloc(1, size);
        int rc = s->record
                     ? tk_external_sort_open(&s->sorter, s->spool_dir, size, compare_sorted, SORT_BYTES, err)
                     : tk_err_nomem(err, "sorting");
        if (rc < 0)
            return rc;
    }
    return s->inner->begin ? s->inner->begin(s->inner->self, table, err) : TK_OK;
}

static int take_row(struct sorted *s, const struct tk_table *table, const struct tk_cell *row,
                    struct tk_err *err)
{
    struct record *r = s->record;
    r->start = row[s->start].kind == TK_NONE ? INT64_MIN : row[s->start].v.i;
    r->beyond = row[s->start].kind == TK_UINT;
    r->id = s->id < table->n_columns && row[s->id].kind != TK_NONE ? row[s->id].v.u : 0;
    r->number = s->rows++;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        r->kinds[i] = row[i].kind;
        r->values[i].i = row[i].v.i;
        if (row[i].kind != TK_TEXT)
            continue;
        r->values[i].text = tk_intern(&s->texts, row[i].v.p, row[i].n, (enum tk_encoding)row[i].enc);
        if (!r->values[i].text)
            return tk_err_nomem(err, "sorting");
    }
    return tk_external_sort_add(s->sorter, r, err);
}

static int rows_sorted(void *self, const struct tk_table *table, const struct tk_rows *batch,
                       struct tk_err *err)
{
    struct sorted *s = self;
    int rc = TK_OK;
    if (!is_sorted(table))
        return s->inner->rows ? s->inner->rows(s->inner->self, table, batch, err) : TK_OK;
    for (size_t i = 0; i < batch->n && rc == TK_OK; i++)
        rc = take_row(s, table, batch->cells + i * table->n_columns, err);
    return rc;
}

static void fill_row(const struct tk_table *table, const struct record *r, struct tk_cell *row)
{
    for (uint32_t i = 0; i < table->n_columns; i++) {
        row[i] = (struct tk_cell){.kind = r->kinds[i], .v.i = r->values[i].i};
        if (row[i].kind == TK_TEXT) {
            row[i].v.p = r->values[i].text->p;
            row[i].n = r->values[i].text->n;
            row[i].enc = r->values[i].text->enc;
        }
    }
}

static int send_sorted(struct sorted *s, const struct tk_table *table, struct tk_err *err)
{
    struct tk_cell *cells = calloc((size_t)BATCH * table->n_columns, sizeof *cells);
    struct tk_rows batch = {.cells = cells};
    const void *next = NULL;
    if (!cells)
        return tk_err_nomem(err, "sorting");
    int rc = tk_external_sort_start(s->sorter, err), more = TK_ITEM;
    while (rc == TK_OK && more == TK_ITEM) {
        more = tk_external_sort_next(s->sorter, &next, err);
        if (more == TK_ITEM)
            fill_row(table, next, cells + batch.n++ * table->n_columns);
        if (batch.n && (batch.n == BATCH || more != TK_ITEM)) {
            rc = s->inner->rows(s->inner->self, table, &batch, err);
            batch.n = 0;
        }
    }
    free(cells);
    return rc < 0 ? rc : more;
}

static int end_sorted(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct sorted *s = self;
    int rc = is_sorted(table) && s->inner->rows ? send_sorted(s, table, err) : TK_OK;
    if (rc < 0)
        return rc;
    return s->inner->end ? s->inner->end(s->inner->self, table, err) : TK_OK;
}

static int run_apart(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                     const struct tk_row_writers *writers, struct tk_err *err)
{
    struct tk_rows_apart *apart;
    int rc = tk_rows_apart_open(&apart, e, sink, writers, err);
    if (rc != TK_OK)
        return rc;
    const struct tk_sink apart_sink = tk_rows_apart_sink(apart);
    return tk_rows_apart_close(apart, tk_query_run(e->trace, query, &apart_sink, err), err);
}

/* With several threads the sink works alongside the reading. */
static int run_parallel(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err)
{
    struct tk_rows_parallel *parallel;
    if (!tk_parallel_helps(e))
        return tk_query_run(e->trace, query, sink, err);
    int rc = tk_rows_parallel_open(&parallel, e, sink, err);
    if (rc != TK_OK)
        return rc;
    const struct tk_sink parallel_sink = tk_rows_parallel_sink(parallel);
    return tk_rows_parallel_close(parallel, tk_query_run(e->trace, query, &parallel_sink, err), err);
}

int tk_export_sorted(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *inner,
                     const struct tk_row_writers *writers, struct tk_err *err)
{
    struct sorted s = {.inner = inner, .spool_dir = e->options->spool_dir};
    const struct tk_sink sink = {.self = &s, .begin = begin_sorted, .rows = rows_sorted, .end = end_sorted};
    if (!e->options->sort)
        return writers && tk_parallel_helps(e) ? run_apart(e, query, inner, writers, err)
                                               : run_parallel(e, query, inner, err);
    if (strcmp(e->options->sort, "start") != 0)
        return tk_err_set(err, TK_EMATCH, "scopes are sorted by 'start', not by '%s'", e->options->sort);
    int rc = run_parallel(e, query, &sink, err);
    tk_external_sort_close(s.sorter);
    tk_intern_release(&s.texts);
    free(s.record);
    return rc;
}
