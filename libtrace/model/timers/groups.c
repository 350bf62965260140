/*
 * Table `groups`: timers by what threads, files, regions or frames their time lies in.
 *
 * By class of thread and by file the part of a slice is its lane or its timer, which are put
 * together when all is read; by region and by type of frames it is what stretches of time it lies in; by
 * label its own text.
 */
#include "base/health/health.h"
#include "model/marks/frame_list.h"
#include "model/timers/timers_in.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>

enum { GROUP, NUMBER, START, DURATION, TIMER, COUNT, INCL, TOTAL, EXCL, MEAN, KIND, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [GROUP] = {"group", TK_TEXT, 0, NULL,
               "thread class or GPU queue, source file, region, frame type or metadata text of the scopes"},
    [NUMBER] = {"number", TK_UINT, 0, NULL, "for regions: number among those of the same name, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "for regions: start"},
    [DURATION] = {"dur", TK_DURATION, TK_COL_EXTRA, NULL, "for regions: duration; empty if it never ended"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer; empty with --by file"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "calls that overlap the group"},
    [INCL] = {"incl", TK_DURATION, 0, NULL,
              "inclusive time in the group; recursive calls are not counted twice"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "sum of the durations of all calls in the group"},
    [EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time in the group"},
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean duration of a call in the group"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL,
              "kind of the timer; of several of one name that of the first defined"},
};

static const struct tk_table table = {
    .name = "groups",
    .help = "timers by thread class, source file, region, frame type or metadata text",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .sort_by = "excl",
};

#define MOST_HINTS  8u    /* tracks whose last place is kept */
#define DENSE_PARTS 4096u /* regions whose timers are found without a search, as long as there is space */
#define BY_TIME     (TK_BY_REGION | TK_BY_FRAME_TYPE)
#define GROUPINGS   (TK_BY_CLASS | TK_BY_FILE | TK_BY_LABEL | BY_TIME)

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    const unsigned by = view->query->by;
    (void)wanted;
    if (by & BY_TIME)
        needs->slices |= TK_INTERVAL_SLICES | TK_SLICE_BEGIN;
    else
        needs->slices |= TK_SLICE_OUTER | (by & TK_BY_LABEL ? TK_SLICE_TEXT : 0);
    if (by & TK_BY_LABEL)
        needs->facts |= TK_FACT_MASK(SCOPE_TEXT);
    needs->lists.regions = by & TK_BY_REGION;
    if (by & TK_BY_FRAME_TYPE)
        needs->lists.frames |= TK_NEEDS_ALL_FRAMES;
}

static void close_groups(void *self)
{
    struct tk_groups *g = self;
    for (unsigned i = 0; g->workers && i < g->n_workers; i++)
        tk_interval_sums_release(&g->workers[i]);
    free(g->workers);
    for (unsigned i = 0; g->labels && i < g->n_workers; i++)
        tk_label_sums_release(&g->labels[i]);
    free(g->labels);
    for (unsigned i = 0; g->now && i < g->n_workers; i++)
        tk_interval_index_now_release(&g->now[i]);
    free(g->now);
    for (size_t i = 0; i < g->sets.n; i++) {
        if (g->sets.v[i])
            tk_timer_sum_release(g->sets.v[i]);
        free(g->sets.v[i]);
    }
    tk_vec_release(&g->sets);
    for (size_t i = 0; i < g->tracks.n; i++)
        tk_interval_set_release(&g->tracks.v[i]);
    tk_vec_release(&g->tracks);
    tk_packed_sums_release(&g->packed);
    tk_interval_index_release(&g->covers);
    tk_vec_release(&g->parts);
    tk_map_release(&g->by_name);
    tk_vec_release(&g->threads);
    tk_vec_release(&g->kinds);
    for (size_t i = 0; i < g->children.n; i++)
        tk_child_times_release(&g->children.v[i]);
    tk_vec_release(&g->children);
    tk_intern_release(&g->names);
    tk_requested_timers_release(&g->requested);
    free(g);
}

static int reach_set(struct tk_groups *g, size_t at)
{
    if (tk_vec_reach(&g->sets, at + 1))
        return -1;
    if (!g->sets.v[at] && !(g->sets.v[at] = calloc(1, sizeof *g->sets.v[at])))
        return -1;
    g->sets.v[at]->what = TK_TIMER_SUM_INCL;
    return 0;
}

static int open_groups(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct tk_groups *g = calloc(1, sizeof *g);
    (void)builder;
    (void)wanted;
    if (!g)
        return tk_err_nomem(err, "groups");
    *self = g;
    g->view = view;
    g->by = view->query->by & GROUPINGS;
    g->requested.patterns = &view->select->timers;
    g->requested.by_source = view->query->by & (TK_BY_SOURCE | TK_BY_FILE);
    g->n_workers = tk_pool_jobs(view->ctx->pool);
    g->workers = calloc(g->n_workers, sizeof *g->workers);
    if (!g->by || g->by & (g->by - 1))
        return tk_err_set(err, TK_EUSAGE,
                          "table 'groups' is by one of class, file, label, region and frame-type");
    if (g->by == TK_BY_LABEL && !(g->labels = calloc(g->n_workers, sizeof *g->labels)))
        return tk_err_nomem(err, "groups");
    for (unsigned i = 0; i < g->n_workers && g->by == TK_BY_FILE; i++)
        if (reach_set(g, i))
            return tk_err_nomem(err, "groups");
    if (!g->workers)
        return tk_err_nomem(err, "groups");
    for (unsigned i = 0; i < g->n_workers; i++)
        g->workers[i].dense_parts = DENSE_PARTS;
    int rc = tk_groups_stretch(g);
    bool follow = g->tracks.n == 1; /* frames of several types overlap again and again */
    if (rc == 0 && follow && !(g->now = calloc(g->n_workers, sizeof *g->now)))
        rc = -1;
    return rc > 0   ? tk_err_limit(err, TK_LIMIT_rows,
                                   "more regions or frames are nested than the limit of rows allows")
           : rc < 0 ? tk_err_nomem(err, "groups")
                    : TK_OK;
}

/* ---- reading ---- */

static int feed_groups(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_groups *g = self;
    (void)emit;
    if (tk_requested_timers_learn(&g->requested, g->view->dict))
        return tk_err_nomem(err, "groups");
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        if (tk_vec_reserve(&g->threads, (size_t)run->lane + 1) ||
            tk_vec_reach(&g->kinds, (size_t)run->lane + 1) ||
            tk_vec_reach(&g->children, (size_t)run->lane + 1))
            return tk_err_nomem(err, "groups");
        while (g->threads.n <= run->lane)
            g->threads.v[g->threads.n++] = TK_NO_THREAD;
        g->threads.v[run->lane] = run->thread;
        g->kinds.v[run->lane] = run->kind;
        if (g->by == TK_BY_CLASS && reach_set(g, run->lane))
            return tk_err_nomem(err, "groups");
    }
    return TK_OK;
}

