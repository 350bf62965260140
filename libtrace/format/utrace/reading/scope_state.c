/*
 * States of scopes as bytes.
 */
#include "format/utrace/reading/reading_in.h"
#include "format/utrace/scopes/scope_internal.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

/*
 * Timers kept between questions. Their bytes:
 *
 * - timers: how many; the origin of each, in order of ids
 *
 * - are instances of metadata defined among events? Then these
 */

/* How a timer was defined while events were read: 0, or 1 + the type of the scoped event. */
enum { COROUTINE, OF_TYPE };

/* false: in another way. */
static bool origin_of(const struct tk_ut_timers *t, size_t id, uint64_t *origin)
{
    *origin = COROUTINE;
    if (id == t->coroutine || id == t->frame)
        return true;
    for (size_t type = 0; type < t->by_type.n; type++)
        if (t->by_type.v[type] == id) {
            *origin = OF_TYPE + type;
            return true;
        }
    return false;
}

bool tk_ut_known_timers_can(const struct tk_ut_capture *c)
{
    const struct tk_ut_timers *t = c->timers;
    const size_t n = t->timers.n - c->opened.timers;
    uint64_t origin;
    bool good = c->definitions.n - c->opened.definitions == n && !t->n_late && !t->rebound;
    for (size_t id = c->opened.timers; id < t->timers.n && good; id++)
        good = origin_of(t, id, &origin);
    return good;
}

bool tk_ut_known_timers_keep(const struct tk_ut_capture *c, struct tk_kept_bytes *out)
{
    const struct tk_ut_timers *t = c->timers;
    const bool instances = tk_ut_timers_more(t, c->opened.instances);
    uint64_t origin = COROUTINE;
    if (!tk_ut_known_timers_can(c))
        return false;
    tk_kept_put(out, t->timers.n - c->opened.timers);
    for (size_t id = c->opened.timers; id < t->timers.n && origin_of(t, id, &origin); id++)
        tk_kept_put(out, origin);
    tk_kept_put(out, instances);
    if (instances)
        tk_ut_metadata_instances_keep(t->instances, out);
    return !out->failed;
}

static int define_timer(struct tk_ut_feed *feed, uint64_t origin)
{
    const struct tk_ut_schema *schema = &feed->capture->schema;
    uint32_t timer, frame;
    if (origin == COROUTINE)
        return tk_ut_timer_coroutine(feed, &timer, &frame);
    return origin - OF_TYPE < schema->types.n
               ? tk_ut_timer_of_type(feed, schema->types.v[origin - OF_TYPE], &timer)
               : TK_EFORMAT;
}

/* Passes over those that are defined already. */
static int define_timers(struct tk_ut_feed *feed, struct tk_cur *c)
{
    struct tk_ut_timers *t = feed->capture->timers;
    int rc = TK_OK;
    for (uint64_t i = tk_varint(c, "timers"); i > 0 && rc == TK_OK; i--) {
        const uint64_t origin = tk_varint(c, "a timer");
        rc = !tk_cur_ok(c) ? TK_EFORMAT : t->defined ? TK_OK : define_timer(feed, origin);
    }
    t->defined |= rc == TK_OK;
    return rc;
}

int tk_ut_known_timers_define(struct tk_ut_feed *feed, bool instances)
{
    struct tk_ut_timers *t = feed->capture->timers;
    const struct tk_kept *known = feed->capture->ctx->known;
    const bool index = feed->index;
    if (!known || !known->has[TK_KEPT_INSTANCES].n || (t->defined && (t->loaded || !instances)))
        return TK_OK;
    struct tk_cur c = tk_kept_cursor(known, TK_KEPT_INSTANCES);
    feed->index = true; /* batches begin with what is defined by then */
    int rc = define_timers(feed, &c);
    feed->index = index;
    const bool more = tk_varint(&c, "instances") != 0;
    if (rc != TK_OK || !more || !instances)
        return rc == TK_OK && !tk_cur_ok(&c) ? TK_EFORMAT : rc;
    t->loaded = true;
    return tk_ut_metadata_instances_load(&t->instances, c, t->timers.n);
}

