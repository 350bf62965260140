/*
 * Reading in file order: stretches of packets, all lanes advance together.
 *
 * The first batch repeats the definitions known so far; then comes one batch a stretch; the last one also
 * holds what waited for the end, counts and streams. With several jobs the next batch is made while the
 * caller works on the last one.
 */
#include "format/utrace/lanes/lane.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/timer_ids.h"
#include "format/utrace/wire/packet_reader.h"

#include <stdlib.h>

struct file_lane {
    struct tk_ut_lane lane;
    struct tk_ut_previous previous;
};

struct file_source {
    struct tk_source base;
    struct tk_ut_reading r;
    struct file_lane **lanes; /* by tid, TK_UT_TIDS; owned */
    TK_VEC(uint16_t) order;   /* tids in order of their first packet */
    struct tk_ut_batch outs[2];
    struct tk_ut_packet_run stretches[2];
    unsigned turn;    /* which of the two is made next */
    size_t next, end; /* packets: the next one, and the first that is not read */
    struct tk_ut_serials serials;
    size_t late_packets; /* what may be missing in packets from this one on is nobody's fault */
    bool began, started, ended;
    bool last;                      /* the batch in the making is the last one */
    struct tk_kept_bytes states[2]; /* behind the batches, where that is requested */
    uint64_t reported;              /* place of the last state */
    size_t piece;      /* of tk_request.resume: the one that is read, counted from 1; 0: none yet */
    bool piece_begins; /* the batch in the making is the first of it */
    struct tk_task task;
    int rc; /* of the batch in the making */
    struct tk_err err;
};

static struct file_lane *lane_of_source_file(struct file_source *s, uint16_t tid)
{
    struct file_lane *lane = s->lanes[tid];
    if (lane)
        return lane;
    if (!(lane = calloc(1, sizeof *lane)) || tk_vec_push(&s->order, tid)) {
        free(lane);
        return NULL;
    }
    lane->lane.tid = tid;
    return s->lanes[tid] = lane;
}

static const struct tk_ut_lane *known_lane(void *ctx, uint32_t tid)
{
    const struct file_source *s = ctx;
    return s->lanes[tid] ? &s->lanes[tid]->lane : NULL;
}

static int break_all(struct file_source *s, uint64_t offset)
{
    int rc = tk_ut_reading_important_break(&s->r);
    for (size_t i = 0; i < s->order.n && rc == TK_OK; i++)
        rc = tk_ut_lane_break(&s->r.decoder, &s->lanes[s->order.v[i]]->lane, offset, NULL);
    return rc;
}

static int feed_thread(struct file_source *s, const struct tk_ut_read_packet *p, const uint8_t *raw)
{
    struct file_lane *lane = lane_of_source_file(s, p->head.tid);
    struct tk_ut_payload payload = {
        p->p, p->n, p->head.offset, p->head.partial, p->head.whole_records, tk_ut_packet_stored(p)};
    if (!lane)
        return TK_ENOMEM;
    if (tk_ut_repeated(s->r.capture->ctx, &lane->previous, p, raw)) {
        tk_ut_repeat_note(s->r.capture->ctx, s->r.decoder.health, p);
        return TK_OK;
    }
    uint64_t synced = lane->lane.synced;
    s->r.feed.important = p->head.tid == TK_UT_TID_CONNECT;
    int rc = tk_ut_lane_feed(&s->r.decoder, &lane->lane, &payload);
    s->r.feed.important = false;
    lane->previous = tk_ut_remember(p, raw, lane->lane.synced != synced);
    return rc;
}

static int feed_packet(struct file_source *s, const struct tk_ut_read_packet *p, const uint8_t *raw)
{
    const struct tk_ut_capture *c = s->r.capture;
    bool framed = c->header.protocol >= 5 && p->head.tid == TK_UT_TID_IMPORTANT;
    int rc = p->head.after_loss ? break_all(s, p->head.offset) : TK_OK;
    if (rc != TK_OK || p->state == TK_UT_NOT_WANTED)
        return rc;
    if (p->state == TK_UT_UNPACKED)
        return framed ? tk_ut_reading_important(&s->r, p) : feed_thread(s, p, raw);
    if (framed)
        return tk_ut_reading_important_break(&s->r);
    tk_ut_packet_note(c->ctx, s->r.decoder.health, &c->index, p);
    struct file_lane *lane = lane_of_source_file(s, p->head.tid);
    return lane ? tk_ut_lane_break(&s->r.decoder, &lane->lane, p->head.offset, NULL) : TK_ENOMEM;
}

