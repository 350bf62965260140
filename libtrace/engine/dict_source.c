/*
 * A source and its dictionary, and what a reading learns of each batch before its tables.
 */
#include "engine/dict_source.h"

#include "base/health/health.h"
#include "engine/engine_in.h"
#include "tracekit/captures.h"

/* TK_ITEM with a batch that the dictionary has taken, TK_OK at the end. */
static int next_batch(struct tk_dict_source *p, struct tk_batch *out, struct tk_err *err)
{
    int rc = tk_source_next(p->source, out, err);
    for (size_t i = 0; rc == TK_ITEM && i < out->n_facts; i++) {
        int fed = tk_dict_feed(p->dict, &out->facts[i], err);
        if (fed < 0)
            return fed;
    }
    int strict = rc < 0 ? TK_OK : tk_damage_fail(p->ctx, err);
    return strict < 0 ? strict : rc;
}

/* Does it go through the events of the capture? */
static bool reads_events(const struct tk_request *request)
{
    return request->facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM)) && !request->ends;
}

static bool is_enough(const struct tk_dict_taker *taker)
{
    return taker->enough && *taker->enough;
}

static int read_batches(struct tk_dict_source *p, struct tk_capture *capture,
                        const struct tk_request *request, const struct tk_dict_taker *taker,
                        struct tk_err *err)
{
    struct tk_batch batch;
    int rc = capture->ops->read(capture, request, &p->source, err);
    while (rc >= 0 && !is_enough(taker) && (rc = next_batch(p, &batch, err)) == TK_ITEM)
        rc = taker->batch(taker->self, &batch, err);
    if (rc == TK_OK && reads_events(request) && !is_enough(taker))
        p->ctx->read = true;
    return rc == TK_OK && taker->end ? taker->end(taker->self, err) : rc;
}

int tk_dict_source_read(struct tk_dict_source *p, struct tk_capture *capture,
                        const struct tk_request *request, const struct tk_dict_taker *taker,
                        struct tk_err *err)
{
    struct tk_health before;
    tk_health_reread_start(&p->ctx->health, &before, p->ctx->opened);
    p->ctx->earlier = &before;
    int rc = read_batches(p, capture, request, taker, err);
    if (rc < 0)
        tk_dict_source_close(p); /* what still decodes ahead may find faults, too */
    p->ctx->earlier = NULL;
    tk_health_reread_finish(&p->ctx->health, &before);
    return rc;
}

void tk_dict_source_close(struct tk_dict_source *p)
{
    tk_source_close(p->source);
    p->source = NULL;
}

int tk_damage_fail(const struct tk_context *ctx, struct tk_err *err)
{
    const struct tk_health *h = &ctx->health;
    if (!ctx->options || !ctx->options->strict || !tk_health_damaged(h))
        return TK_OK;
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item *item = &h->items[i];
        if (!tk_health_is_damage(item->kind))
            continue;
        if (item->offset == TK_NO_OFFSET)
            return tk_err_set(err, TK_EDAMAGE, "%s", item->text);
        return tk_err_set(err, TK_EDAMAGE, "%s (offset %llu)", item->text, (unsigned long long)item->offset);
    }
    return tk_err_set(err, TK_EDAMAGE, "the capture is damaged");
}

/* ---- what is seen of batches ---- */

static bool has_time(const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_RECORD)
        return fact->u.record.has_time;
    if (fact->kind == TK_FACT_ROW)
        return fact->u.row.has_time;
    return TK_FACT_TIMED >> fact->kind & 1;
}

void tk_seen_times(struct tk_query_context *view, int64_t first, int64_t last)
{
    if (!view->has_time || first < view->first_time)
        view->first_time = first;
    if (!view->has_time || last > view->last_time)
        view->last_time = last;
    view->has_time = true;
}

static void see_extent(struct tk_query_context *view, const struct tk_fact *fact)
{
    view->from = fact->u.extent.from;
    tk_seen_times(view, view->has_time ? view->first_time : view->from, fact->time);
}

static int see_event(struct tk_seen *seen, const struct tk_record_type *type, struct tk_err *err)
{
    const struct tk_str *name = type->text ? type->text : tk_intern_c(&seen->dict->strings, type->name);
    return !name || tk_vec_push(&seen->events, name) ? tk_err_nomem(err, "the names of events") : TK_OK;
}

/* Threads that nobody defined are made known. */
static int see_thread(struct tk_seen *seen, uint32_t thread, struct tk_err *err)
{
    if (thread == seen->thread || thread == TK_NO_THREAD)
        return TK_OK;
    seen->thread = thread;
    return tk_dict_thread(seen->dict, thread) ? TK_OK : tk_err_nomem(err, "threads");
}

int tk_seen_facts(struct tk_seen *seen, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_EXTENT)
            see_extent(seen->view, fact);
        else if (has_time(fact))
            tk_seen_times(seen->view, fact->time, fact->time);
        rc = fact->kind == TK_FACT_STREAM ? TK_OK : see_thread(seen, fact->thread, err);
        if (rc == TK_OK && fact->kind == TK_FACT_RECORD_COUNT && seen->view->select->events.n)
            rc = see_event(seen, fact->u.record_count.type, err);
    }
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++)
        rc = batch->runs[i].kind == TK_LANE_THREAD ? see_thread(seen, batch->runs[i].thread, err) : TK_OK;
    return rc;
}

int tk_seen_select(struct tk_seen *seen, const struct tk_batch *batch, struct tk_batch *out,
                   struct tk_err *err)
{
    *out = *batch;
    if (!seen->view->query->select.n_threads)
        return TK_OK;
    seen->runs.n = 0;
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        bool passes =
            run->kind == TK_LANE_THREAD || tk_select_queue(seen->view->select, seen->dict, run->thread);
        if (passes && tk_vec_push(&seen->runs, *run))
            return tk_err_nomem(err, "scopes");
    }
    out->runs = seen->runs.v;
    out->n_runs = seen->runs.n;
    return TK_OK;
}

void tk_seen_release(struct tk_seen *seen)
{
    tk_vec_release(&seen->runs);
    tk_vec_release(&seen->events);
}
