/*
 * tids 0 and 1 (wire 3.6), byte streams that packets cut anywhere:
 *
 *   u16 uid | u16 size | fixed part | array data inside `size`: u32 01, field in bits 8..12, count above | 03
 * ends it
 */

#include "format/utrace/lanes/lane.h"
#include "format/utrace/lanes/lanes_in.h"
#include "format/utrace/schema/schema.h"
#include "format/utrace/wire/index.h"

#include <string.h>

#define TK_UT_IMPORTANT_BLOB     0x01
#define TK_UT_IMPORTANT_TERMINAL 0x03

/*
 * Where important events begin and end, by what they hold (wire 3.6, 9.2); private to their stream.
 */

#define IMPORTANT_RESYNC_HEAD 4
#define PROOF                 3    /* sound events in a row that prove a place */
#define BLOBS                 1024 /* of an event that are looked at */
#define CHAIN                 64   /* damaged or undeclared ones in a row that lead to a sound one */

static bool fits_important_resync(const struct tk_ut_type *t, size_t size)
{
    return t->flags & TK_UT_FLAG_AUX ? size >= t->fixed : size == t->fixed;
}

/* What follows the event at p by its declaration and its array data; NULL where that is damaged. *more: it is
 * not all there. */
static const uint8_t *end_of_content(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                     bool *more)
{
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX);
    size_t left = (size_t)(end - p) - IMPORTANT_RESYNC_HEAD, at = t ? t->fixed : 0;
    const uint8_t *content = p + IMPORTANT_RESYNC_HEAD;
    bool aux = t && t->flags & TK_UT_FLAG_AUX;
    for (int i = 0; aux && at < left && content[at] == TK_UT_IMPORTANT_BLOB && i < BLOBS; i++)
        at += left - at < IMPORTANT_RESYNC_HEAD
                  ? left
                  : IMPORTANT_RESYNC_HEAD + (size_t)(tk_load32(content + at) >> 13);
    if (!t || at > UINT16_MAX || (aux && at < left && content[at] != TK_UT_IMPORTANT_TERMINAL))
        return NULL;
    *more = at + aux > left;
    return *more ? NULL : content + at + aux;
}

/* The end of the event at p if it agrees with its declaration; NULL if not. *more: its bytes are not all
 * there. */
static const uint8_t *sound_event(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                  bool *more)
{
    if (end - p < IMPORTANT_RESYNC_HEAD) {
        *more = true;
        return NULL;
    }
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX);
    uint32_t size = tk_load16(p + 2);
    if (!t || !(t->flags & TK_UT_FLAG_IMPORTANT) || !fits_important_resync(t, size))
        return NULL;
    if (end - p < IMPORTANT_RESYNC_HEAD + (ptrdiff_t)size) {
        *more = true;
        return NULL;
    }
    bool ignored = false;
    return end_of_content(d, p, p + IMPORTANT_RESYNC_HEAD + size, &ignored) ? p + IMPORTANT_RESYNC_HEAD + size
                                                                            : NULL;
}

/* Do sound events follow each other from p on? TK_ITEM yes, TK_OK no, TK_UT_MORE: not to be said yet, only
 * when it is not the `last` of the stream. */
static int tk_ut_important_proven(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                  bool last)
{
    for (int i = 0; i < PROOF; i++) {
        bool more = false;
        if (i && p == end && last)
            return TK_ITEM;
        const uint8_t *next = sound_event(d, p, end, &more);
        if (!next)
            return more && !last ? TK_UT_MORE : TK_OK;
        p = next;
    }
    return TK_ITEM;
}

/* Does a sound event begin at p? As tk_ut_important_proven(); the end of the stream and what it cuts off will
 * do. */
static int look_important_resync(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                 bool last)
{
    bool more = false;
    if (sound_event(d, p, end, &more))
        return TK_ITEM;
    return !more ? TK_OK : last ? TK_ITEM : TK_UT_MORE;
}

