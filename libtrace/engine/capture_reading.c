/*
 * One reading: facts to dictionary and builders, scopes to the scope model and as slices to builders, then
 * the rows.
 */
#include "engine/dict_source.h"
#include "engine/engine_in.h"
#include "kept/kept_reading.h"
#include "model/scopes/scope_lane.h"
#include "model/threads/work_kind.h"
#include "query/context_cells.h"
#include "query/select.h"

struct reading {
    struct tk_run *run;
    struct tk_run_table *tables; /* borrowed from the run */
    size_t n;
    struct tk_dict dict;
    struct tk_dict threads; /* names alone, which change with facts of threads alone: others read them */
    struct tk_request request;
    struct tk_closed_taker closed;
    struct tk_dict_source pull;
    struct tk_scope_model *model;         /* NULL without scopes */
    struct tk_kept_reading *kept;         /* NULL: nothing is kept */
    struct tk_recorded_waits reported;    /* where view.reported is set */
    bool opened;                          /* builders are */
    TK_VEC(const struct tk_table *) rows; /* whose rows are facts of the format */
    struct tk_seen seen;
};

/* ---- slices ---- */

static int take_capture_reading(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct reading *r = ctx;
    bool reported = r->run->view.reported && slices->kind == TK_LANE_THREAD;
    if (reported && tk_recorded_waits_take(&r->reported, slices))
        return TK_ENOMEM;
    for (size_t i = 0; i < r->n; i++) {
        const struct tk_scope_hooks *scopes = r->tables[i].builder->scopes;
        const bool takes = scopes && scopes->take && r->tables[i].lanes >> slices->kind & 1;
        int rc = takes ? scopes->take(r->tables[i].self, slices, worker) : TK_OK;
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}

static int take_closed(void *ctx, const struct tk_closed_scopes *closed, unsigned worker)
{
    const struct tk_slices slices = tk_scope_closed_slices(closed);
    return take_capture_reading(ctx, &slices, worker);
}

/* ---- what is requested ---- */

/* Does a table want rows of the format that are not its own? */
static bool wants_all_rows(const struct reading *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->tables[i].needs.facts & TK_FACT_MASK(ROW) && !r->tables[i].needs.rows)
            return true;
    return false;
}

static int row_tables(struct reading *r, struct tk_err *err)
{
    const struct tk_format *format = r->run->view.ctx->format;
    bool all = format && format->row_tables && wants_all_rows(r);
    int rc = TK_OK;
    for (size_t i = 0; all && format->row_tables[i] && rc == TK_OK; i++)
        rc = tk_vec_push(&r->rows, format->row_tables[i]);
    for (size_t i = 0; !all && i < r->n && rc == TK_OK; i++)
        if (r->tables[i].needs.rows)
            rc = tk_vec_push(&r->rows, r->tables[i].needs.rows);
    return rc == TK_OK ? TK_OK : tk_err_nomem(err, "the tables of a query");
}

/* A source may ask this of threads whose name it has not reported yet, which is why a scan was made before;
 * and while tables take what it reported before. */
static bool want_thread(void *ctx, uint32_t thread)
{
    const struct reading *r = ctx;
    return tk_select_thread(r->run->view.select, &r->threads, thread);
}

static int name_threads(struct reading *r, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; r->request.want_thread && i < batch->n_facts && rc == TK_OK; i++)
        if (batch->facts[i].kind == TK_FACT_THREAD)
            rc = tk_dict_feed(&r->threads, &batch->facts[i], err);
    return rc;
}

/* Has each lane sums of its own, which are no worker's? */
static bool sums_lanes(const struct tk_query *query)
{
    return query->by & (TK_BY_THREAD | TK_BY_CLASS);
}

/* Facts that are wanted by tables that judge alone. */
static uint64_t judged_alone(const struct reading *r)
{
    uint64_t facts[2] = {0, 0};
    for (size_t i = 0; i < r->n; i++)
        facts[r->tables[i].needs.order == TK_NEEDS_LAST] |= r->tables[i].needs.facts;
    return facts[1] & ~facts[0];
}

/* Is it about the end of a capture that was opened in part? */
static bool reads_end(const struct reading *r)
{
    const struct tk_context *ctx = r->run->view.ctx;
    return ctx->part[0] && !ctx->front && r->run->view.query->in_passing;
}

/* From the first selected time to the last one. */
static int find_times(void *self, struct tk_range *out, struct tk_err *err)
{
    const struct reading *r = self;
    const struct tk_select *select = &r->run->select;
    const int rc = tk_run_compile(r->run, err);
    *out = (struct tk_range){INT64_MIN, INT64_MAX};
    if (rc == TK_OK && !select->all_time && select->n_ranges)
        *out = (struct tk_range){select->ranges[0].from, select->ranges[select->n_ranges - 1].to};
    return rc;
}

