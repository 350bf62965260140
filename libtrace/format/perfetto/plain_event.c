/*
 * The packets that most traces consist of: a time and a slice of a thread. What has anything
 * else is left to packet.c.
 */
#include "format/perfetto/perfetto_in.h"

enum { BEGIN = 1, END };
enum { MOST_CACHED = 1 << 16 }; /* iids whose timers are kept by place */

/* The fields of such a packet, and of the event in it. */
struct plain {
    struct tk_pf_same same;
    uint64_t time, type, track, name;
    struct tk_bytes text; /* the name itself; of no bytes: there is none */
    bool has_time, has_track, has_annotation;
    const uint8_t *event, *event_end; /* NULL: there is none */
};

/* A varint of which at least ten bytes can be read, whatever they are. false: it has no end. */
TK_ALWAYS_INLINE bool take_varint(const uint8_t **p, uint64_t *out)
{
    const uint8_t *q = *p;
    if (*q < 0x80) {
        *out = *q;
        *p = q + 1;
        return true;
    }
    const uint64_t bytes = tk_load64(q), ends = ~bytes & UINT64_C(0x8080808080808080);
    if (ends) {
        *out = tk_pf_sevens(bytes & (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f));
        *p = q + tk_zeros_below(ends) / 8 + 1;
        return true;
    }
    *out = tk_pf_sevens(bytes & UINT64_C(0x7f7f7f7f7f7f7f7f)) | (uint64_t)(q[8] & 0x7f) << 56;
    *p = q + 9;
    if (q[8] < 0x80)
        return true;
    *out |= (uint64_t)q[9] << 63;
    *p = q + 10;
    return q[9] < 0x80;
}

enum { TIME = 8 << 3, SEQUENCE = 10 << 3, EVENT = 11 << 3 | TK_PF_BYTES, FLAGS = 13 << 3 };

/* Fields in any order. */
static bool read_fields(const uint8_t *p, const uint8_t *end, struct plain *e)
{
    enum { USER = 3 << 3, PROCESS_LOW = (79 << 3 & 0x7f) | 0x80, PROCESS_HIGH = 79 >> 4 };
    uint64_t value;
    while (p < end) {
        const uint8_t tag = *p++;
        if ((tag == PROCESS_LOW && *p++ != PROCESS_HIGH) || p >= end || !take_varint(&p, &value))
            return false;
        switch (tag) {
        case TIME:
            if (e->has_time) /* the last one counts */
                return false;
            e->time = value;
            e->has_time = true;
            break;
        case SEQUENCE:
            e->same.sequence = value;
            break;
        case USER: /* who wrote it */
        case PROCESS_LOW:
            break;
        case FLAGS:
            e->same.flags = value;
            break;
        case EVENT:
            if (value > (size_t)(end - p))
                return false;
            e->event = p;
            e->event_end = p += value;
            break;
        default:
            return false;
        }
    }
    return p == end && e->event && !(e->same.flags & 1);
}

/* What is between the time and the size of the event, where the event comes last: it is the same again. */
static void remember(struct tk_pf_same *same, const uint8_t *p, const struct plain *e)
{
    uint64_t value;
    const uint8_t *middle = p + 1;
    if (*p != TIME || !take_varint(&middle, &value))
        return;
    const size_t n = (size_t)(e->event - 1 - middle);
    if (e->event <= middle || n == 0 || n >= 8 || middle[n - 1] != EVENT)
        return;
    *same = e->same;
    same->n = n;
    same->mask = (UINT64_C(1) << (8 * n)) - 1;
    same->bytes = tk_load64(middle) & same->mask;
}

/* Where the event is in a packet whose time ends at a place, if that is as in the one before; NULL. */
static inline const uint8_t *event_at(const struct tk_pf_same *same, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *size = at + same->n;
    return same->n && (tk_load64(at) & same->mask) == same->bytes && size + 1 + *size == end ? size + 1
                                                                                             : NULL;
}

/* No more is requested than whether the packet is as the one before. */
static inline bool is_same(const struct tk_pf_same *same, const uint8_t *p, const uint8_t *end)
{
    const uint64_t ends = ~tk_load64(p + 1) & UINT64_C(0x8080808080808080);
    return *p == TIME && ends && event_at(same, p + 2 + tk_zeros_below(ends) / 8, end);
}

static inline bool read_packet(struct tk_pf_same *same, const uint8_t *p, const uint8_t *end, struct plain *e)
{
    const uint8_t *at = p + 1;
    if (*p == TIME && take_varint(&at, &e->time) && (e->event = event_at(same, at, end))) {
        e->has_time = true;
        e->same = *same;
        e->event_end = end;
        return true;
    }
    e->has_time = false;
    if (!read_fields(p, end, e))
        return false;
    if (e->event_end == end)
        remember(same, p, e);
    return true;
}

enum {
    CATEGORY = 3 << 3,
    ANNOTATION = 4 << 3 | TK_PF_BYTES,
    TYPE = 9 << 3,
    NAME = 10 << 3,
    TRACK = 11 << 3,
    CATEGORY_LOW = (22 << 3 & 0x7f) | TK_PF_BYTES | 0x80,
    TEXT_LOW = (23 << 3 & 0x7f) | TK_PF_BYTES | 0x80,
    BOTH_HIGH = 23 >> 4
};

/* A type and a track, and the iid of a name where it begins, in this order. false: it is something else, or
 * not sound. */
