/*
 * Lane cursors. Scope records are handed on while a packet is parsed, which keeps their
 * order inside the lane; only events wait in the queue.
 */
#include "base/hash.h"
#include "base/sort.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"

#include <stdlib.h>
#include <string.h>

int tk_ut_cursor_far_init(struct tk_ut_cursor_far *f, size_t n)
{
    size_t chains = 16;
    while (chains < 2 * n)
        chains *= 2;
    f->mask = chains - 1;
    f->chains = calloc(chains, sizeof(struct tk_ut_lane_cursor *));
    f->heap.v = calloc(n + 1, sizeof *f->heap.v);
    return f->chains && f->heap.v ? 0 : -1;
}

void tk_ut_cursor_far_release(struct tk_ut_cursor_far *f)
{
    free(f->chains);
    free(f->heap.v);
}

static struct tk_ut_lane_cursor **chain_of(const struct tk_ut_cursor_far *f, uint32_t serial)
{
    return &f->chains[tk_hash_u64(serial) & f->mask];
}

void tk_ut_cursor_far_push(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c)
{
    struct tk_ut_lane_cursor **chain = chain_of(f, tk_ut_cursor_head(c)->serial);
    c->far_next = *chain;
    *chain = c;
    tk_ut_cursor_heap_push(&f->heap, c, c->position);
}

void tk_ut_cursor_far_take(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c)
{
    struct tk_ut_lane_cursor **at = chain_of(f, tk_ut_cursor_head(c)->serial);
    while (*at != c)
        at = &(*at)->far_next;
    *at = c->far_next;
    tk_ut_cursor_heap_take(&f->heap, c->place);
}

struct tk_ut_lane_cursor *tk_ut_cursor_far_with(const struct tk_ut_cursor_far *f, uint32_t serial)
{
    struct tk_ut_lane_cursor *found = NULL;
    for (struct tk_ut_lane_cursor *c = *chain_of(f, serial); c; c = c->far_next)
        if (tk_ut_cursor_head(c)->serial == serial && (!found || c->position < found->position))
            found = c;
    return found;
}

static void set(struct tk_ut_cursor_heap *h, size_t i, struct tk_ut_cursor_keyed c)
{
    h->v[i] = c;
    c.cursor->place = i;
}

static void down(struct tk_ut_cursor_heap *h, size_t i)
{
    struct tk_ut_cursor_keyed c = h->v[i];
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        child += child + 1 < h->n && h->v[child + 1].key < h->v[child].key;
        if (c.key <= h->v[child].key)
            break;
        set(h, i, h->v[child]);
    }
    set(h, i, c);
}

/* Puts c at index i or above it. Returns where. */
static size_t up(struct tk_ut_cursor_heap *h, size_t i, struct tk_ut_cursor_keyed c)
{
    for (; i && h->v[(i - 1) / 2].key > c.key; i = (i - 1) / 2)
        set(h, i, h->v[(i - 1) / 2]);
    set(h, i, c);
    return i;
}

void tk_ut_cursor_heap_push(struct tk_ut_cursor_heap *h, struct tk_ut_lane_cursor *c, uint64_t key)
{
    up(h, h->n++, (struct tk_ut_cursor_keyed){key, c});
}

struct tk_ut_lane_cursor *tk_ut_cursor_heap_take(struct tk_ut_cursor_heap *h, size_t i)
{
    struct tk_ut_lane_cursor *taken = h->v[i].cursor;
    struct tk_ut_cursor_keyed last = h->v[--h->n];
    if (i != h->n)
        down(h, up(h, i, last));
    return taken;
}

#define KEPT_BYTES ((size_t)64 << 20) /* of empty queues, all lanes together */
#define BEHIND     8u                 /* bytes behind a payload that can be read (tk_ut_quick_event) */

static bool in_payload(const struct tk_ut_lane_cursor *c, const uint8_t *p, size_t n)
{
    return p >= c->payload && p + n <= c->payload + c->n_payload;
}

static const uint8_t *lasting(struct tk_ut_lane_cursor *c, const uint8_t *p, size_t n)
{
    return n == 0 || in_payload(c, p, n) ? p : tk_arena_copy(&c->kept, p, n);
}

static int queue(struct tk_ut_lane_cursor *c, uint32_t serial, uint32_t event)
{
    struct tk_ut_queued q = {serial, event};
    return tk_vec_push(&c->queue, q) ? TK_ENOMEM : TK_OK;
}

