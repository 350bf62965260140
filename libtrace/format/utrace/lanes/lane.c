/*
 * Feeding of lanes: carry-over of incomplete records, breaks, the end.
 */
#include "format/utrace/lanes/lane.h"

#include "format/utrace/lanes/lanes_in.h"

#include <stdlib.h>
#include <string.h>

static int record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    return d->protocol >= 5 ? tk_ut_record_new(d, lane, in) : tk_ut_record_old(d, lane, in);
}

/* Records until the bytes run out. TK_OK: none left over; TK_UT_MORE: in->p on is an incomplete record. */
static int records(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    int rc = TK_OK;
    while (in->p < in->end && rc == TK_OK)
        rc = record(d, lane, in);
    return rc;
}

static int carry_space(struct tk_ut_lane *lane, size_t want)
{
    return tk_vec_grow((void **)&lane->carry, &lane->cap_carry, want, 1) ? TK_ENOMEM : TK_OK;
}

/* Keeps what is left of a payload for the next one. */
static int keep_rest(struct tk_ut_lane *lane, const struct tk_ut_input *in)
{
    size_t left = (size_t)(in->end - in->p);
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    if (left && carry_space(lane, left) != TK_OK)
        return TK_ENOMEM;
    if (left)
        memmove(lane->carry, in->p, left);
    lane->n_carry = left;
    lane->carry_offset = at.offset;
    lane->carry_within = at.within;
    return TK_OK;
}

/* What the parser said about a stretch of bytes, made final. */
static int settle_lane(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in, int rc)
{
    if (rc == TK_UT_MORE)
        return keep_rest(lane, in);
    lane->n_carry = 0;
    if (rc != TK_UT_STOP)
        return rc;
    tk_ut_lane_drop(lane, (size_t)(in->end - in->p));
    return tk_ut_lane_break(d, lane, lane->packet, NULL);
}

static int parse_carry(struct tk_ut_decoder *d, struct tk_ut_lane *lane, size_t joint)
{
    struct tk_ut_input in = {lane->carry, lane->carry, lane->carry + lane->n_carry, joint};
    if (lane->n_carry < lane->need && !lane->waiting)
        return TK_OK;
    lane->waiting = false;
    return settle_lane(d, lane, &in, records(d, lane, &in));
}

static int parse_payload(struct tk_ut_decoder *d, struct tk_ut_lane *lane,
                         const struct tk_ut_payload *payload)
{
    struct tk_ut_input in = {payload->p, payload->p, payload->p + payload->n, 0};
    return settle_lane(d, lane, &in, records(d, lane, &in));
}

/* Records from the beginning to the end. */
struct look {
    bool whole;    /* the last one ends there */
    bool events;   /* there are some */
    bool astray;   /* a terminal closes the array data of none of them */
    bool jumps;    /* serial numbers do not rise as those of a packet do */
    size_t open;   /* events whose array data is not closed, of those before as well */
    size_t synced; /* events with a serial number */
    uint32_t serial;
};

static void look_on(struct look *look, const struct tk_ut_record_kind *kind)
{
    enum { RISE = 1 << 16, SERIALS = (1 << 24) - 1 };
    const uint32_t rise = (kind->serial - look->serial) & SERIALS;
    look->events |= kind->event;
    look->astray |= kind->closes && !look->open;
    look->open += kind->opens;
    look->open -= kind->closes && look->open;
    if (!kind->synced)
        return;
    look->jumps |= look->synced && (!rise || rise >= RISE);
    look->serial = kind->serial;
    look->synced++;
}

/* `open` events wait for array data in front of them. */
static struct look look_at(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                           struct tk_ut_input in, size_t open)
{
    struct look look = {.whole = true, .open = open};
    for (size_t n; in.p < in.end; in.p += n) {
        struct tk_ut_record_kind kind;
        n = d->protocol >= 5 ? tk_ut_length_new(d, lane, &in, &kind) : tk_ut_length_old(d, lane, &in, &kind);
        if (!n || n > (size_t)(in.end - in.p)) {
            look.whole = false;
            return look;
        }
        look_on(&look, &kind);
    }
    return look;
}

