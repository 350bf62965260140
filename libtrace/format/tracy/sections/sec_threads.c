/*
 * Names of threads, and the tables that number them.
 *
 *   names:  u64 n, names of threads; u64 n, names of threads of others
 *   tables: u64 n, each u64 tid (own process); u64 n, each u64 tid (others) tracy-file 5.3, 5.4
 */
#include "format/tracy/walk/section.h"

struct state {
    struct tk_tracy_list own, external;
    uint64_t lost;
};

/* Tables that grow with the file are bounded by the limit on threads. */
static bool has_space_threads(struct tk_tracy_walk *w, struct state *s, size_t n)
{
    bool capacity = n < w->c->ctx->limits.threads;
    s->lost += !capacity;
    return capacity;
}

static void note_lost(struct tk_tracy_walk *w, const struct state *s)
{
    if (s->lost)
        tk_tracy_limit(w, TK_LIMIT_threads, tk_tracy_at(&w->in), s->lost, "threads were left out");
}

static int read_name(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_thread_name v;
    w->items++;
    if (!tk_tracy_read_thread_name(&w->in, &v))
        return TK_OK;
    tk_tracy_use_key(w, v.name);
    if (!has_space_threads(w, s, w->c->threads.names.n))
        return TK_OK;
    return tk_tracy_threads_name(&w->c->threads, v.tid, v.name) ? TK_ENOMEM : TK_OK;
}

static int read_external(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_external_name v;
    w->items++;
    if (!tk_tracy_read_external_name(&w->in, &v) || !has_space_threads(w, s, w->c->threads.externals.n))
        return TK_OK;
    const struct tk_tracy_external names = {v.process, v.name};
    return tk_tracy_threads_name_external(&w->c->threads, v.tid, names) ? TK_ENOMEM : TK_OK;
}

static int step_names(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!w->defining) {
        tk_tracy_pass_list(w, tk_tracy_thread_name_size(&w->c->layout), "names of threads");
        tk_tracy_pass_list(w, tk_tracy_external_name_size(&w->c->layout), "names of other threads");
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, &s->own, "names of threads"))
        rc = read_name(w, s);
    while (rc == TK_OK && tk_tracy_list_next(w, &s->external, "names of other threads"))
        rc = read_external(w, s);
    note_lost(w, s);
    return rc;
}

static int read_local(struct tk_tracy_walk *w, struct state *s)
{
    uint64_t tid = tk_tracy_u64(&w->in, "thread");
    w->items++;
    if (!tk_tracy_ok(&w->in) || !has_space_threads(w, s, w->c->threads.local.n))
        return TK_OK;
    return tk_tracy_threads_add(&w->c->threads, tid) ? TK_ENOMEM : TK_OK;
}

static int read_other(struct tk_tracy_walk *w, struct state *s)
{
    uint64_t tid = tk_tracy_u64(&w->in, "thread of another process");
    w->items++;
    if (!tk_tracy_ok(&w->in) || !has_space_threads(w, s, w->c->threads.external.n))
        return TK_OK;
    return tk_vec_push(&w->c->threads.external, tid) ? TK_ENOMEM : TK_OK;
}

static int step_tables(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!w->defining) {
        tk_tracy_pass_list(w, 8, "threads");
        tk_tracy_pass_list(w, 8, "threads of other processes");
        return TK_OK;
    }
    while (rc == TK_OK && tk_tracy_list_next(w, &s->own, "threads"))
        rc = read_local(w, s);
    while (rc == TK_OK && tk_tracy_list_next(w, &s->external, "threads of other processes"))
        rc = read_other(w, s);
    note_lost(w, s);
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_thread_names = {
    .name = "thread_names", .step = step_names, .size = sizeof(struct state)};

const struct tk_tracy_section tk_tracy_sec_thread_tables = {
    .name = "thread_tables", .step = step_tables, .size = sizeof(struct state)};
