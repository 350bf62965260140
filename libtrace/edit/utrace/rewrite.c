/*
 * Writing of the result of an edit: its head, packets and tail, and its threads.
 */
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/texts/texts.h"
#include "edit/utrace/utrace_in.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"
#include "format/utrace/wire/packet_reader.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

/*
 * Chains of packets.
 */

#define NONE TK_EDIT_NOWHERE

int tk_edit_chains_init(struct tk_edit_chains *c, size_t packets)
{
    *c = (struct tk_edit_chains){.packets = calloc(packets + 1, sizeof *c->packets),
                                 .n = packets,
                                 .of_lane = malloc(TK_UT_TIDS * sizeof *c->of_lane),
                                 .open = calloc(TK_UT_TIDS, sizeof *c->open)};
    if (!c->packets || !c->of_lane || !c->open)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_UT_TIDS; i++)
        c->of_lane[i] = NONE;
    return TK_OK;
}

void tk_edit_chains_begin(struct tk_edit_chains *c, size_t packet, uint32_t tid)
{
    const bool goes_on = c->open[tid] && c->of_lane[tid] != NONE;
    if (!goes_on)
        c->of_lane[tid] = (uint32_t)packet;
    c->packets[packet].head = c->of_lane[tid];
}

struct tk_edit_chain *tk_edit_chains_now(struct tk_edit_chains *c, uint32_t tid)
{
    return c->of_lane[tid] == NONE ? NULL : &c->packets[c->of_lane[tid]];
}

void tk_edit_chains_found(struct tk_edit_chains *c, const uint8_t *found)
{
    for (size_t i = 0; i < c->n; i++) {
        c->packets[i].dirty |= (found[i] & TK_EDIT_TEXT_CHANGES) != 0;
        c->packets[i].unsure |= (found[i] & TK_EDIT_TEXT_UNSURE) != 0;
    }
}

bool tk_edit_chains_dirty(const struct tk_edit_chains *c, size_t packet, uint64_t shifted)
{
    const struct tk_edit_chain *head = &c->packets[c->packets[packet].head];
    return head->dirty || head->number >= shifted;
}

void tk_edit_chains_follow(struct tk_edit_chains *c, size_t packet, uint32_t tid)
{
    c->of_lane[tid] = c->packets[packet].head;
}

void tk_edit_chains_release(struct tk_edit_chains *c)
{
    free(c->packets);
    free(c->of_lane);
    free(c->open);
    *c = (struct tk_edit_chains){0};
}

/* The number that an event is written with. */
static uint32_t serial_of(const struct tk_edit_rewrite *w, uint32_t old, uint64_t number)
{
    struct tk_edit_serials *s = &w->account->serials;
    if (!number || number < s->shifted)
        return old;
    return (uint32_t)tk_edit_serials_new(s, number);
}

static bool is_copied(const struct tk_edit_rewrite *w, const struct tk_edit_chain *chain)
{
    return chain && !chain->dirty && chain->number < w->account->serials.shifted;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_rewrite *w = (struct tk_edit_rewrite *)stage;
    struct tk_edit_account *a = w->account;
    const uint32_t tid = item->lane->tid;
    const uint64_t number = item->number ? tk_edit_serials_find(&a->serials, item->number) : 0;
    const struct tk_edit_chain *chain = tk_edit_chains_now(&a->chains, tid);
    if (w->tallies && item->ev && item->ev->type->id < a->n)
        a->types[item->ev->type->id].changed += item->changed;
    if (is_copied(w, chain))
        return TK_OK;
    const bool has_serial = !item->scope && item->ev;
    return tk_edit_result_put(&w->result, item, has_serial ? serial_of(w, item->ev->serial, number) : 0);
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_rewrite *w = (struct tk_edit_rewrite *)stage;
    if (!item->number || !w->account->holds_places)
        return TK_OK;
    return tk_edit_result_left(&w->result, item->lane->tid, item->ev->serial);
}

