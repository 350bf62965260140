/*
 * Rules in commands: trace-stats --rules shows what is wrong in a capture, and trace-check --rules fails for
 * it.
 */
#include "cmd_in.h"
#include "pages/summary_pages.h"
#include "pages/tables.h"
#include "run/listing.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * trace-stats.
 */

struct judged {
    struct tk_rules_choice choice;
    struct tk_rules_options options;
    bool people;
};

static int produce_page(const struct judged *j, struct tk_trace *trace, const struct tk_sink *sink,
                        struct tk_err *err)
{
    struct tk_result *result;
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    const struct tk_sink keep = tk_result_sink(result);
    rc = tk_rules_judge(j->choice.rules, trace, &j->options, &keep, err);
    if (rc == TK_OK)
        rc = tk_rules_page_send(result, j->choice.all, sink, err);
    for (size_t i = 1; rc == TK_OK && i < tk_result_count(result); i++)
        rc = tk_column_filter_table(result, i, &(struct tk_column_filter){.usual = true}, sink, err);
    tk_result_free(result);
    return rc;
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct judged *j = ctx;
    return j->people ? produce_page(j, trace, sink, err)
                     : tk_rules_judge(j->choice.rules, trace, &j->options, sink, err);
}

/* What is wrong with the options alongside it, or NULL. */
static const char *misfit(const struct tk_stats_args *args)
{
    if (args->plan.tables.n || args->plan.columns.n || args->by.n || args->plot || args->plan.sort ||
        args->plan.top || args->rows.where.n || tk_select_given(&args->select))
        return "option '--rules' judges the whole capture: leave out tables, columns and selections";
    return NULL;
}

static bool is_one(const struct tk_rules_choice *choice, char message[TK_OPT_MESSAGE])
{
    const bool one = choice->captures.n == 1 && !tk_kept_is(choice->captures.v[0]);
    const char *last = choice->captures.v[choice->captures.n - 1], *first = choice->captures.v[0];
    const char *folder = tk_host_is_folder(first) ? first : tk_host_is_folder(last) ? last : NULL;
    if (!one && folder)
        snprintf(message, TK_OPT_MESSAGE,
                 "there is no rule in folder '%.200s': rules are files NAME.rule; and '--rules' judges one "
                 "capture",
                 folder);
    else if (!one)
        snprintf(message, TK_OPT_MESSAGE, "option '--rules' judges one capture");
    return one;
}

int tk_stats_rules(const struct tk_stats_args *args, struct tk_report *report)
{
    char message[TK_OPT_MESSAGE];
    const struct tk_call *call = report->call;
    struct judged j = {.options = TK_INIT(struct tk_rules_options),
                       .people = tk_out_is_for_people(report->format)};
    const char *wrong = misfit(args);
    if (wrong)
        snprintf(message, sizeof message, "%s", wrong);
    if (wrong || !tk_report_check_format(report->format, message) ||
        !tk_opt_real("target", args->deep.target, false, &j.options.target, message) ||
        !tk_rules_choose(&j.choice, args->rules, call->operands, message) || !is_one(&j.choice, message)) {
        tk_rules_choice_release(&j.choice);
        return tk_message_usage(call->program, message);
    }
    j.options.only = (const char *const *)j.choice.only.v;
    j.options.n_only = j.choice.only.n;
    report->path = j.options.file = j.choice.captures.v[0];
    report->several = j.choice.only.n > 0;
    report->produce = produce;
    report->ctx = &j;
    const int code = tk_report_run(report);
    tk_rules_choice_release(&j.choice);
    return code;
}

/*
 * trace-check: captures against rules instead of budgets.
 */

struct judging {
    const struct tk_check_rules *request;
    struct tk_rules_choice choice;
    struct tk_rules_options options;
    struct tk_opt_list files;  /* owned */
    struct tk_result **judged; /* owned, one for each file; NULL: it could not be read */
};

/* ---- --fail found:NAME ---- */

static const char found[] = "found";

/* How many rules of a capture are in each state; of one rule, or of all with NULL. */
struct tally {
    size_t found, ruled_out, not_judged;
};

