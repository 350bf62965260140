/*
 * Allocations in pools of memory (tracy-live 7.12).
 */
#include "live/tracy/state/state.h"

static int pool_of(struct tk_tl_state *s, uint64_t name, struct tk_tl_pool **out)
{
    const uint32_t i = tk_map_get(&s->pool_of, name);
    bool known;
    int rc;
    if (i != TK_MAP_NONE) {
        *out = s->pools.v[i];
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_want_text(s, name, &known));
    struct tk_tl_pool *p = tk_tl_alloc(s, sizeof *p, &rc);
    if (!p)
        return rc;
    p->name = name;
    p->low = UINT64_MAX;
    tk_spill_column_begin(&p->allocs, s->columns, sizeof(struct tk_tl_alloc));
    tk_spill_column_begin(&p->freed, s->columns, sizeof(struct tk_tl_free));
    tk_record_map_init(&p->alive, sizeof(struct tk_tl_alive));
    *out = p;
    TK_TL_TRY(tk_tl_map_put(s, &s->pool_of, name, (uint32_t)s->pools.n));
    return tk_tl_push(s, &s->pools, p);
}

int tk_tl_on_mem_name_payload(struct tk_tl_state *s, const uint8_t *p)
{
    s->pool_name = tk_load64(p);
    return TK_OK;
}

static int named_pool(struct tk_tl_state *s, struct tk_tl_pool **out)
{
    const uint64_t name = s->pool_name;
    s->pool_name = 0;
    return pool_of(s, name, out);
}

/* Ends the life of what is alive at an address. */
static int drop(struct tk_tl_state *s, struct tk_tl_pool *pool, uint64_t address, int64_t time,
                uint16_t thread, uint32_t callstack)
{
    const struct tk_tl_alive *alive = tk_record_map_get(&pool->alive, address);
    const struct tk_tl_free freed = {tk_tl_s48(time), callstack, thread};
    pool->used -= alive->size;
    pool->frees++;
    const bool ok = tk_spill_column_change(&pool->freed, alive->index, &freed);
    tk_record_map_remove(&pool->alive, address);
    return ok ? TK_OK : tk_tl_column_error(s);
}

static int add_alive(struct tk_tl_state *s, struct tk_tl_pool *pool, const struct tk_tl_alloc *a)
{
    const uint64_t index = tk_spill_column_count(&pool->allocs);
    struct tk_tl_alloc *alloc = tk_spill_column_add(&pool->allocs);
    if (!alloc)
        return tk_tl_column_error(s);
    *alloc = *a;
    struct tk_tl_free *freed = tk_spill_column_add(&pool->freed);
    if (!freed)
        return tk_tl_column_error(s);
    *freed = (struct tk_tl_free){-1, 0, 0};
    const uint32_t places = pool->alive.n;
    struct tk_tl_alive *alive = tk_record_map_put(&pool->alive, a->address);
    if (!alive)
        return tk_tl_nomem(s);
    *alive = (struct tk_tl_alive){index, a->size};
    return pool->alive.n > places ? tk_tl_charge(s, 2 * sizeof *alive + 24) : TK_OK;
}

struct memory_event {
    int64_t by;
    uint64_t tid, address, size;
};

static struct memory_event read_event(const uint8_t *p, bool has_size)
{
    return (struct memory_event){(int64_t)tk_load64(p), tk_load32(p + 8), tk_load64(p + 12),
                                 has_size ? tk_load_le(p + 20, 6) : 0};
}

static int alloc_in(struct tk_tl_state *s, struct tk_tl_pool *pool, const uint8_t *p, bool stacked)
{
    const struct memory_event e = read_event(p, true);
    const int64_t time = tk_tl_move(s, &s->serial_time, e.by);
    struct tk_tl_thread *t;
    uint16_t thread;
    TK_TL_TRY(tk_tl_thread_of(s, e.tid, &t));
    TK_TL_TRY(tk_tl_thread_number(s, e.tid, &thread));
    if (tk_record_map_get(&pool->alive, e.address)) {
        if (!(s->welcome.flags & TK_TL_IGNORE_MEMORY && s->protocol.implicit_frees))
            return tk_tl_fail(s, "memory was allocated twice", e.tid, 0, s->serial_stack);
        TK_TL_TRY(drop(s, pool, e.address, time, thread, 0));
    }
    pool->low = e.address < pool->low ? e.address : pool->low;
    pool->high = e.address + e.size > pool->high ? e.address + e.size : pool->high;
    pool->used += e.size;
    const struct tk_tl_alloc a = {e.address, e.size, tk_tl_s48(time),
                                  stacked ? tk_tl_take_serial_stack(s) : 0, thread};
    return add_alive(s, pool, &a);
}

