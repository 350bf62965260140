/*
 * Memory pools and allocations: heaps, their steps in order of time, and records.
 *
 *   u64 n, u64 events, pools, each with its events and its end; before 0.7.3 one pool without the first two
 *   counts                                                                                    tracy-file 5.12
 *
 * The fact of a pool follows its events, because part of its description stands there. What is said of all
 * its events has to be that of those that are read.
 */
#include "base/wrap.h"
#include "format/tracy/walk/section.h"

/* What a pool says of its events, or what they come to. */
struct pool_sums {
    uint64_t active, frees, high, low, bytes;
};

struct pool {
    uint64_t at;
    uint32_t number;           /* in the order of the file */
    const struct tk_str *name; /* NULL: the default pool */
    uint64_t events;
    uint64_t name_again; /* pointer, as the one in front of the events */
    uint64_t name_before;
    struct pool_sums stated, found;
    int64_t last; /* time */
};

struct memory_event {
    uint64_t at, address, size;
    uint32_t alloc_callstack, free_callstack;
    bool released;
    int64_t time, freed; /* ns; freed: where released */
    uint32_t thread, free_thread;
};

struct state {
    struct tk_tracy_list pools, events;
    struct pool pool;
    uint64_t stated, found; /* events of all pools */
    uint32_t n;
    bool begun, inside;
    bool skipped; /* events of the pool in hand were not read */
};

static int say_pool(struct tk_tracy_walk *w, const struct pool *p)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(p->number),        tk_cell_of_text(p->name),       tk_cell_of_uint(p->events),
        tk_cell_of_uint(p->stated.active), tk_cell_of_hex(p->stated.high), tk_cell_of_hex(p->stated.low),
        tk_cell_of_size(p->stated.bytes),
    };
    return tk_tracy_wants(w, TK_TRACY_MEMORY_POOL)
               ? tk_tracy_say_timeless(w, TK_TRACY_MEMORY_POOL, p->at, cells)
               : TK_OK;
}

static int say_event(struct tk_tracy_walk *w, const struct pool *p, const struct memory_event *ev)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(p->number),
        tk_cell_of_text(p->name),
        tk_cell_of_hex(ev->address),
        tk_cell_of_size(ev->size),
        ev->released ? tk_cell_of_int(ev->freed) : (struct tk_cell){.kind = TK_NONE},
        ev->released ? tk_tracy_thread_cell(ev->free_thread) : (struct tk_cell){.kind = TK_NONE},
        tk_tracy_id_cell(ev->alloc_callstack),
        tk_tracy_id_cell(ev->free_callstack),
    };
    if (!tk_tracy_wants(w, TK_TRACY_MEMORY_EVENT))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_MEMORY_EVENT, ev->at, ev->thread, ev->time, cells);
}

/* A pool is a heap of its own, as nothing is said of where its memory is from. */
static int say_heap(struct tk_tracy_walk *w, const struct pool *p)
{
    static const struct tk_str unnamed = {"default", 7, TK_ENC_UTF8};
    if (!tk_tracy_wants_fact(w, TK_FACT_MEMORY) && !tk_tracy_wants_fact(w, TK_FACT_MEMORY_HEAP))
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_MEMORY_HEAP, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.memory_heap = (struct tk_fact_memory_heap){.id = p->number,
                                                       .parent = UINT32_MAX,
                                                       .root = true,
                                                       .unnamed = !p->name,
                                                       .name = p->name ? p->name : &unnamed};
    return TK_OK;
}

/* Of one time, what was allocated first is released first, so that its address is free again. */
static int say_steps(struct tk_tracy_walk *w, const struct pool *p, const struct memory_event *ev)
{
    struct tk_tracy_held_fact held = {
        .time = ev->time, .order = w->held.order++, .thread = ev->thread, .kind = TK_FACT_MEMORY};
    if (!tk_tracy_wants_fact(w, TK_FACT_MEMORY))
        return TK_OK;
    held.u.memory = (struct tk_fact_memory){.address = ev->address,
                                            .size = ev->size,
                                            .id = ev->alloc_callstack,
                                            .heap = p->number,
                                            .op = TK_MEMORY_ALLOC};
    int rc = tk_tracy_held_take(w, &held);
    held.order = w->held.order++;
    held.time = ev->freed;
    held.thread = ev->free_thread;
    held.u.memory.id = ev->free_callstack;
    held.u.memory.op = TK_MEMORY_FREE;
    return rc == TK_OK && ev->released ? tk_tracy_held_take(w, &held) : rc;
}

static void sum_event(struct pool_sums *sums, const struct memory_event *ev)
{
    const uint64_t end = ev->address + ev->size;
    sums->active += !ev->released;
    sums->frees += ev->released;
    sums->bytes += ev->released ? 0 : ev->size;
    sums->high = end > sums->high ? end : sums->high;
    sums->low = ev->address < sums->low ? ev->address : sums->low;
}

static void check_sums(struct tk_tracy_walk *w, const struct pool *p)
{
    const struct pool_sums *stated = &p->stated, *found = &p->found;
    const struct {
        bool wrong;
        const char *text;
    } checks[] = {
        {stated->active != found->active, "a memory pool has another number of allocations than it states"},
        {stated->frees != found->frees, "a memory pool has another number of releases than it states"},
        {stated->bytes != found->bytes, "the allocations of a memory pool have other sizes than it states"},
        {found->high > stated->high || found->low < stated->low,
         "allocations of a memory pool are outside of the addresses that it states"},
        {p->name_again != p->name_before, "a memory pool has another name behind its events"},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].wrong)
            tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, p->at, 1, checks[i].text);
}

