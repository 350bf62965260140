/*
 * Reading in the order of serial numbers (wire 4): lanes are read where they stand, by cursors over the
 * index, and merged.
 *
 * All packets are known beforehand, so nothing has to be waited for: a number that is skipped is a gap, and
 * is reported as one. A number of 24 bits says only where an event is inside its wrap. Among lanes whose
 * packets lie near the place in the file that was reached the nearest number is meant; a lane that lies far
 * ahead is requested only for exactly the next number, until its place comes near. Where more waits than the
 * limit allows, the merge goes on without the lanes that have nothing read, and what they hold may come late.
 *
 * With several jobs, batches are made ahead while the caller works on one.
 */
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/timer_ids.h"
#include "io/scratch/readahead.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_PACKETS 8192u /* lanes ahead by more packets, */
#define NEAR_BYTES                                                                                           \
    (UINT64_C(1) << 20)     /* and by more bytes of the file, are far: between, a wrap could hide */
#define NEAR_PACKETS_16 16u /* of numbers of 16 bits, which wrap sooner */
#define BATCH_EVENTS    4096u
#define BATCH_BYTES     (256u << 10) /* in arrays: decoded, they are still in a cache when they are used */
#define BATCHES         4u           /* at one time: that in the hands of the caller, and those ahead of it */

/* A batch, and how far the reading was behind it. */
struct made {
    struct tk_ut_batch out;
    size_t n_read; /* packets */
    bool last;
    int rc;
    struct tk_err err;
};

struct serial_source {
    struct tk_source base;
    struct tk_ut_reading r;
    struct tk_ut_lane_cursors cursors;
    struct tk_ut_cursor_heap near; /* by the full serial number of the head */
    struct tk_ut_cursor_far far;
    struct tk_ut_cursor_heap parked; /* by the packet that comes next: not read on, because too much waits */
    struct tk_readahead ahead;
    struct made made[BATCHES]; /* the places of `ahead` */
    size_t taken;              /* of those */
    bool holds;                /* the caller has the last one of them */
    struct tk_ut_event plain;  /* the one in hand; what is the same for all of them is set once */
    uint64_t next_serial;
    size_t last_rounds; /* the packet with which they begin */
    uint32_t reached;   /* the highest packet an event was delivered from */
    bool has_serial, began, important, started;
    bool ended, failed;               /* for who makes batches: there are no more */
    bool over;                        /* for the caller: there are no more */
    uint64_t events, bytes;           /* delivered for this batch */
    struct tk_ut_lane_cursor *paused; /* stands among events without a number, because the batch is full */
    size_t n_started;                 /* lanes whose first number was looked for */
};

/* The bits of a serial number that are stored. */
static uint64_t serial_mask(const struct serial_source *s)
{
    return s->r.capture->header.protocol == 1 ? 0xffff : 0xffffff;
}

static uint64_t unwrap(const struct serial_source *s, uint32_t serial)
{
    uint64_t mask = serial_mask(s), ahead = ((uint64_t)serial - s->next_serial) & mask;
    return ahead <= mask / 2 ? s->next_serial + ahead : s->next_serial + ahead - mask - 1;
}

/* ---- delivery ---- */

static bool is_full(const struct serial_source *s)
{
    return s->events >= BATCH_EVENTS || s->bytes >= BATCH_BYTES;
}

/* The end of a scope around an event, or a place where bytes are missing (type NULL). */
static int deliver_end(struct serial_source *s, struct tk_ut_lane_cursor *c, const struct tk_ut_type *type)
{
    if (!type)
        return tk_ut_feed_cut_families(&s->r.feed, c->lane.tid);
    if (type == &tk_ut_cut_scopes)
        return tk_ut_feed_cut(&s->r.feed, &c->lane);
    return tk_ut_feed_scope_end(&s->r.feed, &c->lane, type);
}