/* tk_ut_handler.event: puts an event at the end of its lane's queue. */
static int keep_blobs(struct tk_ut_lane_cursor *c, struct tk_ut_event *kept)
{
    struct tk_ut_blob *blobs = tk_arena_alloc(&c->kept, kept->n_blobs * sizeof *blobs);
    if (!blobs)
        return TK_ENOMEM;
    for (size_t i = 0; i < kept->n_blobs; i++) {
        blobs[i] = kept->blobs[i];
        if (!(blobs[i].p = lasting(c, blobs[i].p, blobs[i].n)))
            return TK_ENOMEM;
    }
    kept->blobs = blobs;
    return TK_OK;
}

static int queue_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct tk_ut_lane_cursors *s = self;
    struct tk_ut_lane_cursor *c = s->filling;
    (void)lane;
    if (tk_vec_push(&c->events, *ev))
        return TK_ENOMEM;
    struct tk_ut_event *kept = &c->events.v[c->events.n - 1];
    kept->fixed = lasting(c, ev->fixed, ev->n_fixed);
    kept->attachment = lasting(c, ev->attachment, ev->n_attachment);
    if ((ev->n_fixed && !kept->fixed) || (ev->n_attachment && !kept->attachment))
        return TK_ENOMEM;
    if (ev->n_blobs && keep_blobs(c, kept) != TK_OK)
        return TK_ENOMEM;
    return queue(c, ev->has_serial ? ev->serial : TK_UT_NO_NUMBER, (uint32_t)c->events.n - 1);
}

/* tk_ut_decoder.plain: they stay where they are, in the payload of the lane in hand. */
static int queue_plain(void *self, struct tk_ut_lane *lane, const struct tk_ut_plain *events, size_t n)
{
    struct tk_ut_lane_cursor *c = ((struct tk_ut_lane_cursors *)self)->filling;
    (void)lane;
    if (tk_vec_reserve(&c->queue, c->queue.n + n))
        return TK_ENOMEM;
    for (size_t i = 0; i < n; i++)
        c->queue.v[c->queue.n++] = (struct tk_ut_queued){events[i].serial, events[i].at | TK_UT_IS_PLAIN};
    return TK_OK;
}

static int queue_serial(void *self, struct tk_ut_lane *lane, uint32_t serial)
{
    (void)lane;
    return queue(((struct tk_ut_lane_cursors *)self)->filling, serial, TK_UT_NO_EVENT);
}

static int pass_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    return tk_ut_feed_enter(&((struct tk_ut_lane_cursors *)self)->r->feed, lane, type, time);
}

static int pass_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    return tk_ut_feed_leave(&((struct tk_ut_lane_cursors *)self)->r->feed, lane, time);
}

static int queue_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    struct tk_ut_lane_cursor *c = ((struct tk_ut_lane_cursors *)self)->filling;
    (void)lane;
    if (tk_vec_push(&c->ends, type))
        return TK_ENOMEM;
    return queue(c, TK_UT_NO_NUMBER, (uint32_t)(c->ends.n - 1) | TK_UT_IS_END);
}

const struct tk_ut_type tk_ut_cut_scopes = {0};

/* Behind batches of scopes in the queue their lane is cut in its place, else now, before stamped scopes that
 * are not queued. */
static int pass_cut(void *self, struct tk_ut_lane *lane)
{
    struct tk_ut_lane_cursors *s = self;
    struct tk_ut_feed *feed = &s->r->feed;
    if (feed->scopes && s->filling->queue.n)
        return queue_end(self, lane, &tk_ut_cut_scopes);
    int rc = feed->scopes ? tk_ut_scopes_cut(feed, lane) : TK_OK;
    return rc == TK_OK && feed->marks ? queue_end(self, lane, NULL) : rc;
}

/* The first packet behind packet a that bytes were lost before; UINT32_MAX: none. */
static uint32_t loss_behind(const struct tk_ut_lane_cursors *s, uint32_t a)
{
    size_t at;
    TK_SEARCH(at, s->losses.n, s->losses.v[at] <= a);
    return at < s->losses.n ? s->losses.v[at] : UINT32_MAX;
}

static int take_payload(struct tk_ut_lane_cursor *c, const struct tk_ut_read_packet *packet)
{
    if (tk_vec_grow((void **)&c->payload, &c->cap_payload, packet->n + BEHIND, 1))
        return TK_ENOMEM;
    if (packet->n)
        memcpy(c->payload, packet->p, packet->n);
    memset(c->payload + packet->n, 0, BEHIND);
    c->n_payload = packet->n;
    return TK_OK;
}

