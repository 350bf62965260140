/*
 * Names that come behind their scopes: a second reading of the capture, to its end, while another one goes
 * on.
 */
#include "format/utrace/reading/reading_in.h"

#include <stdlib.h>

/* Of scopes only what defines their timers. */
static bool wants_no_thread(void *ctx, uint32_t thread)
{
    (void)ctx;
    (void)thread;
    return false;
}

static int read_all_of(struct tk_ut_capture *ahead, struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES),
                                       .want_thread = wants_no_thread};
    struct tk_source *source = NULL;
    struct tk_batch batch;
    int rc = tk_ut_source_file(ahead, &request, &source, err);
    while (rc >= 0 && (rc = tk_source_next(source, &batch, err)) == TK_ITEM)
        ;
    tk_source_close(source);
    return rc;
}

/* What is wrong with the capture is said by the reading that goes on. */
static struct tk_context *context_of(const struct tk_ut_capture *c)
{
    struct tk_context *ctx = malloc(sizeof *ctx);
    if (!ctx)
        return NULL;
    *ctx = *c->ctx;
    ctx->health = (struct tk_health){.muted = UINT64_MAX};
    ctx->earlier = ctx->opened = NULL;
    ctx->known = NULL;
    return ctx;
}

void tk_ut_ahead_close(struct tk_ut_capture *c)
{
    if (c->ahead)
        c->ahead->base.ops->close(&c->ahead->base);
    if (c->ahead_ctx)
        tk_health_release(&c->ahead_ctx->health);
    free(c->ahead_ctx);
    c->ahead = NULL;
    c->ahead_ctx = NULL;
}

int tk_ut_ahead_read(struct tk_ut_capture *c)
{
    struct tk_capture *base = NULL;
    struct tk_err err = {0};
    if (!(c->ahead_ctx = context_of(c)))
        return TK_ENOMEM;
    int rc = c->ctx->format->open(c->ahead_ctx, &base, &err);
    c->ahead = (struct tk_ut_capture *)base;
    if (rc == TK_OK)
        rc = read_all_of(c->ahead, &err);
    if (rc < 0)
        tk_ut_ahead_close(c);
    return rc == TK_ENOMEM ? rc : TK_OK;
}
