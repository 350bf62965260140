/*
 * The scope model: lanes, and the work of a batch as one task a lane.
 */
#include "model/scopes/scope_lane.h"
#include "model/scopes/scopes_in.h"

#include <inttypes.h>
#include <stdlib.h>

#define NO_RUN SIZE_MAX
#define SHARED 4u /* of the limit of nodes a part is for lanes that come late */

static int tk_scope_sum_frames(struct tk_scope_model *m)
{
    const struct tk_frames *frames = m->rules.frames;
    size_t n = frames ? frames->n : 0;
    m->frame_sums = malloc((n + 1) * sizeof *m->frame_sums);
    if (!m->frame_sums)
        return -1;
    m->frame_sums[0] = 0;
    for (size_t i = 0; i < n; i++)
        m->frame_sums[i + 1] = m->frame_sums[i] +
                               (uint64_t)tk_select_before(m->rules.select, frames->v[i].to) -
                               (uint64_t)tk_select_before(m->rules.select, frames->v[i].from);
    m->rules.frame_sums = m->frame_sums;
    return 0;
}

static int tk_scope_make_spaces(struct tk_scope_model *m)
{
    unsigned jobs = tk_pool_jobs(m->setup.pool);
    m->spaces = calloc(jobs, sizeof *m->spaces);
    if (!m->spaces)
        return -1;
    for (unsigned i = 0; i < jobs; i++) {
        m->spaces[i].keys = m->setup.by_source || !m->setup.dict ? NULL : &m->setup.dict->keys;
        if (m->kernel->columns & TK_SLICE_OUTER && tk_scope_count(&m->spaces[i], 0))
            return -1;
    }
    return 0;
}

int tk_scope_model_open(struct tk_scope_model **out, const struct tk_scope_setup *setup, struct tk_err *err)
{
    struct tk_scope_model *m = calloc(1, sizeof *m);
    if (!m)
        return tk_err_nomem(err, "scopes");
    m->setup = *setup;
    m->folding = (struct tk_path_folding){.uses = setup->uses, .fold = setup->fold, .ctx = setup->ctx};
    m->needs = (struct tk_path_needs){.least = setup->least, .ctx = setup->ctx};
    m->rules = (struct tk_scope_rules){
        .select = setup->select,
        .frames = setup->columns & TK_SLICE_FRAME ? setup->frames : NULL,
        .dict = setup->dict,
        .folding = setup->fold ? &m->folding : NULL,
        .needs = setup->least ? &m->needs : NULL,
        .columns = setup->columns,
        .limit =
            setup->limits->open_scopes < SIZE_MAX / 2 ? (size_t)setup->limits->open_scopes : SIZE_MAX / 2,
        .by_source = setup->by_source,
    };
    m->kernel = tk_scope_kernel_for(&m->rules);
    m->rules.columns |=
        m->kernel->columns & (TK_SLICE_PATH | TK_SLICE_TEXT); /* it writes alongside the stack */
    if (tk_scope_make_spaces(m) || tk_scope_sum_frames(m)) {
        tk_scope_model_close(m);
        return tk_err_nomem(err, "scopes");
    }
    *out = m;
    return TK_OK;
}

void tk_scope_model_close(struct tk_scope_model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->lanes.n; i++)
        tk_scope_lane_free(m->lanes.v[i]);
    tk_vec_release(&m->lanes);
    tk_vec_release(&m->next);
    tk_vec_release(&m->active);
    tk_vec_release(&m->status);
    for (unsigned i = 0; m->spaces && i < tk_pool_jobs(m->setup.pool); i++) {
        free(m->spaces[i].open);
        free(m->spaces[i].same);
        tk_vec_release(&m->spaces[i].around);
    }
    free(m->spaces);
    free(m->frame_sums);
    free(m);
}

/* ---- lanes ---- */

