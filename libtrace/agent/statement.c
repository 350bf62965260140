/*
 * Makes statements of SQL of the arguments of tools.
 */
#include "agent/agent_in.h"
#include "base/err.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
