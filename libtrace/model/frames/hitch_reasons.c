/*
 * What grew in hitches.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "judge/work.h"
#include "model/frames/frames_in.h"

#include <math.h>
#include <stdlib.h>

/*
 * The longest call of each timer in a hitch.
 */

static uint64_t key_of_call(uint32_t mark, uint32_t timer)
{
    return (uint64_t)mark << 32 | timer;
}

int tk_longest_calls_put(struct tk_longest_calls *c, uint32_t mark, uint32_t timer, int64_t begin,
                         int64_t end)
{
    const struct tk_longest_call call = {begin, end};
    const uint32_t at = tk_map_get(&c->index, key_of_call(mark, timer));
    if (end <= begin)
        return 0;
    if (at == TK_MAP_NONE)
        return tk_vec_push(&c->v, call) ||
                       tk_map_put(&c->index, key_of_call(mark, timer), (uint32_t)c->v.n - 1)
                   ? -1
                   : 0;
    if (tk_wrap_sub(end, begin) > tk_wrap_sub(c->v.v[at].end, c->v.v[at].begin))
        c->v.v[at] = call;
    return 0;
}

const struct tk_longest_call *tk_longest_calls_find(const struct tk_longest_calls *c, uint32_t mark,
                                                    uint32_t timer)
{
    const uint32_t at = tk_map_get(&c->index, key_of_call(mark, timer));
    return at == TK_MAP_NONE ? NULL : &c->v.v[at];
}

void tk_longest_calls_release(struct tk_longest_calls *c)
{
    tk_map_release(&c->index);
    tk_vec_release(&c->v);
}

/* The longest call of a timer in a frame on any lane of a thread, by its first; NULL: there is none. */
static const struct tk_longest_call *longest_of(const struct tk_hitches *h, uint32_t lane, uint32_t mark,
                                                uint32_t timer)
{
    const struct tk_longest_call *longest = NULL;
    for (; lane != UINT32_MAX; lane = h->lanes.v[lane]->next) {
        const struct tk_longest_call *call = tk_longest_calls_find(&h->lanes.v[lane]->calls, mark, timer);
        if (call &&
            (!longest || tk_wrap_sub(call->end, call->begin) > tk_wrap_sub(longest->end, longest->begin)))
            longest = call;
    }
    return longest;
}

/*
 * What is usual.
 */

#define LEAST_EXCESS_MS   1.0  /* a hitch that exceeds its typical frames by less, */
#define LEAST_EXCESS_PART 0.25 /* and by no more of their length, is as long as usual */
#define OFF_CORE_PART     0.25 /* of the excess: time on no core that is a reason of its own */
#define ATTACHED_PART     0.25 /* of the growth of a wait: what grew meanwhile by less does not explain it */

static const struct tk_frame_class_hitch *hitch_of(const struct tk_hitches *h, uint32_t mark)
{
    return &h->marks.hitches.v[mark - TK_FRAME_CLASS_HITCH];
}

/* The mean own time of a timer in the typical frames of a hitch. */
static int64_t usual_of(const struct tk_hitches *h, const struct tk_interval_sums *sums, uint32_t mark,
                        uint32_t timer)
{
    const struct tk_frame_class_hitch *hitch = hitch_of(h, mark);
    int64_t all = 0;
    for (size_t i = hitch->first_group; i < h->marks.groups.n; i++) {
        const struct tk_frame_group *g = &h->marks.groups.v[i];
        if (g->hitch != mark - TK_FRAME_CLASS_HITCH)
            break;
        const struct tk_interval_sum *sum = tk_interval_sums_find(sums, g->mark, timer);
        all = tk_wrap_add(all, sum ? (int64_t)sum->excl : 0);
    }
    return hitch->n_typical ? all / (int64_t)hitch->n_typical : 0;
}

/* The same sum of what the thread of the frames had as a whole. */
struct totals {
    struct tk_hitch_totals *hitches, *groups; /* owned; by number */
    size_t n_groups;
};

static struct tk_hitch_totals *totals_of(const struct totals *t, uint32_t mark)
{
    return mark >= TK_FRAME_CLASS_TYPICAL ? &t->groups[mark - TK_FRAME_CLASS_TYPICAL]
                                          : &t->hitches[mark - TK_FRAME_CLASS_HITCH];
}

static int64_t mean_of(int64_t sum, uint32_t n)
{
    return n ? sum / (int64_t)n : 0;
}

