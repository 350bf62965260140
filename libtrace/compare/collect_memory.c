/*
 * Memory of a run by tag. See collect_memory.h.
 */
#include "compare/collect_memory.h"

void tk_collect_memory_init(struct tk_collect_memory *m, const struct tk_view *view, struct tk_base_run *run,
                            int64_t from)
{
    unsigned by = TK_ALLOC_BIT(TK_ALLOC_BY_TAG) | TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL);
    *m = (struct tk_collect_memory){.run = run, .started = true, .from = from};
    tk_memory_init(&m->model, view, &(struct tk_memory_setup){.table = "memory", .by = by});
    tk_memory_names_init(&m->names, view->ctx);
}

/* Notes what is alive. */
static int reach(struct tk_collect_memory *m)
{
    m->reached = true;
    for (size_t i = 0; i < m->model.groups.flows.n; i++)
        if (tk_vec_push(&m->then, tk_alloc_alive_bytes(&m->model.groups.flows.v[i])))
            return -1;
    return 0;
}

/* Feeds a batch in which the first frame may begin. */
static int feed_until(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err)
{
    struct tk_batch before = *batch, behind = *batch;
    size_t n = 0;
    while (n < batch->n_facts && (batch->facts[n].kind != TK_FACT_MEMORY || batch->facts[n].time < m->from))
        n++;
    before.n_facts = n;
    int rc = tk_memory_feed(&m->model, &before, err);
    if (rc < 0 || n == batch->n_facts)
        return rc;
    if (reach(m))
        return tk_err_nomem(err, "memory");
    behind.facts += n;
    behind.n_facts -= n;
    return tk_memory_feed(&m->model, &behind, err);
}

int tk_collect_memory_feed(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        uint64_t fact = UINT64_C(1) << batch->facts[i].kind;
        if (fact & (TK_FACT_MASK(MEMORY_TAG) | TK_FACT_MASK(MEMORY_HEAP)) &&
            tk_memory_names_feed(&m->names, &batch->facts[i]))
            return tk_err_nomem(err, "the names of memory");
    }
    return m->reached ? tk_memory_feed(&m->model, batch, err) : feed_until(m, batch, err);
}

static const struct tk_str *keep(struct tk_base_run *run, struct tk_cell cell, const char *otherwise)
{
    return cell.kind == TK_TEXT ? tk_intern(&run->names, cell.v.p, cell.n, (enum tk_encoding)cell.enc)
                                : tk_intern_c(&run->names, otherwise);
}

static int add_group(struct tk_collect_memory *m, size_t i)
{
    const struct tk_alloc_group *g = &m->model.groups.groups.v[i];
    bool all = g->by == TK_ALLOC_BY_TOTAL;
    struct tk_series *s = tk_base_run_add(m->run, TK_SERIES_MEMORY);
    if (!s)
        return -1;
    s->name = all ? tk_intern_c(&m->run->names, "all allocations")
                  : keep(m->run, tk_memory_tag_name(&m->names, (int32_t)g->key), "Unknown");
    s->group = all       ? tk_intern_c(&m->run->names, "")
               : g->heap ? keep(m->run, tk_memory_heap_name(&m->names, g->heap), "allocations of a heap")
                         : tk_intern_c(&m->run->names, "allocations");
    s->count = g->allocs;
    s->high = (double)g->peak_bytes;
    s->last = (double)g->then_bytes;
    s->first = i < m->then.n ? (double)m->then.v[i] : 0;
    return s->name && s->group ? 0 : -1;
}

int tk_collect_memory_finish(struct tk_collect_memory *m, struct tk_err *err)
{
    int rc = tk_memory_finish(&m->model, err);
    if (rc == TK_OK && tk_memory_names_settle(&m->names))
        rc = tk_err_nomem(err, "the names of memory");
    for (size_t i = 0; i < m->model.groups.groups.n && rc == TK_OK; i++)
        if ((m->model.groups.groups.v[i].by == TK_ALLOC_BY_TAG ||
             m->model.groups.groups.v[i].by == TK_ALLOC_BY_TOTAL) &&
            add_group(m, i))
            rc = tk_err_nomem(err, "memory");
    return rc;
}

void tk_collect_memory_release(struct tk_collect_memory *m)
{
    if (!m->started)
        return;
    tk_memory_release(&m->model);
    tk_memory_names_release(&m->names);
    tk_vec_release(&m->then);
}
