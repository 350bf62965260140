/*
 * Records of protocols 0 to 4 (wire 3.2 to 3.4); all events state their size:
 *
 *   0      u16 uid (14 bits), u16 size | data                                         data: fixed part, then
 * the 1      u16 uid (15 bits), u16 size, u16 serial unless NoSync | data               attachment 2, 3   u16
 * uid (15 bits), u16 size, u24 serial unless NoSync | data 4      uid as in the new protocols, u16 size, u24
 * serial unless NoSync | data     scope records 02 04 06 08
 *
 * Array data: u32 with the field index and bit 7 in the low byte and the byte count above, data; a zero byte
 * ends it. It stands behind the `size` bytes, in protocol 4 for important events inside them. uid 0 declares
 * a type; that has a serial in protocols 1 and 2.
 */
#include "format/utrace/lanes/lanes_in.h"
#include "format/utrace/schema/schema.h"

#define SCOPE_UIDS 5

/* A record's head. */
struct head {
    const uint8_t *start; /* of the record */
    const uint8_t *data;
    const uint8_t *end; /* of the `size` bytes */
    uint32_t uid, size, serial;
    bool synced;
};

static int stop(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                const char *what, uint32_t number)
{
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    tk_health_note(d->health, TK_HEALTH_STREAM_BREAK, at.offset, 1,
                   "thread %u: %s %u at byte %u of its packet; %zu bytes were dropped", lane->tid, what,
                   number, at.within, (size_t)(in->end - in->p));
    return TK_UT_STOP;
}

static int scope_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        uint32_t uid)
{
    bool timed = uid == 2 || uid == 4, enter = uid <= 2;
    size_t stamp = timed ? 7 : 0;
    if (!tk_ut_ready(lane, in, 1 + stamp))
        return TK_UT_MORE;
    int64_t time = timed ? tk_ut_stamp(d, lane, tk_load_le(in->p + 1, stamp)) : 0;
    in->p += 1 + stamp;
    return enter ? tk_ut_enter(d, lane, timed, time) : tk_ut_leave(d, lane, timed, time);
}

/* Appends the blobs between p and end to lane->blobs; *after stands behind the terminal, or (TK_UT_STOP) at
 * what is no blob. */
static int read_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev,
                      const uint8_t *p, const uint8_t *end, const uint8_t **after)
{
    while (p < end && *p) {
        if (!(*p & 0x80)) {
            *after = p;
            return TK_UT_STOP;
        }
        if (end - p < 4) {
            lane->need = 4;
            return TK_UT_MORE;
        }
        uint32_t word = tk_load32(p);
        struct tk_ut_blob blob = {p + 4, word >> 8, word & 0x7f};
        if ((size_t)(end - p) - 4 < blob.n) {
            lane->need = 4 + (size_t)blob.n;
            return TK_UT_MORE;
        }
        if (tk_ut_blob_fits(d, ev, blob.field) && tk_vec_push(&lane->blobs, blob))
            return TK_ENOMEM;
        p += 4 + blob.n;
    }
    if (p == end) {
        lane->need = 1;
        return TK_UT_MORE;
    }
    *after = p + 1;
    return TK_OK;
}

/* Array data of an event; in->p is set behind all of it. */
static int take_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                      const struct head *h, struct tk_ut_event *ev)
{
    const uint8_t *after = h->end;
    bool inside = d->protocol == 4 && ev->type->flags & TK_UT_FLAG_IMPORTANT && h->size > ev->type->fixed;
    int rc;
    lane->blobs.n = 0;
    if (inside) {
        rc = read_blobs(d, lane, ev, h->data + ev->n_fixed, h->end, &after);
        ev->incomplete = rc == TK_UT_MORE || rc == TK_UT_STOP;
        ev->n_attachment = 0;
        rc = ev->incomplete ? TK_OK : rc;
        in->p = h->end;
    } else {
        rc = read_blobs(d, lane, ev, h->end, in->end, &after);
        if (rc == TK_UT_MORE)
            lane->need = (size_t)(in->end - h->start) + 1;
        else if (rc == TK_UT_STOP)
            rc = stop(d, lane, in, "expected array data but found byte", *after);
        else if (rc == TK_OK)
            in->p = after;
    }
    ev->blobs = lane->blobs.v;
    ev->n_blobs = (uint32_t)lane->blobs.n;
    return rc;
}

