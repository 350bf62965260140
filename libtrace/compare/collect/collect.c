/*
 * Reduces a capture to a run of a baseline: slices are added to sums by timer, which the lanes of a class of
 * threads share unless several workers process them, and to the call paths of their lane. At the end of the
 * reading the sums become one series for each timer and class.
 */
#include "compare/collect/collect.h"

#include "compare/collect/collect_in.h"
#include "model/timers/thread_class.h"

#include <stdlib.h>

static const struct tk_column columns[] = {{"run", TK_UINT, 0, NULL, "runs"}};

static const struct tk_table table = {
    .name = "collected run", .help = "data stored for a run", .columns = columns, .n_columns = 1};

struct lane {
    size_t class;
    size_t number; /* in its class */
    struct tk_lane_paths paths;
};

struct collect {
    const struct tk_query_context *view;
    struct tk_base_run *run;     /* borrowed */
    struct tk_dict threads;      /* as they are called at the end: no class changes while it is read */
    TK_VEC(struct lane *) lanes; /* owned; by lane, NULL where nothing was met */
    TK_VEC(struct tk_collect_class) classes;
    struct tk_map class_index; /* kind, queue and name -> index in classes */
    unsigned workers;
    struct tk_collect_frames frames;
    struct tk_collect_watch watch;
    struct tk_collect_values values;
    struct tk_collect_memory memory;
    struct tk_collect_loading loading;
    struct tk_collect_samples samples;
    struct tk_work_rules work;
    struct tk_loading_frames screens; /* loading screens */
};

void tk_collect_init(struct tk_collect *c, struct tk_base_run *run)
{
    static const char *const names[] = {"collected run"};
    *c = (struct tk_collect){.query = TK_INIT(struct tk_query), .run = run};
    c->query.tables = names;
    c->query.n_tables = 1;
}

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    needs->lists.moments = tk_collect_samples_has(view);
}

/* ---- lanes and classes ---- */

