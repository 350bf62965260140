/*
 * Stacks of samples.
 */
#include "model/samples/sample_stacks.h"

#include "base/bits.h"

#include <inttypes.h>
#include <string.h>

void tk_sample_stacks_init(struct tk_sample_stacks *s, const struct tk_query_context *view)
{
    *s = (struct tk_sample_stacks){.view = view, .timers = {.view = view}};
    tk_callstack_list_init(&s->callstacks, &view->ctx->health, view->ctx->limits.callstack_bytes, UINT32_MAX);
}

/* ---- reading ---- */

static bool is_same(const struct tk_sample_stacks *s, const struct tk_sample_stack *a, uint32_t thread,
                    const struct tk_fact_sample *sample)
{
    if (a->thread != thread || a->callstack != sample->callstack)
        return false;
    if (a->callstack)
        return true;
    return a->n == sample->n && (!a->n || memcmp(s->addresses.v + a->first, sample->addresses,
                                                 a->n * sizeof *sample->addresses) == 0);
}

static int keep_addresses(struct tk_sample_stacks *s, struct tk_sample_stack *stack,
                          const struct tk_fact_sample *sample)
{
    stack->first = s->addresses.n;
    if (sample->callstack || !sample->n)
        return 0;
    if (s->addresses.n + (uint64_t)sample->n > s->view->ctx->limits.sample_addresses) {
        s->cut++;
        return 0;
    }
    if (tk_vec_reserve(&s->addresses, s->addresses.n + sample->n))
        return -1;
    memcpy(s->addresses.v + s->addresses.n, sample->addresses, sample->n * sizeof *sample->addresses);
    s->addresses.n += sample->n;
    stack->n = sample->n;
    return 0;
}

/* Threads that are found in one stack share its addresses; hash: of these alone. */
static int add_stack(struct tk_sample_stacks *s, uint32_t thread, const struct tk_fact_sample *sample,
                     uint64_t hash)
{
    const uint32_t at = (uint32_t)s->v.n, alike = tk_map_get_or_put(&s->like, hash, at);
    struct tk_sample_stack stack = {.thread = thread, .callstack = sample->callstack, .alike = at};
    if (alike == TK_MAP_NONE)
        return -1;
    if (alike != at && is_same(s, &s->v.v[alike], s->v.v[alike].thread, sample)) {
        stack.first = s->v.v[alike].first;
        stack.n = s->v.v[alike].n;
        stack.alike = alike;
        return tk_vec_push(&s->v, stack);
    }
    if (keep_addresses(s, &stack, sample) || tk_vec_push(&s->v, stack))
        return -1;
    return alike != at ? tk_map_put(&s->like, hash, at) : 0;
}

/* What stacks are looked up by: `alone` of the addresses, `whole` of the thread, too. */
struct stack_hash {
    uint64_t alone, whole;
};

static struct stack_hash hash_of(const struct tk_fact_sample *sample)
{
    const uint64_t alone = sample->callstack
                               ? tk_hash_u64(sample->callstack)
                               : tk_hash_bytes(sample->addresses, sample->n * sizeof *sample->addresses, 0);
    return (struct stack_hash){alone, tk_hash_pair(alone, sample->system_id)};
}

/* The place of a stack, made on first use. One whose hash another has is made anew each time, which costs
 * memory alone. */
