/*
 * Joining of decoded batches and stamped scopes to runs (scope_collect.h; events 2.5).
 */
#include "format/utrace/scopes/scopes_in.h"

#include <string.h>

/* The columns of a run. */
struct columns {
    int64_t *time;
    uint32_t *op;
    const struct tk_str **text; /* NULL where nobody requests texts */
    size_t n;
};

static int add_run_scope_join(struct tk_ut_batch *out, const struct tk_ut_scope_lane *lane,
                              const struct columns *c)
{
    struct tk_scope_run run = {.thread = lane->thread,
                               .lane = lane->number,
                               .n = c->n,
                               .time = c->time,
                               .op = c->op,
                               .kind = lane->kind,
                               .reported = !lane->source,
                               .text = c->text};
    return c->n && tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}

/* A run of one's own, of n entries at most. */
static int new_columns(struct tk_ut_feed *feed, size_t n, struct columns *c)
{
    struct tk_arena *a = &feed->out->columns;
    bool texts = tk_ut_requested(feed, TK_FACT_MASK(SCOPE_TEXT));
    *c = (struct columns){.time = tk_arena_alloc(a, n * sizeof *c->time),
                          .op = tk_arena_alloc(a, n * sizeof *c->op),
                          .text = texts ? tk_arena_alloc(a, n * sizeof *c->text) : NULL};
    return c->time && c->op && (c->text || !texts) ? TK_OK : TK_ENOMEM;
}

static void put_scope_join(struct columns *c, int64_t time, uint32_t op, const struct tk_str *text)
{
    if (c->text)
        c->text[c->n] = text;
    c->time[c->n] = op == TK_OP_CUT ? INT64_MIN : time;
    c->op[c->n++] = op;
}

/* Stamped records that nothing can come before any more: those up to `end`. */
static int place_rest(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t end)
{
    struct columns c;
    if (lane->done >= end)
        return TK_OK;
    if (new_columns(feed, end - lane->done, &c) != TK_OK)
        return TK_ENOMEM;
    for (; lane->done < end; lane->done++) {
        const struct tk_ut_stamped *w = &lane->waiting.v[lane->done];
        put_scope_join(&c, w->time, w->op, w->text);
    }
    return add_run_scope_join(feed->out, lane, &c);
}

/* events 2.5: of equal times a stamped record goes before a begin and after an end. */
static int join_scope_join(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane,
                           const struct tk_ut_chunk *chunk)
{
    const struct tk_cpu_chunk *from = &chunk->cpu;
    struct columns c = {from->time, from->op, chunk->has_text ? chunk->text : NULL, from->n};
    size_t left = lane->waiting.n - lane->done;
    if (!left)
        return add_run_scope_join(feed->out, lane, &c);
    if (new_columns(feed, from->n + left, &c) != TK_OK)
        return TK_ENOMEM;
    for (size_t i = 0; i < from->n; i++) {
        bool begin = !(from->op[i] & TK_OP_END);
        for (; lane->done < lane->waiting.n; lane->done++) {
            const struct tk_ut_stamped *w = &lane->waiting.v[lane->done];
            if (w->time > from->time[i] || (w->time == from->time[i] && !begin))
                break;
            put_scope_join(&c, w->time, w->op, w->text);
        }
        put_scope_join(&c, from->time[i], from->op[i], chunk->has_text ? chunk->text[i] : NULL);
    }
    return add_run_scope_join(feed->out, lane, &c);
}

static int place_cut(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t end)
{
    struct columns c;
    /* some may have been left out since */
    end = end < lane->waiting.n ? end : lane->waiting.n;
    if (place_rest(feed, lane, end) != TK_OK || new_columns(feed, 1, &c) != TK_OK)
        return TK_ENOMEM;
    put_scope_join(&c, INT64_MIN, TK_OP_CUT, NULL);
    return add_run_scope_join(feed->out, lane, &c);
}

/* How many of the waiting records are before the next batch of their lane, wherever that stands in the file.
 */
static int before_next_batch(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t *end)
{
    int rc = TK_ITEM;
    if (!lane->source)
        return TK_ELIMIT;
    if (lane->held.n)
        lane->next_time = lane->held.begin;
    else if (!lane->peeked)
        rc = tk_ut_peek_batch(feed->capture, lane->thread, lane->source->packet, &lane->next_time);
    if (rc < 0)
        return rc;
    if (rc == TK_OK)
        lane->next_time = INT64_MAX;
    lane->peeked = !lane->held.n;
    for (*end = lane->done; *end < lane->waiting.n && lane->waiting.v[*end].time < lane->next_time;)
        ++*end;
    return TK_OK;
}

/* Stamped records wait for a batch only as long as there is space; then the next batch is looked for. */
static int bound_waiting(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane)
{
    uint64_t most = feed->capture->ctx->limits.pending_scopes;
    size_t end;
    if (lane->waiting.n - lane->done <= most / 16)
        return TK_OK;
    int rc = before_next_batch(feed, lane, &end);
    if (rc == TK_OK)
        rc = place_rest(feed, lane, end);
    if ((rc != TK_OK && rc != TK_ELIMIT) || lane->waiting.n - lane->done <= most)
        return rc == TK_ELIMIT ? TK_OK : rc;
    tk_health_limit(&feed->out->health, TK_LIMIT_pending_scopes, TK_NO_OFFSET, lane->waiting.n - lane->done,
                    "stamped scopes of thread %u were placed before the batch they belong to came",
                    lane->thread);
    return place_rest(feed, lane, lane->waiting.n);
}

static void forget_placed(struct tk_ut_scope_lane *lane)
{
    if (lane->done)
        memmove(lane->waiting.v, lane->waiting.v + lane->done,
                (lane->waiting.n - lane->done) * sizeof *lane->waiting.v);
    lane->waiting.n -= lane->done;
    lane->since -= lane->done < lane->since ? lane->done : lane->since;
    lane->before -= lane->done < lane->before ? lane->done : lane->before;
    lane->done = 0;
}

static int lane_runs(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, bool last)
{
    struct tk_ut_batch *out = feed->out;
    int rc = TK_OK;
    for (size_t i = 0; i < lane->parts.n && rc == TK_OK; i++) {
        const struct tk_ut_scope_part *p = &lane->parts.v[i];
        rc = p->chunk == TK_UT_CUT ? place_cut(feed, lane, p->stamped)
                                   : join_scope_join(feed, lane, out->chunks.v[p->chunk]);
    }
    if (rc == TK_OK)
        rc = last || lane->kind != TK_LANE_THREAD ? place_rest(feed, lane, lane->waiting.n)
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
    int rc = tk_ut_batch_times_hold(feed, last);
    if (rc == TK_OK)
        rc = tk_ut_scopes_decode(feed, last);
    for (size_t i = 0; i < s->lanes.n && last && rc == TK_OK; i++)
        rc = tk_ut_scopes_touch(s, s->lanes.v[i]);
    for (size_t i = 0; i < s->touched.n && rc == TK_OK; i++)
        rc = lane_runs(feed, s->lanes.v[s->touched.v[i]], last);
    s->touched.n = 0;
    return rc;
}