static int open_collect(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct collect *c = calloc(1, sizeof *c);
    (void)builder;
    (void)wanted;
    if (!c)
        return tk_err_nomem(err, "a run");
    *self = c;
    c->view = view;
    const struct tk_collect *requested = (const struct tk_collect *)(const void *)view->query;
    c->run = requested->run;
    tk_collect_watch_init(&c->watch, requested->watch, &c->frames);
    c->run->frequency = view->dict->clock.frequency ? view->dict->clock.frequency : UINT64_C(1000000000);
    c->workers = tk_pool_jobs(view->ctx->pool);
    tk_loading_frames_init(&c->screens, view, &c->work);
    if (tk_work_list_parse(&c->work.list, NULL, err) < 0)
        return TK_ENOMEM;
    int rc = tk_dict_init(&c->threads, &view->ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_learn_threads(&c->threads, view->dict, err);
    if (rc == TK_OK)
        rc = tk_collect_frames_init(&c->frames, view, c->run, err);
    if (rc == TK_OK)
        rc = tk_collect_values_init(&c->values, view, c->run, &c->frames, c->watch.of, err);
    if (rc == TK_OK) {
        if (tk_collect_memory_init(&c->memory, view, &c->frames, c->watch.of))
            rc = tk_err_nomem(err, "memory");
        tk_collect_loading_init(&c->loading, view, c->run);
        if (rc == TK_OK && tk_collect_samples_init(&c->samples, view, &c->frames))
            rc = tk_err_nomem(err, "samples");
    }
    return rc;
}

static int make_class(struct collect *c, const struct tk_collect_class *like)
{
    struct tk_collect_class class = *like;
    class.calls = calloc(c->workers, sizeof *class.calls);
    bool good = class.calls;
    for (unsigned i = 0; class.calls && i < c->workers; i++) {
        tk_collect_calls_init(&class.calls[i], &c->frames);
        good &= !tk_watched_sums_init(&class.calls[i].watched, &c->watch, like->kind, like->name);
    }
    if (good && !tk_vec_push(&c->classes, class))
        return 0;
    for (unsigned i = 0; class.calls && i < c->workers; i++)
        tk_collect_calls_release(&class.calls[i]);
    free(class.calls);
    return -1;
}

/* The class of a lane, made on first use, in *out: 0, or -1 if out of memory. */
static int find_class(struct collect *c, const struct tk_scope_run *run, size_t *out)
{
    struct tk_collect_class want = {.kind = run->kind, .queue = run->thread};
    if (run->kind == TK_LANE_THREAD) {
        const struct tk_thread *t = tk_dict_thread(&c->threads, run->thread);
        want.queue = 0;
        want.name = t ? tk_thread_class(&c->run->names, t->displayed, t->info.group) : NULL;
        if (!want.name)
            return -1;
    }
    const uint64_t parts[] = {want.kind, want.queue, (uint64_t)(uintptr_t)want.name};
    uint64_t key = tk_hash_bytes(parts, sizeof parts, 0);
    uint32_t at = tk_map_get(&c->class_index, key);
    *out = at == TK_MAP_NONE ? c->classes.n : at;
    return at == TK_MAP_NONE && (tk_map_put(&c->class_index, key, (uint32_t)*out) || make_class(c, &want))
               ? -1
               : 0;
}

static struct lane *lane_at(struct collect *c, const struct tk_scope_run *run)
{
    if (tk_vec_reserve(&c->lanes, (size_t)run->lane + 1))
        return NULL;
    while (c->lanes.n <= run->lane)
        c->lanes.v[c->lanes.n++] = NULL;
    if (c->lanes.v[run->lane])
        return c->lanes.v[run->lane];
    struct lane *lane = c->lanes.v[run->lane] = calloc(1, sizeof *lane);
    if (!lane || find_class(c, run, &lane->class))
        return NULL;
    lane->number = c->classes.v[lane->class].lanes++;
    return lane;
}

/* ---- reading ---- */

static int feed_collect(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct collect *c = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs; i++)
        if (!lane_at(c, &batch->runs[i]))
            return tk_err_nomem(err, "a run");
    if (tk_collect_watch_feed(&c->watch, batch) || tk_work_learn(&c->work, c->view->dict) ||
        tk_loading_frames_feed(&c->screens, batch))
        return tk_err_nomem(err, "a run");
    int rc = tk_collect_values_feed(&c->values, batch, err);
    if (rc == TK_OK)
        rc = tk_collect_memory_feed(&c->memory, batch, err);
    if (rc == TK_OK && tk_collect_samples_feed(&c->samples, batch))
        rc = tk_err_nomem(err, "samples");
    return rc == TK_OK ? tk_collect_loading_feed(&c->loading, batch, err) : rc;
}

static int take_collect(void *self, const struct tk_slices *s, unsigned worker)
{
    struct collect *c = self;
    struct lane *lane = c->lanes.v[s->lane];
    const struct tk_collect_class *class = &c->classes.v[lane->class];
    /* whose sums these are is the same in the end, but few lanes need no sums of all workers */
    struct tk_collect_calls *calls = &class->calls[class->lanes <= c->workers ? lane->number : worker];
    if (s->kind == TK_LANE_GPU_WORK)
        return TK_OK;
    if (tk_loading_frames_take(&c->screens, s))
        return TK_ENOMEM;
    if (tk_collect_samples_take(&c->samples, s) || tk_collect_calls_take(calls, s) ||
        tk_lane_paths_take(&lane->paths, s, calls->parts.v))
        return TK_ENOMEM;
    return TK_OK;
}

/* ---- the end ---- */

/* For the series of the timers of a lane. */
struct timers_of_lane {
    struct tk_collect_series *series;
    struct tk_collect_class *class;
};

/* NULL for a timer none of whose scopes has ended. */
static const struct tk_series *timer_of_collect(void *ctx, uint32_t timer)
{
    const struct timers_of_lane *of = ctx;
    uint32_t at;
    int rc = tk_collect_series_find(of->series, of->class, timer, &at);
    return rc > 0 ? of->series->run->series.v[at] : NULL;
}

static int add_paths(struct collect *c, struct tk_collect_series *series)
{
    struct tk_collect_paths paths;
    int rc = 0;
    tk_collect_paths_init(&paths, c->run, (size_t)c->view->ctx->limits.tree_nodes);
    for (size_t i = 0; i < c->lanes.n && rc == 0; i++) {
        struct lane *lane = c->lanes.v[i];
        if (!lane || c->classes.v[lane->class].kind == TK_LANE_GPU_WORK)
            continue;
        struct timers_of_lane of = {series, &c->classes.v[lane->class]};
        rc = tk_collect_paths_add(&paths, &lane->paths, timer_of_collect, &of);
        tk_lane_paths_release(&lane->paths);
    }
    if (rc == 0)
        rc = tk_collect_paths_finish(&paths);
    c->run->lost_calls = paths.left_out;
    tk_collect_paths_release(&paths);
    return rc;
}

