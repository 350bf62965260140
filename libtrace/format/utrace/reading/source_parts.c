/*
 * Readings of captures whose times are parts of cycles: what another reading gives in cycles, in parts.
 * Opened by capture.c around the other readings; captures without such times have none.
 *
 * What is about GPU queues comes in parts already, because there are times that are no whole cycles.
 */
#include "base/arena.h"
#include "base/vec.h"
#include "base/wrap.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * Reading only the packets of every lane until one says a time, and the last one: for a lower bound of the
 * duration. Of a capture that is opened in part, all packets of its end, and the frames in them. From
 * protocol 5.1 on packets begin with a record (wire 2.8); in older files the lanes are short and are read in
 * full instead.
 */

struct ends_source {
    struct tk_source base;
    struct tk_ut_reading r;
    struct tk_ut_batch out;
    uint8_t *raw, *unpacked; /* owned: one packet */
    bool began, ended;
};

static int feed_packet(struct ends_source *s, const struct tk_ut_index *ix, size_t i, struct tk_ut_lane *lane,
                       struct tk_err *err)
{
    struct tk_ut_read_packet packet;
    int rc = tk_ut_packet_read(s->r.capture->ctx, ix, i, s->raw, s->unpacked, &packet, err);
    if (rc == TK_OK && packet.state == TK_UT_GONE)
        tk_health_note(&s->r.capture->ctx->health, TK_HEALTH_FILE_SHRANK, packet.head.offset, 1,
                       "a packet of thread %u is no longer in the file", packet.head.tid);
    if (rc != TK_OK || packet.state != TK_UT_UNPACKED || (packet.head.partial && !ix->counted))
        return rc;
    struct tk_ut_payload payload = {packet.p, packet.n, packet.head.offset, false, false, 0};
    lane->tid = packet.head.tid;
    return tk_ut_lane_feed(&s->r.decoder, lane, &payload);
}

static int finish_lane(struct ends_source *s, struct tk_ut_lane *lane, int rc)
{
    if (rc == TK_OK && lane->seen)
        rc = tk_ut_lane_finish(&s->r.decoder, lane, true);
    tk_ut_lane_release(lane);
    return rc;
}

static int read_end(struct ends_source *s, const struct tk_ut_index *ix, size_t i, struct tk_err *err)
{
    struct tk_ut_lane lane = {.has_time = true}; /* what it says is none of the first times */
    return finish_lane(s, &lane, feed_packet(s, ix, i, &lane, err));
}

static size_t count_lanes(const struct tk_ut_index *ix)
{
    size_t n = 0;
    for (uint32_t tid = TK_UT_TID_IMPORTANT + 1; tk_ut_index_lane(ix, &tid); tid++)
        n++;
    return n;
}

/* Looks for the last packets from the end of the file on; lanes that ended long ago are found by walking on
 * to them. */
static int read_last(struct ends_source *s, struct tk_err *err)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    uint8_t *done = calloc(TK_UT_TIDS, 1);
    int rc = done ? TK_OK : TK_ENOMEM;
    size_t left = count_lanes(ix);
    for (size_t n = 0; left && n < ix->n && rc == TK_OK; n++) {
        size_t i = ix->n - 1 - n;
        uint16_t tid = tk_ut_index_tid(ix, i);
        if (tid > TK_UT_TID_IMPORTANT && !done[tid]) {
            done[tid] = 1;
            left--;
            rc = read_end(s, ix, i, err);
        }
    }
    free(done);
    return rc;
}

/* Frames of the beginnings are no whole ones. */
static void drop_frames(struct tk_ut_batch *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->facts.n; i++)
        if (out->facts.v[i].kind != TK_FACT_FRAME)
            out->facts.v[kept++] = out->facts.v[i];
    out->facts.n = kept;
}

/* In passing one time of any lane is enough, behind the first packets. */
static bool is_begun(const struct ends_source *s, const struct tk_ut_lane *lane)
{
    return lane && (lane->has_time || (s->r.request.in_passing && s->r.feed.first != INT64_MAX));
}

