/*
 * Tables that gather facts and send a row for each thing found.
 */
#include "query/collector.h"

#include "base/sort.h"
#include "base/wrap.h"
#include "fact/format.h"
#include "io/scratch/spill.h"
#include "query/context_cells.h"
#include "query/emit.h"
#include "tracekit/captures.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows that are facts of the format, on their way to a table: times are converted, rows outside of the
 * selection are left out.
 */

struct rows {
    const struct tk_query_context *view;
    const struct tk_table *table;
    uint32_t thread_id, thread; /* columns that are filled from the fact's thread; NO_COLUMN: none */
};

#define NO_COLUMN UINT32_MAX

static uint32_t column_of(const struct tk_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    }
    return NO_COLUMN;
}

static int open_format_rows(const struct tk_query_context *view, const struct tk_builder *builder,
                            uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct rows *r = calloc(1, sizeof *r);
    if (!r)
        return tk_err_nomem(err, "rows");
    *r = (struct rows){.view = view,
                       .table = builder->table,
                       .thread_id = column_of(builder->table, "thread_id"),
                       .thread = column_of(builder->table, "thread")};
    *self = r;
    return TK_OK;
}

static bool is_selected_format_rows(const struct rows *r, const struct tk_fact *fact)
{
    const struct tk_select *select = r->view->select;
    const struct tk_fact_row *row = &fact->u.row;
    if (fact->kind != TK_FACT_ROW || row->table != r->table)
        return false;
    if (row->has_time && !tk_select_touches(select, fact->time, row->end))
        return false;
    return fact->thread == TK_NO_THREAD || tk_select_thread(select, r->view->dict, fact->thread);
}

/* A length that is measured from a point in time of the row is the difference of what is displayed. */
static struct tk_cell span(const struct rows *r, const struct tk_cell *cells, const struct tk_cell *cell)
{
    if (cell->n == 0 || cell->n > r->table->n_columns || cells[cell->n - 1].kind != TK_TIME)
        return tk_query_context_span(r->view, cell->v.i);
    int64_t begin = cells[cell->n - 1].v.i;
    return tk_query_context_between(r->view, begin, tk_wrap_add(begin, cell->v.i));
}

static void fill_format_rows(const struct rows *r, const struct tk_fact *fact, struct tk_cell *row)
{
    const struct tk_cell *cells = fact->u.row.cells;
    for (uint32_t i = 0; i < r->table->n_columns; i++) {
        if (cells[i].kind == TK_TIME)
            row[i] = tk_query_context_time(r->view, cells[i].v.i);
        else if (cells[i].kind == TK_DURATION)
            row[i] = span(r, cells, &cells[i]);
        else
            row[i] = cells[i];
    }
    if (r->thread_id != NO_COLUMN)
        row[r->thread_id] = tk_query_context_thread_id(fact->thread);
    if (r->thread != NO_COLUMN)
        tk_thread_put(r->view, fact->thread, &row[r->thread]);
}

static int feed_format_rows(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                            struct tk_err *err)
{
    struct rows *r = self;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (!is_selected_format_rows(r, &batch->facts[i]))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_format_rows(r, &batch->facts[i], row);
    }
    return tk_emit_status(emit);
}

struct tk_builder tk_rows_builder(const struct tk_table *table)
{
    return (struct tk_builder){
        .table = table,
        .needs = {.facts = TK_FACT_MASK(ROW), .rows = table, .order = TK_NEEDS_SEQ_ORDER, .streams = true},
        .open = open_format_rows,
        .feed = feed_format_rows,
        .close = free,
    };
}

/*
 * What stands in the columns of a distribution.
 */

static struct tk_cell cell_of(const struct tk_query_context *view, enum tk_kind kind, uint64_t value)
{
    return kind == TK_DURATION ? tk_query_context_span(view, (int64_t)value) : tk_cell_of_uint(value);
}

static struct tk_cell mean_of(const struct tk_query_context *view, enum tk_kind kind,
                              const struct tk_distribution *d)
{
    struct tk_cell total = cell_of(view, kind, d->total);
    return kind == TK_DURATION ? tk_cell_of_mean((double)total.v.i / (double)d->count)
                               : tk_cell_of_real((double)total.v.u / (double)d->count);
}

