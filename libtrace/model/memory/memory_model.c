/*
 * Facts about memory on their way to the steps: threads, times, frames, what comes before the clock begins.
 */
#include "base/wrap.h"
#include "model/memory/memory_in.h"
#include "query/context_cells.h"
#include "tracekit/queries.h"

#include <stdlib.h>

enum { AHEAD = 16, FAR_AHEAD = 40 };

static void compile_moment(struct tk_memory *m)
{
    const struct tk_memory_query *requested = &m->view->query->memory;
    const struct tk_fact_clock *clock = &m->view->dict->clock;
    m->has_moment = requested->has_at;
    /* What happens at that very time is included. */
    m->moment = requested->has_at ? tk_clock_first(clock, requested->at_ns) : INT64_MAX;
    if (requested->has_at && requested->at_ns < INT64_MAX)
        m->moment = tk_clock_first(clock, requested->at_ns + 1);
    /* Where times are selected the end is that of the selection. */
    const struct tk_select *select = m->view->select;
    if (!requested->has_at && !select->all_time && select->n_ranges) {
        m->has_moment = true;
        m->moment = select->ranges[select->n_ranges - 1].to;
    }
    m->has_window = requested->has_window;
    m->window_from = tk_clock_first(clock, requested->from_ns);
    m->window_to = tk_clock_first(clock, requested->to_ns);
}

void tk_memory_init(struct tk_memory *m, const struct tk_query_context *view,
                    const struct tk_memory_setup *setup)
{
    const struct tk_limits *limits = &view->ctx->limits;
    *m = (struct tk_memory){.view = view, .setup = *setup, .checked = TK_NO_TIME};
    m->containers.by_address = true;
    /* Reallocations hand tags on, so tags are always known. */
    tk_alloc_groups_init(&m->groups, setup->by, setup->keep | TK_ALLOC_BIT(TK_ALLOC_BY_TAG), setup->parts,
                         view->places, limits);
    tk_alloc_moves_open(&m->groups, view->ctx->pool);
    tk_alloc_groups_init(&m->container_groups, TK_ALLOC_BIT(TK_ALLOC_BY_HEAP), 0, 0, NULL, limits);
    tk_asset_list_init(&m->assets, &view->ctx->health, limits->rows, setup->table);
    compile_moment(m);
}

/* ---- threads ---- */

static struct tk_memory_thread *new_thread(struct tk_memory *m, uint32_t id)
{
    struct tk_memory_thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->id = id;
    t->selected = tk_select_thread(m->view->select, m->view->dict, id);
    if (tk_vec_push(&m->threads, t)) {
        free(t);
        return NULL;
    }
    return tk_map_put(&m->thread_index, id, (uint32_t)m->threads.n - 1) ? NULL : t;
}

static struct tk_memory_thread *thread_of_memory_model(struct tk_memory *m, uint32_t id)
{
    struct tk_memory_thread **near = &m->near[id % TK_MEMORY_NEAR];
    if (*near && (*near)->id == id)
        return *near;
    uint32_t i = tk_map_get(&m->thread_index, id);
    return *near = i == TK_MAP_NONE ? new_thread(m, id) : m->threads.v[i];
}

/* Does an end of the selected time lie between two times? Then nobody knows on which side of it what happened
 * there was. */
static bool lies_over_end(const struct tk_select *select, int64_t from, int64_t to)
{
    const size_t n = select->all_time ? 0 : select->n_ranges;
    const int64_t ends[] = {n ? select->ranges[0].from : INT64_MIN, n ? select->ranges[n - 1].to : INT64_MIN};
    return n && ((from < ends[0] && ends[0] < to) || (from < ends[1] && ends[1] < to));
}

static void see_clock(struct tk_memory *m, int64_t time)
{
    const int64_t step = tk_wrap_sub(time, m->last_clock);
    if (m->has_clock && step > m->grain && lies_over_end(m->view->select, m->last_clock, time))
        m->grain = step;
    m->last_clock = time;
    m->has_clock = true;
}