/* Reads each lane until it says a time, which its first packets may not do. */
static int read_first(struct ends_source *s, struct tk_ut_lane **lanes, struct tk_err *err)
{
    const struct tk_ut_index *ix = &s->r.capture->index;
    int rc = TK_OK;
    for (size_t left = count_lanes(ix), i = 0; left && i < ix->n && rc == TK_OK; i++) {
        const uint16_t tid = tk_ut_index_tid(ix, i);
        struct tk_ut_lane **lane = &lanes[tid];
        if (tid <= TK_UT_TID_IMPORTANT || is_begun(s, *lane))
            continue;
        if (!*lane && !(*lane = calloc(1, sizeof **lane)))
            return TK_ENOMEM;
        rc = feed_packet(s, ix, i, *lane, err);
        left -= (*lane)->has_time;
    }
    return rc;
}

static int read_first_times(struct ends_source *s, struct tk_err *err)
{
    struct tk_ut_lane **lanes = calloc(TK_UT_TIDS, sizeof(struct tk_ut_lane *));
    int rc = lanes ? read_first(s, lanes, err) : TK_ENOMEM;
    for (size_t i = 0; lanes && i < TK_UT_TIDS; i++) {
        if (lanes[i])
            rc = finish_lane(s, lanes[i], rc);
        free(lanes[i]);
    }
    free(lanes);
    return rc;
}

/* Of the beginnings only the times of events are wanted. */
static int read_beginnings(struct ends_source *s, struct tk_err *err)
{
    struct tk_ut_scopes *scopes = s->r.feed.scopes;
    s->r.feed.scopes = NULL;
    int rc = read_first_times(s, err);
    s->r.feed.scopes = scopes;
    drop_frames(&s->out);
    return rc;
}

static int read_rest(struct ends_source *s, const struct tk_ut_index *rest, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < rest->n && rc == TK_OK; i++)
        if (tk_ut_index_tid(rest, i) > TK_UT_TID_IMPORTANT)
            rc = read_end(s, rest, i, err);
    return rc;
}

static int read_ends(struct ends_source *s, struct tk_err *err)
{
    const struct tk_ut_index *rest = s->r.capture->index.rest;
    int rc = read_beginnings(s, err);
    if (rc == TK_OK)
        rc = rest && rest->n ? read_rest(s, rest, err) : read_last(s, err);
    return rc == TK_OK ? tk_ut_reading_extent(&s->r) : rc;
}

static int source_next_source_tail(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct ends_source *s = (struct ends_source *)base;
    if (!s->began) {
        s->began = true;
        return tk_ut_reading_failed(tk_ut_reading_begin(&s->r, batch), err);
    }
    if (s->ended)
        return TK_OK;
    s->ended = true;
    tk_ut_reading_turn(&s->r, &s->out);
    s->out.health.muted = UINT64_MAX;
    int rc = read_ends(s, err);
    if (rc == TK_OK && s->r.feed.scopes)
        rc = tk_ut_scopes_runs(&s->r.feed, true);
    if (rc != TK_OK)
        return tk_ut_reading_failed(rc, err);
    *batch = (struct tk_batch){
        .facts = s->out.facts.v, .n_facts = s->out.facts.n, .runs = s->out.runs.v, .n_runs = s->out.runs.n};
    return TK_ITEM;
}

static void source_close_source_tail(struct tk_source *base)
{
    struct ends_source *s = (struct ends_source *)base;
    tk_ut_batch_release(&s->out);
    tk_ut_reading_close(&s->r);
    free(s->raw);
    free(s->unpacked);
    free(s);
}

static const struct tk_source_ops source_tail_ops = {source_next_source_tail, source_close_source_tail};