struct tk_scope_lane *tk_scope_model_lane(struct tk_scope_model *m, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&m->lanes, (size_t)run->lane + 1))
        return NULL;
    if (!m->lanes.v[run->lane])
        m->lanes.v[run->lane] = tk_scope_lane_new(&m->rules, run);
    else
        return m->lanes.v[run->lane];
    if (m->lanes.v[run->lane])
        m->nodes += tk_paths_count(&m->lanes.v[run->lane]->paths);
    return m->lanes.v[run->lane];
}

/* ---- the work on one lane ---- */

/* The column `key`. */
static const uint32_t *tk_scope_keys(struct tk_slice_space *space)
{
    if (!space->keys || !space->keys->merged)
        return space->timer;
    for (size_t i = 0; i < space->n; i++)
        space->key[i] = tk_timer_keys_of(space->keys, space->timer[i]);
    return space->key;
}

static int tk_scope_flush(const struct tk_scope_model *m, struct tk_scope_lane *lane,
                          struct tk_slice_space *space, unsigned worker)
{
    unsigned columns = m->rules.columns;
    if (lane->hashes && tk_scope_set_nodes(lane, space, false))
        return TK_ENOMEM;
    bool begin = columns & TK_SLICE_BEGIN, place = columns & TK_SLICE_PLACE, frame = m->rules.frames;
    struct tk_slices slices = {
        .thread = lane->thread,
        .lane = lane->lane,
        .kind = lane->kind,
        .n = space->n,
        .timer = space->timer,
        .key = tk_scope_keys(space),
        .total = space->total,
        .excl = space->excl,
        .outer = columns & TK_SLICE_OUTER ? space->outer : NULL,
        .begin = begin ? space->begin : NULL,
        .end = begin || columns & TK_SLICE_NO_FRAME ? space->end : NULL,
        .id = place ? space->id : NULL,
        .parent = place ? space->parent : NULL,
        .depth = place ? space->depth : NULL,
        .frame = frame ? space->frame : NULL,
        .parts = frame ? space->parts : NULL,
        .n_parts = space->n_parts,
        .node = lane->hashes ? space->node : NULL,
        .paths = lane->hashes ? &lane->paths : NULL,
        .text = lane->texts ? space->text : NULL,
    };
    space->n = space->n_parts = space->n_nodes = 0;
    return slices.n ? m->setup.take(m->setup.ctx, &slices, worker) : 0;
}

/* The slices have to be taken before more are made. */
static bool tk_scope_is_full(const struct tk_slice_space *space)
{
    return space->n + TK_SCOPE_BLOCK > TK_SLICE_SPACE || space->n_parts + TK_SLICE_PARTS_MAX > TK_PART_SPACE;
}

static int tk_scope_run_ops(const struct tk_scope_model *m, struct tk_scope_lane *lane,
                            struct tk_slice_space *space, const struct tk_scope_run *run, unsigned worker)
{
    int rc = 0;
    for (size_t i = 0; i < run->n && rc >= 0;) {
        if (tk_scope_lane_grow(&m->rules, lane, run->n - i))
            return TK_ENOMEM;
        if (!tk_scopes_beyond_count(&lane->beyond))
            i += m->kernel->run(lane, space, run->time + i, run->op + i, run->text ? run->text + i : NULL,
                                run->n - i);
        const bool full = tk_scope_is_full(space);
        if (full)
            rc = tk_scope_flush(m, lane, space, worker);
        if (full || i == run->n || (lane->depth == lane->cap && lane->cap < m->rules.limit))
            continue;
        if (tk_scope_step(&m->rules, lane, space, run->time[i], run->op[i], run->text ? run->text[i] : NULL))
            return TK_ENOMEM;
        i++;
    }
    return rc;
}

/* A run of a lane whose scopes come closed, not by way of this model. */
static int tk_scope_end_closed(struct tk_scope_lane *lane, const struct tk_closed_lane *end)
{
    return end && (tk_scope_lane_reserve(lane, end->n_open) || tk_scope_closed_end(lane, end)) ? -1 : 0;
}