static int play_step(struct tk_memory *m, const struct tk_fact *fact, int64_t time)
{
    struct tk_memory_thread *t;
    if (fact->u.memory.op == TK_MEMORY_TIME)
        see_clock(m, time);
    if ((time != m->checked || !m->any_time) && tk_memory_time(m, time))
        return -1;
    m->any_time = true;
    if (m->has_moment && !m->reached && time >= m->moment && tk_memory_reach(m))
        return -1;
    if (m->reached && m->setup.stops)
        return 0;
    t = thread_of_memory_model(m, fact->thread);
    return t ? tk_memory_step(m, t, &fact->u.memory, time) : -1;
}

static void play_frame(struct tk_memory *m, const struct tk_fact *fact)
{
    if (fact->u.frame.type != 0)
        return;
    m->in_frame = fact->u.frame.begin && tk_select_has(m->view->select, fact->time);
    m->frame += m->in_frame;
}

static int play_context(struct tk_memory *m, const struct tk_fact *fact)
{
    struct tk_memory_thread *t = thread_of_memory_model(m, fact->thread);
    return t ? tk_asset_list_feed(&m->assets, &t->assets, &fact->u.context_of) : -1;
}

static int add_heap(struct tk_memory *m, const struct tk_fact_memory_heap *heap)
{
    if (heap->root || heap->parent == UINT32_MAX)
        return 0;
    return tk_map_put(&m->parents, heap->id, heap->parent);
}

static int play(struct tk_memory *m, const struct tk_fact *fact, int64_t time)
{
    switch (fact->kind) {
    case TK_FACT_MEMORY:
        return play_step(m, fact, time);
    case TK_FACT_CONTEXT:
        return play_context(m, fact);
    case TK_FACT_FRAME:
        play_frame(m, fact);
        return 0;
    case TK_FACT_MEMORY_HEAP:
        return add_heap(m, &fact->u.memory_heap);
    case TK_FACT_DEFINITION:
        return tk_definition_list_feed(&m->assets.names, fact);
    default:
        return 0;
    }
}

/* ---- before the clock begins ---- */

static int play_held(struct tk_memory *m, int64_t time)
{
    int rc = 0;
    m->clocked = true;
    for (size_t i = 0; i < m->held.n && rc == 0; i++)
        rc = play(m, &m->held.v[i], time);
    tk_vec_release(&m->held);
    return rc;
}

/* Does it have to wait? Only what comes behind a step that has no time yet. */
static bool waits(const struct tk_memory *m, const struct tk_fact *fact)
{
    uint64_t steps = TK_FACT_MASK(MEMORY) | TK_FACT_MASK(CONTEXT) | TK_FACT_MASK(FRAME);
    if (m->held.n)
        return steps >> fact->kind & 1;
    return fact->kind == TK_FACT_MEMORY && fact->u.memory.op < TK_MEMORY_TAG_ENTER;
}

static int hold(struct tk_memory *m, const struct tk_fact *fact)
{
    struct tk_health *health = &m->view->ctx->health;
    bool timed = fact->kind == TK_FACT_MEMORY && fact->time != TK_NO_TIME;
    if (timed)
        return play_held(m, fact->time) ? -1 : play(m, fact, fact->time);
    if (!waits(m, fact))
        return play(m, fact, 0);
    if (m->held.n < m->view->ctx->limits.held_events)
        return tk_vec_push(&m->held, *fact);
    tk_health_note_limit(health, TK_HEALTH_TIME_UNRELIABLE, TK_LIMIT_held_events, TK_NO_OFFSET, m->held.n + 1,
                         "the first time of memory comes after more than %zu allocations and frees",
                         m->held.n);
    return play_held(m, 0) ? -1 : play(m, fact, 0);
}

/* Brings near what the steps to come will look at. n facts are left. Part of the caller: a compiler may leave
 * out calls of what only prefetches. */
TK_ALWAYS_INLINE void look_ahead(const struct tk_memory *m, const struct tk_fact *fact, size_t n)
{
    if (n > FAR_AHEAD && fact[FAR_AHEAD].kind == TK_FACT_MEMORY)
        tk_live_blocks_prefetch(&m->alive, fact[FAR_AHEAD].u.memory.address,
                                (uint16_t)fact[FAR_AHEAD].u.memory.heap);
    if (n > AHEAD && fact[AHEAD].kind == TK_FACT_MEMORY &&
        (fact[AHEAD].u.memory.op == TK_MEMORY_FREE || fact[AHEAD].u.memory.op == TK_MEMORY_REALLOC_FREE))
        tk_live_blocks_prefetch_block(&m->alive, fact[AHEAD].u.memory.address,
                                      (uint16_t)fact[AHEAD].u.memory.heap);
}

