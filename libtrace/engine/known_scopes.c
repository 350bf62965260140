/*
 * Readings and what is known.
 */
#include "engine/dict_source.h"
#include "engine/engine_in.h"

#include <stdlib.h>

/*
 * The recorder.
 */

void tk_scope_recorder_begin(struct tk_scope_recorder *r, struct tk_context *ctx, uint64_t mask)
{
    *r = (struct tk_scope_recorder){.ctx = ctx, .mask = mask, .least = INT64_MAX, .greatest = INT64_MIN};
}

static void keep_facts(struct tk_scope_recorder *r, const struct tk_batch *batch)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (!(r->mask >> fact->kind & 1))
            continue;
        tk_kept_fact_put(&r->facts, fact);
        r->n_facts++;
    }
}

/* The first time that counts in a run: lanes do not go back. */
static void see_run(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                    const struct tk_scope_run *run)
{
    const int64_t last = tk_scope_model_last(m, run->lane);
    if (run->kind != TK_LANE_THREAD || run->closed || tk_vec_reach(&r->changed, (size_t)run->lane + 1)) {
        r->failed = true;
        return;
    }
    r->changed.v[run->lane] = 1;
    for (size_t i = 0; i < run->n; i++) {
        if (run->time[i] == INT64_MIN)
            continue;
        const int64_t first = run->time[i] > last ? run->time[i] : last;
        r->least = first < r->least ? first : r->least;
        return;
    }
}

void tk_scope_recorder_before(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                              const struct tk_batch *batch)
{
    if (!r->ctx || r->failed)
        return;
    keep_facts(r, batch);
    for (size_t i = 0; i < batch->n_runs && m; i++)
        see_run(r, m, &batch->runs[i]);
}

/* ---- points ---- */

/* Open scopes that are the same as before, from the outermost on. */
static size_t same(const struct tk_lane_state *a, const struct tk_lane_state *b)
{
    size_t n = 0;
    while (n < a->open.n && n < b->open.n && a->open.v[n].id == b->open.v[n].id &&
           tk_state_scope_is(&a->open.v[n], b->open.v[n].begin, b->open.v[n].op))
        n++;
    return n;
}

static void put_lane(struct tk_scope_recorder *r, uint32_t lane)
{
    struct tk_kept_bytes *out = &r->lane_bytes;
    const struct tk_lane_state *now = &r->now;
    const size_t kept = same(now, &r->lanes.v[lane]);
    tk_kept_put(out, lane);
    tk_kept_put(out, now->thread);
    tk_kept_put(out, now->kind);
    tk_kept_put_signed(out, now->first);
    tk_kept_put_signed(out, now->last);
    tk_kept_put(out, now->begun);
    tk_kept_put(out, now->unmatched);
    tk_kept_put(out, now->raised);
    tk_kept_put(out, now->max_depth);
    tk_kept_put(out, kept);
    tk_kept_put(out, now->open.n - kept);
    for (size_t k = kept; k < now->open.n; k++) {
        tk_kept_put_signed(out, (int64_t)((uint64_t)now->last - (uint64_t)now->open.v[k].begin));
        tk_kept_put(out, now->begun - now->open.v[k].id);
        tk_kept_put(out, now->open.v[k].op);
    }
}

static bool put_lanes(struct tk_scope_recorder *r, const struct tk_scope_model *m)
{
    r->lane_bytes.bytes.n = 0;
    if (tk_vec_reach(&r->lanes, r->changed.n))
        return false;
    for (uint32_t i = 0; i < r->changed.n; i++) {
        if (!r->changed.v[i])
            continue;
        if (tk_scope_model_state(m, i, &r->now) != TK_OK || !r->now.seen)
            return false;
        put_lane(r, i);
        const struct tk_lane_state old = r->lanes.v[i];
        r->lanes.v[i] = r->now;
        r->now = old;
        r->greatest = r->lanes.v[i].last > r->greatest ? r->lanes.v[i].last : r->greatest;
        r->changed.v[i] = 0;
    }
    tk_kept_put(&r->points, r->lane_bytes.bytes.n);
    tk_kept_put_bytes(&r->points, r->lane_bytes.bytes.v, r->lane_bytes.bytes.n);
    return !r->lane_bytes.failed;
}