static int add_scopes(struct collect *c)
{
    struct tk_collect_series series = {.run = c->run, .dict = c->view->dict};
    int rc = 0;
    for (size_t i = 0; i < c->classes.n && rc == 0; i++)
        rc = tk_collect_series_add(&series, &c->classes.v[i], c->workers);
    if (rc == 0)
        rc = add_paths(c, &series);
    if (rc == 0)
        tk_collect_series_settle(c->run);
    tk_collect_series_release(&series);
    return rc;
}

static int finish_collect(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct collect *c = self;
    c->run->duration = c->view->last_time > 0 ? (uint64_t)c->view->last_time : 0;
    if (tk_collect_frames_judge(&c->frames, &c->screens) || tk_collect_frames_end(&c->frames, c->view))
        return tk_err_nomem(err, "a run");
    if (add_scopes(c) || tk_collect_session(c->run, c->view->dict) ||
        tk_collect_end(c->run, c->view->frames, c->values.fatal, c->values.fatal_at))
        return tk_err_nomem(err, "a run");
    int rc = tk_collect_values_finish(&c->values, err);
    if (rc == TK_OK)
        rc = tk_collect_memory_finish(&c->memory, emit, err);
    if (rc == TK_OK)
        rc = tk_collect_loading_finish(&c->loading, err);
    if (rc == TK_OK && tk_collect_samples_finish(&c->samples))
        rc = tk_err_nomem(err, "samples");
    if (rc == TK_OK)
        rc = tk_base_run_tidy(c->run) ? tk_err_nomem(err, "a run") : TK_OK;
    return rc;
}

static void release_lanes(struct collect *c)
{
    for (size_t i = 0; i < c->lanes.n; i++) {
        if (!c->lanes.v[i])
            continue;
        tk_lane_paths_release(&c->lanes.v[i]->paths);
        free(c->lanes.v[i]);
    }
    tk_vec_release(&c->lanes);
}

static void release_classes(struct collect *c)
{
    for (size_t i = 0; i < c->classes.n; i++) {
        struct tk_collect_class *class = &c->classes.v[i];
        for (unsigned k = 0; k < c->workers; k++)
            tk_collect_calls_release(&class->calls[k]);
        free(class->calls);
        tk_map_release(&class->series);
    }
    tk_vec_release(&c->classes);
    tk_map_release(&c->class_index);
}

static void close_collect(void *self)
{
    struct collect *c = self;
    release_lanes(c);
    release_classes(c);
    tk_dict_release(&c->threads);
    tk_collect_frames_release(&c->frames);
    tk_collect_watch_release(&c->watch);
    tk_collect_values_release(&c->values);
    tk_collect_memory_release(&c->memory);
    tk_collect_loading_release(&c->loading);
    tk_collect_samples_release(&c->samples);
    tk_loading_frames_release(&c->screens);
    tk_work_rules_release(&c->work);
    free(c);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_collect};

const struct tk_builder tk_builder_collect = {
    .table = &table,
    /* NOLINTBEGIN(misc-redundant-expression): parts that want the same facts */
    .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(FRAME) |
                       TK_FACT_MASK(LOG) | TK_COLLECT_VALUES_FACTS | TK_COLLECT_MEMORY_FACTS |
                       TK_COLLECT_LOADING_FACTS | TK_COLLECT_SAMPLES_FACTS,
              .slices =
                  TK_LOADING_SLICES | TK_SLICE_OUTER | TK_SLICE_FRAME | TK_SLICE_NO_FRAME | TK_SLICE_PATH,
              .order = TK_NEEDS_SEQ_ORDER,
              .lists = {.regions = true, .frames = TK_NEEDS_UNIT}},
    /* NOLINTEND(misc-redundant-expression) */
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_collect,
    .feed = feed_collect,
    .finish = finish_collect,
    .close = close_collect,
};
