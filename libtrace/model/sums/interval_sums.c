/*
 * Sums by part and timer.
 */
#include "model/sums/interval_sums.h"

#include "base/sort.h"

#include <stdlib.h>

static uint64_t hash_of_interval_sums(uint32_t part, uint32_t timer)
{
    return tk_hash_u64((uint64_t)part << 32 | timer);
}

static uint64_t hash_at_interval_sums(const void *ctx, uint32_t place)
{
    const struct tk_interval_sums *s = ctx;
    return hash_of_interval_sums(s->v.v[place].part, s->v.v[place].timer);
}

/* The place of a sum in the index, or TK_MAP_NONE. */
static uint32_t index_at(const struct tk_interval_sums *s, uint32_t part, uint32_t timer)
{
    uint32_t place;
    for (size_t at = (size_t)hash_of_interval_sums(part, timer);
         (place = tk_places_next(&s->index, &at)) != TK_MAP_NONE;)
        if (s->v.v[place].part == part && s->v.v[place].timer == timer)
            break;
    return place;
}

/* The place of a sum that is dense already; NULL: it is not, or not yet. */
static uint32_t *dense_at(const struct tk_interval_sums *s, uint32_t part, uint32_t timer)
{
    bool here = part < s->dense.n && timer < s->dense.v[part].timers.n;
    return here ? &s->dense.v[part].timers.v[timer] : NULL;
}

/* Makes it dense where there is capacity: of a part only timers beyond those that are can be in the index. */
static int make_dense(struct tk_interval_sums *s, uint32_t part, uint32_t timer)
{
    uint32_t most = s->dense_parts ? s->dense_parts : TK_DENSE_PARTS;
    if (part >= most || timer >= TK_DENSE_TIMERS)
        return 0;
    size_t known = part < s->dense.n ? s->dense.v[part].timers.n : 0;
    if (timer - known >= TK_DENSE_PLACES - s->n_places)
        return 0;
    if (tk_vec_reach(&s->dense, (size_t)part + 1))
        return -1;
    struct tk_interval_places *places = &s->dense.v[part];
    if (tk_vec_reach(&places->timers, (size_t)timer + 1))
        return -1;
    s->n_places += timer + 1 - known;
    return 0;
}