enum { FORMS = 3, ENDED = 1, UNANCHORED = 2 };

/* ---- from a reading ---- */

static void put_held(const struct tk_ut_held_batch *h, struct tk_kept_bytes *out)
{
    tk_kept_put(out, h->n);
    if (!h->n)
        return;
    tk_kept_put(out, (uint64_t)h->form);
    tk_kept_put_signed(out, h->begin);
    tk_kept_put_signed(out, h->end);
    tk_kept_put(out, h->offset);
    tk_kept_put_bytes(out, h->bytes, h->n);
}

static bool put_lane(const struct tk_ut_scope_lane *lane, struct tk_kept_bytes *out)
{
    const struct tk_ut_lane_times *t = &lane->times;
    if (lane->kind != TK_LANE_THREAD || lane->adrift || lane->after_end || lane->done)
        return false;
    tk_kept_put(out, lane->thread);
    tk_kept_put(out, (lane->ended ? ENDED : 0u) | (lane->unanchored ? UNANCHORED : 0u));
    tk_kept_put_signed(out, t->newest);
    tk_kept_put_signed(out, t->previous);
    tk_kept_put_signed(out, t->last_end);
    tk_kept_put_signed(out, t->end_before);
    tk_kept_put(out, t->offset);
    tk_kept_put(out, lane->since);
    tk_kept_put(out, lane->before);
    tk_kept_put(out, lane->waiting.n);
    for (size_t i = 0; i < lane->waiting.n; i++) {
        const struct tk_ut_stamped *w = &lane->waiting.v[i];
        if (w->text || w->op == TK_OP_CUT)
            return false;
        tk_kept_put_signed(out, w->time);
        tk_kept_put(out, w->op);
        tk_kept_put(out, w->offset);
    }
    put_held(&lane->held, out);
    return true;
}

bool tk_ut_scopes_put(const struct tk_ut_scopes *s, struct tk_kept_bytes *out)
{
    bool good = true;
    tk_kept_put_signed(out, s->begin);
    tk_kept_put_signed(out, s->top);
    tk_kept_put_signed(out, s->second);
    tk_kept_put(out, s->top_lane);
    tk_kept_put(out, s->lanes.n);
    for (size_t i = 0; i < s->lanes.n && good; i++)
        good = put_lane(s->lanes.v[i], out);
    tk_kept_put(out, s->holding.n);
    for (size_t i = 0; i < s->holding.n; i++)
        tk_kept_put(out, s->holding.v[i]);
    return good && !out->failed;
}

/* ---- to a reading ---- */

static void forget(struct tk_ut_scopes *s)
{
    for (size_t i = 0; i < s->lanes.n; i++) {
        struct tk_ut_scope_lane *lane = s->lanes.v[i];
        lane->waiting.n = lane->done = lane->since = lane->before = 0;
        lane->held.n = 0;
        lane->parts.n = 0;
        lane->open_chunk = TK_UT_CUT;
        lane->touched = lane->peeked = lane->ended = lane->unanchored = false;
        lane->times = (struct tk_ut_lane_times){
            .newest = INT64_MIN, .previous = INT64_MIN, .last_end = INT64_MIN, .end_before = INT64_MIN};
    }
    s->touched.n = s->holding.n = 0;
}

static void fail(struct tk_cur *c)
{
    if (!c->fault)
        c->fault = "the state of a reading";
    c->p = c->end;
}

static int take_held(struct tk_ut_scope_lane *lane, struct tk_cur *c)
{
    struct tk_ut_held_batch *h = &lane->held;
    const uint64_t n = tk_varint(c, "a batch");
    if (!n)
        return TK_OK;
    const uint64_t form = tk_varint(c, "a batch");
    h->begin = tk_kept_signed(c, "a batch");
    h->end = tk_kept_signed(c, "a batch");
    h->offset = tk_varint(c, "a batch");
    const uint8_t *bytes = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a batch") : NULL;
    if (!bytes || form < 1 || form > FORMS) {
        fail(c);
        return TK_OK;
    }
    if (!lane->wanted)
        return TK_OK;
    if (tk_vec_grow((void **)&h->bytes, &h->cap, (size_t)n, 1))
        return TK_ENOMEM;
    memcpy(h->bytes, bytes, (size_t)n);
    h->n = (size_t)n;
    h->form = (int)form;
    return TK_OK;
}

