/*
 * Where a recording repeats the end of an earlier one: of each thread the records that both have. A second
 * recording of a process begins with what its threads wrote last.
 */
#ifndef TK_EDIT_UTRACE_MERGE_OVERLAP_H
#define TK_EDIT_UTRACE_MERGE_OVERLAP_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The most records of a thread that a recording may repeat. */
#define TK_MERGE_REPEATED_MOST (UINT32_C(1) << 20)

/* The first records of a thread of a recording, and how many of them the end of the earlier ones is. */
struct tk_merge_overlap {
    TK_VEC(uint64_t) first; /* contents */
    TK_VEC(uint32_t) back;  /* by place: how much of the front the part that ends there ends with */
    uint64_t records;       /* of the thread, all of them */
    uint32_t sure;    /* the first record that is like no other, by number or time, counted from 1; 0: none */
    uint32_t matched; /* the records before this place in the earlier recordings are so many first ones */
    bool within;      /* all records are in an earlier recording, in a row */
    bool over;        /* they may have more of them than are known here */
    bool earlier;     /* earlier recordings have records of the thread */
};

/* Adds a record, of which `sure` says that none other is like it. 0, or -1 if out of memory. */
int tk_merge_overlap_add(struct tk_merge_overlap *o, uint64_t content, bool sure);

/* All were added. 0, or -1 if out of memory. */
int tk_merge_overlap_close(struct tk_merge_overlap *o);

/* The next record of the earlier recordings. */
void tk_merge_overlap_earlier(struct tk_merge_overlap *o, uint64_t content);

/* How many of the first records the earlier recordings have. */
uint32_t tk_merge_overlap_repeated(const struct tk_merge_overlap *o);

void tk_merge_overlap_release(struct tk_merge_overlap *o);

#endif
