/*
 * trace-view: captures of any size looked at in a browser.
 */
#include "live/follow.h"
#include "run/command.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/views.h"

#include <string.h>

struct view_args {
    struct tk_common_args common;
    uint64_t port;
    const char *idle;
    struct tk_opt_list hosts;
    bool no_open, follow;
};

enum { MOST = 4 }; /* captures */

#define AT(member)   offsetof(struct view_args, member)
#define IDLE_MINUTES 60.0

static const struct tk_opt view_options[] = {
    {0, "port", TK_OPT_NUMBER, AT(port), "N", "listen on this port (default: any that is free)"},
    {0, "no-open", TK_OPT_FLAG, AT(no_open), NULL, "only print the address, do not open the browser"},
    {0, "follow", TK_OPT_FLAG, AT(follow), NULL,
     "show captures as they grow; a capture may be tcp://HOST[:PORT][/ID] of a store"},
    {0, "idle", TK_OPT_TEXT, AT(idle), "MINUTES",
     "exit after this many minutes without a request; 0: never (default: 60)"},
    {0, "allow-host", TK_OPT_LIST, AT(hosts), "NAME:PORT",
     "also answer browsers that reach this machine under another name or port, such as through a tunnel"},
};

static const struct tk_opt_group groups[] = {
    {"Server", view_options, sizeof view_options / sizeof *view_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

/* ---- what the library queries and says ---- */

static int look_at_growth(void *ctx, size_t i, uint64_t *bytes)
{
    struct tk_follow_source *sources = ctx;
    return tk_follow_source_grown(&sources[i], bytes);
}

static int is_stopped(void *ctx)
{
    (void)ctx;
    return tk_host_stopped();
}

static int note_progress(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)done, (void)total;
    return tk_host_stopped();
}

static void say_note(void *ctx, const char *text)
{
    tk_message_say(ctx, TK_MESSAGE_NOTE, "%s", text);
}

/* ---- the command ---- */

static bool check_hosts(const struct tk_opt_list *hosts, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < hosts->n; i++) {
        const char *colon = strrchr(hosts->v[i], ':');
        if (colon && colon > hosts->v[i] && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1))
            continue;
        snprintf(message, TK_OPT_MESSAGE, "option '--allow-host' takes NAME:PORT, not '%.60s'", hosts->v[i]);
        return false;
    }
    return true;
}

static bool fill_options(struct tk_view_options *options, const struct view_args *args,
                         char message[TK_OPT_MESSAGE])
{
    double minutes = IDLE_MINUTES;
    if (!tk_opt_real("idle", args->idle, true, &minutes, message) || !check_hosts(&args->hosts, message))
        return false;
    if (args->port > UINT16_MAX || minutes > 1e6) {
        snprintf(message, TK_OPT_MESSAGE,
                 args->port > UINT16_MAX ? "a port is a number up to 65535"
                                         : "option '--idle' takes at most 1000000 minutes");
        return false;
    }
    options->port = (unsigned)args->port;
    options->hosts = (const char *const *)args->hosts.v;
    options->n_hosts = args->hosts.n;
    options->idle_ns = (int64_t)(minutes * 60e9);
    options->stop = is_stopped;
    return true;
}

/* Where standard output is a terminal somebody sits in front of it. */
static bool show_address(const struct tk_call *call, const struct view_args *args, const char *address)
{
    printf("%s\n", address);
    if (!tk_host_flush()) {
        tk_message_say(call->program, TK_MESSAGE_ERROR, "cannot write standard output");
        return false;
    }
    if (!tk_host_terminal(stdout))
        return true;
    const bool opened = !args->no_open && tk_browser_open(address);
    if (!args->common.quiet)
        tk_message_say(call->program, TK_MESSAGE_NOTE,
                       opened ? "opening the browser; Ctrl-C ends this"
                              : "open this address in a browser; Ctrl-C ends this");
    return true;
}

/* Says what reading the captures found: the exit status. */
static enum tk_exit tell_captures(const struct tk_call *call, const struct view_args *args,
                                  const struct tk_view *view)
{
    enum tk_exit code = TK_EXIT_DONE;
    struct tk_trace *trace;
    const char *path;
    for (size_t i = 0; (trace = tk_view_trace(view, i, &path)); i++) {
        if (!args->common.quiet)
            tk_message_health(call->program, path, trace);
        if (tk_damaged(trace) || tk_partial(trace) || (args->common.strict_loss && tk_lossy(trace)))
            code = TK_EXIT_DAMAGED;
    }
    return code;
}