/* Behind a packet: which records have to wait for those in front of them. */
static int hold_records(struct file_source *s, const struct tk_ut_read_packet *p)
{
    const struct tk_ut_capture *c = s->r.capture;
    bool framed = c->header.protocol >= 5 && p->head.tid == TK_UT_TID_IMPORTANT;
    const struct file_lane *lane = s->lanes[p->head.tid];
    if (!(s->r.request.facts & TK_FACT_MASK(RECORD)) || !(framed || lane))
        return TK_OK;
    return tk_ut_held_look(&s->r.feed, framed ? &s->r.important.lane : &lane->lane);
}

/* Threads are sent in rounds: what is missing in the last ones may never have been sent. */
static void watch_serials(struct file_source *s, size_t packet)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    if (s->serials.waits && tk_ut_index_offset(ix, packet) > ix->settled)
        tk_ut_serials_settle(&s->serials);
    if (packet == s->late_packets)
        tk_ut_serials_stop(&s->serials);
}

static int tell_some_holes(struct file_source *s, enum tk_fact_kind kind, const struct tk_ut_hole *holes,
                           size_t n)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = tk_ut_feed_gap(&s->r.feed, kind, holes[i].first, holes[i].last);
    return rc;
}

static int tell_holes(struct file_source *s)
{
    int rc = s->serials.failed ? TK_ENOMEM : TK_OK;
    struct tk_ut_serials *found = &s->serials;
    if (rc == TK_OK)
        rc = tell_some_holes(s, TK_FACT_GAP, found->holes.v, found->holes.n);
    if (rc == TK_OK)
        rc = tell_some_holes(s, TK_FACT_LATE_GAP, found->excused.v, found->excused.n);
    found->holes.n = found->excused.n = 0;
    return rc;
}

static void note_lost(struct file_source *s)
{
    struct tk_ut_serials *lost = &s->serials;
    tk_ut_serials_finish(lost);
    if (lost->lost)
        tk_health_note(s->r.decoder.health, TK_HEALTH_EVENTS_LOST, TK_NO_OFFSET, lost->lost,
                       "events are missing: their serial numbers were skipped, from %llu on",
                       (unsigned long long)(lost->first_lost & lost->mask));
}

/* Lanes that the capture ends in: what is there of their last event is handed on. */
static int end_lanes(struct file_source *s)
{
    int rc = TK_OK;
    for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(&s->r.capture->index, &tid); tid++)
        if (s->lanes[tid])
            rc = tk_ut_reading_finish_lane(&s->r, &s->lanes[tid]->lane);
    return rc;
}

static int finish_lanes(struct file_source *s)
{
    note_lost(s);
    int rc = tk_ut_reading_important_end(&s->r);
    if (rc == TK_OK)
        rc = end_lanes(s);
    if (rc == TK_OK)
        rc = tk_ut_held_flush(&s->r.feed);
    return rc == TK_OK ? tk_ut_feed_finish(&s->r.feed) : rc;
}

static int finish_reading(struct file_source *s)
{
    int rc = tk_ut_reading_counts(&s->r);
    if (rc == TK_OK)
        rc = tk_ut_reading_extent(&s->r);
    return rc == TK_OK ? tk_ut_reading_streams(&s->r, known_lane, s) : rc;
}

static int finish_whole(struct file_source *s)
{
    int rc = finish_lanes(s);
    if (rc == TK_OK)
        rc = tell_holes(s);
    return rc;
}

/* Packets of other threads are not even read, but where bytes were lost. */
static void skip_packets(struct file_source *s)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    while (s->next < s->end && !s->r.want_tid[tk_ut_index_tid(ix, s->next)] && !tk_ut_index_loss(ix, s->next))
        s->next++;
}

/* ---- states ---- */

enum { STATES = 1024, STATE_BYTES = 1 << 20 };

static struct tk_ut_lane *lane_at(void *ctx, uint16_t tid)
{
    const struct file_source *s = ctx;
    return s->lanes[tid] ? &s->lanes[tid]->lane : NULL;
}

static struct tk_ut_lane *lane_made(void *ctx, uint16_t tid)
{
    struct file_lane *lane = lane_of_source_file(ctx, tid);
    return lane ? &lane->lane : NULL;
}

static struct tk_ut_under_way under_way(struct file_source *s)
{
    return (struct tk_ut_under_way){s->r.capture, &s->r.feed, &s->r.decoder, lane_at, lane_made, s};
}