void tk_distribution_put(const struct tk_query_context *view, enum tk_kind kind,
                         const struct tk_distribution *d, struct tk_cell cells[TK_DISTRIBUTION_COLUMNS])
{
    static const struct {
        unsigned column, share;
    } percentiles[] = {{TK_DISTRIBUTION_MEDIAN, 50}, {TK_DISTRIBUTION_P95, 95}, {TK_DISTRIBUTION_P99, 99}};
    if (!d->count)
        return;
    cells[TK_DISTRIBUTION_MIN] = cell_of(view, kind, d->min);
    cells[TK_DISTRIBUTION_MAX] = cell_of(view, kind, d->max);
    cells[TK_DISTRIBUTION_MEAN] = mean_of(view, kind, d);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
        cells[percentiles[i].column] =
            cell_of(view, kind, tk_distribution_percentile(d, percentiles[i].share, 100));
}

/* A TK_VEC of anything. */
struct things {
    char *v;
    size_t n, cap;
};

static void *new_state(const struct tk_query_context *view, const struct tk_builder *builder,
                       uint64_t columns)
{
    struct tk_collector *g = calloc(1, builder->gathering->size);
    if (!g)
        return NULL;
    g->how = builder->gathering;
    g->view = view;
    g->columns = columns;
    g->capacity = tk_query_context_row_limit(view, builder->table->name);
    return g;
}

int tk_collector_open(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                      void **self, struct tk_err *err)
{
    const struct tk_collecting *how = builder->gathering;
    *self = new_state(view, builder, columns);
    if (!*self || (how->start && how->start(*self) < 0))
        return tk_err_nomem(err, how->what);
    return TK_OK;
}

/* The things of a state; none where it has no TK_VEC of them. */
static struct things things_of(const struct tk_collector *g)
{
    struct things all = {.n = 0};
    if (g->how->row_size)
        memcpy(&all, (const char *)g + g->how->rows, sizeof all);
    return all;
}

enum { HELD_MOST = 4 << 20 /* bytes of things that spill */ };

/* All things go to the temporary file. */
static int spill_things(struct tk_collector *g, struct tk_err *err)
{
    const struct tk_collecting *how = g->how;
    struct things all = things_of(g);
    const struct tk_options *options = g->view->ctx->options;
    int rc = g->spilled ? TK_OK
                        : tk_external_sort_open(&g->spilled, options ? options->spool_dir : NULL,
                                                how->row_size, how->order, HELD_MOST, err);
    for (size_t i = 0; i < all.n && rc == TK_OK; i++)
        rc = tk_external_sort_add(g->spilled, all.v + i * how->row_size, err);
    g->capacity.spilled += all.n;
    all.n = 0;
    memcpy((char *)g + how->rows, &all, sizeof all);
    return rc;
}

int tk_collector_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_collector *g = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (g->how->take(self, &batch->facts[i]) < 0)
            return tk_err_nomem(err, g->how->what);
    }
    return g->how->spills && things_of(g).n * g->how->row_size >= HELD_MOST ? spill_things(g, err) : TK_OK;
}

/* false: nobody takes more rows. */
static bool send_thing(struct tk_collector *g, const void *thing)
{
    if (g->how->displayed && !g->how->displayed(g, thing))
        return true;
    struct tk_cell *row = tk_emit_row(g->emit);
    if (row)
        g->how->fill(g, thing, row);
    return row;
}

static int send_spilled(struct tk_collector *g, struct tk_err *err)
{
    const void *thing;
    int rc = spill_things(g, err);
    if (rc == TK_OK)
        rc = tk_external_sort_start(g->spilled, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(g->spilled, &thing, err)) == TK_ITEM)
        rc = send_thing(g, thing) ? TK_OK : tk_emit_status(g->emit);
    return rc;
}

static int send_collector(struct tk_collector *g, struct tk_err *err)
{
    const struct tk_collecting *how = g->how;
    const struct things all = things_of(g);
    if (g->spilled)
        return send_spilled(g, err);
    if (how->order && tk_sort(all.v, all.n, how->row_size, how->order))
        return tk_err_nomem(err, how->what);
    for (size_t i = 0; i < all.n && send_thing(g, all.v + i * how->row_size); i++)
        ;
    return TK_OK;
}

int tk_collector_finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_collector *g = self;
    const struct tk_collecting *how = g->how;
    g->emit = emit;
    if ((how->settle && how->settle(self) < 0) || (how->send && how->send(self, emit) < 0))
        return tk_err_nomem(err, how->what);
    const int rc = how->send ? TK_OK : send_collector(g, err);
    return rc < 0 ? rc : tk_emit_status(emit);
}

void tk_collector_close(void *self)
{
    struct tk_collector *g = self;
    const struct tk_collecting *how = g->how;
    if (how->release)
        how->release(self);
    struct things all = things_of(g);
    for (size_t i = 0; i < all.n && how->release_thing; i++)
        how->release_thing(all.v + i * how->row_size);
    free(all.v);
    tk_external_sort_close(g->spilled);
    tk_map_release(&g->index);
    free(self);
}
