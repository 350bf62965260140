/*
 * Sums by part and timer. See part_sums.h.
 */
#include "stats/part_sums.h"

#include "model/sort.h"

static uint64_t key_of(uint32_t part, uint32_t timer)
{
    return (uint64_t)part << 32 | timer;
}

static bool is_dense(uint32_t part, uint32_t timer)
{
    return part < TK_DENSE_PARTS && timer < TK_DENSE_TIMERS;
}

static struct tk_part_sum *dense_of(struct tk_part_sums *s, uint32_t part, uint32_t timer)
{
    struct tk_part_sum fresh = {.part = part, .timer = timer};
    if (timer >= s->dense[part].n) {
        if (tk_vec_reserve(&s->dense[part], (size_t)timer + 1))
            return NULL;
        while (s->dense[part].n <= timer)
            s->dense[part].v[s->dense[part].n++] = 0;
    }
    uint32_t *place = &s->dense[part].v[timer];
    if (!*place) {
        if (tk_vec_push(&s->v, fresh))
            return NULL;
        *place = (uint32_t)s->v.n;
    }
    return &s->v.v[*place - 1];
}

struct tk_part_sum *tk_part_sums_of(struct tk_part_sums *s, uint32_t part, uint32_t timer)
{
    if (is_dense(part, timer))
        return dense_of(s, part, timer);
    uint64_t key = key_of(part, timer);
    uint32_t at = tk_map_get(&s->index, key);
    if (at == TK_MAP_NONE) {
        struct tk_part_sum fresh = {.part = part, .timer = timer};
        at = (uint32_t)s->v.n;
        if (tk_vec_push(&s->v, fresh) || tk_map_put(&s->index, key, at))
            return NULL;
    }
    return &s->v.v[at];
}

const struct tk_part_sum *tk_part_sums_find(const struct tk_part_sums *s, uint32_t part, uint32_t timer)
{
    if (is_dense(part, timer)) {
        uint32_t place = timer < s->dense[part].n ? s->dense[part].v[timer] : 0;
        return place ? &s->v.v[place - 1] : NULL;
    }
    uint32_t at = tk_map_get(&s->index, key_of(part, timer));
    return at == TK_MAP_NONE ? NULL : &s->v.v[at];
}

int tk_asked_timers_learn(struct tk_asked_timers *a, const struct tk_dict *dict)
{
    if (!a->patterns->n || a->v.n >= dict->timers.n)
        return 0;
    if (tk_vec_reserve(&a->v, dict->timers.n))
        return -1;
    for (; a->v.n < dict->timers.n; a->v.n++)
        a->v.v[a->v.n] = tk_patterns_pass(a->patterns, dict->timers.v[a->v.n].shown);
    return 0;
}

int tk_part_sums_add(struct tk_part_sums *s, const struct tk_slices *slices, size_t i, uint32_t part,
                     uint64_t total)
{
    struct tk_part_sum *own = tk_part_sums_of(s, part, slices->timer[i]);
    if (!own)
        return -1;
    own->count++;
    own->total += total;
    own->excl += total;
    own->incl += slices->outer[i] ? total : 0;
    return 0;
}

int tk_part_sums_close_any(struct tk_part_sums *s, const struct tk_asked_timers *asked,
                           struct tk_children *children, const struct tk_slices *slices, size_t i)
{
    struct tk_child_time child;
    bool counts = tk_asked_timers_has(asked, slices->timer[i]);
    for (size_t at = slices->depth[i]; tk_children_take(children, &at, slices->id[i], &child);) {
        struct tk_part_sum *sum = counts ? tk_part_sums_of(s, child.part, slices->timer[i]) : NULL;
        if (sum)
            sum->excl -= child.total;
        else if (counts)
            return -1;
    }
    return 0;
}

int tk_part_sums_merge(struct tk_part_sums *into, const struct tk_part_sums *from,
                       const struct tk_asked_timers *asked, struct tk_dict *dict)
{
    for (size_t i = 0; i < from->v.n; i++) {
        const struct tk_part_sum *f = &from->v.v[i];
        const struct tk_timer *timer = tk_dict_timer(dict, f->timer);
        if (timer && !tk_patterns_pass(asked->patterns, timer->shown))
            continue;
        struct tk_part_sum *to = timer ? tk_part_sums_of(into, f->part, timer->info.id) : NULL;
        if (!to)
            return -1;
        to->count += f->count;
        to->incl += f->incl;
        to->total += f->total;
        to->excl += f->excl;
    }
    return 0;
}

static void forget_places(struct tk_part_sums *s)
{
    tk_map_release(&s->index);
    for (size_t i = 0; i < TK_DENSE_PARTS; i++)
        tk_vec_release(&s->dense[i]);
}

static int by_part(const void *a, const void *b)
{
    const struct tk_part_sum *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

int tk_part_sums_sort(struct tk_part_sums *s)
{
    forget_places(s);
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_part);
}

void tk_asked_timers_release(struct tk_asked_timers *a)
{
    tk_vec_release(&a->v);
}

void tk_part_sums_release(struct tk_part_sums *s)
{
    forget_places(s);
    tk_vec_release(&s->v);
}