static int put_quiet(struct tk_edit_rewrite *w, uint32_t tid, const struct tk_ut_type *type,
                     const struct tk_ut_passed *event, uint64_t number)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(&w->result, tid);
    if (!lane)
        return TK_ENOMEM;
    tk_edit_put_passed(lane, type, event, serial_of(w, tk_edit_passed_serial(event), number));
    return TK_OK;
}

static int quiet(struct tk_edit_stage *stage, const struct tk_edit_quiet *q)
{
    struct tk_edit_rewrite *w = (struct tk_edit_rewrite *)stage;
    struct tk_edit_account *a = w->account;
    const uint32_t tid = q->lane->tid;
    const bool copied = is_copied(w, tk_edit_chains_now(&a->chains, tid));
    int rc = TK_OK;
    for (size_t i = 0; i < q->n && rc == TK_OK; i++) {
        const struct tk_ut_passed *event = &q->events[i];
        const bool stays = !tk_edit_quiet_goes(q, event);
        const uint64_t number = event->number && stays ? tk_edit_serials_find(&a->serials, event->number) : 0;
        if (stays && !copied)
            rc = put_quiet(w, tid, q->types[event->uid], event, number);
        else if (!stays && event->number && a->holds_places)
            rc = tk_edit_result_left(&w->result, tid, tk_edit_passed_serial(event));
    }
    return rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *from)
{
    return tk_edit_result_gap(&((struct tk_edit_rewrite *)stage)->result, from->tid);
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop, .gap = gap, .quiet = quiet};

static int failed(const struct tk_edit_result *r)
{
    return tk_uw_packets_failed(&r->stream.packets) ? TK_EOUTPUT : TK_OK;
}

int tk_edit_rewrite_begin(void *self, const struct tk_edit_packet *packet)
{
    struct tk_edit_rewrite *w = self;
    tk_edit_chains_follow(&w->account->chains, packet->index, packet->read->head.tid);
    return TK_OK;
}

/* Declarations that begin in this packet, or, of thread 0, all of them in place of those that are damaged. */
static int put_declarations(struct tk_edit_rewrite *w, uint64_t offset)
{
    const struct tk_ut_schema *schema = &w->account->c->schema;
    struct tk_uw_lane *lane = tk_edit_result_lane(&w->result, TK_UT_TID_DECLARATIONS);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < schema->types.n; i++) {
        if (schema->types.v[i]->from != offset)
            continue;
        tk_edit_put_type(lane, schema->types.v[i]);
    }
    tk_uw_lane_flush(lane);
    return failed(&w->result);
}

static int copy_packet(struct tk_edit_rewrite *w, const struct tk_edit_packet *packet)
{
    const struct tk_ut_read_packet *p = packet->read;
    struct tk_uw_lane *lane = w->result.lanes[p->head.tid];
    const uint32_t flags = p->head.partial ? TK_UW_PARTIAL : 0;
    if (lane)
        tk_uw_lane_flush(lane);
    if (w->repack && p->head.tid != TK_UT_TID_SYNC && p->n && p->n <= TK_UW_PACKET_MAX)
        tk_uw_packet(&w->result.stream.packets, (uint16_t)(p->head.tid | flags), p->p, p->n);
    else
        tk_uw_packet_copy(&w->result.stream.packets, packet->raw, p->head.stored);
    w->copied += p->head.stored;
    if (packet->fed && w->account->c->header.protocol < 7 &&
        (lane = tk_edit_result_lane(&w->result, p->head.tid)) != NULL)
        lane->stamp = packet->stamp;
    return failed(&w->result);
}