/* A slice over a border between pieces of the time: what of it lies in each stretch. */
static int take_crossing(struct tk_groups *g, struct tk_interval_sums *sums, const struct tk_slices *s,
                         size_t i, size_t piece, size_t hints[MOST_HINTS])
{
    bool requested = tk_requested_timers_has(&g->requested, s->timer[i]);
    for (size_t k = 0; k < g->tracks.n && requested; k++)
        if (tk_interval_set_put(&g->tracks.v[k], &hints[k % MOST_HINTS], sums, g->view->select, s, i))
            return -1;
    return tk_interval_index_cross(&g->covers, piece, sums, &g->requested, &g->children.v[s->lane],
                                   g->view->select, s, i);
}

static int take_times(struct tk_groups *g, unsigned worker, const struct tk_slices *s)
{
    struct tk_interval_sums *sums = &g->workers[worker];
    struct tk_interval_index_now *now = g->now ? &g->now[worker] : NULL;
    struct tk_child_times *children = &g->children.v[s->lane];
    size_t hints[MOST_HINTS] = {0}, piece = 0;
    int rc = 0;
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        piece = tk_interval_index_at(&g->covers, s->begin[i], piece);
        rc = tk_interval_index_whole(&g->covers, piece, s->end[i])
                 ? tk_interval_index_put(&g->covers, piece, now, sums, &g->requested, children, s, i)
                 : take_crossing(g, sums, s, i, piece, hints);
    }
    return rc;
}

