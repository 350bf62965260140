/*
 * Table `hitches`: game frames that took too long, and which timers made them so.
 *
 * Game frames are read beforehand: which are too long, and which are typical near each of them. Then each
 * timer of the thread that runs the frames has its own time in a hitch held against that in a typical frame;
 * what grew most comes first. So have the time outside every scope, and that on no core.
 * Scopes of a thread that overlap lie on several lanes: their timers are joined, and time is once.
 *
 * Other threads and the GPU are reasons only where the first reason waits: what it waited for, by recorded
 * tasks and locks, else what grew most meanwhile.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"
#include "model/marks/frame_list.h"
#include "model/threads/switch_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void close_hitches(void *self)
{
    struct tk_hitches *h = self;
    for (size_t i = 0; i < h->lanes.n; i++) {
        if (h->lanes.v[i]) {
            tk_child_times_release(&h->lanes.v[i]->children);
            tk_child_times_release(&h->lanes.v[i]->off_children);
            tk_interval_sums_release(&h->lanes.v[i]->sums);
            tk_interval_sums_release(&h->lanes.v[i]->off);
            tk_longest_calls_release(&h->lanes.v[i]->calls);
        }
        free(h->lanes.v[i]);
    }
    tk_vec_release(&h->lanes);
    tk_map_release(&h->firsts);
    tk_vec_release(&h->overlaps);
    tk_vec_release(&h->reasons);
    tk_vec_release(&h->sums);
    tk_vec_release(&h->gpu_frames);
    tk_loading_frames_release(&h->loading);
    tk_frame_classes_release(&h->marks);
    tk_work_rules_release(&h->work);
    tk_core_times_release(&h->running);
    tk_wait_causes_release(&h->causes);
    free(h);
}

static int open_hitches(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct tk_hitches *h = calloc(1, sizeof *h);
    (void)builder;
    (void)wanted;
    if (!h)
        return tk_err_nomem(err, "hitches");
    *self = h;
    h->view = view;
    h->frame_thread = TK_NO_THREAD;
    h->requested.patterns = &h->no_patterns;
    h->gpu_space = tk_query_context_row_limit(view, "hitches");
    tk_loading_frames_init(&h->loading, view, &h->work);
    if (tk_frame_classes_of_query(&h->marks, view) ||
        (view->switches && tk_core_times_build(&h->running, view->switches, view->select)))
        return tk_err_nomem(err, "hitches");
    h->cores_from = view->switches ? view->switches->from : 0;
    h->cores_to = view->switches ? view->switches->to : 0;
    return tk_work_rules_read(&h->work, view, err);
}

/* ---- reading ---- */

static int reach_hitches(struct tk_hitches *h, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&h->lanes, (size_t)run->lane + 1))
        return -1;
    if (!h->lanes.v[run->lane]) {
        h->lanes.v[run->lane] = calloc(1, sizeof(struct tk_hitch_lane));
        if (!h->lanes.v[run->lane])
            return -1;
        h->lanes.v[run->lane]->thread = run->thread;
        h->lanes.v[run->lane]->kind = run->kind;
        h->lanes.v[run->lane]->next = UINT32_MAX;
        h->lanes.v[run->lane]->running =
            run->kind == TK_LANE_THREAD && tk_core_times_knows(&h->running, run->thread);
    }
    return 0;
}

/* What of a stretch in a frame a thread was on no core; 0 where that is not known. */
static int64_t off_core_in(const struct tk_hitches *h, const struct tk_fact *overlap, int64_t from,
                           int64_t to)
{
    if (overlap->u.overlap.kind != TK_LANE_THREAD || to <= from ||
        !tk_core_times_knows(&h->running, overlap->thread))
        return 0;
    const int64_t off = tk_wrap_sub(tk_wrap_sub(to, from),
                                    (int64_t)tk_core_times_between(&h->running, overlap->thread, from, to));
    return off > 0 ? off : 0;
}

