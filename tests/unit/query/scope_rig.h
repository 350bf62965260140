/*
 * Random ops of all kinds, in runs and batches of random size, through the scope model and through the slow
 * way (scope_truth.h), and the comparison of both. First include of a test.
 */
#ifndef TK_TESTS_UNIT_MODEL_SCOPE_RIG_H
#define TK_TESTS_UNIT_MODEL_SCOPE_RIG_H

#include "model/scopes/scope_lane.h"
#include "run.h"
#include "scope_truth.h"

#include <stdio.h>
#include <string.h>

#define LANES  3
#define OPS    6000
#define ENOUGH 100000

struct seen {
    struct truth_scope scopes[ENOUGH];
    uint32_t frame[ENOUGH];
    size_t first_part[ENOUGH + 1];
    size_t n;
    struct tk_slice_part parts[ENOUGH];
    size_t n_parts;
    uint32_t thread;
    bool ended;
};

struct test {
    unsigned columns;
    struct truth_rules rules;
    struct tk_frames frames;
    struct tk_select select;
    struct truth_lane truth[LANES];
    struct seen seen[LANES];
    uint64_t notes;
};

static struct test t;

/* ---- what the model says ---- */

static void take_parts(struct seen *s, const struct tk_slices *slices)
{
    must(s->n_parts + slices->n_parts <= ENOUGH);
    for (size_t i = 0; i < slices->n_parts; i++)
        s->parts[s->n_parts++] = slices->parts[i];
}

static int take(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct test *test = ctx;
    struct seen *s = &test->seen[slices->lane];
    (void)worker;
    s->thread = slices->thread;
    take_parts(s, slices);
    for (size_t i = 0; i < slices->n; i++) {
        struct truth_scope *c = &s->scopes[s->n];
        c->timer = slices->timer[i];
        c->total = slices->total[i];
        c->excl = slices->excl[i];
        c->outer = slices->outer ? slices->outer[i] : 0;
        c->begin = slices->begin ? slices->begin[i] : 0;
        c->end = slices->end ? slices->end[i] : 0;
        c->id = slices->id ? slices->id[i] : 0;
        c->parent = slices->parent ? slices->parent[i] : 0;
        c->depth = slices->depth ? slices->depth[i] : 0;
        s->frame[s->n++] = slices->frame ? slices->frame[i] : TK_FRAME_NONE;
    }
    return 0;
}

/* ---- comparison ---- */

static void same_scope(const struct truth_scope *is, const struct truth_scope *ought)
{
    must(is->timer == ought->timer);
    must(is->total == ought->total);
    must(is->excl == ought->excl);
    if (t.columns & TK_SLICE_OUTER)
        must(is->outer == ought->outer);
    if (t.columns & TK_SLICE_BEGIN) {
        must(is->begin == ought->begin);
        must(is->end == ought->end);
    }
    if (t.columns & TK_SLICE_PLACE) {
        must(is->id == ought->id);
        must(is->parent == ought->parent);
        must(is->depth == ought->depth);
    }
}

/* Does the scope lie inside frame f from end to end? */
static bool inside(const struct truth_scope *c, const struct tk_range *f)
{
    return c->begin >= f->from && c->begin < f->to && c->end < f->to;
}

static uint64_t in_frame(const struct truth_scope *c, const struct tk_range *f)
{
    int64_t from = c->begin > f->from ? c->begin : f->from, to = c->end < f->to ? c->end : f->to;
    return from < to ? truth_selected(&t.rules, from, to) : 0;
}

/* The parts of a scope: as many as make up what of it lies in frames; none is empty. */
static void take_part_sums(const struct seen *s, const struct truth_scope *ought, size_t *part,
                           uint64_t *sums)
{
    uint64_t left = 0;
    for (size_t f = 0; f < t.frames.n; f++)
        left += in_frame(ought, &t.frames.v[f]);
    for (; left; ++*part) {
        const struct tk_slice_part *p = &s->parts[*part];
        must(*part < s->n_parts);
        must(p->timer == ought->timer);
        must(p->outer == ought->outer);
        must(p->total > 0);
        uint64_t all = 0;
        for (uint32_t k = 0; k < p->n; k++) {
            const struct tk_range *f = &t.frames.v[p->frame + k];
            uint64_t sum = p->n == 1 ? p->total : truth_selected(&t.rules, f->from, f->to);
            sums[p->frame + k] += sum;
            all += sum;
        }
        must(all == p->total);
        must(all <= left);
        left -= all;
    }
}