static int read_event(struct tk_tracy_walk *w, struct state *s)
{
    struct memory_event ev = {.at = tk_tracy_at(&w->in)};
    struct tk_tracy_memory v;
    if (!tk_tracy_read_memory(&w->in, &v))
        return TK_OK;
    ev.address = v.address;
    ev.size = v.size;
    ev.alloc_callstack = v.callstack;
    ev.free_callstack = v.free_callstack;
    tk_tracy_use_stack(w, v.callstack);
    tk_tracy_use_stack(w, v.free_callstack);
    tk_tracy_use_local(w, v.thread);
    tk_tracy_use_local(w, v.free_thread);
    tk_tracy_use_order(w, v.time, &s->pool.last);
    ev.time = v.time;
    ev.released = v.life >= 0;
    if (ev.released)
        ev.freed = tk_wrap_add(v.time, v.life);
    ev.thread = tk_tracy_local_thread(w, v.thread);
    ev.free_thread = tk_tracy_local_thread(w, v.free_thread);
    sum_event(&s->pool.found, &ev);
    tk_tracy_count(w, TK_TRACY_MEMORY_EVENT, 1, tk_tracy_memory_size(&w->c->layout));
    return say_steps(w, &s->pool, &ev) == TK_OK ? say_event(w, &s->pool, &ev) : TK_ENOMEM;
}

static int begin_pool(struct tk_tracy_walk *w, struct state *s)
{
    struct pool *p = &s->pool;
    *p = (struct pool){
        .at = tk_tracy_at(&w->in), .number = s->n++, .found.low = UINT64_MAX, .last = INT64_MIN};
    struct tk_tracy_pool v;
    (void)tk_tracy_read_pool(&w->in, &v);
    p->name_before = p->name_again = v.name;
    p->name = p->name_before ? tk_tracy_string_of_pointer(&w->c->strings, p->name_before) : NULL;
    tk_tracy_use_pointer(w, p->name_before);
    p->events = v.n;
    p->stated.active = v.active;
    p->stated.frees = v.frees;
    s->events = (struct tk_tracy_list){.left = p->events, .n = p->events, .begun = true};
    s->found += p->events;
    w->in.time = 0;
    s->inside = true;
    s->skipped = false;
    return tk_tracy_ok(&w->in) ? say_heap(w, p) : TK_OK;
}

static int end_pool(struct tk_tracy_walk *w, struct state *s)
{
    struct pool *p = &s->pool;
    struct tk_tracy_pool_end v;
    const bool whole = tk_tracy_read_pool_end(&w->in, &v);
    p->stated.high = v.high;
    p->stated.low = v.low;
    p->stated.bytes = v.used;
    if (w->c->layout.named_pools)
        p->name_again = v.name;
    s->inside = false;
    if (!whole)
        return TK_OK;
    if (!s->skipped)
        check_sums(w, p);
    tk_tracy_tally(w, TK_TRACY_MEMORY_POOL, 1,
                   tk_tracy_pool_size(&w->c->layout) + tk_tracy_pool_end_size(&w->c->layout));
    return say_pool(w, p);
}

static void skip_events(struct tk_tracy_walk *w, struct state *s)
{
    const size_t size = tk_tracy_memory_size(&w->c->layout);
    tk_tracy_skip_items(w, s->events.left, size, "memory events");
    if (tk_tracy_ok(&w->in))
        tk_tracy_count(w, TK_TRACY_MEMORY_EVENT, s->events.left, s->events.left * size);
    s->events.left = 0;
    s->skipped = true;
}

/* Before 0.7.3 there is one pool, which is not counted. */
static void begin_section(struct tk_tracy_walk *w, struct state *s)
{
    if (s->begun)
        return;
    s->begun = true;
    s->pools = (struct tk_tracy_list){.left = 1, .n = 1, .begun = true};
    if (w->c->layout.named_pools) {
        s->pools.left = s->pools.n = tk_tracy_read_count(w, "memory pools");
        s->stated = tk_tracy_u64(&w->in, "memory events");
    }
}

static int step_memory(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    bool wanted = tk_tracy_wants(w, TK_TRACY_MEMORY_EVENT) || tk_tracy_wants_fact(w, TK_FACT_MEMORY);
    int rc = TK_OK;
    begin_section(w, s);
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && s->events.left && !wanted)
            skip_events(w, s);
        else if (s->inside && tk_tracy_list_next(w, &s->events, "memory events"))
            rc = read_event(w, s);
        else if (s->inside && tk_tracy_ok(&w->in))
            rc = end_pool(w, s);
        else if (tk_tracy_list_next(w, &s->pools, "memory pools"))
            rc = begin_pool(w, s);
        else
            break;
    }
    if (rc == TK_OK && tk_tracy_batch_full(w->out))
        return TK_ITEM;
    if (rc == TK_OK && w->c->layout.named_pools)
        tk_tracy_check_total(w, s->stated, s->found, "events");
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_memory = {
    .name = "memory",
    .step = step_memory,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP),
    .records = TK_TRACY_RECORD_MASK(MEMORY_POOL) | TK_TRACY_RECORD_MASK(MEMORY_EVENT)};
