/*
 * Memory model: plays the steps of memory (TK_FACT_MEMORY) and knows at each moment what is alive. For the
 * tables about memory. (events 6.2, 6.3, 6.6)
 *
 * Steps are played in the order of their seq. Their times are only as fine as the clock of memory; game
 * frames and contexts are matched by order, which is exact.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_MODEL_H
#define TK_MODEL_MEMORY_MEMORY_MODEL_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/health/health.h"
#include "base/health/limits.h"
#include "base/vec.h"
#include "io/scratch/readahead.h"
#include "model/capture/definition_list.h"
#include "model/memory/live_blocks.h"
#include "model/memory/memory_names.h"
#include "query/context.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Moves: what allocations and frees do to the sums of groups, done behind the steps. Steps say what is alive
 * and only note a move of 24 bytes; sums are kept by one task of the pool at a time, which takes moves in the
 * order of steps, many at once. If the pool has one job, the caller does it when there are enough of them.
 *
 * Who looks at sums has to settle before (tk_alloc_moves_settle).
 */

struct tk_alloc_groups;

/* What kind of move it is; sums of sites are kept for each combination of these. */
enum tk_alloc_move_kind {
    TK_ALLOC_MOVE_OUT = 1,     /* freed, else allocated */
    TK_ALLOC_MOVE_REALLOC = 2, /* by a reallocation */
    TK_ALLOC_MOVE_APART = 4, /* freed soon after, or allocated outside of game frames; in the selected time */
    TK_ALLOC_MOVE_KINDS = 8,
    TK_ALLOC_MOVE_ONLY =
        8 /* neither allocated nor freed, but alive in its groups from now on, or no longer */
};

struct tk_alloc_move {
    uint64_t size;               /* bytes */
    uint32_t site, stack, sized; /* of the block (live_blocks.h) */
    uint32_t kind;               /* of enum tk_alloc_move_kind */
};

/* For parts that need more of a move: when it was, in cycles, and in which game frame, from 1; 0: in none. */
struct tk_alloc_when {
    int64_t time;
    uint64_t frame;
};

struct tk_alloc_batch {
    struct tk_alloc_move *moves; /* owned */
    struct tk_alloc_when *when;  /* owned; NULL where no part needs it */
    size_t n;
    bool selected; /* they are in the selected time */
};

enum { TK_ALLOC_BATCHES = 4 };

/* Zeroed, there are no moves, and nothing to settle or close. */
struct tk_alloc_moves {
    struct tk_alloc_groups *of; /* whose sums they change */
    struct tk_writebehind behind;
    struct tk_alloc_batch batches[TK_ALLOC_BATCHES];
    struct tk_alloc_batch *filling; /* NULL: none yet */
    size_t capacity;                /* moves in a batch */
};

/* The sums of groups, which stay where they are from now on, are kept by a pool, which is borrowed. */
void tk_alloc_moves_open(struct tk_alloc_groups *of, struct tk_pool *pool);

/* Gives the batch that is full away, if there is one, and begins another. 0, or -1 if out of memory. */
int tk_alloc_moves_turn(struct tk_alloc_moves *m);

/* One more move, all of which is to be filled in; NULL if out of memory. */
static inline struct tk_alloc_move *tk_alloc_moves_next(struct tk_alloc_moves *m)
{
    if ((!m->filling || m->filling->n == m->capacity) && tk_alloc_moves_turn(m))
        return NULL;
    return &m->filling->moves[m->filling->n++];
}

/* More of that move, to be filled in; NULL where no part needs it. */
static inline struct tk_alloc_when *tk_alloc_moves_when(const struct tk_alloc_moves *m)
{
    return m->filling->when ? &m->filling->when[m->filling->n - 1] : NULL;
}

/* All moves so far are in the sums when this returns. */
void tk_alloc_moves_settle(struct tk_alloc_moves *m);

/* Settles, and releases what only moves need. */
void tk_alloc_moves_close(struct tk_alloc_moves *m);

/*
 * Groups of allocations: sums over what has a tag, a heap, a callstack ... in common.
 *
 * An allocation is in one group of each kind that is wanted. Those of tag, thread and asset it knows by its
 * site (one combination of these), that of the callstack and those of what allocated by its stack, that of
 * the size by its size, so that nothing has to be looked up when it is freed.
 */

