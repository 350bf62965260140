/*
 * A reading for an index: a builder of tables that sends no rows but fills lanes.
 *
 *   slices of a lane --> lane.h, by the worker who has them
 *   the dictionary   --> names, when all is read
 */
#include "api/trace.h"
#include "base/err.h"
#include "engine/run.h"
#include "query/builder.h"
#include "view/index/index_in.h"

#include <stdlib.h>

enum { HELD_MOST = 16 << 20 /* bytes of entries in memory before all are written */ };

/* ---- lanes ---- */

static struct tk_index_strip *strip_of(const struct tk_index_making *m, uint32_t lane)
{
    const size_t at = m->first_lane + lane;
    return at < m->index->lanes.n ? m->index->lanes.v[at] : NULL;
}

/* Lanes are numbered densely in order of their first appearance. */
static int make_lanes(struct tk_index_making *m, const struct tk_scope_run *run, bool places)
{
    while (m->index->lanes.n <= m->first_lane + run->lane) {
        struct tk_index_strip *made = calloc(1, sizeof *made);
        if (!made || tk_vec_push(&m->index->lanes, made)) {
            free(made);
            return TK_ENOMEM;
        }
        made->number = (uint32_t)(m->index->lanes.n - 1 - m->first_lane);
        made->reading = m->reading;
        made->keeps_brief = !places || run->reported;
    }
    struct tk_index_lane *info = &m->index->lanes.v[m->first_lane + run->lane]->info;
    info->kind = (enum tk_index_kind)run->kind;
    info->thread = run->thread;
    return TK_OK;
}

/* Of the lanes that the last batch was about, the others hold what they held. */
static void count_held(struct tk_index_making *m)
{
    for (size_t i = 0; i < m->touched.n; i++) {
        struct tk_index_strip *lane = m->touched.v[i];
        m->held += lane->held - lane->counted;
        lane->counted = lane->held;
    }
    m->touched.n = 0;
}

static int bound_memory(struct tk_index_making *m)
{
    int rc = TK_OK;
    count_held(m);
    if (m->held <= HELD_MOST)
        return TK_OK;
    for (size_t i = m->first_lane; i < m->index->lanes.n && rc == TK_OK; i++) {
        rc = tk_index_strip_flush(&m->maker, m->index->lanes.v[i], 0);
        m->index->lanes.v[i]->counted = m->index->lanes.v[i]->held;
    }
    m->held = 0;
    return rc;
}

static int failed(const struct tk_index_making *m, int rc, struct tk_err *err)
{
    if (rc == TK_ENOMEM)
        return tk_err_nomem(err, "an index");
    return rc == TK_EOUTPUT ? tk_index_store_failed(m->index->store, err) : rc;
}

static int feed_index(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_index_making *m = self;
    int rc = bound_memory(m);
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++) {
        rc = make_lanes(m, &batch->runs[i], batch->to != 0);
        if (rc == TK_OK && tk_vec_push(&m->touched, strip_of(m, batch->runs[i].lane)))
            rc = TK_ENOMEM;
        if (rc == TK_OK && batch->to)
            rc = tk_index_mark_run(m, batch, &batch->runs[i]);
    }
    m->index->end = batch->to > m->index->end ? batch->to : m->index->end;
    return failed(m, rc, err);
}

static int count_timer(struct tk_index_making *m, unsigned worker, int64_t end, uint32_t timer)
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
    struct tk_index_making *m = self;
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
    struct tk_index_making *m = self;
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

static int name_timers(struct tk_index_making *m)
{
    struct tk_index *index = m->index;
    struct tk_dict *d = m->view->dict;
    const size_t n = d->timers.n;
    for (size_t i = index->timers.n; i < n; i++) {
        struct tk_index_name name = {.line = d->timers.v[i].info.line};
        if (tk_index_keep_text(index, d->timers.v[i].displayed, &name.name) ||
            tk_index_keep_text(index, d->timers.v[i].info.file, &name.file) ||
            tk_vec_push(&index->timers, name))
            return TK_ENOMEM;
    }
    for (size_t i = 0; i < d->late.n; i++)
        if (tk_vec_push(&index->late[m->reading], d->late.v[i]))
            return TK_ENOMEM;
    return TK_OK;
}