static struct tk_hitch_totals usual_totals(const struct tk_hitches *h, const struct totals *t, uint32_t hitch)
{
    const struct tk_frame_class_hitch *of = &h->marks.hitches.v[hitch];
    struct tk_hitch_totals sum = {0};
    for (size_t i = of->first_group; i < h->marks.groups.n && h->marks.groups.v[i].hitch == hitch; i++) {
        const struct tk_hitch_totals *one = totals_of(t, h->marks.groups.v[i].mark);
        sum.own = tk_wrap_add(sum.own, one->own);
        sum.work = tk_wrap_add(sum.work, one->work);
        sum.limited = tk_wrap_add(sum.limited, one->limited);
        sum.off = tk_wrap_add(sum.off, one->off);
        sum.off_waiting = tk_wrap_add(sum.off_waiting, one->off_waiting);
        sum.off_working = tk_wrap_add(sum.off_working, one->off_working);
    }
    const uint32_t n = of->n_typical;
    return (struct tk_hitch_totals){mean_of(sum.own, n),         mean_of(sum.work, n),
                                    mean_of(sum.limited, n),     mean_of(sum.off, n),
                                    mean_of(sum.off_waiting, n), mean_of(sum.off_working, n)};
}

/*
 * Lanes of one thread.
 */

static uint64_t thread_key(uint32_t thread, uint8_t kind)
{
    return (uint64_t)thread << 8 | kind;
}

/* Links the lanes of each thread, the first of them first. */
static int link_lanes(struct tk_hitches *h)
{
    for (uint32_t i = (uint32_t)h->lanes.n; i-- > 0;) {
        struct tk_hitch_lane *l = h->lanes.v[i];
        if (!l)
            continue;
        const uint64_t key = thread_key(l->thread, l->kind);
        l->next = tk_map_get(&h->firsts, key);
        if (l->next != TK_MAP_NONE)
            h->lanes.v[l->next]->joined = true;
        if (tk_map_put(&h->firsts, key, i))
            return -1;
    }
    return 0;
}

static int join_sums(struct tk_hitches *h, struct tk_interval_sums *into, struct tk_interval_sums *sums)
{
    int rc = tk_interval_sums_settle(sums, &h->requested, h->view->dict);
    if (rc == 0 && into != sums)
        rc = tk_interval_sums_merge(into, sums, &h->requested, h->view->dict);
    if (into != sums)
        tk_interval_sums_release(sums);
    return rc;
}

static int join_lanes(struct tk_hitches *h, struct tk_hitch_lane *first)
{
    int rc = 0;
    for (struct tk_hitch_lane *l = first; l && rc == 0;
         l = l->next == TK_MAP_NONE ? NULL : h->lanes.v[l->next]) {
        rc = join_sums(h, &first->sums, &l->sums);
        if (rc == 0)
            rc = join_sums(h, &first->off, &l->off);
    }
    return rc;
}

static uint64_t key_of_overlap(const struct tk_hitch_overlap *o)
{
    return thread_key(o->thread, o->kind);
}

static int by_thread(const void *a, const void *b)
{
    const uint64_t x = key_of_overlap(a), y = key_of_overlap(b);
    return (x > y) - (x < y);
}

/* Takes own time from the sum of a timer, as far as that has any. */
static int take_own(struct tk_interval_sums *sums, uint32_t mark, uint32_t timer, int64_t cycles)
{
    struct tk_interval_sum *sum = cycles ? tk_interval_sums_of(sums, mark, timer) : NULL;
    if (cycles && !sum)
        return -1;
    if (sum)
        sum->excl -= sum->excl > (uint64_t)cycles ? (uint64_t)cycles : sum->excl;
    return 0;
}

/* Takes from a thread what two of its lanes have at one time. */
static int take_overlaps(struct tk_hitches *h, struct tk_hitch_lane *first)
{
    const uint64_t key = thread_key(first->thread, first->kind);
    size_t i;
    TK_SEARCH(i, h->overlaps.n, key_of_overlap(&h->overlaps.v[i]) < key);
    for (; i < h->overlaps.n && key_of_overlap(&h->overlaps.v[i]) == key; i++) {
        const struct tk_hitch_overlap *o = &h->overlaps.v[i];
        const uint32_t timer = tk_dict_summed(h->view->dict, o->timer, false);
        if (timer == TK_MAP_NONE || take_own(&first->sums, o->mark, timer, o->cycles) ||
            take_own(&first->off, o->mark, timer, o->off))
            return -1;
    }
    return 0;
}