static struct tk_sample_stack *reach(struct tk_sample_stacks *s, uint32_t thread,
                                     const struct tk_fact_sample *sample, const struct stack_hash *hash)
{
    const uint32_t at = tk_map_get(&s->index, hash->whole);
    if (at != TK_MAP_NONE && is_same(s, &s->v.v[at], thread, sample))
        return &s->v.v[at];
    if (s->v.n >= TK_MAP_NONE - 1 || add_stack(s, thread, sample, hash->alone) ||
        tk_map_put(&s->index, hash->whole, (uint32_t)s->v.n - 1))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

static int add_sample(struct tk_sample_stacks *s, const struct tk_fact *fact, const struct stack_hash *hash)
{
    const struct tk_fact_sample *sample = &fact->u.sample;
    const bool counts = tk_select_has(tk_sample_stacks_times(s), fact->time);
    if (!counts && !s->keeps_all)
        return 0;
    const uint32_t thread = tk_system_thread_of(&s->threads, sample->system_id);
    struct tk_sample_stack *stack = thread == TK_MAP_NONE ? NULL : reach(s, thread, sample, hash);
    if (!stack)
        return -1;
    stack->count += counts ? tk_sample_weight(sample) : 0;
    if (!s->keeps_times && !tk_timer_times_needed(s->view))
        return 0;
    return tk_vec_push(&s->timed, ((struct tk_timed_sample){fact->time, (uint32_t)(stack - s->v.v), thread}));
}

static int feed_other(struct tk_sample_stacks *s, const struct tk_fact *fact)
{
    return tk_system_threads_feed(&s->threads, fact) || tk_callstack_list_feed(&s->callstacks, fact) ||
                   tk_code_map_feed(&s->code, fact)
               ? -1
               : 0;
}

int tk_sample_stacks_feed(struct tk_sample_stacks *s, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_SAMPLE)
        return feed_other(s, fact);
    const struct stack_hash hash = hash_of(&fact->u.sample);
    return add_sample(s, fact, &hash);
}

/* Stacks lie all over memory, so those of the next samples are fetched while others are added. */
enum { AHEAD = 16 };

static void look_ahead(const struct tk_sample_stacks *s, const struct tk_fact *facts, size_t n,
                       struct stack_hash hashes[AHEAD])
{
    for (size_t i = 0; i < n; i++)
        if (facts[i].kind == TK_FACT_SAMPLE) {
            hashes[i] = hash_of(&facts[i].u.sample);
            tk_map_prefetch(&s->index, hashes[i].whole);
        }
    uint32_t at[AHEAD];
    for (size_t i = 0; i < n; i++) {
        at[i] = facts[i].kind == TK_FACT_SAMPLE ? tk_map_get(&s->index, hashes[i].whole) : TK_MAP_NONE;
        if (at[i] != TK_MAP_NONE)
            tk_prefetch_write(&s->v.v[at[i]]);
        else if (facts[i].kind == TK_FACT_SAMPLE)
            tk_map_prefetch(&s->like, hashes[i].alone);
    }
    for (size_t i = 0; i < n; i++)
        if (at[i] != TK_MAP_NONE && !s->v.v[at[i]].callstack)
            for (uint32_t k = 0; k < s->v.v[at[i]].n; k += 8)
                tk_prefetch(s->addresses.v + s->v.v[at[i]].first + k);
}

static int feed_batch(struct tk_sample_stacks *s, const struct tk_batch *batch)
{
    struct stack_hash hashes[AHEAD];
    int rc = 0;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        const size_t left = batch->n_facts - i;
        if (i % AHEAD == 0)
            look_ahead(s, fact, left < AHEAD ? left : AHEAD, hashes);
        rc = fact->kind == TK_FACT_SAMPLE ? add_sample(s, fact, &hashes[i % AHEAD]) : feed_other(s, fact);
    }
    return rc;
}

int tk_sample_stacks_batch(struct tk_sample_stacks *s, const struct tk_batch *batch, const char *what,
                           struct tk_err *err)
{
    int rc = tk_timer_times_needed(s->view) ? tk_timer_times_feed(&s->timers, batch) : 0;
    return rc || feed_batch(s, batch) ? tk_err_nomem(err, what) : TK_OK;
}

int tk_sample_stacks_take(struct tk_sample_stacks *s, const struct tk_slices *slices)
{
    return tk_timer_times_take(&s->timers, slices) ? TK_ENOMEM : TK_OK;
}

int tk_sample_stacks_lane(struct tk_sample_stacks *s, const struct tk_lane_end *end, const char *what,
                          struct tk_err *err)
{
    return tk_timer_times_lane(&s->timers, end) ? tk_err_nomem(err, what) : TK_OK;
}

/* ---- addresses ---- */

const uint64_t *tk_sample_stack_addresses(const struct tk_sample_stacks *s,
                                          const struct tk_sample_stack *stack, uint32_t *n)
{
    const struct tk_callstack *kept =
        stack->callstack ? tk_callstack_of(&s->callstacks, stack->callstack) : NULL;
    *n = stack->callstack ? (kept ? kept->n : 0) : stack->n;
    return kept ? tk_vec_at(&s->callstacks.frames, kept->first) : tk_vec_at(&s->addresses, stack->first);
}

