/*
 * trace-record: receives what running programs send, and writes captures of it.
 *
 *   trace-record -o run.utrace -- ./MyGame -trace=default
 *   trace-record --into DIR
 *   trace-record tracy://127.0.0.1 -o run.tracy
 */
#include "live/record.h"
#include "terminal/message.h"

#include <string.h>

#define AT(member) offsetof(struct tk_record_args, member)

static const struct tk_opt file_options[] = {
    {'o', "output", TK_OPT_TEXT, AT(output), "FILE", "record one program into this file"},
    {0, "into", TK_OPT_TEXT, AT(into), "DIR",
     "record all programs into this folder, in files named by date and time (default: here)"},
    {0, "name", TK_OPT_TEXT, AT(name), "TEXT", "prefix of these file names"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace an existing file of --output"},
    {0, "resume", TK_OPT_TEXT, AT(resume), "FILE",
     "make the capture of a Tracy recording that was broken off: a crash, a full disk"},
};

static const struct tk_opt network_options[] = {
    {0, "listen", TK_OPT_TEXT, AT(listen), "ADDRESS",
     "listen on this address (default: 127.0.0.1, reachable only from this machine); needs --allow"},
    {0, "allow", TK_OPT_LIST, AT(allow), "ADDRESS[/BITS]",
     "address or network that may connect; may be repeated; 'any' allows everybody"},
    {0, "port", TK_OPT_TEXT, AT(port), "N[,N]",
     "listen on these ports; 0: any free port (default: 1981,1980)"},
    {0, "announce", TK_OPT_FLAG, AT(announce), NULL,
     "make programs on this machine connect automatically, as a viewer does"},
};

static const struct tk_opt end_options[] = {
    {0, "count", TK_OPT_NUMBER, AT(count), "N", "end after N programs"},
    {0, "seconds", TK_OPT_TEXT, AT(seconds), "S", "end after S seconds"},
    {0, "size", TK_OPT_TEXT, AT(size), "BYTES", "end a file at this size (100k, 500M, 2G)"},
    {0, "rotate", TK_OPT_TEXT, AT(rotate), "SIZE|TIME",
     "go on in a new file at this size (500M) or after this time (10min, 6h); trace-edit merges them"},
    {0, "until-idle", TK_OPT_TEXT, AT(idle), "S", "end after S seconds without data, once data has arrived"},
    {0, "until-exit", TK_OPT_FLAG, AT(until_exit), NULL, "end when the last program has disconnected"},
};

static const struct tk_opt store_options[] = {
    {0, "store", TK_OPT_TEXT, AT(store), "DIR",
     "record into this folder, and serve its captures to viewers (Unreal Insights)"},
    {0, "store-port", TK_OPT_TEXT, AT(store_port), "N",
     "serve on this port; 0: any free port (default: 1989)"},
    {0, "keep-days", TK_OPT_TEXT, AT(keep_days), "N", "remove captures older than N days"},
    {0, "keep-bytes", TK_OPT_TEXT, AT(keep_bytes), "BYTES",
     "remove the oldest captures beyond this total size"},
    {0, "free", TK_OPT_TEXT, AT(free_bytes), "BYTES", "keep this much disk space free (default: 1G)"},
    {0, "store-form", TK_OPT_TEXT, AT(store_form), "5.1|5.4",
     "answer as the servers of these versions do (default: 5.4, which viewers of 5.0 understand, too)"},
};

static const struct tk_opt tracy_options[] = {
    {0, "wait", TK_OPT_MAYBE, AT(wait), "NAME",
     "wait until the program is reachable; without a host: for one that announces itself with this name"},
    {0, "all", TK_OPT_FLAG, AT(all), NULL, "without a host: record all programs that announce themselves"},
    {0, "stop-after-frames", TK_OPT_NUMBER, AT(frames), "N", "end after N frames"},
    {0, "code", TK_OPT_FLAG, AT(code), NULL,
     "also record the code of functions and source files, if the program sends them"},
};

static const struct tk_opt tell_options[] = {
    {0, "no-summary", TK_OPT_FLAG, AT(no_summary), NULL,
     "do not decode the packets (decoding takes most of the time)"},
    {0, "control", TK_OPT_FLAG, AT(control), NULL, "report when channels of a program are toggled"},
    {'f', "format", TK_OPT_TEXT, AT(format), "text|json", "json: one line of JSON per event (default: text)"},
    {0, "", TK_OPT_REST, AT(program), NULL, NULL},
};

static const struct tk_opt_group groups[] = {
    {"Files", file_options, sizeof file_options / sizeof *file_options, 0},
    {"Network", network_options, sizeof network_options / sizeof *network_options, 0},
    {"End", end_options, sizeof end_options / sizeof *end_options, 0},
    {"Store", store_options, sizeof store_options / sizeof *store_options, 0},
    {"Tracy programs", tracy_options, sizeof tracy_options / sizeof *tracy_options, 0},
    {"Messages", tell_options, sizeof tell_options / sizeof *tell_options, 0},
    {"Common options", tk_live_common_options, TK_LIVE_COMMON_COUNT, AT(common)},
};

/* What an operand that begins with this is recorded by. */
static const struct {
    const char *scheme;
    int (*run)(const struct tk_call *call, const struct tk_record_args *args);
} sources[] = {
    {"tracy://", tk_record_tracy},
    {"", tk_record_unreal},
};

/* Options that only one kind of program has a use for. */
static const struct {
    const struct tk_opt *options;
    size_t n;
    bool tracy; /* they are those of Tracy programs */
} one_kind[] = {
    {network_options, sizeof network_options / sizeof *network_options, false},
    {store_options, sizeof store_options / sizeof *store_options, false},
    {tell_options, sizeof tell_options / sizeof *tell_options, false},
    {tracy_options, sizeof tracy_options / sizeof *tracy_options, true},
};

/* Those of the groups above that both kinds have. */
static bool is_shared(const struct tk_opt *option)
{
    static const size_t shared[] = {AT(port),      AT(allow),      AT(format), AT(free_bytes),
                                    AT(keep_days), AT(keep_bytes), AT(program)};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (option->at == shared[i])
            return true;
    return false;
}

static bool is_given(const struct tk_opt *option, const struct tk_record_args *args)
{
    const char *at = (const char *)args + option->at;
    switch (option->kind) {
    case TK_OPT_FLAG:
        return *(const bool *)at;
    case TK_OPT_NUMBER:
        return *(const uint64_t *)(const void *)at != 0;
    default:
        return *(const char *const *)(const void *)at != NULL;
    }
}

/* The first option that is given and has no use; NULL: none. */
static const struct tk_opt *useless(const struct tk_record_args *args, bool tracy)
{
    for (size_t g = 0; g < sizeof one_kind / sizeof *one_kind; g++)
        for (size_t i = 0; one_kind[g].tracy != tracy && i < one_kind[g].n; i++)
            if (!is_shared(&one_kind[g].options[i]) && is_given(&one_kind[g].options[i], args))
                return &one_kind[g].options[i];
    return NULL;
}

static int run_record(const struct tk_call *call, const void *command_args)
{
    const struct tk_record_args *args = command_args;
    const char *from = call->operands->n ? call->operands->v[0] : "";
    if (args->resume)
        return tk_record_resume(call, args);
    size_t i = 0;
    while (strncmp(from, sources[i].scheme, strlen(sources[i].scheme)) != 0)
        i++;
    if (*from && !*sources[i].scheme) {
        char message[TK_OPT_MESSAGE];
        snprintf(message, sizeof message,
                 "'%.200s' is not a source to record from; a program to start goes after '--'", from);
        return tk_message_usage(call->program, message);
    }
    const bool tracy = *sources[i].scheme;
    const struct tk_opt *wrong = useless(args, tracy);
    if (wrong) {
        char message[TK_OPT_MESSAGE];
        snprintf(message, sizeof message,
                 tracy ? "option '--%s' is for Unreal programs, not for tracy://"
                       : "option '--%s' is for Tracy programs: tracy://HOST",
                 wrong->name);
        return tk_message_usage(call->program, message);
    }
    return sources[i].run(call, args);
}

const struct tk_command tk_command_record = {
    .name = "record",
    .operands = "[SOURCE]",
    .summary = "Records running programs: receives their trace and writes captures.",
    .help =
        "Unreal programs connect with -tracehost=127.0.0.1, or by themselves with --announce.\n"
        "SOURCE tracy://HOST[:PORT] is a Tracy program, which is connected to; tracy:// lists those that\n"
        "announce themselves.\n"
        "'-- PROGRAM ARG...' after all options starts a program that connects, and records it.\n",
    .codes = "0 recorded; 1 nothing was received; 2 wrong usage; 3 a file cannot be written, or the port is "
             "taken; 4 "
             "recorded in part: a limit was reached, or a stream is damaged. Where the program that was "
             "started ends with another status than 0, that one is returned.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct tk_record_args),
    .most = 1,
    .wing = "live",
    .run = run_record,
};
