/*
 * Allocations and memory tags (events 6.2, 6.3).
 *
 * Allocation events have no time: they take that of the latest marker, and those before the first marker that
 * of the first. What is alive, and which tag an allocation gets, is the model's.
 */
#include "format/utrace/feed/family_list.h"

#include <string.h>

#define JUMP_SECONDS 300 /* a marker that far ahead of the one before is not believed */
#define MOST_SHIFT   8   /* the lower bits of a size are in one byte */
#define LEAST_PAGE   4096

struct state {
    bool initialised; /* there was an Init */
    uint8_t version, shift;
    uint64_t page; /* bytes; 0: not said */
    bool timed;    /* of this reading: there was a marker */
    int64_t now;   /* its time */
    uint64_t refused, jumps, backwards;
};

static void begin_memory(void *state)
{
    struct state *s = state;
    s->timed = false;
    s->refused = s->jumps = s->backwards = 0;
}

/* ---- definitions ---- */

enum { INIT_VERSION, INIT_SHIFT, INIT_PAGE };

static int on_init(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t shift = tk_ut_u64(ev, INIT_SHIFT);
    if (shift > MOST_SHIFT) {
        tk_ut_bad_payload(feed, ev, "sizes cannot be shifted that far");
        return TK_OK;
    }
    s->initialised = true;
    s->version = (uint8_t)tk_ut_u64(ev, INIT_VERSION);
    s->shift = (uint8_t)shift;
    s->page = tk_ut_u64(ev, INIT_PAGE);
    return TK_OK;
}

enum { TAG, TAG_PARENT, TAG_NAME };

static int on_tag(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_MEMORY_TAG, 0);
    (void)state;
    fact.thread = TK_NO_THREAD;
    fact.u.memory_tag = (struct tk_fact_memory_tag){.id = (int32_t)tk_ut_u64(ev, TAG),
                                                    .parent = (int32_t)tk_ut_u64(ev, TAG_PARENT),
                                                    .name = tk_ut_str(feed, ev, TAG_NAME, 1)};
    return fact.u.memory_tag.name ? tk_ut_define(feed, &fact) : TK_ENOMEM;
}

enum { HEAP_ID, HEAP_PARENT, HEAP_FLAGS, HEAP_NAME };

#define HEAP_ROOT        1
#define HEAP_NEVER_FREES 2
#define ROOT_HEAPS       16 /* ids below are roots */

static int on_heap(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_MEMORY_HEAP, 0);
    uint64_t flags = tk_ut_u64(ev, HEAP_FLAGS), parent = tk_ut_u64(ev, HEAP_PARENT);
    (void)state;
    fact.thread = TK_NO_THREAD;
    fact.u.memory_heap =
        (struct tk_fact_memory_heap){.id = (uint16_t)tk_ut_u64(ev, HEAP_ID),
                                     .parent = (uint16_t)parent,
                                     .root = flags & HEAP_ROOT || tk_ut_u64(ev, HEAP_ID) < ROOT_HEAPS,
                                     .never_frees = flags & HEAP_NEVER_FREES,
                                     .name = tk_ut_str(feed, ev, HEAP_NAME, 2)};
    if (fact.u.memory_heap.root || fact.u.memory_heap.parent == UINT16_MAX)
        fact.u.memory_heap.parent = UINT32_MAX;
    return fact.u.memory_heap.name ? tk_ut_define(feed, &fact) : TK_ENOMEM;
}

/* ---- allocations ---- */

static int say_memory(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_event *ev,
                      struct tk_fact_memory memory)
{
    struct tk_fact *fact = tk_ut_emit_slot(feed, ev, TK_FACT_MEMORY, s->timed ? s->now : TK_NO_TIME);
    if (!fact)
        return TK_ENOMEM;
    fact->u.memory = memory;
    return TK_OK;
}

enum { ADDRESS, CALLSTACK, SIZE, LOWER, ROOT };

/* Up to the first 5.0 there was another form of these events; it is not known well enough. */
static bool refused(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev)
{
    if (s->initialised && s->version == 0) {
        if (!s->refused++)
            tk_health_note(
                &feed->out->health, TK_HEALTH_VERSION_UNSUPPORTED, ev->offset, 1,
                "the allocations are in a format older than that of engine 5.0; they were left out");
        else
            feed->out->health.counts[TK_HEALTH_VERSION_UNSUPPORTED]++;
        return true;
    }
    return false;
}

