/*
 * Reads a source for one question.
 */
#include "api/trace.h"
#include "sql/tables/tables_in.h"
#include "tracekit/runs.h"

#include <stdlib.h>
#include <string.h>

/* Names of pushed conditions that match nothing mean no rows; those of arguments are a mistake. */
static int forgive(const struct tk_sql_question *q, int status)
{
    const struct tk_selection *s = &q->query.select;
    return status == TK_EMATCH && !q->wants_names && (s->n_threads || s->n_timers) ? TK_OK : status;
}

static bool has_table(const struct tk_sql_source *source, size_t handle, const char *name)
{
    return handle != SIZE_MAX && tk_has_table(source->handles.v[handle].trace, name);
}

int tk_sql_reading_open(struct tk_sql_reading *r, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        struct tk_err *err)
{
    *r = (struct tk_sql_reading){.c = c, .source = source, .question = question, .handle = SIZE_MAX};
    if (question->empty)
        return TK_OK;
    int rc = tk_sql_source_take(c, source, &r->handle, err);
    if (rc < 0 || !has_table(source, r->handle, shape->table->name))
        return rc;
    c->readings++;
    return tk_cursor_open(&r->cursor, source->handles.v[r->handle].trace, &question->query, err);
}

enum { NOT_THERE = UINT8_MAX };

/* Where the columns that were requested are in the rows. */
static void find_places(uint8_t *place, const struct tk_sql_question *q, const struct tk_table *table)
{
    for (size_t i = 0, own = 0; i < q->query.n_columns; i++, own++) {
        while (!(q->mask >> own & 1))
            own++;
        const int at = tk_table_column(table, q->columns[i]);
        place[own] = (uint8_t)(at < 0 ? NOT_THERE : at);
    }
}

int tk_sql_reading_next(struct tk_sql_reading *r, const struct tk_cell **cells, struct tk_err *err)
{
    if (!r->cursor)
        return TK_OK;
    while (r->at >= r->rows.n) {
        const struct tk_table *before = r->table;
        int rc = tk_cursor_next(r->cursor, &r->table, &r->rows, err);
        r->at = 0;
        if (rc != TK_ITEM)
            return forgive(r->question, rc);
        if (r->table != before)
            find_places(r->place, r->question, r->table);
    }
    *cells = r->rows.cells + r->at++ * r->table->n_columns;
    return TK_ITEM;
}

void tk_sql_reading_close(struct tk_sql_reading *r)
{
    tk_cursor_close(r->cursor);
    if (r->source)
        tk_sql_source_leave(r->source, r->handle);
    *r = (struct tk_sql_reading){.handle = SIZE_MAX};
}

/* ---- all of it ---- */

struct tk_sql_keeping {
    struct tk_sql_store *store;
    struct tk_sql_connection *c;
    const struct tk_sql_question *q;
    struct tk_sql_scratch scratch;
    uint8_t to[TK_SQL_COLUMNS]; /* cell -> column of the store, or TK_SQL_LEFT_OUT */
    uint32_t n_missing;         /* columns that the format has not; they follow the cells */
};

static int begin_keeping(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_sql_keeping *k = self;
    uint8_t place[TK_SQL_COLUMNS] = {0};
    (void)err;
    find_places(place, k->q, table);
    /* Whole tables come with columns that this question does not name. */
    memset(k->to, TK_SQL_LEFT_OUT, sizeof k->to);
    k->n_missing = 0;
    for (unsigned own = 0; own < TK_SQL_COLUMNS; own++)
        if (k->q->mask >> own & 1)
            k->to[place[own] == NOT_THERE ? table->n_columns + k->n_missing++ : place[own]] = (uint8_t)own;
    return TK_OK;
}

/* With an empty cell for each column that is not there. */
static int keep_widened(struct tk_sql_keeping *k, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    struct tk_cell wide[TK_SQL_COLUMNS] = {{0}};
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_rows one = {.n = 1, .cells = wide};
        memcpy(wide, rows->cells + i * table->n_columns, table->n_columns * sizeof *wide);
        rc = tk_sql_store_add(k->store, k->c, &one, k->to, table->n_columns + k->n_missing, &k->scratch, err);
    }
    return rc;
}

static int keep_rows_sql(void *self, const struct tk_table *table, const struct tk_rows *rows,
                         struct tk_err *err)
{
    struct tk_sql_keeping *k = self;
    if (tk_sql_stopped(k->c))
        return tk_err_set(err, TK_ECANCELED, "stopped");
    if (k->n_missing)
        return keep_widened(k, table, rows, err);
    return tk_sql_store_add(k->store, k->c, rows, k->to, table->n_columns, &k->scratch, err);
}

