/*
 * Counting and writing of what pieces give. See joiner.h.
 */
#include "edit/utrace/joiner.h"

#include "edit/utrace/put_record.h"

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
    return tk_edit_result_put(&j->result, item, serial);
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
    return j->writes ? tk_edit_result_gap(&j->result, from->tid) : TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop, .gap = gap};

int tk_merge_joiner_init(struct tk_merge_joiner *j)
{
    tk_edit_stage_init(&j->stage, &ops, NULL);
    return tk_edit_result_init(&j->result);
}

void tk_merge_joiner_write(struct tk_merge_joiner *j, const struct tk_ut_header *header,
                           struct tk_uw_sink *sink)
{
    const uint64_t mask = 0xffffff;
    j->writes = true;
    j->result.stream.packets.sink = sink;
    j->result.stream.packets.transport = header->transport;
    j->result.stream.protocol = header->protocol;
    tk_edit_serials_close(&j->serials, true, 0, mask);
}

/* The edit's own types have the highest numbers. */
static void declare_own(struct tk_merge_joiner *j, struct tk_uw_lane *lane, unsigned highest)
{
    struct tk_uw_type *const own[] = {&j->result.edit, &j->result.gap};
    j->result.edit = tk_edit_type_edit;
    j->result.gap = tk_edit_type_gap;
    for (unsigned i = 0; i < 2 && highest + i + 1 < TK_MERGE_UIDS; i++) {
        own[i]->uid = (uint16_t)(highest + i + 1);
        tk_uw_declare(lane, own[i]);
    }
}

int tk_merge_joiner_declare(struct tk_merge_joiner *j, const struct tk_merge_types *types)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(&j->result, TK_UT_TID_DECLARATIONS);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_MERGE_UIDS; i++) {
        if (types->by_uid[i])
            tk_edit_put_type(lane, types->by_uid[i]);
    }
    declare_own(j, lane, types->highest < 15 ? 15 : types->highest);
    return tk_edit_result_flush(&j->result, TK_UT_TID_DECLARATIONS);
}

int tk_merge_joiner_packet(void *self, const struct tk_edit_packet *packet)
{
    struct tk_merge_joiner *j = self;
    return j->writes ? tk_edit_result_flush(&j->result, packet->read->head.tid) : TK_OK;
}

int tk_merge_joiner_rest(void *self)
{
    struct tk_merge_joiner *j = self;
    return j->writes ? tk_edit_result_flush_all(&j->result) : TK_OK;
}

void tk_merge_joiner_release(struct tk_merge_joiner *j)
{
    tk_edit_result_release(&j->result);
    tk_edit_serials_release(&j->serials);
    *j = (struct tk_merge_joiner){0};
}