/* A step of an address, the rest of it 0; in place, as there are very many. NULL if out of memory. */
static struct tk_fact_memory *say_address(struct tk_ut_feed *feed, const struct state *s,
                                          const struct tk_ut_event *ev, enum tk_memory_op op, uint32_t root)
{
    struct tk_fact *fact = tk_ut_emit_slot(feed, ev, TK_FACT_MEMORY, s->timed ? s->now : TK_NO_TIME);
    struct tk_fact_memory *memory = fact ? &fact->u.memory : NULL;
    if (!fact)
        return NULL;
    memory->op = (uint8_t)op;
    memory->address = tk_ut_u64(ev, ADDRESS);
    memory->id = (uint32_t)tk_ut_u64(ev, CALLSTACK);
    memory->heap = tk_ut_has(ev, ROOT) ? (uint32_t)tk_ut_u64(ev, ROOT) : root;
    memory->size = 0;
    memory->packed = 0;
    memory->alignment = 0;
    return memory;
}

static int alloc(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, enum tk_memory_op op,
                 uint32_t root)
{
    unsigned shift = s->initialised ? s->shift : 3;
    uint64_t lower = tk_ut_u64(ev, LOWER) & 0xff;
    if (refused(feed, s, ev))
        return TK_OK;
    if (!tk_ut_has(ev, ADDRESS) || !tk_ut_has(ev, SIZE)) {
        tk_ut_bad_payload(feed, ev, "it has no address or size");
        return TK_OK;
    }
    struct tk_fact_memory *memory = say_address(feed, s, ev, op, root);
    if (!memory)
        return TK_ENOMEM;
    memory->size = tk_ut_u64(ev, SIZE) << shift | (lower & ((UINT64_C(1) << shift) - 1));
    memory->alignment = (uint8_t)(lower >> shift);
    return TK_OK;
}

static int release_memory(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev,
                          enum tk_memory_op op, uint32_t root)
{
    if (refused(feed, s, ev))
        return TK_OK;
    if (!tk_ut_has(ev, ADDRESS)) {
        tk_ut_bad_payload(feed, ev, "it has no address");
        return TK_OK;
    }
    return say_address(feed, s, ev, op, root) ? TK_OK : TK_ENOMEM;
}

/* Root heaps by the names of events: 0 system, 1 video. */
static int on_alloc(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return alloc(feed, state, ev, TK_MEMORY_ALLOC, 0);
}

static int on_alloc_video(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return alloc(feed, state, ev, TK_MEMORY_ALLOC, 1);
}

static int on_realloc_alloc(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return alloc(feed, state, ev, TK_MEMORY_REALLOC_ALLOC, 0);
}

static int on_free(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return release_memory(feed, state, ev, TK_MEMORY_FREE, 0);
}

static int on_free_video(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return release_memory(feed, state, ev, TK_MEMORY_FREE, 1);
}

static int on_realloc_free(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return release_memory(feed, state, ev, TK_MEMORY_REALLOC_FREE, 0);
}

/* The same of plain events. */
static inline int quick_step(struct tk_ut_feed *feed, const struct state *s,
                             const struct tk_ut_quick_event *ev, enum tk_memory_op op, uint32_t root)
{
    const bool sized = op == TK_MEMORY_ALLOC || op == TK_MEMORY_REALLOC_ALLOC;
    if (!ev->fields[ADDRESS].mask || (sized && !ev->fields[SIZE].mask) || (s->initialised && !s->version))
        return TK_ITEM;
    struct tk_fact *fact =
        tk_ut_emit_slot_of(feed, ev->tid, ev->seq, TK_FACT_MEMORY, s->timed ? s->now : TK_NO_TIME);
    if (!fact)
        return TK_ENOMEM;
    const unsigned shift = s->initialised ? s->shift : 3;
    const uint64_t lower = sized ? tk_ut_quick_u64(ev, LOWER) & 0xff : 0;
    struct tk_fact_memory *memory = &fact->u.memory;
    memory->op = (uint8_t)op;
    memory->address = tk_ut_quick_u64(ev, ADDRESS);
    memory->id = (uint32_t)tk_ut_quick_u64(ev, CALLSTACK);
    memory->heap = ev->fields[ROOT].mask ? (uint32_t)tk_ut_quick_u64(ev, ROOT) : root;
    memory->size = sized ? tk_ut_quick_u64(ev, SIZE) << shift | (lower & ((UINT64_C(1) << shift) - 1)) : 0;
    memory->packed = 0;
    memory->alignment = (uint8_t)(lower >> shift);
    return TK_OK;
}

