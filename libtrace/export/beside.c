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

/* Waits for the piece at work. */
static int wait_for_piece(struct tk_beside *b, struct tk_err *err)
{
    if (b->running)
        tk_pool_wait(b->ctx->pool, &b->task);
    b->running = false;
    if (b->status < 0 && err)
        *err = b->err;
    return b->status;
}

static void give_piece(void *ctx, size_t index, unsigned worker)
{
    struct tk_beside *b = ctx;
    (void)index, (void)worker;
    b->give(b, !b->filling);
}

int tk_beside_ask(const struct tk_context *ctx, struct tk_err *err)
{
    if (tk_run_stopped((void *)(uintptr_t)ctx))
        return tk_err_set(err, TK_ECANCELED, "writing was stopped");
    return TK_OK;
}

int tk_beside_hand_over(struct tk_beside *b, struct tk_err *err)
{
    int rc = wait_for_piece(b, err);
    if (rc != TK_OK || b->is_empty(b, b->filling))
        return rc;
    rc = tk_beside_ask(b->ctx, err);
    if (rc != TK_OK)
        return rc;
    b->filling = !b->filling;
    b->running = true;
    tk_pool_start(b->ctx->pool, &b->task, give_piece, b, 1);
    return TK_OK;
}

int tk_beside_drain(struct tk_beside *b, struct tk_err *err)
{
    int rc = tk_beside_hand_over(b, err);
    return rc == TK_OK ? wait_for_piece(b, err) : rc;
}

int tk_beside_end(struct tk_beside *b, int rc, struct tk_err *err)
{
    const int last = rc == TK_OK ? tk_beside_drain(b, err) : wait_for_piece(b, NULL);
    if (rc != TK_OK && last < 0 && rc == last && err)
        *err = b->err;
    return rc == TK_OK ? last : rc;
}
