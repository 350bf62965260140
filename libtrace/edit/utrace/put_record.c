/*
 * Records of a lane as they are written again. See put_record.h.
 */
#include "edit/utrace/put_record.h"

static void put_values(struct tk_uw_lane *lane, const struct tk_uw_type *type, const struct tk_ut_event *ev)
{
    for (uint32_t i = 0; i < ev->n_blobs; i++) {
        if (ev->blobs[i].n)
            tk_uw_value(lane, type, ev->blobs[i].field, ev->blobs[i].p, ev->blobs[i].n);
        else
            tk_uw_blob(lane, type, ev->blobs[i].field, NULL, 0);
    }
}

void tk_edit_put_event(struct tk_uw_lane *lane, const struct tk_ut_event *ev, uint16_t uid, uint32_t serial)
{
    const struct tk_uw_type type = {.uid = uid, .flags = ev->type->flags};
    static const uint8_t zeros[64];
    tk_uw_begin_serial(lane, &type, serial);
    tk_uw_raw(&lane->pending, ev->fixed, ev->n_fixed);
    for (uint32_t n = ev->n_fixed; n < ev->type->fixed;) {
        const uint32_t part =
            ev->type->fixed - n < sizeof zeros ? ev->type->fixed - n : (uint32_t)sizeof zeros;
        tk_uw_raw(&lane->pending, zeros, part);
        n += part;
    }
    if (ev->n_attachment)
        tk_uw_raw(&lane->pending, ev->attachment, ev->n_attachment);
    put_values(lane, &type, ev);
    tk_uw_end(lane, &type);
    if (ev->type->role == TK_UT_ROLE_THREAD_TIMING)
        lane->stamp = tk_ut_event_u64(ev, tk_ut_type_field(ev->type, "BaseTimestamp"));
}

void tk_edit_put_passed(struct tk_uw_lane *lane, const struct tk_ut_type *from,
                        const struct tk_ut_passed *event, uint32_t serial)
{
    const struct tk_uw_type type = {.uid = event->uid, .flags = from->flags};
    tk_uw_event_copy(lane, &type, event->p, event->n, from->fixed, serial);
}

void tk_edit_put_scope(struct tk_uw_lane *lane, const struct tk_ut_scope *scope)
{
    if (scope->timed)
        (scope->begins ? tk_uw_enter_at : tk_uw_leave_at)(lane, (uint64_t)scope->time);
    else
        (scope->begins ? tk_uw_enter : tk_uw_leave)(lane);
}

void tk_edit_put_type(struct tk_uw_lane *lane, const struct tk_ut_type *type)
{
    const struct tk_uw_type news = {.flags = TK_UW_NOSYNC};
    tk_uw_begin(lane, &news);
    tk_uw_raw(&lane->pending, type->stated, type->stated_bytes);
    tk_uw_end(lane, &news);
}
