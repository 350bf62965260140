/*
 * From slices to what lanes did by frame.
 *
 * Whether a timer waits is known when all is read, where its name does not tell, so own times are kept by
 * timer until then.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "judge/work.h"
#include "model/frames/frames_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Roles of threads and queues in a frame, by who marks the frames, and by names.
 */

#define MOST_QUEUES 8u

/* TK_BOUND_ROLES: none. */
static enum tk_bound_role role_of_name(const struct tk_str *name)
{
    static const enum tk_bound_role roles[TK_ROLES] = {
        [TK_ROLE_GAME] = TK_BOUND_GAME, [TK_ROLE_RENDER] = TK_BOUND_RENDER, [TK_ROLE_RHI] = TK_BOUND_RHI,
        [TK_ROLE_GPU] = TK_BOUND_ROLES, [TK_ROLE_WORKER] = TK_BOUND_ROLES,  [TK_ROLE_OTHER] = TK_BOUND_ROLES};
    return name ? roles[tk_role_of_name(name->p, name->n)] : TK_BOUND_ROLES;
}

/* Keeps times on cores of a thread that may get a role. */
static int keep_core(struct tk_bound_lanes *l, const struct tk_thread *t)
{
    struct tk_bound_core core = {.thread = t->id, .system_id = t->info.system_id};
    for (size_t i = 0; i < l->cores.n; i++)
        if (l->cores.v[i].thread == t->id)
            return 0;
    return t->info.has_system ? tk_vec_push(&l->cores, core) : 0;
}

/* Takes from the dictionary of the view what roles the names of its threads give. 0, or -1 without memory. */
static int tk_bound_roles_learn(struct tk_bound_lanes *l)
{
    const struct tk_dict *dict = l->view->dict;
    for (size_t i = 0; i < dict->threads.n; i++) {
        const enum tk_bound_role role = role_of_name(dict->threads.v[i].displayed);
        if (tk_map_put(&l->names, dict->threads.v[i].id, role) ||
            (role != TK_BOUND_ROLES && keep_core(l, &dict->threads.v[i])))
            return -1;
    }
    return 0;
}

static bool marks_frames(const struct tk_bound_lanes *l, const struct tk_bound_lane *lane)
{
    return lane->kind == TK_LANE_THREAD && l->frame_thread != TK_NO_THREAD && lane->thread == l->frame_thread;
}

static bool is_game(const struct tk_bound_lanes *l, const struct tk_bound_lane *lane)
{
    return lane->kind == TK_LANE_THREAD &&
           (marks_frames(l, lane) || tk_map_get(&l->names, lane->thread) == TK_BOUND_GAME);
}

/* Marks the lanes as idle that no lane to come can help to a role: with a game thread, threads of other
 * names. It is settled who marks the game frames. */
static void tk_bound_roles_spare(struct tk_bound_lanes *l)
{
    bool has_game = false;
    for (size_t i = 0; i < l->v.n && !has_game; i++)
        has_game = l->v.v[i] && is_game(l, l->v.v[i]);
    for (size_t i = 0; i < l->v.n && has_game; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (lane && lane->kind == TK_LANE_THREAD && !marks_frames(l, lane))
            lane->idle = tk_map_get(&l->names, lane->thread) == TK_BOUND_ROLES;
    }
}

static void give(struct tk_bound_lane *lane, enum tk_bound_role role)
{
    lane->has_role = true;
    lane->role = role;
}

/* Who did nothing in the frames that are selected plays no role: a part of the recording does not know that
 * it is there. */
static bool does_something(const struct tk_bound_lane *lane)
{
    return lane->all > 0;
}

/* The lane with most time of those that `role` says; NULL: there is none. */
static struct tk_bound_lane *busiest(const struct tk_bound_lanes *l, enum tk_bound_role role)
{
    struct tk_bound_lane *found = NULL;
    for (size_t i = 0; i < l->v.n; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || lane->kind != TK_LANE_THREAD || lane->has_role || !does_something(lane) ||
            role_of_name(tk_dict_thread_name(l->view->dict, lane->thread)) != role)
            continue;
        if (!found || lane->all > found->all)
            found = lane;
    }
    return found;
}

