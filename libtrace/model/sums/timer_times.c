/*
 * Times of timers.
 */
#include "base/sort.h"
#include "model/sums/interval_sums.h"
#include "model/sums/timer_sums.h"
#include "query/dict.h"

#include <string.h>

/*
 * A heap of calls.
 */

int tk_top_call_compare(const void *a, const void *b)
{
    const struct tk_top_call *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if (x->displayed_from != y->displayed_from)
        return x->displayed_from < y->displayed_from ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->seq < y->seq) - (x->seq > y->seq);
}

static void swap(struct tk_top_call *a, struct tk_top_call *b)
{
    struct tk_top_call t = *a;
    *a = *b;
    *b = t;
}

static void rise(struct tk_top_call *v, size_t i)
{
    for (; i && tk_top_call_compare(&v[i], &v[(i - 1) / 2]) > 0; i = (i - 1) / 2)
        swap(&v[i], &v[(i - 1) / 2]);
}

static void settle_top_calls(struct tk_top_call *v, size_t n)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && tk_top_call_compare(&v[child + 1], &v[child]) > 0)
            child++;
        if (tk_top_call_compare(&v[child], &v[i]) <= 0)
            return;
        swap(&v[i], &v[child]);
    }
}

int tk_top_calls_put(struct tk_top_calls *l, size_t n, const struct tk_top_call *call)
{
    if (l->v.n < n) {
        if (tk_vec_push(&l->v, *call))
            return -1;
        rise(l->v.v, l->v.n - 1);
        return 0;
    }
    if (!n || tk_top_call_compare(call, &l->v.v[0]) > 0)
        return 0;
    l->v.v[0] = *call;
    settle_top_calls(l->v.v, l->v.n);
    return 0;
}

void tk_top_calls_release(struct tk_top_calls *l)
{
    tk_vec_release(&l->v);
}

/*
 * Times of children by depth of their parent.
 */

/* Parts that scopes lie in at one time, such as frames of several types: so many of the last ones are looked
 * at. */
#define NEAR 4u

int tk_child_times_add_any(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                           uint64_t total)
{
    if (depth >= c->levels.n) {
        if (tk_vec_reach(&c->levels, depth + 1))
            return -1;
    }
    struct tk_child_level *level = &c->levels.v[depth];
    if (level->owner != owner)
        level->v.n = 0; /* of a scope that never ended */
    level->owner = owner;
    c->top = c->top > depth ? c->top : depth + 1;
    for (size_t i = level->v.n; i-- > 0 && i + NEAR >= level->v.n;) {
        if (level->v.v[i].part != part)
            continue;
        level->v.v[i].total += total;
        return 0;
    }
    struct tk_child_time fresh = {part, total};
    return tk_vec_push(&level->v, fresh);
}

/* A scope has ended and nothing of it is left. Those above it are one less deep from now on. */
static void close_level(struct tk_child_times *c, size_t depth)
{
    while (c->top && !c->levels.v[c->top - 1].v.n)
        c->top--;
    if (depth + 1 >= c->top)
        return;
    struct tk_child_level *levels = c->levels.v, ended = levels[depth];
    ended.v.n = 0;
    memmove(&levels[depth], &levels[depth + 1], (c->top - depth - 1) * sizeof *levels);
    levels[--c->top] = ended;
}

bool tk_child_times_take_any(struct tk_child_times *c, size_t depth, uint64_t owner,
                             struct tk_child_time *out)
{
    struct tk_child_level *level = &c->levels.v[depth];
    if (level->owner == owner && level->v.n) {
        *out = level->v.v[--level->v.n];
        return true;
    }
    close_level(c, depth);
    return false;
}

void tk_child_times_release(struct tk_child_times *c)
{
    for (size_t i = 0; i < c->levels.n; i++)
        tk_vec_release(&c->levels.v[i].v);
    tk_vec_release(&c->levels);
}

static int reach_timers(struct tk_timer_times *t)
{
    const struct tk_dict *dict = t->view->dict;
    if (t->requested.n >= dict->timers.n)
        return 0;
    if (tk_vec_reserve(&t->requested, dict->timers.n))
        return -1;
    for (; t->requested.n < dict->timers.n; t->requested.n++)
        t->requested.v[t->requested.n] =
            tk_patterns_pass(&t->view->select->timers, dict->timers.v[t->requested.n].displayed);
    return 0;
}

