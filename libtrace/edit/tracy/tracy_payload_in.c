/*
 * Reading of payloads. See tracy_payload_in.h.
 */
#include "edit/tracy/tracy_payload_in.h"

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    const struct tk_tracy_payload_in *p = ctx;
    return tk_tracy_blocks_next(p->blocks, out, err);
}

int tk_tracy_payload_in_open(struct tk_tracy_payload_in *p, struct tk_tracy_capture *c, struct tk_err *err)
{
    p->blocks = NULL;
    tk_tracy_payload_init(&p->in, more, p);
    return tk_tracy_blocks_open(&p->blocks, c->ctx, &c->box, err);
}

void tk_tracy_payload_in_close(struct tk_tracy_payload_in *p)
{
    tk_tracy_blocks_close(p->blocks);
    p->blocks = NULL;
}
