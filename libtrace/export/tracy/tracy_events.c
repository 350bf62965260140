/*
 * Gathers locks, memory, samples and times on cores for a .tracy.
 */
#include "export/tracy/tracy_events.h"

#include "base/err.h"

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

static int take_lock(struct tk_ts_events *e, const struct tk_fact *fact, struct tk_err *err)
{
    if (fact->thread == TK_NO_THREAD || !tk_select_has(e->view->select, fact->time) ||
        !tk_select_thread(e->view->select, e->view->dict, fact->thread))
        return TK_OK;
    return tk_ts_note_thread(e, fact->thread)
               ? tk_err_nomem(err, "locks")
               : tk_ts_locks_take(&e->locks, fact, tk_ts_ns(e, fact->time), &e->texts, e->columns, err);
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
    sample.time = tk_ts_ns(e, fact->time);
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
    run.start = tk_ts_ns(e, fact->time);
    run.end = tk_ts_ns(e, info->end);
    return tk_external_sort_add(e->runs, &run, err);
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
        if (tk_ts_take_memory(e, fact) == 0)
            return TK_OK;
        return tk_spill_columns_error(e->columns, err) != TK_OK ? tk_spill_columns_error(e->columns, err)
                                                                : tk_err_nomem(err, "allocations");
    case TK_FACT_MEMORY_HEAP:
        return tk_ts_take_heap(e, &fact->u.memory_heap) ? tk_err_nomem(err, "heaps") : TK_OK;
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
    (void)emit;
    return tk_ts_events_settle(self, err);
}

struct tk_builder tk_ts_events_builder(struct tk_ts_events *e)
{
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_FACT_MASK(LOCK) | TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP) |
                           TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(SWITCH) | TK_FACT_MASK(CALLSTACK) |
                           TK_CODE_MAP_FACTS | TK_SYSTEM_THREAD_FACTS,
                  .order = TK_NEEDS_SEQ_ORDER},
        .user = e,
        .open = open_events,
        .feed = feed_events,
        .finish = finish_events,
    };
}