static struct tk_bound_lane *lane_of_thread(const struct tk_bound_lanes *l, uint32_t thread)
{
    for (size_t i = 0; i < l->v.n && thread != TK_NO_THREAD; i++)
        if (l->v.v[i] && l->v.v[i]->kind == TK_LANE_THREAD && l->v.v[i]->thread == thread &&
            does_something(l->v.v[i]))
            return l->v.v[i];
    return NULL;
}

static void give_threads(struct tk_bound_lanes *l)
{
    struct tk_bound_lane *game = lane_of_thread(l, l->frame_thread), *lane;
    if (!game)
        game = busiest(l, TK_BOUND_GAME);
    if (game)
        give(game, TK_BOUND_GAME);
    static const enum tk_bound_role others[] = {TK_BOUND_RENDER, TK_BOUND_RHI};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if ((lane = busiest(l, others[i])))
            give(lane, others[i]);
}

static bool has_work(const struct tk_bound_lanes *l, uint32_t queue)
{
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i] && l->v.v[i]->kind == TK_LANE_GPU_WORK && l->v.v[i]->thread == queue)
            return true;
    return false;
}

static struct tk_bound_lane *busiest_queue(const struct tk_bound_lanes *l)
{
    struct tk_bound_lane *found = NULL;
    for (size_t i = 0; i < l->v.n; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || lane->kind == TK_LANE_THREAD || lane->has_role || !does_something(lane) ||
            (lane->kind == TK_LANE_GPU && has_work(l, lane->thread)))
            continue;
        if (!found || lane->all > found->all)
            found = lane;
    }
    return found;
}

/*
 * Gives lanes their roles. The game thread is the one that marks the game frames, if it has scopes, else the
 * one that is called so; no thread is it for being busiest. Render and RHI thread go by their names. Each
 * queue of the GPU is one by its work where that is reported, else by its passes; of more than eight those
 * with most time.
 */
static void tk_bound_roles_give(struct tk_bound_lanes *l)
{
    struct tk_bound_lane *queue;
    give_threads(l);
    for (unsigned i = 0; i < MOST_QUEUES && (queue = busiest_queue(l)); i++)
        give(queue, TK_BOUND_GPU);
}

#define DENSE_FRAMES 4096u  /* whose timers are found without a search, as long as there is space */
#define PACKED_SUMS  16384u /* of a lane: as many are packed */
#define FIRST_OWN    64u    /* slots for the timers of a frame */

int tk_bound_lanes_init(struct tk_bound_lanes *l, const struct tk_query_context *view,
                        struct tk_work_rules *work)
{
    size_t n = view->frames->n;
    n -= n && view->frames->v[n - 1].to == INT64_MAX;
    *l = (struct tk_bound_lanes){.view = view,
                                 .n_frames = n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1,
                                 .work = work,
                                 .frame_thread = TK_NO_THREAD};
    l->requested.patterns = &l->no_patterns;
    return tk_bound_roles_learn(l);
}

static void forget(struct tk_bound_lane *lane)
{
    tk_child_times_release(&lane->children);
    tk_interval_sums_release(&lane->sums);
    tk_packed_sums_release(&lane->runs);
    tk_packed_sums_release(&lane->done);
    free(lane->own.slots);
    tk_vec_release(&lane->own.met);
    lane->own = (struct tk_bound_own){0};
    lane->works = 0;
}

static void free_lane(struct tk_bound_lane *lane)
{
    if (!lane)
        return;
    forget(lane);
    free(lane->frames);
    free(lane);
}

