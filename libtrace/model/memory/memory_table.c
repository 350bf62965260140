/*
 * What tables about memory share. See memory_table.h.
 */
#include "model/memory/memory_table.h"

int tk_memory_table_init(struct tk_memory_table *t, const struct tk_memory_setup *setup)
{
    tk_memory_init(&t->model, t->g.view, setup);
    tk_memory_names_init(&t->names, t->g.view->ctx);
    t->names.allocators.text = t->g.view->query->allocators;
    return 0;
}

int tk_memory_table_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_memory_table *t = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind != TK_FACT_MEMORY && tk_memory_names_feed(&t->names, &batch->facts[i]))
            return tk_err_nomem(err, "the names of memory");
    return tk_memory_feed(&t->model, batch, err);
}

int tk_memory_table_settle(void *self)
{
    struct tk_memory_table *t = self;
    return tk_memory_finish(&t->model, NULL) < 0 || tk_memory_names_settle(&t->names) ? -1 : 0;
}

int tk_memory_table_rank(struct tk_memory_table *t, uint64_t (*amount)(const struct tk_alloc_group *g))
{
    if (tk_memory_table_settle(t))
        return -1;
    tk_memory_forget(&t->model);
    return tk_alloc_groups_rank(&t->model.groups, amount);
}

void tk_memory_table_release(void *self)
{
    struct tk_memory_table *t = self;
    tk_memory_release(&t->model);
    tk_memory_names_release(&t->names);
}
