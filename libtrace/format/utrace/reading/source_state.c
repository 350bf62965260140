/*
 * States of readings. Their bytes:
 *
 * - threads: how many; of each its number, where events begin that are under way, stamps, open scopes around
 *   events
 *
 * - scopes
 */
#include "base/sort.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/wire/packet_reader.h"

#include <stdlib.h>

enum { TIMING = 1, UNTIMED = 2, SEEN = 4 };

/* ---- threads ---- */

/* Events under way are read again from the packet in which the first of them begins: 1 + its number; 0: there
 * are none. false: an event is open whose begin is not known, as nobody wants it. */
static bool find_begin(const struct tk_ut_index *ix, const struct tk_ut_group *g, uint64_t *packet)
{
    size_t at;
    *packet = 0;
    for (size_t i = 0; i < g->open.n; i++)
        if (g->open.v[i].index >= g->events.n)
            return false;
    if (!g->events.n)
        return true;
    const uint64_t offset = g->events.v[0].ev.offset;
    TK_SEARCH(at, ix->n, tk_ut_index_offset(ix, at) < offset);
    *packet = at + 1;
    return at < ix->n && tk_ut_index_offset(ix, at) == offset;
}

static bool put_thread(const struct tk_ut_index *ix, const struct tk_ut_lane *lane, struct tk_kept_bytes *out)
{
    uint64_t packet;
    if (lane->broken || lane->hurt || lane->waiting || lane->in_zeros || lane->marks_over || lane->n_carry ||
        lane->group.closed.n || lane->dropped || lane->disordered || lane->orphans || lane->strays ||
        !find_begin(ix, &lane->group, &packet))
        return false;
    tk_kept_put(out, lane->tid);
    tk_kept_put(out, packet);
    tk_kept_put(out, (lane->timing ? TIMING : 0u) | (lane->untimed_noted ? UNTIMED : 0u) |
                         (lane->seen ? SEEN : 0u));
    tk_kept_put(out, lane->stamp);
    tk_kept_put_signed(out, lane->latest);
    tk_kept_put(out, lane->events);
    tk_kept_put(out, lane->unpacked);
    tk_kept_put(out, lane->marks.n);
    for (size_t i = 0; i < lane->marks.n; i++) {
        const struct tk_ut_mark *m = &lane->marks.v[i];
        tk_kept_put_signed(out, m->time);
        tk_kept_put(out, m->type ? (uint64_t)m->type->id + 1 : 0);
        tk_kept_put(out, m->timed);
    }
    return true;
}

static int take_marks(const struct tk_ut_under_way *r, struct tk_ut_lane *lane, struct tk_cur *c)
{
    const struct tk_ut_schema *schema = &r->capture->schema;
    const uint64_t n = tk_varint(c, "open scopes");
    lane->marks.n = 0;
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_ut_mark m = {.time = tk_kept_signed(c, "an open scope")};
        const uint64_t type = tk_varint(c, "an open scope");
        m.timed = tk_varint(c, "an open scope") != 0;
        if (type > schema->types.n)
            return TK_EFORMAT;
        m.type = type ? schema->types.v[type - 1] : NULL;
        if (tk_vec_push(&lane->marks, m))
            return TK_ENOMEM;
    }
    return TK_OK;
}

/* ---- events under way ---- */

static int pass_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    (void)self;
    (void)lane;
    (void)ev;
    return TK_OK;
}

static int pass_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)self;
    (void)lane;
    (void)type;
    (void)time;
    return TK_OK;
}

static int pass_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)self;
    (void)lane;
    (void)time;
    return TK_OK;
}

static int pass_cut(void *self, struct tk_ut_lane *lane)
{
    (void)self;
    (void)lane;
    return TK_OK;
}

static int pass_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    (void)self;
    (void)lane;
    (void)type;
    return TK_OK;
}

/* What others got already is passed over. */
static const struct tk_ut_handler passing = {pass_event, pass_enter, pass_leave,     pass_cut,
                                             NULL,       NULL,       pass_scope_end, NULL};

/* Buffers for a packet. */
struct buffers {
    uint8_t *raw, *out;
};

static int feed_again(const struct tk_ut_under_way *r, struct tk_ut_lane *lane, size_t packet, uint64_t until,
                      const struct buffers *buffers)
{
    const struct tk_ut_capture *c = r->capture;
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_ut_decoder decoder = *r->decoder;
    int rc = TK_OK;
    decoder.handler = &passing;
    decoder.health = &quiet;
    decoder.counts = NULL;
    decoder.serials = NULL;
    for (size_t i = packet; rc == TK_OK && (i = tk_ut_index_next(&c->index, i, (uint16_t)lane->tid)) < until;
         i++) {
        struct tk_ut_read_packet p;
        rc = tk_ut_packet_read(c->ctx, &c->index, i, buffers->raw, buffers->out, &p, NULL);
        if (rc != TK_OK || p.state != TK_UT_UNPACKED)
            return rc == TK_OK ? TK_EFORMAT : rc;
        const struct tk_ut_payload payload = {p.p, p.n, p.head.offset, p.head.partial, p.head.whole_records,
                                              0};
        rc = tk_ut_lane_feed(&decoder, lane, &payload);
    }
    return rc;
}