/* Waits for the beginning of a capture that grows; its file goes to *path. */
static int open_growing(struct tk_follow_source *source, const char **path, struct tk_err *err)
{
    int rc = tk_follow_source_open(source, *path, err);
    if (rc == TK_OK)
        rc = tk_follow_source_wait(source, err);
    *path = source->path ? source->path : *path;
    return rc == TK_OK && tk_host_stopped() ? TK_ECANCELED : rc;
}

/* TK_OK or negative; *code is the exit status. */
static int serve(const struct tk_call *call, const struct view_args *args, struct tk_view_options *options,
                 int *code)
{
    struct tk_view *view = NULL;
    struct tk_err err = {0};
    const char *path = NULL;
    int rc = tk_view_new(&view, options, &err);
    for (size_t i = 0; i < call->operands->n && rc == TK_OK; i++) {
        path = call->operands->v[i];
        if (args->follow)
            rc = open_growing(&((struct tk_follow_source *)options->grown_ctx)[i], &path, &err);
        if (rc == TK_OK)
            rc = tk_view_add(view, path, &err);
    }
    if (rc == TK_OK)
        path = NULL;
    if (rc == TK_OK && !show_address(call, args, tk_view_address(view)))
        rc = TK_EOUTPUT;
    else if (rc == TK_OK)
        rc = tk_view_run(view, &err);
    *code = rc < 0 ? (int)tk_exit_of(rc) : (int)tell_captures(call, args, view);
    tk_view_free(view);
    if (rc < 0 && rc != TK_EOUTPUT && !tk_host_stopped())
        tk_message_error(call->program, path, rc, &err);
    return rc;
}

static int run_view(const struct tk_call *call, const void *command_args)
{
    const struct view_args *args = command_args;
    struct tk_view_options options = TK_INIT(struct tk_view_options);
    struct tk_options open;
    struct tk_follow_source growing[MOST] = {0};
    struct tk_opt_list limits = {0};
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "a capture is missing");
    if (!fill_options(&options, args, message))
        return tk_message_usage(call->program, message);
    for (size_t i = 0; i < call->operands->n; i++) {
        if (strcmp(call->operands->v[i], "-") == 0)
            return tk_message_usage(call->program, "cannot view standard input; give a file");
        if (!args->follow && tk_follow_is_store(call->operands->v[i]))
            return tk_message_usage(call->program, "a store needs --follow");
    }
    tk_host_note_stop();
    tk_host_share_memory();
    int code = TK_EXIT_FAILED, rc = TK_OK;
    if (tk_capture_options(&open, &limits, &args->common) == TK_OK) {
        open.progress = note_progress;
        open.symbols = (const char *const *)args->common.symbols.v;
        open.n_symbols = args->common.symbols.n;
        open.no_symbols = args->common.no_symbols;
        open.no_inlines = args->common.no_inlines;
        open.frames_from = args->common.frames_from;
        options.open = &open;
        options.grown = args->follow ? look_at_growth : NULL;
        options.grown_ctx = growing;
        options.note = args->common.quiet ? NULL : say_note;
        options.note_ctx = (void *)(uintptr_t)call->program;
        rc = serve(call, args, &options, &code);
    }
    for (size_t i = 0; i < MOST; i++)
        tk_follow_source_close(&growing[i]);
    tk_opt_list_release(&limits);
    if (rc < 0 && tk_host_stopped())
        tk_host_stop(tk_host_stopped()); /* when what was held back is gone */
    return code;
}

const struct tk_command tk_command_view = {
    .name = "view",
    .operands = "CAPTURE...",
    .summary = "A timeline of captures of any size, in a browser: every scope, frames, counters, logs, "
               "statistics of a selection.",
    .help = "\nA server that listens on this machine alone answers a page. Its address is\n"
            "printed with a token: without the token the server answers nothing. Several\n"
            "captures, at most four, are shown one below the other. Ctrl-C ends it.\n",
    .codes =
        "0 ended by Ctrl-C or --idle; 2 wrong usage; 3 a capture cannot be read, or the port is taken; 4 "
        "ended, but a capture is damaged or a limit left something out, or with --strict-loss events were "
        "lost.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct view_args),
    .most = MOST,
    .captures = SIZE_MAX,
    .wing = "view",
    .run = run_view,
};
