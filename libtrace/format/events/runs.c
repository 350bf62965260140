/*
 * Merging of tracks whose items are in order run by run.
 */
#include "base/sort.h"
#include "format/events/events_in.h"

#include <string.h>

enum { RUN_BYTES = 512 }; /* of a run in the mean, at least: shorter ones are sorted sooner */

/* ---- finding them ---- */

void tk_ev_track_turn(struct tk_ev_track *t)
{
    const struct tk_ev_run first = {0}, run = {t->held.n, t->last};
    t->unsorted = true;
    t->scattered |= t->runs.n > t->held.n / RUN_BYTES + RUN_BYTES ||
                    (!t->scattered && !t->runs.n && tk_vec_push(&t->runs, first)) ||
                    (!t->scattered && tk_vec_push(&t->runs, run));
    if (t->scattered)
        tk_vec_release(&t->runs);
}

bool tk_ev_merge_can(const struct tk_ev_track *track)
{
    return track->runs.n && !track->scattered && track->runs.n <= UINT32_MAX;
}

/* ---- merging ---- */

/* Which comes first nobody can foresee: there is no branch. */
static inline bool is_before(const struct tk_ev_turn *a, const struct tk_ev_turn *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->order < b->order));
}

static int by_first(const void *a, const void *b)
{
    const struct tk_ev_cursor *x = a, *y = b;
    return tk_ev_by_time(&x->item, &y->item);
}

int tk_ev_merge_open(struct tk_ev_merge *m, const struct tk_ev_track *track)
{
    const size_t n = track->runs.n;
    *m = (struct tk_ev_merge){0};
    if (tk_vec_reserve(&m->cursors, n) || tk_vec_reserve(&m->heap, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const size_t end = i + 1 < n ? track->runs.v[i + 1].at : track->held.n;
        struct tk_ev_cursor *c = &m->cursors.v[m->cursors.n];
        if (track->runs.v[i].at == end)
            continue;
        c->before = track->runs.v[i].before;
        c->end = track->held.v + end;
        c->at = tk_ev_unpack(track->held.v + track->runs.v[i].at, &c->before, &c->item);
        m->cursors.n++;
    }
    return tk_sort(m->cursors.v, m->cursors.n, sizeof *m->cursors.v, by_first);
}

/* Puts a turn in its place, from the top down. */
static inline void sift_down(struct tk_ev_turn *heap, size_t n, struct tk_ev_turn turn)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &turn))
            break;
        heap[at] = heap[child];
    }
    heap[at] = turn;
}

static inline void sift_up(struct tk_ev_turn *heap, size_t at, struct tk_ev_turn turn)
{
    for (; at && is_before(&turn, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = turn;
}

static inline struct tk_ev_turn turn_of(const struct tk_ev_merge *m, size_t cursor)
{
    const struct tk_ev_item *item = &m->cursors.v[cursor].item;
    return (struct tk_ev_turn){item->time, item->order, (uint32_t)cursor};
}

/* Runs begin that have to be looked at with those that have begun: there is space for all. */
static inline void begin_runs(struct tk_ev_merge *m)
{
    for (; m->next < m->cursors.n; m->next++) {
        const struct tk_ev_turn turn = turn_of(m, m->next);
        if (m->heap.n && is_before(&m->heap.v[0], &turn))
            return;
        sift_up(m->heap.v, m->heap.n++, turn);
    }
}

const struct tk_ev_item *tk_ev_merge_next(struct tk_ev_merge *m)
{
    begin_runs(m);
    if (!m->heap.n)
        return NULL;
    const uint32_t cursor = m->heap.v[0].cursor;
    struct tk_ev_cursor *c = &m->cursors.v[cursor];
    m->out = c->item;
    if (c->at < c->end) {
        c->at = tk_ev_unpack(c->at, &c->before, &c->item);
        sift_down(m->heap.v, m->heap.n, turn_of(m, cursor));
    } else if (--m->heap.n)
        sift_down(m->heap.v, m->heap.n, m->heap.v[m->heap.n]);
    return &m->out;
}

void tk_ev_merge_release(struct tk_ev_merge *m)
{
    tk_vec_release(&m->cursors);
    tk_vec_release(&m->heap);
}
