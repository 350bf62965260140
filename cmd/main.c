/*
 * tracekit COMMAND, or trace-COMMAND: finds the command, parses its options, answers --help and --version.
 */
#include "args/endings.h"
#include "args/words.h"
#include "cmd_in.h"
#include "run/command.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/metrics.h"
#include "tracekit/runs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct tk_command *const commands[] = {
    &tk_command_info,   &tk_command_events,  &tk_command_stats,    &tk_command_diff,
    &tk_command_check,  &tk_command_trend,   &tk_command_baseline, &tk_command_export,
    &tk_command_record, &tk_command_control, &tk_command_report,   &tk_command_edit,
    &tk_command_query,  &tk_command_mcp,     &tk_command_view,     &tk_command_cache};

#define COMMANDS (sizeof commands / sizeof *commands)
#define SUMMARY  12 /* column in which summaries begin */

/* Names of the wings that this build leaves out, with a blank around each: written by the build. */
extern const char tk_left_out_wings[];

static bool is_left_out(const struct tk_command *c)
{
    char word[32];
    snprintf(word, sizeof word, " %s ", c->wing ? c->wing : "-");
    return strstr(tk_left_out_wings, word) != NULL;
}

static int refuse_left_out(const char *program, const char *wing)
{
    char option[32], sentence[128];
    size_t n = 0;
    for (; wing[n] && n < sizeof option - 1; n++)
        option[n] = (char)(wing[n] - 'a' + 'A');
    option[n] = '\0';
    snprintf(sentence, sizeof sentence, "this build is without it: configure it with -DTK_WITH_%s=ON",
             option);
    tk_message_about(program, TK_MESSAGE_ERROR, NULL, sentence);
    return TK_EXIT_USAGE;
}

static const struct tk_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Help and lists go to standard output, which may be full or gone. They begin with tk_pager_begin(). */
static int printed(void)
{
    if (tk_host_flush())
        return TK_EXIT_DONE;
    tk_message_say("tracekit", TK_MESSAGE_ERROR, "cannot write standard output");
    return TK_EXIT_FAILED;
}

#define USAGE 7 /* where further lines of operands begin */

static int print_version(void)
{
    printf("tracekit %s\n%s\n", tk_version(), tk_version_libraries());
    return printed();
}

static int print_commands(void)
{
    tk_pager_begin();
    printf("usage: tracekit FILE\n"
           "       tracekit COMMAND [OPTION...] [OPERAND...]\n"
           "       trace-COMMAND [OPTION...] [OPERAND...]\n\n"
           "Reads performance captures: Unreal Engine, Tracy, Chrome, Perfetto, Fuchsia.\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        if (!is_left_out(commands[i]))
            tk_opt_put_words(commands[i]->summary, printf("  %-10s", commands[i]->name), SUMMARY, stdout);
    printf("\nBegin with 'tracekit FILE', the first page of a capture. 'tracekit help COMMAND' describes a\n"
           "command; 'trace-info FILE --can' says which questions a capture can answer.\n");
    return printed();
}

static const char codes[] =
    "0 done; 2 wrong usage, or nothing matches; 3 the input cannot be read or the output "
    "cannot be written; 4 done, but the capture is damaged or a limit left something out.";

/* Lines of a text in the width of the terminal; those that begin with blanks are examples and stay as they
 * are. */
static void put_lines(const char *text)
{
    char line[512];
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const int displayed = (int)(n < sizeof line ? n : sizeof line - 1);
        snprintf(line, sizeof line, "%.*s", displayed, text);
        if (*line == ' ' || !*line)
            puts(line);
        else
            tk_opt_put_words(line, 0, 0, stdout);
        text += n + (text[n] == '\n');
    }
}

