/*
 * The common part of readings.
 */
#include "format/utrace/reading/reading_common.h"

#include "fact/progress.h"
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/timer_ids.h"

#include <stdlib.h>
#include <string.h>

#define COUNTING (TK_FACT_MASK(RECORD_COUNT) | TK_FACT_MASK(STREAM))
#define STAMPED  (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(RECORD) | TK_FACT_MASK(EXTENT))

bool tk_ut_reading_wants(const struct tk_ut_reading *r)
{
    return r->request.facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM));
}

#define LAST_ROUNDS  4u /* in which each thread sends a packet at most, mostly */
#define LAST_PACKETS 32u

size_t tk_ut_reading_last_rounds(const struct tk_ut_index *ix)
{
    size_t rounds = LAST_PACKETS;
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++)
        rounds += LAST_ROUNDS;
    return ix->n > rounds ? ix->n - rounds : 0;
}

/* Which lanes' packets need unpacking. */
static int want_tids(struct tk_ut_reading *r)
{
    bool any = tk_ut_reading_wants(r);
    if (!(r->want_tid = malloc(TK_UT_TIDS)))
        return TK_ENOMEM;
    memset(r->want_tid, any, TK_UT_TIDS);
    r->want_tid[TK_UT_TID_SYNC] = 0;
    if (r->capture->header.protocol < 5)
        return TK_OK;
    r->want_tid[TK_UT_TID_DECLARATIONS] = 0;
    r->want_tid[TK_UT_TID_IMPORTANT] =
        any && (r->request.facts & (COUNTING | TK_FACT_MASK(RECORD)) || tk_ut_feed_wants_important(&r->feed));
    if (r->request.n_resume) /* its facts are known */
        r->want_tid[TK_UT_TID_IMPORTANT] = 0;
    if (r->request.part || (r->request.n_resume && r->request.want_thread)) /* what others say is known */
        for (uint32_t tid = 0; tid < TK_UT_TIDS; tid++)
            r->want_tid[tid] = tid > TK_UT_TID_IMPORTANT && r->request.want_thread &&
                               r->request.want_thread(r->request.want_ctx, tid);
    return TK_OK;
}

static int want_types(struct tk_ut_reading *r)
{
    size_t n = r->capture->schema.types.n;
    if (tk_ut_feed_resolve(&r->feed) != TK_OK || tk_vec_reserve(&r->want, n + 1) ||
        tk_vec_reserve(&r->counts, n + 1) || tk_vec_reserve(&r->bytes, n + 1))
        return TK_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        r->want.v[i] = tk_ut_feed_wants(&r->feed, i);
        r->counts.v[i] = r->bytes.v[i] = 0;
    }
    r->counts.n = r->bytes.n = n;
    return TK_OK;
}

/* How to pass over events that nobody wants, in protocols whose types are all declared by now. */
static int pass_types(struct tk_ut_reading *r)
{
    const struct tk_ut_schema *schema = &r->capture->schema;
    if (r->capture->header.protocol < 5)
        return TK_OK;
    if (tk_vec_reach(&r->passes, TK_UT_PASSES))
        return TK_ENOMEM;
    for (uint32_t i = 0; i < schema->types.n; i++) {
        const struct tk_ut_type *type = schema->types.v[i];
        if (!r->want.v[i] && type->uid < TK_UT_PASSES && schema->by_uid[type->uid] == type)
            r->passes.v[type->uid] = tk_ut_pass_of(type);
    }
    return TK_OK;
}

