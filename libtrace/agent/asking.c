/*
 * Runs the statements of tools over the captures that their arguments name.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "tracekit/sql.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CAPTURES = 8, LONGEST_TEXT = 16 << 20, MOST_QUESTIONS = 64 };

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
               uint64_t offset, const char *how, struct tk_err *err)
{
    const struct tk_sink sink = tk_agent_answer_table(w->answer, name);
    int rc = tk_sql_run(sql, text, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, offset, how);
    return rc;
}

const char tk_agent_damage[] =
    "the capture is damaged or a limit left something out: table health says what is missing";

/* What was found wrong with the captures so far. */
static void tell_damage(const struct tk_agent_work *w, const struct tk_sql *sql)
{
    bool damaged, partial, any = false;
    for (size_t i = 0; tk_sql_source(sql, i, &damaged, &partial, NULL, NULL); i++)
        any |= damaged || partial;
    if (any)
        tk_agent_answer_text(w->answer, "warning", tk_agent_damage);
}

int tk_agent_ask_parts(const struct tk_agent_work *w, const struct tk_agent_part *parts, size_t n,
                       struct tk_err *err)
{
    struct tk_sql *sql;
    int rc = open_sql(w, &sql, err);
    w->answer->parts = (unsigned)n;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        w->answer->limit = parts[i].limit;
        rc = ask(w, sql, parts[i].name, parts[i].sql, 0, parts[i].how, err);
    }
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
        rc = ask(w, sql, "result", s->text, tk_agent_offset(w), NULL, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

/* The statement of the arguments, or of the predefined question. */
static int find_statement(const struct tk_agent_work *w, const char **out, struct tk_err *err)
{
    const struct tk_sql_question_text *question;
    const char *name = tk_agent_text(w, "ask"), *names[MOST_QUESTIONS];
    size_t n = 0;
    *out = tk_agent_text(w, "statement");
    if (!name == !*out)
        return tk_err_set(err, TK_EUSAGE, "which statement? (argument statement, or else ask)");
    for (; !*out && n < MOST_QUESTIONS && (question = tk_sql_question(n)); n++) {
        names[n] = question->name;
        if (strcmp(question->name, name) == 0)
            *out = question->sql;
    }
    const char *near = *out ? NULL : tk_nearest(name, names, n);
    return *out ? TK_OK
                : tk_err_set(err, TK_EUSAGE, "there is no question '%.60s'; %s%s", name,
                             near ? "do you mean " : "its description lists them", near ? near : "");
}

int tk_agent_ask_sql(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_sql *sql;
    const char *text;
    int rc = find_statement(w, &text, err);
    if (rc == TK_OK)
        rc = open_sql(w, &sql, err);
    if (rc < 0)
        return rc;
    w->answer->skip = tk_agent_offset(w);
    w->answer->limit = tk_agent_limit(w, UINT64_MAX);
    rc = ask(w, sql, "result", text, tk_agent_offset(w), NULL, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}
