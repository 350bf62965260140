/*
 * Context switches by thread and by core, and what threads of other processes are called (tracy-live 7.13).
 */
#include "live/tracy/state/state.h"

enum { WOKEN = -2, RUNNING = -1 };

int tk_tl_switches_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_switches **out)
{
    const uint32_t i = tk_map_get(&s->switches_of, tid);
    int rc;
    if (i != TK_MAP_NONE) {
        *out = s->switches.v[i];
        return TK_OK;
    }
    *out = tk_tl_alloc(s, sizeof **out, &rc);
    if (!*out)
        return rc;
    (*out)->tid = tid;
    tk_spill_column_begin(&(*out)->done, s->columns, sizeof(struct tk_tl_switch));
    TK_TL_TRY(tk_tl_map_put(s, &s->switches_of, tid, (uint32_t)s->switches.n));
    return tk_tl_push(s, &s->switches, *out);
}

int tk_tl_switch_add(struct tk_tl_state *s, struct tk_tl_switches *k, const struct tk_tl_switch *entry)
{
    if (k->has_last) {
        struct tk_tl_switch *done = tk_spill_column_add(&k->done);
        if (!done)
            return tk_tl_column_error(s);
        *done = k->last;
        k->before_cpu = k->last.cpu;
        k->before_wakeup = k->last.wakeup;
    }
    k->last = *entry;
    k->has_last = true;
    return TK_OK;
}

static int cpu_use_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_cpu_use **out)
{
    uint32_t i = tk_map_get(&s->cpu_use_of, tid);
    if (i == TK_MAP_NONE) {
        const struct tk_tl_cpu_use use = {.tid = tid};
        i = (uint32_t)s->cpu_uses.n;
        TK_TL_TRY(tk_tl_push(s, &s->cpu_uses, use));
        TK_TL_TRY(tk_tl_map_put(s, &s->cpu_use_of, tid, i));
    }
    *out = &s->cpu_uses.v[i];
    return TK_OK;
}

struct change {
    int64_t time;
    uint64_t old, new;
    uint8_t cpu;
    int8_t reason, state;
};

static int leave(struct tk_tl_state *s, const struct change *c)
{
    const uint32_t i = tk_map_get(&s->switches_of, c->old);
    struct tk_tl_switches *k = i == TK_MAP_NONE ? NULL : s->switches.v[i];
    struct tk_tl_cpu_use *use;
    if (s->cpus[c->cpu].has_last)
        s->cpus[c->cpu].last.end = tk_tl_s48(c->time);
    if (!k || !k->has_last)
        return TK_OK;
    k->last.end = tk_tl_s48(c->time);
    k->last.reason = c->reason;
    k->last.state = c->state;
    TK_TL_TRY(cpu_use_of(s, c->old, &use));
    use->running = (int64_t)((uint64_t)use->running + (uint64_t)c->time - (uint64_t)k->last.start);
    use->regions++;
    return TK_OK;
}

/* A new entry of a thread that runs; one that was woken while it ran began with that. */
static int add_run(struct tk_tl_state *s, struct tk_tl_switches *k, const struct change *c, bool *moved)
{
    struct tk_tl_switch entry = {.wakeup = tk_tl_s48(c->time), .wakeup_cpu = c->cpu};
    const bool has_before = k->has_last;
    *moved = has_before && k->last.cpu != c->cpu;
    TK_TL_TRY(tk_tl_switch_add(s, k, &entry));
    if (k->has_pending && has_before && k->before_wakeup <= k->pending_time && k->pending_time <= c->time) {
        k->last.wakeup = k->pending_time;
        k->last.wakeup_cpu = k->pending_cpu;
        k->has_pending = false;
    }
    return TK_OK;
}

static int run_on_cpu(struct tk_tl_state *s, const struct change *c)
{
    struct tk_tl_cpu *cpu = &s->cpus[c->cpu];
    uint32_t i = tk_map_get(&s->external_of, c->new);
    if (i == TK_MAP_NONE) {
        i = (uint32_t)s->external_threads.n;
        if (i > UINT16_MAX)
            return tk_err_set(s->err, TK_ELIMIT, "more than 65536 threads of other processes ran");
        TK_TL_TRY(tk_tl_push(s, &s->external_threads, c->new));
        TK_TL_TRY(tk_tl_map_put(s, &s->external_of, c->new, i));
    }
    if (cpu->has_last) {
        struct tk_tl_cpu_run *done = tk_spill_column_add(&cpu->done);
        if (!done)
            return tk_tl_column_error(s);
        *done = cpu->last;
    }
    cpu->last = (struct tk_tl_cpu_run){tk_tl_s48(c->time), -1, (uint16_t)i};
    cpu->has_last = true;
    return TK_OK;
}

