/*
 * The tool that judges a capture by rules.
 */
#include "agent/agent_in.h"
#include "tracekit/rules.h"

#include <stdlib.h>

/* The rows as they come; an answer that is full ends there. */
static int judge(const struct tk_agent_work *w, const struct tk_rules *rules, struct tk_trace *trace,
                 struct tk_err *err)
{
    struct tk_rules_options options = TK_INIT(struct tk_rules_options);
    const cJSON *target = cJSON_GetObjectItemCaseSensitive(w->arguments, "target_fps");
    const struct tk_sink sink = tk_agent_answer_table(w->answer, "result");
    options.target = cJSON_IsNumber(target) ? target->valuedouble : 0;
    options.file = tk_agent_text(w, "capture");
    w->answer->skip = tk_agent_offset(w);
    int rc = tk_rules_judge(rules, trace, &options, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, tk_agent_offset(w), NULL);
    if (rc == TK_OK && (tk_damaged(trace) || tk_partial(trace)))
        tk_agent_answer_text(w->answer, "warning", tk_agent_damage);
    return rc;
}

int tk_agent_rules(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_rules *rules = NULL;
    struct tk_trace *trace = NULL;
    char *path = NULL;
    const char *name = tk_agent_text(w, "capture");
    if (!name)
        return tk_err_set(err, TK_EUSAGE, "which capture? (argument capture; list_captures has their names)");
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_open(&trace, path, w->open, err);
    if (rc == TK_OK)
        rc = tk_rules_new(&rules, err);
    if (rc == TK_OK)
        rc = judge(w, rules, trace, err);
    tk_rules_free(rules);
    tk_close(trace);
    free(path);
    return rc;
}