/* Of what is kept of the capture it takes as much as its tables can do with. */
static int begin_kept(struct reading *r, struct tk_err *err)
{
    struct tk_kept_purpose purpose = {.ctx = r->run->view.ctx,
                                      .capture = r->run->view.capture,
                                      .passes_over =
                                          !tk_run_all_time(r->run, (size_t)(r->tables - r->run->tables)),
                                      .times = find_times,
                                      .self = r};
    for (size_t i = 0; i < r->n; i++) {
        const struct tk_needs *needs = &r->tables[i].needs;
        purpose.numbers |= (needs->slices & TK_SLICE_PLACE) != 0;
        if (needs->streams || needs->waits || needs->slices & (TK_SLICE_WHOLE | TK_SLICE_TEXT))
            purpose.passes_over = false;
    }
    return tk_kept_begin(&r->kept, &purpose, &r->request, err);
}

static int make_request(struct reading *r, struct tk_err *err)
{
    const struct tk_query *query = r->run->view.query;
    int rc = row_tables(r, err);
    r->closed = (struct tk_closed_taker){
        .take = take_closed, .ctx = r, .by_source = query->by & TK_BY_SOURCE, .in_order = sums_lanes(query)};
    const bool timed = r->run->view.ctx->kept.cut || tk_selection_has_times(&query->select);
    r->request = tk_reading_request(query, timed, reads_end(r), r->tables, r->n, &r->closed);
    r->request.rows = r->rows.v;
    r->request.n_rows = r->rows.n;
    r->request.decode_only = judged_alone(r);
    if (query->select.n_threads) {
        r->request.want_thread = want_thread;
        r->request.want_ctx = r;
    }
    if (rc == TK_OK)
        rc = begin_kept(r, err);
    return rc;
}

/* ---- scopes ---- */

static int lane_capture_reading(void *ctx, const struct tk_lane_end *end, struct tk_err *err)
{
    struct reading *r = ctx;
    for (size_t i = 0; i < r->n; i++) {
        const struct tk_scope_hooks *scopes = r->tables[i].builder->scopes;
        const bool takes =
            scopes && scopes->lane && (end->kind == TK_LANE_THREAD || r->tables[i].lanes >> end->kind & 1);
        int rc = takes ? scopes->lane(r->tables[i].self, end, err) : TK_OK;
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}

/* The hooks of a table that takes the nodes of slices; NULL: it does not. */
static const struct tk_path_hooks *paths_of(const struct tk_run_table *t)
{
    return t->needs.slices & TK_SLICE_PATH ? &t->builder->scopes->paths : NULL;
}

/* The first table that keeps sums by stack says how often each is used. */
static uint64_t uses_capture_reading(void *ctx, uint32_t lane, uint32_t node)
{
    const struct reading *r = ctx;
    for (size_t i = 0; i < r->n; i++)
        if (paths_of(&r->tables[i]))
            return paths_of(&r->tables[i])->uses(r->tables[i].self, lane, node);
    return 0;
}

static int fold_capture_reading(void *ctx, uint32_t lane, const uint32_t *to, size_t n)
{
    const struct reading *r = ctx;
    for (size_t i = 0; i < r->n; i++) {
        const struct tk_path_hooks *paths = paths_of(&r->tables[i]);
        if (paths && paths->fold(r->tables[i].self, lane, to, n))
            return -1;
    }
    return 0;
}

static uint64_t least_capture_reading(void *ctx, uint32_t lane)
{
    const struct reading *r = ctx;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < r->n; i++)
        if (paths_of(&r->tables[i])) {
            const uint64_t of = paths_of(&r->tables[i])->least(r->tables[i].self, lane);
            least = of < least ? of : least;
        }
    return least;
}

/* Stacks go together where all tables can follow, and nodes are left out where all say which ones they need.
 */
static void set_paths(struct reading *r, struct tk_scope_setup *setup)
{
    bool fold = true, least = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct tk_path_hooks *paths = paths_of(&r->tables[i]);
        fold &= !paths || paths->fold;
        least &= !paths || paths->least;
    }
    setup->uses = fold ? uses_capture_reading : NULL;
    setup->fold = fold ? fold_capture_reading : NULL;
    setup->least = least ? least_capture_reading : NULL;
}

static int open_model(struct reading *r, struct tk_err *err)
{
    const struct tk_query_context *view = &r->run->view;
    struct tk_scope_setup setup = {
        .limits = &view->ctx->limits,
        .select = view->select,
        .frames = view->frames,
        .dict = &r->dict,
        .by_source = view->query->by & TK_BY_SOURCE,
        .pool = view->ctx->pool,
        .take = take_capture_reading,
        .ctx = r,
    };
    for (size_t i = 0; i < r->n; i++)
        setup.columns |= r->tables[i].needs.slices;
    if (setup.columns & TK_SLICE_PATH)
        set_paths(r, &setup);
    return tk_scope_model_open(&r->model, &setup, err);
}