/* Does what is at p go on behind others that are damaged? */
static int leads_on(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last)
{
    for (int i = 0;; i++) {
        bool more = false;
        int rc = look_important_resync(d, p, end, last);
        if (rc != TK_OK || i == CHAIN)
            return rc;
        const uint8_t *content = i ? NULL : end_of_content(d, p, end, &more);
        if (more && !last)
            return TK_UT_MORE;
        if (content && (rc = look_important_resync(d, content, end, last)) != TK_OK)
            return rc;
        if (end - p - IMPORTANT_RESYNC_HEAD < (ptrdiff_t)tk_load16(p + 2))
            return last ? TK_OK : TK_UT_MORE;
        p += IMPORTANT_RESYNC_HEAD + tk_load16(p + 2);
    }
}

/* Do sound events follow from p on? As look(), but where not one is there at the `last` that is `cut`. */
static int follows(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last, int cut)
{
    for (int i = 0; i < PROOF; i++) {
        bool more = false;
        const uint8_t *next = sound_event(d, p, end, &more);
        if (!next)
            return !more ? TK_OK : !last ? TK_UT_MORE : i ? TK_ITEM : cut;
        p = next;
    }
    return TK_ITEM;
}

/*
 * The size of the event whose head of 4 bytes is at p: as its content says, if sound events follow there;
 * else *size, as it is stated. TK_ITEM; TK_OK: both are wrong; TK_UT_MORE: not all there, or not to be said
 * yet.
 */
static int tk_ut_important_size(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                bool last, size_t *size)
{
    bool more = false, whole = *size <= (size_t)(end - p - IMPORTANT_RESYNC_HEAD);
    const uint8_t *content = end_of_content(d, p, end, &more), *stated = p + IMPORTANT_RESYNC_HEAD + *size;
    if (content == stated)
        return TK_ITEM;
    if (!last && (!whole || more))
        return TK_UT_MORE;
    int rc = content ? follows(d, content, end, last, TK_OK) : TK_OK;
    if (rc == TK_ITEM)
        *size = (size_t)(content - p - IMPORTANT_RESYNC_HEAD);
    if (rc != TK_OK || !whole)
        return rc == TK_OK ? TK_UT_MORE : rc;
    rc = follows(d, stated, end, last, TK_ITEM);
    return rc == TK_OK ? leads_on(d, stated, end, last) : rc;
}

/* Is the incomplete event in these n bytes, at the end of a stream, one whose missing part was simply cut
 * off? */
static bool tk_ut_important_begins(const struct tk_ut_decoder *d, const uint8_t *p, size_t n)
{
    const struct tk_ut_type *t =
        n >= IMPORTANT_RESYNC_HEAD ? tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX) : NULL;
    bool more = false;
    if (n < IMPORTANT_RESYNC_HEAD)
        return true;
    return t && fits_important_resync(t, tk_load16(p + 2)) && (end_of_content(d, p, p + n, &more) || more);
}

#define HEAD 4

/* One record's outcome. */
typedef int record_fn(struct tk_ut_decoder *d, struct tk_ut_important *s, const uint8_t *p, uint32_t uid,
                      uint32_t size, uint64_t offset);

static int declaration(struct tk_ut_decoder *d, struct tk_ut_important *s, const uint8_t *p, uint32_t uid,
                       uint32_t size, uint64_t offset)
{
    (void)s;
    uint32_t stated = tk_load16(p - 2);
    if (size != stated)
        tk_health_note(d->health, TK_HEALTH_DECLARATION_DAMAGED, offset, 1,
                       "a type declaration has %u bytes, judging by what follows it, but claims %u", size,
                       stated);
    if (uid == 0)
        return tk_ut_schema_declare(d->schema, p, size, offset);
    tk_health_note(d->health, TK_HEALTH_DECLARATION_DAMAGED, offset, 1,
                   "a record of uid %u, %u bytes, among the declarations", uid, size);
    return TK_OK;
}

/* Collects the blobs of an event; false when its end is missing. */
static bool read_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev,
                       const uint8_t *p, const uint8_t *end, int *rc)
{
    while (p < end && *p != TK_UT_IMPORTANT_TERMINAL) {
        if (*p != TK_UT_IMPORTANT_BLOB || end - p < HEAD)
            return false;
        uint32_t word = tk_load32(p);
        struct tk_ut_blob blob = {p + HEAD, word >> 13, word >> 8 & 31};
        if ((size_t)(end - p) - HEAD < blob.n)
            return false;
        if (blob.n && tk_ut_blob_fits(d, ev, blob.field) && tk_vec_push(&lane->blobs, blob)) {
            *rc = TK_ENOMEM;
            return false;
        }
        p += HEAD + blob.n;
    }
    return p < end;
}