/*
 * From sums to reasons.
 */

static bool is_frame_lane(const struct tk_hitches *h, const struct tk_hitch_lane *lane)
{
    return tk_hitch_lane_is(lane, h->frame_thread);
}

/* Frames of a queue that begin in a frame: they begin where the one before ends. 0: none is recorded. */
static uint64_t gpu_frames_in(const struct tk_hitches *h, uint32_t queue, uint32_t frame)
{
    const struct tk_range *r = &h->marks.frames->v[frame];
    uint64_t n = 0;
    for (size_t i = 0; i < h->gpu_frames.n; i++) {
        const struct tk_gpu_frame_end *end = &h->gpu_frames.v[i];
        n += end->queue == queue && end->time >= r->from && end->time < r->to;
    }
    return n;
}

/* Of several frames of the GPU in a hitch the greatest counts: a pass that each of them has once took at most
 * its longest call, and at least the mean. */
static void count_gpu_frames(const struct tk_hitches *h, const struct tk_hitch_lane *l,
                             struct tk_hitch_reason *r)
{
    const uint64_t frames =
        l->kind == TK_LANE_THREAD ? 0 : gpu_frames_in(h, l->thread, hitch_of(h, r->mark)->frame);
    const struct tk_longest_call *call = longest_of(h, r->lane, r->mark, r->timer);
    if (frames < 2)
        return;
    const int64_t mean = r->own / (int64_t)frames,
                  longest = call && r->count <= frames ? tk_wrap_sub(call->end, call->begin) : 0;
    r->own = longest > mean && longest < r->own ? longest : mean;
}

/* Is time on no core part of what the timer does? A load and an access to a file wait for their data. */
static bool blocks(const struct tk_timer *timer, enum tk_work work)
{
    return tk_timer_waits(timer->info.kind, work) || work == TK_WORK_LOADING || work == TK_WORK_IO;
}

static int add_timer(struct tk_hitches *h, uint32_t lane, const struct tk_interval_sum *own)
{
    const struct tk_hitch_lane *l = h->lanes.v[lane];
    const struct tk_timer *timer = tk_dict_timer(h->view->dict, own->timer);
    if (!timer)
        return -1;
    struct tk_hitch_reason r = {.mark = own->part,
                                .lane = lane,
                                .timer = own->timer,
                                .work = (uint8_t)tk_work_of(&h->work, timer),
                                .count = own->count,
                                .own = (int64_t)own->excl,
                                .usual = usual_of(h, &l->sums, own->part, own->timer)};
    const bool waits = tk_timer_waits(timer->info.kind, (enum tk_work)r.work);
    const struct tk_interval_sum *off = tk_interval_sums_find(&l->off, own->part, own->timer);
    if (off && !blocks(timer, (enum tk_work)r.work)) {
        r.off = (int64_t)off->excl;
        r.off_usual = usual_of(h, &l->off, own->part, own->timer);
    }
    if (waits && r.work != TK_WORK_LIMITER)
        r.work = TK_WORK_WAIT;
    count_gpu_frames(h, l, &r);
    r.growth = tk_wrap_sub(r.own, r.usual);
    const bool other = h->frame_thread != TK_NO_THREAD && !is_frame_lane(h, l);
    if (r.growth <= 0 || (waits && other) || r.work == TK_WORK_LIMITER ||
        (h->view->select->timers.n && !tk_patterns_pass(&h->view->select->timers, timer->displayed)))
        return 0;
    return tk_vec_push(&h->reasons, r);
}

/* Adds what a timer of the thread of the frames had. */
static int add_total(struct tk_hitches *h, const struct tk_hitch_lane *l, const struct tk_interval_sum *own,
                     const struct totals *t)
{
    const struct tk_timer *timer = tk_dict_timer(h->view->dict, own->timer);
    const struct tk_interval_sum *off = tk_interval_sums_find(&l->off, own->part, own->timer);
    struct tk_hitch_totals *sum = totals_of(t, own->part);
    if (!timer)
        return -1;
    const enum tk_work work = tk_work_of(&h->work, timer);
    sum->own = tk_wrap_add(sum->own, (int64_t)own->excl);
    if (work == TK_WORK_LIMITER)
        sum->limited = tk_wrap_add(sum->limited, (int64_t)own->excl);
    else if (!tk_timer_waits(timer->info.kind, work))
        sum->work = tk_wrap_add(sum->work, (int64_t)own->excl);
    if (off && blocks(timer, work))
        sum->off_waiting = tk_wrap_add(sum->off_waiting, (int64_t)off->excl);
    else if (off)
        sum->off_working = tk_wrap_add(sum->off_working, (int64_t)off->excl);
    return 0;
}