/* ---- facts ---- */

static bool wants_waits(const struct reading *r)
{
    bool waits = false;
    for (size_t i = 0; i < r->n; i++)
        waits |= r->tables[i].needs.waits;
    return waits;
}

/* Builders and the scope model open when the clock is known, because the selection is compiled with it. */
static int open_all(struct reading *r, struct tk_err *err)
{
    struct tk_run *run = r->run;
    int rc = TK_OK;
    if (!run->selected)
        rc = tk_prescan_select(&run->scan, &run->select, &r->dict.clock, &run->view.query->select, err);
    run->selected = true;
    if (wants_waits(r)) {
        tk_recorded_waits_init(&r->reported, run->view.select,
                               tk_query_context_row_limit(&run->view, "waits"));
        run->view.reported = &r->reported;
    }
    for (size_t i = 0; i < r->n && rc == TK_OK; i++) {
        struct tk_run_table *t = &r->tables[i];
        if (t->builder->open)
            rc = t->builder->open(&run->view, t->builder, tk_emit_columns(t->emit), &t->self, err);
    }
    if (rc == TK_OK && r->request.facts & (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES)))
        rc = open_model(r, err);
    r->opened = true;
    return rc;
}

static int feed_tables(struct reading *r, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < r->n && rc == TK_OK; i++) {
        struct tk_run_table *t = &r->tables[i];
        if (!t->builder->feed)
            continue;
        rc = tk_emit_why(t->emit, t->builder->feed(t->self, batch, t->emit, err), err);
        /* Also says what the sink said, which a builder need not know. */
        if (rc == TK_OK && t->needs.streams)
            rc = tk_emit_flush(t->emit, err);
    }
    return rc;
}

static int drain_tables(struct reading *r, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < r->n && rc == TK_OK; i++) {
        struct tk_run_table *t = &r->tables[i];
        const struct tk_scope_hooks *scopes = t->builder->scopes;
        if (!scopes || !scopes->drain)
            continue;
        rc = tk_emit_why(t->emit, scopes->drain(t->self, t->emit, err), err);
        if (rc == TK_OK)
            rc = tk_emit_flush(t->emit, err);
    }
    return rc;
}

/* What tables see of a batch, and what they are given. */
static int feed_seen(void *self, const struct tk_batch *all, struct tk_err *err)
{
    struct reading *r = self;
    struct tk_batch selected;
    const struct tk_batch *batch = &selected;
    int rc = tk_seen_select(&r->seen, all, &selected, err);
    if (rc == TK_OK)
        rc = tk_seen_facts(&r->seen, batch, err);
    if (rc == TK_OK && !r->opened)
        rc = open_all(r, err);
    if (rc == TK_OK && r->run->view.reported && tk_recorded_waits_feed(&r->reported, batch))
        rc = tk_err_nomem(err, "waits");
    if (rc == TK_OK)
        rc = feed_tables(r, batch, err);
    if (rc == TK_OK && r->model && batch->n_runs)
        rc = tk_scope_model_feed(r->model, batch, err);
    return rc == TK_OK ? drain_tables(r, err) : rc;
}

static int give_kept(struct reading *r, const struct tk_batch *batch, struct tk_err *err)
{
    const struct tk_kept_taker taker = {.self = r, .batch = feed_seen, .model = &r->model};
    return tk_kept_batch(r->kept, batch, &taker, err);
}

static int feed_capture_reading(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct reading *r = self;
    const int rc = name_threads(r, batch, err);
    return rc == TK_OK ? give_kept(r, batch, err) : rc;
}

static int finish_model(struct reading *r, struct tk_err *err)
{
    int64_t first, last;
    if (!r->model)
        return TK_OK;
    if (tk_scope_model_span(r->model, &first, &last))
        tk_seen_times(&r->run->view, first, last);
    if (r->request.ends)
        return TK_OK;
    if (r->run->view.reported && tk_recorded_waits_settle(&r->reported, &r->dict))
        return tk_err_nomem(err, "waits");
    return tk_scope_model_finish(r->model, &r->run->view.ctx->health, lane_capture_reading, r, err);
}

/* All names are known now; where a pattern matches none of them, nothing is sent. */
static int check_patterns(struct reading *r, struct tk_err *err)
{
    struct tk_select *select = r->run->view.select;
    int rc = tk_pattern_check_threads(&select->threads, &r->dict, err);
    if (rc == TK_OK && r->model)
        rc = tk_pattern_check_timers(&select->timers, &r->dict, r->request.facts, err);
    if (rc == TK_OK && r->request.facts & TK_FACT_MASK(RECORD_COUNT))
        rc = tk_pattern_check(&select->events, "event", r->seen.events.v, r->seen.events.n, err);
    for (size_t i = 0; i < r->n && rc == TK_OK; i++)
        if (r->tables[i].builder->check)
            rc = r->tables[i].builder->check(r->tables[i].self, r->tables[i].emit, err);
    return rc;
}

