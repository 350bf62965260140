/*
 * Collecting of scopes.
 */
#include "format/utrace/scopes/scopes_in.h"
#include "format/utrace/scopes/timer_ids.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_STEPS        1000  /* a clock may step back by such a part of a second */
#define SMALL_STEP_UNKNOWN 10000 /* the same in cycles, where nothing says how long they are */

static uint64_t small_step(const struct tk_ut_capture *capture)
{
    return capture->clock.frequency ? capture->clock.frequency / SMALL_STEPS : SMALL_STEP_UNKNOWN;
}

int tk_ut_scopes_open(struct tk_ut_scopes **out, struct tk_ut_capture *capture)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TK_ENOMEM;
    **out = (struct tk_ut_scopes){.capture = capture,
                                  .small_step = small_step(capture),
                                  .begin = INT64_MAX,
                                  .top = INT64_MIN,
                                  .second = INT64_MIN,
                                  .top_lane = UINT32_MAX};
    return TK_OK;
}

void tk_ut_scopes_close(struct tk_ut_scopes *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lanes.n; i++) {
        tk_vec_release(&s->lanes.v[i]->waiting);
        tk_vec_release(&s->lanes.v[i]->parts);
        free(s->lanes.v[i]->held.bytes);
        free(s->lanes.v[i]);
    }
    tk_vec_release(&s->lanes);
    tk_vec_release(&s->touched);
    tk_vec_release(&s->timed);
    tk_vec_release(&s->holding);
    tk_map_release(&s->by_thread);
    free(s);
}

/* ---- lanes ---- */

static uint64_t lane_key(uint8_t kind, uint32_t thread)
{
    return (uint64_t)kind << 32 | thread;
}

static struct tk_ut_scope_lane *add_lane(struct tk_ut_scopes *s, const struct tk_ut_feed *feed, uint8_t kind,
                                         uint32_t thread)
{
    struct tk_ut_scope_lane *lane = calloc(1, sizeof *lane);
    const struct tk_request *request = feed->request;
    if (!lane || tk_vec_push(&s->lanes, lane) ||
        tk_map_put(&s->by_thread, lane_key(kind, thread), (uint32_t)s->lanes.n - 1)) {
        if (!lane || !s->lanes.n || s->lanes.v[s->lanes.n - 1] != lane)
            free(lane);
        return NULL;
    }
    *lane = (struct tk_ut_scope_lane){
        .thread = thread,
        .number = (uint32_t)s->lanes.n - 1,
        .kind = kind,
        .wanted = kind != TK_LANE_THREAD || !request->want_thread ||
                  request->want_thread(request->want_ctx, thread),
        .times = {.newest = INT64_MIN, .previous = INT64_MIN, .last_end = INT64_MIN, .end_before = INT64_MIN},
        .open_chunk = TK_UT_CUT};
    return lane;
}

struct tk_ut_scope_lane *tk_ut_scopes_lane(struct tk_ut_feed *feed, uint32_t thread)
{
    struct tk_ut_scopes *s = feed->scopes;
    uint32_t i = tk_map_get(&s->by_thread, lane_key(TK_LANE_THREAD, thread));
    return i == TK_MAP_NONE ? add_lane(s, feed, TK_LANE_THREAD, thread) : s->lanes.v[i];
}

/* The scopes of a lane's own thread, remembered in the lane. */
static struct tk_ut_scope_lane *lane_of_scope_collect(struct tk_ut_feed *feed, struct tk_ut_lane *lane)
{
    struct tk_ut_scope_lane *scopes = lane->scopes;
    if (!scopes && (scopes = tk_ut_scopes_lane(feed, lane->tid)) != NULL) {
        scopes->source = lane;
        lane->scopes = scopes;
    }
    return scopes;
}

/* ---- collecting ---- */

static int wait_for_place(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, int64_t time, uint32_t op)
{
    bool thread = lane->kind == TK_LANE_THREAD;
    struct tk_ut_stamped record = {time, thread && lane->source ? lane->source->packet : 0, op, NULL};
    if (!lane->wanted || lane->adrift)
        return TK_OK;
    if (tk_ut_scopes_touch(feed->scopes, lane) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&lane->waiting, record) ? TK_ENOMEM : TK_OK;
}

