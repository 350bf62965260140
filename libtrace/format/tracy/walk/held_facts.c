/*
 */
#include "format/tracy/walk/section.h"

#include <stdlib.h>

/* By severity: the verbosity of a log fact. */
static const uint8_t verbosities[] = {7, 6, 5, 3, 2, 1};

static int tell_log(struct tk_tracy_walk *w, const struct tk_tracy_held_message *held,
                    const struct tk_str *text)
{
    static const struct tk_str profiler = {"Tracy", 5, TK_ENC_UTF8};
    const struct tk_tracy_message *m = &held->m;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_LOG, held->thread, m->time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.log.verbosity = m->severity < sizeof verbosities ? verbosities[m->severity] : 5;
    fact->u.log.text = text ? *text : tk_tracy_missing;
    fact->u.log.category = m->source ? tk_tracy_intern(w->c, &profiler) : NULL;
    return m->source && !fact->u.log.category ? TK_ENOMEM : TK_OK;
}

static int tell_held_messages(struct tk_tracy_walk *w, const struct tk_tracy_held_message *held)
{
    const struct tk_tracy_message *m = &held->m;
    const struct tk_str *text = tk_tracy_string_of_ref(&w->c->strings, m->text);
    int rc = tk_tracy_wants_fact(w, TK_FACT_LOG) ? tell_log(w, held, text) : TK_OK;
    if (rc != TK_OK || !tk_tracy_wants(w, TK_TRACY_MESSAGE))
        return rc;
    struct tk_cell cells[] = {tk_cell_of_text(text), tk_cell_of_uint(m->severity), tk_cell_of_uint(m->source),
                              tk_cell_of_hex(m->colour), tk_tracy_id_cell(m->callstack)};
    return tk_tracy_say(w, TK_TRACY_MESSAGE, held->at, held->thread, m->time, cells);
}

int tk_tracy_messages_take(struct tk_tracy_walk *w, const struct tk_tracy_held_message *held)
{
    struct tk_tracy_messages *ms = &w->messages;
    if (ms->v.n < w->c->ctx->limits.held_events && ms->v.n < TK_MAP_NONE) {
        if (tk_map_put(&ms->by_key, held->m.key, (uint32_t)ms->v.n))
            return TK_ENOMEM;
        return tk_vec_push(&ms->v, *held) ? TK_ENOMEM : TK_OK;
    }
    ms->whole = false;
    tk_tracy_limit(w, TK_LIMIT_held_events, held->at, 1, "a message has no thread");
    return tell_held_messages(w, held);
}

void tk_tracy_messages_claim(struct tk_tracy_messages *ms, uint64_t key, uint32_t thread)
{
    uint32_t i = tk_map_get(&ms->by_key, key);
    ms->whole &= thread != TK_MAP_NONE; /* a limit left the thread out */
    if (i != TK_MAP_NONE && thread != TK_MAP_NONE)
        ms->v.v[i].thread = thread;
    ms->missing += i == TK_MAP_NONE;
}

uint64_t tk_tracy_messages_unmatched(const struct tk_tracy_messages *ms)
{
    uint64_t n = ms->missing;
    for (size_t i = 0; ms->whole && i < ms->v.n; i++)
        n += ms->v.v[i].thread == TK_NO_THREAD;
    return ms->whole ? n : 0;
}

int tk_tracy_messages_tell(struct tk_tracy_walk *w)
{
    struct tk_tracy_messages *ms = &w->messages;
    int rc = TK_OK;
    while (ms->reported < ms->v.n && rc == TK_OK) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        rc = tell_held_messages(w, &ms->v.v[ms->reported++]);
    }
    return rc;
}

void tk_tracy_messages_release(struct tk_tracy_messages *ms)
{
    tk_vec_release(&ms->v);
    tk_map_release(&ms->by_key);
    ms->reported = 0;
    ms->missing = 0;
    ms->whole = false;
}

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
    while (held->reported < held->v.n && rc == TK_OK) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        rc = tell_held_facts(w, &held->v.v[held->reported], held->reported);
        held->reported++;
    }
    return rc;
}

void tk_tracy_held_release(struct tk_tracy_held *held)
{
    tk_vec_release(&held->v);
}
