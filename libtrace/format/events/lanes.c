/*
 * Placing of scopes on lanes.
 */
#include "format/events/events_in.h"

#include <string.h>

#define EMPTY 0 /* value of a begin, for a while: its scope has no length */

void tk_ev_lanes_begin(struct tk_ev_lanes *l, uint32_t thread, const struct tk_str *const *texts,
                       size_t n_texts)
{
    l->thread = thread;
    l->texts = texts;
    l->n_texts = texts ? n_texts : 0;
    l->used = 0;
    l->together.n = 0;
}

static int put(struct tk_ev_lanes *l, struct tk_ev_lane *lane, int64_t time, uint32_t op,
               const struct tk_str *text)
{
    l->ops++;
    if (l->texts && tk_vec_push(&lane->text, text))
        return -1;
    return tk_vec_push(&lane->time, tk_ev_since(l->base, time)) || tk_vec_push(&lane->op, op) ? -1 : 0;
}

static int pop(struct tk_ev_lanes *l, struct tk_ev_lane *lane)
{
    const struct tk_ev_item top = lane->stack.v[--lane->stack.n];
    if (top.value == TK_EV_OPEN)
        return 0;
    return put(l, lane, top.value, top.what & TK_EV_LOST ? TK_OP_LOSE : TK_OP_END, NULL);
}

/* Has it ended where another one begins? Those of no length at one time nest. */
/* The scope ends when the next one has begun. */
static int pop_early(struct tk_ev_lanes *l, struct tk_ev_lane *lane, int64_t time)
{
    const struct tk_ev_item top = lane->stack.v[--lane->stack.n];
    return put(l, lane, time, TK_OP_YIELD | (uint32_t)(top.value - time), NULL);
}

static bool is_over(const struct tk_ev_item *top, const struct tk_ev_item *scope)
{
    if (top->value > scope->time)
        return false;
    return top->time != scope->time || scope->value != scope->time || top->what & TK_EV_LOST;
}

/* Does it overlap the next one by no more than times are rounded? */
static bool yields(const struct tk_ev_lanes *l, const struct tk_ev_item *top, const struct tk_ev_item *scope)
{
    return top->value < scope->value && top->value != TK_EV_OPEN && top->time < scope->time &&
           top->value - scope->time <= l->rounded;
}

static int fit(struct tk_ev_lanes *l, struct tk_ev_lane *lane, const struct tk_ev_item *scope, bool *fits)
{
    while (lane->stack.n && is_over(&lane->stack.v[lane->stack.n - 1], scope))
        if (pop(l, lane))
            return -1;
    size_t n = lane->stack.n;
    while (n && yields(l, &lane->stack.v[n - 1], scope))
        n--;
    *fits = !n || scope->value <= lane->stack.v[n - 1].value;
    while (*fits && lane->stack.n > n)
        if (pop_early(l, lane, scope->time))
            return -1;
    return 0;
}

static struct tk_ev_lane *add_lane(struct tk_ev_lanes *l)
{
    if (l->used == l->lanes.n && tk_vec_reach(&l->lanes, l->used + 1))
        return NULL;
    if (l->used)
        l->overlaps++;
    struct tk_ev_lane *lane = &l->lanes.v[l->used++];
    lane->number = (*l->next_number)++;
    lane->stack.n = 0;
    lane->overlap = (struct tk_ev_overlap){0};
    return lane;
}

/* ---- whose the time is ---- */

/* The innermost scope of a lane at a time; NULL: there is none that has an end. */
static const struct tk_ev_item *innermost(const struct tk_ev_lane *lane, int64_t time)
{
    size_t n = lane->stack.n;
    while (n && lane->stack.v[n - 1].value <= time)
        n--;
    return n && lane->stack.v[n - 1].value != TK_EV_OPEN ? &lane->stack.v[n - 1] : NULL;
}

static int end_overlap(struct tk_ev_lanes *l, struct tk_ev_lane *lane)
{
    const struct tk_ev_overlap done = lane->overlap;
    lane->overlap = (struct tk_ev_overlap){0};
    return done.from < done.to ? tk_vec_push(&l->shared, done) : 0;
}

static int note_overlap(struct tk_ev_lanes *l, struct tk_ev_lane *lane, uint32_t timer, int64_t to)
{
    struct tk_ev_overlap *o = &lane->overlap;
    const bool goes_on = o->from < o->to && o->to == l->swept && o->timer == timer;
    if (!goes_on && end_overlap(l, lane))
        return -1;
    *o = (struct tk_ev_overlap){goes_on ? o->from : l->swept, to, timer};
    return 0;
}

