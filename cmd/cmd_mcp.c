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
     "at most this many bytes in an answer, 2048 or more (default: 6144)"},
    TK_METRIC_OPTION(AT(common)),
};

static const struct tk_opt_group groups[] = {
    {"Answers", mcp_options, sizeof mcp_options / sizeof *mcp_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

/* What is longer is refused by the agent, which needs no more of it. */
enum { MOST_BYTES = (1 << 20) + 1 };

/* Reads a line of standard input. */
static int read_request(void *ctx, const char **line, size_t *n)
{
    char *text = ctx;
    int c;
    *line = text;
    *n = 0;
    while ((c = getc(stdin)) != EOF && c != '\n')
        if (*n < MOST_BYTES)
            text[(*n)++] = (char)c;
    return c != EOF || *n > 0;
}

static int write_message(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    fwrite(line, 1, n, stdout);
    putc('\n', stdout);
    return !tk_host_flush() || ferror(stdout) ? TK_EPIPE : TK_OK;
}

static int serve(struct tk_agent *agent, struct tk_err *err)
{
    struct tk_agent_streams streams = TK_INIT(struct tk_agent_streams);
    streams.ctx = malloc(MOST_BYTES);
    streams.read = read_request;
    streams.write = write_message;
    const int rc = streams.ctx ? tk_agent_serve(agent, &streams, err) : TK_ENOMEM;
    free(streams.ctx);
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