static int parse_packet(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c,
                        const struct tk_ut_read_packet *packet)
{
    struct tk_ut_decoder *d = &s->r->decoder;
    if (packet->state != TK_UT_UNPACKED) {
        tk_ut_packet_note(s->r->capture->ctx, d->health, &s->r->capture->index, packet);
        return tk_ut_lane_break(d, &c->lane, packet->head.offset, NULL);
    }
    if (tk_ut_repeated(s->r->capture->ctx, &c->previous, packet, s->raw)) {
        tk_ut_repeat_note(s->r->capture->ctx, d->health, packet);
        return TK_OK;
    }
    if (take_payload(c, packet) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_payload payload = {c->payload,
                                    c->n_payload,
                                    packet->head.offset,
                                    packet->head.partial,
                                    packet->head.whole_records,
                                    tk_ut_packet_stored(packet)};
    uint64_t synced = c->lane.synced;
    int rc = tk_ut_lane_feed(d, &c->lane, &payload);
    c->previous = tk_ut_remember(packet, s->raw, c->lane.synced != synced);
    return rc;
}

static int next_packet(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c, struct tk_err *err)
{
    const struct tk_ut_index *ix = &s->r->capture->index;
    uint32_t number = c->packets[c->next];
    struct tk_ut_read_packet packet;
    int rc = tk_ut_packet_read(s->r->capture->ctx, ix, number, s->raw, s->out, &packet, err);
    if (rc == TK_OK && s->losses.n && c->next && loss_behind(s, c->packets[c->next - 1]) <= number)
        rc = tk_ut_lane_break(&s->r->decoder, &c->lane, packet.head.offset, NULL);
    c->position = number;
    c->next++;
    s->n_read++;
    return rc == TK_OK ? parse_packet(s, c, &packet) : rc;
}

/* Behind bytes that were lost nothing of a lane need be there: it ends in them, as it does in file order. */
static int finish_lane_cursor(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c)
{
    const struct tk_ut_index *ix = &s->r->capture->index;
    const uint32_t loss = s->losses.n && c->next ? loss_behind(s, c->packets[c->next - 1]) : UINT32_MAX;
    int rc = TK_OK;
    c->finished = true;
    if (loss != UINT32_MAX)
        rc = tk_ut_lane_break(&s->r->decoder, &c->lane, tk_ut_index_offset(ix, loss), NULL);
    return rc != TK_OK ? rc : tk_ut_reading_finish_lane(s->r, &c->lane);
}

static void release_queue(struct tk_ut_lane_cursor *c)
{
    tk_vec_release(&c->queue);
    tk_vec_release(&c->events);
    tk_vec_release(&c->ends);
    tk_arena_release(&c->kept);
    free(c->payload);
    c->payload = NULL;
    c->n_payload = c->cap_payload = 0;
}

/* The memory of a queue stays for the next packet, as long as all lanes together may have as much. */
static bool is_large(const struct tk_ut_lane_cursors *s, const struct tk_ut_lane_cursor *c)
{
    size_t bytes = c->queue.cap * sizeof *c->queue.v + c->events.cap * sizeof *c->events.v +
                   c->ends.cap * sizeof *c->ends.v + c->cap_payload + c->kept.total;
    return bytes > KEPT_BYTES / s->n;
}

bool tk_ut_cursor_done(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c)
{
    if (c->at < c->queue.n)
        return false;
    s->waiting -= c->weight;
    c->weight = 0;
    c->queue.n = c->events.n = c->ends.n = c->at = 0;
    if (c->finished || is_large(s, c))
        release_queue(c);
    else if (c->kept.total)
        tk_arena_clear(&c->kept);
    return true;
}

static void weigh(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c)
{
    c->weight = c->queue.n + (c->n_payload + c->kept.total) / 128;
    s->waiting += c->weight;
}

int tk_ut_cursor_fill(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c, struct tk_err *err)
{
    int rc = TK_OK;
    if (!tk_ut_cursor_done(s, c))
        return TK_ITEM;
    s->filling = c;
    s->r->decoder.handler = &s->handler;
    s->r->decoder.plains = s->plains;
    s->r->decoder.plain = queue_plain;
    while (rc == TK_OK && !c->queue.n && !c->finished)
        rc = c->next < c->n_packets ? next_packet(s, c, err) : finish_lane_cursor(s, c);
    c->ended = !c->queue.n;
    weigh(s, c);
    if (rc != TK_OK)
        return rc;
    return c->ended ? TK_OK : TK_ITEM;
}

/* ---- opening ---- */

/* Of those with packets. */
static bool is_lane(const struct tk_ut_lane_cursors *s, uint32_t tid)
{
    bool framed = s->r->capture->header.protocol >= 5 && tid <= TK_UT_TID_IMPORTANT;
    return tid != TK_UT_TID_SYNC && !framed;
}

/* Numbers of packets, lane by lane. */
static int sort_packets(struct tk_ut_lane_cursors *s, uint32_t *of_tid)
{
    const struct tk_ut_index *ix = &s->r->capture->index;
    size_t at = 0, lane = 0;
    memset(of_tid, 0xff, TK_UT_TIDS * sizeof *of_tid);
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++) {
        if (!is_lane(s, tid))
            continue;
        of_tid[tid] = (uint32_t)lane;
        s->v[lane].lane.tid = tid;
        s->v[lane++].packets = s->packets + at;
        at += (size_t)ix->lanes[tid].packets;
    }
    for (size_t i = 0; i < ix->n; i++) {
        uint32_t k = of_tid[tk_ut_index_tid(ix, i)];
        if (tk_ut_index_loss(ix, i) && tk_vec_push(&s->losses, (uint32_t)i))
            return TK_ENOMEM;
        if (k == UINT32_MAX)
            continue;
        struct tk_ut_lane_cursor *c = &s->v[k];
        s->packets[(size_t)(c->packets - s->packets) + c->n_packets++] = (uint32_t)i;
    }
    return TK_OK;
}

