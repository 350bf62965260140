/*
 * The pass over the streams that define things.
 */
#include "format/utrace/lanes/lane.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/wire/packet_reader.h"

#include <stdlib.h>

#define PEEK_PACKETS 64 /* where a clock is looked for that is not on tid 1 */

/* State of the index pass. */
struct pass {
    struct tk_ut_capture *c;
    struct tk_ut_batch out;
    struct tk_ut_feed feed;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_health quiet; /* for what a reading notes again */
    uint8_t *raw, *unpacked;
    struct tk_err *err;
};

static int start_pass(struct pass *p, struct tk_ut_capture *c, struct tk_err *err)
{
    *p = (struct pass){.c = c, .err = err};
    p->quiet.muted = UINT64_MAX;
    p->feed = (struct tk_ut_feed){.capture = c, .out = &p->out, .index = true};
    p->handler = (struct tk_ut_handler){
        tk_ut_feed_event, tk_ut_feed_enter, tk_ut_feed_leave, tk_ut_feed_cut, NULL, &p->feed, NULL, NULL};
    p->decoder = (struct tk_ut_decoder){.schema = &c->schema,
                                        .limits = &c->ctx->limits,
                                        .health = &c->ctx->health,
                                        .handler = &p->handler,
                                        .scratch = &p->out.arena,
                                        .protocol = c->header.protocol,
                                        .uid_bias = 5};
    p->out.health.muted = UINT64_MAX;
    p->raw = malloc(TK_UT_PACKET_MAX);
    p->unpacked = malloc(TK_UT_PACKET_MAX);
    return p->raw && p->unpacked ? TK_OK : tk_err_nomem(err, "the index pass");
}

static void end_pass(struct pass *p)
{
    tk_ut_feed_release(&p->feed);
    tk_ut_batch_release(&p->out);
    tk_health_release(&p->quiet);
    free(p->raw);
    free(p->unpacked);
}

typedef int payload_fn(struct pass *p, void *stream, const struct tk_ut_payload *payload);
typedef int break_fn(struct pass *p, void *stream);

/* Reads all packets of one tid, in order. */
static int read_tid(struct pass *p, uint16_t tid, void *stream, payload_fn *feed, break_fn *cut)
{
    const struct tk_ut_index *ix = &p->c->index;
    uint64_t left = ix->lost ? UINT64_MAX : ix->lanes[tid].packets;
    int rc = TK_OK;
    for (size_t i = 0; left && (i = tk_ut_index_next(ix, i, tid)) < ix->n && rc == TK_OK; i++) {
        struct tk_ut_read_packet packet;
        left--;
        if (tk_ut_index_loss(ix, i))
            rc = cut(p, stream);
        if (rc != TK_OK || tk_ut_index_tid(ix, i) != tid)
            continue;
        rc = tk_ut_packet_read(p->c->ctx, ix, i, p->raw, p->unpacked, &packet, p->err);
        if (rc == TK_OK && packet.state == TK_UT_UNPACKED) {
            struct tk_ut_payload payload = {packet.p, packet.n, packet.head.offset,
                                            false,    false,    tk_ut_packet_stored(&packet)};
            rc = packet.n ? feed(p, stream, &payload) : TK_OK;
        } else if (rc == TK_OK) {
            tk_ut_packet_note(p->c->ctx, &p->c->ctx->health, ix, &packet);
            rc = cut(p, stream);
        }
    }
    return rc;
}

static int feed_declarations(struct pass *p, void *stream, const struct tk_ut_payload *payload)
{
    return tk_ut_declarations_feed(&p->decoder, stream, payload);
}

static int feed_important(struct pass *p, void *stream, const struct tk_ut_payload *payload)
{
    return tk_ut_important_feed(&p->decoder, stream, payload);
}

static int cut_important(struct pass *p, void *stream)
{
    return tk_ut_important_break(&p->decoder, stream);
}

