/*
 * Frames of watched timers of a run being collected. See collect_watch.h.
 *
 * Of a scope over borders of frames each frame has as much of its own time as it has of its time: exact for
 * scopes without others inside, an estimate for the rest.
 */
#include "compare/collect/collect_watch.h"

#include "base/saturate.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/watched_frames.h"

#include <stdlib.h>

/* ---- who ---- */

void tk_collect_watch_init(struct tk_collect_watch *w, const struct tk_watch *of,
                           const struct tk_collect_frames *frames)
{
    w->of = of && of->v.n && of->v.n < TK_WATCH_SLOT ? of : NULL;
    w->frames = frames;
}

static bool is_timer(const struct tk_watched *watched)
{
    return watched->kind == TK_SERIES_TIMER || watched->kind == TK_SERIES_GPU;
}

uint32_t tk_collect_watch_mark(const struct tk_collect_watch *w, const struct tk_str *name)
{
    const uint32_t waits = w->of->waits(name) ? TK_WATCH_WAITS : 0;
    for (size_t i = 0; i < w->of->v.n; i++) {
        const struct tk_watched *watched = &w->of->v.v[i];
        if (is_timer(watched) && watched->name && tk_str_order(watched->name, name) == 0)
            return waits | (uint32_t)(i + 1);
    }
    return waits;
}

int tk_collect_watch_feed(struct tk_collect_watch *w, const struct tk_batch *batch)
{
    for (size_t i = 0; w->of && i < batch->n_facts; i++) {
        const struct tk_fact_timer *timer = &batch->facts[i].u.timer;
        if (batch->facts[i].kind != TK_FACT_TIMER || !timer->name)
            continue;
        if (tk_vec_reserve(&w->marks, (size_t)timer->id + 1))
            return -1;
        while (w->marks.n <= timer->id)
            w->marks.v[w->marks.n++] = 0;
        w->marks.v[timer->id] = tk_collect_watch_mark(w, timer->name);
    }
    return 0;
}

void tk_collect_watch_release(struct tk_collect_watch *w)
{
    tk_vec_release(&w->marks);
}

/* ---- their times ---- */

/* Are timers of a class watched together? */
static bool all_watched(const struct tk_watch *watch, uint8_t lane_kind, const struct tk_str *class)
{
    for (size_t i = 0; i < watch->v.n && lane_kind == TK_LANE_THREAD; i++)
        if (is_timer(&watch->v.v[i]) && !watch->v.v[i].name && tk_str_order(watch->v.v[i].group, class) == 0)
            return true;
    return false;
}

int tk_watched_sums_init(struct tk_watched_sums *s, const struct tk_collect_watch *watch, uint8_t lane_kind,
                         const struct tk_str *class)
{
    *s = (struct tk_watched_sums){0};
    if (!watch->of)
        return 0;
    s->watch = watch;
    s->all = all_watched(watch->of, lane_kind, class);
    s->v = calloc(watch->of->v.n + 1, sizeof *s->v);
    return s->v ? 0 : -1;
}

static int add_time(struct tk_watched_sums *s, size_t slot, size_t frame, uint64_t cycles)
{
    if (!s->v[slot] && !(s->v[slot] = calloc(s->watch->frames->frames->n + 1, sizeof **s->v)))
        return -1;
    s->v[slot][frame] = tk_wrap_add(s->v[slot][frame], (int64_t)cycles);
    return 0;
}

/* Adds own time to those that watch a timer. */
static int add_own(struct tk_watched_sums *s, uint32_t mark, size_t frame, uint64_t cycles)
{
    const bool works = s->all && !(mark & TK_WATCH_WAITS);
    const size_t slot = mark & TK_WATCH_SLOT;
    if (frame >= s->watch->frames->frames->n)
        return 0;
    return (works && add_time(s, 0, frame, cycles)) || (slot && add_time(s, slot, frame, cycles)) ? -1 : 0;
}

/* A part of a slice in n frames, which has so much of its own time. */
static int add_part(struct tk_watched_sums *s, uint32_t mark, const struct tk_slice_part *part, double own)
{
    const struct tk_frames *frames = s->watch->frames->frames;
    int rc = 0;
    for (uint32_t i = part->frame; i < part->frame + part->n && i < frames->n && rc == 0; i++) {
        const double length = (double)(uint64_t)(frames->v[i].to - frames->v[i].from);
        const double time = part->n == 1 || length > (double)part->total ? (double)part->total : length;
        rc = add_own(s, mark, i, tk_saturate_u64(time * own));
    }
    return rc;
}

int tk_watched_sums_take(struct tk_watched_sums *s, const struct tk_slices *slices)
{
    int rc = 0;
    for (size_t i = 0, part = 0; s->watch && i < slices->n && rc == 0; i++) {
        const uint32_t timer = slices->timer[i],
                       mark = timer < s->watch->marks.n ? s->watch->marks.v[timer] : 0;
        const int64_t excl = (int64_t)slices->excl[i];
        const double own = slices->total[i] && excl > 0 ? (double)excl / (double)slices->total[i] : 0;
        const bool watched = mark & TK_WATCH_SLOT || (s->all && !(mark & TK_WATCH_WAITS));
        for (; part < slices->n_parts && slices->parts[part].slice == i; part++)
            rc = rc || !watched ? rc : add_part(s, mark, &slices->parts[part], own);
        if (watched && rc == 0 && slices->frame[i] < TK_FRAME_PARTS)
            rc = add_own(s, mark, slices->frame[i], slices->excl[i]);
    }
    return rc;
}

int tk_watched_sums_merge(struct tk_watched_sums *into, const struct tk_watched_sums *from)
{
    for (size_t slot = 0; into->watch && slot <= into->watch->of->v.n; slot++)
        for (size_t i = 0; from->v[slot] && i < into->watch->frames->frames->n; i++)
            if (add_time(into, slot, i, (uint64_t)from->v[slot][i]))
                return -1;
    return 0;
}

static void drop(struct tk_watched_sums *s, size_t slot)
{
    free(s->v[slot]);
    s->v[slot] = NULL;
}

void tk_watched_sums_forget(struct tk_watched_sums *s, const struct tk_str *name)
{
    const uint32_t mark = s->watch ? tk_collect_watch_mark(s->watch, name) : TK_WATCH_WAITS;
    if (!(mark & TK_WATCH_WAITS))
        drop(s, 0);
    if (mark & TK_WATCH_SLOT)
        drop(s, mark & TK_WATCH_SLOT);
}

int tk_watched_sums_tell(const struct tk_watched_sums *s, struct tk_base_run *run, uint8_t kind,
                         const struct tk_str *group)
{
    for (size_t slot = 0; s->watch && slot <= s->watch->of->v.n; slot++) {
        const struct tk_str *name = slot ? s->watch->of->v.v[slot - 1].name : NULL;
        const size_t n = s->watch->frames->frames->n;
        if (!s->v[slot])
            continue;
        if (name && !(name = tk_intern(&run->names, name->p, name->n, (enum tk_encoding)name->enc)))
            return -1;
        struct tk_watched_frames *times = tk_watched_frames_add(run, kind, name, group, n, 0);
        if (!times)
            return -1;
        for (size_t i = 0; i < n; i++)
            times->v[i] += (double)s->v[slot][i];
    }
    return 0;
}

void tk_watched_sums_release(struct tk_watched_sums *s)
{
    for (size_t slot = 0; s->v && slot <= s->watch->of->v.n; slot++)
        free(s->v[slot]);
    free(s->v);
    *s = (struct tk_watched_sums){0};
}
