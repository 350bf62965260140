/*
 * Counting and writing of what pieces give. See joiner.h.
 */
#include "edit/utrace_merge/joiner.h"

#include "edit/utrace/put_record.h"

#include <stdlib.h>

#define SYNCS 3 /* with them readers give up numbers that never come (wire 4.3) */

static struct tk_uw_lane *lane_of(struct tk_merge_joiner *j, uint32_t tid)
{
    struct tk_uw_lane *lane = j->lanes[tid];
    if (lane || !(lane = malloc(sizeof *lane)))
        return lane;
    tk_uw_lane_init(lane, &j->stream, (uint16_t)tid);
    if (tk_vec_push(&j->tids, (uint16_t)tid)) {
        free(lane);
        return NULL;
    }
    return j->lanes[tid] = lane;
}

static int failed(const struct tk_merge_joiner *j)
{
    return j->stream.packets.sink->failed ? TK_EOUTPUT : TK_OK;
}

/* The number that an event gets. */
static int number_of(struct tk_merge_joiner *j, const struct tk_edit_item *item, uint32_t *serial)
{
    *serial = item->ev->serial;
    if (!item->number)
        return TK_OK;
    const uint64_t number = j->base + item->number;
    if (!j->writes)
        return tk_edit_serials_add(&j->serials, number) ? TK_OK : TK_ENOMEM;
    *serial = (uint32_t)tk_edit_serials_new(&j->serials, tk_edit_serials_find(&j->serials, number));
    return TK_OK;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_merge_joiner *j = (struct tk_merge_joiner *)stage;
    uint32_t serial = 0;
    if (item->ev && tk_merge_type_own(item->ev->type)) {
        const bool gap = item->lane->tid != TK_UT_TID_IMPORTANT;
        j->edits += !gap && !j->writes;
        return gap ? tk_edit_gap(stage, item->lane) : TK_OK;
    }
    const int rc = item->ev ? number_of(j, item, &serial) : TK_OK;
    if (rc != TK_OK || !j->writes)
        return rc;
    struct tk_uw_lane *lane = lane_of(j, item->lane->tid);
    if (!lane)
        return TK_ENOMEM;
    if (item->scope)
        tk_edit_put_scope(lane, item->scope);
    else
        tk_edit_put_event(lane, item->ev, item->ev->type->uid, serial);
    return TK_OK;
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *from)
{
    struct tk_merge_joiner *j = (struct tk_merge_joiner *)stage;
    if (!j->writes || !j->gap.uid || from->tid < 2 || from->tid >= TK_UT_TID_CONNECT)
        return TK_OK;
    struct tk_uw_lane *lane = lane_of(j, from->tid);
    if (!lane)
        return TK_ENOMEM;
    tk_uw_begin(lane, &j->gap);
    tk_uw_u32(&lane->pending, from->tid);
    tk_uw_end(lane, &j->gap);
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop, .gap = gap};

int tk_merge_joiner_init(struct tk_merge_joiner *j)
{
    tk_edit_stage_init(&j->stage, &ops, NULL);
    j->lanes = calloc(TK_UT_TIDS, sizeof *j->lanes);
    return j->lanes ? TK_OK : TK_ENOMEM;
}

void tk_merge_joiner_write(struct tk_merge_joiner *j, const struct tk_ut_header *header,
                           struct tk_uw_sink *sink)
{
    const uint64_t mask = 0xffffff;
    j->writes = true;
    j->stream.packets.sink = sink;
    j->stream.packets.transport = header->transport;
    j->stream.protocol = header->protocol;
    tk_edit_serials_close(&j->serials, true, 0, mask);
}

/* The edit's own types have the highest numbers. */
static void declare_own(struct tk_merge_joiner *j, struct tk_uw_lane *lane, unsigned highest)
{
    struct tk_uw_type *const own[] = {&j->edit, &j->gap};
    j->edit = tk_edit_type_edit;
    j->gap = tk_edit_type_gap;
    for (unsigned i = 0; i < 2 && highest + i + 1 < TK_MERGE_UIDS; i++) {
        own[i]->uid = (uint16_t)(highest + i + 1);
        tk_uw_declare(lane, own[i]);
    }
}

int tk_merge_joiner_declare(struct tk_merge_joiner *j, const struct tk_merge_types *types)
{
    const struct tk_uw_type news = {.flags = TK_UW_NOSYNC};
    struct tk_uw_lane *lane = lane_of(j, TK_UT_TID_DECLARATIONS);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_MERGE_UIDS; i++) {
        if (!types->by_uid[i])
            continue;
        tk_uw_begin(lane, &news);
        tk_uw_raw(&lane->pending, types->by_uid[i]->stated, types->by_uid[i]->stated_bytes);
        tk_uw_end(lane, &news);
    }
    declare_own(j, lane, types->highest < 15 ? 15 : types->highest);
    tk_uw_lane_flush(lane);
    return failed(j);
}

int tk_merge_joiner_packet(void *self, const struct tk_edit_packet *packet)
{
    struct tk_merge_joiner *j = self;
    if (!j->writes)
        return TK_OK;
    if (j->lanes[packet->read->head.tid])
        tk_uw_lane_flush(j->lanes[packet->read->head.tid]);
    return failed(j);
}

int tk_merge_joiner_rest(void *self)
{
    struct tk_merge_joiner *j = self;
    for (size_t i = 0; i < j->tids.n && j->writes; i++)
        tk_uw_lane_flush(j->lanes[j->tids.v[i]]);
    return j->writes ? failed(j) : TK_OK;
}

int tk_merge_joiner_tail(struct tk_merge_joiner *j, const struct tk_edit_span *span, const char *record,
                         size_t n)
{
    const int rc = tk_merge_joiner_rest(j);
    struct tk_uw_lane *lane = rc == TK_OK ? lane_of(j, TK_UT_TID_IMPORTANT) : NULL;
    if (!lane)
        return rc == TK_OK ? TK_ENOMEM : rc;
    if (j->edit.uid)
        tk_edit_record_put(lane, &j->edit, span, record, n);
    tk_uw_lane_flush(lane);
    for (unsigned i = 0; i < SYNCS && j->stream.packets.transport == TK_UT_TRANSPORT_SYNC; i++)
        tk_uw_sync(&j->stream.packets);
    return failed(j);
}

void tk_merge_joiner_release(struct tk_merge_joiner *j)
{
    for (size_t i = 0; i < j->tids.n; i++) {
        tk_uw_lane_release(j->lanes[j->tids.v[i]]);
        free(j->lanes[j->tids.v[i]]);
    }
    free(j->lanes);
    tk_vec_release(&j->tids);
    tk_edit_serials_release(&j->serials);
    *j = (struct tk_merge_joiner){0};
}