/* A plain event, from its bytes. */
static int deliver_plain(struct serial_source *s, struct tk_ut_lane_cursor *c,
                         const struct tk_ut_queued *queued, uint64_t seq)
{
    const uint32_t within = queued->event & ~TK_UT_IS_PLAIN;
    const uint8_t *p = c->payload + within;
    const unsigned quick = s->cursors.quick_of[tk_load16(p) >> 1];
    if (quick) {
        const struct tk_ut_quick *q = &s->cursors.quicks.v[quick - 1];
        const struct tk_ut_quick_event bare = {p + TK_UT_PLAIN_HEAD, q->fields, seq, c->lane.tid};
        s->r.feed.lane = &c->lane;
        const int rc = q->fn(&s->r.feed, q->state, &bare);
        if (rc != TK_ITEM)
            return rc;
    }
    struct tk_ut_event *ev = &s->plain;
    ev->type = s->r.capture->schema.by_uid[tk_load16(p) >> 1];
    ev->fixed = p + TK_UT_PLAIN_HEAD;
    ev->n_fixed = ev->type->fixed;
    ev->attachment = ev->fixed + ev->n_fixed;
    ev->tid = c->lane.tid;
    ev->seq = seq;
    ev->serial = queued->serial;
    ev->offset = c->lane.packet;
    ev->within = within;
    ev->scratch = s->r.decoder.scratch;
    return tk_ut_feed_event(&s->r.feed, &c->lane, ev);
}

static int deliver(struct serial_source *s, struct tk_ut_lane_cursor *c, uint64_t seq)
{
    const struct tk_ut_queued *queued = tk_ut_cursor_head(c);
    const uint32_t event = queued->event;
    c->at++;
    s->events++;
    if (event == TK_UT_NO_EVENT)
        return TK_OK;
    if (event & TK_UT_IS_END)
        return deliver_end(s, c, c->ends.v[event & ~TK_UT_IS_END]);
    if (event & TK_UT_IS_PLAIN)
        return deliver_plain(s, c, queued, seq);
    struct tk_ut_event *ev = &c->events.v[event];
    for (uint32_t i = 0; i < ev->n_blobs; i++)
        s->bytes += ev->blobs[i].n;
    ev->seq = seq;
    ev->scratch = s->r.decoder.scratch;
    s->r.feed.important = c->lane.tid == TK_UT_TID_CONNECT;
    int rc = tk_ut_feed_event(&s->r.feed, &c->lane, ev);
    s->r.feed.important = false;
    return rc;
}

static bool is_near(const struct serial_source *s, const struct tk_ut_lane_cursor *c)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    if (ix->header->protocol == 1)
        return c->position <= s->reached + NEAR_PACKETS_16;
    return c->position <= s->reached + NEAR_PACKETS ||
           tk_ut_index_offset(ix, c->position) - tk_ut_index_offset(ix, s->reached) <= NEAR_BYTES;
}

/* May another packet be read? */
static bool has_space_source_serial(const struct serial_source *s)
{
    return s->cursors.waiting < s->r.capture->ctx->limits.pending_serials;
}

/* Its turn comes when there is space again; what it holds may be late by then. */
static int park(struct serial_source *s, struct tk_ut_lane_cursor *c)
{
    c->position = c->packets[c->next];
    tk_health_limit(
        s->r.decoder.health, TK_LIMIT_pending_serials, tk_ut_index_offset(&s->r.capture->index, c->position),
        1, "thread %u is no longer waited for, because too many events wait for lower serial numbers",
        c->lane.tid);
    tk_ut_cursor_heap_push(&s->parked, c, c->position);
    return TK_OK;
}

/* Queues a lane by the number of its head, with which the count begins where there is none yet. */
static void queue_near(struct serial_source *s, struct tk_ut_lane_cursor *c)
{
    uint32_t serial = tk_ut_cursor_head(c)->serial;
    if (!s->has_serial) {
        s->next_serial = (UINT64_C(1) << 40) + serial;
        s->has_serial = true;
    }
    tk_ut_cursor_heap_push(&s->near, c, unwrap(s, serial));
}