/* It is sent once: another one is damage that looks like it. */
static void take_bias(struct tk_ut_decoder *d, const struct tk_ut_event *ev)
{
    const struct tk_ut_field *f = tk_ut_type_field(ev->type, "UserUidBias");
    d->uid_bias = f ? (uint32_t)tk_ut_event_u64(ev, f) : 1;
    d->biased = true;
}

static int event_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        const struct head *h, const struct tk_ut_type *t)
{
    struct tk_ut_event ev = {.type = t, .tid = lane->tid, .seq = TK_NO_SEQ, .serial = h->serial};
    tk_ut_place(lane, in, h->start, &ev);
    ev.has_serial = h->synced;
    ev.fixed = h->data;
    ev.n_fixed = h->size < t->fixed ? h->size : t->fixed;
    ev.attachment = h->data + ev.n_fixed;
    ev.n_attachment = h->size - ev.n_fixed;
    int rc = TK_OK;
    if (t->flags & TK_UT_FLAG_AUX)
        rc = take_blobs(d, lane, in, h, &ev);
    else
        in->p = h->end;
    if (rc != TK_OK)
        return rc;
    if (ev.incomplete || h->size < t->fixed)
        tk_health_note(
            d->health, TK_HEALTH_EVENT_DAMAGED, ev.offset, 1,
            "an event '%s' of thread %u is shorter than its fields; the fields that are present were read",
            t->name->p, lane->tid);
    if (h->synced)
        tk_ut_saw_serial(d, lane, h->serial);
    lane->synced += h->synced; /* not before: a record that goes on in the next packet is read again there */
    if (t->role == TK_UT_ROLE_NEW_TRACE && !ev.incomplete && h->size >= t->fixed && !d->biased)
        take_bias(d, &ev);
    rc = tk_ut_begin_event(d, lane, &ev, (size_t)(in->p - h->start));
    if (rc != TK_OK)
        return rc;
    if (tk_ut_wanted(d, t) || (d->stamps && ev.stamped))
        return tk_ut_deliver(d, lane, &ev);
    return h->synced ? tk_ut_skip_serial(d, lane, h->serial) : TK_OK;
}

/*
 * Zeros would be declarations of nothing, one behind the other. Files that a recorder made large beforehand
 * end in gigabytes of them.
 */
static int step_over_zeros(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    struct tk_ut_event at;
    const size_t n = tk_zeros(in->p, (size_t)(in->end - in->p));
    tk_ut_place(lane, in, in->p, &at);
    if (!lane->in_zeros)
        tk_health_note(d->health, TK_HEALTH_STREAM_BREAK, at.offset, 1,
                       "thread %u: zeros where a record must begin; they were dropped", lane->tid);
    lane->in_zeros = true;
    tk_ut_lane_drop(lane, n);
    in->p += n;
    return TK_OK;
}

static int declaration(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                       const struct head *h)
{
    struct tk_ut_event at;
    int rc = TK_OK;
    tk_ut_place(lane, in, h->start, &at);
    if (d->declare)
        rc = tk_ut_schema_declare(d->schema, h->data, h->size, at.offset);
    if (h->synced)
        tk_ut_saw_serial(d, lane, h->serial);
    lane->synced += h->synced;
    if (rc == TK_OK && h->synced)
        rc = tk_ut_skip_serial(d, lane, h->serial);
    in->p = h->end;
    return rc;
}

