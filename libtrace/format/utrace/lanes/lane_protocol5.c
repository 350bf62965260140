/*
 * Records of protocols 5 to 7 (wire 3.5). A code byte, two of them if odd; uid = code >> 1:
 *
 *   uid >= 16   u24 serial unless NoSync | fixed part; with array data: blobs, then a terminal
 *   02          u32: 02, field index in bits 8..12, byte count in bits 13..31 | data
 *   06          terminal
 *   08 0A ...   scope records, see the tables
 */
#include "format/utrace/lanes/lanes_in.h"
#include "format/utrace/wire/index.h"

enum clock { CLOCK_NONE, CLOCK_DELTA, CLOCK_RELATIVE, CLOCK_ABSOLUTE };

struct scope_code {
    uint8_t known, enter, clock, stamp; /* stamp: bytes behind the code */
};

/* By uid; protocols 5 and 6, then 7. */
static const struct scope_code scope_codes[2][TK_UT_FIRST_UID] = {
    {
        [4] = {1, 1, CLOCK_NONE, 0},
        [5] = {1, 0, CLOCK_NONE, 0},
        [8] = {1, 1, CLOCK_DELTA, 7},
        [12] = {1, 0, CLOCK_DELTA, 7},
    },
    {
        [4] = {1, 1, CLOCK_NONE, 0},
        [5] = {1, 0, CLOCK_NONE, 0},
        [6] = {1, 1, CLOCK_ABSOLUTE, 8},
        [7] = {1, 0, CLOCK_ABSOLUTE, 8},
        [8] = {1, 1, CLOCK_RELATIVE, 7},
        [9] = {1, 0, CLOCK_RELATIVE, 7},
    },
};

static int reserved(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                    uint32_t uid)
{
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    tk_health_note(d->health, TK_HEALTH_STREAM_BREAK, at.offset, 1,
                   "thread %u: reserved code for uid %u at byte %u of its packet; %zu bytes were dropped",
                   lane->tid, uid, at.within, (size_t)(in->end - in->p));
    return TK_UT_STOP;
}

static int scope_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        const struct scope_code *code)
{
    if (!tk_ut_ready(lane, in, 1u + code->stamp))
        return TK_UT_MORE;
    uint64_t stamp = tk_load_le(in->p + 1, code->stamp);
    int64_t time = 0;
    in->p += 1u + code->stamp;
    if (code->clock == CLOCK_DELTA)
        time = tk_ut_stamp(d, lane, stamp);
    else if (code->clock == CLOCK_RELATIVE)
        time = (int64_t)stamp;
    else if (code->clock == CLOCK_ABSOLUTE)
        time = (int64_t)(stamp - d->start_cycle);
    bool timed = code->clock != CLOCK_NONE;
    return code->enter ? tk_ut_enter(d, lane, timed, time) : tk_ut_leave(d, lane, timed, time);
}

/* The blob at p, if it is all before end; its length with the header, or 0. */
static size_t read_blob(const uint8_t *p, const uint8_t *end, struct tk_ut_blob *blob)
{
    if (end - p < 4)
        return 0;
    uint32_t word = tk_load32(p);
    *blob = (struct tk_ut_blob){p + 4, word >> 13, word >> 8 & 31};
    return (size_t)(end - p) - 4 >= blob->n ? 4 + (size_t)blob->n : 0;
}

static int blob_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    struct tk_ut_blob blob = {0};
    if (!tk_ut_ready(lane, in, 4))
        return TK_UT_MORE;
    size_t n = read_blob(in->p, in->end, &blob);
    if (!n) {
        lane->need = 4 + (size_t)blob.n;
        return TK_UT_MORE;
    }
    in->p += n;
    return tk_ut_add_blob(d, lane, &blob);
}

int tk_ut_rest_new(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    if (*lane->carry != TK_UT_CODE_BLOB || lane->n_carry < 4 || !lane->group.open.n)
        return TK_OK;
    struct tk_ut_blob blob = {lane->carry + 4, (uint32_t)lane->n_carry - 4, tk_load32(lane->carry) >> 8 & 31};
    return tk_ut_add_blob(d, lane, &blob);
}

static int well_known(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in, uint32_t uid)
{
    const struct scope_code *code = &scope_codes[d->protocol >= 7][uid];
    if (*in->p == TK_UT_CODE_BLOB)
        return blob_record(d, lane, in);
    if (*in->p == TK_UT_CODE_TERMINAL) {
        in->p++;
        return tk_ut_end_blobs(d, lane);
    }
    if (code->known && !(*in->p & 1))
        return scope_record(d, lane, in, code);
    return reserved(d, lane, in, uid);
}

/*
 * Reads the blobs that directly follow an event. True when the terminal was reached; else *p stands at what
 * comes instead (the end, a nested record).
 */
static int direct_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, bool wanted,
                        const uint8_t **p, const uint8_t *end)
{
    struct tk_ut_blob blob;
    lane->blobs.n = 0;
    while (*p < end && **p == TK_UT_CODE_BLOB) {
        size_t n = read_blob(*p, end, &blob);
        if (!n)
            break;
        *p += n;
        if (wanted && tk_ut_blob_fits(d, ev, blob.field) && tk_vec_push(&lane->blobs, blob))
            return TK_ENOMEM;
    }
    ev->blobs = lane->blobs.v;
    ev->n_blobs = (uint32_t)lane->blobs.n;
    if (*p < end && **p == TK_UT_CODE_TERMINAL) {
        ++*p;
        return TK_ITEM;
    }
    return TK_OK;
}

