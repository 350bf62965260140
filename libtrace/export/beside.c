/*
 * The piece at work of what works beside a reading; see beside.h.
 */
#include "export/beside.h"

#include "engine/run.h"

bool tk_beside_helps(const struct tk_export *e)
{
    /* files of a size end between batches, which have to be those of the reading */
    return tk_pool_jobs(e->trace->ctx.pool) > 1 && e->options->split_bytes == 0;
}

int tk_beside_wait(struct tk_beside *r, struct tk_err *err)
{
    if (r->running)
        tk_pool_wait(r->ctx->pool, &r->task);
    r->running = false;
    if (r->status < 0 && err)
        *err = r->err;
    return r->status;
}

int tk_beside_ask(struct tk_beside *r, struct tk_err *err)
{
    if (tk_run_stopped((void *)(uintptr_t)r->ctx))
        return tk_err_set(err, TK_ECANCELED, "writing was stopped");
    return TK_OK;
}

int tk_beside_start(struct tk_beside *r, tk_task_fn *fn, void *ctx, struct tk_err *err)
{
    int rc = tk_beside_wait(r, err);
    if (rc == TK_OK)
        rc = tk_beside_ask(r, err);
    if (rc != TK_OK)
        return rc;
    r->running = true;
    tk_pool_start(r->ctx->pool, &r->task, fn, ctx, 1);
    return TK_OK;
}
