/*
 * The Model Context Protocol: requests of JSON-RPC, and what answers them.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "base/given.h"
#include "compare/baseline/expect.h"
#include "tracekit/agents.h"

#include <stdlib.h>
#include <string.h>

/* Codes of JSON-RPC. */
enum { NO_JSON = -32700, NO_REQUEST = -32600, NO_METHOD = -32601, WRONG_ARGUMENTS = -32602 };

int tk_agent_new(struct tk_agent **out, const struct tk_agent_options *options, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_agent *a = calloc(1, sizeof *a);
    *out = NULL;
    if (!a)
        return tk_err_nomem(err, "an agent");
    a->options = TK_INIT(struct tk_agent_options);
    int rc = tk_struct_size_take(&a->options, sizeof a->options, options, "the options", err);
    if (rc == TK_OK)
        rc = tk_agent_calls_init(&a->calls, err);
    for (size_t i = 0; i < a->options.n_folders && rc == TK_OK; i++)
        rc = tk_agent_folders_add(&a->folders, a->options.folders[i], err);
    if (rc == TK_OK)
        *out = a;
    else
        tk_agent_free(a);
    return rc;
}

void tk_agent_free(struct tk_agent *a)
{
    if (!a)
        return;
    tk_agent_calls_release(&a->calls);
    tk_agent_folders_release(&a->folders);
    free(a);
}

void tk_agent_free_text(char *text)
{
    free(text);
}

static const struct tk_agent_tool *find_tool(const char *name)
{
    const struct tk_agent_tool *tool;
    for (size_t i = 0; (tool = tk_agent_tool(i)); i++)
        if (name && strcmp(tool->name, name) == 0)
            return tool;
    return NULL;
}

static int take_call(struct tk_agent *a, struct tk_buffer *b, cJSON **request, struct tk_agent_call **call,
                     struct tk_err *err)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(*request, "id");
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(*request, "params");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(params, "arguments");
    const struct tk_agent_tool *tool =
        find_tool(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "name")));
    if (!tool || (arguments && !cJSON_IsObject(arguments))) {
        tk_agent_put_failure(b, id, WRONG_ARGUMENTS,
                             tool ? "'arguments' must be an object"
                                  : "there is no tool of that name; see tools/list");
        return TK_OK;
    }
    *call = tk_agent_call_new(&a->calls, *request, tool);
    if (!*call)
        return tk_err_nomem(err, "a call");
    (*call)->options = &a->options;
    (*call)->folders = &a->folders;
    *request = NULL;
    return TK_OK;
}

static void notice(struct tk_agent *a, const char *method, const cJSON *params)
{
    if (strcmp(method, "notifications/cancelled") == 0)
        tk_agent_calls_cancel(&a->calls, cJSON_GetObjectItemCaseSensitive(params, "requestId"));
}

static int take_request(struct tk_agent *a, struct tk_buffer *b, cJSON **request, struct tk_agent_call **call,
                        struct tk_err *err)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(*request, "id");
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(*request, "params");
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(*request, "method"));
    if (!cJSON_IsObject(*request) || !method)
        tk_agent_put_failure(b, id, NO_REQUEST, "a request must be an object with a method");
    else if (!id)
        notice(a, method, params);
    else if (strcmp(method, "initialize") == 0)
        tk_agent_put_initialized(b, id, params);
    else if (strcmp(method, "ping") == 0)
        tk_agent_put_nothing(b, id);
    else if (strcmp(method, "tools/list") == 0)
        return tk_agent_put_tools(b, id, err);
    else if (strcmp(method, "tools/call") == 0)
        return take_call(a, b, request, call, err);
    else
        tk_agent_put_failure(b, id, NO_METHOD, "there is no such method");
    return TK_OK;
}

int tk_agent_take(struct tk_agent *a, const char *text, size_t n, struct tk_buffer *b,
                  struct tk_agent_call **call, struct tk_err *err)
{
    cJSON *request = NULL;
    *call = NULL;
    int rc = n > TK_AGENT_REQUEST ? TK_OK : tk_json_read(&request, text, n, "the request", NULL);
    if (n > TK_AGENT_REQUEST)
        tk_agent_put_failure(b, NULL, NO_REQUEST, "a request has at most 1 MB");
    else if (rc == TK_OK)
        rc = take_request(a, b, &request, call, err);
    else if (rc != TK_ENOMEM)
        rc = (tk_agent_put_failure(b, NULL, NO_JSON, "this is not JSON"), TK_OK);
    cJSON_Delete(request);
    return rc == TK_OK && b->status < 0 ? tk_err_nomem(err, "an answer") : rc;
}

int tk_agent_answer(struct tk_agent *a, const char *request, size_t n, char **out, size_t *n_out,
                    struct tk_err *err)
{
    TK_GIVEN(err, a, request, out, n_out);
    struct tk_buffer b;
    struct tk_agent_call *call = NULL;
    *out = NULL;
    *n_out = 0;
    if (tk_buffer_init(&b, NULL, NULL))
        return tk_err_nomem(err, "an answer");
    int rc = tk_agent_take(a, request, n, &b, &call, err);
    if (call) {
        rc = tk_agent_call_work(call, &b, err);
        tk_agent_call_free(call);
    }
    if (rc == TK_OK && b.status < 0)
        rc = tk_err_nomem(err, "an answer");
    if (rc == TK_OK && b.n) {
        *out = b.p;
        *n_out = b.n;
        b.p = NULL;
    }
    tk_buffer_release(&b);
    return rc;
}