/* Behind about every mebibyte, and behind the last batch. */
static void tell_state(struct file_source *s, bool last)
{
    struct tk_kept_bytes *state = &s->states[s->turn];
    const struct tk_ut_index *ix = &s->r.capture->index;
    const struct tk_ut_under_way way = under_way(s);
    const uint64_t at = tk_ut_index_offset(ix, s->next), size = tk_file_size(s->r.capture->ctx->file);
    const uint64_t step = size < STATES * (uint64_t)STATE_BYTES ? size / STATES : STATE_BYTES;
    state->bytes.n = 0;
    if ((!last && at - s->reported < step) || s->r.capture->header.protocol < 6)
        return;
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        if (s->r.feed.extra.counts[i])
            return;
    if (!tk_ut_state_put(&way, state))
        state->bytes.n = 0;
    s->reported = at;
}

/* Goes on with the next piece; the last one may be empty. */
static int begin_piece(struct file_source *s)
{
    const struct tk_ut_under_way way = under_way(s);
    const struct tk_request *request = &s->r.request;
    const struct tk_piece *piece = &request->resume[s->piece];
    const struct tk_piece *end = &request->resume[request->n_resume - 1];
    const int rc = piece->n_state ? tk_ut_state_take(&way, piece) : tk_ut_state_number(&way, end);
    s->next = piece->from < s->r.capture->index.n ? (size_t)piece->from : s->r.capture->index.n;
    s->end = piece->to < s->r.capture->index.n ? (size_t)piece->to : s->r.capture->index.n;
    s->piece++;
    s->piece_begins = true;
    return rc;
}

/* Makes the next batch in outs[turn]. */
static int make_source_file(struct file_source *s, struct tk_err *err)
{
    struct tk_ut_packet_run *stretch = &s->stretches[s->turn];
    const struct tk_ut_capture *c = s->r.capture;
    const bool part = s->r.request.part != NULL;
    size_t n;
    tk_ut_reading_turn(&s->r, &s->outs[s->turn]);
    if (part) {
        s->outs[s->turn].health.muted = UINT64_MAX;
        skip_packets(s);
    }
    int rc = TK_OK;
    s->piece_begins = false;
    if (s->r.request.n_resume) {
        s->outs[s->turn].health.muted = UINT64_MAX;
        if (s->next >= s->end)
            rc = begin_piece(s);
        if (rc < 0)
            return tk_ut_reading_failed(rc, err);
        if (s->r.request.want_thread)
            skip_packets(s);
    }
    s->outs[s->turn].first_packet = s->next;
    rc = tk_ut_packet_run_read(stretch, c->ctx, &c->index, s->next, s->r.want_tid, &n, err);
    n = n < s->end - s->next ? n : s->end - s->next;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const struct tk_ut_read_packet *p = &stretch->packets.v[i];
        watch_serials(s, s->next + i);
        rc = feed_packet(s, p, stretch->raw + (p->head.offset - stretch->begin));
        if (rc == TK_OK)
            rc = hold_records(s, p);
    }
    s->next += n;
    s->outs[s->turn].next_packet = s->next;
    const bool resumed = s->r.request.n_resume > 0;
    const bool nothing = resumed && s->piece == s->r.request.n_resume; /* the end, which was reported */
    bool last = !nothing && s->next >= (resumed ? c->index.n : s->end);
    if (rc == TK_OK && part)
        rc = s->next == c->index.n ? end_lanes(s) : TK_OK;
    else if (rc == TK_OK)
        rc = last ? finish_whole(s) : tell_holes(s);
    if (rc == TK_OK && s->r.feed.scopes && !nothing)
        rc = tk_ut_scopes_runs(&s->r.feed, last);
    if (rc == TK_OK && s->r.feed.scopes && last && s->next == c->index.n)
        tk_ut_timers_note_missing(&s->r.feed);
    s->last = resumed ? s->next >= s->end && s->piece == s->r.request.n_resume : last;
    if (rc == TK_OK && last && !part && !resumed)
        rc = finish_reading(s);
    if (rc == TK_OK && s->r.request.states)
        tell_state(s, last);
    return tk_ut_reading_made(&s->r, rc, err);
}

static void make_task(void *ctx, size_t index, unsigned worker)
{
    struct file_source *s = ctx;
    (void)index;
    (void)worker;
    s->rc = make_source_file(s, &s->err);
}

/* May the next batch be made while this one is used? Not where the caller, who answers questions about
 * threads, learns something of them from this one; of a part there is little to make. */
static bool may_go_ahead(const struct file_source *s, const struct tk_batch *batch)
{
    for (size_t i = 0; s->r.request.want_thread && i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_THREAD)
            return false;
    return tk_pool_jobs(s->r.capture->ctx->pool) > 1 && !(s->r.request.part && s->r.request.want_thread);
}