/* An undeclared uid: wait for the declaration, or step over it, or give the packet up. */
static int undeclared(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in, uint32_t uid,
                      size_t code_size)
{
    struct tk_ut_event at;
    size_t serial;
    if (d->wait) {
        lane->waiting = true;
        return TK_UT_MORE;
    }
    /* of which there is one note for all of the capture */
    if (!d->schema->types.n) {
        tk_ut_lane_drop(lane, (size_t)(in->end - in->p));
        return TK_UT_STOP;
    }
    size_t n = tk_ut_step_over(d, lane, in, uid, code_size, &serial, tk_ut_length_old);
    if (!n)
        return tk_ut_undeclared_stop(d, lane, in, uid);
    uint32_t number = (uint32_t)tk_load_le(in->p + code_size + 2, serial);
    tk_ut_place(lane, in, in->p, &at);
    tk_health_note(d->health, TK_HEALTH_TYPE_UNDECLARED, at.offset, 1,
                   "events of the undeclared uid %u were dropped", uid);
    tk_ut_lane_drop(lane, n);
    in->p += n;
    if (!serial)
        return TK_OK;
    tk_ut_saw_serial(d, lane, number);
    return tk_ut_skip_serial(d, lane, number);
}

/* Protocol 0 states no serials and skips what it does not know. */
static int record_0(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in, struct head *h,
                    const struct tk_ut_type *t)
{
    if (h->uid && !t) {
        tk_health_note(d->health, TK_HEALTH_TYPE_UNDECLARED, lane->packet, 1,
                       "events of the undeclared uid %u were dropped", h->uid);
        tk_ut_lane_drop(lane, (size_t)(h->end - h->start));
        in->p = h->end;
        return TK_OK;
    }
    return h->uid ? event_record(d, lane, in, h, t) : declaration(d, lane, in, h);
}

/* Array data of an event that the end cuts off, as far as it is there. */
static int cut_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev,
                     const uint8_t *p, const uint8_t *end)
{
    lane->blobs.n = 0;
    while (end - p >= 4 && *p & 0x80) {
        uint32_t word = tk_load32(p);
        size_t left = (size_t)(end - p) - 4;
        struct tk_ut_blob blob = {p + 4, word >> 8 < left ? word >> 8 : (uint32_t)left, word & 0x7f};
        if (tk_ut_blob_fits(d, ev, blob.field) && tk_vec_push(&lane->blobs, blob))
            return TK_ENOMEM;
        p += 4 + blob.n;
    }
    ev->blobs = lane->blobs.v;
    ev->n_blobs = (uint32_t)lane->blobs.n;
    return TK_OK;
}

/* An event whose head and fixed part are there. */
static int hand_cut(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct head *h,
                    const struct tk_ut_type *t)
{
    const struct tk_ut_input in = {lane->carry, lane->carry, lane->carry + lane->n_carry, lane->n_carry};
    const uint8_t *end = (size_t)(in.end - h->data) < h->size ? in.end : h->data + h->size;
    struct tk_ut_event ev = {.type = t, .tid = lane->tid, .seq = TK_NO_SEQ, .serial = h->serial};
    tk_ut_place(lane, &in, h->start, &ev);
    ev.has_serial = h->synced;
    ev.incomplete = true;
    ev.fixed = h->data;
    ev.n_fixed = t->fixed;
    ev.attachment = h->data + t->fixed;
    ev.n_attachment = (uint32_t)(end - ev.attachment);
    int rc = t->flags & TK_UT_FLAG_AUX ? cut_blobs(d, lane, &ev, end, in.end) : TK_OK;
    if (rc == TK_OK)
        rc = tk_ut_begin_event(d, lane, &ev, lane->n_carry);
    return rc == TK_OK && tk_ut_wanted(d, t) ? tk_ut_deliver(d, lane, &ev) : rc;
}

/* Does a record of this type carry a serial number? */
static bool synced(const struct tk_ut_decoder *d, const struct tk_ut_type *t)
{
    if (d->protocol == 0)
        return false;
    return t ? !(t->flags & TK_UT_FLAG_NOSYNC) : d->protocol <= 2;
}