void tk_bound_lanes_release(struct tk_bound_lanes *l)
{
    for (size_t i = 0; i < l->v.n; i++)
        free_lane(l->v.v[i]);
    tk_vec_release(&l->v);
    tk_vec_release(&l->overlaps);
    for (size_t i = 0; i < l->cores.n; i++)
        free(l->cores.v[i].on);
    tk_vec_release(&l->cores);
    tk_map_release(&l->firsts);
    tk_map_release(&l->names);
}

/* ---- reading ---- */

static int reach_bound_lane(struct tk_bound_lanes *l, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&l->v, (size_t)run->lane + 1))
        return -1;
    struct tk_bound_lane **lane = &l->v.v[run->lane];
    l->news |= !*lane;
    if (!*lane && !(*lane = calloc(1, sizeof **lane)))
        return -1;
    (*lane)->thread = run->thread;
    (*lane)->kind = run->kind;
    (*lane)->sums.dense_parts = DENSE_FRAMES; /* also after they were packed */
    return 0;
}

/* Of lanes that cannot get a role what was kept is forgotten. */
static void spare_lanes(struct tk_bound_lanes *l)
{
    l->news = false;
    tk_bound_roles_spare(l);
    for (size_t i = 0; i < l->v.n; i++)
        if (l->v.v[i] && l->v.v[i]->idle)
            forget(l->v.v[i]);
}

/* Notes an overlap by the frames that it lies in. */
static int take_bound_overlap(struct tk_bound_lanes *l, const struct tk_fact *fact)
{
    const struct tk_select *select = l->view->select;
    const struct tk_fact_overlap *o = &fact->u.overlap;
    size_t at;
    TK_SEARCH(at, l->n_frames, l->view->frames->v[at].to <= fact->time);
    for (; at < l->n_frames && l->view->frames->v[at].from < o->end; at++) {
        const struct tk_range *r = &l->view->frames->v[at];
        const int64_t from = fact->time > r->from ? fact->time : r->from,
                      to = o->end < r->to ? o->end : r->to;
        const struct tk_bound_overlap part = {
            fact->thread, o->timer, (uint32_t)at, o->kind,
            tk_wrap_sub(tk_select_before(select, to), tk_select_before(select, from))};
        if (part.cycles && tk_vec_push(&l->overlaps, part))
            return -1;
    }
    return 0;
}

/* Adds a run on a core to the frames that it lies in. */
static int add_core(const struct tk_bound_lanes *l, struct tk_bound_core *core, int64_t begin, int64_t end)
{
    const struct tk_select *select = l->view->select;
    size_t at;
    if (!core->on && !(core->on = calloc((size_t)l->n_frames + 1, sizeof *core->on)))
        return -1;
    core->any = true;
    TK_SEARCH(at, l->n_frames, l->view->frames->v[at].to <= begin);
    for (; at < l->n_frames && l->view->frames->v[at].from < end; at++) {
        const struct tk_range *r = &l->view->frames->v[at];
        const int64_t from = begin > r->from ? begin : r->from, to = end < r->to ? end : r->to;
        core->on[at] += (uint64_t)tk_wrap_sub(tk_select_before(select, to), tk_select_before(select, from));
    }
    return 0;
}

/* Who ran is known from the first run on a core to the end of the last, of those that are selected whole. */
static void note_recorded(struct tk_bound_lanes *l, int64_t begin, int64_t end)
{
    const struct tk_select *select = l->view->select;
    if (end <= begin || tk_wrap_sub(tk_select_before(select, end), tk_select_before(select, begin)) !=
                            tk_wrap_sub(end, begin))
        return;
    if (l->cores_to <= l->cores_from || begin < l->cores_from)
        l->cores_from = begin;
    l->cores_to = l->cores_to <= l->cores_from || end > l->cores_to ? end : l->cores_to;
}

