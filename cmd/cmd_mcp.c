/*
 * tracekit mcp: answers to assistants, by the Model Context Protocol on standard input and output.
 */
#include "run/command.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/agents.h"

#include <stdlib.h>
#include <string.h>

struct mcp_args {
    struct tk_common_args common;
    uint64_t answer;
};

#define AT(member) offsetof(struct mcp_args, member)

static const struct tk_opt mcp_options[] = {
    {0, "answer-bytes", TK_OPT_NUMBER, AT(answer), "N",
     "at most this many bytes of rows in an answer (default: 24576)"},
};

static const struct tk_opt_group groups[] = {
    {"Answers", mcp_options, sizeof mcp_options / sizeof *mcp_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

/* A request of more bytes is none. */
enum { MOST_BYTES = 1 << 20 };

struct request {
    char *text; /* owned, of MOST_BYTES */
    size_t n;
    bool too_long;
};

/* Reads a line. false at the end. */
static bool read_request(struct request *r)
{
    int c;
    r->n = 0;
    r->too_long = false;
    while ((c = getc(stdin)) != EOF && c != '\n') {
        if (r->n < MOST_BYTES)
            r->text[r->n++] = (char)c;
        else
            r->too_long = true;
    }
    return c != EOF || r->n > 0;
}

static int answer_one(struct tk_agent *agent, const struct request *r, struct tk_err *err)
{
    static const char too_long[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a request has at "
        "most 1 MB\"}}";
    char *answer = NULL;
    size_t n = 0;
    int rc = r->too_long ? TK_OK : tk_agent_answer(agent, r->text, r->n, &answer, &n, err);
    if (r->too_long)
        fputs(too_long, stdout);
    else if (answer)
        fwrite(answer, 1, n, stdout);
    if (r->too_long || answer)
        putc('\n', stdout);
    tk_agent_free_text(answer);
    return rc == TK_OK && (!tk_host_flush() || ferror(stdout)) ? TK_EPIPE : rc;
}

static int serve(struct tk_agent *agent, struct tk_err *err)
{
    struct request r = {.text = malloc(MOST_BYTES)};
    int rc = r.text ? TK_OK : TK_ENOMEM;
    while (rc == TK_OK && read_request(&r))
        if (r.n || r.too_long)
            rc = answer_one(agent, &r, err);
    free(r.text);
    return rc;
}

static int run_mcp(const struct tk_call *call, const void *command_args)
{
    const struct mcp_args *args = command_args;
    struct tk_agent_options options = TK_INIT(struct tk_agent_options);
    struct tk_opt_list limits = {0};
    struct tk_options open;
    struct tk_agent *agent = NULL;
    struct tk_err err = {0};
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which folders may be read?");
    options.folders = (const char *const *)call->operands->v;
    options.n_folders = call->operands->n;
    options.answer_bytes = args->answer;
    options.open = &open;
    int rc = tk_capture_options(&open, &limits, &args->common);
    if (rc == TK_OK)
        rc = tk_agent_new(&agent, &options, &err);
    if (rc == TK_OK)
        rc = serve(agent, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(call->program, NULL, rc, &err);
    tk_agent_free(agent);
    tk_opt_list_release(&limits);
    return (int)tk_exit_of(rc);
}

const struct tk_command tk_command_mcp = {
    .name = "mcp",
    .operands = "FOLDER...",
    .summary =
        "Answers AI assistants' questions about captures in folders, through the Model Context Protocol.",
    .help = "Requests come on standard input, a line each, and answers go to standard output. Captures are "
            "only read.\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct mcp_args),
    .most = SIZE_MAX,
    .wing = "agent",
    .run = run_mcp,
};