static int read_framed(struct pass *p, uint16_t tid, payload_fn *feed)
{
    struct tk_ut_important stream = {.lane = {.tid = tid}};
    const struct tk_ut_index *ix = &p->c->index;
    bool last = ix->n && tk_ut_index_tid(ix, ix->n - 1) == tid;
    int rc = read_tid(p, tid, &stream, feed, cut_important);
    if (rc == TK_OK)
        rc = tk_ut_important_finish(&p->decoder, &stream, ix->truncated || ix->rest || last);
    tk_health_move(&p->c->ctx->health, tk_ut_packet_part(ix, tid), TK_LEDGER_UNREADABLE, stream.lane.dropped);
    if (tid == TK_UT_TID_IMPORTANT)
        p->c->important = stream.lane.events;
    tk_ut_lane_release(&stream.lane);
    return rc;
}

static int feed_lane(struct pass *p, void *lane, const struct tk_ut_payload *payload)
{
    return tk_ut_lane_feed(&p->decoder, lane, payload);
}

static int cut_lane(struct pass *p, void *stream)
{
    struct tk_ut_lane *lane = stream;
    (void)p;
    lane->n_carry = 0;
    lane->need = 0;
    lane->waiting = false;
    lane->broken = true;
    return TK_OK;
}

/* tid 0x3FFE has ordinary framing; its faults are noted by readings, which go over it again. */
static int read_connect(struct pass *p)
{
    struct tk_ut_lane lane = {.tid = TK_UT_TID_CONNECT};
    p->decoder.health = &p->quiet;
    int rc = read_tid(p, TK_UT_TID_CONNECT, &lane, feed_lane, cut_lane);
    p->decoder.health = &p->c->ctx->health;
    tk_ut_lane_release(&lane);
    return rc;
}

/* ---- all lanes ---- */

struct lane_set {
    struct tk_ut_lane **lanes; /* by tid; owned */
    bool again; /* go on behind the packets in which lanes waited for a declaration that never came */
};

static void free_lanes(struct lane_set *set, const struct tk_ut_index *ix)
{
    for (uint32_t tid = 0; set->lanes && tk_ut_index_lane(ix, &tid); tid++) {
        if (set->lanes[tid])
            tk_ut_lane_release(set->lanes[tid]);
        free(set->lanes[tid]);
    }
    free(set->lanes);
}

/* What was lost may have been of any lane. */
static void cut_lanes(struct pass *p, struct lane_set *set)
{
    for (uint32_t tid = 0; tk_ut_index_lane(&p->c->index, &tid); tid++)
        if (set->lanes[tid])
            cut_lane(p, set->lanes[tid]);
}

static int feed_one(struct pass *p, struct lane_set *set, const struct tk_ut_read_packet *packet)
{
    struct tk_ut_lane *lane = set->lanes[packet->head.tid];
    struct tk_ut_payload payload = {
        packet->p, packet->n, packet->head.offset, packet->head.partial, packet->head.whole_records, 0};
    if (!lane) {
        if (!(lane = calloc(1, sizeof *lane)))
            return TK_ENOMEM;
        lane->tid = packet->head.tid;
        set->lanes[packet->head.tid] = lane;
    }
    if (set->again && packet->head.offset <= lane->carry_offset)
        return TK_OK;
    if (packet->state != TK_UT_UNPACKED)
        return cut_lane(p, lane);
    return tk_ut_lane_feed(&p->decoder, lane, &payload);
}

/* Lanes that wait for a declaration go on when there are new ones, which may be in what they then read. */
static int retry_waiting(struct pass *p, struct lane_set *set)
{
    size_t known;
    int rc = TK_OK;
    do {
        known = p->c->schema.types.n;
        for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(&p->c->index, &tid); tid++)
            if (set->lanes[tid])
                rc = tk_ut_lane_retry(&p->decoder, set->lanes[tid]);
    } while (rc == TK_OK && p->c->schema.types.n != known);
    return rc;
}

