/*
 * Groups of allocations: sums over what has a tag, a heap, a callstack ... in common.
 *
 * An allocation is in one group of each kind that is wanted. Those of tag, thread and asset it knows by its
 * site (one combination of these), that of the callstack and those of what allocated by its stack, that of
 * the size by its size, so that nothing has to be looked up when it is freed.
 */
#ifndef TK_MODEL_MEMORY_ALLOC_GROUPS_H
#define TK_MODEL_MEMORY_ALLOC_GROUPS_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"
#include "base/health/health.h"
#include "base/health/limits.h"
#include "model/memory/alloc_moves.h"
#include "model/memory/alloc_places.h"
#include "model/memory/live_blocks.h"

#include <stdbool.h>

enum tk_alloc_by {
    TK_ALLOC_BY_TOTAL,
    TK_ALLOC_BY_HEAP, /* root heaps; all groups below are of one each */
    TK_ALLOC_BY_TAG,
    TK_ALLOC_BY_THREAD,
    TK_ALLOC_BY_SIZE,
    TK_ALLOC_BY_ASSET,
    TK_ALLOC_BY_CALLSTACK,
    TK_ALLOC_BY_FUNCTION, /* these three need the places of callstacks (alloc_places.h), in their order */
    TK_ALLOC_BY_MODULE,
    TK_ALLOC_BY_FILE,
    TK_ALLOC_BY_COUNT
};

#define TK_ALLOC_BIT(by) (1u << (by))

#define TK_ALLOC_BY_CODE                                                                                     \
    (TK_ALLOC_BIT(TK_ALLOC_BY_FUNCTION) | TK_ALLOC_BIT(TK_ALLOC_BY_MODULE) | TK_ALLOC_BIT(TK_ALLOC_BY_FILE))

enum { TK_SIZE_CLASSES = 65 };

struct tk_alloc_groups;

/* What an allocation has besides callstack, size and time. What nobody wants is 0. */
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
    uint32_t groups[TK_PLACE_TEXTS];
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

/* Of groups there may be millions, so each keeps only what is asked for: these are what is kept apart. */
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

/* Sums of a group as they are told when all is read (tk_alloc_group_at). "In the selected time" where nothing
 * else is said; 0 where a part is not kept. */
struct tk_alloc_group {
    uint64_t allocs, frees, reallocs; /* as in struct tk_alloc_counts */
    uint64_t alloc_bytes, freed_bytes;
    uint64_t peak_bytes, peak_count;
    uint64_t then_bytes, then_count;   /* alive at the moment asked for, as selected */
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
    unsigned keep; /* bits of what is told apart */
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
    TK_VEC(struct tk_alloc_amount) then; /* alive at the moment asked for */
    TK_VEC(uint64_t) unknown;
    bool open;                          /* the selected time has begun and not ended */
    bool then_is_now;                   /* what is alive at the end is asked for, so flows tell it */
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
    uint64_t key;                /* of the process, for hashes */
    uint64_t not_told;           /* allocations whose site or stack had no room: they are taken for another */
    struct tk_alloc_moves moves; /* what sums do not have yet, where moves are opened (alloc_moves.h) */
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

/* What stacks are told apart by: callstacks, or no more than the places of these. */
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

/* The groups that a block is in besides those that its site knows, as indices: their number. */
static inline unsigned tk_alloc_groups_apart(const struct tk_alloc_groups *g, uint32_t stack, uint32_t sized,
                                             uint32_t out[TK_ALLOC_BY_COUNT])
{
    unsigned n = 0;
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_SIZE))
        out[n++] = sized;
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK))
        out[n++] = g->stack_groups.v[stack];
    for (unsigned i = 0; g->by & TK_ALLOC_BY_CODE && i < TK_PLACE_TEXTS; i++)
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

#endif