int tk_ut_scopes_enter(struct tk_ut_feed *feed, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                       int64_t time)
{
    struct tk_ut_scope_lane *l = lane_of_scope_collect(feed, lane);
    uint32_t timer = 0;
    int rc = l ? tk_ut_timer_of_type(feed, type, &timer) : TK_ENOMEM;
    return rc == TK_OK ? wait_for_place(feed, l, time, timer | TK_OP_STAMPED) : rc;
}

int tk_ut_scopes_leave(struct tk_ut_feed *feed, struct tk_ut_lane *lane, int64_t time)
{
    struct tk_ut_scope_lane *l = lane_of_scope_collect(feed, lane);
    return l ? wait_for_place(feed, l, time, TK_OP_END | TK_OP_STAMPED) : TK_ENOMEM;
}

/* The event may be handed on late, when scopes inside of it, or others of its type, have begun since. */
int tk_ut_scopes_text(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str *text)
{
    struct tk_ut_scope_lane *l = lane_of_scope_collect(feed, feed->lane);
    uint32_t timer;
    int rc = l ? tk_ut_timer_of_type(feed, ev->type, &timer) : TK_ENOMEM;
    for (size_t i = l ? l->waiting.n : 0; rc == TK_OK && i-- > l->done;) {
        struct tk_ut_stamped *record = &l->waiting.v[i];
        if (record->op != (timer | TK_OP_STAMPED) || record->text ||
            (ev->stamped && record->time != ev->stamp))
            continue;
        record->text = text;
        break;
    }
    return rc;
}

int tk_ut_scopes_queue(struct tk_ut_feed *feed, uint8_t kind, uint32_t queue, int64_t time, uint32_t op)
{
    struct tk_ut_scopes *s = feed->scopes;
    uint32_t i = tk_map_get(&s->by_thread, lane_key(kind, queue));
    struct tk_ut_scope_lane *lane = i == TK_MAP_NONE ? add_lane(s, feed, kind, queue) : s->lanes.v[i];
    if (!lane)
        return TK_ENOMEM;
    return wait_for_place(feed, lane, time, op);
}

int tk_ut_scopes_cut(struct tk_ut_feed *feed, struct tk_ut_lane *lane)
{
    uint32_t known = tk_map_get(&feed->scopes->by_thread, lane_key(TK_LANE_THREAD, lane->tid));
    if (known == TK_MAP_NONE)
        return TK_OK;
    struct tk_ut_scope_lane *l = feed->scopes->lanes.v[known];
    if (tk_ut_batch_times_release(feed, l) != TK_OK || tk_ut_scopes_touch(feed->scopes, l) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_scope_part part = {TK_UT_CUT, l->waiting.n};
    l->open_chunk = TK_UT_CUT;
    return tk_vec_push(&l->parts, part) ? TK_ENOMEM : TK_OK;
}

int tk_ut_scopes_end(struct tk_ut_feed *feed, uint32_t thread)
{
    struct tk_ut_scope_lane *lane = tk_ut_scopes_lane(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    lane->ended = true;
    return TK_OK;
}

int tk_ut_scopes_batch(struct tk_ut_feed *feed, uint32_t thread, int form, const struct tk_ut_event *ev,
                       const struct tk_bytes *bytes)
{
    struct tk_ut_scope_lane *lane =
        thread == feed->lane->tid ? lane_of_scope_collect(feed, feed->lane) : tk_ut_scopes_lane(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    if (lane->ended) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_AFTER_END, ev->offset, 1,
                       "thread %u has scopes after its end; they were dropped", thread);
        return TK_OK;
    }
    if (!bytes->n)
        return TK_OK;
    int64_t begin = tk_ut_batch_times_begin(feed->scopes, form, bytes);
    tk_ut_stamps_anchor(feed, lane, thread == feed->lane->tid, begin);
    tk_ut_batch_times_came(feed->scopes, lane, begin);
    if (!lane->wanted)
        return TK_OK;
    lane->peeked = false;
    if (tk_ut_batch_times_release(feed, lane) != TK_OK)
        return TK_ENOMEM;
    return tk_ut_scopes_add(feed, lane, form, bytes, ev->incomplete ? TK_NO_OFFSET : ev->offset);
}

/*
 * Joining of decoded batches and stamped scopes to runs (scope_collect.h; events 2.5).
 */

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