static int walk_lanes(struct pass *p, struct lane_set *set, const uint8_t *want, size_t n)
{
    struct tk_ut_packet_run stretch = {0};
    size_t next = 0, count = 0, known = 0;
    int rc = TK_OK;
    do {
        rc = tk_ut_packet_run_read(&stretch, p->c->ctx, &p->c->index, next, want, &count, p->err);
        for (size_t i = 0; i < count && rc == TK_OK; i++) {
            if (stretch.packets.v[i].head.after_loss)
                cut_lanes(p, set);
            if (stretch.packets.v[i].state != TK_UT_NOT_WANTED)
                rc = feed_one(p, set, &stretch.packets.v[i]);
        }
        if (rc == TK_OK && known != p->c->schema.types.n)
            rc = retry_waiting(p, set);
        known = p->c->schema.types.n;
        next += count;
        tk_arena_clear(&p->out.arena);
    } while (rc == TK_OK && count && next < n);
    tk_ut_packet_run_release(&stretch);
    for (uint32_t tid = 0; n == p->c->index.n && !p->c->index.rest && tk_ut_index_lane(&p->c->index, &tid);
         tid++) {
        const struct tk_ut_lane *lane = set->lanes[tid];
        p->c->index.truncated |= lane && lane->n_carry && !lane->waiting && tk_ut_lane_is_cut(lane);
    }
    return rc;
}

/* Lanes that waited to the end: the packet in which each began to is left out, as readings do. */
static int walk_waiting(struct pass *p, struct lane_set *set)
{
    uint8_t *want = calloc(TK_UT_TIDS, 1);
    int rc = want ? TK_OK : TK_ENOMEM;
    for (uint32_t tid = 0; want && tk_ut_index_lane(&p->c->index, &tid); tid++) {
        want[tid] = set->lanes[tid] && set->lanes[tid]->waiting;
        set->again |= want[tid];
        if (want[tid])
            cut_lane(p, set->lanes[tid]);
    }
    p->decoder.wait = false;
    if (rc == TK_OK && set->again)
        rc = walk_lanes(p, set, want, p->c->index.n);
    free(want);
    return rc;
}

static int read_lanes(struct pass *p, const uint8_t *want, size_t n)
{
    struct lane_set set = {calloc(TK_UT_TIDS, sizeof *set.lanes), false};
    p->decoder.health = &p->quiet;
    int rc = set.lanes ? walk_lanes(p, &set, want, n) : TK_ENOMEM;
    if (rc == TK_OK && p->decoder.wait)
        rc = walk_waiting(p, &set);
    free_lanes(&set, &p->c->index);
    p->decoder.health = &p->c->ctx->health;
    return rc;
}

/* 4.27 declares each type once, to whoever is connected then (wire 4.7). What is cut off in its first packet
 * may have declared them. */
static void note_undeclared(struct tk_ut_capture *c)
{
    const struct tk_ut_index *ix = &c->index;
    if (c->header.protocol >= 1 && ix->n > ix->truncated && !c->schema.types.n)
        tk_health_note(&c->ctx->health, TK_HEALTH_TYPE_UNDECLARED, tk_ut_index_offset(ix, 0), 1,
                       "the capture declares no event types, as after a second connection to a program of "
                       "4.27: no event can be read");
}

/* Protocols 0 to 4: declarations and definitions stand on any lane. */
static int read_old(struct pass *p)
{
    p->decoder.declare = true;
    p->decoder.wait = p->c->header.protocol >= 1;
    int rc = read_lanes(p, NULL, p->c->index.n);
    if (rc == TK_OK)
        note_undeclared(p->c);
    return rc;
}