int tk_ut_reading_open(struct tk_ut_reading *r, struct tk_ut_capture *c, const struct tk_request *request)
{
    r->capture = c;
    r->request = *request;
    r->feed.capture = c;
    r->feed.request = &r->request;
    r->feed.follows = r->request.placed || r->request.facts & TK_FACT_MASK(EXTENT);
    r->feed.held.behind = UINT64_MAX;
    r->feed.first = INT64_MAX;
    r->feed.latest = INT64_MIN;
    r->handler = (struct tk_ut_handler){tk_ut_feed_event,
                                        tk_ut_feed_enter,
                                        tk_ut_feed_leave,
                                        tk_ut_feed_cut,
                                        NULL,
                                        &r->feed,
                                        tk_ut_feed_scope_end,
                                        NULL};
    r->important.lane.tid = TK_UT_TID_IMPORTANT;
    for (size_t i = 0; tk_ut_families[i]; i++)
        if (tk_ut_families[i]->begin)
            tk_ut_families[i]->begin(c->states[i]);
    if (want_types(r) != TK_OK || pass_types(r) != TK_OK || want_tids(r) != TK_OK)
        return TK_ENOMEM;
    r->decoder = (struct tk_ut_decoder){.schema = &c->schema,
                                        .limits = &c->ctx->limits,
                                        .handler = &r->handler,
                                        .extra = &r->feed.extra,
                                        .want = r->want.v,
                                        .n_want = (uint32_t)r->counts.n,
                                        .passes = r->passes.v,
                                        .counts = r->request.facts & COUNTING ? r->counts.v : NULL,
                                        .bytes = r->bytes.v,
                                        .start_cycle = c->clock.start,
                                        .protocol = c->header.protocol,
                                        .settled = c->index.settled,
                                        .marks = r->feed.marks || r->request.facts & STAMPED,
                                        .stamps = r->feed.follows,
                                        .uid_bias = 5};
    bool scopes = r->request.facts & (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES));
    return scopes ? tk_ut_scopes_open(&r->feed.scopes, c) : TK_OK;
}

void tk_ut_reading_close(struct tk_ut_reading *r)
{
    tk_ut_lane_release(&r->important.lane);
    tk_ut_scopes_close(r->feed.scopes);
    tk_ut_feed_release(&r->feed);
    tk_arena_release(&r->definitions);
    free(r->want_tid);
    tk_vec_release(&r->want);
    tk_vec_release(&r->passes);
    tk_vec_release(&r->counts);
    tk_vec_release(&r->bytes);
}

/* A copy: definitions that come while the batch is in use may move the original. */
int tk_ut_reading_begin(struct tk_ut_reading *r, struct tk_batch *batch)
{
    int rc = tk_ut_known_timers_define(&r->feed, r->request.n_resume > 0);
    if (rc == TK_OK && r->request.named)
        rc = tk_ut_timers_name(&r->feed);
    if (rc != TK_OK)
        return rc;
    size_t n = r->capture->definitions.n;
    struct tk_fact *copy = tk_arena_alloc(&r->definitions, n * sizeof *copy);
    if (!copy)
        return TK_ENOMEM;
    if (n)
        memcpy(copy, r->capture->definitions.v, n * sizeof *copy);
    *batch = (struct tk_batch){.facts = copy, .n_facts = n};
    return TK_ITEM;
}

void tk_ut_reading_turn(struct tk_ut_reading *r, struct tk_ut_batch *out)
{
    const struct tk_health *health = &r->capture->ctx->health;
    tk_ut_batch_clear(out);
    out->health.muted = health->muted;
    out->health.max_items = health->max_items;
    r->feed.out = out;
    r->decoder.health = &out->health;
    r->decoder.scratch = &out->arena;
}

/* Sets the decoder up for tid 1, or back. Its faults were noted by the index pass. */
static void turn_important(struct tk_ut_reading *r, bool on, struct tk_health *health)
{
    r->decoder.health = health;
    r->feed.important = on;
}

int tk_ut_reading_important(struct tk_ut_reading *r, const struct tk_ut_read_packet *packet)
{
    struct tk_ut_payload payload = {packet->p, packet->n, packet->head.offset, false, false, 0};
    struct tk_health quiet = {.muted = UINT64_MAX}, *health = r->decoder.health;
    turn_important(r, true, &quiet);
    int rc = packet->n ? tk_ut_important_feed(&r->decoder, &r->important, &payload) : TK_OK;
    turn_important(r, false, health);
    return rc;
}

int tk_ut_reading_important_break(struct tk_ut_reading *r)
{
    struct tk_health quiet = {.muted = UINT64_MAX}, *health = r->decoder.health;
    turn_important(r, true, &quiet);
    int rc = tk_ut_important_break(&r->decoder, &r->important);
    turn_important(r, false, health);
    return rc;
}

/* Was more recorded than there are packets to read? */
static bool is_cut(const struct tk_ut_index *ix)
{
    return ix->truncated || ix->rest;
}

int tk_ut_reading_important_end(struct tk_ut_reading *r)
{
    struct tk_health quiet = {.muted = UINT64_MAX}, *health = r->decoder.health;
    turn_important(r, true, &quiet);
    int rc = tk_ut_important_finish(&r->decoder, &r->important, is_cut(&r->capture->index));
    turn_important(r, false, health);
    return rc;
}

