/*
 * Building an index: a builder of tables that sends no rows but fills lanes. See index.h.
 *
 *   slices of a lane --> index/lane.h, by the worker who has them
 *   the dictionary   --> names, when all is read
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/saturate.h"
#include "engine/run.h"
#include "index/index_internal.h"
#include "query/builder.h"

#include <stdlib.h>
#include <string.h>

enum {
    HELD_MOST = 16 << 20,      /* bytes of entries in memory before all are written */
    PRESENCE_COUNTS = 3 << 20, /* of all workers */
    BIN_BYTES = 4096,          /* of the capture, that are written in a bin of level 0, about */
    MARKS_MOST = 256 << 10,    /* of all lanes */
    SHIFT_MOST = 40,
    SHIFT_UNKNOWN = 20 /* where it is not known beforehand how long the capture is */
};

/* One reading of the capture. */
struct making {
    struct tk_index *index;
    struct tk_index_maker maker;
    const struct tk_query_context *view;
    unsigned reading;
    size_t first_lane;             /* in index->lanes, of this reading */
    struct tk_presence *presences; /* owned, one a worker */
    struct tk_presence *lates;     /* likewise, by slot */
    unsigned workers;
    uint64_t most_timers; /* others are not counted */
    size_t marks;
};

/* ---- lanes ---- */

static struct tk_index_strip *strip_of(const struct making *m, uint32_t lane)
{
    const size_t at = m->first_lane + lane;
    return at < m->index->lanes.n ? m->index->lanes.v[at] : NULL;
}

/* Lanes are numbered densely in order of their first appearance. */
static int make_lanes(struct making *m, const struct tk_scope_run *run, bool places)
{
    while (m->index->lanes.n <= m->first_lane + run->lane) {
        struct tk_index_strip *made = calloc(1, sizeof *made);
        if (!made || tk_vec_push(&m->index->lanes, made)) {
            free(made);
            return TK_ENOMEM;
        }
        made->number = (uint32_t)(m->index->lanes.n - 1 - m->first_lane);
        made->reading = m->reading;
        made->keeps_brief = !places || run->told;
    }
    struct tk_index_lane *info = &m->index->lanes.v[m->first_lane + run->lane]->info;
    info->kind = (enum tk_index_kind)run->kind;
    info->thread = run->thread;
    return TK_OK;
}

/* There are so many marks that every second one has to go. */
static void thin_marks(struct making *m)
{
    m->marks = 0;
    for (size_t i = m->first_lane; i < m->index->lanes.n; i++) {
        struct tk_index_strip *lane = m->index->lanes.v[i];
        size_t kept = 0;
        for (size_t k = 0; k < lane->marks.n; k += 2) {
            struct tk_index_mark mark = lane->marks.v[k];
            if (k + 1 < lane->marks.n)
                mark.to = lane->marks.v[k + 1].to;
            lane->marks.v[kept++] = mark;
        }
        lane->marks.n = kept;
        m->marks += kept;
    }
}

/* Notes from where on the scopes of a run are in the capture. */
static int mark_run(struct making *m, const struct tk_batch *batch, const struct tk_scope_run *run)
{
    struct tk_index_strip *lane = m->index->lanes.v[m->first_lane + run->lane];
    struct tk_index_mark *last = lane->marks.n ? &lane->marks.v[lane->marks.n - 1] : NULL;
    struct tk_index_mark mark = {.time = last ? last->time : INT64_MIN, .from = batch->from, .to = batch->to};
    size_t first = 0;
    for (size_t i = 0; i < run->n && !lane->stamped; i++)
        lane->stamped = run->op[i] != TK_OP_CUT && run->op[i] != TK_OP_CLOSE && run->op[i] & TK_OP_STAMPED;
    while (first < run->n && run->time[first] == INT64_MIN)
        first++;
    if (lane->keeps_brief || first == run->n || (last && last->from == batch->from))
        return TK_OK;
    mark.time = run->time[first] > mark.time ? run->time[first] : mark.time;
    m->marks++;
    return tk_vec_push(&lane->marks, mark) ? TK_ENOMEM : TK_OK;
}