static int sized_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        uint32_t uid, size_t code_size)
{
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    const struct tk_ut_type *t = uid ? tk_ut_schema_find(d->schema, uid, at.offset) : NULL;
    if (uid && !t && d->protocol)
        return undeclared(d, lane, in, uid, code_size);
    struct head h = {.start = in->p, .uid = uid, .synced = synced(d, t)};
    size_t serial = tk_ut_old_serial(d, h.synced);
    if (!tk_ut_ready(lane, in, code_size + 2 + serial))
        return TK_UT_MORE;
    h.size = tk_load16(in->p + code_size);
    h.serial = (uint32_t)tk_load_le(in->p + code_size + 2, serial);
    if (!tk_ut_ready(lane, in, code_size + 2 + serial + h.size))
        return TK_UT_MORE;
    h.data = in->p + code_size + 2 + serial;
    h.end = h.data + h.size;
    if (!uid && !h.size && tk_zeros(in->p, (size_t)(h.end - in->p)) == (size_t)(h.end - in->p))
        return step_over_zeros(d, lane, in);
    lane->in_zeros = false;
    if (d->protocol == 0)
        return record_0(d, lane, in, &h, t);
    return uid ? event_record(d, lane, in, &h, t) : declaration(d, lane, in, &h);
}

size_t tk_ut_length_old(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                        const struct tk_ut_input *in, struct tk_ut_record_kind *kind)
{
    size_t left = (size_t)(in->end - in->p), code_size = d->protocol < 4 ? 2 : 1u + (*in->p & 1u);
    struct tk_ut_event at;
    *kind = (struct tk_ut_record_kind){.event = false};
    if (left < code_size)
        return 0;
    uint32_t uid = tk_ut_old_uid(d, in->p, code_size);
    if (d->protocol == 4 && uid && uid < d->uid_bias)
        return uid >= SCOPE_UIDS || code_size == 2 ? 0 : uid == 2 || uid == 4 ? 8 : 1;
    tk_ut_place(lane, in, in->p, &at);
    const struct tk_ut_type *t = uid ? tk_ut_schema_find(d->schema, uid, at.offset) : NULL;
    size_t head = code_size + 2 + tk_ut_old_serial(d, synced(d, t));
    if ((uid && !t) || left < head)
        return 0;
    size_t size = tk_load16(in->p + code_size), whole = head + size;
    kind->event = true;
    if (left < whole || (t ? size < t->fixed : !tk_ut_declare_fits(d->schema, in->p + head, size)))
        return 0;
    if (!t || !(t->flags & TK_UT_FLAG_AUX) || (d->protocol == 4 && t->flags & TK_UT_FLAG_IMPORTANT))
        return whole;
    size_t blobs = tk_ut_old_blobs(in->p + whole, in->end);
    return blobs ? whole + blobs : 0;
}

int tk_ut_record_old(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    if (d->protocol < 4) {
        if (!tk_ut_ready(lane, in, 2))
            return TK_UT_MORE;
        return sized_record(d, lane, in, tk_ut_old_uid(d, in->p, 2), 2);
    }
    size_t code_size = 1u + (*in->p & 1u);
    if (!tk_ut_ready(lane, in, code_size))
        return TK_UT_MORE;
    uint32_t uid = tk_ut_old_uid(d, in->p, code_size);
    if (uid && uid < d->uid_bias && uid < SCOPE_UIDS && code_size == 1)
        return scope_record(d, lane, in, uid);
    if (uid && uid < d->uid_bias)
        return stop(d, lane, in, "reserved code for uid", uid);
    return sized_record(d, lane, in, uid, code_size);
}

int tk_ut_rest_old(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    const uint8_t *p = lane->carry;
    size_t n = lane->n_carry, code_size = d->protocol < 4 ? 2 : 1u + (*p & 1u);
    if (n < code_size || lane->waiting)
        return TK_OK;
    uint32_t uid = tk_ut_old_uid(d, p, code_size);
    const struct tk_ut_type *t = uid ? tk_ut_schema_find(d->schema, uid, lane->carry_offset) : NULL;
    if (!t || (d->protocol == 4 && (uid < d->uid_bias || t->flags & TK_UT_FLAG_IMPORTANT)))
        return TK_OK;
    struct head h = {.start = p, .uid = uid, .synced = synced(d, t)};
    size_t serial = tk_ut_old_serial(d, h.synced), head = code_size + 2 + serial;
    if (n < head + t->fixed)
        return TK_OK;
    h.size = tk_load16(p + code_size);
    h.serial = (uint32_t)tk_load_le(p + code_size + 2, serial);
    h.data = p + head;
    return h.size < t->fixed ? TK_OK : hand_cut(d, lane, &h, t);
}