static int quick_alloc(struct tk_ut_feed *feed, void *state, const struct tk_ut_quick_event *ev)
{
    return quick_step(feed, state, ev, TK_MEMORY_ALLOC, 0);
}

static int quick_realloc_alloc(struct tk_ut_feed *feed, void *state, const struct tk_ut_quick_event *ev)
{
    return quick_step(feed, state, ev, TK_MEMORY_REALLOC_ALLOC, 0);
}

static int quick_free(struct tk_ut_feed *feed, void *state, const struct tk_ut_quick_event *ev)
{
    return quick_step(feed, state, ev, TK_MEMORY_FREE, 0);
}

static int quick_realloc_free(struct tk_ut_feed *feed, void *state, const struct tk_ut_quick_event *ev)
{
    return quick_step(feed, state, ev, TK_MEMORY_REALLOC_FREE, 0);
}

static const struct tk_ut_quick_bind quick[] = {{on_alloc, quick_alloc},
                                                {on_realloc_alloc, quick_realloc_alloc},
                                                {on_free, quick_free},
                                                {on_realloc_free, quick_realloc_free},
                                                {0}};

/* The engine's viewer goes on as if it were a swap event; it is not. */
static int on_update(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return release_memory(feed, state, ev, TK_MEMORY_UPDATE, 0);
}

enum { SWAP_ADDRESS, SWAP_CALLSTACK, SWAP_SIZE, SWAP_OP };

static int on_swap(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    static const uint8_t ops[] = {TK_MEMORY_SWAP_OUT, TK_MEMORY_SWAP_IN, TK_MEMORY_SWAP_FREE};
    const struct state *s = state;
    uint64_t page = s->page < LEAST_PAGE || s->page & (s->page - 1) ? LEAST_PAGE : s->page;
    uint64_t op = tk_ut_u64(ev, SWAP_OP);
    if (op >= sizeof ops || !tk_ut_has(ev, SWAP_OP)) {
        tk_ut_bad_payload(feed, ev, "its operation on swapped-out pages is unknown");
        return TK_OK;
    }
    return say_memory(feed, s, ev,
                      (struct tk_fact_memory){.op = ops[op],
                                              .address = tk_ut_u64(ev, SWAP_ADDRESS) & ~(page - 1),
                                              .size = page,
                                              .id = (uint32_t)tk_ut_u64(ev, SWAP_CALLSTACK),
                                              .packed = (uint32_t)tk_ut_u64(ev, SWAP_SIZE)});
}

enum { MARK_ADDRESS, MARK_CALLSTACK, MARK_HEAP };

/* Ids of heaps have 16 bits. */
static int on_mark(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_memory(feed, state, ev,
                      (struct tk_fact_memory){.op = TK_MEMORY_MARK,
                                              .address = tk_ut_u64(ev, MARK_ADDRESS),
                                              .id = (uint32_t)tk_ut_u64(ev, MARK_CALLSTACK),
                                              .heap = (uint16_t)tk_ut_u64(ev, MARK_HEAP)});
}

static int on_unmark(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_memory(feed, state, ev,
                      (struct tk_fact_memory){.op = TK_MEMORY_UNMARK,
                                              .address = tk_ut_u64(ev, MARK_ADDRESS),
                                              .id = (uint32_t)tk_ut_u64(ev, MARK_CALLSTACK),
                                              .heap = (uint16_t)tk_ut_u64(ev, MARK_HEAP)});
}

/* ---- time ---- */

enum { CYCLE };

static bool believed(struct state *s, const struct tk_ut_feed *feed, int64_t time)
{
    uint64_t frequency = feed->capture->clock.frequency;
    if (!s->timed)
        return true;
    if (time < s->now) {
        s->backwards++;
        return false;
    }
    if (frequency && ((uint64_t)time - (uint64_t)s->now) / JUMP_SECONDS >= frequency) {
        s->jumps++;
        return false;
    }
    return true;
}

static int on_marker(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    if (!tk_ut_has(ev, CYCLE) || ev->bound[CYCLE]->size != 8) {
        tk_ut_bad_payload(feed, ev, "it has no time of 64 bits");
        return TK_OK;
    }
    if (!believed(s, feed, time))
        return TK_OK;
    s->timed = true;
    s->now = time;
    return say_memory(feed, s, ev, (struct tk_fact_memory){.op = TK_MEMORY_TIME});
}

/* ---- tags ---- */

enum { SCOPE_TAG };

static int on_scope(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    if (!ev->scoped)
        return TK_OK;
    return say_memory(
        feed, state, ev,
        (struct tk_fact_memory){.op = TK_MEMORY_TAG_ENTER, .id = (uint32_t)tk_ut_u64(ev, SCOPE_TAG)});
}