static inline bool read_usual(struct plain *e)
{
    const uint8_t *p = e->event, *const end = e->event_end;
    if (end - p < 4 || p[0] != TYPE || p[2] != TRACK)
        return false;
    e->type = p[1];
    p += 3;
    if (!take_varint(&p, &e->track))
        return false;
    e->has_track = true;
    if (p == end)
        return e->type == END;
    if (p > end || *p++ != NAME || e->type != BEGIN || p == end || !take_varint(&p, &e->name))
        return false;
    return p == end && e->name;
}

/* Fields in any order. */
static bool read_any(struct plain *e)
{
    const uint8_t *p = e->event, *const end = e->event_end;
    uint64_t value;
    while (p < end) {
        const uint8_t tag = *p++;
        if ((tk_rarely(tag & 0x80) && *p++ != BOTH_HIGH) || p >= end || !take_varint(&p, &value))
            return false;
        switch (tag) {
        case TYPE:
            e->type = value;
            break;
        case NAME:
            e->name = value;
            break;
        case TRACK:
            e->track = value;
            e->has_track = true;
            break;
        case CATEGORY: /* slices of threads have none */
            break;
        case ANNOTATION:
        case CATEGORY_LOW:
        case TEXT_LOW:
            if (value > (size_t)(end - p))
                return false;
            e->has_annotation |= tag == ANNOTATION;
            if (tag == TEXT_LOW)
                e->text = (struct tk_bytes){p, (size_t)value};
            p += value;
            break;
        default:
            return false;
        }
    }
    const bool has_name = e->name || e->text.n;
    return p == end && (e->type == BEGIN ? has_name : e->type == END && !has_name);
}

static inline bool read_event(struct plain *e)
{
    if (read_usual(e))
        return true;
    e->type = e->track = e->name = 0;
    e->has_track = false;
    return read_any(e);
}

/* The timer of a name, or of an iid that has one; TK_EV_NO_NAME without one. */
static uint32_t find_timer(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct plain *e)
{
    const uint64_t iid = e->name;
    uint32_t name;
    if (!iid) {
        name = tk_ev_name_clean(&t->c->names, e->text.p, e->text.n);
        return name == TK_EV_NO_NAME ? name : tk_ev_timer(&t->c->names, name, NULL, 0);
    }
    if (iid < s->timers.n && s->timers.v[iid])
        return s->timers.v[iid] - 1;
    if (!tk_pf_interned(s, TK_PF_NAMES, iid, &name) || name == TK_EV_NO_NAME)
        return TK_EV_NO_NAME;
    uint32_t timer = tk_ev_timer(&t->c->names, name, NULL, 0);
    if (timer != TK_EV_NO_NAME && iid < MOST_CACHED && tk_vec_reach(&s->timers, (size_t)iid + 1) == 0)
        s->timers.v[iid] = timer + 1;
    return timer;
}

/* The thread whose own track is meant, if that was requested before; UINT32_MAX. */
static inline uint32_t find_thread(struct tk_pf_trace *t, const struct tk_pf_sequence *s,
                                   const struct plain *e)
{
    const uint64_t uuid = e->has_track ? e->track : s->has_default_track ? s->default_track : 0;
    const struct tk_pf_track *track = uuid ? tk_pf_track_of(&t->tracks, uuid) : NULL;
    return track && track->owner == TK_PF_THREAD && track->own ? track->thread : UINT32_MAX;
}

static int take_slice(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct plain *e, uint64_t offset,
                      size_t size)
{
    const uint32_t thread = find_thread(t, s, e);
    const uint32_t timer = e->type == BEGIN && thread != UINT32_MAX ? find_timer(t, s, e) : 0;
    int64_t time = (int64_t)e->time;
    if (thread == UINT32_MAX || timer == TK_EV_NO_NAME)
        return 0;
    t->c->offset = offset;
    if (t->c->pass == TK_EV_GATHER)
        tk_ev_count(t->c, TK_PF_KIND_TRACK_EVENT, size);
    const uint64_t clock = s->default_clock ? tk_pf_clock_key(s->default_clock, s->id) : t->clocks.trace;
    if (s->default_clock || t->clocks.clocks.n) {
        if (!tk_pf_time(t, tk_pf_clocks_time(&t->clocks, e->time, clock, &time), time, offset))
            return TK_PF_FINE;
    } else if (!tk_pf_time(t, TK_PF_CONVERTED, time, offset))
        return TK_PF_FINE;
    return tk_pf_kept(e->type == BEGIN ? tk_ev_begin(t->c, thread, time, timer)
                                       : tk_ev_end(t->c, thread, time, TK_EV_NO_NAME));
}

int tk_pf_plain_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset)
{
    const uint8_t *const end = packet.p + packet.n;
    if (!packet.n || (t->definitions && is_same(&t->same, packet.p, end)))
        return packet.n ? TK_PF_FINE : 0;
    struct plain e;
    e.time = e.type = e.track = e.name = 0;
    e.text = (struct tk_bytes){NULL, 0};
    e.has_track = e.has_annotation = false;
    e.event = NULL;
    e.same = (struct tk_pf_same){0};
    if (!read_packet(&t->same, packet.p, end, &e))
        return 0;
    if (t->definitions)
        return TK_PF_FINE;
    if (t->c->pass == TK_EV_RECORDS || !e.has_time || !e.same.sequence || !read_event(&e) ||
        (e.has_annotation && t->c->pass == TK_EV_TEXTS))
        return 0;
    struct tk_pf_sequence *s = tk_pf_sequence_of(&t->sequences, (uint32_t)e.same.sequence);
    if (!s)
        return TK_PF_NO_MEMORY;
    s->marks.begun = true;
    return (e.same.flags & 2) && !s->valid ? 0 : take_slice(t, s, &e, offset, packet.n);
}
