/*
 * See seen_facts.h.
 */
#include "engine/seen_facts.h"

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
