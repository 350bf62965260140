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