enum tk_alloc_by {
    TK_ALLOC_BY_TOTAL,
    TK_ALLOC_BY_HEAP, /* root heaps; all groups below are of one each */
    TK_ALLOC_BY_TAG,
    TK_ALLOC_BY_THREAD,
    TK_ALLOC_BY_SIZE,
    TK_ALLOC_BY_ASSET,
    TK_ALLOC_BY_CALLSTACK,
    TK_ALLOC_BY_FUNCTION, /* these three need the places of callstacks, in their order */
    TK_ALLOC_BY_MODULE,
    TK_ALLOC_BY_FILE,
    TK_ALLOC_BY_COUNT
};

#define TK_ALLOC_BIT(by) (1u << (by))

#define TK_ALLOC_BY_CODE                                                                                     \
    (TK_ALLOC_BIT(TK_ALLOC_BY_FUNCTION) | TK_ALLOC_BIT(TK_ALLOC_BY_MODULE) | TK_ALLOC_BIT(TK_ALLOC_BY_FILE))

enum { TK_SIZE_CLASSES = 65 };

struct tk_alloc_groups;

/* What an allocation has in addition callstack, size and time. What nobody wants is 0. */
struct tk_alloc_site {
    uint32_t heap, tag, thread, asset;      /* tag: a signed number; asset: 1 + index, 0 none */
    uint32_t left_out;                      /* not 0: of a thread that is not selected; in no sum */
    uint32_t sizes;                         /* index in sizes of its heap */
    uint32_t groups[TK_ALLOC_BY_ASSET + 1]; /* indices of the groups of `plain`, in that order */
};

struct tk_alloc_stack {
    uint32_t heap, callstack; /* where callstacks are no groups, but what allocated is: their place */
};

/* The groups of what allocated, where they are wanted. */
struct tk_alloc_code {
    uint32_t groups[TK_ALLOC_TEXTS];
};

/* The groups of the sizes of a heap: 1 + index of the group by power of two that the size does not exceed; 0:
 * none yet. */
struct tk_alloc_sizes {
    uint32_t groups[TK_SIZE_CLASSES];
};

/* What is alive in a group, the most that was in the selected time, and what came into it since the
 * beginning; what went out of it is the difference. Bytes are those of allocations, not of pages. */
struct tk_alloc_flow {
    uint64_t alive_bytes, peak_bytes, alive_count, peak_count;
    uint64_t in_count, re_in, in_bytes, re_out; /* allocated, also by reallocations, and moved in; how many of
                                                   those that came and went were reallocations */
};

/* Of groups there may be millions, so each keeps only what is requested: these are what is kept apart. */
enum tk_alloc_parts {
    TK_ALLOC_SOON = 1,      /* what was freed soon after */
    TK_ALLOC_UNFRAMED = 2,  /* what was allocated outside of game frames */
    TK_ALLOC_FRAME_MAX = 4, /* the most in any frame */
    TK_ALLOC_ENDS = 8       /* what is alive at both ends of the selected time, and when most was */
};

struct tk_alloc_id {
    uint32_t key;
    uint16_t heap;
    uint8_t by;
};

struct tk_alloc_amount {
    uint64_t count, bytes;
};

/* What came and went at a site, by kinds of moves, that its groups do not have yet (tk_alloc_groups_fold):
 * what does not have to be known at each moment is added once for all of them. */
struct tk_alloc_pending {
    struct tk_alloc_amount of[TK_ALLOC_MOVE_KINDS];
};

/* What was counted in stretches of the selected time that have ended, less the flow where one began that has
 * not, and less what came and went without being allocated or freed. */
struct tk_alloc_counts {
    uint64_t allocs, frees, reallocs;  /* allocs and frees without reallocations */
    uint64_t alloc_bytes, freed_bytes; /* with them */
};

struct tk_alloc_frame {
    uint64_t frame;     /* the last game frame something was allocated in, from 1, */
    uint64_t from, max; /* in_bytes where it began, and the most in any frame */
};

struct tk_alloc_ends {
    uint64_t from_bytes, from_count; /* alive at the start of the selected time, */
    uint64_t to_bytes, to_count;     /* and where it ends */
    uint64_t kept_bytes, kept_count; /* allocated between these and alive at the second */
    int64_t peak_time;               /* when most bytes were alive first, cycles */
};

