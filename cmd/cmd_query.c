/*
 * trace-query: SQL over captures and baselines, without import.
 *
 *   trace-query CAPTURE... "SELECT ..."
 *   trace-query CAPTURE... --ask NAME
 */
#include "cmd_in.h"
#include "pages/out.h"
#include "run/listing.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

struct query_args {
    struct tk_common_args common;
    struct tk_out_args out;
    const char *file, *ask;
    struct tk_opt_list attached;
    uint64_t memory;
    bool plan, questions, readings, unpushed;
};

#define AT(member) offsetof(struct query_args, member)

static const struct tk_opt query_options[] = {
    {0, "sql", TK_OPT_TEXT, AT(file), "FILE", "read the statements from a file, - for standard input"},
    {0, "ask", TK_OPT_TEXT, AT(ask), "NAME", "a predefined question; --questions lists them"},
    {0, "questions", TK_OPT_FLAG, AT(questions), NULL, "list the questions of --ask"},
    {0, "attach", TK_OPT_LIST, AT(attached), "NAME=FILE", "open a capture under its own schema: NAME.timers"},
    {0, "plan", TK_OPT_FLAG, AT(plan), NULL, "show what would be read, how often and with which selection"},
    {0, "readings", TK_OPT_FLAG, AT(readings), NULL, "report on standard error how often captures were read"},
    {0, "memory", TK_OPT_NUMBER, AT(memory), "MB",
     "memory for rows of joins in MB; the rest goes to disk (default: 512)"},
    TK_METRIC_OPTION(AT(common)),
    {0, "nothing-pushed", TK_OPT_FLAG, AT(unpushed), NULL, NULL},
};

static const struct tk_opt_group groups[] = {
    {"Question", query_options, sizeof query_options / sizeof *query_options, 0},
    {"Output", tk_out_options, TK_OUT_COUNT, AT(out)},
    TK_COMMON_GROUP(AT(common)),
};

static enum tk_exit list_questions(const char *program)
{
    const struct tk_sql_question_text *question;
    for (size_t i = 0; (question = tk_sql_question(i)); i++)
        printf("%-20s %s\n", question->name, question->help);
    if (tk_host_flush())
        return TK_EXIT_DONE;
    tk_message_say(program, TK_MESSAGE_ERROR, "cannot write standard output");
    return TK_EXIT_FAILED;
}

/* ---- what is requested ---- */

static bool find_question(const char *name, const char **sql, char message[TK_OPT_MESSAGE])
{
    const char *names[64];
    const struct tk_sql_question_text *question;
    size_t n = 0;
    for (; n < 64 && (question = tk_sql_question(n)); n++) {
        names[n] = question->name;
        if (strcmp(question->name, name) == 0) {
            *sql = question->sql;
            return true;
        }
    }
    return tk_message_unknown_of(message, "there is no question", name, names, n);
}

struct requested {
    const char *sql;   /* NULL: the prompt */
    char *read;        /* owned: of a file */
    size_t n_captures; /* the first operands */
};

/* A statement has spaces, or is no file. */
static bool is_statement(const char *operand)
{
    return strcmp(operand, "-") != 0 && (!tk_host_exists(operand) || strpbrk(operand, " \n;"));
}

static bool find_requested(struct requested *a, const struct tk_call *call, const struct query_args *args,
                           char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *operands = call->operands;
    a->n_captures = operands->n;
    if (args->ask && args->file)
        snprintf(message, TK_OPT_MESSAGE, "options '--ask' and '--sql' do not go together");
    else if (args->ask)
        return find_question(args->ask, &a->sql, message);
    else if (args->file)
        return tk_query_text_read(args->file, &a->read, message) && (a->sql = a->read, true);
    else if (operands->n > 0 && (operands->n > 1 || args->attached.n) &&
             is_statement(operands->v[operands->n - 1])) {
        a->sql = operands->v[operands->n - 1];
        a->n_captures--;
        return true;
    } else if (operands->n + args->attached.n == 0)
        snprintf(message, TK_OPT_MESSAGE, "which capture?");
    else if (tk_host_input_terminal())
        return true;
    else
        snprintf(message, TK_OPT_MESSAGE, "which question? (\"SELECT ...\", --sql FILE, --ask NAME)");
    return false;
}

/* ---- answering ---- */

static int stop_query(void *ctx)
{
    (void)ctx;
    return tk_host_stopped();
}

static void note_query(void *ctx, const char *text)
{
    tk_message_say(ctx, TK_MESSAGE_NOTE, "%s", text);
}

static int add_attached(struct tk_sql *sql, const char *text, struct tk_err *err)
{
    char name[64];
    const char *equals = strchr(text, '=');
    const size_t n = equals ? (size_t)(equals - text) : 0;
    if (n == 0 || n >= sizeof name || !equals[1]) {
        err->n = 1;
        snprintf(err->text[0], TK_ERR_TEXT, "option '--attach' takes NAME=FILE, not '%.200s'", text);
        return TK_EUSAGE;
    }
    memcpy(name, text, n);
    name[n] = '\0';
    return tk_sql_add(sql, equals + 1, name, err);
}

/* What lies in a folder of runs alongside captures and baselines, a log or a picture, is no part of it. */
static int add_folder(struct tk_sql *sql, const struct tk_call *call, const struct query_args *args,
                      const char *path, struct tk_err *err)
{
    struct tk_opt_list files = {0};
    size_t n = 0;
    int rc = tk_runs_list_folder(call->program, args->common.quiet, path, &files);
    for (size_t i = 0; i < files.n && rc == TK_OK; i++)
        if (tk_kept_is(files.v[i]) || tk_capture_is(files.v[i]) != 0) {
            rc = tk_sql_add(sql, files.v[i], NULL, err);
            n++;
        }
    tk_opt_list_release(&files);
    if (n == 0 && rc != TK_ENOMEM) {
        err->n = 1;
        snprintf(err->text[0], TK_ERR_TEXT, "there is no capture and no baseline in folder '%.200s'", path);
        return TK_EIO;
    }
    return rc;
}

