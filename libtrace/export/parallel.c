/*
 * The pieces of what works alongside a reading.
 */
#include "engine/run.h"
#include "export/export_in.h"

bool tk_parallel_helps(const struct tk_export *e)
{
    /* files of a size end between batches, which have to be those of the reading */
    return tk_pool_jobs(e->trace->ctx.pool) > 1 && e->options->split_bytes == 0;
}

static int use_piece(void *ctx, size_t number, unsigned worker)
{
    struct tk_parallel *b = ctx;
    (void)worker;
    return b->give(b, (unsigned)(number % TK_PARALLEL_PIECES), &b->err);
}

void tk_parallel_open(struct tk_parallel *b, const struct tk_context *ctx,
                      int (*give)(struct tk_parallel *b, unsigned piece, struct tk_err *err),
                      bool (*is_empty)(const struct tk_parallel *b, unsigned piece))
{
    *b = (struct tk_parallel){.ctx = ctx, .give = give, .is_empty = is_empty};
    tk_writebehind_open(&b->behind, ctx->pool, use_piece, b, TK_PARALLEL_PIECES);
}

int tk_parallel_cause(const struct tk_err *cause, int rc, struct tk_err *err)
{
    if (rc < 0 && err)
        *err = *cause;
    return rc;
}

int tk_parallel_ask(const struct tk_context *ctx, struct tk_err *err)
{
    if (tk_run_stopped((void *)(uintptr_t)ctx))
        return tk_err_set(err, TK_ECANCELED, "writing was stopped");
    return TK_OK;
}

int tk_parallel_hand_over(struct tk_parallel *b, struct tk_err *err)
{
    if (b->is_empty(b, b->filling))
        return TK_OK;
    int rc = tk_parallel_ask(b->ctx, err);
    if (rc != TK_OK)
        return rc;
    b->filling = (b->filling + 1) % TK_PARALLEL_PIECES;
    return tk_parallel_cause(&b->err, tk_writebehind_give(&b->behind), err);
}

int tk_parallel_drain(struct tk_parallel *b, struct tk_err *err)
{
    int rc = tk_parallel_hand_over(b, err);
    return rc == TK_OK ? tk_parallel_cause(&b->err, tk_writebehind_drain(&b->behind), err) : rc;
}

int tk_parallel_end(struct tk_parallel *b, int rc, struct tk_err *err)
{
    if (rc == TK_OK)
        return tk_parallel_drain(b, err);
    const int last = tk_writebehind_drain(&b->behind);
    return rc == last ? tk_parallel_cause(&b->err, rc, err) : rc;
}