int tk_ut_source_ends(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err)
{
    struct ends_source *s;
    if (c->header.protocol < 6)
        return tk_ut_source_file(c, request, out, err);
    if (!(s = calloc(1, sizeof *s)))
        return tk_err_nomem(err, "a reading");
    s->base.ops = &source_tail_ops;
    s->raw = malloc(TK_UT_PACKET_MAX);
    s->unpacked = malloc(TK_UT_PACKET_MAX);
    if (!s->raw || !s->unpacked || tk_ut_reading_open(&s->r, c, request) != TK_OK) {
        source_close_source_tail(&s->base);
        return tk_err_nomem(err, "a reading");
    }
    *out = &s->base;
    return TK_OK;
}

struct parts_source {
    struct tk_source base;
    struct tk_source *inner; /* owned */
    const struct tk_ut_capture *capture;
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    struct tk_arena arena; /* of the batch */
};

/* Times in facts alongside `time`: which kind has one where. */
static const struct {
    uint16_t kind, at;
} times[] = {
    {TK_FACT_STALL, offsetof(struct tk_fact, u.stall.end)},
    {TK_FACT_EXTENT, offsetof(struct tk_fact, u.extent.from)},
    {TK_FACT_FILE_IO, offsetof(struct tk_fact, u.file_io.end)},
    {TK_FACT_LOAD_STEP, offsetof(struct tk_fact, u.load_step.end)},
    {TK_FACT_LOAD_STEP, offsetof(struct tk_fact, u.load_step.excl)},
    {TK_FACT_SWITCH, offsetof(struct tk_fact, u.context.end)},
    {TK_FACT_ROW, offsetof(struct tk_fact, u.row.end)},
};

static void convert_time(const struct parts_source *s, int64_t *time)
{
    *time = tk_saturate_times(*time, s->capture->base.parts);
}

static int convert_cells(struct parts_source *s, struct tk_fact_row *row)
{
    const uint32_t n = row->table->n_columns;
    struct tk_cell *cells = tk_arena_copy(&s->arena, row->cells, n * sizeof *cells);
    if (!cells)
        return TK_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (cells[i].kind == TK_TIME || cells[i].kind == TK_DURATION)
            convert_time(s, &cells[i].v.i);
    row->cells = cells;
    return TK_OK;
}

static void convert_taken(const struct parts_source *s, uint64_t *cycles)
{
    *cycles = *cycles > UINT64_MAX / s->capture->base.parts ? UINT64_MAX : *cycles * s->capture->base.parts;
}

static int convert_fact(struct parts_source *s, struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GPU)
        return TK_OK;
    if (fact->kind == TK_FACT_CLOCK)
        fact->u.clock = tk_ut_reported_clock(s->capture);
    if (fact->kind == TK_FACT_NET_OBJECT && fact->u.net_object.op >= TK_NET_POLLED)
        convert_taken(s, &fact->u.net_object.cycles);
    convert_time(s, &fact->time);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i].kind == fact->kind)
            convert_time(s, (int64_t *)(void *)((char *)fact + times[i].at));
    return fact->kind == TK_FACT_ROW ? convert_cells(s, &fact->u.row) : TK_OK;
}

static int convert_facts(struct parts_source *s, struct tk_batch *batch)
{
    int rc = TK_OK;
    s->facts.n = 0;
    if (tk_vec_reserve(&s->facts, batch->n_facts + 1))
        return TK_ENOMEM;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        s->facts.v[s->facts.n] = batch->facts[i];
        rc = convert_fact(s, &s->facts.v[s->facts.n++]);
    }
    batch->facts = s->facts.v;
    return rc;
}

static int convert_run(struct parts_source *s, struct tk_scope_run *run)
{
    int64_t *time = tk_arena_alloc(&s->arena, run->n * sizeof *time);
    if (!time)
        return TK_ENOMEM;
    for (size_t i = 0; i < run->n; i++)
        time[i] = tk_saturate_times(run->time[i], s->capture->base.parts);
    run->time = time;
    return TK_OK;
}