/* One lane's runs of the batch under way. */
static void tk_scope_work(void *ctx, size_t index, unsigned worker)
{
    struct tk_scope_model *m = ctx;
    struct tk_scope_lane *lane = m->active.v[index];
    struct tk_slice_space *space = &m->spaces[worker];
    int rc = tk_scope_enter(lane, space) ? TK_ENOMEM : 0;
    space->n = space->n_parts = space->n_nodes = 0;
    for (size_t i = lane->first_run; i != NO_RUN && rc >= 0; i = m->next.v[i])
        rc = tk_scope_run_ops(m, lane, space, &m->batch->runs[i], worker);
    if (rc >= 0)
        rc = tk_scope_flush(m, lane, space, worker);
    tk_scope_leave(lane, space);
    m->status.v[index] = rc;
}

/* ---- a batch ---- */

/* Appends run i of the batch to those of its lane. */
static int tk_scope_assign(struct tk_scope_model *m, size_t i)
{
    const struct tk_scope_run *run = &m->batch->runs[i];
    struct tk_scope_lane *lane = tk_scope_model_lane(m, run);
    if (!lane || tk_vec_push(&m->next, NO_RUN))
        return -1;
    if (run->closed)
        return tk_scope_end_closed(lane, run->end);
    if (!run->n)
        return 0;
    if (!lane->entries) {
        lane->first_run = i;
        if (tk_vec_push(&m->active, lane))
            return -1;
    } else {
        m->next.v[lane->last_run] = i;
    }
    if (!lane->seen)
        lane->first = run->time[0];
    lane->seen = true;
    lane->last_run = i;
    lane->entries += run->n;
    return 0;
}

static int tk_scope_by_size(const void *a, const void *b)
{
    const struct tk_scope_lane *x = *(struct tk_scope_lane *const *)a, *y = *(struct tk_scope_lane *const *)b;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

static int tk_scope_work_all(struct tk_scope_model *m, struct tk_err *err)
{
    for (unsigned i = 0; i < tk_pool_jobs(m->setup.pool); i++)
        if (tk_scope_learn_keys(&m->spaces[i]))
            return tk_err_nomem(err, "scopes");
    qsort(m->active.v, m->active.n, sizeof *m->active.v, tk_scope_by_size);
    tk_pool_run(m->setup.pool, tk_scope_work, m, m->active.n);
    for (size_t i = 0; i < m->active.n; i++)
        m->active.v[i]->entries = 0;
    for (size_t i = 0; i < m->active.n; i++) {
        int rc = m->status.v[i];
        if (rc < 0)
            return rc == TK_ENOMEM ? tk_err_nomem(err, "scopes")
                                   : tk_err_set(err, rc, "scopes cannot be taken");
    }
    return TK_OK;
}

/* Nodes of the lanes of the batch. Those of the others do not change, and there may be thousands of them. */
static size_t tk_scope_active_nodes(const struct tk_scope_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->active.n; i++)
        n += tk_paths_count(&m->active.v[i]->paths);
    return n;
}

/* Nodes that a lane has in any case where lanes fold their paths: a share, and as many as it once had, so
 * that what others have does not make it fold those that it uses. */
static size_t tk_scope_least_nodes(const struct tk_scope_model *m, struct tk_scope_lane *lane)
{
    const size_t count = tk_paths_count(&lane->paths);
    const uint64_t share = m->setup.limits->tree_nodes / SHARED / m->lanes.n;
    lane->most_nodes = count > lane->most_nodes ? count : lane->most_nodes;
    return share > lane->most_nodes && share < UINT32_MAX ? (size_t)share : lane->most_nodes;
}

/* Shares out the nodes that are left. A batch can take a few more, so that the lanes need not ask each other.
 */
static void tk_scope_limit_paths(const struct tk_scope_model *m)
{
    const size_t used = m->nodes;
    for (size_t i = 0; i < m->active.n; i++) {
        struct tk_paths *paths = &m->active.v[i]->paths;
        const size_t least = m->folding.fold ? tk_scope_least_nodes(m, m->active.v[i]) : 0;
        uint64_t left = m->setup.limits->tree_nodes > used ? m->setup.limits->tree_nodes - used : 0;
        paths->limit = tk_paths_count(paths) + (size_t)(left < UINT32_MAX / 2 ? left : UINT32_MAX / 2);
        paths->limit = paths->limit < least ? least : paths->limit;
    }
}

