/*
 * Pieces of the time, and what parts each lies in.
 */
#include "base/sort.h"
#include "model/sums/interval_sums.h"

#include <string.h>

/*
 * Which stretches a scope lies in.
 */

static int by_begin_interval_sets(const void *a, const void *b)
{
    const struct tk_interval_member *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

int tk_interval_set_sort(struct tk_interval_set *s)
{
    if (tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_begin_interval_sets))
        return -1;
    for (size_t i = 0; i < s->v.n; i++) {
        int64_t before = i ? s->v.v[i - 1].reach : INT64_MIN;
        s->v.v[i].reach = s->v.v[i].end > before ? s->v.v[i].end : before;
    }
    return 0;
}

/* First stretch that something behind t may lie in. */
static size_t first_behind(const struct tk_interval_set *s, int64_t t)
{
    size_t at;
    TK_SEARCH(at, s->v.n, s->v.v[at].reach <= t);
    return at;
}

static bool is_first_behind(const struct tk_interval_set *s, size_t at, int64_t t)
{
    return at < s->v.n && s->v.v[at].reach > t && (at == 0 || s->v.v[at - 1].reach <= t);
}

/* The same, near the place of another. */
static size_t first_near(const struct tk_interval_set *s, size_t hint, int64_t t)
{
    if (is_first_behind(s, hint, t))
        return hint;
    return is_first_behind(s, hint + 1, t) ? hint + 1 : first_behind(s, t);
}

/* What is selected of [begin, end] in a stretch. */
static uint64_t inside(const struct tk_interval_member *s, const struct tk_select *select, int64_t begin,
                       int64_t end)
{
    int64_t from = begin > s->begin ? begin : s->begin, to = end < s->end ? end : s->end;
    return (uint64_t)tk_select_before(select, to) - (uint64_t)tk_select_before(select, from);
}

int tk_interval_set_put(const struct tk_interval_set *s, size_t *hint, struct tk_interval_sums *sums,
                        const struct tk_select *select, const struct tk_slices *slices, size_t i)
{
    int64_t begin = slices->begin[i], end = slices->end[i];
    uint64_t all = 0;
    bool any = false;
    *hint = first_near(s, *hint, begin);
    for (size_t k = *hint; k < s->v.n; k++) {
        const struct tk_interval_member *v = &s->v.v[k];
        if (v->begin > begin && v->begin >= end)
            break;
        if (v->end <= begin)
            continue;
        uint64_t total = inside(v, select, begin, end);
        any = true;
        all += total;
        if (!s->one_part && tk_interval_sums_add(sums, slices, i, v->part, total))
            return -1;
    }
    return any && s->one_part ? tk_interval_sums_add(sums, slices, i, s->v.v[0].part, all) : 0;
}

void tk_interval_set_release(struct tk_interval_set *s)
{
    tk_vec_release(&s->v);
}

static int by_time_interval_index(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int cut_interval_index(struct tk_interval_index *c, const struct tk_interval_set *tracks, size_t n)
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < tracks[k].v.n; i++)
            if (tk_vec_push(&c->borders, tracks[k].v.v[i].begin) ||
                (tracks[k].v.v[i].end != INT64_MAX && tk_vec_push(&c->borders, tracks[k].v.v[i].end)))
                return -1;
    if (tk_sort(c->borders.v, c->borders.n, sizeof *c->borders.v, by_time_interval_index))
        return -1;
    for (size_t i = 0; i < c->borders.n; i++)
        if (!i || c->borders.v[i] != c->borders.v[kept - 1])
            c->borders.v[kept++] = c->borders.v[i];
    c->borders.n = kept;
    return 0;
}

/* Number of borders up to a time. */
static size_t find_interval_index(const struct tk_interval_index *c, int64_t time)
{
    size_t at;
    TK_SEARCH(at, c->borders.n, c->borders.v[at] <= time);
    return at;
}

/* The pieces of a stretch: *from to *to - 1. */
static void pieces_of(const struct tk_interval_index *c, const struct tk_interval_member *s, size_t *from,
                      size_t *to)
{
    *from = find_interval_index(c, s->begin);
    *to = s->end == INT64_MAX ? c->borders.n + 1 : find_interval_index(c, s->end);
}