/* Sums of a group as they are reported when all is read (tk_alloc_group_at). "In the selected time" where
 * nothing else is said; 0 where a part is not kept. */
struct tk_alloc_group {
    uint64_t allocs, frees, reallocs; /* as in struct tk_alloc_counts */
    uint64_t alloc_bytes, freed_bytes;
    uint64_t peak_bytes, peak_count;
    uint64_t then_bytes, then_count;   /* alive at the moment requested, as selected */
    uint64_t short_count, short_bytes; /* freed soon after */
    uint64_t unframed, unframed_bytes; /* allocated outside of game frames */
    uint64_t frame_max;                /* the most bytes in any game frame */
    uint64_t unknown;                  /* frees of unknown addresses; only in totals and heaps */
    struct tk_alloc_ends ends;
    uint32_t heap, key;
    uint8_t by;
};

/* Where a group stands among the rows. */
struct tk_alloc_rank {
    uint64_t amount; /* by which it is ordered */
    uint32_t key, index;
    uint16_t heap;
    uint8_t by;
};

static inline uint64_t tk_alloc_alive_bytes(const struct tk_alloc_flow *f)
{
    return f->alive_bytes;
}

static inline uint64_t tk_alloc_alive_count(const struct tk_alloc_flow *f)
{
    return f->alive_count;
}

/* One more is alive that came in. */
static inline void tk_alloc_flow_add(struct tk_alloc_flow *f, uint64_t size)
{
    f->alive_bytes += size;
    f->alive_count++;
    f->in_bytes += size;
    f->in_count++;
}

/* Sees whether there is more alive than ever. */
static inline void tk_alloc_peak(struct tk_alloc_flow *f)
{
    uint64_t bytes = tk_alloc_alive_bytes(f), count = tk_alloc_alive_count(f);
    f->peak_bytes = bytes > f->peak_bytes ? bytes : f->peak_bytes;
    f->peak_count = count > f->peak_count ? count : f->peak_count;
}

/* Adds a flow up to now to counts (factor 1), or takes it away (UINT64_MAX); modulo 2^64. */
void tk_alloc_counts_add(struct tk_alloc_counts *counts, const struct tk_alloc_flow *flow, uint64_t factor);

struct tk_alloc_groups {
    unsigned by;   /* bits of the groups to sum */
    unsigned keep; /* bits of what is distinguished */
    TK_VEC(struct tk_alloc_site) sites;
    TK_VEC(struct tk_alloc_pending) pending; /* of each site */
    TK_VEC(struct tk_alloc_stack) stacks;
    TK_VEC(uint32_t) stack_groups; /* of each stack, where callstacks are summed: the index of its group */
    TK_VEC(struct tk_alloc_code) codes;   /* of each stack, where groups of TK_ALLOC_BY_CODE are summed */
    const struct tk_alloc_places *places; /* borrowed; NULL where none of these are */
    TK_VEC(struct tk_alloc_sizes) sizes;

    TK_VEC(struct tk_alloc_id) ids;     /* of the groups, in order of first use */
    TK_VEC(struct tk_alloc_flow) flows; /* the flow of each; each in a line of the caches */
    uint8_t *flow_memory;               /* owned: where they lie */
    unsigned parts;                     /* of enum tk_alloc_parts: which of these there are for each group */
    TK_VEC(struct tk_alloc_amount) soon, unframed;
    TK_VEC(struct tk_alloc_frame) frames;
    TK_VEC(struct tk_alloc_ends) ends;
    /* These reach as far as anything was counted; behind that all is 0. */
    TK_VEC(struct tk_alloc_counts) counts;
    TK_VEC(struct tk_alloc_amount) then; /* alive at the moment requested */
    TK_VEC(uint64_t) unknown;
    bool open;                          /* the selected time has begun and not ended */
    bool then_is_now;                   /* what is alive at the end is requested, so flows tell it */
    TK_VEC(struct tk_alloc_rank) ranks; /* of the groups, as tk_alloc_groups_rank left them */

