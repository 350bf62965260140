/*
 * Gathers locks, memory, samples and times on cores for a .tracy. See tracy_events.h.
 */
#include "export/tracy_file/tracy_events.h"

#include "base/err.h"
#include "format/tracy/container/version.h"
#include "model/samples/sample_weight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_BYTES = 16 << 20, SORT_BYTES = 2 << 20 };

#define OWN_STACK (UINT64_C(1) << 40) /* ids of callstacks that samples bring along */

static int compare_samples(const void *a, const void *b)
{
    const struct tk_ts_sample *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static int compare_runs(const void *a, const void *b)
{
    const struct tk_ts_run *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->core != y->core ? (x->core < y->core ? -1 : 1)
                              : (x->thread > y->thread) - (x->thread < y->thread);
}

static int compare_threads(const void *a, const void *b)
{
    const struct tk_ts_thread *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

int tk_ts_events_new(struct tk_ts_events **out, const char *scratch, struct tk_err *err)
{
    struct tk_ts_events *e = calloc(1, sizeof *e);
    *out = e;
    if (!e || tk_spill_columns_open(&e->columns, scratch, COLUMN_BYTES))
        return tk_err_nomem(err, "an export");
    int rc = tk_external_sort_open(&e->samples, scratch, sizeof(struct tk_ts_sample), compare_samples,
                                   SORT_BYTES, err);
    if (rc == TK_OK)
        rc =
            tk_external_sort_open(&e->runs, scratch, sizeof(struct tk_ts_run), compare_runs, SORT_BYTES, err);
    if (rc == TK_OK)
        rc = tk_ts_locks_open(&e->locks, scratch, err);
    for (unsigned i = 0; i < TK_TS_CORES; i++)
        tk_spill_column_begin(&e->cores[i], e->columns, sizeof(struct tk_ts_run));
    return rc;
}

void tk_ts_events_free(struct tk_ts_events *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->pools.n; i++) {
        tk_spill_column_release(&e->pools.v[i]->allocs);
        free(e->pools.v[i]);
    }
    for (size_t i = 0; i < e->systems.n; i++) {
        tk_spill_column_release(&e->systems.v[i].samples);
        tk_spill_column_release(&e->systems.v[i].runs);
    }
    for (unsigned i = 0; i < TK_TS_CORES && e->columns; i++)
        tk_spill_column_release(&e->cores[i]);
    tk_ts_locks_release(&e->locks);
    tk_vec_release(&e->pools);
    tk_vec_release(&e->held);
    tk_vec_release(&e->threads);
    tk_vec_release(&e->systems);
    tk_vec_release(&e->frames);
    tk_vec_release(&e->places);
    tk_vec_release(&e->symbols);
    tk_map_release(&e->symbol_of);
    tk_map_release(&e->symbol_at);
    tk_map_release(&e->pool_of);
    tk_map_release(&e->thread_of);
    tk_live_blocks_release(&e->alive);
    tk_system_threads_release(&e->found);
    tk_callstack_list_release(&e->stacks);
    tk_code_map_release(&e->code);
    tk_external_sort_close(e->samples);
    tk_external_sort_close(e->runs);
    tk_spill_columns_close(e->columns);
    tk_intern_release(&e->texts);
    free(e);
}

static int64_t ns_of(struct tk_ts_events *e, int64_t cycles)
{
    const int64_t ns = tk_clock_time(&e->view->dict->clock, TK_UNIT_NS, cycles);
    e->last_time = ns > e->last_time ? ns : e->last_time;
    return ns;
}

/* ---- memory ---- */

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

static int note_thread(struct tk_ts_events *e, uint32_t number)
{
    const struct tk_ts_thread thread = {.number = number};
    if (number == TK_NO_THREAD || tk_map_get(&e->thread_of, number) != TK_MAP_NONE)
        return 0;
    return tk_map_put(&e->thread_of, number, (uint32_t)e->threads.n) || tk_vec_push(&e->threads, thread) ? -1
                                                                                                         : 0;
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
    if (old && (note_thread(e, fact->thread) || end_block(e, old, ns_of(e, cycles), 0, fact->thread)))
        return -1;
    if (!tk_select_has(e->view->select, cycles) ||
        !tk_select_thread(e->view->select, e->view->dict, fact->thread) ||
        e->alive.count >= e->view->ctx->limits.alive_allocations)
        return 0;
    if (note_thread(e, fact->thread))
        return -1;
    struct tk_block *block = tk_live_blocks_put(&e->alive, f->address, (uint16_t)place);
    struct tk_ts_alloc *a = block ? tk_spill_column_add(&pool->allocs) : NULL;
    if (!a)
        return -1;
    block->index = tk_spill_column_count(&pool->allocs);
    *a = (struct tk_ts_alloc){.address = f->address,
                              .size = f->size,
                              .time = ns_of(e, cycles),
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
    return note_thread(e, fact->thread) ? -1 : end_block(e, block, ns_of(e, cycles), f->id, fact->thread);
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

static int play_held(struct tk_ts_events *e, int64_t time)
{
    int rc = 0;
    e->clocked = true;
    for (size_t i = 0; i < e->held.n && rc == 0; i++)
        rc = play(e, &e->held.v[i], time);
    tk_vec_release(&e->held);
    return rc;
}

static int take_memory(struct tk_ts_events *e, const struct tk_fact *fact)
{
    const bool timed = fact->time != TK_NO_TIME;
    if (!e->clocked && !timed && e->held.n < e->view->ctx->limits.held_events)
        return tk_vec_push(&e->held, *fact);
    if (!e->clocked && play_held(e, timed ? fact->time : 0))
        return -1;
    return play(e, fact, timed ? fact->time : 0);
}

static int take_heap(struct tk_ts_events *e, const struct tk_fact_memory_heap *heap)
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

/* ---- locks, samples, times on cores ---- */

static int take_lock(struct tk_ts_events *e, const struct tk_fact *fact, struct tk_err *err)
{
    if (fact->thread == TK_NO_THREAD || !tk_select_has(e->view->select, fact->time) ||
        !tk_select_thread(e->view->select, e->view->dict, fact->thread))
        return TK_OK;
    return note_thread(e, fact->thread)
               ? tk_err_nomem(err, "locks")
               : tk_ts_locks_take(&e->locks, fact, ns_of(e, fact->time), &e->texts, e->columns, err);
}

static bool same_stack(const struct tk_ts_events *e, const struct tk_callstack *stack,
                       const struct tk_fact_sample *sample)
{
    return stack->n == sample->n &&
           memcmp(e->stacks.frames.v + stack->first, sample->addresses, sample->n * sizeof(uint64_t)) == 0;
}

/* The id of the callstack of addresses that came along. 0: none; UINT64_MAX without memory. */
static uint64_t own_stack(struct tk_ts_events *e, const struct tk_fact_sample *sample)
{
    if (!sample->n)
        return 0;
    uint64_t id =
        OWN_STACK | (tk_hash_bytes((const char *)sample->addresses, sample->n * sizeof(uint64_t), 2) >> 24);
    const struct tk_callstack *known;
    while ((known = tk_callstack_of(&e->stacks, id)) && !same_stack(e, known, sample))
        id++;
    const struct tk_fact fact = {.kind = TK_FACT_CALLSTACK,
                                 .u.callstack = {.id = id,
                                                 .frames = sample->addresses,
                                                 .n = sample->n < UINT16_MAX ? sample->n : UINT16_MAX}};
    return known || tk_callstack_list_feed(&e->stacks, &fact) == 0 ? id : UINT64_MAX;
}

static int take_sample(struct tk_ts_events *e, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_sample *info = &fact->u.sample;
    struct tk_ts_sample sample = {.stack = info->callstack};
    if (!tk_select_has(e->view->select, fact->time))
        return TK_OK;
    sample.thread = tk_system_thread_of(&e->found, info->system_id);
    if (!info->callstack)
        sample.stack = own_stack(e, info);
    if (sample.thread == TK_MAP_NONE || sample.stack == UINT64_MAX)
        return tk_err_nomem(err, "samples");
    sample.time = ns_of(e, fact->time);
    return tk_external_sort_add(e->samples, &sample, err);
}

static int take_switch(struct tk_ts_events *e, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_switch *info = &fact->u.context;
    struct tk_ts_run run = {.core = info->core};
    if (!tk_select_touches(e->view->select, fact->time, info->end))
        return TK_OK;
    run.thread = tk_system_thread_of(&e->found, info->system_id);
    if (run.thread == TK_MAP_NONE)
        return tk_err_nomem(err, "context switches");
    run.start = ns_of(e, fact->time);
    run.end = ns_of(e, info->end);
    return tk_external_sort_add(e->runs, &run, err);
}

/* ---- the end ---- */

/* All that are selected, in the order of their numbers, which a .tracy shows. */
static int name_threads(struct tk_ts_events *e)
{
    const struct tk_dict *dict = e->view->dict;
    for (size_t i = 0; i < dict->threads.n; i++)
        if (tk_select_thread(e->view->select, dict, dict->threads.v[i].id) &&
            note_thread(e, dict->threads.v[i].id))
            return -1;
    if (e->threads.n)
        qsort(e->threads.v, e->threads.n, sizeof *e->threads.v, compare_threads);
    for (size_t i = 0; i < e->threads.n; i++) {
        struct tk_ts_thread *t = &e->threads.v[i];
        const struct tk_thread *known = tk_dict_thread(e->view->dict, t->number);
        if (!known)
            return -1;
        t->system_id = known->info.has_system ? known->info.system_id : t->number;
        t->name = tk_intern(&e->texts, known->shown->p, known->shown->n, (enum tk_encoding)known->shown->enc);
        if (!t->name)
            return -1;
    }
    return 0;
}

static int name_systems(struct tk_ts_events *e)
{
    tk_system_threads_resolve(&e->found, e->view->dict);
    for (size_t i = 0; i < e->found.v.n; i++) {
        const struct tk_system_thread *t = &e->found.v.v[i];
        const struct tk_str *name = tk_system_thread_name(t, e->view->dict);
        struct tk_ts_system s = {.system_id = t->system_id,
                                 .process_id = t->process_id,
                                 .has_process = t->has_process,
                                 .thread = t->thread,
                                 .selected = tk_system_thread_selected(t, e->view)};
        if (name && !(s.name = tk_intern(&e->texts, name->p, name->n, (enum tk_encoding)name->enc)))
            return -1;
        s.number = s.selected ? e->n_selected++ : UINT32_MAX;
        if (tk_vec_push(&e->systems, s))
            return -1;
    }
    for (size_t i = 0; i < e->systems.n; i++) {
        tk_spill_column_begin(&e->systems.v[i].samples, e->columns, sizeof(struct tk_ts_sample));
        tk_spill_column_begin(&e->systems.v[i].runs, e->columns, sizeof(struct tk_ts_run));
    }
    return 0;
}

static int spread_samples(struct tk_ts_events *e, struct tk_err *err)
{
    const void *record;
    int rc = tk_external_sort_start(e->samples, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(e->samples, &record, err)) == TK_ITEM) {
        struct tk_ts_sample sample;
        memcpy(&sample, record, sizeof sample);
        struct tk_ts_system *s = &e->systems.v[sample.thread];
        struct tk_ts_sample *to = s->selected ? tk_spill_column_add(&s->samples) : NULL;
        if (s->selected && !to)
            return tk_spill_columns_error(e->columns, err);
        if (to)
            *to = sample;
        rc = TK_OK;
    }
    return rc;
}

static int spread_runs(struct tk_ts_events *e, struct tk_err *err)
{
    const void *record;
    int rc = tk_external_sort_start(e->runs, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(e->runs, &record, err)) == TK_ITEM) {
        struct tk_ts_run run, *to;
        memcpy(&run, record, sizeof run);
        struct tk_ts_system *s = &e->systems.v[run.thread];
        run.thread = s->number;
        struct tk_spill_column *both[] = {&s->runs, run.core < TK_TS_CORES ? &e->cores[run.core] : NULL};
        for (unsigned i = 0; i < 2 && s->selected; i++) {
            if (both[i] && !(to = tk_spill_column_add(both[i])))
                return tk_spill_columns_error(e->columns, err);
            if (both[i])
                *to = run;
        }
        rc = TK_OK;
    }
    return rc;
}

static const struct tk_cell *session_value(const struct tk_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_str *name = dict->session.v[i].key;
        if (name->n == strlen(key) && memcmp(name->p, key, name->n) == 0)
            return &dict->session.v[i].value;
    }
    return NULL;
}

