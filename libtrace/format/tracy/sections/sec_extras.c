/*
 * Zone extras: what few zones have alongside their times. Kept only when zones are wanted as records or with
 * their texts or callstacks, under the limit on strings.
 *
 *   u64 n, extras                                                                             tracy-file 5.9
 */
#include "format/tracy/walk/section.h"

struct state {
    struct tk_tracy_list list;
    uint64_t lost;
};

/* Reads one, and notes what it refers to. */
static bool read_extra(struct tk_tracy_walk *w, struct tk_tracy_extra *extra)
{
    w->items++;
    if (!tk_tracy_read_extra(&w->in, extra))
        return false;
    tk_tracy_use_stack(w, extra->callstack);
    tk_tracy_use_text(w, extra->text);
    tk_tracy_use_text(w, extra->name);
    return true;
}

static int keep_extras(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_extra extra;
    const bool capacity = (w->extras.n + 1) * TK_TRACY_EXTRA <= w->c->ctx->limits.strings;
    s->lost += !capacity;
    if (!read_extra(w, &extra) || !capacity)
        return TK_OK;
    return tk_vec_push(&w->extras, extra) ? TK_ENOMEM : TK_OK;
}

static int step_extras(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!tk_tracy_wants(w, TK_TRACY_ZONE_BEGIN) && !tk_tracy_wants_fact(w, TK_FACT_SCOPE_TEXT) &&
        !tk_tracy_wants_fact(w, TK_FACT_SCOPE_STACK)) {
        struct tk_tracy_extra extra;
        while (tk_tracy_list_next(w, &s->list, "zone extras"))
            (void)read_extra(w, &extra);
        w->n_extras = s->list.n;
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, &s->list, "zone extras"))
        rc = keep_extras(w, s);
    w->n_extras = s->list.n;
    if (s->lost)
        tk_tracy_limit(w, TK_LIMIT_strings, tk_tracy_at(&w->in), s->lost, "zone extras were left out");
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_extras = {
    .name = "zone_extras", .step = step_extras, .size = sizeof(struct state)};
