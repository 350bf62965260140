/*
 * Zone extras: what few zones have alongside their times. Kept only when zones are wanted as records or with
 * their texts or callstacks, under the limit on strings.
 *
 *   u64 n, each u24 callstack, u24 text, u24 own name [, u24 colour]                           tracy-file 5.9
 */
#include "format/tracy/walk/section.h"

#include <string.h>

struct state {
    struct tk_tracy_list list;
    uint64_t lost;
};

/* What it refers to. */
static void look_at(struct tk_tracy_walk *w, const uint8_t *extra)
{
    if (!extra)
        return;
    tk_tracy_use_stack(w, (uint32_t)tk_load_le(extra, 3));
    tk_tracy_use_text(w, (uint32_t)tk_load_le(extra + 3, 3));
    tk_tracy_use_text(w, (uint32_t)tk_load_le(extra + 6, 3));
}

static int keep_extras(struct tk_tracy_walk *w, size_t size, struct state *s)
{
    uint64_t limit = w->c->ctx->limits.strings;
    if (w->extras.n + TK_TRACY_EXTRA > limit) {
        s->lost++;
        tk_tracy_skip(&w->in, size, "zone extra");
        return TK_OK;
    }
    if (tk_vec_reserve(&w->extras, w->extras.n + TK_TRACY_EXTRA))
        return TK_ENOMEM;
    uint8_t *to = w->extras.v + w->extras.n;
    memset(to, 0, TK_TRACY_EXTRA);
    tk_tracy_copy(&w->in, to, size, "zone extra");
    look_at(w, tk_tracy_ok(&w->in) ? to : NULL);
    w->extras.n += tk_tracy_ok(&w->in) ? TK_TRACY_EXTRA : 0;
    return TK_OK;
}

static int step_extras(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    size_t size = w->c->layout.zone_colour ? TK_TRACY_EXTRA : TK_TRACY_EXTRA - 3;
    int rc = TK_OK;
    if (!tk_tracy_wants(w, TK_TRACY_ZONE_BEGIN) && !tk_tracy_wants_fact(w, TK_FACT_SCOPE_TEXT) &&
        !tk_tracy_wants_fact(w, TK_FACT_SCOPE_STACK)) {
        while (tk_tracy_list_next(w, &s->list, "zone extras")) {
            w->items++;
            look_at(w, tk_tracy_take(&w->in, size, "zone extra"));
        }
        w->n_extras = s->list.n;
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, &s->list, "zone extras")) {
        w->items++;
        rc = keep_extras(w, size, s);
    }
    w->n_extras = s->list.n;
    if (s->lost)
        tk_tracy_limit(w, TK_LIMIT_strings, tk_tracy_at(&w->in), s->lost, "zone extras were left out");
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_extras = {
    .name = "zone_extras", .step = step_extras, .size = sizeof(struct state)};