static int64_t off_core(const struct tk_hitches *h, uint32_t thread, uint32_t frame)
{
    const struct tk_range *f = &h->marks.frames->v[frame];
    const struct tk_select *select = h->view->select;
    int64_t all = tk_wrap_sub(tk_select_before(select, f->to), tk_select_before(select, f->from));
    return tk_wrap_sub(all, (int64_t)tk_core_times_between(&h->running, thread, f->from, f->to));
}

/* What late timers had is with those that they are, which leaves nothing in its place. */
static bool is_empty(const struct tk_interval_sum *own)
{
    return !own->count && !own->excl;
}

/* Adds a lane with all others of its thread, of which it is the first. */
static int add_lane(struct tk_hitches *h, uint32_t lane, const struct totals *t)
{
    struct tk_hitch_lane *l = h->lanes.v[lane];
    int rc = join_lanes(h, l) || take_overlaps(h, l) ? -1 : 0;
    for (size_t k = 0; k < l->sums.v.n && rc == 0; k++) {
        const struct tk_interval_sum *own = &l->sums.v.v[k];
        if (is_empty(own))
            continue;
        if (own->part < TK_FRAME_CLASS_TYPICAL)
            rc = add_timer(h, lane, own);
        if (rc == 0 && is_frame_lane(h, l))
            rc = add_total(h, l, own, t);
    }
    tk_interval_sums_release(&l->sums); /* space for the reasons of the next lanes */
    tk_interval_sums_release(&l->off);
    return rc;
}

/* The first lane of the thread of the frames; its number, or TK_HITCH_NO_LANE: it has no scopes. */
static uint32_t frame_lane(const struct tk_hitches *h)
{
    for (uint32_t i = 0; i < h->lanes.n; i++)
        if (h->lanes.v[i] && is_frame_lane(h, h->lanes.v[i]))
            return i;
    return TK_HITCH_NO_LANE;
}

/*
 * What is said of a hitch.
 */

/* Frames of damaged captures may be longer than times can be reported. */
static int64_t held(uint64_t cycles)
{
    return cycles > INT64_MAX ? INT64_MAX : (int64_t)cycles;
}

static int64_t length_of_frame(const struct tk_hitches *h, uint32_t frame)
{
    return held(tk_frame_classes_length(&h->marks, frame));
}

/* Time on no core that no wait has. */
static int64_t idle_of(const struct tk_hitch_totals *t)
{
    const int64_t off = tk_wrap_sub(t->off, t->off_waiting);
    return off > 0 ? off : 0;
}

static int64_t outside_of(int64_t length, const struct tk_hitch_totals *t)
{
    return length > t->own ? tk_wrap_sub(length, t->own) : 0;
}

/* Work beyond what is usual, as a part of the excess and of what a limiter waited less. */
static void explain(struct tk_hitch_sum *sum, const struct tk_hitch_totals *own,
                    const struct tk_hitch_totals *usual)
{
    const int64_t work = tk_wrap_sub(tk_wrap_sub(own->work, own->off_working),
                                     tk_wrap_sub(usual->work, usual->off_working)),
                  slack = tk_wrap_sub(usual->limited, own->limited);
    sum->taken = tk_wrap_add(sum->excess, slack > 0 ? slack : 0);
    const double part = sum->taken > 0 ? (double)work / (double)sum->taken : 0;
    sum->explained = part < 0 ? 0 : part > 1 ? 1 : part;
}

/* Is it of the thread of the frames? */
static bool is_own(const struct tk_hitches *h, const struct tk_hitch_reason *r)
{
    return r->lane == TK_HITCH_NO_LANE || is_frame_lane(h, h->lanes.v[r->lane]);
}

static int push_row(struct tk_hitches *h, uint32_t mark, uint32_t lane, uint32_t timer, int64_t own,
                    int64_t usual)
{
    const struct tk_hitch_reason r = {.mark = mark,
                                      .lane = lane,
                                      .timer = timer,
                                      .work = TK_WORK_KINDS,
                                      .own = own,
                                      .usual = usual,
                                      .growth = tk_wrap_sub(own, usual)};
    return r.growth > 0 && !h->view->select->timers.n ? tk_vec_push(&h->reasons, r) : 0;
}