int tk_ut_reading_finish_lane(struct tk_ut_reading *r, struct tk_ut_lane *lane)
{
    struct tk_ut_index *ix = &r->capture->index;
    if (lane->n_carry && r->capture->header.protocol == 5 && tk_ut_index_tid(ix, ix->n - 1) == lane->tid)
        ix->truncated = true;
    int rc = tk_ut_lane_finish(&r->decoder, lane, is_cut(ix));
    if (!(r->decoder.health->muted >> TK_HEALTH_STREAM_BREAK & 1))
        tk_health_move(&r->capture->ctx->health, tk_ut_packet_part(ix, lane->tid), TK_LEDGER_UNREADABLE,
                       lane->dropped);
    lane->dropped = 0;
    return rc;
}

int tk_ut_reading_counts(struct tk_ut_reading *r)
{
    const struct tk_ut_schema *schema = &r->capture->schema;
    int rc = TK_OK;
    if (!(r->request.facts & TK_FACT_MASK(RECORD_COUNT)))
        return TK_OK;
    for (size_t i = 0; i < r->counts.n; i++) {
        uint32_t first = schema->types.v[i]->same;
        if (first == i)
            continue;
        r->counts.v[first] += r->counts.v[i];
        r->bytes.v[first] += r->bytes.v[i];
        r->counts.v[i] = 0;
    }
    for (size_t i = 0; i < r->counts.n && rc == TK_OK; i++) {
        struct tk_fact fact = {
            .kind = TK_FACT_RECORD_COUNT, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
        fact.u.record_count =
            (struct tk_fact_record_count){&schema->types.v[i]->record, r->counts.v[i], r->bytes.v[i]};
        rc = r->counts.v[i] ? tk_ut_emit(&r->feed, &fact) : TK_OK;
    }
    return rc;
}

int tk_ut_reading_extent(struct tk_ut_reading *r)
{
    const struct tk_ut_feed *feed = &r->feed;
    struct tk_fact fact = {
        .kind = TK_FACT_EXTENT, .size = sizeof fact, .thread = TK_NO_THREAD, .seq = TK_NO_SEQ};
    if (!(r->request.facts & TK_FACT_MASK(EXTENT)) || feed->first == INT64_MAX)
        return TK_OK;
    fact.u.extent.from = feed->first;
    fact.time = feed->latest > feed->first ? feed->latest : feed->first;
    return tk_ut_emit(&r->feed, &fact);
}

int tk_ut_reading_streams(struct tk_ut_reading *r,
                          const struct tk_ut_lane *(*lane_of)(void *ctx, uint32_t tid), void *ctx)
{
    int rc = TK_OK;
    if (!(r->request.facts & TK_FACT_MASK(STREAM)))
        return TK_OK;
    for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(&r->capture->index, &tid) && tid < TK_UT_TID_SYNC;
         tid++) {
        const struct tk_ut_lane_info *info = &r->capture->index.lanes[tid];
        const struct tk_ut_lane *lane = lane_of(ctx, tid);
        struct tk_fact fact = {.kind = TK_FACT_STREAM, .size = sizeof fact, .thread = tid, .seq = TK_NO_SEQ};
        if (r->capture->header.protocol >= 5 && tid == TK_UT_TID_IMPORTANT)
            lane = &r->important.lane;
        fact.u.stream = (struct tk_fact_stream){info->packets, info->stored, lane ? lane->unpacked : 0,
                                                lane ? lane->events : 0};
        rc = tk_ut_emit(&r->feed, &fact);
    }
    return rc;
}

int tk_ut_reading_progress(const struct tk_ut_capture *c, uint64_t done, struct tk_err *err)
{
    return tk_progress(c->ctx, done, tk_file_size(c->ctx->file), err);
}

int tk_ut_reading_made(struct tk_ut_reading *r, int rc, struct tk_err *err)
{
    tk_health_left_out(&r->feed.out->health, &r->capture->strings.left_out);
    return tk_ut_reading_failed(rc, err);
}

int tk_ut_reading_failed(int rc, struct tk_err *err)
{
    return rc == TK_ENOMEM ? tk_err_nomem(err, "events") : rc;
}
