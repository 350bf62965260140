/*
 * Tables that gather facts and send a row for each thing found: see collector.h.
 */
#include "query/collector.h"

#include "base/sort.h"
#include "query/context_cells.h"

#include <stdlib.h>
#include <string.h>

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
    g->room = tk_query_context_row_limit(view, builder->table->name);
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

int tk_collector_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_collector *g = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (g->how->take(self, &batch->facts[i]) < 0)
            return tk_err_nomem(err, g->how->what);
    }
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

static int send_collector(struct tk_collector *g)
{
    const struct tk_collecting *how = g->how;
    struct things all = things_of(g);
    if (how->order && tk_sort(all.v, all.n, how->row_size, how->order))
        return -1;
    for (size_t i = 0; i < all.n; i++) {
        const void *thing = all.v + i * how->row_size;
        if (how->shown && !how->shown(g, thing))
            continue;
        struct tk_cell *row = tk_emit_row(g->emit);
        if (!row)
            break;
        how->fill(g, thing, row);
    }
    return 0;
}

int tk_collector_finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_collector *g = self;
    const struct tk_collecting *how = g->how;
    g->emit = emit;
    if ((how->settle && how->settle(self) < 0) || (how->send ? how->send(self, emit) : send_collector(g)) < 0)
        return tk_err_nomem(err, how->what);
    return tk_emit_status(emit);
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
    tk_map_release(&g->index);
    free(self);
}
