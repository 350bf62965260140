/*
 * Switch list: all times that threads of the operating system ran on a core, in order of start. They
 * come in any order, so all of them are held (limit `switches`).
 */
#ifndef TK_MODEL_EXECUTION_SWITCH_LIST_H
#define TK_MODEL_EXECUTION_SWITCH_LIST_H

#include "model/threads/system_threads.h"

#define TK_SWITCH_FACTS (TK_FACT_MASK(SWITCH) | TK_SYSTEM_THREAD_FACTS)

struct tk_switch {
    int64_t begin, end; /* cycles since the start; begin <= end */
    uint32_t thread;    /* place in threads */
    uint32_t core;
};

struct tk_switch_list {
    struct tk_health *health; /* borrowed */
    uint64_t limit;
    struct tk_system_threads threads;
    TK_VEC(struct tk_switch) v;
    uint64_t left_out, backwards;
};

/* The context is borrowed. */
void tk_switch_list_init(struct tk_switch_list *list, struct tk_context *ctx);

/* Takes a fact; ignores others than TK_SWITCH_FACTS. 0, or -1 if out of memory. */
int tk_switch_list_feed(struct tk_switch_list *list, const struct tk_fact *fact);

/* Puts all in order, finds out who the threads are, notes what was wrong. 0, or -1 if out of memory. */
int tk_switch_list_finish(struct tk_switch_list *list, const struct tk_dict *dict);

void tk_switch_list_release(struct tk_switch_list *list);

#endif