static int free_in(struct tk_tl_state *s, struct tk_tl_pool *pool, const uint8_t *p, bool stacked)
{
    const struct memory_event e = read_event(p, false);
    struct tk_tl_thread *t;
    uint16_t thread;
    s->serial_time = (int64_t)((uint64_t)s->serial_time + (uint64_t)e.by);
    if (!tk_record_map_get(&pool->alive, e.address)) {
        if (e.address && !(s->welcome.flags & (TK_TL_ON_DEMAND | TK_TL_IGNORE_MEMORY))) {
            TK_TL_TRY(tk_tl_thread_ask(s, e.tid));
            return tk_tl_fail(s, "memory was freed that was not allocated", e.tid, 0, s->serial_stack);
        }
        if (stacked)
            tk_tl_take_serial_stack(s);
        return TK_OK;
    }
    const int64_t time = tk_tl_move(s, &s->serial_time, 0);
    TK_TL_TRY(tk_tl_thread_of(s, e.tid, &t));
    TK_TL_TRY(tk_tl_thread_number(s, e.tid, &thread));
    return drop(s, pool, e.address, time, thread, stacked ? tk_tl_take_serial_stack(s) : 0);
}

int tk_tl_on_mem_alloc(struct tk_tl_state *s, const uint8_t *p)
{
    return alloc_in(s, s->pools.v[0], p, false);
}

int tk_tl_on_mem_alloc_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return alloc_in(s, s->pools.v[0], p, true);
}

int tk_tl_on_mem_alloc_named(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_pool *pool;
    TK_TL_TRY(named_pool(s, &pool));
    return alloc_in(s, pool, p, false);
}

int tk_tl_on_mem_alloc_callstack_named(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_pool *pool;
    TK_TL_TRY(named_pool(s, &pool));
    return alloc_in(s, pool, p, true);
}

int tk_tl_on_mem_free(struct tk_tl_state *s, const uint8_t *p)
{
    return free_in(s, s->pools.v[0], p, false);
}

int tk_tl_on_mem_free_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return free_in(s, s->pools.v[0], p, true);
}

int tk_tl_on_mem_free_named(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_pool *pool;
    TK_TL_TRY(named_pool(s, &pool));
    return free_in(s, pool, p, false);
}

int tk_tl_on_mem_free_callstack_named(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_pool *pool;
    TK_TL_TRY(named_pool(s, &pool));
    return free_in(s, pool, p, true);
}

/* Frees all that a pool has. */
static int discard(struct tk_tl_state *s, const uint8_t *p, uint32_t callstack)
{
    const uint32_t i = tk_map_get(&s->pool_of, tk_load64(p + 12));
    const uint64_t tid = tk_load32(p + 8);
    struct tk_tl_thread *t;
    uint16_t thread;
    uint64_t address;
    s->serial_time = (int64_t)((uint64_t)s->serial_time + tk_load64(p));
    if (i == TK_MAP_NONE) {
        s->odd.memory++;
        return TK_OK;
    }
    struct tk_tl_pool *pool = s->pools.v[i];
    const int64_t time = tk_tl_move(s, &s->serial_time, 0);
    TK_TL_TRY(tk_tl_thread_of(s, tid, &t));
    TK_TL_TRY(tk_tl_thread_number(s, tid, &thread));
    for (uint32_t k = 0; k < pool->alive.n; k++)
        if (tk_record_map_at(&pool->alive, k, &address))
            TK_TL_TRY(drop(s, pool, address, time, thread, callstack));
    return TK_OK;
}

int tk_tl_on_mem_discard(struct tk_tl_state *s, const uint8_t *p)
{
    return discard(s, p, 0);
}

int tk_tl_on_mem_discard_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return discard(s, p, tk_tl_take_serial_stack(s));
}
