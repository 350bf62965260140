/*
 * Collecting of scopes: see scope_collect.h.
 */
#include "format/utrace/scopes/scope_internal.h"
#include "format/utrace/scopes/timer_ids.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (8u << 10) /* batches that are decoded as one piece of work */

int tk_ut_scopes_open(struct tk_ut_scopes **out, struct tk_ut_capture *capture)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TK_ENOMEM;
    (*out)->capture = capture;
    return TK_OK;
}

static void free_chunk(struct tk_ut_chunk *c)
{
    tk_cpu_chunk_release(&c->cpu);
    free(c->bytes);
    free(c->text);
    tk_vec_release(&c->sizes);
    tk_vec_release(&c->offsets);
    free(c);
}

void tk_ut_scopes_close(struct tk_ut_scopes *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lanes.n; i++) {
        tk_vec_release(&s->lanes.v[i]->waiting);
        tk_vec_release(&s->lanes.v[i]->parts);
        free(s->lanes.v[i]);
    }
    tk_vec_release(&s->lanes);
    tk_vec_release(&s->touched);
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
    *lane = (struct tk_ut_scope_lane){.thread = thread,
                                      .number = (uint32_t)s->lanes.n - 1,
                                      .kind = kind,
                                      .wanted = kind != TK_LANE_THREAD || !request->want_thread ||
                                                request->want_thread(request->want_ctx, thread),
                                      .open_chunk = TK_UT_CUT};
    return lane;
}

static struct tk_ut_scope_lane *lane_of_thread(struct tk_ut_feed *feed, uint32_t thread)
{
    struct tk_ut_scopes *s = feed->scopes;
    uint32_t i = tk_map_get(&s->by_thread, lane_key(TK_LANE_THREAD, thread));
    return i == TK_MAP_NONE ? add_lane(s, feed, TK_LANE_THREAD, thread) : s->lanes.v[i];
}

/* The scopes of a lane's own thread, remembered in the lane. */
static struct tk_ut_scope_lane *lane_of_scope_collect(struct tk_ut_feed *feed, struct tk_ut_lane *lane)
{
    struct tk_ut_scope_lane *scopes = lane->scopes;
    if (!scopes && (scopes = lane_of_thread(feed, lane->tid)) != NULL) {
        scopes->source = lane;
        lane->scopes = scopes;
    }
    return scopes;
}

/* ---- collecting ---- */

static int wait_for_place(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, int64_t time, uint32_t op)
{
    struct tk_ut_stamped record = {time, op, NULL};
    if (!lane->wanted)
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

/* Scopes inside the event may have begun since it did. */
int tk_ut_scopes_text(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str *text)
{
    struct tk_ut_scope_lane *l = lane_of_scope_collect(feed, feed->lane);
    uint32_t timer;
    int rc = l ? tk_ut_timer_of_type(feed, ev->type, &timer) : TK_ENOMEM;
    for (size_t i = l ? l->waiting.n : 0; rc == TK_OK && i-- > l->done;) {
        struct tk_ut_stamped *record = &l->waiting.v[i];
        if (record->op != (timer | TK_OP_STAMPED) || record->text)
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
    struct tk_ut_scope_part part = {TK_UT_CUT, l->waiting.n};
    l->open_chunk = TK_UT_CUT;
    if (tk_ut_scopes_touch(feed->scopes, l) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&l->parts, part) ? TK_ENOMEM : TK_OK;
}

int tk_ut_scopes_end(struct tk_ut_feed *feed, uint32_t thread)
{
    struct tk_ut_scope_lane *lane = lane_of_thread(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    lane->ended = true;
    return TK_OK;
}

static struct tk_ut_chunk *new_chunk(struct tk_ut_batch *s)
{
    if (s->n_chunks == s->chunks.n) {
        struct tk_ut_chunk *c = calloc(1, sizeof *c);
        s->free_chunk = free_chunk;
        if (!c || tk_vec_push(&s->chunks, c)) {
            free(c);
            return NULL;
        }
    }
    struct tk_ut_chunk *c = s->chunks.v[s->n_chunks++];
    c->n_bytes = 0;
    c->sizes.n = c->offsets.n = 0;
    return c;
}

/* The chunk that takes a batch of this form and size. */
static struct tk_ut_chunk *chunk_for(struct tk_ut_batch *s, struct tk_ut_scope_lane *lane, int form, size_t n)
{
    struct tk_ut_chunk *c = lane->open_chunk == TK_UT_CUT ? NULL : s->chunks.v[lane->open_chunk];
    if (c && c->cpu.form == form && c->n_bytes + n <= CHUNK_BYTES)
        return c;
    if (!(c = new_chunk(s)))
        return NULL;
    lane->open_chunk = (uint32_t)s->n_chunks - 1;
    struct tk_ut_scope_part part = {lane->open_chunk, 0};
    c->cpu.form = form;
    c->thread = lane->thread;
    return tk_vec_push(&lane->parts, part) ? NULL : c;
}

static int add_batch(struct tk_ut_chunk *c, const struct tk_span *bytes, uint64_t offset)
{
    if (tk_vec_grow((void **)&c->bytes, &c->cap_bytes, c->n_bytes + bytes->n + TK_CPU_PADDING, 1) ||
        tk_vec_push(&c->sizes, (uint32_t)bytes->n) || tk_vec_push(&c->offsets, offset))
        return TK_ENOMEM;
    memcpy(c->bytes + c->n_bytes, bytes->p, bytes->n);
    c->n_bytes += bytes->n;
    return TK_OK;
}

int tk_ut_scopes_batch(struct tk_ut_feed *feed, uint32_t thread, int form, const struct tk_ut_event *ev,
                       const struct tk_span *bytes)
{
    struct tk_ut_scope_lane *lane =
        thread == feed->lane->tid ? lane_of_scope_collect(feed, feed->lane) : lane_of_thread(feed, thread);
    if (!lane)
        return TK_ENOMEM;
    if (lane->ended) {
        tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_AFTER_END, ev->offset, 1,
                       "thread %u has scopes after its end; they were dropped", thread);
        return TK_OK;
    }
    if (!lane->wanted || !bytes->n)
        return TK_OK;
    if (tk_ut_scopes_touch(feed->scopes, lane) != TK_OK)
        return TK_ENOMEM;
    lane->peeked = false;
    struct tk_ut_chunk *c = chunk_for(feed->out, lane, form, bytes->n);
    return c ? add_batch(c, bytes, ev->incomplete ? TK_NO_OFFSET : ev->offset) : TK_ENOMEM;
}