static struct tally tally_of(const struct judging *j, size_t file, const char *rule)
{
    struct tally n = {0};
    const struct tk_answer rules = tk_answer_find(j->judged[file], "rules");
    for (size_t row = 0; row < rules.n_rows; row++) {
        const struct tk_cell *state = tk_answer_cell(&rules, row, "state");
        if (rule && !tk_answer_is_text(tk_answer_cell(&rules, row, "rule"), rule))
            continue;
        n.found += tk_answer_is_text(state, found);
        n.ruled_out += tk_answer_is_text(state, "ruled out");
        n.not_judged += tk_answer_is_text(state, "not judged");
    }
    return n;
}

/* The rule that a word of --fail names; NULL: any. */
static const char *rule_of(const char *word)
{
    return word[sizeof found - 1] == ':' ? word + sizeof found : NULL;
}

static bool check_words(const struct judging *j, char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *fail = j->request->fail;
    const size_t n = sizeof found - 1;
    for (size_t i = 0; i < fail->n; i++) {
        const char *word = fail->v[i];
        if (strcmp(word, found) == 0)
            continue;
        if (strncmp(word, found, n) != 0 || word[n] != ':' || !tk_rules_has(j->choice.rules, word + n + 1)) {
            snprintf(
                message, TK_OPT_MESSAGE,
                "option '--fail' takes 'found', or 'found:' and a rule, not '%.60s'; trace-stats --rules "
                "has their names",
                word);
            return false;
        }
    }
    return true;
}

/* ---- captures ---- */

static bool add_files(struct judging *j, const char *operand)
{
    struct tk_opt_list in_folder = {0};
    bool good = true;
    if (!tk_host_is_folder(operand))
        return tk_opt_list_add(&j->files, operand, strlen(operand));
    if (tk_runs_list_folder(j->request->call->program, j->request->common->quiet, operand, &in_folder) < 0)
        return false;
    for (size_t i = 0; i < in_folder.n && good; i++)
        if (!tk_kept_is(in_folder.v[i]) && tk_capture_is(in_folder.v[i]) > 0)
            good = tk_opt_list_add(&j->files, in_folder.v[i], strlen(in_folder.v[i]));
    tk_opt_list_release(&in_folder);
    return good;
}

static enum tk_exit judge_file(const struct judging *j, size_t i)
{
    struct tk_capture_run run = {0};
    struct tk_rules_options options = j->options;
    const enum tk_exit opened =
        tk_capture_open(&run, j->request->call->program, j->files.v[i], j->request->common);
    if (opened != TK_EXIT_DONE)
        return opened;
    options.file = j->files.v[i];
    int rc = tk_result_new(&j->judged[i], &run.err);
    if (rc == TK_OK) {
        const struct tk_sink sink = tk_result_sink(j->judged[i]);
        rc = tk_rules_judge(j->choice.rules, run.trace, &options, &sink, &run.err);
    }
    return tk_capture_close(&run, rc);
}

/* ---- reports ---- */

static int put_cell(struct tk_output *out, const struct tk_cell *cell, const char *before, struct tk_err *err)
{
    if (cell->kind != TK_TEXT)
        return TK_OK;
    const int rc = tk_output_write(out, before, strlen(before), err);
    return rc == TK_OK ? tk_output_write(out, cell->v.p, cell->n, err) : rc;
}

/* "FILE: 1 found, 12 ruled out, 11 not judged" */
static int write_tally(const struct judging *j, size_t i, struct tk_output *out, struct tk_err *err)
{
    char counts[128];
    const struct tally n = tally_of(j, i, NULL);
    const int len = snprintf(counts, sizeof counts, ": %zu found, %zu ruled out, %zu not judged\n", n.found,
                             n.ruled_out, n.not_judged);
    const int rc = tk_output_write(out, j->files.v[i], strlen(j->files.v[i]), err);
    return rc == TK_OK ? tk_output_write(out, counts, (size_t)len, err) : rc;
}

/* "FILE: error: RULE: EVIDENCE. ADVICE" for each that is found, and how many are in each state. */
static int write_lines(const struct judging *j, size_t i, struct tk_output *out, struct tk_err *err)
{
    static const char *const parts[][2] = {
        {": ", "level"}, {": ", "rule"}, {": ", "evidence"}, {"\n    ", "advice"}};
    const struct tk_answer rules = tk_answer_find(j->judged[i], "rules");
    int rc = TK_OK;
    for (size_t row = 0; row < rules.n_rows && rc == TK_OK; row++) {
        if (!tk_answer_is_text(tk_answer_cell(&rules, row, "state"), found))
            continue;
        rc = tk_output_write(out, j->files.v[i], strlen(j->files.v[i]), err);
        for (size_t k = 0; k < sizeof parts / sizeof *parts && rc == TK_OK; k++)
            rc = put_cell(out, tk_answer_cell(&rules, row, parts[k][1]), parts[k][0], err);
        if (rc == TK_OK)
            rc = tk_output_write(out, "\n", 1, err);
    }
    return rc == TK_OK ? write_tally(j, i, out, err) : rc;
}