static int read_again(const struct tk_ut_under_way *r, struct tk_ut_lane *lane, size_t packet, uint64_t until)
{
    const struct buffers buffers = {malloc(TK_UT_PACKET_MAX), malloc(TK_UT_PACKET_MAX)};
    const int rc = buffers.raw && buffers.out ? feed_again(r, lane, packet, until, &buffers) : TK_ENOMEM;
    free(buffers.raw);
    free(buffers.out);
    return rc;
}

static void forget(struct tk_ut_lane *lane)
{
    lane->group.events.n = lane->group.open.n = lane->group.closed.n = 0;
    lane->group.records = 0;
    tk_arena_clear(&lane->group.arena);
    lane->broken = lane->hurt = lane->waiting = lane->seen = false;
    lane->n_carry = lane->need = 0;
    lane->marks.n = 0;
}

static int take_thread(const struct tk_ut_under_way *r, struct tk_cur *c, uint64_t until)
{
    const struct tk_ut_index *ix = &r->capture->index;
    const uint64_t tid = tk_varint(c, "a thread"), packet = tk_varint(c, "a packet");
    struct tk_ut_lane *lane = tid < TK_UT_TIDS && tk_cur_ok(c) ? r->make(r->ctx, (uint16_t)tid) : NULL;
    if (!lane)
        return tid < TK_UT_TIDS && tk_cur_ok(c) ? TK_ENOMEM : TK_EFORMAT;
    forget(lane);
    int rc = packet > ix->n ? TK_EFORMAT : packet ? read_again(r, lane, (size_t)packet - 1, until) : TK_OK;
    const uint64_t flags = tk_varint(c, "a thread");
    lane->timing = flags & TIMING;
    lane->untimed_noted = flags & UNTIMED;
    lane->seen = flags & SEEN;
    lane->orphans = lane->strays = 0;
    lane->stamp = tk_varint(c, "a stamp");
    lane->latest = tk_kept_signed(c, "a time");
    lane->events = tk_varint(c, "events");
    lane->unpacked = tk_varint(c, "bytes");
    return rc == TK_OK ? take_marks(r, lane, c) : rc;
}

/* ---- all of it ---- */

bool tk_ut_state_put(const struct tk_ut_under_way *r, struct tk_kept_bytes *out)
{
    const struct tk_ut_index *ix = &r->capture->index;
    uint64_t n = 0;
    bool good = tk_ut_known_timers_can(r->capture);
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++)
        n += r->at(r->ctx, (uint16_t)tid) != NULL;
    tk_kept_put(out, n);
    for (uint32_t tid = 0; good && tk_ut_index_lane(ix, &tid); tid++) {
        const struct tk_ut_lane *lane = r->at(r->ctx, (uint16_t)tid);
        good = !lane || put_thread(ix, lane, out);
    }
    return good && tk_ut_scopes_put(r->feed->scopes, out);
}

int tk_ut_state_take(const struct tk_ut_under_way *r, const struct tk_piece *piece)
{
    struct tk_cur c = tk_cur_of(piece->state, piece->n_state);
    int rc = TK_OK;
    const uint64_t n = tk_varint(&c, "threads"), packets = r->capture->index.n;
    const uint64_t until = piece->from < packets ? piece->from : packets;
    for (uint64_t i = 0; i < n && rc == TK_OK; i++)
        rc = take_thread(r, &c, until);
    if (rc == TK_OK)
        rc = tk_ut_scopes_take(r->feed, &c);
    return rc == TK_OK && (!tk_cur_ok(&c) || tk_cur_left(&c)) ? TK_EFORMAT : rc;
}

/* Passes over the state of a thread. */
static void pass_thread(struct tk_cur *c)
{
    enum { NUMBERS = 7, MARK_NUMBERS = 3 };
    for (unsigned i = 0; i < NUMBERS; i++)
        (void)tk_varint(c, "a thread");
    const uint64_t marks = tk_varint(c, "open scopes");
    for (uint64_t i = 0; i < marks && tk_cur_ok(c); i++)
        for (unsigned k = 0; k < MARK_NUMBERS; k++)
            (void)tk_varint(c, "an open scope");
}

int tk_ut_state_number(const struct tk_ut_under_way *r, const struct tk_piece *end)
{
    struct tk_cur c = tk_cur_of(end->state, end->n_state);
    for (uint64_t i = tk_varint(&c, "threads"); i > 0 && tk_cur_ok(&c); i--)
        pass_thread(&c);
    const int rc = tk_ut_scopes_number(r->feed, &c);
    return rc == TK_OK && !tk_cur_ok(&c) ? TK_EFORMAT : rc;
}