/* The lane whose innermost scope began last, and until when that and those of the other lanes stay the
 * innermost, `to` at most; NULL: there is at most one lane with a scope. */
static const struct tk_ev_lane *owner(const struct tk_ev_lanes *l, int64_t *to)
{
    const struct tk_ev_lane *found = NULL;
    int64_t began = 0;
    size_t busy = 0;
    for (size_t i = 0; i < l->used; i++) {
        const struct tk_ev_item *top = innermost(&l->lanes.v[i], l->swept);
        if (!top)
            continue;
        busy++;
        *to = top->value < *to ? top->value : *to;
        if (!found || top->time >= began) {
            found = &l->lanes.v[i];
            began = top->time;
        }
    }
    return busy > 1 ? found : NULL;
}

/* Notes overlaps up to a time; until then no scope begins. */
static int sweep(struct tk_ev_lanes *l, int64_t until)
{
    const struct tk_ev_lane *mine;
    int64_t to = until;
    while (l->swept < until && (mine = owner(l, &to))) {
        for (size_t i = 0; i < l->used; i++) {
            struct tk_ev_lane *lane = &l->lanes.v[i];
            const struct tk_ev_item *top = lane == mine ? NULL : innermost(lane, l->swept);
            if (top && note_overlap(l, lane, top->what & ~TK_EV_LOST, to))
                return -1;
        }
        l->swept = to;
        to = until;
    }
    l->swept = until;
    return 0;
}

static int enter(struct tk_ev_lanes *l, struct tk_ev_lane *lane, const struct tk_ev_item *scope)
{
    const struct tk_str *text = scope->order < l->n_texts ? l->texts[scope->order] : NULL;
    if (lane != l->lanes.v)
        l->in_extra++;
    if (put(l, lane, scope->time, scope->what & ~TK_EV_LOST, text))
        return -1;
    return tk_vec_push(&lane->stack, *scope);
}

int tk_ev_lanes_take(struct tk_ev_lanes *l, const struct tk_ev_item *scope)
{
    struct tk_ev_lane *lane = NULL;
    bool fits = false;
    if (l->notes && l->used > 1 && sweep(l, scope->time))
        return -1;
    l->swept = scope->time;
    for (size_t i = 0; i < l->used && !fits; i++) {
        lane = &l->lanes.v[i];
        if (fit(l, lane, scope, &fits))
            return -1;
    }
    if (!fits && l->used >= l->most) {
        l->left_out++;
        return 0;
    }
    if (!fits && !(lane = add_lane(l)))
        return -1;
    return enter(l, lane, scope);
}

/* ---- begins and ends that nest as they come ---- */

static void put_nested(struct tk_ev_lanes *l, struct tk_ev_lane *lane, const struct tk_ev_item *item,
                       bool begins)
{
    lane->time.v[lane->time.n++] = tk_ev_since(l->base, item->time);
    lane->op.v[lane->op.n++] = begins ? item->what : TK_OP_END;
    if (l->texts)
        lane->text.v[lane->text.n++] = begins && item->order < l->n_texts ? l->texts[item->order] : NULL;
}

/* Marks scopes of no length in begins and ends of one time; how many of the ends are of earlier scopes. */
static size_t mark_empty(struct tk_ev_item *items, size_t n, size_t *empty)
{
    size_t ends = 0;
    *empty = 0;
    for (size_t i = n; i-- > 0;)
        if (items[i].value == TK_EV_END)
            ends++;
        else if (ends) { /* the nearest begin in front of an end */
            ends--;
            items[i].value = EMPTY;
            ++*empty;
        }
    return ends;
}

/* Begins and ends of one time, in the order that scopes have on a lane: first those end that began earlier,
 * then the longer ones begin, then those of no length, each inside of the one before. */
static void put_together(struct tk_ev_lanes *l, struct tk_ev_lane *lane, struct tk_ev_item *items, size_t n)
{
    size_t empty;
    const size_t ends = mark_empty(items, n, &empty);
    for (size_t i = 0; i < ends; i++)
        put_nested(l, lane, items, false);
    for (size_t i = 0; i < n; i++)
        if (items[i].value == TK_EV_BEGIN)
            put_nested(l, lane, &items[i], true);
    for (size_t i = 0; i < n; i++)
        if (items[i].value == EMPTY)
            put_nested(l, lane, &items[i], true);
    for (size_t i = 0; i < empty; i++)
        put_nested(l, lane, items, false);
}