static int reach_lane(struct tk_timer_times *t, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&t->lanes, (size_t)run->lane + 1))
        return -1;
    if (!t->lanes.v[run->lane] && !(t->lanes.v[run->lane] = calloc(1, sizeof(struct tk_timer_lane))))
        return -1;
    t->lanes.v[run->lane]->thread = run->thread;
    return 0;
}

int tk_timer_times_feed(struct tk_timer_times *t, const struct tk_batch *batch)
{
    int rc = reach_timers(t);
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = batch->runs[i].kind == TK_LANE_THREAD ? reach_lane(t, &batch->runs[i]) : 0;
    return rc;
}

/* What ends last has what it contains. */
static int add_call(struct tk_timer_times *t, struct tk_timer_lane *lane, uint32_t timer, int64_t begin,
                    int64_t end)
{
    const bool known = timer < t->requested.n;
    struct tk_timer_time call = {begin, end, known ? 0 : timer};
    if (known && !t->requested.v[timer])
        return 0;
    while (known && lane->v.n && !lane->v.v[lane->v.n - 1].timer && lane->v.v[lane->v.n - 1].begin >= begin)
        lane->v.n--;
    return tk_vec_push(&lane->v, call);
}

int tk_timer_times_take(struct tk_timer_times *t, const struct tk_slices *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->n && rc == 0 && s->kind == TK_LANE_THREAD; i++)
        rc = add_call(t, t->lanes.v[s->lane], s->timer[i], s->begin[i], s->end[i]);
    return rc;
}

int tk_timer_times_lane(struct tk_timer_times *t, const struct tk_lane_end *end)
{
    int rc = 0;
    if (end->kind != TK_LANE_THREAD || end->lane >= t->lanes.n || !t->lanes.v[end->lane])
        return 0;
    for (size_t i = end->n_open; i-- > 0 && rc == 0;)
        rc = add_call(t, t->lanes.v[end->lane], end->open[i].timer, end->open[i].begin, INT64_MAX);
    return rc;
}

static int by_begin(const void *a, const void *b)
{
    const struct tk_timer_time *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Leaves the calls of timers that turned out to be others, and joins those that overlap. */
static int settle_lane(struct tk_timer_times *t, struct tk_timer_lane *lane)
{
    size_t n = 0, joined = 0;
    for (size_t i = 0; i < lane->v.n; i++) {
        const struct tk_timer_time *call = &lane->v.v[i];
        const struct tk_timer *timer = call->timer ? tk_dict_timer(t->view->dict, call->timer) : NULL;
        if (call->timer && !timer)
            return -1;
        if (!timer || tk_patterns_pass(&t->view->select->timers, timer->displayed))
            lane->v.v[n++] = *call;
    }
    if (tk_sort(lane->v.v, n, sizeof *lane->v.v, by_begin))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct tk_timer_time call = lane->v.v[i];
        struct tk_timer_time *last = joined ? &lane->v.v[joined - 1] : NULL;
        if (!last || call.begin > last->end)
            lane->v.v[joined++] = call;
        else if (call.end > last->end)
            last->end = call.end;
    }
    lane->v.n = joined;
    return 0;
}

int tk_timer_times_settle(struct tk_timer_times *t)
{
    for (size_t i = 0; i < t->lanes.n; i++) {
        struct tk_timer_lane *lane = t->lanes.v[i];
        if (lane && (settle_lane(t, lane) || tk_map_put(&t->threads, lane->thread, (uint32_t)i)))
            return -1;
    }
    return 0;
}

bool tk_timer_times_has(const struct tk_timer_times *t, uint32_t thread, int64_t time)
{
    uint32_t at = tk_map_get(&t->threads, thread);
    if (at == TK_MAP_NONE)
        return false;
    const struct tk_timer_lane *lane = t->lanes.v[at];
    size_t i;
    TK_SEARCH(i, lane->v.n, lane->v.v[i].begin <= time);
    return i && lane->v.v[i - 1].end > time;
}

void tk_timer_times_release(struct tk_timer_times *t)
{
    for (size_t i = 0; i < t->lanes.n; i++) {
        if (t->lanes.v[i])
            tk_vec_release(&t->lanes.v[i]->v);
        free(t->lanes.v[i]);
    }
    tk_vec_release(&t->lanes);
    tk_vec_release(&t->requested);
    tk_map_release(&t->threads);
}
