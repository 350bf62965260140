/*
 * Crossing the border between two pieces.
 */
#include "format/tracy/file/payload.h"

#include "format/tracy/file/read.h"

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

/*
 * Reads the records that the payload breaks off in, or that lie across the border of two pieces.
 */

#define STEP_U8(in, what)     tk_tracy_u8(in, what)
#define STEP_I8(in, what)     ((int8_t)tk_tracy_u8(in, what))
#define STEP_U16(in, what)    tk_tracy_u16(in, what)
#define STEP_I16(in, what)    ((int16_t)tk_tracy_u16(in, what))
#define STEP_U24(in, what)    tk_tracy_u24(in, what)
#define STEP_U32(in, what)    tk_tracy_u32(in, what)
#define STEP_I32(in, what)    ((int32_t)tk_tracy_u32(in, what))
#define STEP_U64(in, what)    tk_tracy_u64(in, what)
#define STEP_I64(in, what)    tk_tracy_i64(in, what)
#define STEP_I48(in, what)    tk_tracy_i48(in, what)
#define STEP_F32(in, what)    tk_tracy_f32(in, what)
#define STEP_F64(in, what)    tk_tracy_f64(in, what)
#define STEP_COUNT(in, what)  tk_tracy_read_bounded(in, what)
#define STEP_DT(in, what)     tk_tracy_time(in, &(in)->time, what)
#define STEP_GT(in, what)     tk_tracy_time(in, &(in)->gpu_time, what)
#define STEP_REF(in, what)    tk_tracy_read_ref(in, what)
#define STEP_NAME12(in, what) tk_tracy_read_name12(in, what)

#define STEP(name, kind, role, text, when, what)                                                             \
    if (when)                                                                                                \
        v->name = STEP_##kind(in, what);                                                                     \
    n += tk_tracy_ok(in);

/* What is left of the record is zero. */
#define DEFINE_STEPS(record, FIELDS, how, title)                                                             \
    unsigned tk_tracy_step_##record(struct tk_tracy_payload *in, struct tk_tracy_##record *v)                \
    {                                                                                                        \
        const struct tk_tracy_layout *l = in->layout;                                                        \
        unsigned n = 0;                                                                                      \
        (void)l;                                                                                             \
        memset(v, 0, sizeof *v);                                                                             \
        FIELDS(STEP)                                                                                         \
        return n;                                                                                            \
    }
TK_TRACY_EACH_RECORD(DEFINE_STEPS)

#define FAR_EACH(record, title)                                                                              \
    (void)tk_tracy_step_##record(in, v);                                                                     \
    return tk_tracy_ok(in);

#define FAR_WHOLE(record, title)                                                                             \
    const uint8_t *p = tk_tracy_take(in, tk_tracy_##record##_size(in->layout), title);                       \
    if (p)                                                                                                   \
        tk_tracy_load_##record(in, p, v);                                                                    \
    else                                                                                                     \
        memset(v, 0, sizeof *v);                                                                             \
    return tk_tracy_ok(in);

#define DEFINE_FAR(record, FIELDS, how, title)                                                               \
    bool tk_tracy_read_far_##record(struct tk_tracy_payload *in, struct tk_tracy_##record *v)                \
    {                                                                                                        \
        FAR_##how(record, title)                                                                             \
    }
TK_TRACY_EACH_RECORD(DEFINE_FAR)
