/*
 * See held_facts.h.
 */
#include "format/tracy/walk/held_facts.h"

#include "format/tracy/walk/section.h"

#include <stdlib.h>

int tk_tracy_held_take(struct tk_tracy_walk *w, const struct tk_tracy_held_fact *fact)
{
    if (w->held.v.n < w->c->ctx->limits.ordered_facts)
        return tk_vec_push(&w->held.v, *fact) ? TK_ENOMEM : TK_OK;
    w->held.lost++;
    return TK_OK;
}

static int by_time_held_facts(const void *a, const void *b)
{
    const struct tk_tracy_held_fact *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void settle_held_facts(struct tk_tracy_walk *w)
{
    struct tk_tracy_held *held = &w->held;
    if (held->sorted)
        return;
    held->sorted = true;
    if (held->v.n)
        qsort(held->v.v, held->v.n, sizeof *held->v.v, by_time_held_facts);
    if (held->lost)
        tk_health_limit(w->health, TK_LIMIT_ordered_facts, TK_NO_OFFSET, held->lost,
                        "values of counters and steps of memory were left out");
}

static int tell_held_facts(struct tk_tracy_walk *w, const struct tk_tracy_held_fact *held, uint64_t seq)
{
    struct tk_fact *fact =
        tk_tracy_batch_fact(w->out, (enum tk_fact_kind)held->kind, held->thread, held->time);
    if (!fact)
        return TK_ENOMEM;
    fact->seq = seq;
    if (held->kind == TK_FACT_FRAME)
        fact->u.frame = held->u.frame;
    else if (held->kind == TK_FACT_MEMORY)
        fact->u.memory = held->u.memory;
    else
        fact->u.counter_value = held->u.value;
    return TK_OK;
}

int tk_tracy_held_tell(struct tk_tracy_walk *w)
{
    struct tk_tracy_held *held = &w->held;
    int rc = TK_OK;
    settle_held_facts(w);
    while (held->told < held->v.n && rc == TK_OK) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        rc = tell_held_facts(w, &held->v.v[held->told], held->told);
        held->told++;
    }
    return rc;
}

void tk_tracy_held_release(struct tk_tracy_held *held)
{
    tk_vec_release(&held->v);
}
