/*
 * Events that are passed over by their sizes, or handed on many at a time: protocols 5 to 7.
 */
#include "format/utrace/lanes/lanes_in.h"
#include "format/utrace/wire/index.h"

/* What follows the array data at p and its terminal; NULL where not all of it is there, or something else
 * stands between. */
static const uint8_t *behind_blobs(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 4 && *p == TK_UT_CODE_BLOB) {
        const size_t n = 4 + (size_t)(tk_load32(p) >> 13);
        if ((size_t)(end - p) < n)
            return NULL;
        p += n;
    }
    return p < end && *p == TK_UT_CODE_TERMINAL ? p + 1 : NULL;
}

/* What follows the event at p; NULL where it is none that can be passed over, or not all of it is there. */
static inline const uint8_t *behind_unwanted(uint32_t pass, const uint8_t *p, const uint8_t *end)
{
    const size_t n = pass >> TK_UT_PASS_BITS;
    if ((size_t)(end - p) < n || !n)
        return NULL;
    return pass & TK_UT_PASS_AUX ? behind_blobs(p + n, end) : p + n;
}

/* Passes over events that nobody wants: they are only counted. */
static int pass_over(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    const uint32_t *passes = d->passes;
    const uint8_t *p = in->p, *end = in->end, *next;
    uint64_t events = 0, synced = 0;
    for (uint32_t code, pass; end - p >= 2 && (code = tk_load16(p)) & 1; p = next, events++) {
        pass = passes[code >> 1];
        next = behind_unwanted(pass, p, end);
        if (!next)
            break;
        if (pass & TK_UT_PASS_SYNCED) {
            tk_ut_saw_serial(d, lane, tk_load32(p + 1) >> 8);
            synced++;
        }
    }
    lane->events += events;
    lane->synced += synced;
    in->p = p;
    return events ? TK_ITEM : TK_OK;
}

/* Does the type have a field for each piece of array data at p? All of it is there. */
static bool blobs_fit(const struct tk_ut_type *type, const uint8_t *p)
{
    for (; *p == TK_UT_CODE_BLOB; p += 4 + (tk_load32(p) >> 13))
        if (!tk_ut_type_takes(type, tk_load32(p) >> 8 & 31))
            return false;
    return true;
}

/* Queries whether an event can be handed on as it stands. What may not be counted on is none that can. */
static bool ask(const struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                struct tk_ut_passed *event)
{
    event->synced = !(type->flags & TK_UT_FLAG_NOSYNC);
    if (event->synced && !(event->number = tk_ut_serials_peek(d->serials, tk_load32(event->p + 1) >> 8)))
        return false;
    event->answer = d->may_pass(d->handler->self, lane, type, event);
    return event->answer != 0;
}

static bool can_pass(const struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint32_t pass,
                     struct tk_ut_passed *event)
{
    const struct tk_ut_type *type = d->schema->by_uid[event->uid];
    if (pass & TK_UT_PASS_AUX && !blobs_fit(type, event->p + (pass >> TK_UT_PASS_BITS)))
        return false;
    return !(pass & TK_UT_PASS_WANTS) || ask(d, lane, type, event);
}

/* The event at p, where it can be handed on as it stands. */
static bool read_passed(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const uint8_t *p,
                        const uint8_t *end, struct tk_ut_passed *out)
{
    const uint32_t code = end - p >= 2 ? tk_load16(p) : 0, pass = code & 1 ? d->passes[code >> 1] : 0;
    const uint8_t *next = behind_unwanted(pass, p, end);
    if (!next)
        return false;
    *out = (struct tk_ut_passed){.p = p, .n = (uint32_t)(next - p), .uid = (uint16_t)(code >> 1)};
    if (pass & (TK_UT_PASS_AUX | TK_UT_PASS_WANTS) && !can_pass(d, lane, pass, out))
        return false;
    if (pass & TK_UT_PASS_SYNCED) {
        const uint32_t serial = tk_load32(p + 1) >> 8;
        tk_ut_saw_serial(d, lane, serial);
        out->synced = true;
        out->number = tk_ut_serials_unwrap(d->serials, serial);
        lane->synced++;
    }
    return true;
}