/* Where the parts of each piece will be: first[k + 1] is where those of piece k are put next. */
static int count_interval_index(struct tk_interval_index *c, const struct tk_interval_set *tracks, size_t n,
                                uint64_t limit)
{
    size_t all = 0, from, to;
    if (tk_vec_reach(&c->first, c->borders.n + 2))
        return -1;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < tracks[k].v.n; i++) {
            pieces_of(c, &tracks[k].v.v[i], &from, &to);
            all += to - from;
            if (all > limit)
                return 1;
            for (size_t piece = from; piece < to; piece++)
                c->first.v[piece + 1]++;
        }
    }
    for (size_t piece = 0, at = 0; piece <= c->borders.n; piece++) {
        size_t parts = c->first.v[piece + 1];
        c->first.v[piece + 1] = at;
        at += parts;
    }
    c->parts.n = all;
    return tk_vec_reserve(&c->parts, all + 1);
}

int tk_interval_index_build(struct tk_interval_index *c, const struct tk_interval_set *tracks, size_t n,
                            uint64_t limit)
{
    size_t from, to;
    int rc = cut_interval_index(c, tracks, n);
    if (rc == 0)
        rc = count_interval_index(c, tracks, n, limit);
    for (size_t k = 0; k < n && rc == 0; k++) {
        for (size_t i = 0; i < tracks[k].v.n; i++) {
            pieces_of(c, &tracks[k].v.v[i], &from, &to);
            for (size_t piece = from; piece < to; piece++)
                c->parts.v[c->first.v[piece + 1]++] = tracks[k].v.v[i].part;
        }
    }
    return rc;
}

size_t tk_interval_index_at(const struct tk_interval_index *c, int64_t time, size_t hint)
{
    bool before = hint <= c->borders.n && (!hint || c->borders.v[hint - 1] <= time);
    return before && (hint == c->borders.n || c->borders.v[hint] > time) ? hint
                                                                         : find_interval_index(c, time);
}

/* Takes a time off what slice i has in the parts of a piece. */
static int take_off(const struct tk_interval_index *c, size_t piece, struct tk_interval_sums *sums,
                    uint32_t timer, uint64_t time)
{
    for (size_t k = c->first.v[piece]; k < c->first.v[piece + 1]; k++) {
        struct tk_interval_sum *sum = tk_interval_sums_of(sums, c->parts.v[k], timer);
        if (!sum)
            return -1;
        sum->excl -= time;
    }
    return 0;
}

/* Times that scopes inside slice i had: of `piece` they are summed up, of others they are taken off. */
static int take_children(const struct tk_interval_index *c, size_t piece, struct tk_interval_sums *sums,
                         const struct tk_requested_timers *requested, struct tk_child_times *children,
                         const struct tk_slices *slices, size_t i, uint64_t *inside)
{
    struct tk_child_time child;
    int rc = 0;
    while (rc == 0 && tk_child_times_take(children, slices->depth[i], slices->id[i], &child)) {
        if (child.part == piece)
            *inside += child.total;
        else if (tk_requested_timers_has(requested, slices->timer[i]))
            rc = take_off(c, child.part, sums, slices->timer[i], child.total);
    }
    return rc;
}

/* Adds a sum to the parts of a piece. */
static int add_parts(const struct tk_interval_index *c, size_t piece, struct tk_interval_sums *sums,
                     uint32_t timer, const struct tk_interval_sum *sum)
{
    for (size_t k = c->first.v[piece]; k < c->first.v[piece + 1]; k++) {
        struct tk_interval_sum *to = tk_interval_sums_of(sums, c->parts.v[k], timer);
        if (!to)
            return -1;
        tk_interval_sum_add(to, sum);
    }
    return 0;
}

int tk_interval_index_leave(const struct tk_interval_index *c, struct tk_interval_index_now *now,
                            struct tk_interval_sums *sums)
{
    int rc = 0;
    for (size_t i = 0; i < now->called.n && rc == 0; i++) {
        struct tk_now_sum *own = &now->timers.v[now->called.v[i]];
        const struct tk_interval_sum sum = {
            .count = own->count, .incl = own->incl, .total = own->total, .excl = own->excl};
        rc = add_parts(c, now->piece, sums, now->called.v[i], &sum);
        *own = (struct tk_now_sum){0};
    }
    now->called.n = 0;
    return rc;
}