static int write_report(const void *of, const char *kind, struct tk_output *out,
                        const struct tk_report_options *opt, struct tk_err *err)
{
    const struct judging *j = of;
    (void)opt;
    if (strcmp(kind, "sarif") == 0)
        return tk_rules_sarif(j->choice.rules, (const struct tk_result *const *)j->judged,
                              (const char *const *)j->files.v, j->files.n, out, err);
    int rc = TK_OK;
    for (size_t i = 0; i < j->files.n && rc == TK_OK; i++)
        rc = write_lines(j, i, out, err);
    return rc;
}

/* What the words of --fail come to in the captures: whether a rule is found that fails the check, and whether
 * one can neither be found nor ruled out. */
static void weigh(const struct judging *j, bool *failed, bool *open)
{
    for (size_t i = 0; i < j->files.n; i++)
        for (size_t k = 0; k < j->request->fail->n; k++) {
            const struct tally n = tally_of(j, i, rule_of(j->request->fail->v[k]));
            *failed |= n.found > 0;
            *open |= n.found == 0 && n.ruled_out == 0;
        }
}

/* ---- the whole ---- */

static enum tk_exit report_all(const struct judging *j, enum tk_exit code)
{
    struct tk_err err = {0};
    const struct tk_reports reports = {
        .wanted = j->request->reports, .colour = j->request->colour, .write = write_report, .of = j};
    const int rc = tk_reports_write(&reports, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(j->request->call->program, NULL, rc, &err);
    if (rc < 0)
        return tk_exit_of(rc);
    bool failed = false, open = false;
    weigh(j, &failed, &open);
    if (failed)
        return tk_exit_worse(TK_EXIT_NO, code);
    return open ? tk_exit_worse(code, tk_rules_unjudged(j->request->call->program)) : code;
}

static enum tk_exit judge_all(struct judging *j)
{
    enum tk_exit code = TK_EXIT_DONE;
    const struct tk_opt_list *operands = &j->choice.captures;
    for (size_t i = 0; i < operands->n; i++)
        if (!add_files(j, operands->v[i]))
            return tk_exit_of(TK_ENOMEM);
    if (j->files.n == 0) {
        tk_message_say(j->request->call->program, TK_MESSAGE_ERROR, "there is no capture in '%s'",
                       operands->v[0]);
        return TK_EXIT_FAILED;
    }
    j->judged = calloc(j->files.n, sizeof *j->judged);
    for (size_t i = 0; i < j->files.n && j->judged; i++) {
        const enum tk_exit one = judge_file(j, i);
        if (one != TK_EXIT_DONE && one != TK_EXIT_DAMAGED)
            return one;
        code = tk_exit_worse(code, one);
    }
    return j->judged ? report_all(j, code) : tk_exit_of(TK_ENOMEM);
}

static bool fill(struct judging *j, char message[TK_OPT_MESSAGE])
{
    static const char *const kinds[] = {"text", "sarif", NULL};
    if (!j->request->good) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--rules' judges captures by rules: leave out budgets, selections and baselines");
        return false;
    }
    if (!tk_rules_choose(&j->choice, j->request->rules, j->request->call->operands, message) ||
        !check_words(j, message) ||
        !tk_opt_real("target", j->request->target, false, &j->options.target, message))
        return false;
    j->options.only = (const char *const *)j->choice.only.v;
    j->options.n_only = j->choice.only.n;
    return tk_reports_check(j->request->reports, kinds, message);
}

int tk_check_rules_run(const struct tk_check_rules *request)
{
    char message[TK_OPT_MESSAGE];
    struct judging j = {.request = request, .options = TK_INIT(struct tk_rules_options)};
    int code;
    if (fill(&j, message))
        code = (int)judge_all(&j);
    else
        code = tk_message_usage(request->call->program, message);
    for (size_t i = 0; j.judged && i < j.files.n; i++)
        tk_result_free(j.judged[i]);
    free(j.judged);
    tk_opt_list_release(&j.files);
    tk_rules_choice_release(&j.choice);
    return code;
}