/* Protocols 5 to 7: does nothing stand here that no record begins with? The last one may go on. */
static bool possible(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane, struct tk_ut_input in)
{
    while (in.p < in.end) {
        struct tk_ut_record_kind kind;
        size_t n = tk_ut_length_new(d, lane, &in, &kind), left = (size_t)(in.end - in.p);
        if (!n)
            return left < 2 || *in.p == TK_UT_CODE_BLOB;
        if (n > left)
            return true;
        in.p += n;
    }
    return true;
}

/* Does array data end that does not in the other one? */
static bool is_better(const struct look *a, const struct look *b)
{
    return !a->astray && a->open < b->open;
}

/*
 * Is what is carried over not the beginning of a record, but one with a wrong size? Packets mostly begin with
 * a record, from protocol 5 on but for those that say that they go on with a value (wire 2.8). This one,
 * whose bytes stand behind the carry already, does by the look of it.
 */
static bool leads_beyond(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                         const struct tk_ut_payload *payload)
{
    const uint8_t *end = lane->carry + lane->n_carry + payload->n;
    struct tk_ut_input both = {lane->carry, lane->carry, end, lane->n_carry};
    struct tk_ut_input alone = {payload->p, payload->p, payload->p + payload->n, 0};
    if (lane->waiting || (d->protocol == 5 && payload->partial))
        return false;
    /* a few bytes are other records than events too easily */
    const struct look from_here = look_at(d, lane, alone, 0);
    if (!from_here.whole || !from_here.events)
        return false;
    if (d->protocol < 5)
        return !look_at(d, lane, both, 0).whole;
    if (*lane->carry != TK_UT_CODE_BLOB)
        return !possible(d, lane, both);
    /* a value may be divided once: then it is whole with what is there now, and so is its event, and none of
     * its bytes are events that follow one another */
    const size_t open = lane->group.open.n;
    const struct look goes_on = look_at(d, lane, alone, open), joined = look_at(d, lane, both, open);
    return !joined.whole || is_better(&from_here, &joined) || is_better(&goes_on, &joined) ||
           (!goes_on.astray && !goes_on.jumps && goes_on.synced > joined.synced + 1);
}

static int append_carry(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_payload *payload)
{
    size_t joint = lane->n_carry;
    if (lane->n_carry + payload->n > d->limits->event_bytes) {
        tk_health_limit(d->health, TK_LIMIT_event_bytes, payload->offset, 1,
                        "more than %llu bytes of thread %u wait for the end of a record",
                        (unsigned long long)d->limits->event_bytes, lane->tid);
        return tk_ut_lane_break(d, lane, payload->offset, "a record does not end");
    }
    if (carry_space(lane, lane->n_carry + payload->n) != TK_OK)
        return TK_ENOMEM;
    memcpy(lane->carry + lane->n_carry, payload->p, payload->n);
    if (leads_beyond(d, lane, payload)) {
        int rc = tk_ut_lane_break(d, lane, lane->carry_offset, "a record extends beyond its packet");
        lane->broken = false;
        return rc == TK_OK ? parse_payload(d, lane, payload) : rc;
    }
    lane->n_carry += payload->n;
    return lane->waiting ? TK_OK : parse_carry(d, lane, joint);
}

/* Wire 2.5, 9.2: a packet that goes on with a record whose beginning is not there. */
static bool orphaned(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_payload *payload)
{
    if (!payload->partial || d->protocol != 5 || (lane->seen && !lane->broken))
        return false;
    bool lost = !lane->broken && d->settled && payload->offset > d->settled;
    tk_health_note(d->health, lost ? TK_HEALTH_STREAM_BREAK : TK_HEALTH_PACKET_ORPHAN, payload->offset, 1,
                   "the beginning of a value of thread %u is missing; %zu bytes of it were dropped",
                   lane->tid, payload->n);
    lane->dropped += payload->stored;
    return true;
}