static bool is_stamp(const struct tk_ut_feed *feed, uint64_t op)
{
    const bool begins = (op & ~(uint64_t)TK_OP_TIMER) == TK_OP_STAMPED;
    return op == (TK_OP_END | TK_OP_STAMPED) ||
           (begins && (op & TK_OP_TIMER) < feed->capture->timers->timers.n);
}

static int take_waiting(const struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, struct tk_cur *c)
{
    const uint64_t since = tk_varint(c, "stamps"), before = tk_varint(c, "stamps"),
                   n = tk_varint(c, "stamps");
    if (since > n || before > since)
        fail(c);
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_ut_stamped w = {.time = tk_kept_signed(c, "a stamp"), .op = 0};
        const uint64_t op = tk_varint(c, "a stamp");
        w.offset = tk_varint(c, "a stamp");
        w.op = (uint32_t)op;
        if (!is_stamp(feed, op))
            fail(c);
        else if (lane->wanted && tk_vec_push(&lane->waiting, w))
            return TK_ENOMEM;
    }
    lane->since = lane->wanted ? (size_t)since : 0;
    lane->before = lane->wanted ? (size_t)before : 0;
    return TK_OK;
}

static int take_lane(struct tk_ut_feed *feed, size_t number, struct tk_cur *c)
{
    const uint64_t thread = tk_varint(c, "a thread"), flags = tk_varint(c, "a thread");
    if (thread > UINT32_MAX || !tk_cur_ok(c)) {
        fail(c);
        return TK_OK;
    }
    struct tk_ut_scope_lane *lane = tk_ut_scopes_lane(feed, (uint32_t)thread);
    if (!lane)
        return TK_ENOMEM;
    if (lane->number != number) {
        fail(c);
        return TK_OK;
    }
    lane->ended = flags & ENDED;
    lane->unanchored = flags & UNANCHORED;
    lane->times.newest = tk_kept_signed(c, "a time");
    lane->times.previous = tk_kept_signed(c, "a time");
    lane->times.last_end = tk_kept_signed(c, "a time");
    lane->times.end_before = tk_kept_signed(c, "a time");
    lane->times.offset = tk_varint(c, "an offset");
    const int rc = take_waiting(feed, lane, c);
    return rc == TK_OK ? take_held(lane, c) : rc;
}

int tk_ut_scopes_take(struct tk_ut_feed *feed, struct tk_cur *c)
{
    struct tk_ut_scopes *s = feed->scopes;
    int rc = TK_OK;
    forget(s);
    s->begin = tk_kept_signed(c, "a time");
    s->top = tk_kept_signed(c, "a time");
    s->second = tk_kept_signed(c, "a time");
    s->top_lane = (uint32_t)tk_varint(c, "a thread");
    const uint64_t lanes = tk_varint(c, "threads");
    for (uint64_t i = 0; i < lanes && tk_cur_ok(c) && rc == TK_OK; i++)
        rc = take_lane(feed, (size_t)i, c);
    const uint64_t holding = tk_varint(c, "threads");
    for (uint64_t i = 0; i < holding && tk_cur_ok(c) && rc == TK_OK; i++) {
        const uint64_t number = tk_varint(c, "a thread");
        if (number >= s->lanes.n)
            fail(c);
        else if (tk_vec_push(&s->holding, (uint32_t)number))
            rc = TK_ENOMEM;
    }
    return rc;
}

int tk_ut_scopes_number(struct tk_ut_feed *feed, struct tk_cur *c)
{
    struct tk_ut_scopes *s = feed->scopes;
    const int64_t begin = s->begin, top = s->top, second = s->second;
    const uint32_t top_lane = s->top_lane;
    const int rc = tk_ut_scopes_take(feed, c);
    forget(s);
    s->begin = begin;
    s->top = top;
    s->second = second;
    s->top_lane = top_lane;
    return rc;
}