/* The rows that are no timers. Off-core time is taken from what it lies in. */
static int add_rows(struct tk_hitches *h, uint32_t i, uint32_t lane, const struct totals *t)
{
    const uint32_t mark = TK_FRAME_CLASS_HITCH + i;
    const struct tk_frame_class_hitch *hitch = &h->marks.hitches.v[i];
    const struct tk_hitch_totals *own = &t->hitches[i], usual = usual_totals(h, t, i);
    struct tk_hitch_sum *sum = &h->sums.v[i];
    int64_t outside = outside_of(length_of_frame(h, hitch->frame), own),
            usual_outside = outside_of(held(hitch->typical), &usual);
    const int64_t off = idle_of(own), usual_off = idle_of(&usual);
    explain(sum, own, &usual);
    if (off > usual_off && (double)tk_wrap_sub(off, usual_off) >= OFF_CORE_PART * (double)sum->excess) {
        for (size_t k = 0; k < h->reasons.n; k++) {
            struct tk_hitch_reason *r = &h->reasons.v[k];
            if (r->mark != mark || !is_own(h, r))
                continue;
            r->own = tk_wrap_sub(r->own, r->off);
            r->usual = tk_wrap_sub(r->usual, r->off_usual);
            r->growth = tk_wrap_sub(r->own, r->usual);
        }
        outside = tk_wrap_sub(outside, off > own->off_working ? tk_wrap_sub(off, own->off_working) : 0);
        usual_outside = tk_wrap_sub(
            usual_outside, usual_off > usual.off_working ? tk_wrap_sub(usual_off, usual.off_working) : 0);
        if (push_row(h, mark, lane, TK_HITCH_ON_NO_CORE, off, usual_off))
            return -1;
    }
    return push_row(h, mark, lane, TK_HITCH_OUTSIDE, outside > 0 ? outside : 0,
                    usual_outside > 0 ? usual_outside : 0);
}

