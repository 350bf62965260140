/*
 * Callstacks for a .tracy: the functions of their addresses, by the capture and by symbols of its modules.
 */
#include "export/tracy/tracy_events.h"
#include "export/tracy/tracy_in.h"
#include "format/tracy/file/sections_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Gathers memory for a .tracy: heaps as pools, and blocks as allocations.
 */

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

/* What becomes a container of other allocations is none any more: those are reported, too. */
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

/*
 * Writes the contexts of the GPU of a .tracy (tracy-file 5.11): a context with one timeline for each track.
 * Where it is not known when the program requested the work, its times there are those of the GPU.
 */

struct open_zone {
    struct tk_tracy_gpu_end end;
    uint32_t left;
};

struct open_zones {
    TK_VEC(struct open_zone) v;
};

static bool is_gpu(const struct tk_ts_track *k)
{
    return k->kind == TK_TRACK_GPU;
}

static int put_zone(struct tk_tracy_writer *w, struct open_zones *open, const struct tk_ts_gpu_zone *gpu,
                    struct tk_err *err)
{
    const struct tk_ts_zone *z = &gpu->zone;
    const struct open_zone o = {{gpu->requested_end, z->end, 0}, z->children};
    const struct tk_tracy_gpu_begin begin = {
        .cpu = gpu->requested, .gpu = z->start, .location = z->place, .children = z->children};
    tk_tracy_put_gpu_begin(w, &begin);
    if (tk_vec_push(&open->v, o))
        return tk_err_nomem(err, "an export");
    while (open->v.n && !open->v.v[open->v.n - 1].left) {
        tk_tracy_put_gpu_end(w, &open->v.v[--open->v.n].end);
        if (open->v.n)
            open->v.v[open->v.n - 1].left--;
    }
    return TK_OK;
}

static int put_timeline(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    struct open_zones open = {{0}};
    const void *record;
    int rc = TK_OK;
    tk_tracy_put_gpu_timeline(w, &(struct tk_tracy_gpu_timeline){0, k->roots});
    w->time = w->gpu_time = 0;
    tk_spill_column_reading_open(&r, &k->items, err);
    while (rc == TK_OK && w->rc == TK_OK && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_gpu_zone z;
        memcpy(&z, record, sizeof z);
        rc = put_zone(w, &open, &z, err);
    }
    tk_spill_column_reading_close(&r);
    tk_vec_release(&open.v);
    return rc;
}

static int put_context(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    const uint64_t zones = tk_spill_column_count(&k->items);
    const struct tk_tracy_gpu_context head = {.zones = zones, .period = 1, .name = k->name + 1};
    tk_tracy_put_gpu_context(w, &head);
    if (w->layout.gpu_notes)
        tk_tracy_put(w, 0, 8); /* names of notes */
    tk_tracy_put(w, zones > 0, 8);
    const int rc = zones ? put_timeline(w, k, err) : TK_OK;
    if (w->layout.gpu_notes)
        tk_tracy_put(w, 0, 8); /* notes */
    return rc;
}

int tk_ts_put_gpu(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    uint64_t contexts = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < t->tracks.n; i++)
        contexts += is_gpu(t->tracks.v[i]);
    tk_tracy_put(w, t->zones.gpu, 8);
    tk_tracy_put(w, t->parents.gpu, 8);
    tk_tracy_put(w, contexts, 8);
    for (size_t i = 0; i < t->tracks.n && rc == TK_OK; i++)
        if (is_gpu(t->tracks.v[i]))
            rc = put_context(w, t->tracks.v[i], err);
    return rc;
}

uint32_t tk_ts_stack_number(const struct tk_ts_events *e, uint64_t id)
{
    const struct tk_callstack *stack = id ? tk_callstack_of(&e->stacks, id) : NULL;
    const size_t at = stack ? (size_t)(stack - e->stacks.stacks.v) : 0;
    return stack && at < TK_TS_STACKS ? (uint32_t)at + 1 : 0;
}

/* Where a sample found its thread is exact, all other addresses are those of returns. */
static bool is_exact(const struct tk_ts_events *e, const struct tk_callstack *stack, uint32_t i)
{
    return stack->id >> 32 && tk_code_is_exact(e->stacks.frames.v + stack->first, i);
}