static int take_switch(struct tk_bound_lanes *l, const struct tk_fact *fact)
{
    int rc = 0;
    if (fact->kind != TK_FACT_SWITCH)
        return 0;
    note_recorded(l, fact->time, fact->u.context.end);
    for (size_t i = 0; i < l->cores.n && rc == 0; i++)
        if (l->cores.v[i].system_id == fact->u.context.system_id && fact->u.context.end > fact->time)
            rc = add_core(l, &l->cores.v[i], fact->time, fact->u.context.end);
    return rc;
}

int tk_bound_lanes_feed(struct tk_bound_lanes *l, const struct tk_batch *batch)
{
    int rc = tk_work_learn(l->work, l->view->dict);
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++) {
        rc = reach_bound_lane(l, &batch->runs[i]);
        struct tk_bound_lane *lane = rc == 0 ? l->v.v[batch->runs[i].lane] : NULL;
        if (lane && lane->sums.v.n >= PACKED_SUMS) /* others do not grow */
            rc = tk_packed_sums_pack(&lane->runs, &lane->sums);
    }
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        if (batch->facts[i].kind == TK_FACT_OVERLAP)
            rc = take_bound_overlap(l, &batch->facts[i]);
        else
            rc = take_switch(l, &batch->facts[i]);
    for (size_t i = 0; i < batch->n_facts && !l->marked; i++)
        if (batch->facts[i].kind == TK_FACT_FRAME && batch->facts[i].u.frame.type == 0) {
            l->frame_thread = batch->facts[i].thread;
            l->marked = l->frame_thread != TK_NO_THREAD;
            l->news |= l->marked;
            const struct tk_thread *t = l->marked ? tk_dict_thread(l->view->dict, l->frame_thread) : NULL;
            rc = rc ? rc : t ? keep_core(l, t) : 0;
        }
    if (rc == 0 && l->marked && l->news)
        spare_lanes(l);
    return rc;
}

static int64_t length_of(const struct tk_bound_lanes *l, uint32_t frame)
{
    const struct tk_range *r = &l->view->frames->v[frame];
    const struct tk_select *select = l->view->select;
    return tk_wrap_sub(tk_select_before(select, r->to), tk_select_before(select, r->from));
}

/* One part of a slice: a frame, or several in full. */
static int take_part_bound(const struct tk_bound_lanes *l, struct tk_bound_lane *lane,
                           const struct tk_slices *s, const struct tk_slice_part *part)
{
    uint32_t end = part->frame + part->n < l->n_frames ? part->frame + part->n : l->n_frames;
    int rc = 0;
    for (uint32_t i = part->frame; i < end && rc == 0; i++)
        rc = tk_interval_sums_put(&lane->sums, &l->requested, &lane->children, s, part->slice, i,
                                  part->n == 1 ? part->total : (uint64_t)length_of(l, i));
    return rc;
}

