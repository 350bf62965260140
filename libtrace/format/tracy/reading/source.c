/*
 * A reading: first the definitions, then the requested facts, section by section in the order of the file.
 *
 * So facts of one kind are together: frames, then the zones of one thread after another, then messages (which
 * wait for their threads), and of the records each type in its place. Zones of a thread are in the order of
 * its stack; a lane is a thread. Times of facts of different sections do not follow each other, but for
 * frames, values of counters and steps of memory where the latter are wanted.
 *
 * Zones are stored before callstacks and times on cores. Samples refer to callstacks, so they wait in the
 * model. Who lays zones over times on cores requests these alone first: that walk skips zones by arithmetic
 * (sec_zones.c), and a second one has the zones.
 */
#include "format/tracy/reading/reading_in.h"
#include "format/tracy/reading/section_walk.h"

#include <stdlib.h>
#include <string.h>

struct source {
    struct tk_source base;
    struct tk_tracy_capture *c; /* borrowed */
    struct tk_request request;
    struct tk_tracy_batch out;
    struct tk_tracy_walk walk;
    bool began, opened, ended;
};

/* A copy: definitions that come while the batch is in use may move the original. */
static int give_definitions(struct source *s, struct tk_batch *batch, struct tk_err *err)
{
    size_t n = s->c->definitions.n;
    if (tk_vec_reserve(&s->out.facts, n))
        return tk_err_nomem(err, "the definitions of the capture");
    memcpy(s->out.facts.v, s->c->definitions.v, n * sizeof *s->out.facts.v);
    s->out.facts.n = n;
    *batch = (struct tk_batch){.facts = s->out.facts.v, .n_facts = n};
    return TK_ITEM;
}

/* Says how many events of a type there were. */
static int count_types(struct source *s)
{
    for (unsigned i = 0; i < TK_TRACY_RECORD_COUNT && s->walk.counting; i++) {
        struct tk_fact *fact;
        if (!s->walk.counts[i])
            continue;
        if (!(fact = tk_tracy_batch_fact(&s->out, TK_FACT_RECORD_COUNT, TK_NO_THREAD, 0)))
            return TK_ENOMEM;
        fact->u.record_count =
            (struct tk_fact_record_count){&tk_tracy_record_types[i], s->walk.counts[i], s->walk.bytes[i]};
    }
    return TK_OK;
}

static int tell_extent(struct source *s)
{
    return tk_tracy_batch_fact(&s->out, TK_FACT_EXTENT, TK_NO_THREAD, s->c->last_time) ? TK_OK : TK_ENOMEM;
}

static int open_walk(struct source *s, struct tk_err *err)
{
    int rc = tk_tracy_walk_open(&s->walk, s->c, &s->request, false, &s->out, &s->c->ctx->health, err);
    s->walk.learn_threads = tk_tracy_walk_threads;
    s->opened = true;
    return rc;
}

static int source_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct source *s = (struct source *)base;
    if (!s->began) {
        s->began = true;
        return give_definitions(s, batch, err);
    }
    if (s->ended)
        return TK_OK;
    tk_tracy_batch_clear(&s->out);
    int rc = s->opened ? TK_OK : open_walk(s, err);
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(&s->walk, err);
    s->ended = rc != TK_ITEM;
    if (rc == TK_OK && count_types(s) != TK_OK)
        rc = tk_err_nomem(err, "numbers of events");
    if (rc == TK_OK && s->request.facts & TK_FACT_MASK(EXTENT) && tell_extent(s) != TK_OK)
        rc = tk_err_nomem(err, "the end of the capture");
    if (rc < 0)
        return rc;
    *batch = (struct tk_batch){
        .facts = s->out.facts.v, .n_facts = s->out.facts.n, .runs = s->out.runs.v, .n_runs = s->out.runs.n};
    return TK_ITEM;
}

static void source_close(struct tk_source *base)
{
    struct source *s = (struct source *)base;
    tk_tracy_walk_close(&s->walk);
    tk_tracy_batch_release(&s->out);
    free(s);
}

static const struct tk_source_ops ops = {source_next, source_close};

/* ---- only the end ---- */

/* The header says when the capture ends: no section is needed for that, but for what the program said of
 * itself. */
struct ends {
    struct tk_source base;
    struct tk_tracy_capture *c;
    struct tk_tracy_batch out;
    struct tk_source
        *session; /* owned: comes first, and begins with the definitions; NULL: nobody wants it */
    unsigned turn;
};

static int ends_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    static const struct tk_record_type end = {.name = "Tracy.End"};
    struct ends *s = (struct ends *)base;
    const size_t n = s->session ? 0 : s->c->definitions.n;
    struct tk_fact *fact;
    int rc = s->session && !s->turn ? s->session->ops->next(s->session, batch, err) : TK_OK;
    if (rc != TK_OK || s->turn++)
        return rc;
    memset(batch, 0, sizeof *batch);
    if (tk_vec_reserve(&s->out.facts, n + 1))
        return tk_err_nomem(err, "the definitions of the capture");
    if (n)
        memcpy(s->out.facts.v, s->c->definitions.v, n * sizeof *s->out.facts.v);
    s->out.facts.n = n;
    if (!(fact = tk_tracy_batch_fact(&s->out, TK_FACT_RECORD, TK_NO_THREAD, s->c->last_time)))
        return tk_err_nomem(err, "the end of the capture");
    fact->u.record = (struct tk_fact_record){.rec = {&end, NULL}, .has_time = true};
    batch->facts = s->out.facts.v;
    batch->n_facts = s->out.facts.n;
    return TK_ITEM;
}

static void ends_close(struct tk_source *base)
{
    struct ends *s = (struct ends *)base;
    if (s->session)
        s->session->ops->close(s->session);
    tk_tracy_batch_release(&s->out);
    free(s);
}

static const struct tk_source_ops ends_ops = {ends_next, ends_close};

static int open_session(struct ends *s, const struct tk_request *request, struct tk_err *err)
{
    struct tk_request session = *request;
    session.ends = false;
    session.facts = TK_FACT_MASK(SESSION);
    return tk_tracy_source_open(&s->c->base, &session, &s->session, err);
}

static int open_ends(struct tk_tracy_capture *c, const struct tk_request *request, struct tk_source **out,
                     struct tk_err *err)
{
    struct ends *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = &ends_ops;
    s->c = c;
    const int rc = request->facts & TK_FACT_MASK(SESSION) && !request->in_passing
                       ? open_session(s, request, err)
                       : TK_OK;
    if (rc < 0)
        ends_close(&s->base);
    else
        *out = &s->base;
    return rc;
}

int tk_tracy_source_open(struct tk_capture *c, const struct tk_request *request, struct tk_source **out,
                         struct tk_err *err)
{
    if (request->ends)
        return open_ends((struct tk_tracy_capture *)c, request, out, err);
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = &ops;
    s->c = (struct tk_tracy_capture *)c;
    s->request = *request;
    *out = &s->base;
    return TK_OK;
}