enum { SCOPE_POINTER, SCOPE_ROOT };

static int on_scope_pointer(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    if (!ev->scoped)
        return TK_OK;
    return say_memory(feed, state, ev,
                      (struct tk_fact_memory){.op = TK_MEMORY_TAG_ENTER_OF,
                                              .address = tk_ut_u64(ev, SCOPE_POINTER),
                                              .heap = (uint32_t)tk_ut_u64(ev, SCOPE_ROOT)});
}

/* A step without an event. */
static int say_bare(struct tk_ut_feed *feed, const struct state *s, uint32_t tid, enum tk_memory_op op)
{
    struct tk_fact fact = {.kind = TK_FACT_MEMORY,
                           .size = sizeof fact,
                           .thread = tid,
                           .time = s->timed ? s->now : TK_NO_TIME,
                           .seq = TK_NO_SEQ};
    fact.u.memory.op = (uint8_t)op;
    return tk_ut_emit(feed, &fact);
}

static int scope_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_bind *bind, uint32_t tid)
{
    if (bind->fn != on_scope && bind->fn != on_scope_pointer)
        return TK_OK;
    return say_bare(feed, state, tid, TK_MEMORY_TAG_LEAVE);
}

static int cut_memory(struct tk_ut_feed *feed, void *state, uint32_t tid)
{
    return say_bare(feed, state, tid, TK_MEMORY_LOST);
}

static int finish_memory(struct tk_ut_feed *feed, void *state)
{
    const struct state *s = state;
    if (s->backwards)
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_BACKWARDS, TK_NO_OFFSET, s->backwards,
                       "times of allocations that go backwards were ignored");
    if (s->jumps)
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_UNRELIABLE, TK_NO_OFFSET, s->jumps,
                       "times of allocations that jump ahead by 5 minutes and more were ignored");
    return TK_OK;
}

/* What a type does not declare is not bound. */
#define ALLOC_FIELDS                                                                                         \
    {                                                                                                        \
        "Address", "CallstackId", "Size", "AlignmentPow2_SizeLower", "RootHeap"                              \
    }

static const struct tk_ut_bind binds[] = {
    {"Memory.Init", on_init, true, {"Version", "SizeShift", "PageSize"}},
    {"Memory.TagSpec", on_tag, true, {"Tag", "Parent", "Display"}},
    {"Memory.HeapSpec", on_heap, true, {"Id", "ParentId", "Flags", "Name"}},
    {"Memory.Alloc", on_alloc, false, ALLOC_FIELDS},
    {"Memory.AllocSystem", on_alloc, false, ALLOC_FIELDS},
    {"Memory.AllocVideo", on_alloc_video, false, ALLOC_FIELDS},
    {"Memory.ReallocAlloc", on_realloc_alloc, false, ALLOC_FIELDS},
    {"Memory.ReallocAllocSystem", on_realloc_alloc, false, ALLOC_FIELDS},
    {"Memory.Free", on_free, false, ALLOC_FIELDS},
    {"Memory.FreeSystem", on_free, false, ALLOC_FIELDS},
    {"Memory.FreeVideo", on_free_video, false, ALLOC_FIELDS},
    {"Memory.ReallocFree", on_realloc_free, false, ALLOC_FIELDS},
    {"Memory.ReallocFreeSystem", on_realloc_free, false, ALLOC_FIELDS},
    {"Memory.UpdateAlloc", on_update, false, ALLOC_FIELDS},
    {"Memory.MemorySwapOp", on_swap, false, {"Address", "CallstackId", "CompressedSize", "SwapOp"}},
    {"Memory.HeapMarkAlloc", on_mark, false, {"Address", "CallstackId", "Heap"}},
    {"Memory.HeapUnmarkAlloc", on_unmark, false, {"Address", "CallstackId", "Heap"}},
    {"Memory.Marker", on_marker, false, {"Cycle"}},
    {"Memory.MemoryScope", on_scope, false, {"Tag"}},
    {"Memory.MemoryScopePtr", on_scope_pointer, false, {"Ptr", "RootHeap"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_memory = {.name = "memory",
                                              .facts = TK_FACT_MASK(MEMORY),
                                              .binds = binds,
                                              .quick = quick,
                                              .state = sizeof(struct state),
                                              .begin = begin_memory,
                                              .scope_end = scope_end,
                                              .cut = cut_memory,
                                              .finish = finish_memory};