static int print_help(const struct tk_command *c, const struct tk_opt_set *set)
{
    tk_pager_begin();
    tk_opt_put_words(c->operands, printf("usage: trace-%s [OPTION...]%s", c->name, *c->operands ? " " : ""),
                     USAGE, stdout);
    putchar('\n');
    tk_opt_put_words(c->summary, 0, 0, stdout);
    put_lines(c->help ? c->help : "");
    if (c->lists)
        c->lists(stdout);
    tk_opt_help(set, stdout);
    tk_opt_put_words(c->codes ? c->codes : codes, printf("\nExit codes: ") - 1, 0, stdout);
    return printed();
}

static int print_limits(void)
{
    tk_pager_begin();
    for (size_t i = 0; i < tk_limit_count(); i++) {
        const char *name, *help;
        uint64_t value;
        tk_limit_describe(i, &name, &value, &help);
        if (value == UINT64_MAX)
            printf("%-20s %16s  %s\n", name, "none", help);
        else
            printf("%-20s %16llu  %s\n", name, (unsigned long long)value, help);
    }
    printf("\nSet one with --limit NAME=NUMBER, or all that shall hold with TRACEKIT_LIMITS=NAME=NUMBER,... "
           "in the\n"
           "environment; --limit comes first. What is left out because of a limit is reported, and the exit "
           "status "
           "is 4.\n");
    return printed();
}

static bool wants_for_limits(const struct tk_common_args *common)
{
    return common->limits.n == 1 && strcmp(common->limits.v[0], "help") == 0;
}

/* The command, with the owners of --owners. */
static int run_owned(const struct tk_command *c, const struct tk_call *call, struct tk_common_args *args)
{
    struct tk_owners *owners = NULL;
    struct tk_err err = {0};
    const int rc =
        args->owners_file ? tk_owners_load(&owners, args->owners_file, args->source_root, &err) : TK_OK;
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return (int)tk_exit_of(rc);
    }
    if (args->source_root && !owners)
        return tk_message_usage(call->program, "option '--source-root' goes with '--owners' only");
    args->owners = owners;
    const int code = c->run(call, args);
    tk_owners_free(owners);
    return code;
}

/* The command, with the metrics of --metric: a mistake in one of their files ends it before anything else. */
static int run_measured(const struct tk_command *c, const struct tk_call *call, struct tk_common_args *args)
{
    struct tk_metrics *metrics = NULL;
    struct tk_err err = {0};
    const struct tk_opt_list *files = &args->metric_files;
    const int rc = files->n ? tk_metrics_new(&metrics, (const char *const *)files->v, files->n, &err) : TK_OK;
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return (int)tk_exit_of(rc);
    }
    args->metrics = metrics;
    const int code = run_owned(c, call, args);
    tk_metrics_free(metrics);
    return code;
}

/* What is answered without a capture, else the command. */
static int run_parsed(const struct tk_command *c, const struct tk_call *call, const struct tk_opt_set *set)
{
    const struct tk_common_args *common = set->args;
    if (common->no_pager)
        tk_pager_forbid();
    if (common->help)
        return print_help(c, set);
    if (common->version)
        return print_version();
    if (wants_for_limits(common))
        return print_limits();
    if (common->names) {
        tk_opt_print_names(set, stdout);
        return printed();
    }
    if (call->operands->n > c->most)
        return tk_message_usage(call->program, "there are too many operands");
    char message[TK_OPT_MESSAGE];
    const char *place = tk_overwrite_find(set, call->operands);
    if (place) {
        snprintf(message, sizeof message, "'%.200s' is an input; refusing to overwrite it", place);
        return tk_message_usage(call->program, message);
    }
    if ((place = tk_overwrite_twice(set))) {
        snprintf(message, sizeof message, "'%.200s' is named by --output and by --index; name two files",
                 place);
        return tk_message_usage(call->program, message);
    }
    return run_measured(c, call, set->args);
}

/* Where the shell has not: operands, and those of the candidate. */
static bool expand_patterns(const struct tk_command *c, const struct tk_opt_set *set,
                            struct tk_opt_list *operands, char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *versus = tk_opt_listed(set, "vs");
    if (tk_host_shell_expands() || c->captures == 0)
        return true;
    return tk_patterns_expand(operands, c->captures, c->statement, message) &&
           (!versus || tk_patterns_expand((struct tk_opt_list *)(uintptr_t)versus, SIZE_MAX, false, message));
}