static int bound_memory(struct making *m)
{
    size_t held = 0;
    int rc = TK_OK;
    for (size_t i = m->first_lane; i < m->index->lanes.n; i++)
        held += m->index->lanes.v[i]->held;
    for (size_t i = m->first_lane; i < m->index->lanes.n && held > HELD_MOST && rc == TK_OK; i++)
        rc = tk_index_strip_flush(&m->maker, m->index->lanes.v[i], 0);
    return rc;
}

static int failed(const struct making *m, int rc, struct tk_err *err)
{
    if (rc == TK_ENOMEM)
        return tk_err_nomem(err, "an index");
    return rc == TK_EOUTPUT ? tk_index_store_failed(m->index->store, err) : rc;
}

static int feed_index(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct making *m = self;
    int rc = bound_memory(m);
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++) {
        rc = make_lanes(m, &batch->runs[i], batch->to != 0);
        if (rc == TK_OK && batch->to)
            rc = mark_run(m, batch, &batch->runs[i]);
    }
    if (m->marks > MARKS_MOST)
        thin_marks(m);
    m->index->end = batch->to > m->index->end ? batch->to : m->index->end;
    return failed(m, rc, err);
}

static int count_timer(struct making *m, unsigned worker, int64_t end, uint32_t timer)
{
    struct tk_presence *counts = timer >= TK_LATE ? &m->lates[worker] : &m->presences[worker];
    const uint32_t number = timer >= TK_LATE ? timer - TK_LATE : timer;
    return number < m->most_timers ? tk_presence_count(counts, end, number) : 0;
}

static void see(struct tk_index_strip *lane, int64_t begin, int64_t end)
{
    struct tk_index_lane *info = &lane->info;
    info->first = !lane->has_time || begin < info->first ? begin : info->first;
    info->last = !lane->has_time || end > info->last ? end : info->last;
    lane->has_time = true;
}

static int take_index(void *self, const struct tk_slices *slices, unsigned worker)
{
    struct making *m = self;
    struct tk_index_strip *lane = strip_of(m, slices->lane);
    int rc = TK_OK;
    if (!lane)
        return TK_OK;
    for (size_t i = 0; i < slices->n && rc == TK_OK; i++) {
        const struct tk_index_scope scope = {.begin = slices->begin[i],
                                             .end = slices->end[i],
                                             .timer = slices->timer[i],
                                             .row = (uint16_t)slices->depth[i]};
        if (count_timer(m, worker, scope.end, scope.timer))
            return TK_ENOMEM;
        see(lane, scope.begin, scope.end);
        lane->info.scopes++;
        if (slices->depth[i] >= TK_INDEX_ROWS) {
            lane->info.deeper++;
            continue;
        }
        lane->info.rows = scope.row >= lane->info.rows ? scope.row + 1u : lane->info.rows;
        rc = tk_index_strip_add(&m->maker, lane, &scope, worker);
    }
    return rc;
}

static int add_unended(struct tk_index_strip *lane, const struct tk_open_scope *open)
{
    const struct tk_index_scope scope = {.begin = open->begin,
                                         .end = open->end > open->begin ? open->end : open->begin,
                                         .timer = open->timer,
                                         .row = (uint16_t)open->depth,
                                         .flags = TK_INDEX_UNENDED};
    see(lane, scope.begin, scope.begin);
    lane->info.unended++;
    if (open->depth >= TK_INDEX_ROWS) {
        lane->info.deeper++;
        return TK_OK;
    }
    lane->info.rows = scope.row >= lane->info.rows ? scope.row + 1u : lane->info.rows;
    return tk_vec_push(&lane->unended, scope) ? TK_ENOMEM : TK_OK;
}