int tk_scope_model_feed(struct tk_scope_model *m, const struct tk_batch *batch, struct tk_err *err)
{
    m->batch = batch;
    m->next.n = m->active.n = 0;
    for (size_t i = 0; i < batch->n_runs; i++)
        if (tk_scope_assign(m, i))
            return tk_err_nomem(err, "scopes");
    if (!m->active.n)
        return TK_OK;
    if (m->rules.columns & TK_SLICE_PATH)
        tk_scope_limit_paths(m);
    if (tk_vec_reserve(&m->status, m->active.n))
        return tk_err_nomem(err, "scopes");
    m->nodes -= tk_scope_active_nodes(m);
    const int rc = tk_scope_work_all(m, err);
    m->nodes += tk_scope_active_nodes(m);
    return rc;
}

/* ---- the end ---- */

static const char *tk_scope_owner(const struct tk_lane_end *end)
{
    static const char *const owners[] = {"thread", "GPU queue", "work of GPU queue"};
    return owners[end->kind];
}

static void tk_scope_note(struct tk_health *health, enum tk_health_kind kind, uint64_t n,
                          const struct tk_lane_end *end, const char *one, const char *more)
{
    if (n)
        tk_health_note(health, kind, TK_NO_OFFSET, n, "%s %" PRIu32 ": %" PRIu64 " %s", tk_scope_owner(end),
                       end->thread, n, n == 1 ? one : more);
}

static void tk_scope_note_lane(struct tk_health *health, const struct tk_lane_end *end, uint64_t limit)
{
    tk_scope_note(health, TK_HEALTH_SCOPE_END_UNMATCHED, end->unmatched, end, "scope end without a begin",
                  "scope ends without a begin");
    tk_scope_note(health, TK_HEALTH_SCOPE_OPEN, end->n_open + end->n_lost, end, "scope without an end",
                  "scopes without an end");
    tk_scope_note(health, TK_HEALTH_TIME_BACKWARDS, end->raised, end, "time that goes backwards",
                  "times that go backwards");
    if (end->too_deep)
        tk_health_limit(health, TK_LIMIT_open_scopes, TK_NO_OFFSET, end->too_deep,
                        "%s %" PRIu32 ": %" PRIu64 " scopes inside %" PRIu64 " others are not timed",
                        tk_scope_owner(end), end->thread, end->too_deep, limit);
}

int tk_scope_model_finish(struct tk_scope_model *m, struct tk_health *health,
                          int (*tell)(void *ctx, const struct tk_lane_end *end, struct tk_err *err),
                          void *ctx, struct tk_err *err)
{
    for (size_t i = 0; i < m->lanes.n; i++) {
        struct tk_scope_lane *lane = m->lanes.v[i];
        if (!lane || !lane->seen)
            continue;
        struct tk_open_scope *open = malloc((lane->depth + 1) * sizeof *open);
        if (!open)
            return tk_err_nomem(err, "open scopes");
        struct tk_lane_end end = tk_scope_lane_end(lane, open);
        if (tk_scope_open_nodes(lane, open)) {
            free(open);
            return tk_err_nomem(err, "open scopes");
        }
        tk_scope_note_lane(health, &end, m->rules.limit);
        tk_paths_settle(&lane->paths);
        int rc = tell(ctx, &end, err);
        free(open);
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}

bool tk_scope_model_span(const struct tk_scope_model *m, int64_t *first, int64_t *last)
{
    bool any = false;
    for (size_t i = 0; i < m->lanes.n; i++) {
        const struct tk_scope_lane *lane = m->lanes.v[i];
        if (!lane || !lane->seen)
            continue;
        *first = any && *first < lane->first ? *first : lane->first;
        *last = any && *last > lane->last ? *last : lane->last;
        any = true;
    }
    return any;
}