/* ---- rows ---- */

static int describe_capture_reading(const struct tk_run *run, struct tk_run_table *t, struct tk_err *err)
{
    struct tk_sink sink = tk_emit_sink(t->emit);
    return run->view.capture->ops->describe(run->view.capture, t->builder->table, &sink, err);
}

static int send_table(struct tk_run *run, struct tk_run_table *t, struct tk_err *err)
{
    int rc = t->needs.streams ? TK_OK : tk_emit_begin(t->emit, err);
    if (rc == TK_OK && tk_builder_is_described(t->builder))
        rc = describe_capture_reading(run, t, err);
    else if (rc == TK_OK && t->builder->finish)
        rc = tk_emit_why(t->emit, t->builder->finish(t->self, t->emit, err), err);
    return rc < 0 ? rc : tk_emit_end(t->emit, err);
}

static int send_all_capture_reading(struct reading *r, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < r->n && rc == TK_OK; i++)
        rc = send_table(r->run, &r->tables[i], err);
    return rc;
}

static int end_capture_reading(void *self, struct tk_err *err)
{
    struct reading *r = self;
    int rc = r->opened ? TK_OK : open_all(r, err);
    if (rc == TK_OK)
        rc = give_kept(r, NULL, err);
    if (rc == TK_OK)
        rc = finish_model(r, err);
    if (rc == TK_OK)
        rc = check_patterns(r, err);
    return rc == TK_OK ? send_all_capture_reading(r, err) : rc;
}

static int read_and_send(struct reading *r, struct tk_err *err)
{
    const struct tk_dict_taker taker = {.self = r, .batch = feed_capture_reading, .end = end_capture_reading};
    int rc = TK_OK;
    for (size_t i = 0; i < r->n && rc == TK_OK; i++)
        rc = r->tables[i].needs.streams ? tk_emit_begin(r->tables[i].emit, err) : TK_OK;
    if (rc < 0)
        return rc;
    r->pull = (struct tk_dict_source){.ctx = r->run->view.ctx, .dict = &r->dict};
    return tk_dict_source_read(&r->pull, r->run->view.capture, &r->request, &taker, err);
}

static void close_all(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct tk_run_table *t = &r->tables[i];
        if (t->self && t->builder->close)
            t->builder->close(t->self);
        t->self = NULL;
    }
    if (r->model)
        tk_scope_model_close(r->model);
    tk_recorded_waits_release(&r->reported);
    r->run->view.reported = NULL;
    tk_dict_release(&r->dict);
    tk_dict_release(&r->threads);
    tk_vec_release(&r->rows);
    tk_seen_release(&r->seen);
    r->run->view.dict = &r->run->nothing;
}

static bool needs_facts(const struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        if (!tk_builder_is_described(r->tables[i].builder))
            return true;
    }
    return false;
}

/* *again: what is known of the capture was wrong, and all has to be read. */
static int run_reading(struct tk_run *run, size_t first, size_t end, bool *again, struct tk_err *err)
{
    struct reading r = {.run = run, .tables = run->tables + first, .n = end - first};
    struct tk_query_context *view = &run->view;
    r.seen = (struct tk_seen){.view = view, .dict = &r.dict, .thread = TK_NO_THREAD};
    bool all_time = tk_run_all_time(run, first);
    view->select = all_time ? &run->whole : &run->select;
    view->listed = all_time ? &run->select : NULL;
    int rc = tk_dict_init(&r.dict, &view->ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_init(&r.threads, &view->ctx->limits, err);
    view->dict = &r.dict;
    view->has_time = false;
    view->first_time = view->last_time = view->from = 0;
    if (rc == TK_OK && run->scan.done)
        rc = tk_dict_learn_threads(&r.dict, &run->scan.dict, err);
    if (rc == TK_OK && run->scan.done)
        rc = tk_dict_learn_threads(&r.threads, &run->scan.dict, err);
    if (rc == TK_OK)
        rc = make_request(&r, err);
    if (rc == TK_OK)
        rc = needs_facts(&r) ? read_and_send(&r, err) : send_all_capture_reading(&r, err);
    tk_dict_source_close(&r.pull); /* before who takes closed scopes */
    *again = tk_kept_done(r.kept, rc);
    close_all(&r);
    return rc;
}

int tk_reading_run(struct tk_run *run, size_t first, size_t end, struct tk_err *err)
{
    bool again = false;
    int rc = run_reading(run, first, end, &again, err);
    return again ? run_reading(run, first, end, &again, err) : rc;
}