/* Of a baseline all columns come. */
static int keep_baseline(struct tk_sql_keeping *k, struct tk_sql_source *source, const char *name,
                         struct tk_err *err)
{
    const struct tk_sink sink = {.self = k, .rows = keep_rows_sql};
    for (unsigned i = 0; i < TK_SQL_COLUMNS; i++)
        k->to[i] = (uint8_t)i;
    k->store->mask = UINT64_MAX;
    return tk_baseline_rows(source->baseline, name, &sink, err);
}

/* A capture as a run; one without frames has none of it. */
static int keep_run(struct tk_sql_keeping *k, struct tk_sql_source *source, struct tk_trace *trace,
                    const char *name, struct tk_err *err)
{
    struct tk_sql_source run = {.path = source->path};
    int rc = tk_baseline_new(&run.baseline, err);
    if (rc == TK_OK) {
        k->c->readings++;
        rc = tk_baseline_add(run.baseline, trace, NULL, err);
    }
    if (rc == TK_OK)
        rc = tk_baseline_name(run.baseline, 0, source->path, err);
    rc = rc == TK_OK ? keep_baseline(k, &run, name, err) : rc == TK_EUNKNOWN ? TK_OK : rc;
    tk_baseline_free(run.baseline);
    return rc;
}

/* Without columns that captures of this format have not; all that it has where nothing is left. */
static int ask_of(const struct tk_sql_keeping *k, struct tk_trace *trace, const struct tk_sql_shape *shape,
                  const struct tk_sink *sink, struct tk_err *err)
{
    const char *columns[TK_SQL_COLUMNS];
    struct tk_query query = k->q->query;
    const struct tk_table *there = shape->table->flags & TK_TABLE_VARIES
                                       ? tk_format_table_find(trace->ctx.format, shape->table->name)
                                       : NULL;
    if (there) {
        query.columns = columns;
        query.n_columns = 0;
        for (size_t i = 0; i < k->q->query.n_columns; i++)
            if (tk_table_column(there, k->q->columns[i]) >= 0)
                columns[query.n_columns++] = k->q->columns[i];
        if (query.n_columns == 0)
            columns[query.n_columns++] = there->columns[0].name;
    }
    return tk_query_run(trace, &query, sink, err);
}

static int keep_all(struct tk_sql_keeping *k, struct tk_sql_source *source, const struct tk_sql_shape *shape,
                    struct tk_err *err)
{
    const struct tk_sink sink = {.self = k, .begin = begin_keeping, .rows = keep_rows_sql};
    size_t handle;
    int rc = tk_sql_source_take(k->c, source, &handle, err);
    if (rc < 0)
        return rc;
    k->store->version = source->version;
    if (shape->baseline) {
        rc = source->baseline ? keep_baseline(k, source, shape->baseline, err)
             : tk_sql_is_of_both(shape->baseline)
                 ? keep_run(k, source, source->handles.v[handle].trace, shape->baseline, err)
                 : TK_OK;
    } else if (has_table(source, handle, shape->table->name)) {
        k->c->readings++;
        rc = forgive(k->q, ask_of(k, source->handles.v[handle].trace, shape, &sink, err));
    }
    tk_sql_source_leave(source, handle);
    return rc;
}

int tk_sql_reading_keep(struct tk_sql_store **out, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        const char *key, struct tk_err *err)
{
    struct tk_sql_keeping k = {.c = c, .q = question};
    int rc = tk_sql_store_new(out, source, key, question->mask, err);
    if (rc < 0)
        return rc;
    k.store = *out;
    if (!question->empty)
        rc = keep_all(&k, source, shape, err);
    tk_sql_scratch_release(&k.scratch);
    if (rc == TK_OK)
        return tk_sql_store_keep(k.store, c, err);
    tk_sql_store_free(c, k.store);
    *out = NULL;
    return rc;
}

/* ---- by somebody else's reading ---- */

int tk_sql_keeping_new(struct tk_sql_keeping **out, struct tk_sql_connection *c, struct tk_sql_source *source,
                       const struct tk_sql_question *question, const char *key, struct tk_err *err)
{
    struct tk_sql_keeping *k = calloc(1, sizeof *k);
    *out = NULL;
    if (!k)
        return tk_err_nomem(err, "rows of a query");
    k->c = c;
    k->q = question;
    const int rc = tk_sql_store_new(&k->store, source, key, question->mask, err);
    if (rc == TK_OK)
        *out = k;
    else
        free(k);
    return rc;
}

int tk_sql_keeping_begin(struct tk_sql_keeping *k, const struct tk_table *table, struct tk_err *err)
{
    return begin_keeping(k, table, err);
}

int tk_sql_keeping_rows(struct tk_sql_keeping *k, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    return keep_rows_sql(k, table, rows, err);
}

int tk_sql_keeping_end(struct tk_sql_keeping *k, bool whole, struct tk_err *err)
{
    int rc = TK_OK;
    tk_sql_scratch_release(&k->scratch);
    if (whole)
        rc = tk_sql_store_keep(k->store, k->c, err);
    else
        tk_sql_store_free(k->c, k->store);
    free(k);
    return rc;
}