    enum tk_alloc_by plain[TK_ALLOC_BY_COUNT]; /* the groups to sum that sites know, n_plain */
    unsigned n_plain;
    uint32_t *slots; /* owned, open-addressed: 1 + index in sites */
    size_t mask;
    struct tk_map index;   /* key of a group -> its index; not of callstacks, which stacks know */
    uint32_t *stack_slots; /* owned, open-addressed: 1 + index in stacks */
    size_t stack_mask;
    TK_VEC(uint32_t) near_stacks; /* by callstack of heap 0: 1 + index in stacks; 0: see the slots */
    struct tk_map size_index;     /* heap -> index in sizes */
    uint64_t limit;
    uint64_t key;        /* of the process, for hashes */
    uint64_t unreported; /* allocations whose site or stack had no capacity: they are taken for another */
    struct tk_alloc_moves moves; /* what sums do not have yet, where moves are opened */
};

/* parts: of enum tk_alloc_parts. places: needed where any of TK_ALLOC_BY_CODE are to be summed; borrowed. */
void tk_alloc_groups_init(struct tk_alloc_groups *g, unsigned by, unsigned keep, unsigned parts,
                          const struct tk_alloc_places *places, const struct tk_limits *limits);

/* Steps in the selected time begin, or end. What a group counts is the difference of its flow between them.
 * 0, or -1 if out of memory. */
int tk_alloc_groups_begin(struct tk_alloc_groups *g);
int tk_alloc_groups_end(struct tk_alloc_groups *g);

/* What is alive is alive at `time`, where a stretch of the selected time begins. */
void tk_alloc_groups_see(struct tk_alloc_groups *g, int64_t time);

/* The index of the site with these members (sizes and groups are ignored); a new one is made with its groups.
 * 0, or -1 if out of memory. */
int tk_alloc_site_of(struct tk_alloc_groups *g, const struct tk_alloc_site *site, uint32_t *out);

/* Adds the pending sums of sites to their groups. */
void tk_alloc_groups_fold(struct tk_alloc_groups *g);

int tk_alloc_stack_far(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack, uint32_t *out);
int tk_alloc_size_new(struct tk_alloc_groups *g, const struct tk_alloc_site *site, uint32_t class);

/* As tk_alloc_site_of, for the stack of a callstack (a place where that is what stacks have). */
static inline int tk_alloc_stack_of(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack,
                                    uint32_t *out)
{
    if (heap || callstack >= g->near_stacks.n || !g->near_stacks.v[callstack])
        return tk_alloc_stack_far(g, heap, callstack, out);
    *out = g->near_stacks.v[callstack] - 1;
    return 0;
}

/* What stacks are distinguished by: callstacks, or no more than the places of these. */
static inline uint32_t tk_alloc_stack_key(const struct tk_alloc_groups *g, uint32_t callstack)
{
    const bool placed = g->places && !(g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK));
    return placed ? tk_alloc_place_of(g->places, callstack) : callstack;
}

/* The power of two that a size does not exceed. */
static inline uint32_t tk_size_class(uint64_t size)
{
    return size <= 1 ? 0 : 64 - tk_zeros_above(size - 1);
}

/* Finds the group of a block's size, which has its site. 0 or -1. */
static inline int tk_alloc_size_of(struct tk_alloc_groups *g, struct tk_block *block)
{
    const struct tk_alloc_site *site = &g->sites.v[block->site];
    const uint32_t class = tk_size_class(block->size);
    if (!(g->by & TK_ALLOC_BIT(TK_ALLOC_BY_SIZE)) || site->left_out)
        return 0;
    if (!g->sizes.v[site->sizes].groups[class] && tk_alloc_size_new(g, site, class))
        return -1;
    block->sized = g->sizes.v[site->sizes].groups[class] - 1;
    return 0;
}

/* The groups that a block is in in addition those that its site knows, as indices: their number. */
static inline unsigned tk_alloc_groups_apart(const struct tk_alloc_groups *g, uint32_t stack, uint32_t sized,
                                             uint32_t out[TK_ALLOC_BY_COUNT])
{
    unsigned n = 0;
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_SIZE))
        out[n++] = sized;
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK))
        out[n++] = g->stack_groups.v[stack];
    for (unsigned i = 0; g->by & TK_ALLOC_BY_CODE && i < TK_ALLOC_TEXTS; i++)
        if (g->by >> (TK_ALLOC_BY_FUNCTION + i) & 1)
            out[n++] = g->codes.v[stack].groups[i];
    return n;
}