static int convert_runs(struct parts_source *s, struct tk_batch *batch)
{
    int rc = TK_OK;
    s->runs.n = 0;
    if (tk_vec_reserve(&s->runs, batch->n_runs + 1))
        return TK_ENOMEM;
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++) {
        s->runs.v[s->runs.n] = batch->runs[i];
        if (batch->runs[i].kind == TK_LANE_THREAD)
            rc = convert_run(s, &s->runs.v[s->runs.n]);
        s->runs.n++;
    }
    batch->runs = s->runs.v;
    return rc;
}

static int source_next_source_parts(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct parts_source *s = (struct parts_source *)base;
    int rc = tk_source_next(s->inner, batch, err);
    if (rc != TK_ITEM)
        return rc;
    tk_arena_clear(&s->arena);
    if (convert_facts(s, batch) != TK_OK || convert_runs(s, batch) != TK_OK)
        return tk_err_nomem(err, "times of events");
    return rc;
}

static void source_close_source_parts(struct tk_source *base)
{
    struct parts_source *s = (struct parts_source *)base;
    tk_source_close(s->inner);
    tk_vec_release(&s->facts);
    tk_vec_release(&s->runs);
    tk_arena_release(&s->arena);
    free(s);
}

static const struct tk_source_ops ops = {source_next_source_parts, source_close_source_parts};

int tk_ut_source_parts(struct tk_ut_capture *c, struct tk_source **source, struct tk_err *err)
{
    struct parts_source *s = calloc(1, sizeof *s);
    if (!s) {
        tk_source_close(*source);
        *source = NULL;
        return tk_err_nomem(err, "a reading");
    }
    s->base.ops = &ops;
    s->inner = *source;
    s->capture = c;
    *source = &s->base;
    return TK_OK;
}

/*
 * Names that come behind their scopes: a second reading of the capture, to its end, while another one goes
 * on.
 */

/* Of scopes only what defines their timers. */
static bool wants_no_thread(void *ctx, uint32_t thread)
{
    (void)ctx;
    (void)thread;
    return false;
}

static int read_all_of(struct tk_ut_capture *ahead, struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES),
                                       .want_thread = wants_no_thread};
    struct tk_source *source = NULL;
    struct tk_batch batch;
    int rc = tk_ut_source_file(ahead, &request, &source, err);
    while (rc >= 0 && (rc = tk_source_next(source, &batch, err)) == TK_ITEM)
        ;
    tk_source_close(source);
    return rc;
}

/* What is wrong with the capture is said by the reading that goes on. */
static struct tk_context *context_of(const struct tk_ut_capture *c)
{
    struct tk_context *ctx = malloc(sizeof *ctx);
    if (!ctx)
        return NULL;
    *ctx = *c->ctx;
    ctx->health = (struct tk_health){.muted = UINT64_MAX};
    ctx->earlier = ctx->opened = NULL;
    ctx->known = NULL;
    return ctx;
}

void tk_ut_ahead_close(struct tk_ut_capture *c)
{
    if (c->ahead)
        c->ahead->base.ops->close(&c->ahead->base);
    if (c->ahead_ctx)
        tk_health_release(&c->ahead_ctx->health);
    free(c->ahead_ctx);
    c->ahead = NULL;
    c->ahead_ctx = NULL;
}

int tk_ut_ahead_read(struct tk_ut_capture *c)
{
    struct tk_capture *base = NULL;
    struct tk_err err = {0};
    if (!(c->ahead_ctx = context_of(c)))
        return TK_ENOMEM;
    int rc = c->ctx->format->open(c->ahead_ctx, &base, &err);
    c->ahead = (struct tk_ut_capture *)base;
    if (rc == TK_OK)
        rc = read_all_of(c->ahead, &err);
    if (rc < 0)
        tk_ut_ahead_close(c);
    return rc == TK_ENOMEM ? rc : TK_OK;
}
