/*
 * Scopes of threads for the critical path: those that are long enough for their frame, and short ones that no
 * other is around.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/critical_path.h"

#define LEAST_PART 1000 /* of a frame that a scope has to have to be a stretch */

/* Is a slice long enough for its frame? One over borders of frames always is. */
static bool is_long(const struct tk_path *c, const struct tk_slices *s, size_t i)
{
    const struct tk_frames *frames = c->view->frames;
    const int64_t length = tk_wrap_sub(s->end[i], s->begin[i]);
    if (s->frame[i] >= frames->n)
        return true;
    const struct tk_range *f = &frames->v[s->frame[i]];
    return length >= tk_wrap_sub(f->to, f->from) / LEAST_PART;
}

/* A short call that no other one is around goes with the one before. */
static int take_short(struct tk_path_lane *l, const struct tk_slices *s, size_t i, int64_t apart)
{
    struct tk_path_piece *last = l->last_short ? &l->v.v[l->last_short - 1] : NULL;
    const struct tk_path_piece piece = {s->begin[i], s->end[i], TK_PATH_SHORT, l->thread};
    if (last && l->last_short == l->v.n && tk_wrap_sub(s->begin[i], last->end) <= apart) {
        last->end = s->end[i];
        return 0;
    }
    if (tk_vec_push(&l->v, piece))
        return -1;
    l->last_short = l->v.n;
    return 0;
}

int tk_path_take_slice(const struct tk_path *c, struct tk_path_lane *l, const struct tk_slices *s, size_t i)
{
    const struct tk_path_piece piece = {s->begin[i], s->end[i], s->timer[i], l->thread};
    const bool inside = s->frame[i] < c->view->frames->n;
    if (s->frame[i] == TK_FRAME_NONE || s->end[i] <= s->begin[i] || (inside && !c->selected[s->frame[i]]))
        return 0;
    if (l->v.n >= c->capacity.rows) {
        l->cut = true;
        return 0;
    }
    if (is_long(c, s, i))
        return tk_vec_push(&l->v, piece);
    const struct tk_range *f = &c->view->frames->v[s->frame[i]];
    return s->depth[i] ? 0 : take_short(l, s, i, tk_wrap_sub(f->to, f->from) / LEAST_PART);
}

/* ---- scopes by thread ---- */

static int by_thread(const void *a, const void *b)
{
    const struct tk_path_piece *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

int tk_path_gather(struct tk_path *c)
{
    for (size_t i = 0; i < c->lanes.n; i++) {
        struct tk_path_lane *l = &c->lanes.v[i];
        if (l->cut)
            (void)tk_row_limit_for(&c->capacity, l->v.n);
        if (tk_vec_reserve(&c->pieces, c->pieces.n + l->v.n))
            return -1;
        for (size_t k = 0; k < l->v.n; k++)
            c->pieces.v[c->pieces.n++] = l->v.v[k];
        tk_vec_release(&l->v);
    }
    return tk_sort(c->pieces.v, c->pieces.n, sizeof *c->pieces.v, by_thread);
}

bool tk_path_waits(struct tk_path *c, int64_t timer)
{
    const struct tk_timer *t = timer < 0 ? NULL : tk_dict_timer(c->view->dict, (uint32_t)timer);
    return t && tk_work_waits(tk_work_of(&c->work, t));
}

bool tk_path_was_busy(struct tk_path *c, uint32_t who, int64_t from, int64_t to)
{
    size_t at;
    TK_SEARCH(at, c->pieces.n,
              c->pieces.v[at].thread < who || (c->pieces.v[at].thread == who && c->pieces.v[at].begin < to));
    for (size_t i = at; i-- > 0 && at - i <= TK_PATH_LOOK_BACK && c->pieces.v[i].thread == who;)
        if (c->pieces.v[i].end > from && c->pieces.v[i].end <= to && !tk_path_waits(c, c->pieces.v[i].timer))
            return true;
    return false;
}