/* Where it comes from a .tracy: its version, such as "0.14.1", and how long it is. */
static void take_session(struct tk_ts_events *e)
{
    const struct tk_cell *version = session_value(e->view->dict, "TracyVersion");
    const struct tk_cell *last = session_value(e->view->dict, "LastTime");
    char text[16];
    unsigned v[3];
    if (!version || version->kind != TK_TEXT)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(version->n < 15 ? version->n : 15), (const char *)version->v.p);
    if (sscanf(text, "%u.%u.%u", &v[0], &v[1], &v[2]) == 3)
        e->version = TK_TRACY_V(v[0], v[1], v[2]);
    if (last && (last->kind == TK_INT || last->kind == TK_TIME || last->kind == TK_DURATION) &&
        e->view->select->all_time) {
        e->last_time = last->v.i;
        e->whole = true;
    }
}

/* ---- the builder ---- */

static const struct tk_table table = {.name = "tracy_events",
                                      .help = "locks, memory, samples and cores of a .tracy"};

static int open_events(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct tk_ts_events *e = builder->user;
    (void)wanted, (void)err;
    *self = e;
    e->view = view;
    tk_callstack_list_init(&e->stacks, &view->ctx->health, view->ctx->limits.callstack_bytes, UINT16_MAX);
    return TK_OK;
}

