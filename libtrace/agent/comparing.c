/*
 * Compares what the arguments name. See comparing.h.
 */
#include "agent/comparing.h"

#include "agent/statement.h"
#include "base/err.h"

#include <stdlib.h>

static int add_run(const struct tk_agent_work *w, struct tk_baseline *to, const char *path,
                   struct tk_err *err)
{
    struct tk_trace *trace = NULL;
    if (tk_baseline_is(path) == 1)
        return tk_baseline_load(to, path, err);
    int rc = tk_open(&trace, path, w->open, err);
    if (rc == TK_OK)
        rc = tk_baseline_add(to, trace, NULL, err);
    tk_close(trace);
    return rc;
}

static int collect(const struct tk_agent_work *w, const char *argument, struct tk_baseline **out,
                   struct tk_err *err)
{
    char *path = NULL;
    const char *name = tk_agent_text(w, argument);
    *out = NULL;
    if (!name)
        return tk_err_set(err, TK_EUSAGE, "which %s? (arguments baseline and candidate)", argument);
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_baseline_new(out, err);
    if (rc == TK_OK)
        rc = add_run(w, *out, path, err);
    free(path);
    return rc;
}

static int tell_comparison(const struct tk_agent_work *w, const struct tk_comparison *found,
                           struct tk_err *err)
{
    tk_agent_answer_text(w->answer, "verdict",
                         !tk_comparison_comparable(found)    ? "not comparable"
                         : tk_comparison_regressed(found)    ? "regressed"
                         : tk_comparison_inconclusive(found) ? "inconclusive"
                                                             : "no regression");
    const struct tk_sink sink = tk_agent_answer_table(w->answer, "changes");
    int rc = tk_comparison_rows(found, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, 0);
    return rc;
}

int tk_agent_compare(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_baseline *base = NULL, *candidate = NULL;
    struct tk_comparison *found = NULL;
    int rc = collect(w, "baseline", &base, err);
    if (rc == TK_OK)
        rc = collect(w, "candidate", &candidate, err);
    if (rc == TK_OK)
        rc = tk_compare(&found, base, candidate, NULL, err);
    if (rc == TK_OK)
        rc = tell_comparison(w, found, err);
    tk_comparison_free(found);
    tk_baseline_free(base);
    tk_baseline_free(candidate);
    return rc;
}
