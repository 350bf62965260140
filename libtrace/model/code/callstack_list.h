/*
 * Callstack list: frames of callstacks by id. They may be defined after their first use, so ids are to be
 * looked up when all is read.
 */
#ifndef TK_MODEL_CODE_CALLSTACK_LIST_H
#define TK_MODEL_CODE_CALLSTACK_LIST_H

#include "base/hash.h"
#include "base/health/health.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "model/code/code_map.h"

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

/*
 * Stack names: the function of the innermost frame of callstacks, for tables that show the id of one. Tables
 * feed it, and when all is read want the ids that they show, settle it and ask.
 */

struct tk_stack_names {
    struct tk_callstack_list stacks; /* the innermost frame of each */
    struct tk_code_map code;
    struct tk_intern texts; /* modules and offsets */
};

#define TK_STACK_NAME_FACTS (TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS)

void tk_stack_names_init(struct tk_stack_names *n, struct tk_context *ctx);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_stack_names_feed(struct tk_stack_names *n, const struct tk_fact *fact);

/* A callstack will be queried; when all is read. 0, or -1 if out of memory. */
int tk_stack_names_want(struct tk_stack_names *n, uint64_t callstack);

/* All are reported: looks addresses up. 0, or -1 if out of memory. */
int tk_stack_names_settle(struct tk_stack_names *n, const struct tk_context *ctx);

/* The function, "mesh.dll+0x1130" where it is not known, or the address; "(not in the capture)" where the
 * callstack is not defined; NULL for callstack 0 and one without frames. The text lives as long as the names.
 * 0, or -1 if out of memory. */
int tk_stack_names_of(struct tk_stack_names *n, uint64_t callstack, const struct tk_str **function);

void tk_stack_names_release(struct tk_stack_names *n);

/*
 * Stack references: which callstacks allocations and bookmarks refer to, and which of these the capture does
 * not define. To be queried when all is read, as a definition may come after its use.
 */

struct tk_stack_use {
    uint64_t allocations, bookmarks; /* that refer to it */
    bool defined;
};

struct tk_stack_references {
    TK_VEC(struct tk_stack_use) uses;
    struct tk_map index; /* id -> place in uses */
    uint64_t most;       /* ids that are distinguished */
    bool full;           /* there are more */
};

/* Facts that it wants. */
#define TK_STACK_REFERENCE_FACTS (TK_FACT_MASK(MEMORY) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(CALLSTACK))

/* Takes facts; ignores others than these. 0, or -1 if out of memory. */
int tk_stack_references_feed(struct tk_stack_references *r, const struct tk_fact *fact);

/* Notes what is not defined, where all ids could be distinguished. */
void tk_stack_references_note(const struct tk_stack_references *r, struct tk_health *health);

void tk_stack_references_release(struct tk_stack_references *r);

#endif
