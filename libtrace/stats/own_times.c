/*
 * Sums of own times by mark and timer. See own_times.h.
 */
#include "stats/own_times.h"

#include "model/paths.h"

static uint64_t key_of(uint32_t mark, uint32_t timer)
{
    return (uint64_t)mark << 32 | timer;
}

int tk_own_times_add(struct tk_own_times *o, uint32_t mark, uint32_t timer, uint64_t count, uint64_t own)
{
    uint64_t key = key_of(mark, timer);
    uint32_t at = tk_map_get(&o->index, key);
    if (at == TK_MAP_NONE) {
        struct tk_own_time fresh = {.mark = mark, .timer = timer};
        at = (uint32_t)o->v.n;
        if (tk_vec_push(&o->v, fresh) || tk_map_put(&o->index, key, at))
            return -1;
    }
    o->v.v[at].count += count;
    o->v.v[at].own += own;
    return 0;
}

/* Adds `total` of slice i in one frame, or in several of one mark. */
static int put(struct tk_own_times *o, const struct tk_slices *s, size_t i, uint32_t mark, uint64_t total)
{
    uint32_t parent = s->paths->nodes.v[s->node[i]].parent;
    if (tk_own_times_add(o, mark, s->timer[i], 1, total))
        return -1;
    if (parent <= TK_PATH_LOST)
        return 0;
    return tk_own_times_add(o, mark, s->paths->nodes.v[parent].timer, 0, 0 - total);
}

/* First marked frame that is not before `frame`. */
static size_t marked_from(const struct tk_frame_marks *m, uint32_t frame)
{
    size_t low = 0, high = m->marked.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->marked.v[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int take_part(struct tk_own_times *o, const struct tk_frame_marks *m, const struct tk_select *select,
                     const struct tk_slices *s, const struct tk_slice_part *p)
{
    int rc = 0;
    for (size_t k = marked_from(m, p->frame); k < m->marked.n && rc == 0; k++) {
        uint32_t frame = m->marked.v[k];
        const struct tk_range *r = &m->frames->v[frame];
        if (frame - p->frame >= p->n)
            break;
        uint64_t whole =
            (uint64_t)tk_select_before(select, r->to) - (uint64_t)tk_select_before(select, r->from);
        rc = put(o, s, p->slice, m->mark[frame], p->n == 1 ? p->total : whole);
    }
    return rc;
}

int tk_own_times_take(struct tk_own_times *o, const struct tk_frame_marks *m, const struct tk_select *select,
                      const struct tk_slices *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->n && rc == 0; i++)
        if (s->frame[i] < m->n && m->mark[s->frame[i]])
            rc = put(o, s, i, m->mark[s->frame[i]], s->total[i]);
    for (size_t i = 0; i < s->n_parts && rc == 0; i++)
        rc = take_part(o, m, select, s, &s->parts[i]);
    return rc;
}

const struct tk_own_time *tk_own_times_find(const struct tk_own_times *o, uint32_t mark, uint32_t timer)
{
    uint32_t at = tk_map_get(&o->index, key_of(mark, timer));
    return at == TK_MAP_NONE ? NULL : &o->v.v[at];
}

int tk_own_times_settle(struct tk_own_times *o, struct tk_dict *dict)
{
    for (size_t i = 0; i < o->v.n; i++) {
        struct tk_own_time *late = &o->v.v[i];
        if (late->timer < TK_LATE || !late->count)
            continue;
        const struct tk_timer *timer = tk_dict_timer(dict, late->timer);
        struct tk_own_time moved = *late;
        late->count = late->own = 0;
        if (!timer || tk_own_times_add(o, moved.mark, timer->info.id, moved.count, moved.own))
            return -1;
    }
    return 0;
}

void tk_own_times_release(struct tk_own_times *o)
{
    tk_map_release(&o->index);
    tk_vec_release(&o->v);
}
