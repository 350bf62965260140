/*
 * Threads of a .utrace that is written: what stages give goes to the lane of its thread, and from there in
 * packets to a sink. Between the stages of edits and merges and format/utrace/write.
 */
#ifndef TK_EDIT_UTRACE_RESULT_LANES_H
#define TK_EDIT_UTRACE_RESULT_LANES_H

#include "edit/utrace/record.h"
#include "edit/utrace/stages/stage.h"

struct tk_edit_result {
    struct tk_uw_stream stream;
    struct tk_uw_lane **lanes;         /* by tid; owned */
    TK_VEC(uint16_t) tids;             /* of them */
    struct tk_uw_type edit, gap, left; /* the own types; a uid of 0: not declared */
};

/* TK_OK or TK_ENOMEM. The sink of the stream is set before the first packet. */
int tk_edit_result_init(struct tk_edit_result *r);
void tk_edit_result_release(struct tk_edit_result *r);

/* The lane of a thread, made when it is not there; NULL if out of memory. */
struct tk_uw_lane *tk_edit_result_lane(struct tk_edit_result *r, uint32_t tid);

/* Writes a scope, or an event with this serial number. TK_OK or TK_ENOMEM. */
int tk_edit_result_put(struct tk_edit_result *r, const struct tk_edit_item *item, uint32_t serial);

/* Says that records of a thread are missing here. TK_OK or TK_ENOMEM. */
int tk_edit_result_gap(struct tk_edit_result *r, uint32_t tid);

/* Puts something in the place of an event with this serial number. TK_OK or TK_ENOMEM. */
int tk_edit_result_left(struct tk_edit_result *r, uint32_t tid, uint32_t serial);

/* Writes what a lane holds in a packet; nothing where there is no such lane. TK_OK or TK_EOUTPUT. */
int tk_edit_result_flush(struct tk_edit_result *r, uint32_t tid);
int tk_edit_result_flush_all(struct tk_edit_result *r);

/* The end: what the edit says of itself, and sync packets. TK_OK, TK_ENOMEM or TK_EOUTPUT. */
int tk_edit_result_tail(struct tk_edit_result *r, const struct tk_edit_span *span, const char *record,
                        size_t n);

#endif