/* The greatest time is reported with the lanes that it is found of. */
static void see_greatest(struct tk_scope_recorder *r, const struct tk_scope_model *m)
{
    for (uint32_t i = 0; i < r->changed.n; i++) {
        const int64_t last = r->changed.v[i] ? tk_scope_model_last(m, i) : INT64_MIN;
        r->greatest = last > r->greatest ? last : r->greatest;
    }
}

void tk_scope_recorder_after(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                             const struct tk_batch *batch)
{
    if (!r->ctx || r->failed || !m || !batch->to)
        return;
    r->ended = false;
    if (!batch->n_state)
        return;
    see_greatest(r, m);
    tk_kept_put(&r->points, batch->to - r->place);
    tk_kept_put_signed(&r->points, r->least);
    tk_kept_put_signed(&r->points, r->greatest);
    tk_kept_put(&r->points, batch->n_state);
    tk_kept_put_bytes(&r->points, batch->state, batch->n_state);
    r->numbers = tk_scope_model_numbers(m);
    r->failed = !put_lanes(r, m) || r->points.failed || r->points.bytes.n > r->ctx->known->most;
    r->place = batch->to;
    r->least = INT64_MAX;
    r->ended = true;
}

/* ---- the end ---- */

static bool is_well(const struct tk_context *ctx)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        if (ctx->health.counts[i] != (ctx->opened ? ctx->opened->counts[i] : 0))
            return false;
    return true;
}

void tk_scope_recorder_end(struct tk_scope_recorder *r)
{
    if (!r->ctx || r->failed || !r->ended || r->facts.failed || !is_well(r->ctx))
        return;
    struct tk_kept_bytes *out = &r->ctx->known->made[TK_KEPT_SCOPES];
    tk_kept_release(out);
    tk_kept_put(out, r->mask);
    tk_kept_put(out, r->numbers);
    tk_kept_put(out, r->n_facts);
    tk_kept_put_bytes(out, r->facts.bytes.v, r->facts.bytes.n);
    tk_kept_put_bytes(out, r->points.bytes.v, r->points.bytes.n);
    if (out->failed || out->bytes.n > r->ctx->known->most)
        tk_kept_release(out);
}

void tk_scope_recorder_release(struct tk_scope_recorder *r)
{
    for (size_t i = 0; i < r->lanes.n; i++)
        tk_vec_release(&r->lanes.v[i].open);
    tk_vec_release(&r->now.open);
    tk_vec_release(&r->lanes);
    tk_vec_release(&r->changed);
    tk_kept_release(&r->facts);
    tk_kept_release(&r->points);
    tk_kept_release(&r->lane_bytes);
    *r = (struct tk_scope_recorder){0};
}

/* Facts that no event has to be declared for. */
#define UNDECLARED                                                                                           \
    (TK_KEPT_FACTS | TK_FACT_MASK(STREAM) | TK_FACT_MASK(RECORD) | TK_FACT_MASK(RECORD_COUNT) |              \
     TK_FACT_MASK(ROW))

/* Of facts that are requested, those that there may be. */
static uint64_t that_may_be(const struct tk_capture *capture, uint64_t facts)
{
    uint64_t may = 0;
    for (unsigned i = 0; i < TK_FACT_COUNT; i++)
        if (facts >> i & 1 && (UNDECLARED >> i & 1 || capture->ops->may_have(capture, UINT64_C(1) << i)))
            may |= UINT64_C(1) << i;
    return may;
}

/* A reading in the order of the file, of events. */
static bool is_plain(const struct tk_request *request)
{
    return request->order == TK_ORDER_FILE && !request->ends && !request->n_rows;
}

/* ---- all but scopes ---- */

static bool answers_facts(const struct tk_scope_memory *m, uint64_t facts)
{
    return m->there && facts && !(facts & ~m->mask);
}

/* ---- scopes ---- */