/* The first lane, with space for that many. */
static struct tk_ev_lane *lane_for(struct tk_ev_lanes *l, size_t n)
{
    struct tk_ev_lane *lane = l->used ? l->lanes.v : add_lane(l);
    if (!lane || tk_vec_reserve(&lane->time, lane->time.n + n) || tk_vec_reserve(&lane->op, lane->op.n + n) ||
        (l->texts && tk_vec_reserve(&lane->text, lane->text.n + n)))
        return NULL;
    l->ops += n;
    return lane;
}

static int give_together(struct tk_ev_lanes *l)
{
    struct tk_ev_lane *lane = l->together.n ? lane_for(l, l->together.n) : NULL;
    if (lane)
        put_together(l, lane, l->together.v, l->together.n);
    const int rc = l->together.n && !lane ? -1 : 0;
    l->together.n = 0;
    return rc;
}

static int add_together(struct tk_ev_lanes *l, const struct tk_ev_item *items, size_t n)
{
    if (tk_vec_reserve(&l->together, l->together.n + n))
        return -1;
    memcpy(l->together.v + l->together.n, items, n * sizeof *items);
    l->together.n += n;
    return 0;
}

/* Where those end that differ from both neighbours in time; the last one may have one that is not there yet.
 */
static size_t alone(const struct tk_ev_item *items, size_t i, size_t n)
{
    while (i + 1 < n && items[i].time != items[i + 1].time)
        i++;
    return i;
}

static int give_alone(struct tk_ev_lanes *l, const struct tk_ev_item *items, size_t n)
{
    struct tk_ev_lane *lane = lane_for(l, n);
    for (size_t i = 0; lane && i < n; i++)
        put_nested(l, lane, &items[i], items[i].value == TK_EV_BEGIN);
    return lane ? 0 : -1;
}

int tk_ev_lanes_take_nested(struct tk_ev_lanes *l, const struct tk_ev_item *items, size_t n)
{
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && items[k].time == items[i].time;)
            k++;
        if (l->together.n && l->together.v[0].time != items[i].time && give_together(l))
            return -1;
        if (l->together.n || k == n || k - i > 1) {
            if (add_together(l, items + i, k - i))
                return -1;
            continue;
        }
        k = alone(items, i, n);
        if (give_alone(l, items + i, k - i))
            return -1;
    }
    return 0;
}

int tk_ev_lanes_finish(struct tk_ev_lanes *l)
{
    if (give_together(l))
        return -1;
    if (l->notes && l->used > 1 && sweep(l, INT64_MAX))
        return -1;
    for (size_t i = 0; i < l->used; i++) {
        if (end_overlap(l, &l->lanes.v[i]))
            return -1;
        while (l->lanes.v[i].stack.n)
            if (pop(l, &l->lanes.v[i]))
                return -1;
    }
    return 0;
}

int tk_ev_lanes_give(struct tk_ev_lanes *l, tk_ev_runs *runs)
{
    for (size_t i = 0; i < l->used; i++) {
        const struct tk_ev_lane *lane = &l->lanes.v[i];
        struct tk_scope_run run = {.thread = l->thread,
                                   .lane = lane->number,
                                   .n = lane->op.n,
                                   .time = lane->time.v,
                                   .op = lane->op.v,
                                   .kind = l->kind,
                                   .text = l->texts ? lane->text.v : NULL};
        if (run.n && tk_vec_push(runs, run))
            return -1;
    }
    return 0;
}

void tk_ev_lanes_clear(struct tk_ev_lanes *l)
{
    for (size_t i = 0; i < l->lanes.n; i++)
        l->lanes.v[i].time.n = l->lanes.v[i].op.n = l->lanes.v[i].text.n = 0;
    l->ops = l->shared.n = 0;
}

void tk_ev_lanes_release(struct tk_ev_lanes *l)
{
    for (size_t i = 0; i < l->lanes.n; i++) {
        tk_vec_release(&l->lanes.v[i].stack);
        tk_vec_release(&l->lanes.v[i].time);
        tk_vec_release(&l->lanes.v[i].op);
        tk_vec_release(&l->lanes.v[i].text);
    }
    tk_vec_release(&l->lanes);
    tk_vec_release(&l->together);
    tk_vec_release(&l->shared);
}