/* What the slices say about the frames of a scope must add up to what lies in each frame. */
static void same_frames(const struct seen *s, size_t i, const struct truth_scope *ought, size_t *part)
{
    uint64_t sums[TRUTH_FRAMES_MAX] = {0};
    if (s->frame[i] < t.frames.n) {
        must(inside(ought, &t.frames.v[s->frame[i]]));
        sums[s->frame[i]] = s->scopes[i].total;
    } else if (s->frame[i] == TK_FRAME_PARTS) {
        take_part_sums(s, ought, part, sums);
    }
    for (size_t f = 0; f < t.frames.n; f++)
        must(sums[f] == in_frame(ought, &t.frames.v[f]));
}

static void same_lane(const struct seen *s, const struct truth_lane *lane)
{
    size_t part = 0;
    must(s->n == lane->n_closed);
    for (size_t i = 0; i < s->n; i++) {
        same_scope(&s->scopes[i], &lane->closed[i]);
        if (t.columns & TK_SLICE_FRAME)
            same_frames(s, i, &lane->closed[i], &part);
    }
    must(part == s->n_parts);
}

static int same_end(void *ctx, const struct tk_lane_end *end, struct tk_err *err)
{
    const struct truth_lane *lane = &t.truth[end->lane];
    size_t n = 0;
    (void)ctx, (void)err;
    t.seen[end->lane].ended = true;
    must(end->thread == 100 + end->lane);
    must(end->scopes == lane->n_closed);
    must(end->unmatched == lane->unmatched);
    must(end->raised == lane->raised);
    must(end->too_deep == lane->too_deep);
    must(end->max_depth == lane->max_depth);
    must(end->first == lane->first);
    must(end->last == lane->last);
    must((uint64_t)end->covered == lane->covered);
    must(end->n_lost == lane->n_lost);
    for (size_t i = 0; i < lane->n_lost; i++)
        must(end->lost[i].timer == lane->lost[i].timer);
    for (size_t i = 0; i < lane->n_open; i++) {
        if (lane->open[i].deep)
            continue;
        must(end->open[n].timer == lane->open[i].timer);
        must(end->open[n++].begin == lane->open[i].begin);
    }
    must(end->n_open == n);
    return TK_OK;
}

/* ---- a random case ---- */

static struct truth_random rnd = {7};

static void draw_ranges(struct tk_range *v, size_t n, int64_t span)
{
    int64_t at = -20;
    for (size_t i = 0; i < n; i++) {
        v[i].from = at + (truth_below(&rnd, 3) ? (int64_t)truth_below(&rnd, (uint32_t)span) : 0);
        v[i].to = v[i].from + (int64_t)truth_below(&rnd, (uint32_t)span);
        at = v[i].to;
    }
}

static void draw_selection(struct tk_range *ranges, int64_t span)
{
    t.rules.all_time = truth_below(&rnd, 2);
    t.select = (struct tk_select){.all_time = true};
    if (t.rules.all_time)
        return;
    t.rules.n_ranges = 1 + truth_below(&rnd, 6);
    draw_ranges(ranges, t.rules.n_ranges, span);
    ranges[0].from--; /* not all empty */
    t.rules.ranges = ranges;
    must(tk_select_narrow(&t.select, ranges, t.rules.n_ranges, "x", NULL) == TK_OK);
}

static struct truth_style draw_style(void)
{
    return (struct truth_style){
        .two_writers = truth_below(&rnd, 2),
        .backwards = truth_below(&rnd, 2),
        .cuts = truth_below(&rnd, 3) == 0,
        .late = truth_below(&rnd, 3) == 0,
        .timers = truth_below(&rnd, 2) ? 5 : 3000,
        .depth = truth_below(&rnd, 4) ? 8 : 400,
        .step = truth_below(&rnd, 2) ? 6 : 200,
    };
}