int tk_memory_feed(struct tk_memory *m, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        const int64_t time = fact->time == TK_NO_TIME ? 0 : fact->time;
        int rc;
        look_ahead(m, fact, batch->n_facts - i);
        if (!m->clocked)
            rc = hold(m, fact);
        else
            rc = fact->kind == TK_FACT_MEMORY ? play_step(m, fact, time) : play(m, fact, time);
        if (rc)
            return tk_err_nomem(err, "the allocations of a capture");
    }
    return TK_OK;
}

/* ---- the end ---- */

/* Of several tables that play the same steps the first says what is wrong. */
static void note_faults(struct tk_memory *m)
{
    static const char *const texts[TK_MEMORY_FAULTS] = {
        [TK_MEMORY_OVER_LIVE] = "allocations at addresses that are alive; those are taken as freed",
        [TK_MEMORY_UNKNOWN_FREE] = "frees of unknown addresses",
        [TK_MEMORY_UNKNOWN_MARK] = "containers marked or unmarked that do not exist",
        [TK_MEMORY_SWAPPED_TWICE] = "pages swapped out that were swapped out already",
        [TK_MEMORY_UNKNOWN_SAVE] = "contexts restored that were not saved",
    };
    struct tk_health *health = &m->view->ctx->health;
    m->faults[TK_MEMORY_UNKNOWN_SAVE] = m->assets.unknown_saves;
    if (m->faults[TK_MEMORY_NOT_KEPT])
        tk_health_limit(health, TK_LIMIT_alive_allocations, TK_NO_OFFSET, m->faults[TK_MEMORY_NOT_KEPT],
                        "allocations were left out");
    if (m->groups.unreported)
        tk_health_limit(health, TK_LIMIT_memory_groups, TK_NO_OFFSET, m->groups.unreported,
                        "allocations are not distinguished");
    if (health->counts[TK_HEALTH_MEMORY_UNMATCHED])
        return;
    for (size_t i = 0; i < TK_MEMORY_FAULTS; i++)
        if (m->faults[i] && texts[i])
            tk_health_note(health, TK_HEALTH_MEMORY_UNMATCHED, TK_NO_OFFSET, m->faults[i], "%s", texts[i]);
}

int tk_memory_finish(struct tk_memory *m, struct tk_err *err)
{
    if (play_held(m, 0) || (!m->reached && tk_memory_reach(m)))
        return tk_err_nomem(err, "the allocations of a capture");
    if (m->setup.parts & TK_ALLOC_ENDS && !m->begun)
        tk_memory_begin_ends(m);
    tk_memory_see_ranges(m, INT64_MAX);
    if (m->setup.parts & TK_ALLOC_ENDS && !m->ended)
        tk_memory_end_ends(m);
    tk_alloc_groups_fold(&m->groups);
    note_faults(m);
    return TK_OK;
}

void tk_memory_forget(struct tk_memory *m)
{
    tk_live_blocks_release(&m->alive);
    tk_live_blocks_release(&m->containers);
    tk_live_blocks_release(&m->swapped);
    tk_alloc_groups_forget(&m->groups);
    tk_alloc_groups_forget(&m->container_groups);
}

void tk_memory_release(struct tk_memory *m)
{
    tk_memory_forget(m);
    tk_alloc_groups_release(&m->groups);
    tk_alloc_groups_release(&m->container_groups);
    for (size_t i = 0; i < m->threads.n; i++) {
        tk_vec_release(&m->threads.v[i]->tags);
        tk_vec_release(&m->threads.v[i]->assets.entries);
        free(m->threads.v[i]);
    }
    tk_vec_release(&m->threads);
    tk_map_release(&m->thread_index);
    tk_map_release(&m->parents);
    tk_asset_list_release(&m->assets);
    tk_vec_release(&m->held);
}