static int lane_index(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct making *m = self;
    struct tk_index_strip *lane = strip_of(m, end->lane);
    int rc = TK_OK;
    if (!lane)
        return TK_OK;
    for (size_t i = 0; i < end->n_lost && rc == TK_OK; i++)
        rc = add_unended(lane, &end->lost[i]);
    for (size_t i = 0; i < end->n_open && rc == TK_OK; i++)
        rc = add_unended(lane, &end->open[i]);
    lane->info.covered = (uint64_t)end->covered;
    lane->uneven = end->raised || end->too_deep;
    if (rc == TK_OK)
        rc = tk_index_strip_finish(&m->maker, lane, 0);
    return failed(m, rc, err);
}

/* ---- names ---- */

static int keep_text(struct tk_index *index, const struct tk_str *from, const struct tk_str **out)
{
    *out = from ? tk_intern(&index->texts, from->p, from->n, (enum tk_encoding)from->enc) : NULL;
    return from && !*out ? TK_ENOMEM : TK_OK;
}

static int name_timers(struct making *m)
{
    struct tk_index *index = m->index;
    struct tk_dict *d = m->view->dict;
    const size_t n = d->timers.n;
    for (size_t i = index->timers.n; i < n; i++) {
        struct tk_index_name name = {.line = d->timers.v[i].info.line};
        if (keep_text(index, d->timers.v[i].shown, &name.name) ||
            keep_text(index, d->timers.v[i].info.file, &name.file) || tk_vec_push(&index->timers, name))
            return TK_ENOMEM;
    }
    for (size_t i = 0; i < d->late.n; i++)
        if (tk_vec_push(&index->late[m->reading], d->late.v[i]))
            return TK_ENOMEM;
    return TK_OK;
}

static int name_lane(struct making *m, struct tk_index_strip *lane)
{
    const bool thread = lane->info.kind == TK_INDEX_THREAD;
    const struct tk_str *name = tk_dict_lane_name(m->view->dict, (uint8_t)lane->info.kind, lane->info.thread),
                        *kept;
    if (!name || keep_text(m->index, name, &kept))
        return TK_ENOMEM;
    lane->info.name = *kept;
    const struct tk_thread *known = thread ? tk_dict_thread(m->view->dict, lane->info.thread) : NULL;
    if (keep_text(m->index, known ? known->info.group : NULL, &kept))
        return TK_ENOMEM;
    if (kept)
        lane->info.group = *kept;
    lane->info.sort_hint = known ? known->info.sort_hint : 0;
    for (size_t i = m->first_lane; i < m->index->lanes.n && m->index->lanes.v[i] != lane; i++)
        lane->info.part += m->index->lanes.v[i]->info.kind == lane->info.kind &&
                           m->index->lanes.v[i]->info.thread == lane->info.thread;
    return TK_OK;
}

static int finish_index(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct making *m = self;
    (void)emit;
    m->index->clock = m->view->dict->clock;
    int rc = name_timers(m);
    for (size_t i = m->first_lane; i < m->index->lanes.n && rc == TK_OK; i++)
        rc = name_lane(m, m->index->lanes.v[i]);
    return failed(m, rc, err);
}

/* ---- readings ---- */

static unsigned slices_index(const struct tk_query_context *view, uint64_t columns, bool *needs_frames)
{
    (void)view;
    (void)columns;
    (void)needs_frames;
    return TK_SLICE_BEGIN | TK_SLICE_PLACE;
}

static int open_index(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                      void **self, struct tk_err *err)
{
    struct making *m = builder->user;
    (void)columns;
    (void)err;
    m->view = view;
    *self = m;
    return TK_OK;
}

static const struct tk_table nothing = {.name = "index", .help = "scopes, arranged for drawing"};

static int read_lanes(struct making *m, struct tk_trace *trace, struct tk_err *err)
{
    const bool gpu = m->reading == 1;
    const struct tk_builder builder = {
        .table = &nothing,
        .facts = gpu ? TK_FACT_MASK(GPU_SCOPES) : TK_FACT_MASK(SCOPES),
        .traits = gpu ? TK_BUILDER_SERIAL : 0,
        .user = m,
        .slices = slices_index,
        .open = open_index,
        .feed = feed_index,
        .take = take_index,
        .lane = lane_index,
        .finish = finish_index,
    };
    const struct tk_builder *builders[] = {&builder};
    const struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink nowhere = {0};
    m->first_lane = m->index->lanes.n;
    return tk_run(&trace->ctx, trace->capture, builders, 1, &query, &nowhere, err);
}