/* Delivers events without a number up to one that has one, and queues the lane by that. */
static int advance_on(struct serial_source *s, struct tk_ut_lane_cursor *c, struct tk_err *err)
{
    int rc;
    while ((rc = tk_ut_cursor_fill(&s->cursors, c, err)) == TK_ITEM && !tk_ut_cursor_numbered(c)) {
        if (is_full(s)) {
            s->paused = c;
            return TK_OK;
        }
        if ((rc = deliver(s, c, TK_NO_SEQ)) != TK_OK)
            return rc;
    }
    if (rc != TK_ITEM)
        return rc;
    if (is_near(s, c))
        queue_near(s, c);
    else
        tk_ut_cursor_far_push(&s->far, c);
    return TK_OK;
}

static int advance(struct serial_source *s, struct tk_ut_lane_cursor *c, struct tk_err *err)
{
    bool reads = tk_ut_cursor_done(&s->cursors, c) && c->next < c->n_packets;
    return reads && !has_space_source_serial(s) ? park(s, c) : advance_on(s, c, err);
}

/* A run of numbers one after another from the lane on top of the heap. */
static int run_source_serial(struct serial_source *s, struct tk_ut_lane_cursor *c, struct tk_err *err)
{
    int rc = TK_OK;
    if (c->position > s->reached)
        s->reached = c->position;
    do {
        rc = deliver(s, c, s->next_serial++);
        while (rc == TK_OK && c->at < c->queue.n && !tk_ut_cursor_numbered(c))
            rc = deliver(s, c, TK_NO_SEQ);
    } while (rc == TK_OK && c->at < c->queue.n && unwrap(s, tk_ut_cursor_head(c)->serial) == s->next_serial);
    return rc == TK_OK ? advance(s, c, err) : rc;
}

/* Lanes whose place has come near are merged by nearest number from now on. */
static void promote(struct serial_source *s)
{
    struct tk_ut_lane_cursor *c;
    while ((c = tk_ut_cursor_far_first(&s->far)) && (!s->near.n || is_near(s, c))) {
        tk_ut_cursor_far_take(&s->far, c);
        if (c->position > s->reached)
            s->reached = s->near.n ? s->reached : c->position;
        queue_near(s, c);
    }
}

/* File offset of the packet of a lane's head. */
static uint64_t offset_of(const struct serial_source *s, const struct tk_ut_lane_cursor *c)
{
    return tk_ut_index_offset(&s->r.capture->index, c->position);
}

/* Numbers that are missing where all is sent as it comes are those of events that were lost (wire 4.5). */
static enum tk_health_kind gap_kind(const struct serial_source *s, const struct tk_ut_lane_cursor *c)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    bool settled = offset_of(s, c) > ix->settled, last = c->position >= s->last_rounds;
    return settled && !last ? TK_HEALTH_EVENTS_LOST : TK_HEALTH_SERIAL_GAP;
}

static void note_gap(struct serial_source *s, enum tk_health_kind kind, uint64_t offset, uint64_t found)
{
    struct tk_health *health = s->r.decoder.health;
    const unsigned long long first = s->next_serial & serial_mask(s), last = (found - 1) & serial_mask(s);
    if (found - s->next_serial == 1)
        tk_health_note(health, kind, offset, 1, "serial number %llu is missing", first);
    else
        tk_health_note(health, kind, offset, found - s->next_serial,
                       "serial numbers %llu to %llu are missing", first, last);
}

