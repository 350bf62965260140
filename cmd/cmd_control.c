/*
 * trace-control: steers running Unreal programs, and lists what a store records.
 *
 *   trace-control 127.0.0.1 enable cpu,frame
 *   trace-control list --store HOST
 */
#include "live/control.h"
#include "live/record.h"
#include "terminal/message.h"

#include <string.h>

#define AT(member) offsetof(struct tk_control_args, member)

static const struct tk_opt control_options[] = {
    {0, "store", TK_OPT_TEXT, AT(store), "HOST[:PORT]",
     "the store that records the program (default: 127.0.0.1:1989, if one answers)"},
    {0, "of", TK_OPT_TEXT, AT(of), "FILE", "use the control port recorded in this capture"},
    {0, "engine", TK_OPT_TEXT, AT(engine), "VERSION",
     "engine version of the program; from 5.7 on 'send' takes HOST:PORT"},
    {0, "wait", TK_OPT_TEXT, AT(wait), "S",
     "wait this many seconds for a command to be confirmed (default 2)"},
    {'f', "format", TK_OPT_TEXT, AT(format), "text|json",
     "json: output of 'list' and 'channels' as lines of JSON (default: text)"},
};

static const struct tk_opt_group groups[] = {
    {"Program", control_options, sizeof control_options / sizeof *control_options, 0},
    {"Common options", tk_live_common_options, TK_LIVE_COMMON_COUNT, AT(common)},
};

static bool takes_names(const char *action)
{
    return strcmp(action, "enable") == 0 || strcmp(action, "disable") == 0;
}

static bool check_operands(const struct tk_opt_list *words, char message[TK_OPT_MESSAGE])
{
    static const char *const names[] = {"channels", "enable", "disable", "send", "stop", "file"};
    bool argument;
    if (words->n == 1 && strcmp(words->v[0], "list") == 0)
        return true;
    if (words->n < 2) {
        snprintf(message, TK_OPT_MESSAGE, "what of which program? (HOST[:PORT] ACTION, or list)");
        return false;
    }
    const char *other = tk_control_elsewhere(words->v[1]);
    if (other) {
        snprintf(message, TK_OPT_MESSAGE, "%s", other);
        return false;
    }
    if (!tk_control_is_action(words->v[1], &argument))
        return tk_message_unknown_of(message, "there is no action", words->v[1], names,
                                     sizeof names / sizeof *names);
    if (words->n == (argument ? 3u : 2u))
        return true;
    snprintf(message, TK_OPT_MESSAGE, "'%s' takes %s", words->v[1],
             !argument                  ? "no argument"
             : takes_names(words->v[1]) ? "names with commas between them, as cpu,frame"
                                        : "one argument");
    return false;
}

static int run_control(const struct tk_call *call, const void *command_args)
{
    const struct tk_control_args *args = command_args;
    const struct tk_opt_list *words = call->operands;
    struct tk_control c = {.call = call, .args = args, .wait = 2};
    char message[TK_OPT_MESSAGE];
    struct tk_err err = {0};
    if (!check_operands(words, message) || !tk_live_read_format(args->format, &c.json, message) ||
        !tk_opt_real("wait", args->wait, false, &c.wait, message))
        return tk_message_usage(call->program, message);
    int code;
    if (words->n == 1) {
        code = tk_control_list(&c);
    } else {
        const int rc = tk_control_find(&c, words->v[0], &err);
        if (rc != TK_OK)
            tk_message_error(call->program, NULL, rc, &err);
        code = rc != TK_OK ? (int)tk_exit_of(rc)
                           : tk_control_act(&c, words->v[1], words->n > 2 ? words->v[2] : NULL);
    }
    tk_control_close(&c);
    return code;
}

const struct tk_command tk_command_control = {
    .name = "control",
    .operands = "HOST[:PORT] ACTION [ARGUMENT] | list",
    .summary = "Controls running Unreal programs: their channels, and where they send their trace.",
    .help = "Actions: channels, enable NAMES, disable NAMES, send HOST, stop (5.0 and later), file PATH (up "
            "to 5.1).\n"
            "'list' shows the recordings of a store, finished and running, and whether a program listens "
            "here that it\n"
            "does not record.\n",
    .codes = "0 done and confirmed; 1 sent, but not confirmed in time; 2 wrong "
             "usage, or more than the protocol can carry; 3 no connection.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct tk_control_args),
    .most = SIZE_MAX,
    .wing = "live",
    .run = run_control,
};
