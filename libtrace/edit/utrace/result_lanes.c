/*
 * Threads of a .utrace that is written.
 */
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/utrace_in.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

#define SYNCS 3 /* with them readers give up numbers that never come (wire 4.3) */

static int failed(const struct tk_edit_result *r)
{
    return tk_uw_packets_failed(&r->stream.packets) ? TK_EOUTPUT : TK_OK;
}

int tk_edit_result_init(struct tk_edit_result *r)
{
    r->lanes = calloc(TK_UT_TIDS, sizeof *r->lanes);
    return r->lanes ? TK_OK : TK_ENOMEM;
}

void tk_edit_result_release(struct tk_edit_result *r)
{
    for (size_t i = 0; i < r->tids.n; i++) {
        tk_uw_lane_release(r->lanes[r->tids.v[i]]);
        free(r->lanes[r->tids.v[i]]);
    }
    free(r->lanes);
    tk_vec_release(&r->tids);
    *r = (struct tk_edit_result){0};
}

struct tk_uw_lane *tk_edit_result_lane(struct tk_edit_result *r, uint32_t tid)
{
    struct tk_uw_lane *lane = r->lanes[tid];
    if (lane || !(lane = malloc(sizeof *lane)))
        return lane;
    tk_uw_lane_init(lane, &r->stream, (uint16_t)tid);
    if (tk_vec_push(&r->tids, (uint16_t)tid)) {
        free(lane);
        return NULL;
    }
    return r->lanes[tid] = lane;
}

int tk_edit_result_put(struct tk_edit_result *r, const struct tk_edit_item *item, uint32_t serial)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(r, item->lane->tid);
    if (!lane)
        return TK_ENOMEM;
    if (item->scope)
        tk_edit_put_scope(lane, item->scope);
    else
        tk_edit_put_event(lane, item->ev, item->ev->type->uid, serial);
    return TK_OK;
}

/* Threads alone: what is missing of other lanes has no place in an order. */
int tk_edit_result_gap(struct tk_edit_result *r, uint32_t tid)
{
    if (!r->gap.uid || tid < 2 || tid >= TK_UT_TID_CONNECT)
        return TK_OK;
    struct tk_uw_lane *lane = tk_edit_result_lane(r, tid);
    if (!lane)
        return TK_ENOMEM;
    tk_uw_begin(lane, &r->gap);
    tk_uw_u32(&lane->pending, tid);
    tk_uw_end(lane, &r->gap);
    return TK_OK;
}

int tk_edit_result_left(struct tk_edit_result *r, uint32_t tid, uint32_t serial)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(r, tid);
    if (!lane)
        return TK_ENOMEM;
    tk_uw_begin_serial(lane, &r->left, serial);
    tk_uw_end(lane, &r->left);
    return TK_OK;
}

int tk_edit_result_flush(struct tk_edit_result *r, uint32_t tid)
{
    if (r->lanes[tid])
        tk_uw_lane_flush(r->lanes[tid]);
    return failed(r);
}

int tk_edit_result_flush_all(struct tk_edit_result *r)
{
    for (size_t i = 0; i < r->tids.n; i++)
        tk_uw_lane_flush(r->lanes[r->tids.v[i]]);
    return failed(r);
}

int tk_edit_result_tail(struct tk_edit_result *r, const struct tk_edit_span *span, const char *record,
                        size_t n)
{
    const int rc = tk_edit_result_flush_all(r);
    struct tk_uw_lane *lane = rc == TK_OK ? tk_edit_result_lane(r, TK_UT_TID_IMPORTANT) : NULL;
    if (!lane)
        return rc == TK_OK ? TK_ENOMEM : rc;
    if (r->edit.uid)
        tk_edit_record_put(lane, &r->edit, span, record, n);
    tk_uw_lane_flush(lane);
    for (unsigned i = 0; i < SYNCS && r->stream.packets.transport == TK_UT_TRANSPORT_SYNC; i++)
        tk_uw_sync(&r->stream.packets);
    return failed(r);
}
