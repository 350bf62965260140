/*
 * Profiles that are read as a whole, and what is kept of them: stacks of threads, and how often each was
 * found. They have no times: all are at 0.
 */
#include "base/text/text.h"
#include "format/profiles/profiles_in.h"

#include <stdlib.h>

int tk_prof_open(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct tk_prof_walk *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    *walk = d;
    d->c = c;
    tk_ev_seen(c, 0);
    return tk_ev_window_open(&d->w, c->ctx->file, c->ctx->limits.event_bytes, c->ctx->options->map, err);
}

void tk_prof_close(void *walk)
{
    struct tk_prof_walk *d = walk;
    tk_ev_window_close(&d->w);
    tk_map_release(&d->threads);
    tk_vec_release(&d->frames);
    free(d);
}

int tk_prof_whole(struct tk_prof_walk *d, struct tk_bytes *out, struct tk_err *err)
{
    int rc;
    while ((rc = tk_ev_window_more(&d->w, err)) == TK_ITEM)
        ;
    if (rc == TK_ELIMIT)
        return tk_err_limit(err, TK_LIMIT_event_bytes, "the profile is longer than %llu bytes",
                            (unsigned long long)d->c->ctx->limits.event_bytes);
    *out = (struct tk_bytes){d->w.buf, d->w.n};
    return rc;
}

/* The thread of a name, made where it is not there; UINT32_MAX if out of memory. */
static uint32_t thread_of(struct tk_prof_walk *d, const struct tk_str *name)
{
    static const struct tk_str all = {"all threads", 11, TK_ENC_UTF8};
    const struct tk_ev_id process = {NULL, 0};
    uint32_t number = tk_map_get(&d->threads, (uint64_t)(uintptr_t)name);
    if (number != TK_MAP_NONE)
        return number;
    number = d->n_threads + 1;
    const struct tk_ev_id id = {NULL, number};
    const uint32_t at = tk_ev_process(d->c, &process);
    if (at == UINT32_MAX)
        return at;
    d->c->processes.v[at].unknown = true;
    const uint32_t place = tk_ev_thread(d->c, at, &id, 0);
    if (place == UINT32_MAX || tk_map_put(&d->threads, (uint64_t)(uintptr_t)name, number))
        return UINT32_MAX;
    d->n_threads = number;
    d->c->threads.v[place]->name = name ? name : tk_ev_text(&d->c->names, all.p, all.n);
    d->c->threads.v[place]->named = true;
    return d->c->threads.v[place]->name ? number : UINT32_MAX;
}

int tk_prof_add(struct tk_prof_walk *d, const struct tk_str *thread, uint64_t weight)
{
    const uint32_t number = thread_of(d, thread);
    const uint32_t stack = d->frames.n ? tk_ev_stack(d->c, d->frames.v, d->frames.n) : 0;
    return number == UINT32_MAX || stack == UINT32_MAX ? -1 : tk_ev_samples(d->c, 0, number, stack, weight);
}