static int event(struct tk_ut_decoder *d, struct tk_ut_important *s, const uint8_t *p, uint32_t uid,
                 uint32_t size, uint64_t offset)
{
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, uid, offset);
    uint32_t stated = tk_load16(p - 2);
    struct tk_ut_event ev = {
        .type = t, .fixed = p, .attachment = p, .offset = offset, .tid = s->lane.tid, .seq = TK_NO_SEQ};
    int rc = TK_OK;
    if (!t) {
        tk_health_note(d->health, TK_HEALTH_TYPE_UNDECLARED, offset, 1,
                       "important events of the undeclared uid %u were dropped", uid);
        tk_ut_lane_drop(&s->lane, HEAD + (size_t)size);
        return TK_OK;
    }
    if (size < t->fixed) {
        tk_health_note(d->health, TK_HEALTH_EVENT_DAMAGED, offset, 1,
                       "an important event '%s' has %u of %u bytes", t->name->p, size, t->fixed);
        tk_ut_lane_drop(&s->lane, HEAD + (size_t)size);
        return TK_OK;
    }
    if (size != stated)
        tk_health_note(d->health, TK_HEALTH_EVENT_DAMAGED, offset, 1,
                       "an important event '%s' has %u bytes, judging by what follows it, but claims %u",
                       t->name->p, size, stated);
    ev.n_fixed = t->fixed;
    s->lane.blobs.n = 0;
    if (t->flags & TK_UT_FLAG_AUX) {
        ev.incomplete = !read_blobs(d, &s->lane, &ev, p + t->fixed, p + size, &rc);
        if (rc == TK_OK && ev.incomplete)
            tk_health_note(d->health, TK_HEALTH_EVENT_DAMAGED, offset, 1,
                           "the array data of an important event '%s' is damaged", t->name->p);
    }
    ev.blobs = s->lane.blobs.v;
    ev.n_blobs = (uint32_t)s->lane.blobs.n;
    if (rc == TK_OK)
        rc = tk_ut_begin_event(d, &s->lane, &ev, HEAD + size);
    return rc == TK_OK && tk_ut_wanted(d, t) ? tk_ut_deliver(d, &s->lane, &ev) : rc;
}

/* After a break: moves in->p to the first proven event. */
static int search(struct tk_ut_decoder *d, struct tk_ut_important *s, struct tk_ut_input *in, bool last)
{
    const uint8_t *from = in->p;
    int rc = TK_OK;
    while (in->p < in->end && (rc = tk_ut_important_proven(d, in->p, in->end, last)) == TK_OK)
        in->p++;
    s->searching = rc == TK_UT_MORE || in->p == in->end;
    tk_ut_lane_drop(&s->lane, (size_t)(in->p - from));
    if (in->p > from)
        tk_health_note(d->health, TK_HEALTH_EVENT_DAMAGED, s->lane.packet, 1,
                       "%zu bytes of important events were dropped", (size_t)(in->p - from));
    return rc == TK_UT_MORE ? rc : TK_OK;
}

static int declaration_size(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last,
                            size_t *size)
{
    return tk_ut_declare_size(d->schema, p, end, last, size);
}

/* How the records of a stream are distinguished, and what is done with them. */
struct framing {
    int (*size)(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last, size_t *size);
    record_fn *record;
};

static const struct framing declarations = {declaration_size, declaration},
                            events = {tk_ut_important_size, event};

static int run_important(struct tk_ut_decoder *d, struct tk_ut_important *s, struct tk_ut_input *in,
                         const struct framing *f, bool last)
{
    int rc = TK_OK;
    while (rc == TK_OK && in->end - in->p >= HEAD) {
        struct tk_ut_event at;
        size_t size = tk_load16(in->p + 2);
        int place = f->size(d, in->p, in->end, last, &size);
        if (place != TK_ITEM) {
            s->searching = place == TK_OK;
            return place;
        }
        tk_ut_place(&s->lane, in, in->p, &at);
        rc = f->record(d, s, in->p + HEAD, tk_load16(in->p), (uint32_t)size, at.offset);
        in->p += HEAD + size;
    }
    return rc;
}