static bool same_parts(const struct tk_interval_index *c, size_t a, size_t b)
{
    size_t n = c->first.v[a + 1] - c->first.v[a];
    if (n != c->first.v[b + 1] - c->first.v[b])
        return false;
    return memcmp(c->parts.v + c->first.v[a], c->parts.v + c->first.v[b], n * sizeof *c->parts.v) == 0;
}

static int reach_interval_index(struct tk_interval_index_now *now, uint32_t timer)
{
    if (tk_vec_reach(&now->timers, (size_t)timer + 1))
        return -1;
    return 0;
}

static int add_now(const struct tk_interval_index *c, size_t piece, struct tk_interval_index_now *now,
                   struct tk_interval_sums *sums, const struct tk_interval_sum *sum)
{
    if (piece != now->piece && !same_parts(c, piece, now->piece) && tk_interval_index_leave(c, now, sums))
        return -1;
    now->piece = piece;
    if (sum->timer >= now->timers.n && reach_interval_index(now, sum->timer))
        return -1;
    struct tk_now_sum *to = &now->timers.v[sum->timer];
    if (!to->count && tk_vec_push(&now->called, sum->timer))
        return -1;
    to->count++;
    to->incl += sum->incl;
    to->total += sum->total;
    to->excl += sum->excl;
    return 0;
}

int tk_interval_index_put(const struct tk_interval_index *c, size_t piece, struct tk_interval_index_now *now,
                          struct tk_interval_sums *sums, const struct tk_requested_timers *requested,
                          struct tk_child_times *children, const struct tk_slices *slices, size_t i)
{
    const uint64_t total = slices->total[i];
    const uint32_t timer = slices->timer[i];
    uint64_t inside = 0;
    if (slices->depth[i] < children->top &&
        !tk_child_times_take_only(children, slices->depth[i], slices->id[i], (uint32_t)piece, &inside) &&
        take_children(c, piece, sums, requested, children, slices, i, &inside))
        return -1;
    if (tk_requested_timers_has(requested, timer) && c->first.v[piece] < c->first.v[piece + 1]) {
        const struct tk_interval_sum sum = {.timer = timer,
                                            .count = 1,
                                            .incl = slices->outer[i] ? total : 0,
                                            .total = total,
                                            .excl = total - inside};
        if (now && timer < TK_DENSE_TIMERS ? add_now(c, piece, now, sums, &sum)
                                           : add_parts(c, piece, sums, timer, &sum))
            return -1;
    }
    if (!slices->parent[i] || !slices->depth[i] || !total)
        return 0;
    return tk_child_times_add(children, slices->depth[i] - 1, slices->parent[i], (uint32_t)piece, total);
}

int tk_interval_index_cross(const struct tk_interval_index *c, size_t piece, struct tk_interval_sums *sums,
                            const struct tk_requested_timers *requested, struct tk_child_times *children,
                            const struct tk_select *select, const struct tk_slices *slices, size_t i)
{
    int64_t from = slices->begin[i], to;
    uint64_t inside = 0;
    int rc = take_children(c, SIZE_MAX, sums, requested, children, slices, i, &inside);
    for (; rc == 0 && from < slices->end[i] && slices->parent[i] && slices->depth[i]; piece++, from = to) {
        to = tk_interval_index_whole(c, piece, slices->end[i]) ? slices->end[i] : c->borders.v[piece];
        uint64_t total = (uint64_t)tk_select_before(select, to) - (uint64_t)tk_select_before(select, from);
        if (total)
            rc =
                tk_child_times_add(children, slices->depth[i] - 1, slices->parent[i], (uint32_t)piece, total);
    }
    return rc;
}

void tk_interval_index_now_release(struct tk_interval_index_now *now)
{
    tk_vec_release(&now->timers);
    tk_vec_release(&now->called);
}

void tk_interval_index_release(struct tk_interval_index *c)
{
    tk_vec_release(&c->borders);
    tk_vec_release(&c->first);
    tk_vec_release(&c->parts);
}