/* Notes an overlap by the frames that are looked at and that it lies in. */
static int take_hitch_overlap(struct tk_hitches *h, const struct tk_fact *fact)
{
    const struct tk_frame_classes *m = &h->marks;
    const struct tk_fact_overlap *o = &fact->u.overlap;
    size_t at;
    TK_SEARCH(at, m->marked.n, m->frames->v[m->marked.v[at]].to <= fact->time);
    for (; at < m->marked.n && m->frames->v[m->marked.v[at]].from < o->end; at++) {
        const struct tk_range *r = &m->frames->v[m->marked.v[at]];
        const int64_t from = fact->time > r->from ? fact->time : r->from,
                      to = o->end < r->to ? o->end : r->to;
        const struct tk_hitch_overlap part = {
            fact->thread,
            o->timer,
            m->mark[m->marked.v[at]],
            o->kind,
            tk_wrap_sub(tk_select_before(h->view->select, to), tk_select_before(h->view->select, from)),
            off_core_in(h, fact, from, to)};
        if (part.cycles && tk_vec_push(&h->overlaps, part))
            return -1;
    }
    return 0;
}

static int take_gpu_frame(struct tk_hitches *h, const struct tk_fact *fact)
{
    const struct tk_fact_gpu *gpu = &fact->u.gpu;
    if (fact->kind != TK_FACT_GPU || gpu->what != TK_GPU_FRAME ||
        !tk_row_limit_for(&h->gpu_space, h->gpu_frames.n))
        return 0;
    const struct tk_gpu_frame_end end = {gpu->queue, fact->time};
    return tk_vec_push(&h->gpu_frames, end);
}

static int feed_hitches(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_hitches *h = self;
    int rc = tk_work_learn(&h->work, h->view->dict) || tk_loading_frames_feed(&h->loading, batch) ? -1 : 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = reach_hitches(h, &batch->runs[i]);
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        rc = fact->kind == TK_FACT_OVERLAP ? take_hitch_overlap(h, fact)
                                           : tk_wait_causes_feed(&h->causes, &h->marks, fact);
        if (rc == 0)
            rc = take_gpu_frame(h, fact);
    }
    return rc ? tk_err_nomem(err, "hitches") : TK_OK;
}

/* First marked frame that is not before `frame`. */
static size_t marked_from(const struct tk_frame_classes *m, uint32_t frame)
{
    size_t at;
    TK_SEARCH(at, m->marked.n, m->marked.v[at] < frame);
    return at;
}

/* Adds what of slice i lies in a frame that is marked. */
static int put_hitches(struct tk_hitches *h, struct tk_hitch_lane *l, const struct tk_slices *s, size_t i,
                       uint32_t frame, uint64_t total)
{
    const struct tk_range *f = &h->marks.frames->v[frame];
    const uint32_t mark = h->marks.mark[frame];
    int64_t begin = s->begin[i] > f->from ? s->begin[i] : f->from,
            end = s->end[i] < f->to ? s->end[i] : f->to;
    const bool hitch = mark < TK_FRAME_CLASS_TYPICAL;
    if (hitch && (l->running || l->kind != TK_LANE_THREAD) &&
        tk_longest_calls_put(&l->calls, mark, s->key[i], begin, end))
        return -1;
    if (l->running && end > begin && tk_hitch_knows_cores(h, frame)) {
        const uint64_t length = (uint64_t)end - (uint64_t)begin,
                       ran = tk_core_times_between(&h->running, l->thread, begin, end);
        if (tk_interval_sums_put(&l->off, &h->requested, &l->off_children, s, i, mark,
                                 ran < length ? length - ran : 0))
            return -1;
    }
    return tk_interval_sums_put(&l->sums, &h->requested, &l->children, s, i, mark, total);
}

/* One part of a slice: a frame, or several in full. */
static int take_part_hitches(struct tk_hitches *h, struct tk_hitch_lane *l, const struct tk_slices *s,
                             const struct tk_slice_part *p)
{
    const struct tk_frame_classes *m = &h->marks;
    const struct tk_select *select = h->view->select;
    int rc = 0;
    for (size_t k = marked_from(m, p->frame); k < m->marked.n && rc == 0; k++) {
        uint32_t frame = m->marked.v[k];
        const struct tk_range *r = &m->frames->v[frame];
        if (frame - p->frame >= p->n)
            break;
        uint64_t whole =
            (uint64_t)tk_select_before(select, r->to) - (uint64_t)tk_select_before(select, r->from);
        rc = put_hitches(h, l, s, p->slice, frame, p->n == 1 ? p->total : whole);
    }
    return rc;
}

