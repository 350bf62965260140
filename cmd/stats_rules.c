/*
 * trace-stats --rules.
 */
#include "cmd_in.h"
#include "pages/column_filter.h"
#include "run/listing.h"
#include "run/rules.h"
#include "terminal/message.h"

#include <stdio.h>

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
static const char *misfit(const struct tk_stats_args *args, const struct tk_call *call)
{
    if (call->operands->n > 1 || tk_kept_is(call->operands->v[0]))
        return "option '--rules' judges one capture";
    if (args->plan.tables.n || args->plan.columns.n || args->by.n || args->plot || args->plan.sort ||
        args->plan.top || args->rows.where.n || tk_select_given(&args->select))
        return "option '--rules' judges the whole capture: leave out tables, columns and selections";
    return NULL;
}

int tk_stats_rules(const struct tk_stats_args *args, struct tk_report *report)
{
    char message[TK_OPT_MESSAGE];
    const struct tk_call *call = report->call;
    struct judged j = {.options = TK_INIT(struct tk_rules_options),
                       .people = tk_out_is_for_people(report->format)};
    const char *wrong = misfit(args, call);
    if (wrong)
        snprintf(message, sizeof message, "%s", wrong);
    if (wrong || !tk_report_check_format(report->format, message) ||
        !tk_opt_real("target", args->deep.target, false, &j.options.target, message) ||
        !tk_rules_choose(&j.choice, args->rules, message)) {
        tk_rules_choice_release(&j.choice);
        return tk_message_usage(call->program, message);
    }
    j.options.only = (const char *const *)j.choice.only.v;
    j.options.n_only = j.choice.only.n;
    report->path = j.options.file = call->operands->v[0];
    report->several = j.choice.only.n > 0;
    report->produce = produce;
    report->ctx = &j;
    const int code = tk_report_run(report);
    tk_rules_choice_release(&j.choice);
    return code;
}