/* All groups that a block is in; none where it is left out. */
static inline unsigned tk_alloc_groups_of(const struct tk_alloc_groups *g, const struct tk_block *block,
                                          uint32_t out[TK_ALLOC_BY_COUNT])
{
    const struct tk_alloc_site *site = &g->sites.v[block->site];
    if (site->left_out)
        return 0;
    for (unsigned i = 0; i < g->n_plain; i++)
        out[i] = site->groups[i];
    return g->n_plain + tk_alloc_groups_apart(g, block->stack, block->sized, out + g->n_plain);
}

/* The index of the group of a kind (not callstacks), heap and key, made when there is none. 0, or -1 if
 * out of memory. */
int tk_alloc_group_of(struct tk_alloc_groups *g, enum tk_alloc_by by, uint32_t heap, uint32_t key,
                      uint32_t *out);

/* How many groups there are, and one of them. */
static inline size_t tk_alloc_groups_count(const struct tk_alloc_groups *g)
{
    return g->ids.n;
}
struct tk_alloc_group tk_alloc_group_at(const struct tk_alloc_groups *g, size_t i);

/* Ranks the groups that become rows: kinds in their order, in each the greatest amount first, then by heap
 * and key. 0, or -1 if out of memory. */
int tk_alloc_groups_rank(struct tk_alloc_groups *g, uint64_t (*amount)(const struct tk_alloc_group *group));

/* Releases what only steps need. */
void tk_alloc_groups_forget(struct tk_alloc_groups *g);

void tk_alloc_groups_release(struct tk_alloc_groups *g);

/*
 * Asset list: what threads work for (TK_FACT_CONTEXT), as numbers, and the stack of it for each thread. Each
 * entry of a stack holds what is in effect there, so that a saved stack is one number.
 * (events 6.6)
 */

/* An asset, or a package where only that is known. */
struct tk_asset {
    struct tk_fact_context info; /* op TK_CONTEXT_ASSET or TK_CONTEXT_PACKAGE */
    uint64_t scopes;             /* begun */
    uint32_t next;               /* 1 + index of another one with the same hash; 0: none */
};

struct tk_asset_package {
    uint64_t name;
    uint32_t type;
};

struct tk_asset_list {
    TK_VEC(struct tk_asset) assets; /* in order of first use */
    struct tk_map index;            /* hash -> index in assets */
    struct tk_map saved;            /* id of a saved stack -> asset in effect */
    struct tk_map package_index;    /* id of a package -> index in packages */
    TK_VEC(struct tk_asset_package) packages;
    struct tk_definition_list names;
    uint64_t unknown_saves; /* restored without having been saved */
    struct tk_row_limit capacity;
};

/* What is in effect: 1 + index of an asset, 0 for none. */
struct tk_asset_stack {
    TK_VEC(uint32_t) entries;
};

void tk_asset_list_init(struct tk_asset_list *list, struct tk_health *health, uint64_t rows,
                        const char *table);

/* Takes a TK_FACT_CONTEXT of a thread with its stack. 0, or -1 if out of memory. */
int tk_asset_list_feed(struct tk_asset_list *list, struct tk_asset_stack *stack,
                       const struct tk_fact_context *context);

static inline uint32_t tk_asset_now(const struct tk_asset_stack *stack)
{
    return stack->entries.n ? stack->entries.v[stack->entries.n - 1] : 0;
}

/* Names of an asset (number as tk_asset_now); NULL where they are not known. To be queried when all is read.
 */
const struct tk_str *tk_asset_name(const struct tk_asset_list *list, uint32_t asset);
const struct tk_str *tk_asset_class(const struct tk_asset_list *list, uint32_t asset);
const struct tk_str *tk_asset_package(const struct tk_asset_list *list, uint32_t asset);

void tk_asset_list_release(struct tk_asset_list *list);

/* Freed no more than this many steps after it was allocated is soon: a usual period of the clock of memory.
 */
#define TK_MEMORY_SOON 4096u

struct tk_memory_tag_entry {
    uint32_t tag;
    bool realloc; /* of a reallocation whose new half is to come */
};

struct tk_memory_thread {
    uint32_t id;
    bool selected, has_site;
    uint32_t site; /* of its last allocation */
    TK_VEC(struct tk_memory_tag_entry) tags;
    struct tk_asset_stack assets;
};