static int add_captures(struct tk_sql *sql, const struct tk_call *call, const struct query_args *args,
                        size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const char *path = call->operands->v[i];
        rc = tk_host_is_folder(path) ? add_folder(sql, call, args, path, err)
                                     : tk_sql_add(sql, path, NULL, err);
    }
    for (size_t i = 0; i < args->attached.n && rc == TK_OK; i++)
        rc = add_attached(sql, args->attached.v[i], err);
    return rc;
}

/* Says the state of what was read. */
static enum tk_exit tell_sources(const char *program, const struct tk_sql *sql, const struct query_args *args)
{
    enum tk_exit code = TK_EXIT_DONE;
    bool damaged, partial, lossy;
    struct tk_trace *trace;
    const char *path;
    for (size_t i = 0; (path = tk_sql_source(sql, i, &damaged, &partial, &lossy, &trace)); i++) {
        if (trace && !args->common.quiet)
            tk_message_health(program, path, trace);
        if (damaged || partial || (args->common.strict_loss && lossy))
            code = TK_EXIT_DAMAGED;
    }
    return code;
}

/* lost: set where the format could not hold all values. */
static int answer_query(struct tk_sql *sql, const struct tk_call *call, const struct query_args *args,
                        const struct requested *a, enum tk_unit unit, bool *lost, struct tk_err *err)
{
    char message[TK_OPT_MESSAGE];
    struct tk_query_answer answer = {.program = call->program,
                                     .sql = sql,
                                     .out = &args->out,
                                     .format = tk_out_format(&args->out, "table", message),
                                     .unit = unit,
                                     .plan = args->plan,
                                     .quiet = args->common.quiet};
    const int rc = a->sql ? tk_query_answer(&answer, a->sql, err) : tk_prompt_run(&answer);
    *lost = answer.lost;
    return rc;
}

static enum tk_exit ask_captures(const struct tk_call *call, const struct query_args *args,
                                 const struct requested *a, enum tk_unit unit, const struct tk_options *open)
{
    struct tk_sql_options options = TK_INIT(struct tk_sql_options);
    struct tk_err err = {0};
    struct tk_sql *sql;
    bool lost = false;
    options.open = open;
    options.stop = stop_query;
    options.note = args->common.quiet ? NULL : note_query;
    options.note_ctx = (void *)call->program;
    options.memory = args->memory << 20;
    options.nothing_pushed = args->unpushed;
    int rc = tk_sql_new(&sql, &options, &err);
    if (rc == TK_OK)
        rc = add_captures(sql, call, args, a->n_captures, &err);
    if (rc == TK_OK)
        rc = answer_query(sql, call, args, a, unit, &lost, &err);
    enum tk_exit code = tk_exit_of(rc);
    code = tk_lost_values_exit(lost, code);
    if (rc < 0 && rc != TK_EPIPE && !(rc == TK_ECANCELED && tk_host_stopped()))
        tk_message_error(call->program, NULL, rc, &err);
    if (sql)
        code = tk_exit_worse(code, tell_sources(call->program, sql, args));
    if (sql && args->readings)
        fprintf(stderr, "readings of captures: %llu\n", (unsigned long long)tk_sql_readings(sql));
    tk_sql_free(sql);
    return code;
}

static int run_query(const struct tk_call *call, const void *command_args)
{
    const struct query_args *args = command_args;
    struct requested a = {0};
    char message[TK_OPT_MESSAGE] = "";
    enum tk_unit unit;
    if (args->questions)
        return (int)list_questions(call->program);
    const char *format = tk_out_format(&args->out, "table", message);
    bool good = format && tk_report_check_format(format, message) && tk_out_check(&args->out, &unit, message);
    if (good && unit == TK_UNIT_CYCLES) {
        snprintf(message, sizeof message, "SQL counts in nanoseconds: there is no '--unit cycles'");
        good = false;
    }
    if (!good || !find_requested(&a, call, args, message)) {
        free(a.read);
        return tk_message_usage(call->program, message);
    }
    struct tk_options open;
    struct tk_opt_list limits = {0};
    struct tk_err err = {0};
    int rc = tk_capture_options(&open, &limits, &args->common);
    if (rc == TK_OK)
        rc = tk_limit_check(open.limits, open.n_limits, &err);
    enum tk_exit code = tk_exit_of(rc);
    if (rc < 0)
        tk_message_error(call->program, NULL, rc, &err);
    else
        code = ask_captures(call, args, &a, unit, &open);
    tk_opt_list_release(&limits);
    free(a.read);
    if (tk_host_stopped())
        tk_host_stop(tk_host_stopped());
    return (int)code;
}

const struct tk_command tk_command_query = {
    .name = "query",
    .operands = "CAPTURE... [SQL]",
    .summary = "Answers SQL queries over captures and baselines without an import.",
    .help = "Without a statement, on a terminal, there is a prompt. Tables and columns are those of "
            "trace-stats --list.\n",
    .codes = "0 done; 2 wrong usage or SQL, or a name that matches nothing; 3 a capture cannot be read, or "
             "the output "
             "cannot be written; 4 done, but a capture is damaged, a limit left something out, or the output "
             "format "
             "cannot hold all values.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct query_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .statement = true,
    .wing = "sql",
    .run = run_query,
};