static uint32_t own_slot(const struct tk_bound_own *o, uint32_t timer)
{
    uint32_t at = (uint32_t)((o->key ^ timer) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & o->mask;
    while (o->slots[at].timer && o->slots[at].timer != timer + 1)
        at = (at + 1) & o->mask;
    return at;
}

static int grow_own(struct tk_bound_own *o)
{
    const uint32_t n = o->slots ? (o->mask + 1) * 2 : FIRST_OWN;
    struct tk_bound_own grown = {
        .slots = calloc(n, sizeof *grown.slots), .mask = n - 1, .key = tk_hash_key()};
    if (!grown.slots)
        return -1;
    for (size_t i = 0; o->slots && i < o->met.n; i++) {
        const struct tk_bound_own_slot *from = &o->slots[o->met.v[i]];
        o->met.v[i] = own_slot(&grown, from->timer - 1);
        grown.slots[o->met.v[i]] = *from;
    }
    free(o->slots);
    o->slots = grown.slots;
    o->mask = grown.mask;
    o->key = grown.key;
    return 0;
}

/* A frame is over. */
static int end_frame(struct tk_bound_lane *lane)
{
    struct tk_bound_own *o = &lane->own;
    int rc = 0;
    for (size_t i = 0; i < o->met.n; i++) {
        struct tk_bound_own_slot *slot = &o->slots[o->met.v[i]];
        const uint64_t time = (uint64_t)slot->own;
        const struct tk_interval_sum sum = {
            .part = lane->frame, .timer = slot->timer - 1, .incl = time, .total = time, .excl = time};
        rc = rc ? rc : tk_packed_sums_append(&lane->done, &sum);
        lane->all = tk_wrap_add(lane->all, slot->own);
        *slot = (struct tk_bound_own_slot){0};
    }
    o->met.n = 0;
    if (rc == 0 && lane->works) {
        const uint64_t time = (uint64_t)lane->works;
        const struct tk_interval_sum sum = {
            .part = lane->frame, .timer = TK_BOUND_NO_TIMER, .incl = time, .total = time, .excl = time};
        rc = tk_packed_sums_append(&lane->done, &sum);
        lane->all = tk_wrap_add(lane->all, lane->works);
    }
    lane->works = 0;
    return rc;
}

/* A scope that lies in one frame, the latest or a later one: its own time is all of it that counts. */
static int take_own(const struct tk_bound_lanes *l, struct tk_bound_lane *lane, const struct tk_slices *s,
                    size_t i)
{
    struct tk_bound_own *o = &lane->own;
    if (s->frame[i] != lane->frame && end_frame(lane))
        return -1;
    lane->frame = s->frame[i];
    if (tk_work_never_waits(l->work, s->timer[i])) {
        lane->works = tk_wrap_add(lane->works, (int64_t)s->excl[i]);
        return 0;
    }
    if (o->met.n * 2 >= o->mask && grow_own(o))
        return -1;
    struct tk_bound_own_slot *slot = &o->slots[own_slot(o, s->timer[i])];
    if (!slot->timer && tk_vec_push(&o->met, (uint32_t)(slot - o->slots)))
        return -1;
    slot->timer = s->timer[i] + 1;
    slot->own = tk_wrap_add(slot->own, (int64_t)s->excl[i]);
    return 0;
}

/* The scope around it may be one over borders of frames. */
static int take_whole(const struct tk_bound_lanes *l, struct tk_bound_lane *lane, const struct tk_slices *s,
                      size_t i)
{
    struct tk_child_time child;
    if (take_own(l, lane, s, i))
        return -1;
    while (tk_child_times_take(&lane->children, s->depth[i], s->id[i], &child))
        ;
    if (!s->parent[i] || !s->depth[i] || !s->total[i])
        return 0;
    return tk_child_times_add(&lane->children, s->depth[i] - 1, s->parent[i], s->frame[i], s->total[i]);
}

int tk_bound_lanes_take(struct tk_bound_lanes *l, const struct tk_slices *s)
{
    struct tk_bound_lane *lane = l->v.v[s->lane];
    int rc = 0;
    if (lane->idle)
        return 0;
    for (size_t i = 0, part = 0; i < s->n && rc == 0; i++) {
        if (s->frame[i] < l->n_frames && s->frame[i] >= lane->frame && s->timer[i] < TK_LATE) {
            rc = take_whole(l, lane, s, i);
            continue;
        }
        if (s->frame[i] < l->n_frames)
            rc = tk_interval_sums_put(&lane->sums, &l->requested, &lane->children, s, i, s->frame[i],
                                      s->total[i]);
        for (; part < s->n_parts && s->parts[part].slice == i && rc == 0; part++)
            rc = take_part_bound(l, lane, s, &s->parts[part]);
        if (rc == 0)
            rc = tk_interval_sums_close(&lane->sums, &l->requested, &lane->children, s, i);
    }
    return rc;
}

/* ---- when all is read ---- */

static bool waits_in(struct tk_bound_lanes *l, const struct tk_timer *timer)
{
    return tk_timer_waits(timer->info.kind, tk_work_of(l->work, timer));
}

/* Does waiting in it hold the rate of frames down? */
static bool limits_rate(struct tk_bound_lanes *l, const struct tk_timer *timer)
{
    return timer->info.kind != TK_TIMER_GPU_WAIT && tk_work_of(l->work, timer) == TK_WORK_LIMITER;
}

static void add_share(struct tk_bound_lanes *l, struct tk_bound_share *to, const struct tk_timer *timer,
                      int64_t own)
{
    if (!waits_in(l, timer)) {
        to->busy = tk_wrap_add(to->busy, own);
        if (tk_work_of(l->work, timer) == TK_WORK_LOADING)
            to->loading = tk_wrap_add(to->loading, own);
        return;
    }
    to->waiting = tk_wrap_add(to->waiting, own);
    if (limits_rate(l, timer))
        to->limited = tk_wrap_add(to->limited, own);
    if (own > to->longest) {
        to->longest = own;
        to->timer = timer->info.id;
    }
}

static int add_shares(struct tk_bound_lanes *l, struct tk_bound_lane *lane, struct tk_packed_sums *runs)
{
    struct tk_interval_sum sum;
    tk_packed_sums_rewind(runs);
    for (size_t i = 0; i < runs->v.n; i++) {
        while (tk_packed_sum_next(&runs->v.v[i], UINT32_MAX, &sum)) {
            struct tk_bound_share *share = &lane->frames[sum.part];
            if (sum.timer == TK_BOUND_NO_TIMER) {
                share->busy = tk_wrap_add(share->busy, (int64_t)sum.excl);
                continue;
            }
            const struct tk_timer *timer = tk_dict_timer(l->view->dict, sum.timer);
            if (!timer)
                return -1;
            add_share(l, share, timer, (int64_t)sum.excl);
        }
    }
    return 0;
}

static uint64_t thread_key(uint32_t thread, uint8_t kind)
{
    return (uint64_t)thread << 8 | kind;
}

/* Takes from a thread what two of its lanes have at one time. */
static int take_off(struct tk_bound_lanes *l, const struct tk_bound_overlap *o)
{
    const uint32_t at = tk_map_get(&l->firsts, thread_key(o->thread, o->kind));
    const struct tk_bound_lane *first = at == TK_MAP_NONE ? NULL : l->v.v[at];
    if (!first || !first->frames)
        return 0;
    const struct tk_timer *timer = tk_dict_timer(l->view->dict, o->timer);
    struct tk_bound_share *share = &first->frames[o->frame];
    if (!timer)
        return -1;
    if (!waits_in(l, timer)) {
        share->busy = tk_wrap_sub(share->busy, o->cycles);
        return 0;
    }
    share->waiting = tk_wrap_sub(share->waiting, o->cycles);
    if (limits_rate(l, timer))
        share->limited = tk_wrap_sub(share->limited, o->cycles);
    if (share->timer == timer->info.id)
        share->longest = tk_wrap_sub(share->longest, o->cycles);
    return 0;
}

/* All lanes of a thread are one: the first has the time of all. */
static int join_lanes(struct tk_bound_lanes *l)
{
    for (uint32_t i = 0; i < l->v.n; i++) {
        struct tk_bound_lane *lane = l->v.v[i];
        const uint64_t key = lane ? thread_key(lane->thread, lane->kind) : 0;
        const uint32_t at = lane ? tk_map_get(&l->firsts, key) : i;
        if (!lane)
            continue;
        lane->first = at == TK_MAP_NONE ? lane : l->v.v[at];
        if (lane->first == lane && tk_map_put(&l->firsts, key, i))
            return -1;
        if (lane->first != lane) {
            lane->first->all = tk_wrap_add(lane->first->all, lane->all);
            lane->all = 0;
        }
    }
    for (size_t i = 0; i < l->overlaps.n; i++) {
        const struct tk_bound_overlap *o = &l->overlaps.v[i];
        const uint32_t at = tk_map_get(&l->firsts, thread_key(o->thread, o->kind));
        if (at != TK_MAP_NONE)
            l->v.v[at]->all = tk_wrap_sub(l->v.v[at]->all, o->cycles);
    }
    return 0;
}

static int fill_shares(struct tk_bound_lanes *l, struct tk_bound_lane *lane)
{
    lane->frames = calloc((size_t)l->n_frames + 1, sizeof *lane->frames);
    if (!lane->frames)
        return -1;
    for (uint32_t i = 0; i < l->n_frames; i++)
        lane->frames[i].timer = TK_BOUND_NO_TIMER;
    return 0;
}

static int sum_up(struct tk_bound_lane *lane)
{
    struct tk_interval_sum sum;
    if (end_frame(lane))
        return -1;
    if (lane->sums.v.n && tk_packed_sums_pack(&lane->runs, &lane->sums))
        return -1;
    tk_packed_sums_rewind(&lane->runs);
    for (size_t i = 0; i < lane->runs.v.n; i++)
        while (tk_packed_sum_next(&lane->runs.v.v[i], UINT32_MAX, &sum))
            lane->all = tk_wrap_add(lane->all, (int64_t)sum.excl);
    return 0;
}

/* Who is on no core does not work: what of the work exceeds the time on cores is waiting. */
static void take_off_core(struct tk_bound_lanes *l, const struct tk_bound_core *core)
{
    for (size_t i = 0; i < l->v.n; i++) {
        const struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || lane->kind != TK_LANE_THREAD || lane->thread != core->thread || !lane->frames)
            continue;
        for (uint32_t f = 0; f < l->n_frames; f++) {
            struct tk_bound_share *share = &lane->frames[f];
            const struct tk_range *r = &l->view->frames->v[f];
            if (r->from < l->cores_from || r->to > l->cores_to)
                continue; /* who ran then was not recorded */
            const int64_t off = tk_wrap_sub(share->busy, (int64_t)core->on[f]);
            if (off <= 0)
                continue;
            share->busy = tk_wrap_sub(share->busy, off);
            share->waiting = tk_wrap_add(share->waiting, off);
            share->off = off;
        }
    }
}

