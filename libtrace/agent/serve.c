/*
 * An agent between two streams: a thread of its own works on calls of tools, one after another, while
 * requests are read, so that pings are answered and calls are cancelled meanwhile.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "base/given.h"
#include "tracekit/agents.h"

#include <string.h>

struct service {
    struct tk_agent *agent;
    struct tk_agent_streams streams;
    struct tk_os_monitor lock;
    TK_VEC(struct tk_agent_call *) waiting; /* owned, in the order of the requests */
    bool over;                              /* no more of them come */
    int status;                             /* the first failure */
    struct tk_err *err;
    struct tk_os_monitor writing; /* one line at a time */
};

static void note_failure(struct service *s, int status, const struct tk_err *err)
{
    tk_os_monitor_lock(&s->lock);
    if (status < 0 && s->status == TK_OK) {
        s->status = status;
        if (s->err)
            *s->err = *err;
    }
    tk_os_monitor_unlock(&s->lock);
}

static void put_line(void *ctx, const char *line, size_t n)
{
    struct service *s = ctx;
    struct tk_err none = {0};
    tk_os_monitor_lock(&s->writing);
    const int rc = n ? s->streams.write(s->streams.ctx, line, n) : TK_OK;
    tk_os_monitor_unlock(&s->writing);
    note_failure(s, rc, &none);
}

/* ---- calls ---- */

/* The next one, or NULL when no more come. */
static struct tk_agent_call *next_call(struct service *s)
{
    struct tk_agent_call *call = NULL;
    tk_os_monitor_lock(&s->lock);
    while (!s->waiting.n && !s->over)
        tk_os_monitor_wait(&s->lock);
    if (s->waiting.n) {
        call = s->waiting.v[0];
        memmove(s->waiting.v, s->waiting.v + 1, --s->waiting.n * sizeof *s->waiting.v);
    }
    tk_os_monitor_unlock(&s->lock);
    return call;
}

static void answer_call(struct service *s, struct tk_agent_call *call)
{
    struct tk_buffer b;
    struct tk_err err = {0};
    call->put = put_line;
    call->put_to = s;
    int rc = tk_buffer_init(&b, NULL, NULL) ? tk_err_nomem(&err, "an answer") : TK_OK;
    if (rc == TK_OK) {
        rc = tk_agent_call_work(call, &b, &err);
        if (rc == TK_OK && b.status < 0)
            rc = tk_err_nomem(&err, "an answer");
        if (rc == TK_OK)
            put_line(s, b.p, b.n);
        tk_buffer_release(&b);
    }
    note_failure(s, rc, &err);
    tk_agent_call_free(call);
}

static void work(void *ctx)
{
    struct service *s = ctx;
    struct tk_agent_call *call;
    while ((call = next_call(s)))
        answer_call(s, call);
}

/* ---- requests ---- */

static int take_line(struct service *s, const char *line, size_t n, struct tk_err *err)
{
    struct tk_buffer b;
    struct tk_agent_call *call = NULL;
    if (tk_buffer_init(&b, NULL, NULL))
        return tk_err_nomem(err, "an answer");
    int rc = tk_agent_take(s->agent, line, n, &b, &call, err);
    if (rc == TK_OK)
        put_line(s, b.p, b.n);
    tk_buffer_release(&b);
    if (!call)
        return rc;
    tk_os_monitor_lock(&s->lock);
    rc = tk_vec_push(&s->waiting, call) ? tk_err_nomem(err, "a call") : TK_OK;
    tk_os_monitor_tell(&s->lock);
    tk_os_monitor_unlock(&s->lock);
    if (rc < 0)
        tk_agent_call_free(call);
    return rc;
}

static bool has_failed(struct service *s)
{
    tk_os_monitor_lock(&s->lock);
    const bool failed = s->status < 0;
    tk_os_monitor_unlock(&s->lock);
    return failed;
}

static void take_lines(struct service *s)
{
    struct tk_err err = {0};
    const char *line;
    size_t n;
    int rc = TK_OK;
    while (rc == TK_OK && !has_failed(s) && s->streams.read(s->streams.ctx, &line, &n) > 0)
        if (n)
            rc = take_line(s, line, n, &err);
    note_failure(s, rc, &err);
    tk_os_monitor_lock(&s->lock);
    s->over = true;
    tk_os_monitor_tell(&s->lock);
    tk_os_monitor_unlock(&s->lock);
}

static int run_service(struct service *s)
{
    struct tk_os_thread worker;
    if (!tk_os_thread_start(&worker, work, s))
        return tk_err_set(s->err, TK_ENOMEM, "no thread can be started");
    take_lines(s);
    tk_os_thread_join(&worker);
    tk_vec_release(&s->waiting);
    return s->status;
}

int tk_agent_serve(struct tk_agent *agent, const struct tk_agent_streams *streams, struct tk_err *err)
{
    TK_GIVEN(err, agent, streams);
    struct service s = {.agent = agent, .err = err};
    int rc = tk_struct_size_take(&s.streams, sizeof s.streams, streams, "the streams", err);
    if (rc < 0)
        return rc;
    if (!s.streams.read || !s.streams.write)
        return tk_err_set(err, TK_EUSAGE, "the streams need functions to read and to write");
    if (!tk_os_monitor_init(&s.lock))
        return tk_err_nomem(err, "a lock");
    rc = tk_os_monitor_init(&s.writing) ? TK_OK : tk_err_nomem(err, "a lock");
    if (rc == TK_OK) {
        rc = run_service(&s);
        tk_os_monitor_destroy(&s.writing);
    }
    tk_os_monitor_destroy(&s.lock);
    return rc;
}