static int finish_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        struct tk_ut_event *ev, const uint8_t *start, bool wanted)
{
    int whole = TK_ITEM;
    if (ev->type->flags & TK_UT_FLAG_AUX)
        whole = direct_blobs(d, lane, ev, wanted, &in->p, in->end);
    if (whole < 0)
        return whole;
    int rc = tk_ut_begin_event(d, lane, ev, (size_t)(in->p - start));
    if (rc == TK_OK && !wanted && ev->has_serial)
        rc = tk_ut_skip_serial(d, lane, ev->serial);
    if (rc != TK_OK)
        return rc;
    if (whole == TK_OK)
        return tk_ut_open_event(d, lane, ev, wanted);
    return wanted ? tk_ut_deliver(d, lane, ev) : TK_OK;
}

/* An event that is only counted: no array data, nobody wants it, no scope record waits for it. */
static int count_unwanted(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *t,
                          uint32_t serial, size_t bytes)
{
    lane->events++;
    if (d->counts) {
        d->counts[t->id]++;
        d->bytes[t->id] += bytes;
    }
    return t->flags & TK_UT_FLAG_NOSYNC ? TK_OK : tk_ut_skip_serial(d, lane, serial);
}

/* The type of an event at the beginning of `in`, or NULL. */
static const struct tk_ut_type *type_of(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                                        const struct tk_ut_input *in, uint32_t uid)
{
    const struct tk_ut_type *t = uid <= UINT16_MAX ? d->schema->by_uid[uid] : NULL;
    if (t && t->older) {
        struct tk_ut_event at;
        tk_ut_place(lane, in, in->p, &at);
        t = tk_ut_schema_find(d->schema, uid, at.offset);
    }
    return t;
}

static int event_record(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in,
                        uint32_t uid, size_t code_size)
{
    const uint8_t *start = in->p;
    const struct tk_ut_type *t = type_of(d, lane, in, uid);
    if (!t)
        return tk_ut_undeclared_stop(d, lane, in, uid);
    bool synced = !(t->flags & TK_UT_FLAG_NOSYNC);
    bool wanted = tk_ut_wanted(d, t) || tk_ut_says_time(d, lane);
    if (d->passes && (!wanted || d->passed)) {
        const int passed = tk_ut_pass_over(d, lane, in);
        if (passed)
            return passed < 0 ? passed : TK_OK;
    }
    if (d->plains && wanted) {
        const int passed = tk_ut_pass_plain(d, lane, in);
        if (passed)
            return passed < 0 ? passed : TK_OK;
    }
    size_t head = code_size + (synced ? 3 : 0);
    if (!tk_ut_ready(lane, in, head + t->fixed))
        return TK_UT_MORE;
    uint32_t serial =
        synced ? (uint32_t)start[code_size] | (uint32_t)tk_load16(start + code_size + 1) << 8 : 0;
    in->p = start + head + t->fixed;
    if (synced && lane->tid != TK_UT_TID_CONNECT)
        tk_ut_saw_serial(d, lane, serial);
    lane->synced += synced;
    if (!wanted && t->plain && !tk_ut_scope_waits(lane) && lane->tid != TK_UT_TID_CONNECT)
        return count_unwanted(d, lane, t, serial, head + t->fixed);
    struct tk_ut_event ev = {.type = t, .tid = lane->tid, .seq = TK_NO_SEQ, .serial = serial};
    tk_ut_place(lane, in, start, &ev);
    ev.has_serial = synced && lane->tid != TK_UT_TID_CONNECT;
    ev.fixed = start + head;
    ev.attachment = in->p; /* none, but never NULL */
    ev.n_fixed = t->fixed;
    return finish_event(d, lane, in, &ev, start, wanted);
}

size_t tk_ut_length_new(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                        const struct tk_ut_input *in, struct tk_ut_record_kind *kind)
{
    size_t left = (size_t)(in->end - in->p), code_size = 1u + (*in->p & 1u);
    struct tk_ut_blob ignored;
    *kind = (struct tk_ut_record_kind){.event = false};
    if (left < code_size)
        return 0;
    uint32_t uid = (code_size == 2 ? (uint32_t)tk_load16(in->p) : (uint32_t)*in->p) >> 1;
    kind->event = uid >= TK_UT_FIRST_UID;
    if (kind->event) {
        const struct tk_ut_type *t = type_of(d, lane, in, uid);
        if (!t)
            return 0;
        kind->opens = t->flags & TK_UT_FLAG_AUX;
        kind->synced = !(t->flags & TK_UT_FLAG_NOSYNC) && left >= code_size + 3;
        if (kind->synced)
            kind->serial = (uint32_t)in->p[code_size] | (uint32_t)tk_load16(in->p + code_size + 1) << 8;
        return code_size + (t->flags & TK_UT_FLAG_NOSYNC ? 0 : 3) + t->fixed;
    }
    kind->closes = *in->p == TK_UT_CODE_TERMINAL;
    if (*in->p == TK_UT_CODE_BLOB)
        return read_blob(in->p, in->end, &ignored);
    const struct scope_code *code = &scope_codes[d->protocol >= 7][uid];
    return kind->closes ? 1 : code->known && code_size == 1 ? 1u + code->stamp : 0;
}

int tk_ut_record_new(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in)
{
    size_t code_size = 1u + (*in->p & 1u);
    if (!tk_ut_ready(lane, in, code_size))
        return TK_UT_MORE;
    uint32_t uid = (code_size == 2 ? (uint32_t)tk_load16(in->p) : (uint32_t)*in->p) >> 1;
    if (uid < TK_UT_FIRST_UID)
        return well_known(d, lane, in, uid);
    return event_record(d, lane, in, uid, code_size);
}
