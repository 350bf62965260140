/*
 * What grew in hitches.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"

/*
 * Who had the core meanwhile.
 */

/* Runs that began so many places before a time may still go on then; they are short. */
#define LOOK_BACK 4096u

/* First run that begins at or after a time. */
static size_t first_from(const struct tk_switch_list *list, int64_t time)
{
    size_t at;
    TK_SEARCH(at, list->v.n, list->v.v[at].begin < time);
    return at;
}

static bool is_of(const struct tk_switch_list *list, const struct tk_switch *s, uint32_t thread)
{
    return list->threads.v.v[s->thread].thread == thread;
}

static void offer(struct tk_core_cause *out, int64_t *begin, int64_t from, int64_t to, uint32_t core)
{
    int64_t off = tk_wrap_sub(to, from);
    if (off <= out->off)
        return;
    out->off = off;
    out->core = core;
    *begin = from;
}

/* The longest stretch without a run of the thread, behind one of its runs. */
static bool find_stretch(const struct tk_switch_list *list, size_t first, uint32_t thread, int64_t from,
                         int64_t to, struct tk_core_cause *out, int64_t *begin)
{
    const struct tk_switch *last = NULL;
    for (size_t i = first; i < list->v.n && list->v.v[i].begin < to; i++) {
        const struct tk_switch *s = &list->v.v[i];
        if (!is_of(list, s, thread))
            continue;
        if (last && s->begin > from)
            offer(out, begin, last->end > from ? last->end : from, s->begin, last->core);
        last = s;
    }
    if (last && last->end < to)
        offer(out, begin, last->end > from ? last->end : from, to, last->core);
    return out->off > 0;
}

/* Time of a run inside of a stretch. */
static int64_t inside(const struct tk_switch *s, int64_t begin, int64_t end)
{
    int64_t from = s->begin > begin ? s->begin : begin, to = s->end < end ? s->end : end;
    return to > from ? tk_wrap_sub(to, from) : 0;
}

bool tk_core_cause_find(const struct tk_switch_list *list, const struct tk_dict *dict, uint32_t thread,
                        int64_t from, int64_t to, struct tk_core_cause *out)
{
    size_t first = first_from(list, from);
    const struct tk_switch *longest = NULL;
    int64_t begin = 0;
    *out = (struct tk_core_cause){.off = 0};
    first = first > LOOK_BACK ? first - LOOK_BACK : 0;
    if (!find_stretch(list, first, thread, from, to, out, &begin))
        return false;
    for (size_t i = first; i < list->v.n && list->v.v[i].begin < begin + out->off; i++) {
        const struct tk_switch *s = &list->v.v[i];
        int64_t least = longest ? inside(longest, begin, begin + out->off) : 0;
        if (s->core == out->core && !is_of(list, s, thread) && inside(s, begin, begin + out->off) > least)
            longest = s;
    }
    if (longest)
        out->name = tk_system_thread_name(&list->threads.v.v[longest->thread], dict);
    return true;
}

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

const struct tk_longest_call *tk_hitch_longest(const struct tk_hitches *h, uint32_t lane, uint32_t mark,
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
    const struct tk_longest_call *call = tk_hitch_longest(h, r->lane, r->mark, r->timer);
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
        (h->view->select->timers.n && !tk_patterns_pass(&h->view->select->timers, timer->displayed)))
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

/* Time off the core that calls have for the most part is reported of them, and not a second time. */
static void drop_reported_twice(struct tk_hitches *h)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < h->reasons.n; first = end) {
        int64_t reported = 0;
        for (end = first; end < h->reasons.n && h->reasons.v[end].mark == h->reasons.v[first].mark; end++)
            if (h->reasons.v[end].timer != TK_HITCH_NOT_RUNNING &&
                tk_hitch_lane_is(h->lanes.v[h->reasons.v[end].lane], h->frame_thread))
                reported = tk_wrap_add(reported, h->reasons.v[end].off);
        for (size_t i = first; i < end; i++) {
            const struct tk_hitch_reason r = h->reasons.v[i];
            if (r.timer != TK_HITCH_NOT_RUNNING || reported < r.growth / 2)
                h->reasons.v[kept++] = r;
        }
    }
    h->reasons.n = kept;
}

/* ---- lanes of one thread ---- */

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

static int join_sums(struct tk_hitches *h, struct tk_hitch_lane *first)
{
    int rc = tk_interval_sums_settle(&first->sums, &h->requested, h->view->dict);
    for (uint32_t at = first->next; at != TK_MAP_NONE && rc == 0; at = h->lanes.v[at]->next) {
        struct tk_interval_sums *sums = &h->lanes.v[at]->sums;
        rc = tk_interval_sums_settle(sums, &h->requested, h->view->dict);
        if (rc == 0)
            rc = tk_interval_sums_merge(&first->sums, sums, &h->requested, h->view->dict);
        tk_interval_sums_release(sums);
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

/* Takes from a thread what two of its lanes have at one time. */
static int take_off(struct tk_hitches *h, struct tk_hitch_lane *first)
{
    const uint64_t key = thread_key(first->thread, first->kind);
    size_t i;
    TK_SEARCH(i, h->overlaps.n, key_of_overlap(&h->overlaps.v[i]) < key);
    for (; i < h->overlaps.n && key_of_overlap(&h->overlaps.v[i]) == key; i++) {
        const struct tk_hitch_overlap *o = &h->overlaps.v[i];
        const struct tk_timer *timer = tk_dict_timer(h->view->dict, o->timer);
        struct tk_interval_sum *sum =
            timer ? tk_interval_sums_of(&first->sums, o->mark, timer->info.id) : NULL;
        if (!sum)
            return -1;
        sum->excl -= sum->excl > (uint64_t)o->cycles ? (uint64_t)o->cycles : sum->excl;
    }
    return 0;
}

int tk_hitches_collect(struct tk_hitches *h)
{
    int rc = tk_wait_causes_finish(&h->causes);
    if (rc == 0)
        rc = link_lanes(h);
    if (rc == 0)
        rc = tk_sort(h->overlaps.v, h->overlaps.n, sizeof *h->overlaps.v, by_thread);
    for (uint32_t i = 0; i < h->lanes.n && rc == 0; i++) {
        struct tk_hitch_lane *l = h->lanes.v[i];
        if (!l || l->joined)
            continue;
        rc = join_sums(h, l);
        if (rc == 0)
            rc = take_off(h, l);
        for (size_t k = 0; k < l->sums.v.n && rc == 0; k++)
            rc = add_timer(h, i, &l->sums.v.v[k]);
        tk_interval_sums_release(&l->sums); /* space for the reasons of the next lanes */
        if (rc == 0)
            rc = add_off_core(h, i);
    }
    if (rc == 0) {
        struct tk_hitch_reason spare;
        /* in place, as there are many; no two are alike */
        tk_sort_in_place(h->reasons.v, h->reasons.n, sizeof spare, by_growth, &spare);
        drop_reported_twice(h);
    }
    return rc;
}
