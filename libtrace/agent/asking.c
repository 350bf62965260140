/*
 * Runs the statements of tools. See asking.h.
 */
#include "agent/asking.h"

#include "base/err.h"

#include <stdlib.h>

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