int tk_edit_rewrite_packet(void *self, const struct tk_edit_packet *packet)
{
    struct tk_edit_rewrite *w = self;
    struct tk_edit_account *a = w->account;
    if (packet->copy)
        return TK_OK;
    if (a->declarations && packet->read->head.tid == TK_UT_TID_DECLARATIONS)
        return put_declarations(w, packet->read->head.offset);
    if (!tk_edit_chains_dirty(&a->chains, packet->index, a->serials.shifted))
        return copy_packet(w, packet);
    /* in its place among those of other threads, which readers rely on */
    return tk_edit_result_flush(&w->result, packet->read->head.tid);
}

int tk_edit_rewrite_rest(void *self)
{
    return tk_edit_result_flush_all(&((struct tk_edit_rewrite *)self)->result);
}

/*
 * The compression of a capture: its level is in no header, so some of its packets are compressed again.
 */

enum { SAMPLES = 16, LEVELS = 6, LARGE = 384, PARTS = 500 /* what chance makes of it */ };

static const int tried[LEVELS] = {0, 3, 4, 6, 9, 12};

/* What the packets have in the file, and what a level makes of them. */
struct sampled {
    uint64_t stored, made;
    uint32_t packed, large; /* packets: compressed ones, and those that a writer compresses */
    uint8_t raw[TK_UT_PACKET_MAX], unpacked[TK_UT_PACKET_MAX], again[2 * TK_UT_PACKET_MAX];
};

static void sample_packet(struct sampled *s, const struct tk_ut_capture *c, size_t place, int level)
{
    const struct tk_uw_packets packets = {.transport = c->header.transport, .level = level};
    struct tk_ut_read_packet packet = {0};
    struct tk_err ignored = {0};
    if (tk_ut_packet_read(c->ctx, &c->index, place, s->raw, s->unpacked, &packet, &ignored) < 0 ||
        packet.state != TK_UT_UNPACKED || packet.n <= LARGE || packet.n > TK_UW_PACKET_MAX)
        return;
    s->large++;
    s->packed += packet.head.encoded;
    s->stored += packet.head.stored;
    s->made += tk_uw_packet_make(&packets, (uint16_t)packet.head.tid, packet.p, packet.n, s->again);
}

static void sample(struct sampled *s, const struct tk_ut_capture *c, int level)
{
    const size_t every = c->index.n < SAMPLES ? 1 : c->index.n / SAMPLES;
    s->stored = s->made = 0;
    s->packed = s->large = 0;
    for (size_t i = 0; i < SAMPLES && i * every + every / 2 < c->index.n; i++)
        sample_packet(s, c, i * every + every / 2, level);
}

static void choose_level(struct tk_uw_packets *packets, struct sampled *s, const struct tk_ut_capture *c)
{
    for (size_t i = 0; i < LEVELS; i++) {
        packets->level = tried[i];
        sample(s, c, tried[i]);
        if (!s->packed || s->made <= s->stored + s->stored / PARTS)
            break;
    }
    if (s->large && !s->packed)
        packets->packing = TK_UW_PLAIN;
}

void tk_edit_packing_keep(struct tk_uw_packets *packets, const struct tk_ut_capture *c)
{
    struct sampled *s = c->header.transport >= TK_UT_TRANSPORT_TID ? calloc(1, sizeof *s) : NULL;
    packets->packing = TK_UW_AUTO;
    packets->level = 0;
    if (s)
        choose_level(packets, s, c);
    free(s);
}

int tk_edit_rewrite_init(struct tk_edit_rewrite *w, struct tk_edit_account *account, struct tk_uw_sink *sink)
{
    const struct tk_ut_header *h = &account->c->header;
    tk_edit_stage_init(&w->stage, &ops, NULL);
    w->account = account;
    w->result.stream.packets = (struct tk_uw_packets){.sink = sink, .transport = h->transport};
    w->result.stream.protocol = h->protocol;
    if (tk_pool_jobs(account->c->ctx->pool) > 1 && h->transport > TK_UT_TRANSPORT_PACKET)
        tk_uw_queue_open(&w->queue, &w->result.stream.packets, account->c->ctx->pool);
    return tk_edit_result_init(&w->result);
}