static int keep_important(struct tk_ut_important *s, const struct tk_ut_input *in)
{
    struct tk_ut_lane *lane = &s->lane;
    size_t left = (size_t)(in->end - in->p);
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    if (left && tk_vec_grow((void **)&lane->carry, &lane->cap_carry, left, 1))
        return TK_ENOMEM;
    if (left)
        memmove(lane->carry, in->p, left);
    size_t done = (size_t)(in->p - in->base);
    s->joint = done < in->joint ? in->joint - done : left;
    lane->n_carry = left;
    lane->carry_offset = at.offset;
    lane->carry_within = at.within;
    return TK_OK;
}

static int parse(struct tk_ut_decoder *d, struct tk_ut_important *s, struct tk_ut_input *in,
                 const struct framing *f, bool last)
{
    int rc = TK_OK;
    s->searching &= f == &events;
    do {
        if (s->searching)
            rc = search(d, s, in, last);
        if (rc == TK_OK && !s->searching)
            rc = run_important(d, s, in, f, last);
    } while (rc == TK_OK && s->searching && in->p < in->end);
    return rc == TK_OK || rc == TK_UT_MORE ? keep_important(s, in) : rc;
}

static int feed_important(struct tk_ut_decoder *d, struct tk_ut_important *s,
                          const struct tk_ut_payload *payload, const struct framing *f)
{
    struct tk_ut_lane *lane = &s->lane;
    struct tk_ut_input in = {payload->p, payload->p, payload->p + payload->n, 0};
    tk_ut_lane_in_hand(lane, payload);
    if (lane->n_carry) {
        in.joint = lane->n_carry;
        if (tk_vec_grow((void **)&lane->carry, &lane->cap_carry, lane->n_carry + payload->n, 1))
            return TK_ENOMEM;
        memcpy(lane->carry + lane->n_carry, payload->p, payload->n);
        lane->n_carry += payload->n;
        in.base = in.p = lane->carry;
        in.end = lane->carry + lane->n_carry;
    }
    return parse(d, s, &in, f, false);
}

int tk_ut_declarations_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                            const struct tk_ut_payload *payload)
{
    return feed_important(d, s, payload, &declarations);
}

int tk_ut_important_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                         const struct tk_ut_payload *payload)
{
    return feed_important(d, s, payload, &events);
}

/* Parses what is carried over but for the first bytes, as the last of the stream. */
static int finish_important(struct tk_ut_decoder *d, struct tk_ut_important *s, size_t skip)
{
    struct tk_ut_lane *lane = &s->lane;
    struct tk_ut_input in = {lane->carry, lane->carry + skip, lane->carry + lane->n_carry, s->joint};
    bool types = lane->tid == TK_UT_TID_DECLARATIONS;
    if (types && skip)
        tk_ut_declare_next(d->schema, &in.p, in.end, true);
    s->searching |= skip > 0;
    return parse(d, s, &in, types ? &declarations : &events, true);
}

int tk_ut_important_break(struct tk_ut_decoder *d, struct tk_ut_important *s)
{
    int rc = s->lane.n_carry ? finish_important(d, s, 0) : TK_OK;
    s->lane.n_carry = 0;
    s->searching = true;
    return rc;
}

int tk_ut_important_finish(struct tk_ut_decoder *d, struct tk_ut_important *s, bool truncated)
{
    struct tk_ut_lane *lane = &s->lane;
    bool types = lane->tid == TK_UT_TID_DECLARATIONS;
    int rc = lane->n_carry ? finish_important(d, s, 0) : TK_OK;
    truncated &= types || tk_ut_important_begins(d, lane->carry, lane->n_carry);
    while (rc == TK_OK && lane->n_carry) { /* a record that does not end may hide others */
        tk_health_note(d->health, truncated ? TK_HEALTH_FILE_TRUNCATED : TK_HEALTH_EVENT_DAMAGED,
                       lane->carry_offset, 1, "%s end inside a record, %zu bytes of it are present",
                       types ? "declarations" : "important events", lane->n_carry);
        if (truncated)
            lane->n_carry = 0;
        else
            rc = finish_important(d, s, 1);
    }
    return rc;
}