static int tell_gap(struct serial_source *s, const struct tk_ut_lane_cursor *c, uint64_t found)
{
    enum tk_health_kind kind = gap_kind(s, c);
    note_gap(s, kind, offset_of(s, c), found);
    if (kind != TK_HEALTH_EVENTS_LOST)
        return tk_ut_feed_gap(&s->r.feed, TK_FACT_LATE_GAP, s->next_serial, found - 1);
    int rc = tk_ut_feed_gap(&s->r.feed, TK_FACT_GAP, s->next_serial, found - 1);
    return rc == TK_OK ? tk_ut_feed_gap_families(&s->r.feed) : rc;
}

static int late(struct serial_source *s, struct tk_ut_lane_cursor *c, uint64_t seq, struct tk_err *err)
{
    tk_health_note(s->r.decoder.health, TK_HEALTH_SERIAL_LATE, offset_of(s, c), 1,
                   "an event of thread %u comes after higher serial numbers than its own, %u", c->lane.tid,
                   tk_ut_cursor_head(c)->serial);
    int rc = deliver(s, c, seq);
    return rc == TK_OK ? advance(s, c, err) : rc;
}

/* Reads on in lanes that were parked, as far as there is space, or nothing else is left. */
static int resume(struct serial_source *s, struct tk_err *err)
{
    int rc = TK_OK;
    while (rc == TK_OK && !s->paused && s->parked.n &&
           (has_space_source_serial(s) || (!s->near.n && !tk_ut_cursor_far_first(&s->far))))
        rc = advance_on(s, tk_ut_cursor_heap_take(&s->parked, 0), err);
    return rc;
}

/* One run, from whichever lane is next. TK_ITEM, TK_OK when no lane has a number left. */
static int step_source_serial(struct serial_source *s, struct tk_err *err)
{
    int rc = s->parked.n ? resume(s, err) : TK_OK;
    if (rc != TK_OK || s->paused)
        return rc;
    if (!s->near.n || s->near.v[0].key != s->next_serial) {
        struct tk_ut_lane_cursor *exact =
            tk_ut_cursor_far_with(&s->far, (uint32_t)(s->next_serial & serial_mask(s)));
        if (exact) {
            tk_ut_cursor_far_take(&s->far, exact);
            return run_source_serial(s, exact, err);
        }
    }
    promote(s);
    if (!s->near.n) {
        s->ended = true;
        return TK_OK;
    }
    uint64_t key = s->near.v[0].key;
    struct tk_ut_lane_cursor *c = tk_ut_cursor_heap_take(&s->near, 0);
    if (key < s->next_serial)
        return late(s, c, key, err);
    int reported = key > s->next_serial ? tell_gap(s, c, key) : TK_OK;
    s->next_serial = key;
    return reported == TK_OK ? run_source_serial(s, c, err) : reported;
}

/* ---- batches ---- */

/* tid 1 comes before all threads: what is on it was in force when the recording began. */
static int read_important(struct serial_source *s, struct tk_err *err)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    bool wanted = s->r.capture->header.protocol >= 5 && s->r.want_tid[TK_UT_TID_IMPORTANT];
    int rc = TK_OK;
    s->r.decoder.handler = &s->r.handler;
    size_t end = wanted ? ix->n : 0;
    for (size_t i = 0; (i = tk_ut_index_next(ix, i, TK_UT_TID_IMPORTANT)) < end && rc == TK_OK; i++) {
        struct tk_ut_read_packet packet;
        if (tk_ut_index_loss(ix, i))
            rc = tk_ut_reading_important_break(&s->r);
        if (rc != TK_OK || tk_ut_index_tid(ix, i) != TK_UT_TID_IMPORTANT)
            continue;
        rc = tk_ut_packet_read(s->r.capture->ctx, ix, i, s->cursors.raw, s->cursors.out, &packet, err);
        if (rc == TK_OK && packet.state == TK_UT_UNPACKED)
            rc = tk_ut_reading_important(&s->r, &packet);
        else if (rc == TK_OK)
            rc = tk_ut_reading_important_break(&s->r);
    }
    if (rc == TK_OK)
        rc = tk_ut_reading_important_end(&s->r);
    s->r.decoder.handler = &s->cursors.handler;
    return rc;
}