/* Hands on events together. */
static int hand_over(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    struct tk_ut_passed events[TK_UT_MOST_PASSED];
    int rc = TK_OK, any = TK_OK;
    for (size_t n = TK_UT_MOST_PASSED; n == TK_UT_MOST_PASSED && rc == TK_OK;) {
        for (n = 0; n < TK_UT_MOST_PASSED && read_passed(d, lane, in->p, in->end, &events[n]); n++)
            in->p += events[n].n;
        lane->events += n;
        if (!n)
            break;
        any = TK_ITEM;
        rc = d->passed(d->handler->self, lane, events, n);
    }
    return rc == TK_OK ? any : rc;
}

int tk_ut_pass_over(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    if (d->counts || d->handler->skip_serial || lane->group.open.n || tk_ut_scope_waits(lane) ||
        lane->tid == TK_UT_TID_CONNECT)
        return TK_OK;
    if (!d->passed)
        return pass_over(d, lane, in);
    return lane->begun ? TK_OK : hand_over(d, lane, in);
}

/* The plain events from p on, TK_UT_MOST_PASSED of them at most: their number, and in *out what follows. */
static size_t read_plain(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                         struct tk_ut_plain *events, const uint8_t **out)
{
    const uint8_t *p = in->p;
    size_t n = 0;
    for (; n < TK_UT_MOST_PASSED && in->end - p >= (ptrdiff_t)TK_UT_PLAIN_HEAD; n++) {
        const uint32_t code = tk_load16(p), size = code & 1 ? d->plains[code >> 1] : 0;
        if (!size || (size_t)(in->end - p) < size)
            break;
        events[n] = (struct tk_ut_plain){tk_load32(p + 1) >> 8, (uint32_t)(p - in->base)};
        tk_ut_saw_serial(d, lane, events[n].serial);
        p += size;
    }
    *out = p;
    return n;
}

int tk_ut_pass_plain(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    struct tk_ut_plain events[TK_UT_MOST_PASSED];
    int rc = TK_OK, any = TK_OK;
    if (d->counts || in->base == lane->carry || lane->group.open.n || tk_ut_scope_waits(lane) ||
        lane->tid == TK_UT_TID_CONNECT)
        return TK_OK;
    for (size_t n = TK_UT_MOST_PASSED; n == TK_UT_MOST_PASSED && rc == TK_OK;) {
        n = read_plain(d, lane, in, events, &in->p);
        if (!n)
            break;
        any = TK_ITEM;
        lane->events += n;
        lane->synced += n;
        lane->begun = false;
        rc = d->plain(d->handler->self, lane, events, n);
    }
    return rc == TK_OK ? any : rc;
}

uint16_t tk_ut_plain_of(const struct tk_ut_type *type)
{
    const uint32_t pass = tk_ut_pass_of(type), n = pass >> TK_UT_PASS_BITS;
    const bool plain = type->plain && pass & TK_UT_PASS_SYNCED && !(pass & TK_UT_PASS_AUX);
    return (uint16_t)(plain && n <= UINT16_MAX ? n : 0);
}

uint32_t tk_ut_pass_of(const struct tk_ut_type *type)
{
    const bool synced = !(type->flags & TK_UT_FLAG_NOSYNC), aux = type->flags & TK_UT_FLAG_AUX;
    const uint32_t n = (synced ? 5u : 2u) + type->fixed;
    if (type->role || type->older || type->unreadable || type->uid < TK_UT_FIRST_UID ||
        type->fixed > UINT16_MAX)
        return 0;
    return n << TK_UT_PASS_BITS | (aux ? TK_UT_PASS_AUX : 0u) | (synced ? TK_UT_PASS_SYNCED : 0u);
}
