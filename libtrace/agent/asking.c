/*
 * Runs the statements of tools.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "tracekit/runs.h"
#include "tracekit/sql.h"

#include <stdlib.h>

/*
 * Compares what the arguments name.
 */

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

enum { MOST_CAPTURES = 8, LONGEST_TEXT = 16 << 20 };

static int add_capture(const struct tk_agent_work *w, struct tk_sql *sql, const char *name,
                       const char *schema, struct tk_err *err)
{
    char *path;
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_sql_add(sql, path, schema, err);
    free(path);
    return rc;
}

static int add_captures(const struct tk_agent_work *w, struct tk_sql *sql, struct tk_err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(w->arguments, "captures"), *item;
    const char *one = tk_agent_text(w, "capture");
    int rc = one ? add_capture(w, sql, one, NULL, err) : TK_OK;
    unsigned n = 0;
    cJSON_ArrayForEach(item, list)
    {
        if (rc == TK_OK && (!cJSON_IsString(item) || ++n > MOST_CAPTURES))
            rc = tk_err_set(err, TK_EUSAGE, "'captures' must be a list of at most %d names", MOST_CAPTURES);
        if (rc == TK_OK)
            rc = add_capture(w, sql, item->valuestring, NULL, err);
    }
    if (rc == TK_OK && !one && n == 0)
        return tk_err_set(err, TK_EUSAGE, "which capture? (argument capture; list_captures has their names)");
    return rc;
}

static int open_sql(const struct tk_agent_work *w, struct tk_sql **sql, struct tk_err *err)
{
    struct tk_sql_options options = TK_INIT(struct tk_sql_options);
    options.open = w->open;
    options.stop = w->stop;
    options.stop_ctx = w->stop_ctx;
    options.longest_text = LONGEST_TEXT;
    int rc = tk_sql_new(sql, &options, err);
    if (rc == TK_OK)
        rc = add_captures(w, *sql, err);
    if (rc < 0) {
        tk_sql_free(*sql);
        *sql = NULL;
    }
    return rc;
}

static int ask(const struct tk_agent_work *w, struct tk_sql *sql, const char *name, const char *text,
               uint64_t offset, struct tk_err *err)
{
    const struct tk_sink sink = tk_agent_answer_table(w->answer, name);
    int rc = tk_sql_run(sql, text, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, offset);
    return rc;
}

/* What was found wrong with the captures so far. */
static void tell_damage(const struct tk_agent_work *w, const struct tk_sql *sql)
{
    bool damaged, partial, any = false;
    for (size_t i = 0; tk_sql_source(sql, i, &damaged, &partial, NULL, NULL); i++)
        any |= damaged || partial;
    if (any)
        tk_agent_answer_text(
            w->answer, "warning",
            "the capture is damaged or a limit left something out: table health says what is missing");
}

int tk_agent_ask_parts(const struct tk_agent_work *w, const struct tk_agent_part *parts, size_t n,
                       struct tk_err *err)
{
    struct tk_sql *sql;
    int rc = open_sql(w, &sql, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = ask(w, sql, parts[i].name, parts[i].sql, 0, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

int tk_agent_ask_statement(const struct tk_agent_work *w, const struct tk_agent_statement *s,
                           struct tk_err *err)
{
    struct tk_sql *sql;
    if (s->failed)
        return tk_err_set(err, TK_ELIMIT, "the arguments are too long");
    int rc = open_sql(w, &sql, err);
    if (rc == TK_OK)
        rc = ask(w, sql, "result", s->text, tk_agent_offset(w), err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

int tk_agent_ask_sql(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_sql *sql;
    const char *text = tk_agent_text(w, "statement");
    if (!text)
        return tk_err_set(err, TK_EUSAGE, "which statement? (argument statement)");
    int rc = open_sql(w, &sql, err);
    if (rc == TK_OK)
        rc = ask(w, sql, "result", text, 0, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}