static int want_external(struct tk_tl_state *s, uint64_t tid)
{
    const struct tk_tl_external e = {tid, TK_TL_NONE, TK_TL_NONE};
    if (tk_map_get(&s->external_name_of, tid) != TK_MAP_NONE)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->external_name_of, tid, (uint32_t)s->external_names.n));
    TK_TL_TRY(tk_tl_push(s, &s->external_names, e));
    return tk_tl_ask(s, TK_TL_ASK_EXTERNAL, tid, 0);
}

static int enter(struct tk_tl_state *s, const struct change *c)
{
    struct tk_tl_switches *k;
    struct tk_tl_cpu_use *use;
    bool moved;
    TK_TL_TRY(tk_tl_switches_of(s, c->new, &k));
    if (k->has_last && k->last.reason == WOKEN)
        moved = tk_spill_column_count(&k->done) > 0 && k->before_cpu != c->cpu;
    else
        TK_TL_TRY(add_run(s, k, c, &moved));
    k->last.start = tk_tl_s48(c->time);
    k->last.end = -1;
    k->last.cpu = c->cpu;
    k->last.reason = RUNNING;
    k->last.state = -1;
    k->last.thread = 0;
    TK_TL_TRY(run_on_cpu(s, c));
    TK_TL_TRY(want_external(s, c->new));
    if (!moved)
        return TK_OK;
    TK_TL_TRY(cpu_use_of(s, c->new, &use));
    use->migrations++;
    return TK_OK;
}

int tk_tl_on_context_switch(struct tk_tl_state *s, const uint8_t *p)
{
    const struct change c = {tk_tl_move(s, &s->context_time, (int64_t)tk_load64(p)),
                             tk_load32(p + 8),
                             tk_load32(p + 12),
                             p[16],
                             (int8_t)p[17],
                             (int8_t)p[18]};
    if (c.old)
        TK_TL_TRY(leave(s, &c));
    return c.new ? enter(s, &c) : TK_OK;
}

int tk_tl_on_thread_wakeup(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_s48(tk_tl_move(s, &s->context_time, (int64_t)tk_load64(p)));
    const uint8_t cpu = s->protocol.wide_switch ? p[12] : 0;
    const struct tk_tl_switch woken = {time, time, -1, 0, 0, cpu, WOKEN, -1};
    struct tk_tl_switches *k;
    TK_TL_TRY(tk_tl_switches_of(s, tk_load32(p + 8), &k));
    if (!k->has_last || k->last.end >= 0)
        return tk_tl_switch_add(s, k, &woken);
    if (s->protocol.wide_switch) {
        k->has_pending = true;
        k->pending_time = time;
        k->pending_cpu = cpu;
    }
    return TK_OK;
}

int tk_tl_on_tid_to_pid(struct tk_tl_state *s, const uint8_t *p)
{
    const struct tk_tl_process k = {tk_load64(p), tk_load64(p + 8)};
    if (tk_map_get(&s->process_of, k.tid) != TK_MAP_NONE)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->process_of, k.tid, (uint32_t)s->processes.n));
    return tk_tl_push(s, &s->processes, k);
}

static struct tk_tl_external *external_answered(struct tk_tl_state *s)
{
    const uint32_t i = tk_map_get(&s->external_name_of, s->key);
    s->odd.answers += i == TK_MAP_NONE;
    return i == TK_MAP_NONE ? NULL : &s->external_names.v[i];
}

int tk_tl_on_external_name(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_external *e = external_answered(s);
    (void)p;
    return e ? tk_tl_store(s, s->data.p, s->data.n, &e->process) : TK_OK;
}

int tk_tl_on_external_thread_name(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_external *e = external_answered(s);
    (void)p;
    return e ? tk_tl_store(s, s->data.p, s->data.n, &e->name) : TK_OK;
}