/* Where in the file the lanes begin. */
static void find_beginning(struct serial_source *s)
{
    const struct tk_ut_lane_cursors *cs = &s->cursors;
    s->reached = UINT32_MAX - NEAR_PACKETS;
    for (size_t i = 0; i < cs->n; i++)
        if (cs->v[i].n_packets && cs->v[i].packets[0] < s->reached)
            s->reached = cs->v[i].packets[0];
}

/* The heads of all lanes. The lowest number is the first: among those near the beginning, or, where none has
 * a number there, near the first that has one. */
static int start_source_serial(struct serial_source *s, struct tk_err *err)
{
    int rc = TK_OK;
    if (!s->n_started)
        find_beginning(s);
    while (s->n_started < s->cursors.n && rc == TK_OK && !s->paused)
        rc = advance(s, &s->cursors.v[s->n_started++], err);
    s->started = s->n_started == s->cursors.n && !s->paused;
    if (s->started)
        promote(s);
    if (s->started && s->near.n)
        s->next_serial = s->near.v[0].key;
    return rc;
}

static const struct tk_ut_lane *known_lane(void *ctx, uint32_t tid)
{
    const struct serial_source *s = ctx;
    for (size_t i = 0; i < s->cursors.n; i++)
        if (s->cursors.v[i].lane.tid == tid)
            return &s->cursors.v[i].lane;
    return NULL;
}

static int finish_source_serial(struct serial_source *s)
{
    int rc = tk_ut_feed_finish(&s->r.feed);
    if (rc == TK_OK)
        rc = tk_ut_reading_counts(&s->r);
    if (rc == TK_OK)
        rc = tk_ut_reading_extent(&s->r);
    if (rc == TK_OK)
        rc = tk_ut_reading_streams(&s->r, known_lane, s);
    return rc;
}

static int fill_source_serial(struct serial_source *s, struct tk_err *err)
{
    int rc = TK_OK;
    s->events = s->bytes = 0;
    if (!s->important) {
        s->important = true;
        return read_important(s, err);
    }
    while (rc == TK_OK && !s->ended && !is_full(s)) {
        struct tk_ut_lane_cursor *paused = s->paused;
        s->paused = NULL;
        rc = paused       ? advance(s, paused, err)
             : s->started ? step_source_serial(s, err)
                          : start_source_serial(s, err);
    }
    return rc;
}

/* Lanes stand at different places, so what was read is reported in packets, as if they were of one size. */
static int tell_progress(const struct serial_source *s, const struct made *made, struct tk_err *err)
{
    const struct tk_ut_capture *c = s->r.capture;
    const double part = c->index.n ? (double)made->n_read / (double)c->index.n : 0;
    return tk_ut_reading_progress(c, (uint64_t)(part * (double)tk_file_size(c->ctx->file)), err);
}

static int make_batch(struct serial_source *s, struct made *made)
{
    tk_ut_reading_turn(&s->r, &made->out);
    int rc = fill_source_serial(s, &made->err);
    if (rc == TK_OK && s->r.feed.scopes)
        rc = tk_ut_scopes_runs(&s->r.feed, s->ended);
    if (rc == TK_OK && s->r.feed.scopes && s->ended)
        tk_ut_timers_note_missing(&s->r.feed);
    if (rc == TK_OK && s->ended)
        rc = finish_source_serial(s);
    return tk_ut_reading_made(&s->r, rc, &made->err);
}

static bool make_ahead(void *ctx, size_t number, unsigned worker)
{
    struct serial_source *s = ctx;
    struct made *made = &s->made[number % s->ahead.places];
    (void)worker;
    if (s->ended || s->failed)
        return false;
    made->rc = make_batch(s, made);
    made->last = s->ended;
    made->n_read = s->cursors.n_read;
    s->failed = made->rc != TK_OK;
    return true;
}

