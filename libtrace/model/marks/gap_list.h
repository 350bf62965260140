/*
 * Gap list: places in the order of seq where events were lost. Code that pairs begins and ends asks it
 * whether a gap lies between.
 */
#ifndef TK_MODEL_MARKS_GAP_LIST_H
#define TK_MODEL_MARKS_GAP_LIST_H

#include "base/vec.h"
#include "fact/fact.h"

struct tk_gap_list {
    TK_VEC(uint64_t) at; /* the first number of each gap */
    size_t next;
};

/* Takes a fact GAP. 0, or -1 if out of memory. */
int tk_gap_list_add(struct tk_gap_list *list, const struct tk_fact *fact);

/* All were taken: puts them in order. 0, or -1 if out of memory. */
int tk_gap_list_settle(struct tk_gap_list *list);

/* Is there one between the seq of the last call and this one, which must not go back? */
bool tk_gap_list_before(struct tk_gap_list *list, uint64_t seq);

void tk_gap_list_release(struct tk_gap_list *list);

#endif
