/*
 * Crossing the border between two pieces.
 */
#include "format/tracy/file/payload.h"

void tk_tracy_payload_init(struct tk_tracy_payload *in, tk_tracy_more_fn *more, void *ctx)
{
    static const uint8_t nothing[1];
    *in =
        (struct tk_tracy_payload){.p = nothing, .end = nothing, .more = more, .ctx = ctx, .most = UINT64_MAX};
}

static void fail_payload(struct tk_tracy_payload *in, uint64_t at, const char *what, bool content)
{
    if (!in->fault) {
        in->fault = what;
        in->fault_at = at;
        in->content = content;
    }
    in->end_at = tk_tracy_at(in);
    in->end = in->p;
}

void tk_tracy_fail(struct tk_tracy_payload *in, uint64_t at, const char *what)
{
    fail_payload(in, at, what, true);
}

/* The next piece; false at the end, after a fault and on failure. The piece before must be used up. */
static bool refill(struct tk_tracy_payload *in)
{
    struct tk_bytes span;
    if (in->fault || in->rc != TK_OK)
        return false;
    int rc = in->more(in->ctx, &span, &in->err);
    if (rc < 0)
        in->rc = rc;
    if (rc != TK_ITEM)
        return false;
    in->p = span.p;
    in->end = span.p + span.n;
    in->end_at += span.n;
    return true;
}

void tk_tracy_copy(struct tk_tracy_payload *in, void *out, size_t n, const char *what)
{
    uint64_t at = tk_tracy_at(in);
    uint8_t *to = out;
    while (n) {
        size_t have = (size_t)(in->end - in->p), part = have < n ? have : n;
        memcpy(to, in->p, part);
        in->p += part;
        to += part;
        n -= part;
        if (n && !refill(in)) {
            fail_payload(in, at, what, false);
            return;
        }
    }
}

const uint8_t *tk_tracy_take_far(struct tk_tracy_payload *in, size_t n, const char *what)
{
    tk_tracy_copy(in, in->carry, n, what);
    return in->fault ? NULL : in->carry;
}

void tk_tracy_skip_far(struct tk_tracy_payload *in, uint64_t n, const char *what)
{
    uint64_t at = tk_tracy_at(in);
    while (n) {
        uint64_t have = (uint64_t)(in->end - in->p), part = have < n ? have : n;
        in->p += part;
        n -= part;
        if (n && !refill(in)) {
            fail_payload(in, at, what, false);
            return;
        }
    }
}

bool tk_tracy_at_end(struct tk_tracy_payload *in)
{
    return !in->fault && in->p == in->end && !refill(in);
}