static int name_lane(struct tk_index_making *m, struct tk_index_strip *lane)
{
    const bool thread = lane->info.kind == TK_INDEX_THREAD;
    const struct tk_str *name = tk_dict_lane_name(m->view->dict, (uint8_t)lane->info.kind, lane->info.thread),
                        *kept;
    if (!name || tk_index_keep_text(m->index, name, &kept))
        return TK_ENOMEM;
    lane->info.name = *kept;
    const struct tk_thread *known = thread ? tk_dict_thread(m->view->dict, lane->info.thread) : NULL;
    if (tk_index_keep_text(m->index, known ? known->info.group : NULL, &kept))
        return TK_ENOMEM;
    if (kept)
        lane->info.group = *kept;
    if (tk_index_keep_text(m->index, known ? known->info.process : NULL, &kept))
        return TK_ENOMEM;
    if (kept)
        lane->info.process = *kept;
    lane->info.has_process = known && known->info.has_process;
    lane->info.process_id = lane->info.has_process ? known->info.process_id : 0;
    lane->info.sort_hint = known ? known->info.sort_hint : 0;
    const uint64_t key = (uint64_t)lane->info.kind << 32 | lane->info.thread;
    const uint32_t before = tk_map_get(&m->parts, key);
    lane->info.part = before == TK_MAP_NONE ? 0 : before;
    if (tk_map_put(&m->parts, key, lane->info.part + 1))
        return TK_ENOMEM;
    return TK_OK;
}

static int finish_index(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_index_making *m = self;
    (void)emit;
    m->index->clock = m->view->dict->clock;
    int rc = name_timers(m);
    for (size_t i = m->first_lane; i < m->index->lanes.n && rc == TK_OK; i++)
        rc = name_lane(m, m->index->lanes.v[i]);
    return failed(m, rc, err);
}

/* ---- readings ---- */

static int open_index(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                      void **self, struct tk_err *err)
{
    struct tk_index_making *m = builder->user;
    (void)columns;
    (void)err;
    m->view = view;
    *self = m;
    return TK_OK;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_index, .lane = lane_index};

static const struct tk_table nothing = {.name = "index", .help = "scopes, arranged for drawing"};

static int read_lanes(struct tk_index_making *m, struct tk_trace *trace, struct tk_err *err)
{
    const bool gpu = m->reading == 1;
    const struct tk_builder builder = {
        .table = &nothing,
        .needs = {.facts = gpu ? TK_FACT_MASK(GPU_SCOPES) : TK_FACT_MASK(SCOPES),
                  .slices = TK_SLICE_BEGIN | TK_SLICE_PLACE,
                  .order = gpu ? TK_NEEDS_SEQ_ORDER : TK_NEEDS_FILE_ORDER},
        .scopes = &scope_hooks,
        .user = m,
        .open = open_index,
        .feed = feed_index,
        .finish = finish_index,
    };
    const struct tk_builder *builders[] = {&builder};
    const struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink nowhere = {0};
    m->first_lane = m->index->lanes.n;
    return tk_run(&trace->ctx, trace->capture, builders, 1, &query, &nowhere, err);
}

static int join_counts(struct tk_index_making *m, struct tk_err *err)
{
    int rc = tk_presence_init(&m->index->late_presence[m->reading], m->index->shift, TK_INDEX_COUNTS / 4);
    for (unsigned i = 0; i < m->workers && rc == 0; i++) {
        rc = tk_presence_join(&m->index->presence, &m->presences[i], NULL, NULL);
        if (rc == 0)
            rc = tk_presence_join(&m->index->late_presence[m->reading], &m->lates[i], NULL, NULL);
    }
    return rc ? tk_err_nomem(err, "an index") : TK_OK;
}

static void release_making(struct tk_index_making *m)
{
    for (unsigned i = 0; i < m->workers; i++) {
        if (m->presences)
            tk_presence_release(&m->presences[i]);
        if (m->lates)
            tk_presence_release(&m->lates[i]);
    }
    tk_map_release(&m->parts);
    tk_vec_release(&m->touched);
    free(m->presences);
    free(m->lates);
    tk_index_maker_release(&m->maker, m->workers);
}

static int open_making(struct tk_index_making *m)
{
    const size_t budget = TK_INDEX_COUNTS / m->workers;
    m->presences = calloc(m->workers, sizeof *m->presences);
    m->lates = calloc(m->workers, sizeof *m->lates);
    if (!m->presences || !m->lates)
        return TK_ENOMEM;
    for (unsigned i = 0; i < m->workers; i++)
        if (tk_presence_init(&m->presences[i], m->index->shift, budget) ||
            tk_presence_init(&m->lates[i], m->index->shift, budget / 4))
            return TK_ENOMEM;
    return tk_index_maker_open(&m->maker, m->index, m->workers);
}

int tk_index_read(struct tk_index *index, unsigned reading, struct tk_err *err)
{
    struct tk_trace *trace = index->trace;
    struct tk_index_making m = {.index = index,
                                .reading = reading,
                                .workers = tk_pool_jobs(trace->ctx.pool),
                                .most_timers = trace->ctx.limits.timers};
    int rc = open_making(&m);
    rc = rc < 0 ? failed(&m, rc, err) : read_lanes(&m, trace, err);
    if (rc >= 0)
        rc = join_counts(&m, err);
    release_making(&m);
    return rc;
}
