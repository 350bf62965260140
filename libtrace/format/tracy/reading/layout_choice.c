/*
 * Trying the layouts of a minor version on a capture.
 */
#include "format/tracy/reading/reading_in.h"
#include "format/tracy/reading/section_walk.h"

#include <stdlib.h>

struct trial {
    size_t sections; /* walked through */
    bool whole;      /* all of them, and nothing is left */
};

/* But for the container, which is that of the capture. */
static void release_blank(struct tk_tracy_capture *blank)
{
    tk_tracy_strings_release(&blank->strings);
    tk_tracy_threads_release(&blank->threads);
    tk_tracy_locations_release(&blank->locations);
    tk_map_release(&blank->categories);
    tk_vec_release(&blank->definitions);
    tk_intern_release(&blank->interned);
    tk_arena_release(&blank->arena);
}

/* A walk over all of the payload that defines nothing, and says nothing of what it meets. */
static int try_layout(const struct tk_tracy_capture *c, uint32_t version, struct trial *out,
                      struct tk_err *err)
{
    struct tk_tracy_capture blank = {
        .ctx = c->ctx, .box = c->box, .version = version, .layout = tk_tracy_layout_of(version)};
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_tracy_walk *w = malloc(sizeof *w); /* too large for the stack */
    if (!w)
        return tk_err_nomem(err, "a layout");
    int rc = tk_tracy_walk_open(w, &blank, NULL, false, &nothing, &quiet, err);
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(w, err);
    *out =
        (struct trial){w->index, !w->faulted && w->index == tk_tracy_n_sections && tk_tracy_at_end(&w->in)};
    tk_tracy_walk_close(w);
    free(w);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    release_blank(&blank);
    return rc;
}

static void note_choice(struct tk_tracy_capture *c, uint32_t chosen, bool likeliest, bool fits)
{
    char text[12], known[12];
    if (likeliest && !tk_tracy_version_is_newer(c->version))
        return;
    tk_tracy_version_text(text, c->version);
    tk_tracy_version_text(known, chosen);
    tk_health_note(&c->ctx->health, TK_HEALTH_VERSION_NEWER, TK_NO_OFFSET, 1,
                   "the capture was saved by Tracy %s; it is read as one of %s, %s", text, known,
                   likeliest ? "the newest that is known"
                   : fits    ? "whose layout it has"
                             : "in whose layout most of it can be read");
}

/* A version that is known is believed unless another layout fits all of the capture. */
static int choose(const struct tk_tracy_capture *c, const uint32_t *versions, size_t n, size_t *best,
                  bool *fits, struct tk_err *err)
{
    size_t sections = 0;
    for (size_t i = 0; i < n; i++) {
        struct trial trial;
        int rc = try_layout(c, versions[i], &trial, err);
        if (rc < 0)
            return rc;
        if (trial.whole || (trial.sections > sections && tk_tracy_version_is_newer(c->version))) {
            sections = trial.sections;
            *best = i;
            *fits = trial.whole;
        }
        if (trial.whole)
            break;
    }
    return TK_OK;
}

int tk_tracy_choose_layout(struct tk_tracy_capture *c, struct tk_err *err)
{
    uint32_t versions[TK_TRACY_CANDIDATES];
    size_t n = tk_tracy_version_candidates(c->version, versions), best = 0;
    bool fits = false;
    int rc = n > 1 && !tk_tracy_version_is_released(c->version) ? choose(c, versions, n, &best, &fits, err)
                                                                : TK_OK;
    if (rc < 0)
        return rc;
    c->layout = tk_tracy_layout_of(versions[best]);
    note_choice(c, versions[best], best == 0, fits);
    return TK_OK;
}
