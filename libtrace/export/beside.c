/*
 * The pieces of what works beside a reading.
 */
#include "engine/run.h"
#include "export/export_in.h"

bool tk_beside_helps(const struct tk_export *e)
{
    /* files of a size end between batches, which have to be those of the reading */
    return tk_pool_jobs(e->trace->ctx.pool) > 1 && e->options->split_bytes == 0;
}

static int use_piece(void *ctx, size_t number, unsigned worker)
{
    struct tk_beside *b = ctx;
    (void)worker;
    return b->give(b, (unsigned)(number % TK_BESIDE_PIECES), &b->err);
}

void tk_beside_open(struct tk_beside *b, const struct tk_context *ctx,
                    int (*give)(struct tk_beside *b, unsigned piece, struct tk_err *err),
                    bool (*is_empty)(const struct tk_beside *b, unsigned piece))
{
    *b = (struct tk_beside){.ctx = ctx, .give = give, .is_empty = is_empty};
    tk_writebehind_open(&b->behind, ctx->pool, use_piece, b, TK_BESIDE_PIECES);
}

/* rc, with its cause where it is a failure of a piece. */
static int told(const struct tk_beside *b, int rc, struct tk_err *err)
{
    if (rc < 0 && err)
        *err = b->err;
    return rc;
}

int tk_beside_ask(const struct tk_context *ctx, struct tk_err *err)
{
    if (tk_run_stopped((void *)(uintptr_t)ctx))
        return tk_err_set(err, TK_ECANCELED, "writing was stopped");
    return TK_OK;
}

int tk_beside_hand_over(struct tk_beside *b, struct tk_err *err)
{
    if (b->is_empty(b, b->filling))
        return TK_OK;
    int rc = tk_beside_ask(b->ctx, err);
    if (rc != TK_OK)
        return rc;
    b->filling = (b->filling + 1) % TK_BESIDE_PIECES;
    return told(b, tk_writebehind_give(&b->behind), err);
}

int tk_beside_drain(struct tk_beside *b, struct tk_err *err)
{
    int rc = tk_beside_hand_over(b, err);
    return rc == TK_OK ? told(b, tk_writebehind_drain(&b->behind), err) : rc;
}

int tk_beside_end(struct tk_beside *b, int rc, struct tk_err *err)
{
    if (rc == TK_OK)
        return tk_beside_drain(b, err);
    const int last = tk_writebehind_drain(&b->behind);
    return rc == last ? told(b, rc, err) : rc;
}