static int take_files(struct tk_groups *g, unsigned worker, struct tk_slices s)
{
    s.key = s.timer;
    return tk_timer_sum_take(g->sets.v[worker], &s);
}

static int take_groups(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tk_groups *g = self;
    int rc;
    if (g->by == TK_BY_LABEL)
        rc = tk_label_sums_take(&g->labels[worker], &g->requested, s);
    else if (g->by & BY_TIME)
        rc = take_times(g, worker, s);
    else if (g->by == TK_BY_CLASS)
        rc = tk_timer_sum_take(g->sets.v[s->lane], s);
    else
        rc = take_files(g, worker, *s);
    return rc ? TK_ENOMEM : TK_OK;
}

static bool has_labels(const struct tk_groups *g)
{
    bool any = false;
    for (unsigned i = 0; i < g->n_workers; i++)
        any |= g->labels[i].v.n > 0;
    return any;
}

static int check_groups(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct tk_groups *g = self;
    if (g->by == TK_BY_LABEL && !has_labels(g))
        return tk_format_lacks(g->view->ctx, TK_HINT_SCOPE_TEXTS, "no selected scope has a text", err);
    if (g->by == TK_BY_FRAME_TYPE && !g->view->frame_list->types.n)
        return tk_frames_missing(g->view->ctx, err);
    if (g->by == TK_BY_REGION && !g->parts.n)
        return tk_format_lacks(g->view->ctx, TK_HINT_REGIONS, "the selection has no regions", err);
    return TK_OK;
}

/* ---- rows ---- */

static void fill_groups(const struct tk_groups *g, const struct tk_interval_sum *s, struct tk_cell *row)
{
    const struct tk_query_context *view = g->view;
    const struct tk_group *part = &g->parts.v[s->part];
    row[GROUP] = tk_cell_of_text(part->name);
    if (g->by == TK_BY_FILE && row[GROUP].n == 0)
        row[GROUP] = tk_cell_of_c("(no file)");
    if (part->is_region) {
        row[NUMBER] = tk_cell_of_uint(part->number);
        row[START] = tk_query_context_time(view, part->begin);
    }
    if (part->is_region && !part->open)
        row[DURATION] = tk_query_context_between(view, part->begin, part->end);
    if (g->by != TK_BY_FILE) {
        const struct tk_timer *timer = &view->dict->timers.v[s->timer];
        row[TIMER] = tk_cell_of_text(timer->displayed);
        row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    }
    row[COUNT] = tk_cell_of_uint(s->count);
    row[INCL] = tk_query_context_span(view, (int64_t)s->incl);
    row[TOTAL] = tk_query_context_span(view, (int64_t)s->total);
    row[EXCL] = tk_query_context_span(view, (int64_t)s->excl);
    row[MEAN] = tk_cell_of_mean((double)row[TOTAL].v.i / (double)s->count);
}

static int finish_groups(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_groups *g = self;
    struct tk_interval_sum sum;
    int rc = tk_groups_merge(g) ? tk_err_nomem(err, "groups") : TK_OK;
    while (rc == TK_OK && g->packed.v.n && tk_packed_sum_next(&g->packed.v.v[0], UINT32_MAX, &sum)) {
        struct tk_cell *row = sum.count ? tk_emit_row(emit) : NULL;
        if (sum.count && !row)
            break;
        if (row)
            fill_groups(g, &sum, row);
    }
    return rc == TK_OK ? tk_emit_status(emit) : rc;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_groups};

const struct tk_builder tk_builder_groups = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .lanes = TK_NEEDS_QUEUES, .sums = true},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_groups,
    .feed = feed_groups,
    .check = check_groups,
    .finish = finish_groups,
    .close = close_groups,
};