/* NULL where there is none; it is kept in *out. 0, or -1 without memory. */
static int keep(struct tk_ts_events *e, const struct tk_str *text, const struct tk_str **out)
{
    *out = text && text->p ? tk_intern(&e->texts, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
    return text && text->p && !*out ? -1 : 0;
}

/* As Tracy says that it does not know a name (symbols 2). */
static int keep_name(struct tk_ts_events *e, const struct tk_str *text, const struct tk_str **out)
{
    static const struct tk_str unknown = {"[unknown]", 9, TK_ENC_UTF8};
    return keep(e, text && text->p ? text : &unknown, out);
}

/* The address that stands for a function: the first at which it was seen and that no other has. 0 without
 * memory.
 */
static uint64_t symbol_of(struct tk_ts_events *e, const struct tk_ts_frame_place *place,
                          const struct tk_str *image, uint64_t address)
{
    const void *const key[] = {place->function, place->file, image};
    uint64_t hash = tk_hash_bytes((const char *)key, sizeof key, 3);
    uint32_t i;
    for (; (i = tk_map_get(&e->symbol_of, hash)) != TK_MAP_NONE; hash++) {
        const struct tk_ts_symbol *s = &e->symbols.v[i];
        if (s->function == place->function && s->file == place->file && s->image == image)
            return s->address;
    }
    while (tk_map_get(&e->symbol_at, address) != TK_MAP_NONE)
        address++;
    const struct tk_ts_symbol s = {address, place->function, place->file, image, place->line};
    i = (uint32_t)e->symbols.n;
    return tk_vec_push(&e->symbols, s) || tk_map_put(&e->symbol_of, hash, i) ||
                   tk_map_put(&e->symbol_at, address, i)
               ? 0
               : address;
}

/* Where it knows the image alone, a client has the address in place of a name. */
static int keep_address(struct tk_ts_events *e, uint64_t address, const struct tk_str **out)
{
    char text[40];
    const int n = snprintf(text, sizeof text, "[unknown] + %llu", (unsigned long long)address);
    return keep(e, &(struct tk_str){text, (uint32_t)n, TK_ENC_UTF8}, out);
}

static int add_place(struct tk_ts_events *e, const struct tk_symbol_place *place, const struct tk_str *image,
                     bool in_image, uint64_t address)
{
    struct tk_ts_frame_place p = {.line = place->line};
    const bool named =
        (place->function && place->function->p) || (place->file && place->file->p) || !in_image;
    if (named ? keep_name(e, place->function, &p.function) : keep_address(e, address, &p.function))
        return -1;
    if (keep_name(e, place->file, &p.file))
        return -1;
    p.symbol = symbol_of(e, &p, image, address);
    return p.symbol ? tk_vec_push(&e->places, p) : -1;
}

/* Without a function the place says where it is in its image, as Tracy has it (symbols 2). */
static int add_open(struct tk_ts_events *e, uint64_t offset)
{
    static const struct tk_str unresolved = {"[unresolved]", 12, TK_ENC_UTF8};
    struct tk_ts_frame_place p = {.symbol = offset};
    return keep(e, &unresolved, &p.function) ? -1 : tk_vec_push(&e->places, p);
}

static int add_frame(struct tk_ts_events *e, uint64_t address, bool exact)
{
    const struct tk_symbol *symbol = tk_code_symbol(&e->code, address, exact);
    const struct tk_module *module = tk_module_at(&e->code.modules, address);
    const struct tk_str name = module ? tk_module_short_name(module) : (struct tk_str){0};
    const struct tk_str *image = tk_code_image(&e->code, address);
    struct tk_ts_frame frame = {.address = address, .first = (uint32_t)e->places.n};
    if (!symbol && !module)
        return 0; /* nothing is known of it */
    int rc = keep_name(e, image ? image : module ? &name : NULL, &frame.image);
    if (rc == 0 && (!symbol || symbol->open))
        rc = add_open(e, symbol ? symbol->offset : address - module->info.base);
    for (uint32_t i = 0; symbol && !symbol->open && i < symbol->n && i < TK_TS_PLACES_OF_FRAME && rc == 0;
         i++)
        rc = add_place(e, tk_symbol_place(&e->code.symbols, symbol, i), frame.image, image || module,
                       address ? address : 1);
    frame.n = (uint32_t)e->places.n - frame.first;
    return rc == 0 ? tk_vec_push(&e->frames, frame) : rc;
}

static int for_all(struct tk_ts_events *e, int (*call)(struct tk_ts_events *e, uint64_t address, bool exact),
                   struct tk_map *seen)
{
    for (size_t i = 0; i < e->stacks.stacks.n; i++) {
        const struct tk_callstack *stack = &e->stacks.stacks.v[i];
        for (uint32_t k = 0; k < stack->n; k++) {
            const uint64_t address = e->stacks.frames.v[stack->first + k];
            if (tk_map_get(seen, address) != TK_MAP_NONE)
                continue;
            if (tk_map_put(seen, address, 1) || call(e, address, is_exact(e, stack, k)))
                return -1;
        }
    }
    return 0;
}

static int want(struct tk_ts_events *e, uint64_t address, bool exact)
{
    return tk_code_map_want(&e->code, address, exact);
}

int tk_ts_code_settle(struct tk_ts_events *e)
{
    struct tk_map wanted = {0}, seen = {0};
    int rc = for_all(e, want, &wanted);
    if (rc == 0)
        rc = tk_code_map_settle(&e->code, e->view->ctx);
    if (rc == 0)
        rc = for_all(e, add_frame, &seen);
    tk_map_release(&wanted);
    tk_map_release(&seen);
    return rc;
}