static int take_hitches(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tk_hitches *h = self;
    struct tk_hitch_lane *l = h->lanes.v[s->lane];
    const struct tk_frame_classes *m = &h->marks;
    int rc = 0;
    (void)worker;
    for (size_t i = 0, part = 0; i < s->n && rc == 0; i++) {
        if (s->frame[i] < m->n && m->mark[s->frame[i]])
            rc = put_hitches(h, l, s, i, s->frame[i], s->total[i]);
        for (; part < s->n_parts && s->parts[part].slice == i && rc == 0; part++)
            rc = take_part_hitches(h, l, s, &s->parts[part]);
        if (rc == 0)
            rc = tk_interval_sums_close(&l->sums, &h->requested, &l->children, s, i);
        if (rc == 0 && l->running)
            rc = tk_interval_sums_close(&l->off, &h->requested, &l->off_children, s, i);
    }
    if (rc == 0)
        rc = tk_loading_frames_take(&h->loading, s);
    return rc ? TK_ENOMEM : TK_OK;
}

/* "no game frame is late against the frames around it; the longest is 16.66 ms (frame 12)"; "8 in the
 * start-up are not listed". */
static void explain_none(struct tk_hitches *h, struct tk_emit *emit)
{
    const struct tk_frame_classes *m = &h->marks;
    char means[96], left[64] = "";
    if (m->longest == m->n || !h->view->dict->clock.frequency || m->hitches.n)
        return;
    if (m->judged.alone) {
        tk_emit_none(emit, TK_FRAME_IS_ALONE);
        return;
    }
    tk_hitch_rule_means(&m->rule, m->judged.median, means);
    if (m->startup_hitches)
        snprintf(left, sizeof left, " but %" PRIu64 " of the start-up, which %s not listed",
                 m->startup_hitches, m->startup_hitches == 1 ? "is" : "are");
    snprintf(h->none, sizeof h->none, "no game frame is %s%s; the longest is %.4g ms (frame %" PRIu32 ")",
             means, left, m->ms[m->place[m->longest]], m->longest);
    tk_emit_none(emit, h->none);
}

static int check_hitches(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_hitches *h = self;
    if (!h->view->frames->n)
        return tk_frames_missing(h->view->ctx, err);
    explain_none(h, emit);
    return TK_OK;
}

static int finish_hitches(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_hitches *h = self;
    h->frame_thread = h->loading.frame_thread;
    if (tk_hitches_collect(h) || tk_loading_frames_mark(&h->loading, h->marks.place, h->marks.n, h->marks.ms,
                                                        h->marks.judged.n, h->marks.judged.is))
        return tk_err_nomem(err, "hitches");
    const uint64_t top = h->view->query->top_hitches;
    if (h->marks.left_out && (!top || top > h->marks.hitches.n))
        tk_health_limit(&h->view->ctx->health, TK_LIMIT_hitches, TK_NO_OFFSET, h->marks.left_out,
                        "%" PRIu64 " hitches are not explained", h->marks.left_out);
    return tk_hitches_send(h, emit, err);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_hitches};

const struct tk_builder tk_builder_hitches = {
    .table = &tk_hitch_table,
    .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(OVERLAP) | TK_FACT_MASK(FRAME) |
                       TK_FACT_MASK(GPU) | TK_WAIT_CAUSE_FACTS,
              .slices = TK_INTERVAL_SLICES | TK_LOADING_SLICES | TK_SLICE_FRAME | TK_SLICE_BEGIN,
              .lanes = TK_NEEDS_QUEUES,
              .all_time = true,
              .waits = true,
              .lists = {.switches = true, .regions = true, .frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_hitches,
    .feed = feed_hitches,
    .check = check_hitches,
    .finish = finish_hitches,
    .close = close_hitches,
};