/* Nothing is made ahead where the caller answers questions about threads: it may still be learning. */
static void open_ahead(struct serial_source *s)
{
    struct tk_pool *pool = s->r.capture->ctx->pool;
    const bool early = tk_pool_jobs(pool) > 1 && !s->r.request.want_thread;
    tk_readahead_open(&s->ahead, pool, make_ahead, s, early ? BATCHES : 1);
    s->ahead.task.first = true;
}

/* The one that the caller has, or had last. */
static struct made *taken(struct serial_source *s)
{
    return &s->made[(s->taken - 1) % s->ahead.places];
}

/* Values are joined when they are looked at, by those who cannot report that memory ran out. */
static bool lost_values_serial(const struct made *made)
{
    return made->out.arena.failed;
}

static int give_back(struct serial_source *s)
{
    const bool lost = s->holds && lost_values_serial(taken(s));
    if (s->holds && !lost)
        tk_readahead_give_back(&s->ahead);
    s->holds = s->holds && lost;
    return lost ? TK_ENOMEM : TK_OK;
}

static int hand_out_serial(struct serial_source *s, struct tk_batch *batch, struct tk_err *err)
{
    struct made *made = taken(s);
    const struct tk_ut_batch *out = &made->out;
    tk_health_merge(&s->r.capture->ctx->health, &made->out.health);
    int rc = made->rc;
    if (rc != TK_OK && err)
        *err = made->err;
    if (rc == TK_OK)
        rc = tell_progress(s, made, err);
    if (rc == TK_OK && lost_values_serial(made))
        return tk_ut_reading_failed(TK_ENOMEM, err);
    s->over = rc != TK_OK || made->last;
    if (rc != TK_OK)
        return rc;
    *batch = (struct tk_batch){
        .facts = out->facts.v, .n_facts = out->facts.n, .runs = out->runs.v, .n_runs = out->runs.n};
    if (made->last)
        s->r.capture->complete = true;
    return TK_ITEM;
}

static int source_next_source_serial(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct serial_source *s = (struct serial_source *)base;
    if (!s->began) {
        s->began = true;
        return tk_ut_reading_failed(tk_ut_reading_begin(&s->r, batch), err);
    }
    if (give_back(s) != TK_OK)
        return tk_ut_reading_failed(TK_ENOMEM, err);
    if (s->over || !tk_readahead_take(&s->ahead))
        return TK_OK;
    s->taken++;
    s->holds = true;
    return hand_out_serial(s, batch, err);
}

static void source_close_source_serial(struct tk_source *base)
{
    struct serial_source *s = (struct serial_source *)base;
    tk_readahead_close(&s->ahead);
    tk_ut_cursors_close(&s->cursors);
    for (size_t i = 0; i < BATCHES; i++)
        tk_ut_batch_release(&s->made[i].out);
    tk_ut_reading_close(&s->r);
    free(s->near.v);
    tk_ut_cursor_far_release(&s->far);
    free(s->parked.v);
    free(s);
}

static const struct tk_source_ops ops = {source_next_source_serial, source_close_source_serial};

int tk_ut_source_serial(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err)
{
    struct serial_source *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = &ops;
    s->plain.has_serial = true;
    int rc = tk_ut_reading_open(&s->r, c, request);
    if (rc == TK_OK)
        rc = tk_ut_cursors_open(&s->cursors, &s->r);
    size_t n = s->cursors.n + 1;
    s->near.v = calloc(n, sizeof *s->near.v);
    s->parked.v = calloc(n, sizeof *s->parked.v);
    if (tk_ut_cursor_far_init(&s->far, n) || rc != TK_OK || !s->near.v || !s->parked.v) {
        source_close_source_serial(&s->base);
        return tk_err_nomem(err, "a reading");
    }
    s->last_rounds = tk_ut_reading_last_rounds(&c->index);
    open_ahead(s);
    *out = &s->base;
    return TK_OK;
}