int tk_bound_lanes_settle(struct tk_bound_lanes *l)
{
    int rc = 0;
    for (size_t i = 0; i < l->v.n && rc == 0; i++)
        rc = l->v.v[i] ? sum_up(l->v.v[i]) : 0;
    if (rc == 0)
        rc = join_lanes(l);
    if (rc == 0)
        tk_bound_roles_give(l);
    for (size_t i = 0; i < l->v.n && rc == 0; i++)
        if (l->v.v[i] && l->v.v[i]->has_role)
            rc = fill_shares(l, l->v.v[i]);
    for (size_t i = 0; i < l->v.n && rc == 0; i++)
        if (l->v.v[i] && l->v.v[i]->first->frames)
            rc = add_shares(l, l->v.v[i]->first, &l->v.v[i]->done) ||
                         add_shares(l, l->v.v[i]->first, &l->v.v[i]->runs)
                     ? -1
                     : 0;
    for (size_t i = 0; i < l->overlaps.n && rc == 0; i++)
        rc = take_off(l, &l->overlaps.v[i]);
    for (size_t i = 0; i < l->cores.n && rc == 0; i++)
        if (l->cores.v[i].any)
            take_off_core(l, &l->cores.v[i]);
    return rc;
}

const struct tk_bound_lane *tk_bound_lanes_at(const struct tk_bound_lanes *l, enum tk_bound_role role,
                                              uint32_t frame)
{
    const struct tk_bound_lane *found = NULL;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct tk_bound_lane *lane = l->v.v[i];
        if (!lane || !lane->has_role || lane->role != role)
            continue;
        if (!found || lane->frames[frame].busy > found->frames[frame].busy)
            found = lane;
    }
    return found;
}