static struct tk_interval_sum *make_interval_sums(struct tk_interval_sums *s, uint32_t part, uint32_t timer)
{
    struct tk_interval_sum fresh = {.part = part, .timer = timer};
    uint32_t *place = dense_at(s, part, timer);
    if (tk_vec_push(&s->v, fresh))
        return NULL;
    if (place)
        *place = (uint32_t)s->v.n;
    else if (tk_places_add(&s->index, (uint32_t)s->v.n - 1, hash_at_interval_sums, s))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

struct tk_interval_sum *tk_interval_sums_of(struct tk_interval_sums *s, uint32_t part, uint32_t timer)
{
    const uint32_t *place = dense_at(s, part, timer);
    if (place && *place)
        return &s->v.v[*place - 1];
    if (!place) {
        uint32_t at = index_at(s, part, timer);
        if (at != TK_MAP_NONE)
            return &s->v.v[at];
        if (make_dense(s, part, timer))
            return NULL;
    }
    return make_interval_sums(s, part, timer);
}

const struct tk_interval_sum *tk_interval_sums_find(const struct tk_interval_sums *s, uint32_t part,
                                                    uint32_t timer)
{
    const uint32_t *place = dense_at(s, part, timer);
    if (place)
        return *place ? &s->v.v[*place - 1] : NULL;
    uint32_t at = index_at(s, part, timer);
    return at == TK_MAP_NONE ? NULL : &s->v.v[at];
}

int tk_requested_timers_learn(struct tk_requested_timers *a, const struct tk_dict *dict)
{
    if (!a->patterns->n || a->v.n >= dict->timers.n)
        return 0;
    if (tk_vec_reserve(&a->v, dict->timers.n))
        return -1;
    for (; a->v.n < dict->timers.n; a->v.n++)
        a->v.v[a->v.n] = tk_patterns_pass(a->patterns, dict->timers.v[a->v.n].displayed);
    return 0;
}

int tk_interval_sums_add(struct tk_interval_sums *s, const struct tk_slices *slices, size_t i, uint32_t part,
                         uint64_t total)
{
    struct tk_interval_sum *own = tk_interval_sums_of(s, part, slices->timer[i]);
    if (!own)
        return -1;
    own->count++;
    own->total += total;
    own->excl += total;
    own->incl += slices->outer[i] ? total : 0;
    return 0;
}

int tk_interval_sums_close_any(struct tk_interval_sums *s, const struct tk_requested_timers *requested,
                               struct tk_child_times *children, const struct tk_slices *slices, size_t i)
{
    struct tk_child_time child;
    bool counts = tk_requested_timers_has(requested, slices->timer[i]);
    while (tk_child_times_take(children, slices->depth[i], slices->id[i], &child)) {
        struct tk_interval_sum *sum = counts ? tk_interval_sums_of(s, child.part, slices->timer[i]) : NULL;
        if (sum)
            sum->excl -= child.total;
        else if (counts)
            return -1;
    }
    return 0;
}

/* The timer that has the sums of this one, which is known. */
static uint32_t key_of(const struct tk_requested_timers *requested, struct tk_dict *dict, uint32_t timer)
{
    return tk_dict_summed(dict, timer, requested->by_source);
}

int tk_interval_sums_merge(struct tk_interval_sums *into, const struct tk_interval_sums *from,
                           const struct tk_requested_timers *requested, struct tk_dict *dict)
{
    for (size_t i = 0; i < from->v.n; i++) {
        const struct tk_interval_sum *f = &from->v.v[i];
        const struct tk_timer *timer = tk_dict_timer(dict, f->timer);
        if (timer && !tk_patterns_pass(requested->patterns, timer->displayed))
            continue;
        struct tk_interval_sum *to =
            timer ? tk_interval_sums_of(into, f->part, key_of(requested, dict, f->timer)) : NULL;
        if (!to)
            return -1;
        tk_interval_sum_add(to, f);
    }
    return 0;
}

int tk_interval_sums_settle(struct tk_interval_sums *s, const struct tk_requested_timers *requested,
                            struct tk_dict *dict)
{
    for (size_t i = 0, n = s->v.n; i < n; i++) {
        struct tk_interval_sum sum = s->v.v[i];
        const struct tk_timer *timer = tk_dict_timer(dict, sum.timer);
        bool displayed = timer && tk_patterns_pass(requested->patterns, timer->displayed);
        if (displayed && key_of(requested, dict, sum.timer) == sum.timer)
            continue;
        s->v.v[i] = (struct tk_interval_sum){.part = sum.part, .timer = sum.timer};
        struct tk_interval_sum *to =
            displayed ? tk_interval_sums_of(s, sum.part, key_of(requested, dict, sum.timer)) : NULL;
        if (!timer || (displayed && !to))
            return -1;
        if (displayed)
            tk_interval_sum_add(to, &sum);
    }
    return 0;
}

static void forget_places(struct tk_interval_sums *s)
{
    tk_places_release(&s->index);
    for (size_t i = 0; i < s->dense.n; i++)
        tk_vec_release(&s->dense.v[i].timers);
    tk_vec_release(&s->dense);
    s->n_places = 0;
}

static int by_part(const void *a, const void *b)
{
    const struct tk_interval_sum *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

int tk_interval_sums_sort(struct tk_interval_sums *s)
{
    forget_places(s);
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_part);
}

static int by_part_of(const void *a, const void *b)
{
    return by_part(*(const struct tk_interval_sum *const *)a, *(const struct tk_interval_sum *const *)b);
}

const struct tk_interval_sum **tk_interval_sums_order(struct tk_interval_sums *s)
{
    const struct tk_interval_sum **order = malloc((s->v.n + 1) * sizeof *order);
    forget_places(s);
    for (size_t i = 0; order && i < s->v.n; i++)
        order[i] = &s->v.v[i];
    if (order && tk_sort(order, s->v.n, sizeof *order, by_part_of)) {
        free(order);
        return NULL;
    }
    return order;
}

void tk_requested_timers_release(struct tk_requested_timers *a)
{
    tk_vec_release(&a->v);
}

void tk_interval_sums_release(struct tk_interval_sums *s)
{
    forget_places(s);
    tk_vec_release(&s->v);
}