static bool wants_numbers(const struct tk_run *run, size_t first, size_t n)
{
    unsigned slices = 0;
    for (size_t i = first; i < first + n; i++)
        slices |= run->tables[i].needs.slices;
    return slices & TK_SLICE_PLACE;
}

/* Do the tables take scopes in a way that holds when most are passed over? */
static bool can_pass_over(const struct tk_run *run, size_t first, size_t n)
{
    if (wants_numbers(run, first, n) && !run->memory.numbers)
        return false;
    for (size_t i = first; i < first + n; i++) {
        const struct tk_needs *needs = &run->tables[i].needs;
        if (needs->streams || needs->waits || needs->slices & (TK_SLICE_WHOLE | TK_SLICE_TEXT))
            return false;
    }
    return !tk_run_all_time(run, first);
}

static int take_clock(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    (void)self;
    (void)batch;
    (void)err;
    return TK_OK;
}

/* The selection, which is compiled with the clock: that is among what captures define. */
static int compile(struct tk_run *run, struct tk_err *err)
{
    struct tk_query_context *view = &run->view;
    struct tk_dict dict = {.clock = {.frequency = 0}};
    const struct tk_dict_taker taker = {NULL, take_clock, NULL};
    const struct tk_request nothing = {.facts = 0};
    struct tk_dict_source source = {.ctx = view->ctx, .dict = &dict};
    if (run->selected)
        return TK_OK;
    int rc = tk_dict_init(&dict, &view->ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_source_read(&source, view->capture, &nothing, &taker, err);
    tk_dict_source_close(&source);
    if (rc == TK_OK)
        rc = tk_prescan_select(&run->scan, &run->select, &dict.clock, &view->query->select, err);
    run->selected = rc == TK_OK;
    tk_dict_release(&dict);
    return rc;
}

static int plan(struct tk_known_scopes *k, struct tk_run *run, const struct tk_scope_memory *m,
                struct tk_request *request, struct tk_err *err)
{
    int rc = compile(run, err);
    const struct tk_select *select = &run->select;
    const bool timed = !select->all_time && select->n_ranges;
    if (rc < 0 || (!timed && !request->want_thread))
        return rc;
    rc = tk_scope_memory_plan(m, timed ? select->ranges[0].from : INT64_MIN,
                              timed ? select->ranges[select->n_ranges - 1].to : INT64_MAX, &k->plan);
    if (rc == TK_ENOMEM)
        return tk_err_nomem(err, "what is known of the capture");
    if (rc < 0)
        return TK_OK;
    k->planned = true;
    k->memory = m;
    k->facts = request->facts & m->mask;
    request->facts = TK_FACT_MASK(SCOPES);
    request->resume = k->plan.pieces.v;
    request->n_resume = k->plan.pieces.n;
    return TK_OK;
}

/* ---- recording ---- */

static void record(struct tk_known_scopes *k, struct tk_run *run, const struct tk_scope_memory *m,
                   bool numbers, struct tk_request *request)
{
    struct tk_context *ctx = run->view.ctx;
    const uint64_t known = request->facts & TK_KEPT_FACTS;
    const bool more = known & ~m->mask || !m->there || (numbers && !m->numbers);
    if (!ctx->known || !ctx->known->makes || request->want_thread || !more)
        return;
    /* what is counted of threads would count what is brought along */
    k->extra = request->facts & TK_FACT_MASK(STREAM) ? 0 : TK_KEPT_EXTRA & ~known;
    if (m->there && (m->mask & ~(known | k->extra) || m->numbers > numbers))
        return; /* it would know less of something else */
    request->facts |= k->extra;
    request->extra = k->extra;
    request->states = true;
    tk_scope_recorder_begin(&k->recorder, ctx, known | k->extra);
}

int tk_known_scopes_ask(struct tk_known_scopes *k, struct tk_run *run, size_t first, size_t n,
                        struct tk_request *request, struct tk_err *err)
{
    const struct tk_scope_memory *m = &run->memory;
    const uint64_t requested = request->facts & ~TK_FACT_DEFINITIONS;
    if (!is_plain(request) || run->view.reported)
        return TK_OK;
    if (!(requested & TK_FACT_MASK(SCOPES))) {
        if (answers_facts(m, requested)) {
            k->memory = m;
            k->facts = requested;
            request->facts = 0;
            run->view.ctx->read = true;
        }
        return TK_OK;
    }
    const uint64_t others = that_may_be(run->view.capture, requested) & ~TK_FACT_MASK(SCOPES);
    if (m->there && !(others & ~m->mask) && can_pass_over(run, first, n)) {
        int rc = plan(k, run, m, request, err);
        if (rc < 0 || k->planned)
            return rc;
    }
    record(k, run, m, wants_numbers(run, first, n), request);
    return TK_OK;
}

/* ---- batches ---- */

int tk_known_scopes_see(struct tk_known_scopes *k, const struct tk_scope_model *m,
                        const struct tk_batch *batch, struct tk_batch *own, struct tk_err *err)
{
    *own = *batch;
    tk_scope_recorder_before(&k->recorder, m, batch);
    if (!k->extra || !batch->n_facts)
        return TK_OK;
    k->own.n = 0;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (!(k->extra >> batch->facts[i].kind & 1) && tk_vec_push(&k->own, batch->facts[i]))
            return tk_err_nomem(err, "facts");
    own->facts = k->own.v;
    own->n_facts = k->own.n;
    return TK_OK;
}

int tk_known_scopes_give(struct tk_known_scopes *k, struct tk_batch *batch, struct tk_err *err)
{
    if (!k->memory || k->given)
        return TK_OK;
    k->given = true;
    k->own.n = 0;
    for (size_t i = 0; i < k->memory->facts.n; i++)
        if (k->facts >> k->memory->facts.v[i].kind & 1 && tk_vec_push(&k->own, k->memory->facts.v[i]))
            return tk_err_nomem(err, "facts");
    *batch = (struct tk_batch){.facts = k->own.v, .n_facts = k->own.n};
    return k->own.n ? TK_ITEM : TK_OK;
}

/* The states of lanes where a batch begins; NULL: it does not begin a piece. */
static const struct tk_lane_states *states_of(const struct tk_known_scopes *k, const struct tk_batch *batch)
{
    return batch->piece && batch->piece <= k->plan.states.n ? &k->plan.states.v[batch->piece - 1] : NULL;
}

int tk_known_scopes_lanes(struct tk_known_scopes *k, const struct tk_request *request,
                          const struct tk_batch *batch, struct tk_batch *lanes, struct tk_err *err)
{
    const struct tk_lane_states *states = states_of(k, batch);
    k->runs.n = 0;
    for (size_t i = 0; states && i < states->lanes.n; i++) {
        const struct tk_lane_state *lane = &states->lanes.v[i];
        const struct tk_scope_run run = {.thread = lane->thread, .lane = (uint32_t)i, .kind = lane->kind};
        if (lane->seen && (!request->want_thread || request->want_thread(request->want_ctx, lane->thread)) &&
            tk_vec_push(&k->runs, run))
            return tk_err_nomem(err, "scopes");
    }
    *lanes = (struct tk_batch){.runs = k->runs.v, .n_runs = k->runs.n};
    return k->runs.n ? TK_ITEM : TK_OK;
}

int tk_known_scopes_resume(const struct tk_known_scopes *k, struct tk_scope_model *m,
                           const struct tk_batch *batch, const struct tk_batch *lanes, struct tk_err *err)
{
    const struct tk_lane_states *states = states_of(k, batch);
    int rc = TK_OK;
    for (size_t i = 0; m && i < lanes->n_runs && rc == TK_OK; i++)
        rc = tk_scope_model_resume(m, lanes->runs[i].lane, &states->lanes.v[lanes->runs[i].lane]);
    return rc == TK_OK ? TK_OK : tk_err_nomem(err, "scopes");
}

void tk_known_scopes_release(struct tk_known_scopes *k)
{
    tk_scope_plan_release(&k->plan);
    tk_scope_recorder_release(&k->recorder);
    tk_vec_release(&k->own);
    tk_vec_release(&k->runs);
}
