/*
 * What is kept, in readings: the owner of memory, plan and recorder.
 */
#include "kept/kept_reading.h"

#include "kept/kept_in.h"

#include <stdlib.h>

struct tk_kept_reading {
    struct tk_context *ctx;           /* borrowed */
    const struct tk_request *request; /* borrowed */
    struct tk_scope_memory memory;    /* what is known */
    uint64_t facts;                   /* that are given out of it, instead of read */
    bool gives;                       /* they have not been given yet */
    struct tk_scope_plan plan;        /* without pieces: all is read */
    bool planned;
    struct tk_scope_recorder recorder;
    uint64_t along;                   /* facts that are recorded alone */
    TK_VEC(struct tk_fact) own;       /* of a batch, without those */
    TK_VEC(struct tk_scope_run) runs; /* of lanes that are set to a state */
};

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

/* Facts that are known need not be read. */
static void answer_facts(struct tk_kept_reading *k, uint64_t facts, struct tk_request *request)
{
    if (!k->memory.there || !facts || facts & ~k->memory.mask)
        return;
    k->gives = true;
    k->facts = facts;
    request->facts = 0;
    k->ctx->read = true;
}

/* ---- scopes ---- */

/* Do tables take scopes in a way that holds when most are passed over? */
static bool can_pass_over(const struct tk_scope_memory *m, const struct tk_kept_purpose *purpose)
{
    return purpose->passes_over && (m->numbers || !purpose->numbers);
}

static int plan(struct tk_kept_reading *k, const struct tk_kept_purpose *purpose, struct tk_request *request,
                struct tk_err *err)
{
    struct tk_range times;
    int rc = purpose->times(purpose->self, &times, err);
    const bool timed = rc == TK_OK && (times.from > INT64_MIN || times.to < INT64_MAX);
    if (rc < 0 || (!timed && !request->want_thread))
        return rc;
    rc = tk_scope_memory_plan(&k->memory, times.from, times.to, &k->plan);
    if (rc == TK_ENOMEM)
        return tk_err_nomem(err, "what is known of the capture");
    if (rc < 0)
        return TK_OK;
    k->planned = k->gives = true;
    k->facts = request->facts & k->memory.mask;
    request->facts = TK_FACT_MASK(SCOPES);
    request->resume = k->plan.pieces.v;
    request->n_resume = k->plan.pieces.n;
    return TK_OK;
}

static void record(struct tk_kept_reading *k, bool numbers, struct tk_request *request)
{
    const struct tk_scope_memory *m = &k->memory;
    const uint64_t known = request->facts & TK_KEPT_FACTS;
    const bool more = known & ~m->mask || !m->there || (numbers && !m->numbers);
    if (!k->ctx->known->makes || request->want_thread || !more)
        return;
    /* what is counted of threads would count what is brought along */
    const uint64_t along = request->facts & TK_FACT_MASK(STREAM) ? 0 : TK_KEPT_ALONG & ~known;
    if (m->there && (m->mask & ~(known | along) || m->numbers > numbers))
        return; /* it would know less of something else */
    k->along = along;
    request->facts |= along;
    request->extra = along;
    request->states = true;
    tk_scope_recorder_begin(&k->recorder, k->ctx, known | along);
}

/* Reads what is necessary of the scopes, or records all. */
static int answer_scopes(struct tk_kept_reading *k, const struct tk_kept_purpose *purpose,
                         struct tk_request *request, struct tk_err *err)
{
    const uint64_t others = that_may_be(purpose->capture, request->facts & ~TK_FACT_DEFINITIONS) &
                            ~(TK_FACT_MASK(SCOPES) | k->memory.mask);
    if (k->memory.there && !others && can_pass_over(&k->memory, purpose)) {
        const int rc = plan(k, purpose, request, err);
        if (rc < 0 || k->planned)
            return rc;
    }
    record(k, purpose->numbers, request);
    return TK_OK;
}

int tk_kept_begin(struct tk_kept_reading **out, const struct tk_kept_purpose *purpose,
                  struct tk_request *request, struct tk_err *err)
{
    *out = NULL;
    if (!purpose->ctx->known || !is_plain(request))
        return TK_OK;
    struct tk_kept_reading *k = calloc(1, sizeof *k);
    if (!k)
        return tk_err_nomem(err, "what is known of the capture");
    *out = k;
    k->ctx = purpose->ctx;
    k->request = request;
    const int rc = tk_scope_memory_load(&k->memory, k->ctx, request->facts, err);
    if (rc < 0)
        return rc;
    if (request->facts & TK_FACT_MASK(SCOPES))
        return answer_scopes(k, purpose, request, err);
    answer_facts(k, request->facts & ~TK_FACT_DEFINITIONS, request);
    return TK_OK;
}

/* ---- batches ---- */

