/*
 * Gathers memory for a .tracy: heaps as pools, and blocks as allocations. See tracy_events.h.
 */
#include "export/tracy/tracy_events.h"

#include <stdlib.h>

int tk_ts_note_thread(struct tk_ts_events *e, uint32_t number)
{
    const struct tk_ts_thread thread = {.number = number};
    if (number == TK_NO_THREAD || tk_map_get(&e->thread_of, number) != TK_MAP_NONE)
        return 0;
    return tk_map_put(&e->thread_of, number, (uint32_t)e->threads.n) || tk_vec_push(&e->threads, thread) ? -1
                                                                                                         : 0;
}

static struct tk_ts_pool *pool_of(struct tk_ts_events *e, uint32_t heap, uint32_t *place)
{
    *place = tk_map_get(&e->pool_of, heap);
    if (*place != TK_MAP_NONE)
        return e->pools.v[*place];
    struct tk_ts_pool *pool = e->pools.n < UINT16_MAX ? calloc(1, sizeof *pool) : NULL;
    *place = (uint32_t)e->pools.n;
    if (!pool || tk_vec_push(&e->pools, pool)) {
        free(pool);
        return NULL;
    }
    pool->heap = heap;
    pool->low = UINT64_MAX;
    tk_spill_column_begin(&pool->allocs, e->columns, sizeof(struct tk_ts_alloc));
    return tk_map_put(&e->pool_of, heap, *place) ? NULL : pool;
}

static int end_block(struct tk_ts_events *e, struct tk_block *block, int64_t time, uint32_t stack,
                     uint32_t thread)
{
    struct tk_ts_pool *pool = e->pools.v[block->heap];
    struct tk_ts_alloc a;
    const uint64_t at = block->index - 1;
    tk_live_blocks_take(&e->alive, block);
    if (!tk_spill_column_get(&pool->allocs, at, &a))
        return -1;
    a.freed = time > a.time ? time : a.time;
    a.free_stack = stack;
    a.free_thread = thread;
    pool->frees++;
    pool->used -= a.size;
    return tk_spill_column_change(&pool->allocs, at, &a) ? 0 : -1;
}

static int begin_block(struct tk_ts_events *e, const struct tk_fact *fact, int64_t cycles)
{
    const struct tk_fact_memory *f = &fact->u.memory;
    uint32_t place;
    struct tk_ts_pool *pool = pool_of(e, f->heap, &place);
    if (!pool)
        return -1;
    struct tk_block *old = tk_live_blocks_find(&e->alive, f->address, (uint16_t)place);
    if (old &&
        (tk_ts_note_thread(e, fact->thread) || end_block(e, old, tk_ts_ns(e, cycles), 0, fact->thread)))
        return -1;
    if (!tk_select_has(e->view->select, cycles) ||
        !tk_select_thread(e->view->select, e->view->dict, fact->thread) ||
        e->alive.count >= e->view->ctx->limits.alive_allocations)
        return 0;
    if (tk_ts_note_thread(e, fact->thread))
        return -1;
    struct tk_block *block = tk_live_blocks_put(&e->alive, f->address, (uint16_t)place);
    struct tk_ts_alloc *a = block ? tk_spill_column_add(&pool->allocs) : NULL;
    if (!a)
        return -1;
    block->index = tk_spill_column_count(&pool->allocs);
    *a = (struct tk_ts_alloc){.address = f->address,
                              .size = f->size,
                              .time = tk_ts_ns(e, cycles),
                              .freed = -1,
                              .stack = f->id,
                              .thread = fact->thread,
                              .free_thread = fact->thread};
    pool->used += f->size;
    pool->low = f->address < pool->low ? f->address : pool->low;
    pool->high = f->address + f->size > pool->high ? f->address + f->size : pool->high;
    return 0;
}

static int free_block(struct tk_ts_events *e, const struct tk_fact *fact, int64_t cycles)
{
    const struct tk_fact_memory *f = &fact->u.memory;
    const uint32_t place = tk_map_get(&e->pool_of, f->heap);
    struct tk_block *block =
        place == TK_MAP_NONE ? NULL : tk_live_blocks_find(&e->alive, f->address, (uint16_t)place);
    if (!block)
        return 0;
    return tk_ts_note_thread(e, fact->thread) ? -1
                                              : end_block(e, block, tk_ts_ns(e, cycles), f->id, fact->thread);
}

/* What becomes a container of other allocations is none any more: those are told of, too. */
static int play(struct tk_ts_events *e, const struct tk_fact *fact, int64_t time)
{
    switch (fact->u.memory.op) {
    case TK_MEMORY_ALLOC:
    case TK_MEMORY_REALLOC_ALLOC:
        return fact->u.memory.address ? begin_block(e, fact, time) : 0;
    case TK_MEMORY_FREE:
    case TK_MEMORY_REALLOC_FREE:
    case TK_MEMORY_MARK:
        return free_block(e, fact, time);
    default:
        return 0;
    }
}

int tk_ts_play_held(struct tk_ts_events *e, int64_t time)
{
    int rc = 0;
    e->clocked = true;
    for (size_t i = 0; i < e->held.n && rc == 0; i++)
        rc = play(e, &e->held.v[i], time);
    tk_vec_release(&e->held);
    return rc;
}

int tk_ts_take_memory(struct tk_ts_events *e, const struct tk_fact *fact)
{
    const bool timed = fact->time != TK_NO_TIME;
    if (!e->clocked && !timed && e->held.n < e->view->ctx->limits.held_events)
        return tk_vec_push(&e->held, *fact);
    if (!e->clocked && tk_ts_play_held(e, timed ? fact->time : 0))
        return -1;
    return play(e, fact, timed ? fact->time : 0);
}

int tk_ts_take_heap(struct tk_ts_events *e, const struct tk_fact_memory_heap *heap)
{
    uint32_t place;
    struct tk_ts_pool *pool = heap->root ? pool_of(e, heap->id, &place) : NULL;
    if (!pool)
        return heap->root ? -1 : 0;
    pool->name = heap->unnamed || !heap->name
                     ? NULL
                     : tk_intern(&e->texts, heap->name->p, heap->name->n, (enum tk_encoding)heap->name->enc);
    return pool->name || heap->unnamed || !heap->name ? 0 : -1;
}
