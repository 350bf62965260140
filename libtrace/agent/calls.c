/*
 * Calls of tools, from the request that is taken to its answer: how one is cancelled while it waits or works,
 * and the progress of those whose client wants to hear of it.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "os/clock.h"
#include "sink/write/value.h"
#include "tracekit/agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60, ANSWER = 6 << 10, LEAST_ANSWER = 2 << 10, MOST_ANSWER = 256 << 10 };

static const double between_messages = 0.25; /* seconds */

int tk_agent_calls_init(struct tk_agent_calls *calls, struct tk_err *err)
{
    calls->ready = tk_os_monitor_init(&calls->lock);
    return calls->ready ? TK_OK : tk_err_nomem(err, "a lock");
}

void tk_agent_calls_release(struct tk_agent_calls *calls)
{
    if (calls->ready)
        tk_os_monitor_destroy(&calls->lock);
}

struct tk_agent_call *tk_agent_call_new(struct tk_agent_calls *calls, cJSON *request,
                                        const struct tk_agent_tool *tool)
{
    struct tk_agent_call *call = calloc(1, sizeof *call);
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(request, "params");
    if (!call)
        return NULL;
    call->calls = calls;
    call->request = request;
    call->tool = tool;
    call->id = cJSON_GetObjectItemCaseSensitive(request, "id");
    call->arguments = cJSON_GetObjectItemCaseSensitive(params, "arguments");
    call->token =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(params, "_meta"), "progressToken");
    tk_os_monitor_lock(&calls->lock);
    call->next = calls->first;
    calls->first = call;
    tk_os_monitor_unlock(&calls->lock);
    return call;
}

void tk_agent_call_free(struct tk_agent_call *call)
{
    struct tk_agent_call **at = &call->calls->first;
    tk_os_monitor_lock(&call->calls->lock);
    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    tk_os_monitor_unlock(&call->calls->lock);
    cJSON_Delete(call->request);
    free(call);
}

void tk_agent_calls_cancel(struct tk_agent_calls *calls, const cJSON *id)
{
    tk_os_monitor_lock(&calls->lock);
    for (struct tk_agent_call *call = calls->first; call; call = call->next)
        if (cJSON_Compare(call->id, id, true))
            tk_atomic_set(&call->cancelled, 1);
    tk_os_monitor_unlock(&calls->lock);
}

/* ---- while a tool works ---- */

static bool is_wanted(const cJSON *token)
{
    return cJSON_IsString(token) || cJSON_IsNumber(token);
}

static void say_progress(struct tk_agent_call *call, double now)
{
    struct tk_buffer b;
    char message[80] = "working";
    if (call->total)
        snprintf(message, sizeof message, "%llu of %llu bytes read", (unsigned long long)call->done,
                 (unsigned long long)call->total);
    call->said = now;
    if (tk_buffer_init(&b, NULL, NULL))
        return;
    tk_agent_put_progress(&b, call->token, now - call->begun, message);
    if (b.status == TK_OK)
        call->put(call->put_to, b.p, b.n);
    tk_buffer_release(&b);
}

/* Is the time of the call over, or does nobody want its answer? */
static int is_over(void *ctx)
{
    struct tk_agent_call *call = ctx;
    const double now = tk_os_seconds();
    const struct tk_agent_options *o = call->options;
    if (tk_atomic_get(&call->cancelled) || (o->stop && o->stop(o->stop_ctx)))
        return 1;
    call->late = now - call->begun > (double)SECONDS;
    if (call->put && is_wanted(call->token) && now - call->said >= between_messages)
        say_progress(call, now);
    return call->late;
}

static int note_reading(void *ctx, uint64_t done, uint64_t total)
{
    struct tk_agent_call *call = ctx;
    const struct tk_options *o = call->options->open;
    call->done = done;
    call->total = total;
    return is_over(call) || (o && o->progress && o->progress(o->progress_ctx, done, total));
}

/* ---- the answer ---- */

static uint64_t size_of_answers(const struct tk_agent_options *options)
{
    const uint64_t wanted = options->answer_bytes ? options->answer_bytes : ANSWER;
    return wanted < LEAST_ANSWER ? LEAST_ANSWER : wanted < MOST_ANSWER ? wanted : MOST_ANSWER;
}

static int use_tool(struct tk_agent_call *call, struct tk_agent_answer *answer, struct tk_err *err)
{
    struct tk_options open = TK_INIT(struct tk_options);
    int rc = tk_struct_size_take(&open, sizeof open, call->options->open, "the options of captures", err);
    open.progress = note_reading;
    open.progress_ctx = call;
    const struct tk_agent_work work = {call->folders, &open, is_over, call, answer, call->arguments};
    if (rc == TK_OK)
        rc = tk_agent_check(call->tool, call->arguments, err);
    if (rc == TK_OK)
        rc = call->tool->run(&work, err);
    return rc == TK_OK ? tk_agent_answer_close(answer) : rc;
}

static void put_outcome(const struct tk_agent_call *call, struct tk_buffer *b,
                        const struct tk_agent_answer *answer, int status, const struct tk_err *cause)
{
    struct tk_err late = {0};
    if (tk_atomic_get(&call->cancelled))
        return;
    if (status == TK_OK) {
        tk_agent_put_answer(b, call->id, answer);
    } else if (call->late) {
        tk_err_set(&late, status,
                   "stopped after %d s: ask for a time, thread, timer or frame, or the table timers",
                   SECONDS);
        tk_agent_put_error(b, call->id, &late, status);
    } else {
        tk_agent_put_error(b, call->id, cause, status);
    }
}

int tk_agent_call_work(struct tk_agent_call *call, struct tk_buffer *b, struct tk_err *err)
{
    struct tk_agent_answer answer;
    struct tk_err cause = {0};
    if (tk_atomic_get(&call->cancelled))
        return TK_OK;
    int rc = tk_agent_answer_begin(&answer, size_of_answers(call->options), err);
    if (rc < 0)
        return rc;
    call->begun = call->said = tk_os_seconds();
    rc = use_tool(call, &answer, &cause);
    put_outcome(call, b, &answer, rc, &cause);
    tk_agent_answer_release(&answer);
    return TK_OK;
}