/* Which events are wanted and plain, in protocols whose types are all declared by now. */
static int find_quick_one(struct tk_ut_lane_cursors *s, const struct tk_ut_type *type)
{
    struct tk_ut_quick quick;
    if (!tk_ut_feed_quick(&s->r->feed, type, &quick) || s->quicks.n == UINT16_MAX)
        return TK_OK;
    s->quick_of[type->uid] = (uint16_t)(s->quicks.n + 1);
    return tk_vec_push(&s->quicks, quick) ? TK_ENOMEM : TK_OK;
}

static int find_plains(struct tk_ut_lane_cursors *s)
{
    const struct tk_ut_schema *schema = &s->r->capture->schema;
    if (s->r->capture->header.protocol < 5)
        return TK_OK;
    s->plains = calloc(TK_UT_PASSES, sizeof *s->plains);
    s->quick_of = calloc(TK_UT_PASSES, sizeof *s->quick_of);
    if (!s->plains || !s->quick_of)
        return TK_ENOMEM;
    for (uint32_t i = 0; i < schema->types.n; i++) {
        const struct tk_ut_type *type = schema->types.v[i];
        if (!s->r->want.v[i] || type->uid >= TK_UT_PASSES || schema->by_uid[type->uid] != type)
            continue;
        s->plains[type->uid] = tk_ut_plain_of(type);
        if (s->plains[type->uid] && find_quick_one(s, type) != TK_OK)
            return TK_ENOMEM;
    }
    return TK_OK;
}

int tk_ut_cursors_open(struct tk_ut_lane_cursors *s, struct tk_ut_reading *r)
{
    uint32_t *of_tid = malloc(TK_UT_TIDS * sizeof *of_tid);
    *s = (struct tk_ut_lane_cursors){.r = r};
    s->handler = (struct tk_ut_handler){queue_event,  pass_enter, pass_leave, pass_cut,
                                        queue_serial, s,          queue_end,  NULL};
    for (uint32_t tid = 0; tk_ut_index_lane(&r->capture->index, &tid); tid++)
        s->n += is_lane(s, tid);
    s->v = calloc(s->n + 1, sizeof *s->v);
    s->packets = malloc((r->capture->index.n + 1) * sizeof *s->packets);
    s->raw = malloc(TK_UT_PACKET_MAX);
    s->out = malloc(TK_UT_PACKET_MAX);
    int rc = of_tid && s->v && s->packets && s->raw && s->out ? sort_packets(s, of_tid) : TK_ENOMEM;
    free(of_tid);
    return rc == TK_OK ? find_plains(s) : rc;
}

void tk_ut_cursors_close(struct tk_ut_lane_cursors *s)
{
    for (size_t i = 0; s->v && i < s->n; i++) {
        tk_ut_lane_release(&s->v[i].lane);
        release_queue(&s->v[i]);
    }
    free(s->v);
    free(s->packets);
    free(s->raw);
    free(s->out);
    free(s->plains);
    free(s->quick_of);
    tk_vec_release(&s->quicks);
    tk_vec_release(&s->losses);
}