static int by_growth(const void *a, const void *b)
{
    const struct tk_hitch_reason *x = a, *y = b;
    if (x->mark != y->mark)
        return x->mark < y->mark ? -1 : 1;
    if (x->attached != y->attached)
        return x->attached ? 1 : -1;
    if (x->growth != y->growth)
        return x->growth > y->growth ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* Moves the reason at `from` to `to`, which is before it. */
static void move_reason(struct tk_hitch_reason *v, size_t from, size_t to)
{
    const struct tk_hitch_reason moved = v[from];
    for (size_t i = from; i > to; i--)
        v[i] = v[i - 1];
    v[to] = moved;
}

/* Of n reasons, those of the thread of the frames first, what stays: where the first waits, behind it the one
 * of another thread or the GPU that grew most. */
static size_t choose(const struct tk_hitches *h, struct tk_hitch_reason *v, size_t n)
{
    struct tk_wait_cause cause;
    bool known = false; /* it is recorded who had what the wait was for */
    size_t own = 0, at;
    while (own < n && !v[own].attached && v[own].growth > 0)
        own++;
    at = own;
    while (at < n && !v[at].attached)
        at++;
    if (!own || v[0].work != TK_WORK_WAIT)
        return own;
    if (tk_wait_causes_find(&h->causes, v[0].mark, h->lanes.v[v[0].lane]->thread, &cause) &&
        cause.thread != TK_NO_THREAD)
        known = true;
    while (known && at < n && !tk_hitch_lane_is(h->lanes.v[v[at].lane], cause.thread))
        at++;
    if (at == n || (!known && (double)v[at].growth < ATTACHED_PART * (double)v[0].growth))
        return own;
    move_reason(v, at, 1);
    return own + 1;
}

/* Puts the reasons of each hitch in order. */
static void settle(struct tk_hitches *h)
{
    struct tk_hitch_reason spare;
    size_t kept = 0;
    const bool known = h->frame_thread != TK_NO_THREAD;
    for (size_t i = 0; i < h->reasons.n; i++)
        h->reasons.v[i].attached = known && !is_own(h, &h->reasons.v[i]);
    /* in place, as there are many; no two are alike */
    tk_sort_in_place(h->reasons.v, h->reasons.n, sizeof spare, by_growth, &spare);
    for (size_t first = 0, end; first < h->reasons.n; first = end) {
        const uint32_t mark = h->reasons.v[first].mark;
        for (end = first; end < h->reasons.n && h->reasons.v[end].mark == mark; end++)
            ;
        struct tk_hitch_sum *sum = &h->sums.v[mark - TK_FRAME_CLASS_HITCH];
        const size_t n = sum->usual ? 0 : choose(h, &h->reasons.v[first], end - first);
        sum->first = kept;
        sum->n = n;
        for (size_t i = 0; i < n; i++)
            h->reasons.v[kept++] = h->reasons.v[first + i];
    }
    h->reasons.n = kept;
}

static int make_sums(struct tk_hitches *h)
{
    const uint64_t frequency = h->view->dict->clock.frequency;
    if (tk_vec_reach(&h->sums, h->marks.hitches.n))
        return -1;
    for (size_t i = 0; i < h->marks.hitches.n; i++) {
        const struct tk_frame_class_hitch *hitch = &h->marks.hitches.v[i];
        struct tk_hitch_sum *sum = &h->sums.v[i];
        sum->explained = NAN;
        sum->excess =
            hitch->n_typical ? tk_wrap_sub(length_of_frame(h, hitch->frame), held(hitch->typical)) : 0;
        sum->taken = sum->excess;
        sum->usual = hitch->n_typical && frequency &&
                     (double)sum->excess * 1e3 / (double)frequency < LEAST_EXCESS_MS &&
                     (double)sum->excess <= LEAST_EXCESS_PART * (double)hitch->typical;
    }
    return 0;
}

static int make_totals(const struct tk_hitches *h, struct totals *t)
{
    t->n_groups = 0;
    for (size_t i = 0; i < h->marks.marked.n; i++) {
        const uint32_t mark = h->marks.mark[h->marks.marked.v[i]];
        if (mark >= TK_FRAME_CLASS_TYPICAL && mark - TK_FRAME_CLASS_TYPICAL >= t->n_groups)
            t->n_groups = (size_t)(mark - TK_FRAME_CLASS_TYPICAL) + 1;
    }
    t->hitches = calloc(h->marks.hitches.n + 1, sizeof *t->hitches);
    t->groups = calloc(t->n_groups + 1, sizeof *t->groups);
    return t->hitches && t->groups ? 0 : -1;
}

static void find_off_core(struct tk_hitches *h, const struct totals *t)
{
    if (h->frame_thread == TK_NO_THREAD || !tk_core_times_knows(&h->running, h->frame_thread))
        return;
    for (size_t i = 0; i < h->marks.marked.n; i++) {
        const uint32_t frame = h->marks.marked.v[i];
        if (!tk_hitch_knows_cores(h, frame))
            continue;
        struct tk_hitch_totals *sum = totals_of(t, h->marks.mark[frame]);
        sum->off = tk_wrap_add(sum->off, off_core(h, h->frame_thread, frame));
    }
}

/* The thread of the frames is the one that marks them; where nobody does, the only one with the name of a
 * game thread. */
static void find_frame_thread(struct tk_hitches *h)
{
    for (size_t i = 0; i < h->lanes.n && h->frame_thread == TK_NO_THREAD; i++) {
        const struct tk_hitch_lane *l = h->lanes.v[i];
        const struct tk_str *name =
            l && l->kind == TK_LANE_THREAD ? tk_dict_thread_name(h->view->dict, l->thread) : NULL;
        if (name && tk_role_of_name(name->p, name->n) == TK_ROLE_GAME)
            h->frame_thread = l->thread;
    }
}

int tk_hitches_collect(struct tk_hitches *h)
{
    struct totals t = {0};
    find_frame_thread(h);
    const uint32_t lane = frame_lane(h);
    int rc = tk_wait_causes_finish(&h->causes) || make_sums(h) || make_totals(h, &t) || link_lanes(h) ||
                     tk_sort(h->overlaps.v, h->overlaps.n, sizeof *h->overlaps.v, by_thread)
                 ? -1
                 : 0;
    if (rc == 0)
        find_off_core(h, &t);
    for (uint32_t i = 0; i < h->lanes.n && rc == 0; i++)
        rc = h->lanes.v[i] && !h->lanes.v[i]->joined ? add_lane(h, i, &t) : 0;
    for (uint32_t i = 0; i < h->marks.hitches.n && rc == 0 && h->frame_thread != TK_NO_THREAD; i++)
        rc = h->marks.hitches.v[i].n_typical ? add_rows(h, i, lane, &t) : 0;
    free(t.hitches);
    free(t.groups);
    if (rc == 0)
        settle(h);
    return rc;
}
