/*
 * What grew in hitches. See hitch_reasons.h.
 */
#include "model/frames/hitch_reasons.h"

#include "base/sort.h"
#include "base/wrap.h"

static int64_t usual_of(const struct tk_hitches *h, const struct tk_interval_sums *sums, uint32_t timer)
{
    const struct tk_interval_sum *usual = tk_interval_sums_find(sums, TK_FRAME_CLASS_TYPICAL, timer);
    return usual && h->marks.n_usual ? (int64_t)usual->excl / (int64_t)h->marks.n_usual : 0;
}

/* Threads that wait while others work are no reason; the one that runs the frames is. */
static bool matters(const struct tk_hitches *h, const struct tk_hitch_reason *r,
                    const struct tk_hitch_lane *lane)
{
    bool other = h->frame_thread != TK_NO_THREAD && !tk_hitch_lane_is(lane, h->frame_thread);
    return r->growth > 0 && (r->work != TK_WORK_WAIT || !other);
}

/* The longest call was on no core for how much of the own time of its timer, at most? */
static int64_t off_core_of(const struct tk_hitches *h, const struct tk_hitch_lane *l,
                           const struct tk_hitch_reason *r)
{
    const struct tk_longest_call *call = tk_longest_calls_find(&l->calls, r->mark, r->timer);
    if (!call || l->kind != TK_LANE_THREAD || !tk_core_times_knows(&h->running, l->thread))
        return 0;
    int64_t ran = (int64_t)tk_core_times_between(&h->running, l->thread, call->begin, call->end);
    int64_t off = tk_wrap_sub(tk_wrap_sub(call->end, call->begin), ran);
    return off < 0 ? 0 : off < r->own ? off : r->own;
}

static int add_timer(struct tk_hitches *h, uint32_t lane, const struct tk_interval_sum *own)
{
    const struct tk_hitch_lane *l = h->lanes.v[lane];
    /* what late timers had is with those that they are, which leaves nothing in its place */
    if (own->part < TK_FRAME_CLASS_HITCH || (!own->count && !own->excl))
        return 0;
    const struct tk_timer *timer = tk_dict_timer(h->view->dict, own->timer);
    if (!timer)
        return -1;
    struct tk_hitch_reason r = {own->part,
                                lane,
                                own->timer,
                                (uint8_t)tk_work_of(&h->work, timer),
                                own->count,
                                (int64_t)own->excl,
                                usual_of(h, &l->sums, own->timer),
                                0,
                                0};
    r.growth = tk_wrap_sub(r.own, r.usual);
    r.off = off_core_of(h, l, &r);
    if (!matters(h, &r, l) ||
        (h->view->select->timers.n && !tk_patterns_pass(&h->view->select->timers, timer->shown)))
        return 0;
    return tk_vec_push(&h->reasons, r);
}

static int64_t off_core(const struct tk_hitches *h, uint32_t thread, uint32_t frame)
{
    const struct tk_range *f = &h->marks.frames->v[frame];
    const struct tk_select *select = h->view->select;
    int64_t all = tk_wrap_sub(tk_select_before(select, f->to), tk_select_before(select, f->from));
    return tk_wrap_sub(all, (int64_t)tk_core_times_between(&h->running, thread, f->from, f->to));
}

/* The time that the thread of the frames was on no core. */
static int add_off_core(struct tk_hitches *h, uint32_t lane)
{
    uint32_t thread = h->lanes.v[lane]->thread;
    int64_t usual = 0;
    if (!tk_hitch_lane_is(h->lanes.v[lane], h->frame_thread) || !tk_core_times_knows(&h->running, thread))
        return 0;
    for (size_t i = 0; i < h->marks.marked.n; i++)
        if (h->marks.mark[h->marks.marked.v[i]] == TK_FRAME_CLASS_TYPICAL)
            usual = tk_wrap_add(usual, off_core(h, thread, h->marks.marked.v[i]));
    usual = h->marks.n_usual ? usual / (int64_t)h->marks.n_usual : 0;
    for (uint32_t i = 0; i < h->marks.hitches.n; i++) {
        int64_t off = off_core(h, thread, h->marks.hitches.v[i]);
        struct tk_hitch_reason r = {TK_FRAME_CLASS_HITCH + i,
                                    lane,
                                    TK_HITCH_NOT_RUNNING,
                                    TK_WORK_KINDS,
                                    0,
                                    off,
                                    usual,
                                    off - usual,
                                    off};
        if (r.growth > 0 && !h->view->select->timers.n && tk_vec_push(&h->reasons, r))
            return -1;
    }
    return 0;
}

static int by_growth(const void *a, const void *b)
{
    const struct tk_hitch_reason *x = a, *y = b;
    if (x->mark != y->mark)
        return x->mark < y->mark ? -1 : 1;
    if (x->growth != y->growth)
        return x->growth > y->growth ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* Time off the core that calls have for the most part is told of them, and not a second time. */
static void drop_told_twice(struct tk_hitches *h)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < h->reasons.n; first = end) {
        int64_t told = 0;
        for (end = first; end < h->reasons.n && h->reasons.v[end].mark == h->reasons.v[first].mark; end++)
            if (h->reasons.v[end].timer != TK_HITCH_NOT_RUNNING &&
                tk_hitch_lane_is(h->lanes.v[h->reasons.v[end].lane], h->frame_thread))
                told = tk_wrap_add(told, h->reasons.v[end].off);
        for (size_t i = first; i < end; i++) {
            const struct tk_hitch_reason r = h->reasons.v[i];
            if (r.timer != TK_HITCH_NOT_RUNNING || told < r.growth / 2)
                h->reasons.v[kept++] = r;
        }
    }
    h->reasons.n = kept;
}

int tk_hitches_collect(struct tk_hitches *h)
{
    int rc = tk_wait_causes_finish(&h->causes);
    for (uint32_t i = 0; i < h->lanes.n && rc == 0; i++) {
        struct tk_hitch_lane *l = h->lanes.v[i];
        if (!l)
            continue;
        rc = tk_interval_sums_settle(&l->sums, &h->asked, h->view->dict);
        for (size_t k = 0; k < l->sums.v.n && rc == 0; k++)
            rc = add_timer(h, i, &l->sums.v.v[k]);
        tk_interval_sums_release(&l->sums); /* room for the reasons of the next lanes */
        if (rc == 0)
            rc = add_off_core(h, i);
    }
    if (rc == 0) {
        struct tk_hitch_reason spare;
        /* in place, as there are many; no two are alike */
        tk_sort_in_place(h->reasons.v, h->reasons.n, sizeof spare, by_growth, &spare);
        drop_told_twice(h);
    }
    return rc;
}
