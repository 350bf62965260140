/*
 * Threads that are needed before their section.
 *
 * A thread that has no place in the table of threads gets its number with its zones (tracy-file 5.4, 5.10),
 * but locks refer to it before. So another walk goes ahead: it unpacks what lies between, skips zones by
 * arithmetic and builds nothing else.
 */
#include "format/tracy/reading/section_walk.h"
#include "format/tracy/reading/sections.h"

static int walk_ahead(struct tk_tracy_walk *w, struct tk_health *quiet, struct tk_tracy_batch *nothing,
                      struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(STREAM)};
    struct tk_tracy_walk ahead;
    int rc = tk_tracy_walk_open(&ahead, w->c, &request, false, nothing, quiet, err);
    ahead.stop = tk_tracy_threads_section + 1;
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM; rc = tk_tracy_walk_next(&ahead, err))
        tk_tracy_batch_clear(nothing);
    tk_tracy_walk_close(&ahead);
    return rc;
}

/* What the other walk defined since is new to this one, too. */
static int tell_definitions(struct tk_tracy_walk *w, size_t from)
{
    for (size_t i = from; i < w->c->definitions.n; i++)
        if (tk_vec_push(&w->out->facts, w->c->definitions.v[i]))
            return TK_ENOMEM;
    return TK_OK;
}

int tk_tracy_walk_threads(struct tk_tracy_walk *w)
{
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX}; /* what is wrong is noted where this walk comes to it */
    size_t defined = w->c->definitions.n;
    int rc = walk_ahead(w, &quiet, &nothing, &w->in.err);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    if (rc < 0) {
        w->in.rc = rc;
        return rc;
    }
    return tell_definitions(w, defined);
}
