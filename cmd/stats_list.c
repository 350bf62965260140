/*
 * Lists tables and their columns. See stats_list.h.
 */
#include "stats_list.h"

#include "pages/list_tables.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <string.h>

/* A copy of each name in a text with commas between them. */
static bool add_names(struct tk_opt_list *to, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        if (n && !tk_opt_list_add(to, text, n))
            return false;
    }
    return true;
}

/* The tables that are asked for by --table, --list=NAME and operands; a capture among these is not read. */
static bool add_listed(struct tk_opt_list *to, const struct tk_stats_args *args, const struct tk_call *call)
{
    const struct tk_opt_list *operands = call->operands, *named = &args->plan.tables;
    bool capture = false, ok = add_names(to, args->list);
    for (size_t i = 0; i < named->n && ok; i++)
        ok = add_names(to, named->v[i]);
    for (size_t i = 0; i < operands->n && ok; i++) {
        const bool file = !tk_table_find(operands->v[i]) && tk_host_exists(operands->v[i]);
        capture |= file;
        ok = file || add_names(to, operands->v[i]);
    }
    if (capture && !args->common.quiet)
        tk_message_say(
            call->program, TK_MESSAGE_NOTE,
            "the tables are the same for every capture; 'trace-info --can FILE' shows what this one "
            "has recorded");
    return ok;
}

int tk_stats_list(struct tk_report *report, const struct tk_stats_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct tk_opt_list asked = {0};
    int code;
    report->produce = tk_list_tables;
    report->ctx = &asked;
    message[0] = 0; /* out of memory */
    if (add_listed(&asked, args, report->call) && tk_plan_check_tables(&asked, message) &&
        tk_report_check_format(report->format, message))
        code = tk_report_run(report);
    else
        code = tk_message_usage(report->call->program, message);
    tk_opt_list_release(&asked);
    return code;
}