/* Of samples that fell into none of the timers that are selected nothing is left. */
static int settle_timers(struct tk_sample_stacks *s)
{
    if (!tk_timer_times_needed(s->view))
        return 0;
    if (tk_timer_times_settle(&s->timers))
        return -1;
    for (size_t i = 0; i < s->timed.n; i++) {
        struct tk_sample_stack *stack = &s->v.v[s->timed.v[i].stack];
        uint32_t thread = s->threads.v.v[stack->thread].thread;
        if (tk_timer_times_has(&s->timers, thread, s->timed.v[i].time))
            continue;
        stack->count -= tk_select_has(tk_sample_stacks_times(s), s->timed.v[i].time);
        s->timed.v[i].stack = UINT32_MAX;
    }
    return 0;
}

void tk_sample_stacks_add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (!tk_timer_times_needed(view))
        return;
    needs->facts |= TK_FACT_MASK(SCOPES);
    needs->slices |= TK_SLICE_BEGIN;
}

int tk_sample_stacks_settle(struct tk_sample_stacks *s)
{
    tk_system_threads_resolve(&s->threads, s->view->dict);
    if (settle_timers(s))
        return -1;
    if (s->cut)
        tk_health_limit(&s->view->ctx->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->cut,
                        "%" PRIu64 " stacks of samples have lost their addresses", s->cut);
    for (size_t i = 0; i < s->v.n; i++) {
        uint32_t n;
        const uint64_t *addresses = tk_sample_stack_addresses(s, &s->v.v[i], &n);
        for (uint32_t k = 0; k < n; k++)
            if (tk_code_map_want(&s->code, addresses[k], tk_code_is_exact(addresses, k)))
                return -1;
        s->samples += tk_sample_stack_selected(s, &s->v.v[i]) ? s->v.v[i].count : 0;
    }
    return tk_code_map_settle(&s->code, s->view->ctx);
}

bool tk_sample_stack_selected(const struct tk_sample_stacks *s, const struct tk_sample_stack *stack)
{
    return stack->count && tk_system_thread_selected(&s->threads.v.v[stack->thread], s->view);
}

/* ---- functions ---- */

const struct tk_module *tk_sample_module(const struct tk_sample_stacks *s, uint32_t thread, uint64_t address)
{
    const bool own = s->threads.v.v[thread].thread != TK_NO_THREAD;
    return own ? tk_module_at(&s->code.modules, address) : NULL;
}

static int walk_address(struct tk_sample_stacks *s, uint32_t thread, struct tk_code_address address,
                        bool first, int (*take)(void *to, const struct tk_sample_place *place, bool own),
                        void *to)
{
    const bool own = s->threads.v.v[thread].thread != TK_NO_THREAD;
    uint32_t at, n;
    int rc = tk_sample_places_of(&s->places, &s->code, address, own, &at, &n);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = take(to, &s->places.v.v[at + i], first && i == 0);
    return rc;
}

int tk_sample_stack_walk(struct tk_sample_stacks *s, const struct tk_sample_stack *stack,
                         int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to)
{
    uint32_t n;
    const uint64_t *addresses = tk_sample_stack_addresses(s, stack, &n);
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        const struct tk_code_address address = {addresses[i], tk_code_is_exact(addresses, i)};
        rc = walk_address(s, stack->thread, address, i == 0, take, to);
    }
    return rc;
}

int tk_sample_address_walk(struct tk_sample_stacks *s, uint32_t thread, struct tk_code_address address,
                           int (*take)(void *to, const struct tk_sample_place *place, bool own), void *to)
{
    return walk_address(s, thread, address, false, take, to);
}

void tk_sample_stacks_release(struct tk_sample_stacks *s)
{
    tk_system_threads_release(&s->threads);
    tk_callstack_list_release(&s->callstacks);
    tk_code_map_release(&s->code);
    tk_sample_places_release(&s->places);
    tk_timer_times_release(&s->timers);
    tk_vec_release(&s->timed);
    tk_vec_release(&s->addresses);
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
    tk_map_release(&s->like);
}
