/*
 * Scope records of lanes and the events they belong to (wire 5.4), places and counts of events.
 */
#include "format/utrace/lanes/lane_parse.h"

#include <string.h>

void tk_ut_place(const struct tk_ut_lane *lane, const struct tk_ut_input *in, const uint8_t *p,
                 struct tk_ut_event *ev)
{
    size_t at = (size_t)(p - in->base);
    if (at < in->joint) {
        ev->offset = lane->carry_offset;
        ev->within = lane->carry_within + (uint32_t)at;
    } else {
        ev->offset = lane->packet;
        ev->within = (uint32_t)(at - in->joint);
    }
}

static bool is_cpu_scope(const struct tk_ut_type *t)
{
    return t->logger->n == 3 && memcmp(t->logger->p, "Cpu", 3) == 0;
}

static void take_base(struct tk_ut_lane *lane, const struct tk_ut_event *ev)
{
    lane->stamp = tk_ut_event_u64(ev, tk_ut_type_field(ev->type, "BaseTimestamp"));
    lane->timing = true;
}

/* An edit found bytes missing here, and wrote that down. */
static int take_gap(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    lane->marks.n = 0;
    lane->marks_over = 0;
    lane->at_gap = true;
    const int rc = d->handler->cut(d->handler->self, lane);
    lane->at_gap = false;
    return rc;
}

int tk_ut_begin_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, size_t bytes)
{
    const struct tk_ut_type *t = ev->type;
    lane->events++;
    lane->begun = false;
    if (d->counts && t->id < d->n_want) {
        d->counts[t->id]++;
        d->bytes[t->id] += bytes;
    }
    if (t->role == TK_UT_ROLE_THREAD_TIMING)
        take_base(lane, ev);
    if (t->role == TK_UT_ROLE_GAP)
        return take_gap(d, lane);
    if (!tk_ut_scope_waits(lane))
        return TK_OK;
    struct tk_ut_mark *top = &lane->marks.v[lane->marks.n - 1];
    top->type = t;
    ev->scoped = true;
    ev->stamped = top->timed;
    ev->stamp = top->time;
    return top->timed && is_cpu_scope(t) ? d->handler->enter(d->handler->self, lane, t, top->time) : TK_OK;
}

/* A scope record as it stands, for who wants them all. */
static int tell_scope(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool begins, bool timed, int64_t time)
{
    const struct tk_ut_scope scope = {begins, timed, time};
    if (!d->handler->scope)
        return TK_OK;
    lane->begun = begins;
    if (lane->group.open.n)
        return tk_ut_keep_scope(d, lane, &scope);
    return d->handler->scope(d->handler->self, lane, &scope);
}

int tk_ut_enter(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time)
{
    struct tk_ut_mark mark = {.time = time, .timed = timed};
    int rc = tell_scope(d, lane, true, timed, time);
    if (!d->marks || rc != TK_OK)
        return rc;
    if (lane->marks.n >= d->limits->open_scopes) {
        lane->marks_over++;
        return TK_OK;
    }
    return tk_vec_push(&lane->marks, mark) ? TK_ENOMEM : TK_OK;
}

static int scope_end(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    if (!d->handler->scope_end || (type->id < d->n_want && !(d->want[type->id] & TK_UT_WANT_SCOPES)))
        return TK_OK;
    if (lane->group.open.n)
        return tk_ut_keep_scope_end(d, lane, type);
    return d->handler->scope_end(d->handler->self, lane, type);
}

int tk_ut_leave(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time)
{
    int rc = tell_scope(d, lane, false, timed, time);
    if (rc != TK_OK)
        return rc;
    if (lane->marks_over) {
        lane->marks_over--;
        return TK_OK;
    }
    if (!d->marks || !lane->marks.n)
        return TK_OK;
    struct tk_ut_mark mark = lane->marks.v[--lane->marks.n];
    rc = mark.type ? scope_end(d, lane, mark.type) : TK_OK;
    if (rc != TK_OK || !timed || !mark.timed || !mark.type || !is_cpu_scope(mark.type))
        return rc;
    return d->handler->leave(d->handler->self, lane, time);
}

int64_t tk_ut_stamp(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint64_t delta)
{
    lane->stamp += delta;
    if (!lane->timing && !lane->untimed_noted) {
        lane->untimed_noted = true;
        tk_health_note(
            d->health, TK_HEALTH_TIME_UNRELIABLE, lane->packet, 1,
            "the beginning of thread %u is missing: times of its stamped scopes are off by a constant",
            lane->tid);
    }
    return (int64_t)lane->stamp;
}
