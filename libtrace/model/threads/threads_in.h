/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_THREADS_THREADS_IN_H
#define TK_MODEL_THREADS_THREADS_IN_H

#include "query/context.h"

/*
 * Lock list: puts the uses of locks together from the records of threads, and hands each on when it ends.
 * A thread can ask for a lock while it holds one: what it gets or gives back is the innermost that fits. What
 * goes on where events are lost is handed on without what came later. Facts come in order of seq.
 */

#define TK_LOCK_FACTS (TK_FACT_MASK(LOCK) | TK_FACT_MASK(GAP))

/* Times in cycles since the start. */
struct tk_lock_use {
    uint64_t id;
    const struct tk_str *name; /* NULL: not known */
    uint32_t thread;
    bool write;
    bool has_obtained, has_released;
    int64_t requested, obtained, released;
};

struct tk_lock_thread;

struct tk_lock_list {
    const struct tk_query_context *view;
    struct tk_map index; /* thread -> place */
    TK_VEC(struct tk_lock_thread) threads;
    uint64_t unmatched, left_out, torn;
    int (*done)(void *ctx, const struct tk_lock_use *use); /* 0, or -1 if out of memory */
    void *ctx;
};

void tk_lock_list_init(struct tk_lock_list *list, const struct tk_query_context *view,
                       int (*done)(void *ctx, const struct tk_lock_use *use), void *ctx);

/* Takes a fact; ignores others than TK_LOCK_FACTS. 0, or -1 if out of memory. */
int tk_lock_list_feed(struct tk_lock_list *list, const struct tk_fact *fact);

/* Hands on what is still requested or held, and notes what was wrong. 0, or -1 if out of memory. */
int tk_lock_list_finish(struct tk_lock_list *list);

void tk_lock_list_release(struct tk_lock_list *list);

/* Is a use selected? By its thread, and the time from the request to the last that is known of it. */
bool tk_lock_selected(const struct tk_query_context *view, const struct tk_lock_use *use);

#endif