static int take_fact(struct tk_ts_events *e, const struct tk_fact *fact, struct tk_err *err)
{
    switch (fact->kind) {
    case TK_FACT_LOCK:
        return take_lock(e, fact, err);
    case TK_FACT_SAMPLE:
        return take_sample(e, fact, err);
    case TK_FACT_SWITCH:
        return take_switch(e, fact, err);
    case TK_FACT_MEMORY:
        if (take_memory(e, fact) == 0)
            return TK_OK;
        return tk_spill_columns_error(e->columns, err) != TK_OK ? tk_spill_columns_error(e->columns, err)
                                                                : tk_err_nomem(err, "allocations");
    case TK_FACT_MEMORY_HEAP:
        return take_heap(e, &fact->u.memory_heap) ? tk_err_nomem(err, "heaps") : TK_OK;
    default:
        return tk_system_threads_feed(&e->found, fact) || tk_callstack_list_feed(&e->stacks, fact) ||
                       tk_code_map_feed(&e->code, fact)
                   ? tk_err_nomem(err, "callstacks")
                   : TK_OK;
    }
}

static int feed_events(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++)
        rc = take_fact(self, &batch->facts[i], err);
    return rc;
}

static int finish_events(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_ts_events *e = self;
    (void)emit;
    take_session(e);
    e->period = tk_sample_period(e->view->dict);
    if (play_held(e, 0) || name_threads(e) || name_systems(e) || tk_ts_code_settle(e))
        return tk_err_nomem(err, "the events of an export");
    int rc = spread_samples(e, err);
    if (rc == TK_OK)
        rc = spread_runs(e, err);
    if (rc == TK_OK)
        rc = tk_ts_locks_settle(&e->locks, e->columns, err);
    return rc == TK_OK ? tk_spill_columns_seal(e->columns, err) : rc;
}

struct tk_builder tk_ts_events_builder(struct tk_ts_events *e)
{
    return (struct tk_builder){
        .table = &table,
        .facts = TK_FACT_MASK(LOCK) | TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP) |
                 TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(SWITCH) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS |
                 TK_SYSTEM_THREAD_FACTS,
        .traits = TK_BUILDER_SERIAL,
        .user = e,
        .open = open_events,
        .feed = feed_events,
        .finish = finish_events,
    };
}
