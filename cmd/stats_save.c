/*
 * Saves a run, of an anonymised copy where that is asked for. See stats_save.h.
 */
#include "stats_save.h"

#include "args/run_info.h"
#include "run/anonymised.h"
#include "run/save.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

/* Of an anonymised copy, where that is asked for. */
static int save_capture(const struct tk_call *call, const struct tk_stats_args *args,
                        const struct tk_selection *select, const struct tk_run_info *info)
{
    struct tk_anonymised copy;
    const enum tk_exit made =
        tk_anonymised_make(&copy, call->program, call->operands->v[0], &args->common, &args->texts);
    if (made != TK_EXIT_DONE && made != TK_EXIT_DAMAGED)
        return (int)made;
    struct tk_opt_list one = {.v = &copy.path, .n = 1};
    const struct tk_call other = {call->program, copy.path ? &one : call->operands};
    const enum tk_exit code = args->save
                                  ? tk_save_run(&other, &args->common, select, info, args->save)
                                  : tk_save_summary(&other, &args->common, select, info, args->summary);
    tk_anonymised_drop(&copy);
    return (int)tk_exit_worse(made, code);
}

/* What is wrong with the options beside --save or --summary, or NULL. */
static const char *misfit_of_save(const struct tk_call *call, const struct tk_stats_args *args)
{
    if (call->operands->n > 1)
        return "takes one capture at a time";
    if (args->plot || args->plan.tables.n || args->plan.columns.n || args->plan.sort || args->plan.top ||
        args->by.n)
        return "prints no table: leave out --table, --columns, --by, --sort, --top and --plot";
    if (tk_questions_any(&args->deep))
        return "prints no table: leave out the questions, from --tree to --min-share";
    if (args->rows.where.n || args->rows.counters.n || args->rows.logs.n || args->rows.callstack)
        return "keeps whole tables: rows cannot be chosen";
    if (args->select.timers.n)
        return "keeps all timers, and does not go with '--timer'";
    if (args->summary && (tk_select_given(&args->select) || args->common.per))
        return "is of whole runs by frames, and does not go with a selection or '--per'";
    if (args->summary && strcmp(args->summary, "-") == 0)
        return "needs a folder to write to";
    return NULL;
}

int tk_stats_save(const struct tk_call *call, const struct tk_stats_args *args, const struct tk_opt_set *set)
{
    struct tk_selection select = {0};
    char message[TK_OPT_MESSAGE];
    if (args->save && args->summary)
        return tk_message_usage(call->program, "options '--save' and '--summary' do not go together");
    const char *wrong = misfit_of_save(call, args);
    if (wrong) {
        snprintf(message, sizeof message, "option '%s' %s", args->save ? "--save" : "--summary", wrong);
        return tk_message_usage(call->program, message);
    }
    if (!tk_select_fill(&select, &args->select, message) || !tk_anonymised_check(&args->texts, set, message))
        return tk_message_usage(call->program, message);
    struct tk_run_info *info;
    int code = tk_run_info_option_read(&info, &args->run_info, call->program, args->common.quiet);
    if (code == TK_EXIT_DONE)
        code = save_capture(call, args, &select, info);
    tk_run_info_free(info);
    return code;
}