static size_t draw_ops(struct truth_lane *lane, const struct truth_style *style, int64_t *time, uint32_t *op)
{
    size_t n = truth_below(&rnd, 8) ? truth_below(&rnd, 200) : truth_below(&rnd, OPS);
    for (size_t i = 0; i < n; i++) {
        time[i] = truth_draw_time(&rnd, style, lane->seen ? lane->last : -50);
        op[i] = truth_draw_op(&rnd, style, lane->n_open);
        truth_op(&t.rules, lane, time[i], op[i]);
    }
    return n;
}

static void feed_batch(struct tk_scope_model *model, const struct truth_style *style)
{
    static int64_t time[8][OPS];
    static uint32_t op[8][OPS];
    struct tk_scope_run runs[8];
    struct tk_batch batch = {.runs = runs, .n_runs = truth_below(&rnd, 8)};
    for (size_t i = 0; i < batch.n_runs; i++) {
        uint32_t lane = truth_below(&rnd, LANES);
        size_t n = draw_ops(&t.truth[lane], style, time[i], op[i]);
        runs[i] =
            (struct tk_scope_run){.thread = 100 + lane, .lane = lane, .n = n, .time = time[i], .op = op[i]};
    }
    must(tk_scope_model_feed(model, &batch, NULL) == TK_OK);
}

static void check_all(struct tk_scope_model *model)
{
    struct tk_health health = {.max_items = 100};
    int64_t first = 0, last = 0, least = INT64_MAX, most = INT64_MIN;
    must(tk_scope_model_finish(model, &health, same_end, NULL, NULL) == TK_OK);
    uint64_t raised = 0, unmatched = 0;
    bool any = false;
    for (size_t i = 0; i < LANES; i++) {
        const struct truth_lane *lane = &t.truth[i];
        same_lane(&t.seen[i], lane);
        must(t.seen[i].ended == lane->seen);
        raised += lane->raised;
        unmatched += lane->unmatched;
        any |= lane->seen;
        least = lane->seen && lane->first < least ? lane->first : least;
        most = lane->seen && lane->last > most ? lane->last : most;
    }
    must(health.counts[TK_HEALTH_TIME_BACKWARDS] == raised);
    must(health.counts[TK_HEALTH_SCOPE_END_UNMATCHED] == unmatched);
    must(tk_scope_model_span(model, &first, &last) == any);
    if (any) {
        must(first == least);
        must(last == most);
    }
    tk_health_release(&health);
}

static void random_case(unsigned jobs)
{
    static const size_t limits[] = {1024, 1024, 6, 1, 0};
    struct tk_range frames[TRUTH_FRAMES_MAX], ranges[8];
    struct truth_style style = draw_style();
    int64_t span = truth_below(&rnd, 2) ? 40 : 3000;
    struct tk_limits limit = tk_limits_default();
    struct tk_scope_model *model;

    memset(t.truth, 0, sizeof t.truth);
    for (size_t i = 0; i < LANES; i++)
        t.seen[i].n = t.seen[i].n_parts = t.seen[i].ended = 0;
    t.rules = (struct truth_rules){.limit = limits[truth_below(&rnd, 5)]};
    limit.open_scopes = t.rules.limit;
    draw_selection(ranges, span);
    t.frames = (struct tk_frames){frames, truth_below(&rnd, TRUTH_FRAMES_MAX)};
    draw_ranges(frames, t.frames.n, span);
    if (t.frames.n && truth_below(&rnd, 2))
        frames[t.frames.n - 1].to = INT64_MAX;
    t.columns = truth_below(&rnd, 16);

    struct tk_pool *pool = tk_pool_open(jobs);
    struct tk_scope_setup setup = {.limits = &limit,
                                   .select = &t.select,
                                   .frames = &t.frames,
                                   .pool = pool,
                                   .columns = t.columns,
                                   .take = take,
                                   .ctx = &t};
    ck_assert_ptr_nonnull(pool);
    must(tk_scope_model_open(&model, &setup, NULL) == TK_OK);
    for (unsigned i = truth_below(&rnd, 12); i > 0; i--)
        feed_batch(model, &style);
    check_all(model);
    tk_scope_model_close(model);
    tk_pool_close(pool);
    tk_select_release(&t.select);
    for (size_t i = 0; i < LANES; i++)
        truth_release(&t.truth[i]);
}

#endif
