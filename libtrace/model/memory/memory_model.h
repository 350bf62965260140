/*
 * Memory model: plays the steps of memory (TK_FACT_MEMORY) and knows at each moment what is alive. For the
 * tables about memory. (events 6.2, 6.3, 6.6)
 *
 * Steps are played in the order of their seq. Their times are only as fine as the clock of memory; game
 * frames and contexts are matched by order, which is exact.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_MODEL_H
#define TK_MODEL_MEMORY_MEMORY_MODEL_H

#include "model/memory/alloc_groups.h"
#include "model/memory/asset_list.h"
#include "model/memory/live_blocks.h"
#include "query/context.h"

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
    bool stops;        /* nothing is played after the moment asked for */
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
    uint64_t swap_then_packed; /* at the moment asked for */
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
    bool has_moment;                /* a moment is asked for; else it is the end */
    int64_t moment;                 /* cycles: what comes at or after is behind it */
    bool has_window;                /* only what was allocated in a window */
    int64_t window_from, window_to; /* cycles; [from, to) */
    bool reached;                   /* the moment was */
    bool begun, ended;              /* the selected time has; where the ends are wanted */
    uint64_t begun_index;           /* `index` where it began */
    int64_t last_clock, grain; /* the last time that the clock of memory told; the widest step over an end */
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