static int hand_out(struct file_source *s, struct tk_batch *batch)
{
    struct tk_ut_batch *out = &s->outs[s->turn];
    struct tk_ut_capture *c = s->r.capture;
    const bool part = s->r.request.part != NULL;
    if (!part)
        tk_health_merge(&c->ctx->health, &out->health);
    *batch = (struct tk_batch){
        .facts = out->facts.v, .n_facts = out->facts.n, .runs = out->runs.v, .n_runs = out->runs.n};
    if (c->header.protocol >= 6) { /* packets begin with a record (wire 2.8) */
        batch->from = out->first_packet;
        batch->to = out->next_packet;
    }
    if (s->states[s->turn].bytes.n) {
        batch->state = s->states[s->turn].bytes.v;
        batch->n_state = s->states[s->turn].bytes.n;
    }
    batch->piece = s->piece_begins ? s->piece : 0;
    s->turn ^= tk_pool_jobs(c->ctx->pool) > 1;
    s->ended = s->last;
    if (s->ended) {
        c->complete |= tk_ut_reading_wants(&s->r) && !part && !s->r.request.n_resume;
    } else if (may_go_ahead(s, batch)) {
        s->started = true;
        tk_pool_start(c->ctx->pool, &s->task, make_task, s, 1);
    }
    return TK_ITEM;
}

/* What comes after the last batch, sorting for one, needs the memory. */
static void release_batches(struct file_source *s)
{
    for (size_t i = 0; i < 2; i++) {
        tk_ut_batch_release(&s->outs[i]);
        tk_ut_packet_run_release(&s->stretches[i]);
    }
}

/* Values are joined when they are looked at, by those who cannot report that memory ran out. */
static int lost_values(const struct file_source *s, struct tk_err *err)
{
    return s->outs[0].arena.failed || s->outs[1].arena.failed ? tk_err_nomem(err, "events") : TK_OK;
}

static int source_next_source_file(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct file_source *s = (struct file_source *)base;
    if (!s->began && !s->r.request.part) {
        s->began = true;
        return tk_ut_reading_failed(tk_ut_reading_begin(&s->r, batch), err);
    }
    if (s->ended) {
        int rc = lost_values(s, err);
        release_batches(s);
        return rc;
    }
    if (s->started)
        tk_pool_wait(s->r.capture->ctx->pool, &s->task);
    else
        make_task(s, 0, 0);
    s->started = false;
    if (s->rc >= 0)
        s->rc = lost_values(s, &s->err);
    if (s->rc >= 0 && !s->r.request.part) {
        const struct tk_ut_capture *c = s->r.capture;
        int rc = tk_ut_reading_progress(c, tk_ut_index_offset(&c->index, s->next), &s->err);
        s->rc = rc < 0 ? rc : s->rc;
    }
    if (s->rc >= 0)
        return hand_out(s, batch);
    s->ended = true;
    if (err)
        *err = s->err;
    return s->rc;
}

static void source_close_source_file(struct tk_source *base)
{
    struct file_source *s = (struct file_source *)base;
    if (s->started)
        tk_pool_wait(s->r.capture->ctx->pool, &s->task);
    for (size_t i = 0; i < s->order.n; i++) {
        tk_ut_lane_release(&s->lanes[s->order.v[i]]->lane);
        free(s->lanes[s->order.v[i]]);
    }
    release_batches(s);
    tk_kept_release(&s->states[0]);
    tk_kept_release(&s->states[1]);
    tk_ut_reading_close(&s->r);
    tk_ut_serials_release(&s->serials);
    free(s->lanes);
    tk_vec_release(&s->order);
    free(s);
}

static const struct tk_source_ops ops = {source_next_source_file, source_close_source_file};

int tk_ut_source_file(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err)
{
    struct file_source *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = &ops;
    s->end = c->index.n;
    if (!tk_ut_reading_wants(&(struct tk_ut_reading){.request = *request}))
        s->next = c->index.n;
    if (request->n_resume) /* the first batch begins with a piece */
        s->next = s->end = 0;
    if (request->part) {
        s->end = request->part->to < s->end ? (size_t)request->part->to : s->end;
        s->next = request->part->from < s->end ? (size_t)request->part->from : s->end;
    }
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    if (!s->lanes || tk_ut_reading_open(&s->r, c, request) != TK_OK ||
        tk_ut_serials_open(&s->serials, c->header.protocol == 1 ? 16 : 24) != TK_OK) {
        source_close_source_file(&s->base);
        return tk_err_nomem(err, "a reading");
    }
    s->r.decoder.serials = request->n_resume ? NULL : &s->serials;
    s->r.feed.serials = &s->serials;
    if (c->index.settled)
        tk_ut_serials_wait(&s->serials);
    s->late_packets = tk_ut_reading_last_rounds(&c->index);
    *out = &s->base;
    return TK_OK;
}
