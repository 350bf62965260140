/*
 * Loading of what is known of scopes. See scope_memory.h; scope_plan.c makes the plan.
 */
#include "engine/scope_memory.h"

#include "engine/kept_facts.h"

#include <stdlib.h>

int tk_scope_memory_load(struct tk_scope_memory *m, const struct tk_context *ctx, uint64_t kinds,
                         struct tk_err *err)
{
    *m = (struct tk_scope_memory){.limits = &ctx->limits};
    if (!ctx->known || !ctx->known->has[TK_KEPT_SCOPES].n)
        return TK_OK;
    struct tk_cur c = tk_kept_cursor(ctx->known, TK_KEPT_SCOPES);
    m->mask = tk_varint(&c, "facts");
    m->numbers = tk_varint(&c, "numbers") != 0;
    int rc = TK_OK;
    for (uint64_t i = tk_varint(&c, "facts"); i > 0 && tk_cur_ok(&c) && rc == TK_OK; i--) {
        struct tk_fact fact;
        rc = tk_kept_fact_take(&c, &m->texts, &fact);
        if (rc == TK_OK && tk_cur_ok(&c) && kinds >> fact.kind & 1 && tk_vec_push(&m->facts, fact))
            rc = TK_ENOMEM;
    }
    m->there = rc == TK_OK && tk_cur_ok(&c) && !(m->mask & ~TK_KEPT_FACTS);
    m->points = (struct tk_bytes){c.p, tk_cur_left(&c)};
    return rc == TK_OK ? TK_OK : tk_err_nomem(err, "what is known of the capture");
}

int tk_scope_memory_facts(const struct tk_scope_memory *m, uint64_t kinds, struct tk_batch *batch,
                          struct tk_fact **v, struct tk_err *err)
{
    *v = malloc((m->facts.n + 1) * sizeof **v);
    *batch = (struct tk_batch){.facts = *v};
    if (!*v)
        return tk_err_nomem(err, "facts");
    for (size_t i = 0; i < m->facts.n; i++)
        if (kinds >> m->facts.v[i].kind & 1)
            (*v)[batch->n_facts++] = m->facts.v[i];
    return TK_OK;
}

void tk_scope_memory_release(struct tk_scope_memory *m)
{
    tk_vec_release(&m->facts);
    tk_intern_release(&m->texts);
    *m = (struct tk_scope_memory){0};
}