/* What tables are to see of a batch. */
static int leave_along_out(struct tk_kept_reading *k, const struct tk_batch *batch, struct tk_batch *own,
                           struct tk_err *err)
{
    *own = *batch;
    if (!k->along || !batch->n_facts)
        return TK_OK;
    k->own.n = 0;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (!(k->along >> batch->facts[i].kind & 1) && tk_vec_push(&k->own, batch->facts[i]))
            return tk_err_nomem(err, "facts");
    own->facts = k->own.v;
    own->n_facts = k->own.n;
    return TK_OK;
}

/* Gives the facts that are known, once. */
static int give_facts(struct tk_kept_reading *k, const struct tk_kept_taker *taker, struct tk_err *err)
{
    const struct tk_fact *facts = k->memory.facts.v;
    if (!k->gives)
        return TK_OK;
    k->gives = false;
    k->own.n = 0;
    for (size_t i = 0; i < k->memory.facts.n; i++)
        if (k->facts >> facts[i].kind & 1 && tk_vec_push(&k->own, facts[i]))
            return tk_err_nomem(err, "facts");
    const struct tk_batch known = {.facts = k->own.v, .n_facts = k->own.n};
    return known.n_facts ? taker->batch(taker->self, &known, err) : TK_OK;
}

/* The states of lanes where a batch begins; NULL: it does not begin a piece. */
static const struct tk_lane_states *states_of(const struct tk_kept_reading *k, const struct tk_batch *batch)
{
    return batch->piece && batch->piece <= k->plan.states.n ? &k->plan.states.v[batch->piece - 1] : NULL;
}

/* Lanes of selected threads, as runs without entries. */
static int find_lanes(struct tk_kept_reading *k, const struct tk_lane_states *states, struct tk_err *err)
{
    const struct tk_request *request = k->request;
    k->runs.n = 0;
    for (size_t i = 0; i < states->lanes.n; i++) {
        const struct tk_lane_state *lane = &states->lanes.v[i];
        const struct tk_scope_run run = {.thread = lane->thread, .lane = (uint32_t)i, .kind = lane->kind};
        if (lane->seen && (!request->want_thread || request->want_thread(request->want_ctx, lane->thread)) &&
            tk_vec_push(&k->runs, run))
            return tk_err_nomem(err, "scopes");
    }
    return TK_OK;
}

/* Tables are given the lanes that are known where a batch begins, and the model is set to there. */
static int resume_lanes(struct tk_kept_reading *k, const struct tk_batch *batch,
                        const struct tk_kept_taker *taker, struct tk_err *err)
{
    const struct tk_lane_states *states = states_of(k, batch);
    int rc = states ? find_lanes(k, states, err) : TK_OK;
    if (rc < 0 || !states || !k->runs.n)
        return rc;
    const struct tk_batch lanes = {.runs = k->runs.v, .n_runs = k->runs.n};
    rc = taker->batch(taker->self, &lanes, err);
    for (size_t i = 0; *taker->model && i < k->runs.n && rc == TK_OK; i++) {
        const uint32_t lane = k->runs.v[i].lane;
        if (tk_scope_model_resume(*taker->model, lane, &states->lanes.v[lane]))
            rc = tk_err_nomem(err, "scopes");
    }
    return rc;
}

static const struct tk_scope_model *model_of(const struct tk_kept_taker *taker)
{
    return taker->model ? *taker->model : NULL;
}

int tk_kept_batch(struct tk_kept_reading *k, const struct tk_batch *batch, const struct tk_kept_taker *taker,
                  struct tk_err *err)
{
    struct tk_batch own;
    if (!k)
        return batch ? taker->batch(taker->self, batch, err) : TK_OK;
    if (!batch) {
        tk_scope_recorder_end(&k->recorder);
        return give_facts(k, taker, err);
    }
    tk_scope_recorder_before(&k->recorder, model_of(taker), batch);
    int rc = leave_along_out(k, batch, &own, err);
    if (rc == TK_OK)
        rc = resume_lanes(k, batch, taker, err);
    if (rc == TK_OK)
        rc = taker->batch(taker->self, &own, err);
    if (rc == TK_OK)
        rc = give_facts(k, taker, err);
    tk_scope_recorder_after(&k->recorder, model_of(taker), batch);
    return rc;
}

bool tk_kept_done(struct tk_kept_reading *k, int rc)
{
    if (!k)
        return false;
    const bool wrong = k->planned && rc == TK_EFORMAT;
    if (wrong)
        k->ctx->known->has[TK_KEPT_SCOPES] = (struct tk_bytes){NULL, 0};
    tk_scope_plan_release(&k->plan);
    tk_scope_recorder_release(&k->recorder);
    tk_scope_memory_release(&k->memory);
    tk_vec_release(&k->own);
    tk_vec_release(&k->runs);
    free(k);
    return wrong;
}