int tk_ut_lane_feed(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_payload *payload)
{
    if (!payload->n || orphaned(d, lane, payload))
        return TK_OK;
    lane->seen = true;
    lane->broken = false;
    tk_ut_lane_in_hand(lane, payload);
    if (lane->n_carry)
        return append_carry(d, lane, payload);
    int rc = parse_payload(d, lane, payload);
    if (rc == TK_OK && payload->whole_records)
        lane->n_carry = 0;
    return rc;
}

int tk_ut_lane_retry(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    return lane->waiting && lane->n_carry ? parse_carry(d, lane, lane->n_carry) : TK_OK;
}

int tk_ut_lane_break(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint64_t offset, const char *why)
{
    if (why)
        tk_health_note(d->health, TK_HEALTH_STREAM_BREAK, offset, 1, "thread %u: %s", lane->tid, why);
    if (lane->n_carry && why)
        tk_health_note(d->health, TK_HEALTH_EVENT_DAMAGED, lane->carry_offset, 1,
                       "%zu bytes of an incomplete record of thread %u were dropped", lane->n_carry,
                       lane->tid);
    tk_ut_lane_drop(lane, lane->n_carry);
    lane->n_carry = 0;
    lane->need = 0;
    lane->waiting = false;
    lane->broken = lane->hurt = true;
    lane->resumed = lane->events;
    lane->marks.n = 0;
    lane->marks_over = 0;
    lane->group.closed.n = 0;
    int rc = tk_ut_flush_group(d, lane);
    return rc == TK_OK ? d->handler->cut(d->handler->self, lane) : rc;
}

/* What is cut off may have been of the event that is open. In protocols 1 to 4 it is an event by itself,
 * unless its size is wrong, as it may be behind a break. */
static int hand_rest(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool truncated)
{
    if (lane->n_carry && (tk_ut_lane_is_cut(lane) || (truncated && d->protocol >= 5)))
        tk_ut_touch_open(lane);
    if (!lane->n_carry || !tk_ut_lane_is_cut(lane))
        return TK_OK;
    if (d->protocol >= 5)
        return tk_ut_rest_new(d, lane);
    return truncated && !lane->hurt ? tk_ut_rest_old(d, lane) : TK_OK;
}

int tk_ut_lane_finish(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool truncated)
{
    int rc = hand_rest(d, lane, truncated);
    truncated &= d->protocol > 4 || tk_ut_lane_is_cut(lane);
    if (lane->n_carry)
        tk_health_note(d->health, truncated ? TK_HEALTH_FILE_TRUNCATED : TK_HEALTH_EVENT_DAMAGED,
                       lane->carry_offset, 1, "thread %u ends inside a record, %zu bytes of it are present",
                       lane->tid, lane->n_carry);
    if (!truncated)
        tk_ut_lane_drop(lane, lane->n_carry);
    lane->n_carry = 0;
    if (lane->orphans)
        tk_health_note(d->health, TK_HEALTH_BLOB_ORPHAN, TK_NO_OFFSET, lane->orphans,
                       "array data of thread %u whose event is missing", lane->tid);
    if (lane->left_out)
        tk_health_limit(d->health, lane->group.limit, TK_NO_OFFSET, lane->left_out,
                        "array data of thread %u came after its event had been delivered without it",
                        lane->tid);
    if (lane->strays)
        tk_health_note(d->health, TK_HEALTH_STREAM_BREAK, lane->stray_offset, lane->strays,
                       "array data of thread %u whose event is lost", lane->tid);
    if (lane->disordered)
        tk_health_note(d->health, TK_HEALTH_SERIAL_LATE, TK_NO_OFFSET, lane->disordered,
                       "events of thread %u come after others with the same or higher serial numbers",
                       lane->tid);
    lane->orphans = lane->left_out = lane->strays = lane->disordered = 0;
    return rc == TK_OK ? tk_ut_end_group(d, lane) : rc;
}

void tk_ut_lane_release(struct tk_ut_lane *lane)
{
    free(lane->carry);
    tk_vec_release(&lane->group.events);
    tk_vec_release(&lane->group.open);
    tk_vec_release(&lane->group.closed);
    tk_arena_release(&lane->group.arena);
    tk_vec_release(&lane->marks);
    tk_vec_release(&lane->blobs);
}
