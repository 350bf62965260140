/*
 * States of scopes as bytes. See scope_state.h.
 */
#include "format/utrace/reading/scope_state.h"

#include "format/utrace/scopes/scope_internal.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

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
