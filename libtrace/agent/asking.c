/*
 * Makes statements of SQL of the arguments of tools, and runs them over the captures that these name.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "tracekit/sql.h"

#include <math.h>
#include <stdio.h>
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

enum { ROWS = 20, MOST_ROWS = 1000 };

/* ---- arguments ---- */

const char *tk_agent_text(const struct tk_agent_work *w, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(w->arguments, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

uint64_t tk_agent_number(const struct tk_agent_work *w, const char *name, uint64_t usual, uint64_t most)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(w->arguments, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0))
        return usual;
    return item->valuedouble < (double)most ? (uint64_t)item->valuedouble : most;
}

uint64_t tk_agent_limit(const struct tk_agent_work *w, uint64_t usual)
{
    return tk_agent_number(w, "limit", usual, MOST_ROWS);
}

uint64_t tk_agent_offset(const struct tk_agent_work *w)
{
    return tk_agent_number(w, "offset", 0, UINT32_MAX);
}

/* ---- statements in the making ---- */

static void add(struct tk_agent_statement *s, const char *p, size_t n)
{
    s->failed |= s->n + n >= sizeof s->text;
    if (s->failed)
        return;
    memcpy(s->text + s->n, p, n);
    s->n += n;
    s->text[s->n] = '\0';
}

void tk_agent_add_sql(struct tk_agent_statement *s, const char *text)
{
    add(s, text, strlen(text));
}

void tk_agent_add_quoted(struct tk_agent_statement *s, const char *text, char quote)
{
    add(s, &quote, 1);
    for (; *text; text++)
        add(s, *text == quote ? (const char[]){quote, quote} : text, *text == quote ? 2 : 1);
    add(s, &quote, 1);
}

void tk_agent_add_number(struct tk_agent_statement *s, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    tk_agent_add_sql(s, digits);
}

/* One more row than is put says that there are more. */
void tk_agent_add_limit(struct tk_agent_statement *s, const struct tk_agent_work *w)
{
    w->answer->limit = tk_agent_limit(w, ROWS);
    tk_agent_add_sql(s, " LIMIT ");
    tk_agent_add_number(s, w->answer->limit + 1);
    tk_agent_add_sql(s, " OFFSET ");
    tk_agent_add_number(s, tk_agent_offset(w));
}

void tk_agent_add_ms(struct tk_agent_statement *s, const char *column, const cJSON *ms)
{
    if (!cJSON_IsNumber(ms) || !(ms->valuedouble >= 0 && ms->valuedouble < 1e12))
        return;
    tk_agent_add_sql(s, " AND ");
    tk_agent_add_sql(s, column);
    tk_agent_add_sql(s, " = ");
    tk_agent_add_number(s, (uint64_t)llround(ms->valuedouble * 1e6));
}

void tk_agent_add_selection(struct tk_agent_statement *s, const struct tk_agent_work *w)
{
    static const char *const texts[] = {"thread", "timer", "region", "frames"};
    static const struct {
        const char *argument, *column;
    } times[] = {{"from_ms", "from_ns"}, {"to_ms", "to_ns"}};
    for (size_t i = 0; i < 4; i++)
        if (tk_agent_text(w, texts[i])) {
            tk_agent_add_sql(s, " AND ");
            tk_agent_add_sql(s, texts[i]);
            tk_agent_add_sql(s, " = ");
            tk_agent_add_quoted(s, tk_agent_text(w, texts[i]), '\'');
        }
    for (size_t i = 0; i < 2; i++)
        tk_agent_add_ms(s, times[i].column,
                        cJSON_GetObjectItemCaseSensitive(w->arguments, times[i].argument));
}

static bool is_operator(const char *op)
{
    static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">=", "LIKE", "GLOB"};
    for (size_t i = 0; op && i < sizeof operators / sizeof *operators; i++)
        if (strcmp(op, operators[i]) == 0)
            return true;
    return false;
}

int tk_agent_add_filter(struct tk_agent_statement *s, const cJSON *filter, struct tk_err *err)
{
    const cJSON *column = cJSON_GetObjectItemCaseSensitive(filter, "column");
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(filter, "op");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(filter, "value");
    char number[40];
    if (!cJSON_IsString(column) || !is_operator(cJSON_GetStringValue(op)) ||
        !(cJSON_IsString(value) || cJSON_IsNumber(value)))
        return tk_err_set(err, TK_EUSAGE,
                          "a filter is {\"column\", \"op\", \"value\"} with op one of = <> < <= > >= LIKE "
                          "GLOB and a text or number");
    tk_agent_add_sql(s, " AND ");
    tk_agent_add_quoted(s, column->valuestring, '"');
    tk_agent_add_sql(s, " ");
    tk_agent_add_sql(s, op->valuestring);
    tk_agent_add_sql(s, " ");
    if (cJSON_IsString(value))
        tk_agent_add_quoted(s, value->valuestring, '\'');
    else if (value->valuedouble > -9e15 && value->valuedouble < 9e15)
        tk_agent_add_sql(s, (snprintf(number, sizeof number, "%.17g", value->valuedouble), number));
    else
        return tk_err_set(err, TK_EUSAGE, "a number in a filter is too large");
    return TK_OK;
}
