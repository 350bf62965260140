/*
 * Table `per_frame`: what timers spent in each game frame. A row for each game frame that has an end and each
 * timer that is requested and was called at all, also where it was not called in the frame, so that the rows
 * of a timer are a series.
 *
 * There are many sums: when workers have some thousands, they are packed. Rows are sent a stretch of frames
 * at a time, for which the sums of all timers are unpacked.
 */
#include "base/health/health.h"
#include "model/marks/frame_list.h"
#include "model/sums/timer_sums.h"
#include "query/context_cells.h"
#include "query/select.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME, START, DURATION, TIMER, COUNT, INCL, TOTAL, EXCL, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "calls that overlap the frame, on all threads and GPU queues"},
    [INCL] = {"incl", TK_DURATION, 0, NULL,
              "inclusive time in the frame; recursive calls are not counted twice"},
    [TOTAL] = {"total", TK_DURATION, TK_COL_EXTRA, NULL, "sum of the durations of all calls in the frame"},
    [EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time in the frame"},
};

static const struct tk_table table = {
    .name = "per_frame",
    .help = "times of timers in each game frame",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

struct per_frame {
    const struct tk_query_context *view;
    struct tk_patterns patterns;
    struct tk_requested_timers requested;
    struct tk_interval_sums *workers; /* owned */
    unsigned n_workers;
    uint32_t n_frames; /* that have an end */
    struct tk_packed_sums runs;
    TK_VEC(struct tk_child_times) children; /* by lane */
    TK_VEC(uint32_t) timers;                /* that were called, in order */
    TK_VEC(uint32_t) places;                /* by timer: its place in them, or one of those below */
    struct tk_interval_sum *sums; /* owned; of a stretch of frames: those of its first frame first */
};

#define NOT_SEEN      UINT32_MAX
#define NOT_REQUESTED (UINT32_MAX - 1)
#define CALLED        (UINT32_MAX - 2) /* while the list is being made */

#define PACKED_SUMS  16384u /* of a worker: as many are packed */
#define STRETCH_SUMS 65536u /* are unpacked at a time, or one for each timer */

static void close_per_frame(void *self)
{
    struct per_frame *p = self;
    for (unsigned i = 0; p->workers && i < p->n_workers; i++)
        tk_interval_sums_release(&p->workers[i]);
    free(p->workers);
    tk_packed_sums_release(&p->runs);
    tk_vec_release(&p->places);
    free(p->sums);
    for (size_t i = 0; i < p->children.n; i++)
        tk_child_times_release(&p->children.v[i]);
    tk_vec_release(&p->children);
    tk_requested_timers_release(&p->requested);
    tk_patterns_release(&p->patterns);
    tk_vec_release(&p->timers);
    free(p);
}

static int open_per_frame(const struct tk_query_context *view, const struct tk_builder *builder,
                          uint64_t wanted, void **self, struct tk_err *err)
{
    struct per_frame *p = calloc(1, sizeof *p);
    size_t n = view->frames->n;
    (void)builder;
    (void)wanted;
    if (!p)
        return tk_err_nomem(err, "sums by frame");
    *self = p;
    p->view = view;
    p->requested.patterns = &p->patterns;
    p->n_workers = tk_pool_jobs(view->ctx->pool);
    p->workers = calloc(p->n_workers, sizeof *p->workers);
    if (!p->workers)
        return tk_err_nomem(err, "sums by frame");
    n -= n && view->frames->v[n - 1].to == INT64_MAX;
    p->n_frames = n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1;
    if (!view->query->n_per_frame)
        return tk_err_set(err, TK_EUSAGE, "table 'per_frame' needs names of timers");
    return tk_patterns_init(&p->patterns, view->query->per_frame, view->query->n_per_frame, err);
}

/* ---- reading ---- */

/* Packs the sums of workers that have at least so many. 0, or -1 without memory. */
static int pack(struct per_frame *p, size_t least)
{
    int rc = 0;
    for (unsigned i = 0; i < p->n_workers && rc == 0; i++)
        if (p->workers[i].v.n >= least)
            rc = tk_packed_sums_pack(&p->runs, &p->workers[i]);
    return rc;
}

static int feed_per_frame(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct per_frame *p = self;
    (void)emit;
    if (pack(p, PACKED_SUMS))
        return tk_err_nomem(err, "sums by frame");
    for (size_t i = 0; i < batch->n_runs; i++) {
        size_t want = (size_t)batch->runs[i].lane + 1;
        if (tk_vec_reach(&p->children, want))
            return tk_err_nomem(err, "sums by frame");
    }
    return tk_requested_timers_learn(&p->requested, p->view->dict) ? tk_err_nomem(err, "sums by frame")
                                                                   : TK_OK;
}

/* One part of a slice: a frame, or several in full. */
static int take_part_per_frame(struct per_frame *p, struct tk_interval_sums *sums, const struct tk_slices *s,
                               const struct tk_slice_part *part)
{
    const struct tk_select *select = p->view->select;
    struct tk_child_times *children = &p->children.v[s->lane];
    uint32_t end = part->frame + part->n < p->n_frames ? part->frame + part->n : p->n_frames;
    for (uint32_t i = part->frame; i < end; i++) {
        const struct tk_range *r = &p->view->frames->v[i];
        uint64_t whole =
            (uint64_t)tk_select_before(select, r->to) - (uint64_t)tk_select_before(select, r->from);
        if (tk_interval_sums_put(sums, &p->requested, children, s, part->slice, i,
                                 part->n == 1 ? part->total : whole))
            return -1;
    }
    return 0;
}

static int take_per_frame(void *self, const struct tk_slices *s, unsigned worker)
{
    struct per_frame *p = self;
    struct tk_interval_sums *sums = &p->workers[worker];
    struct tk_child_times *children = &p->children.v[s->lane];
    int rc = 0;
    for (size_t i = 0, part = 0; i < s->n && rc == 0; i++) {
        if (s->frame[i] < p->n_frames)
            rc = tk_interval_sums_put(sums, &p->requested, children, s, i, s->frame[i], s->total[i]);
        for (; part < s->n_parts && s->parts[part].slice == i && rc == 0; part++)
            rc = take_part_per_frame(p, sums, s, &s->parts[part]);
        if (rc == 0)
            rc = tk_interval_sums_close(sums, &p->requested, children, s, i);
    }
    return rc ? TK_ENOMEM : TK_OK;
}

/* ---- rows ---- */

/* Where it is kept what a timer is: a late one is known by now. NULL without memory. */
static uint32_t *place_of_per_frame(struct per_frame *p, uint32_t id)
{
    const struct tk_timer *timer = tk_dict_timer(p->view->dict, id);
    const uint32_t key = tk_dict_summed(p->view->dict, id, p->view->query->by & TK_BY_SOURCE);
    if (!timer || key == TK_MAP_NONE || tk_vec_reserve(&p->places, (size_t)key + 1))
        return NULL;
    while (p->places.n <= key)
        p->places.v[p->places.n++] = NOT_SEEN;
    uint32_t *place = &p->places.v[key];
    if (*place == NOT_SEEN && !tk_patterns_pass(&p->patterns, timer->displayed))
        *place = NOT_REQUESTED;
    return place;
}

/* The timers that were called, in the order of their ids. 0, or -1 without memory. */
static int list_timers(struct per_frame *p)
{
    struct tk_interval_sum sum;
    tk_packed_sums_rewind(&p->runs);
    for (size_t i = 0; i < p->runs.v.n; i++) {
        while (tk_packed_sum_next(&p->runs.v.v[i], UINT32_MAX, &sum)) {
            uint32_t *place = place_of_per_frame(p, sum.timer);
            if (!place)
                return -1;
            if (*place != NOT_REQUESTED && sum.count)
                *place = CALLED;
        }
    }
    for (uint32_t i = 0; i < p->places.n; i++) {
        if (p->places.v[i] != CALLED)
            continue;
        p->places.v[i] = (uint32_t)p->timers.n;
        if (tk_vec_push(&p->timers, i))
            return -1;
    }
    return 0;
}

static int check_per_frame(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct per_frame *p = self;
    uint64_t limit = p->view->ctx->limits.rows;
    if (!p->view->frames->n)
        return tk_frames_missing(p->view->ctx, err);
    int rc = tk_pattern_check_timers(&p->patterns, p->view->dict, TK_SCOPE_FACTS, err);
    if (rc == TK_OK && (pack(p, 1) || list_timers(p)))
        rc = tk_err_nomem(err, "sums by frame");
    if (rc == TK_OK && p->timers.n && p->n_frames > limit / p->timers.n)
        rc = tk_err_limit(err, TK_LIMIT_rows, "%zu timers in %u frames are more than %llu rows", p->timers.n,
                          (unsigned)p->n_frames, (unsigned long long)limit);
    return rc;
}

static void fill_per_frame(const struct per_frame *p, uint32_t frame, uint32_t timer,
                           const struct tk_interval_sum *sum, struct tk_cell *row)
{
    const struct tk_query_context *view = p->view;
    const struct tk_range *r = &view->frames->v[frame];
    row[FRAME] = tk_cell_of_uint(frame);
    row[START] = tk_query_context_time(view, r->from);
    row[DURATION] = tk_query_context_between(view, r->from, r->to);
    row[TIMER] = tk_cell_of_text(view->dict->timers.v[timer].displayed);
    row[COUNT] = tk_cell_of_uint(sum->count);
    row[INCL] = tk_query_context_span(view, (int64_t)sum->incl);
    row[TOTAL] = tk_query_context_span(view, (int64_t)sum->total);
    row[EXCL] = tk_query_context_span(view, (int64_t)sum->excl);
}

/* Unpacks the sums of frames `first` to end - 1. 0, or -1 without memory. */
static int unpack(struct per_frame *p, uint32_t first, uint32_t end)
{
    size_t timers = p->timers.n;
    struct tk_interval_sum piece;
    memset(p->sums, 0, (end - first) * timers * sizeof *p->sums);
    for (size_t i = 0; i < p->runs.v.n; i++) {
        while (tk_packed_sum_next(&p->runs.v.v[i], end, &piece)) {
            const uint32_t *place = place_of_per_frame(p, piece.timer);
            if (!place)
                return -1;
            if (*place < timers)
                tk_interval_sum_add(&p->sums[(piece.part - first) * timers + *place], &piece);
        }
    }
    return 0;
}

static int send_stretch(const struct per_frame *p, uint32_t first, uint32_t end, struct tk_emit *emit)
{
    const struct tk_interval_sum *sum = p->sums;
    for (uint32_t i = first; i < end; i++) {
        const struct tk_range *r = &p->view->frames->v[i];
        bool displayed = tk_select_touches(p->view->select, r->from, r->to);
        for (size_t k = 0; k < p->timers.n; k++, sum++) {
            struct tk_cell *row = displayed ? tk_emit_row(emit) : NULL;
            if (displayed && !row)
                return tk_emit_status(emit);
            if (displayed)
                fill_per_frame(p, i, p->timers.v[k], sum, row);
        }
    }
    return TK_OK;
}

static int finish_per_frame(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct per_frame *p = self;
    uint32_t timers = (uint32_t)p->timers.n,
             step = timers && timers < STRETCH_SUMS ? STRETCH_SUMS / timers : 1;
    int rc = TK_OK;
    p->sums = timers ? calloc((size_t)step * timers, sizeof *p->sums) : NULL;
    if (timers && !p->sums)
        return tk_err_nomem(err, "sums by frame");
    tk_packed_sums_rewind(&p->runs);
    for (uint32_t first = 0; timers && first < p->n_frames && rc == TK_OK; first += step) {
        uint32_t end = p->n_frames - first < step ? p->n_frames : first + step;
        rc = unpack(p, first, end) ? tk_err_nomem(err, "sums by frame") : send_stretch(p, first, end, emit);
    }
    return rc;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_per_frame};

const struct tk_builder tk_builder_per_frame = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES),
              .slices = TK_INTERVAL_SLICES | TK_SLICE_FRAME,
              .lanes = TK_NEEDS_NAMED_QUEUES,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_per_frame,
    .feed = feed_per_frame,
    .check = check_per_frame,
    .finish = finish_per_frame,
    .close = close_per_frame,
};