int tk_edit_header_read(const struct tk_ut_capture *c, struct tk_uw_bytes *head, struct tk_err *err)
{
    const struct tk_ut_header *h = &c->header;
    size_t got = 0;
    if (!c->ctx->health.counts[TK_HEALTH_HEADER_DAMAGED]) {
        uint8_t *at = tk_uw_bytes_space(head, h->size);
        const int rc =
            at ? tk_file_read(c->ctx->file, 0, at, h->size, &got, err) : tk_err_nomem(err, "the header");
        head->size += got;
        return rc;
    }
    struct tk_uw_sink sink;
    struct tk_uw_bytes block = {0};
    const uint8_t port[2] = {(uint8_t)h->control_port, (uint8_t)(h->control_port >> 8)};
    if (h->has_port)
        tk_uw_metadata(&block, 0, port, sizeof port);
    if (h->has_session)
        tk_uw_metadata(&block, 1, h->session_guid, 16);
    if (h->has_trace)
        tk_uw_metadata(&block, 2, h->trace_guid, 16);
    tk_uw_sink_memory(&sink, head);
    tk_uw_header(&sink,
                 h->magic[0] == '2'   ? TK_UW_2CRT
                 : h->magic[0] == 'E' ? TK_UW_ECRT
                                      : TK_UW_BARE,
                 &block, h->transport, h->protocol);
    tk_uw_bytes_release(&block);
    return sink.failed ? tk_err_nomem(err, "the header") : TK_OK;
}

uint8_t *tk_edit_header_guid(uint8_t *header, size_t n, enum tk_edit_guid which)
{
    enum { FIELDS = 6, BYTES = 16 };
    if (n < FIELDS + 2 || memcmp(header, "2CRT", 4) != 0)
        return NULL;
    for (size_t at = FIELDS; at + 2 + header[at] + 2 <= n; at += 2u + header[at])
        if (header[at] == BYTES && header[at + 1] == which)
            return header + at + 2;
    return NULL;
}

static void declare(struct tk_edit_rewrite *w)
{
    const struct tk_ut_schema *schema = &w->account->c->schema;
    struct tk_uw_lane *lane = tk_edit_result_lane(&w->result, TK_UT_TID_DECLARATIONS);
    const bool left = w->account->holds_places;
    if (!lane)
        return;
    w->result.edit = tk_edit_own_type(lane, schema, &tk_edit_type_edit, 0);
    w->result.gap = tk_edit_own_type(lane, schema, &tk_edit_type_gap, 1);
    if (left)
        w->result.left = tk_edit_own_type(lane, schema, &tk_edit_type_left, 2);
    tk_uw_lane_flush(lane);
}

int tk_edit_rewrite_head(struct tk_edit_rewrite *w, const uint8_t *header, size_t n, const uint8_t guid[16])
{
    uint8_t *copy = malloc(n + 1);
    if (!copy)
        return TK_ENOMEM;
    memcpy(copy, header, n);
    uint8_t *place = guid ? tk_edit_header_guid(copy, n, TK_EDIT_TRACE_GUID) : NULL;
    if (place)
        memcpy(place, guid, 16);
    tk_uw_sink_write(w->result.stream.packets.sink, copy, n);
    free(copy);
    if (w->recorded)
        declare(w);
    return failed(&w->result);
}

int tk_edit_rewrite_tail(struct tk_edit_rewrite *w, const struct tk_edit_span *span, const char *record,
                         size_t n)
{
    const int rc = w->recorded ? tk_edit_result_tail(&w->result, span, record, n) : tk_edit_rewrite_rest(w);
    tk_uw_queue_drain(&w->queue);
    return rc == TK_OK ? failed(&w->result) : rc;
}

