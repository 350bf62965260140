/*
 * Callstack list: frames of callstacks by id. They may be defined after their first use, so ids are to be
 * looked up when all is read.
 */
#ifndef TK_MODEL_CODE_CALLSTACK_LIST_H
#define TK_MODEL_CODE_CALLSTACK_LIST_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "base/health/health.h"

struct tk_callstack {
    uint64_t id;
    size_t first;   /* index in frames */
    uint32_t n;     /* frames that are kept */
    uint32_t depth; /* frames that it has */
};

struct tk_callstack_list {
    TK_VEC(struct tk_callstack) stacks; /* in order of first definition */
    TK_VEC(uint64_t) frames;
    struct tk_map index;   /* id -> index in stacks */
    struct tk_map sampled; /* ids of those that samples have */
    uint32_t depth;        /* frames to keep of each */
    uint64_t limit;        /* bytes */
    struct tk_health *health;
    bool full;
};

/* Keeps at most `depth` frames of each callstack. */
void tk_callstack_list_init(struct tk_callstack_list *list, struct tk_health *health, uint64_t limit,
                            uint32_t depth);

/* Takes a TK_FACT_CALLSTACK; ignores others. An id that is known keeps its frames. 0, or -1 if out of
 * memory. */
int tk_callstack_list_feed(struct tk_callstack_list *list, const struct tk_fact *fact);

/* The same, and notes the callstacks of samples, whose first frame is where the thread was. */
int tk_callstack_list_feed_sampled(struct tk_callstack_list *list, const struct tk_fact *fact);

/* Does a sample have the callstack? When all is read, where samples were fed. */
static inline bool tk_callstack_is_sampled(const struct tk_callstack_list *list,
                                           const struct tk_callstack *stack)
{
    return tk_map_get(&list->sampled, stack->id) != TK_MAP_NONE;
}

/* The callstack of an id, or NULL. */
const struct tk_callstack *tk_callstack_of(const struct tk_callstack_list *list, uint64_t id);

void tk_callstack_list_release(struct tk_callstack_list *list);

#endif