/* Allocations and frees that contradict what is alive. */
enum tk_memory_fault {
    TK_MEMORY_OVER_LIVE,     /* allocated where something is alive; that is taken as freed */
    TK_MEMORY_UNKNOWN_FREE,  /* freed, updated, swapped in what is not there */
    TK_MEMORY_UNKNOWN_MARK,  /* a container made or ended that is not there */
    TK_MEMORY_SWAPPED_TWICE, /* a page leaves that is out, which is taken as come back */
    TK_MEMORY_UNKNOWN_SAVE,
    TK_MEMORY_NOT_KEPT, /* not followed, because of the limit */
    TK_MEMORY_FAULTS
};

enum { TK_MEMORY_NEAR = 64 };

struct tk_memory_setup {
    const char *table; /* static text, for notes */
    unsigned by;       /* TK_ALLOC_BIT of the groups to sum */
    unsigned keep;     /* and of what else each allocation is to know */
    bool stops;        /* nothing is played after the moment requested */
    unsigned parts;    /* enum tk_alloc_parts: what else is wanted of the groups */
};

struct tk_memory {
    const struct tk_query_context *view;
    struct tk_memory_setup setup;
    struct tk_live_blocks alive, containers, swapped; /* containers: by heap */
    struct tk_alloc_groups groups;
    struct tk_alloc_groups container_groups; /* by heap */
    struct tk_alloc_flow swap_flow;          /* pages that are out: bytes of memory */
    struct tk_alloc_counts swap_counts;
    struct tk_alloc_amount swap_then;
    uint64_t swap_packed;      /* their bytes after compression, now */
    uint64_t swap_then_packed; /* at the moment requested */
    TK_VEC(struct tk_memory_thread *) threads;
    struct tk_map thread_index;
    struct tk_memory_thread *near[TK_MEMORY_NEAR]; /* the last one of those with the same last bits; NULL */
    struct tk_map parents;                         /* heap -> parent */
    struct tk_asset_list assets;
    TK_VEC(struct tk_fact) held; /* steps before the clock of memory began */
    bool clocked;
    uint64_t index;  /* steps so far that allocate or free */
    uint64_t frame;  /* game frames begun in the selected time */
    bool in_frame;   /* inside one of them */
    int64_t checked; /* the time that time_selected is about */
    bool time_selected, any_time;
    size_t next_range;              /* the first selected time that has not begun */
    bool has_moment;                /* a moment is requested; else it is the end */
    int64_t moment;                 /* cycles: what comes at or after is behind it */
    bool has_window;                /* only what was allocated in a window */
    int64_t window_from, window_to; /* cycles; [from, to) */
    bool reached;                   /* the moment was */
    bool begun, ended;              /* the selected time has; where the ends are wanted */
    uint64_t begun_index;           /* `index` where it began */
    int64_t last_clock,
        grain; /* the last time that the clock of memory reported; the widest step over an end */
    bool has_clock;
    uint64_t faults[TK_MEMORY_FAULTS];
};

/* Facts that it wants, without names. */
#define TK_MEMORY_FACTS (TK_FACT_MASK(MEMORY) | TK_FACT_MASK(MEMORY_HEAP))

/* Must not move afterwards; view is borrowed. To be released in any case. */
void tk_memory_init(struct tk_memory *m, const struct tk_query_context *view,
                    const struct tk_memory_setup *setup);

/* Plays the facts of a batch. TK_OK or TK_ENOMEM. */
int tk_memory_feed(struct tk_memory *m, const struct tk_batch *batch, struct tk_err *err);

/* The end: what was held is played, then_... of the groups are filled in, faults are noted. TK_OK or
 * TK_ENOMEM. */
int tk_memory_finish(struct tk_memory *m, struct tk_err *err);

/* What the pages that are out come to, when it is finished; as a group. */
struct tk_alloc_group tk_memory_swap(const struct tk_memory *m);

/* Releases what only steps and blocks need: sums of groups and assets are left. */
void tk_memory_forget(struct tk_memory *m);

/* Is a block part of the answer: allocated in the window and by a selected thread? */
bool tk_memory_answers(const struct tk_memory *m, const struct tk_block *block);

void tk_memory_release(struct tk_memory *m);

#endif
