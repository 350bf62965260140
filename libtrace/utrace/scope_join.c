/*
 * Joining of decoded batches and stamped scopes to runs (scopes.h; utrace-events 2.5).
 */
#include "utrace/scope_lanes.h"

#include <string.h>

#include "utrace/peek_batch.h"

static int add_run(struct tk_ut_out *out, const struct tk_ut_scope_lane *lane, const int64_t *time,
                   const uint32_t *op, size_t n)
{
    struct tk_scope_run run = {
        .thread = lane->thread, .lane = lane->number, .n = n, .time = time, .op = op, .kind = lane->kind};
    return n && tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}

/* A run of one's own, of n entries at most. */
static int new_columns(struct tk_ut_out *out, size_t n, int64_t **time, uint32_t **op)
{
    *time = tk_arena_alloc(&out->columns, n * sizeof **time);
    *op = tk_arena_alloc(&out->columns, n * sizeof **op);
    return *time && *op ? TK_OK : TK_ENOMEM;
}

/* Stamped records that nothing can come before any more: those up to `end`. */
static int place_rest(struct tk_ut_out *out, struct tk_ut_scope_lane *lane, size_t end)
{
    int64_t *time;
    uint32_t *op;
    size_t n = 0;
    if (lane->done >= end)
        return TK_OK;
    if (new_columns(out, end - lane->done, &time, &op) != TK_OK)
        return TK_ENOMEM;
    for (; lane->done < end; lane->done++, n++) {
        time[n] = lane->waiting.v[lane->done].time;
        op[n] = lane->waiting.v[lane->done].op;
    }
    return add_run(out, lane, time, op, n);
}

/* utrace-events 2.5: of equal times a stamped record goes before a begin and after an end. */
static int join(struct tk_ut_out *out, struct tk_ut_scope_lane *lane, const struct tk_cpu_chunk *c)
{
    int64_t *time;
    uint32_t *op;
    size_t n = 0, left = lane->waiting.n - lane->done;
    if (!left)
        return add_run(out, lane, c->time, c->op, c->n);
    if (new_columns(out, c->n + left, &time, &op) != TK_OK)
        return TK_ENOMEM;
    for (size_t i = 0; i < c->n; i++) {
        bool begin = !(c->op[i] & TK_OP_END);
        for (; lane->done < lane->waiting.n; lane->done++, n++) {
            const struct tk_ut_stamped *w = &lane->waiting.v[lane->done];
            if (w->time > c->time[i] || (w->time == c->time[i] && !begin))
                break;
            time[n] = w->time;
            op[n] = w->op;
        }
        time[n] = c->time[i];
        op[n++] = c->op[i];
    }
    return add_run(out, lane, time, op, n);
}

static int place_cut(struct tk_ut_out *out, struct tk_ut_scope_lane *lane, size_t end)
{
    int64_t *time;
    uint32_t *op;
    if (place_rest(out, lane, end) != TK_OK || new_columns(out, 1, &time, &op) != TK_OK)
        return TK_ENOMEM;
    *time = INT64_MIN;
    *op = TK_OP_CUT;
    return add_run(out, lane, time, op, 1);
}

/* How many of the waiting records are before the next batch of their lane, wherever that stands in the file.
 */
static int before_next_batch(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t *end)
{
    int rc = TK_ITEM;
    if (!lane->source)
        return TK_ELIMIT;
    if (!lane->peeked)
        rc = tk_ut_peek_batch(feed->capture, lane->thread, lane->source->packet, &lane->next_time);
    if (rc < 0)
        return rc;
    if (rc == TK_OK)
        lane->next_time = INT64_MAX;
    lane->peeked = true;
    for (*end = lane->done; *end < lane->waiting.n && lane->waiting.v[*end].time < lane->next_time;)
        ++*end;
    return TK_OK;
}

/* Stamped records wait for a batch only as long as there is room; then the next batch is looked for. */
static int bound_waiting(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane)
{
    uint64_t most = feed->capture->ctx->limits.pending_scopes;
    size_t end;
    if (lane->waiting.n - lane->done <= most / 16)
        return TK_OK;
    int rc = before_next_batch(feed, lane, &end);
    if (rc == TK_OK)
        rc = place_rest(feed->out, lane, end);
    if ((rc != TK_OK && rc != TK_ELIMIT) || lane->waiting.n - lane->done <= most)
        return rc == TK_ELIMIT ? TK_OK : rc;
    tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, lane->waiting.n - lane->done,
                   "stamped scopes of thread %u were placed before the batch they belong to came (limit "
                   "'pending_scopes')",
                   lane->thread);
    return place_rest(feed->out, lane, lane->waiting.n);
}

static void forget_placed(struct tk_ut_scope_lane *lane)
{
    if (lane->done)
        memmove(lane->waiting.v, lane->waiting.v + lane->done,
                (lane->waiting.n - lane->done) * sizeof *lane->waiting.v);
    lane->waiting.n -= lane->done;
    lane->done = 0;
}

static int lane_runs(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, bool last)
{
    struct tk_ut_out *out = feed->out;
    int rc = TK_OK;
    for (size_t i = 0; i < lane->parts.n && rc == TK_OK; i++) {
        const struct tk_ut_scope_part *p = &lane->parts.v[i];
        rc = p->chunk == TK_UT_CUT ? place_cut(out, lane, p->stamped)
                                   : join(out, lane, &out->chunks.v[p->chunk]->cpu);
    }
    if (rc == TK_OK)
        rc = last || lane->kind != TK_LANE_THREAD ? place_rest(out, lane, lane->waiting.n)
                                                  : bound_waiting(feed, lane);
    forget_placed(lane);
    lane->parts.n = 0;
    lane->open_chunk = TK_UT_CUT;
    lane->touched = false;
    return rc;
}

int tk_ut_scopes_runs(struct tk_ut_feed *feed, bool last)
{
    struct tk_ut_scopes *s = feed->scopes;
    int rc = tk_ut_scopes_decode(feed);
    for (size_t i = 0; i < s->lanes.n && last && rc == TK_OK; i++)
        rc = tk_ut_scopes_touch(s, s->lanes.v[i]);
    for (size_t i = 0; i < s->touched.n && rc == TK_OK; i++)
        rc = lane_runs(feed, s->lanes.v[s->touched.v[i]], last);
    s->touched.n = 0;
    return rc;
}