/* Behind --list operands are names of tables. */
static bool has_stray_value(const struct tk_command *c, const struct tk_opt_set *set, int argc, char **argv,
                            const struct tk_opt_list *operands, char message[TK_OPT_MESSAGE])
{
    return c->captures && !tk_opt_is_set(set, "list") &&
           tk_opt_stray_value(set, argc, argv, operands, message);
}

static int run_command(const struct tk_command *c, int argc, char **argv)
{
    char program[64], message[TK_OPT_MESSAGE];
    struct tk_opt_list operands = {0};
    struct tk_call call = {program, &operands};
    struct tk_opt_set set = {c->groups, c->n_groups, NULL};
    int code = TK_EXIT_FAILED;
    snprintf(program, sizeof program, "trace-%s", c->name);
    if (is_left_out(c))
        return refuse_left_out(program, c->wing);
    set.args = calloc(1, c->args_size);
    if (!set.args)
        tk_message_usage(program, "");
    else if (!tk_opt_parse(&set, argc, argv, &operands, message) ||
             has_stray_value(c, &set, argc, argv, &operands, message) ||
             !expand_patterns(c, &set, &operands, message))
        code = tk_message_usage(program, message);
    else {
        tk_message_colour(tk_opt_given(&set, "color"));
        code = run_parsed(c, &call, &set);
    }
    if (set.args)
        tk_opt_release(&set);
    tk_opt_list_release(&operands);
    free(set.args);
    return code;
}

static int unknown_command(const char *name)
{
    static const char *const options[] = {"--help", "--version"};
    const char *names[COMMANDS];
    char message[TK_OPT_MESSAGE];
    const char *line = tk_habit_find(name);
    if (line) {
        snprintf(message, sizeof message, "there is no command '%s'; use '%s'", name, line);
        tk_message_about("tracekit", TK_MESSAGE_ERROR, NULL, message);
        return TK_EXIT_USAGE;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    if (*name == '-')
        tk_message_unknown(message, "there is no option", name, options, sizeof options / sizeof *options);
    else
        tk_message_unknown(message, "there is no command and no file", name, names, COMMANDS);
    tk_message_usage("tracekit", message);
    return TK_EXIT_USAGE;
}

/* tracekit help COMMAND */
static int help_with(const char *program, const char *name)
{
    char help[] = "--help";
    char *argv[] = {(char *)(uintptr_t)program, help};
    const struct tk_command *c = find_command(strncmp(name, "trace-", 6) == 0 ? name + 6 : name);
    return c ? run_command(c, 2, argv) : unknown_command(name);
}

/* tracekit FILE [OPTION...]: the first page of a capture. */
static int run_file(int argc, char **argv)
{
    return run_command(&tk_command_stats, argc, argv);
}

static int run_main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    const struct tk_command *c = find_command(word);
    if (c)
        return run_command(c, argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    if (strcmp(word, "--describe") == 0) {
        tk_describe(commands, COMMANDS, stdout);
        return printed();
    }
    if (strcmp(word, "help") == 0 && argc > 2)
        return help_with(argv[0], argv[2]);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        int code = print_commands();
        return argc > 1 ? code : TK_EXIT_USAGE;
    }
    return *word != '-' && tk_host_exists(word) ? run_file(argc, argv) : unknown_command(word);
}

static int run_named(const char *name, int argc, char **argv)
{
    if (strncmp(name, "trace-", 6) == 0) {
        const struct tk_command *c = find_command(name + 6);
        return c ? run_command(c, argc, argv) : unknown_command(name + 6);
    }
    return run_main(argc, argv);
}

int main(int argc, char **argv)
{
    char name[TK_HOST_NAME];
    tk_host_begin(&argc, &argv, name);
    const int code = run_named(name, argc, argv);
    tk_pager_end();
    return tk_exit_status(code);
}