/* From 5.8 on the clock is in the first packet, on an ordinary lane (wire 2.7, 5.2). */
static int peek_clock(struct pass *p)
{
    uint8_t *want = malloc(TK_UT_TIDS);
    if (!want)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_UT_TIDS; i++)
        want[i] = i > TK_UT_TID_IMPORTANT && i != TK_UT_TID_CONNECT;
    for (size_t i = 0; tk_ut_families[i] && !p->feed.only; i++)
        if (tk_ut_families[i]->facts & TK_FACT_MASK(CLOCK))
            p->feed.only = tk_ut_families[i];
    p->feed.routes.n = p->feed.records.n = p->feed.times.n = 0;
    int rc = read_lanes(p, want, p->c->index.n < PEEK_PACKETS ? p->c->index.n : PEEK_PACKETS);
    free(want);
    return rc;
}

static bool is_announced(const struct tk_ut_capture *c, uint32_t tid)
{
    for (size_t i = 0; i < c->definitions.n; i++)
        if (c->definitions.v[i].kind == TK_FACT_THREAD && c->definitions.v[i].thread == tid)
            return true;
    return false;
}

/* Packets of threads that are far beyond all others stay where these are announced. */
static int doubt(struct pass *p)
{
    struct tk_ut_index *ix = &p->c->index;
    struct tk_health *health = &p->c->ctx->health;
    for (size_t i = 0; i < ix->suspects.n; i++) {
        struct tk_ut_read_packet packet;
        size_t number = ix->suspects.v[i];
        uint32_t tid = tk_ut_index_tid(ix, number);
        if (is_announced(p->c, tid))
            continue;
        int rc = tk_ut_packet_read(p->c->ctx, ix, number, p->raw, p->unpacked, &packet, p->err);
        if (rc != TK_OK)
            return rc;
        uint32_t size = packet.head.stored, head = packet.head.head;
        tk_health_move(health, TK_LEDGER_FRAMING, TK_LEDGER_SKIPPED, head);
        tk_health_move(health, tk_ut_packet_part(ix, tid), TK_LEDGER_SKIPPED, size - head);
        tk_ut_index_take_out(ix, number, size, head);
        tk_health_note(health, TK_HEALTH_PACKET_HEADER_DAMAGED, packet.head.offset, 1,
                       "an impossible packet of %u bytes for thread %u was dropped", size, tid);
    }
    return TK_OK;
}

/* Threads that no event describes, in order of their numbers. */
static int add_lanes(struct tk_ut_capture *c)
{
    for (uint32_t tid = c->header.protocol ? 2 : 1;
         tk_ut_index_lane(&c->index, &tid) && tid < TK_UT_TID_CONNECT; tid++) {
        struct tk_fact fact = {.kind = TK_FACT_THREAD, .size = sizeof fact, .thread = tid, .seq = TK_NO_SEQ};
        if (tk_vec_push(&c->definitions, fact))
            return TK_ENOMEM;
    }
    return TK_OK;
}

int tk_ut_index_pass(struct tk_ut_capture *c, struct tk_err *err)
{
    struct pass p;
    int rc = start_pass(&p, c, err);
    if (rc == TK_OK && c->header.protocol < 5) {
        rc = read_old(&p);
    } else if (rc == TK_OK) {
        rc = read_framed(&p, TK_UT_TID_DECLARATIONS, feed_declarations);
        if (rc == TK_OK)
            rc = read_framed(&p, TK_UT_TID_IMPORTANT, feed_important);
        if (rc == TK_OK && c->index.lanes[TK_UT_TID_CONNECT].packets)
            rc = read_connect(&p);
        if (rc == TK_OK && !c->clock.frequency)
            rc = peek_clock(&p);
    }
    if (rc == TK_OK && !c->index.rest) /* where they may be announced */
        rc = doubt(&p);
    if (rc == TK_OK)
        rc = add_lanes(c);
    end_pass(&p);
    tk_health_left_out(&c->ctx->health, &c->strings.left_out);
    return tk_ut_reading_failed(rc, err);
}