static int join_counts(struct making *m, struct tk_err *err)
{
    int rc = tk_presence_init(&m->index->late_presence[m->reading], m->index->shift, PRESENCE_COUNTS / 4);
    for (unsigned i = 0; i < m->workers && rc == 0; i++) {
        rc = tk_presence_join(&m->index->presence, &m->presences[i], NULL, NULL);
        if (rc == 0)
            rc = tk_presence_join(&m->index->late_presence[m->reading], &m->lates[i], NULL, NULL);
    }
    return rc ? tk_err_nomem(err, "an index") : TK_OK;
}

static void release_making(struct making *m)
{
    for (unsigned i = 0; i < m->workers; i++) {
        if (m->presences)
            tk_presence_release(&m->presences[i]);
        if (m->lates)
            tk_presence_release(&m->lates[i]);
        if (m->maker.bytes)
            free(m->maker.bytes[i]);
    }
    free(m->presences);
    free(m->lates);
    free(m->maker.bytes);
}

static int open_making(struct making *m)
{
    const size_t budget = PRESENCE_COUNTS / m->workers;
    m->presences = calloc(m->workers, sizeof *m->presences);
    m->lates = calloc(m->workers, sizeof *m->lates);
    m->maker.bytes = calloc(m->workers, sizeof *m->maker.bytes);
    if (!m->presences || !m->lates || !m->maker.bytes)
        return TK_ENOMEM;
    for (unsigned i = 0; i < m->workers; i++) {
        m->maker.bytes[i] = malloc(TK_INDEX_CELLS_BYTES > TK_INDEX_SCOPES_BYTES ? TK_INDEX_CELLS_BYTES
                                                                                : TK_INDEX_SCOPES_BYTES);
        if (!m->maker.bytes[i] || tk_presence_init(&m->presences[i], m->index->shift, budget) ||
            tk_presence_init(&m->lates[i], m->index->shift, budget / 4))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static int read_once(struct tk_index *index, struct tk_trace *trace, unsigned reading, struct tk_err *err)
{
    struct making m = {.index = index,
                       .reading = reading,
                       .workers = tk_pool_jobs(trace->ctx.pool),
                       .most_timers = trace->ctx.limits.timers,
                       .maker = {.store = index->store, .shift = index->shift}};
    int rc = open_making(&m);
    rc = rc < 0 ? failed(&m, rc, err) : read_lanes(&m, trace, err);
    if (rc >= 0)
        rc = join_counts(&m, err);
    release_making(&m);
    return rc;
}

/* ---- the whole ---- */

/* How long the capture is, in cycles; 0: that is not known without reading it. */
static int64_t length_of(struct tk_trace *trace)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"dur"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_result *result = NULL;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    query.unit = TK_UNIT_CYCLES;
    int64_t length = 0;
    if (tk_result_query(&result, trace, &query, NULL) >= 0) {
        const struct tk_cell *cell = tk_result_cell(result, 0, 0, 0);
        length = cell && cell->kind == TK_DURATION ? cell->v.i : 0;
    }
    tk_result_free(result);
    return length;
}

/* Level 0: as fine as a part of the capture of BIN_BYTES is long. */
static unsigned shift_for(struct tk_trace *trace)
{
    const int64_t length = length_of(trace);
    const double bins = (double)trace->ctx.size / BIN_BYTES;
    unsigned shift = 0;
    if (length <= 0)
        return SHIFT_UNKNOWN;
    for (double width = (double)length / (bins > 1 ? bins : 1); width >= 2 && shift < SHIFT_MOST; width /= 2)
        shift++;
    return shift;
}

static void sum_up(struct tk_index *index)
{
    for (size_t i = 0; i < index->lanes.n; i++) {
        const struct tk_index_strip *lane = index->lanes.v[i];
        const struct tk_index_lane *info = &lane->info;
        index->scopes += info->scopes;
        index->briefs += tk_index_chunks_bytes(&lane->brief_chunks);
        index->first = i == 0 || info->first < index->first ? info->first : index->first;
        index->last = i == 0 || info->last > index->last ? info->last : index->last;
    }
    for (size_t i = 0; i < index->presence.n; i++)
        for (size_t k = 0; k < index->presence.parts[i].n && k < index->timers.n; k++)
            index->timers.v[k].scopes += index->presence.parts[i].counts[k];
}

/* The timer of scopes whose own is never told comes last, so that all readings know it by one number. */
static int add_unknown(struct tk_index *index)
{
    static const struct tk_str unknown = {.p = "<unknown metadata>", .n = 18};
    struct tk_index_name name = {0};
    if (keep_text(index, &unknown, &name.name))
        return TK_ENOMEM;
    return tk_vec_push(&index->timers, name) ? TK_ENOMEM : TK_OK;
}

struct late_timers {
    const struct tk_index *index;
    unsigned reading;
};

static uint32_t late_timer(void *ctx, uint32_t slot)
{
    const struct late_timers *late = ctx;
    return tk_index_timer_of(late->index, late->reading, slot + TK_LATE);
}

/* Scopes whose timer was told late count as its own. */
static int join_late(struct tk_index *index)
{
    int rc = 0;
    for (unsigned i = 0; i < TK_INDEX_READINGS && rc == 0; i++) {
        struct late_timers late = {index, i};
        rc = tk_presence_join(&index->presence, &index->late_presence[i], late_timer, &late);
        tk_presence_release(&index->late_presence[i]);
    }
    return rc;
}

static int build(struct tk_index *index, const struct tk_index_options *options, struct tk_err *err)
{
    struct tk_trace *trace = index->trace;
    index->shift = shift_for(trace);
    int rc = tk_index_store_open(&index->store, options->folder, tk_pool_jobs(trace->ctx.pool), err);
    if (rc == TK_OK && tk_presence_init(&index->presence, index->shift, PRESENCE_COUNTS))
        rc = tk_err_nomem(err, "an index");
    if (rc == TK_OK)
        rc = read_once(index, trace, 0, err);
    if (rc >= 0 && trace->capture->ops->may_have(trace->capture, TK_FACT_MASK(GPU_SCOPES)))
        rc = read_once(index, trace, 1, err);
    if (rc >= 0 && add_unknown(index))
        rc = tk_err_nomem(err, "an index");
    if (rc >= 0 && join_late(index))
        rc = tk_err_nomem(err, "an index");
    if (rc >= 0)
        sum_up(index);
    return rc;
}

int tk_index_build(struct tk_index **out, struct tk_trace *trace, const struct tk_index_options *options,
                   struct tk_err *err)
{
    const struct tk_index_options usual = {0};
    struct tk_index *index = calloc(1, sizeof *index);
    struct tk_err causes = {0};
    *out = NULL;
    if (!index)
        return tk_err_nomem(err, "an index");
    index->trace = trace;
    options = options ? options : &usual;
    const struct tk_options before = trace->options;
    if (options->progress) {
        trace->options.progress = options->progress;
        trace->options.progress_ctx = options->progress_ctx;
    }
    const int rc = build(index, options, &causes);
    trace->options = before;
    if (rc >= 0) {
        *out = index;
        return TK_OK;
    }
    tk_index_close(index);
    if (err)
        *err = causes;
    return rc;
}

void tk_index_close(struct tk_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->lanes.n; i++)
        tk_index_strip_free(index->lanes.v[i]);
    tk_vec_release(&index->lanes);
    tk_vec_release(&index->timers);
    for (unsigned i = 0; i < TK_INDEX_READINGS; i++)
        tk_vec_release(&index->late[i]);
    tk_presence_release(&index->presence);
    for (unsigned i = 0; i < TK_INDEX_READINGS; i++)
        tk_presence_release(&index->late_presence[i]);
    tk_intern_release(&index->texts);
    tk_index_store_close(index->store);
    free(index);
}