void tk_edit_rewrite_release(struct tk_edit_rewrite *w)
{
    tk_edit_result_release(&w->result);
    tk_uw_queue_release(&w->queue);
    *w = (struct tk_edit_rewrite){0};
}

/* ---- threads of what is written ---- */

#define SYNCS 3 /* with them readers give up numbers that never come (wire 4.3) */

int tk_edit_result_init(struct tk_edit_result *r)
{
    r->lanes = calloc(TK_UT_TIDS, sizeof *r->lanes);
    return r->lanes ? TK_OK : TK_ENOMEM;
}

void tk_edit_result_release(struct tk_edit_result *r)
{
    for (size_t i = 0; i < r->tids.n; i++) {
        tk_uw_lane_release(r->lanes[r->tids.v[i]]);
        free(r->lanes[r->tids.v[i]]);
    }
    free(r->lanes);
    tk_vec_release(&r->tids);
    *r = (struct tk_edit_result){0};
}

struct tk_uw_lane *tk_edit_result_lane(struct tk_edit_result *r, uint32_t tid)
{
    struct tk_uw_lane *lane = r->lanes[tid];
    if (lane || !(lane = malloc(sizeof *lane)))
        return lane;
    tk_uw_lane_init(lane, &r->stream, (uint16_t)tid);
    if (tk_vec_push(&r->tids, (uint16_t)tid)) {
        free(lane);
        return NULL;
    }
    return r->lanes[tid] = lane;
}

int tk_edit_result_put(struct tk_edit_result *r, const struct tk_edit_item *item, uint32_t serial)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(r, item->lane->tid);
    if (!lane)
        return TK_ENOMEM;
    if (item->scope)
        tk_edit_put_scope(lane, item->scope);
    else
        tk_edit_put_event(lane, item->ev, item->ev->type->uid, serial);
    return TK_OK;
}

/* Threads alone: what is missing of other lanes has no place in an order. */
int tk_edit_result_gap(struct tk_edit_result *r, uint32_t tid)
{
    if (!r->gap.uid || tid < 2 || tid >= TK_UT_TID_CONNECT)
        return TK_OK;
    struct tk_uw_lane *lane = tk_edit_result_lane(r, tid);
    if (!lane)
        return TK_ENOMEM;
    tk_uw_begin(lane, &r->gap);
    tk_uw_u32(&lane->pending, tid);
    tk_uw_end(lane, &r->gap);
    return TK_OK;
}

int tk_edit_result_left(struct tk_edit_result *r, uint32_t tid, uint32_t serial)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(r, tid);
    if (!lane)
        return TK_ENOMEM;
    tk_uw_begin_serial(lane, &r->left, serial);
    tk_uw_end(lane, &r->left);
    return TK_OK;
}

int tk_edit_result_flush(struct tk_edit_result *r, uint32_t tid)
{
    if (r->lanes[tid])
        tk_uw_lane_flush(r->lanes[tid]);
    return failed(r);
}

int tk_edit_result_flush_all(struct tk_edit_result *r)
{
    for (size_t i = 0; i < r->tids.n; i++)
        tk_uw_lane_flush(r->lanes[r->tids.v[i]]);
    return failed(r);
}

int tk_edit_result_tail(struct tk_edit_result *r, const struct tk_edit_span *span, const char *record,
                        size_t n)
{
    const int rc = tk_edit_result_flush_all(r);
    struct tk_uw_lane *lane = rc == TK_OK ? tk_edit_result_lane(r, TK_UT_TID_IMPORTANT) : NULL;
    if (!lane)
        return rc == TK_OK ? TK_ENOMEM : rc;
    if (r->edit.uid)
        tk_edit_record_put(lane, &r->edit, span, record, n);
    tk_uw_lane_flush(lane);
    for (unsigned i = 0; i < SYNCS && r->stream.packets.transport == TK_UT_TRANSPORT_SYNC; i++)
        tk_uw_sync(&r->stream.packets);
    return failed(r);
}
