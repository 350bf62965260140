/*
 * Findings as SARIF 2.1.0: a result for each rule that is found in a capture.
 */
#include "base/given.h"
#include "sink/write/value.h"
#include "sql/rules/rules_in.h"

#include <stdio.h>
#include <string.h>

static void put_text(struct tk_json *j, const char *name, const char *text)
{
    tk_json_open(j, name, '{');
    tk_json_c(j, "text", text);
    tk_json_close(j);
}

static void put_id(struct tk_json *j, const char *name, const char *rule)
{
    char id[160];
    snprintf(id, sizeof id, "tracekit/%.128s", rule);
    tk_json_c(j, name, id);
}

static void put_rules(struct tk_json *j, const struct tk_rules *rules)
{
    tk_json_open(j, "rules", '[');
    for (size_t i = 0; i < rules->list.n; i++) {
        const struct tk_rule *r = rules->list.v[i];
        tk_json_line(j);
        tk_json_open(j, NULL, '{');
        put_id(j, "id", r->name);
        put_text(j, "shortDescription", r->keys[TK_RULE_QUESTION].text);
        put_text(j, "help", r->keys[TK_RULE_ADVICE].text);
        tk_json_open(j, "defaultConfiguration", '{');
        tk_json_c(j, "level", r->keys[TK_RULE_LEVEL].text);
        tk_json_close(j);
        tk_json_close(j);
    }
    tk_json_close(j);
}

/* A path as a URI: other bytes than these are %XX. */
static void put_uri(struct tk_buffer *b, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char code[4];
    tk_buffer_char(b, '"');
    for (; *path; path++) {
        const char c = *path == '\\' ? '/' : *path;
        if (strchr(plain, c)) {
            tk_buffer_char(b, c);
        } else {
            snprintf(code, sizeof code, "%%%02X", (unsigned)(unsigned char)c);
            tk_buffer_text(b, code);
        }
    }
    tk_buffer_char(b, '"');
}

static struct tk_str text_of(const struct tk_result *judged, size_t row, const char *column)
{
    size_t rows;
    const int at = tk_table_column(tk_result_table(judged, 0, &rows), column);
    const struct tk_cell *cell = at < 0 ? NULL : &tk_result_row(judged, 0, row)[at];
    const bool is = cell && cell->kind == TK_TEXT;
    return (struct tk_str){.p = is ? cell->v.p : "", .n = is ? cell->n : 0, .enc = TK_ENC_UTF8};
}

static bool is_found(const struct tk_result *judged, size_t row)
{
    const struct tk_str state = text_of(judged, row, "state");
    return state.n == strlen("found") && memcmp(state.p, "found", state.n) == 0;
}

static void put_member(struct tk_json *j, struct tk_buffer *b, const char *name, const struct tk_str *text)
{
    tk_json_member(j, name);
    tk_json_string(b, text->p, text->n);
}

static void put_message(struct tk_json *j, struct tk_buffer *b, const struct tk_result *judged, size_t row)
{
    static const char *const parts[] = {"question", "evidence", "advice", "command"};
    struct tk_buffer text;
    tk_json_open(j, "message", '{');
    if (tk_buffer_init_scratch(&text, b) == TK_OK) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            const struct tk_str part = text_of(judged, row, parts[i]);
            tk_buffer_text(&text, i ? "\n" : "");
            tk_buffer_put(&text, part.p, part.n);
        }
        tk_json_member(j, "text");
        tk_json_string(b, text.p, text.n);
        tk_buffer_release(&text);
    } else {
        tk_buffer_fail(b, TK_ENOMEM);
    }
    tk_json_close(j);
}

static void put_result(struct tk_json *j, struct tk_buffer *b, const struct tk_result *judged, size_t row,
                       const char *file)
{
    char id[128];
    const struct tk_str rule = text_of(judged, row, "rule"), level = text_of(judged, row, "level");
    snprintf(id, sizeof id, "%.*s", (int)rule.n, rule.p);
    tk_json_line(j);
    tk_json_open(j, NULL, '{');
    put_id(j, "ruleId", id);
    put_member(j, b, "level", &level);
    put_message(j, b, judged, row);
    tk_json_open(j, "locations", '[');
    tk_json_open(j, NULL, '{');
    tk_json_open(j, "physicalLocation", '{');
    tk_json_open(j, "artifactLocation", '{');
    tk_json_member(j, "uri");
    put_uri(b, file);
    for (int i = 0; i < 5; i++)
        tk_json_close(j);
}

static void put_results(struct tk_json *j, struct tk_buffer *b, const struct tk_result *judged,
                        const char *file)
{
    size_t rows = 0;
    if (tk_result_count(judged))
        tk_result_table(judged, 0, &rows);
    for (size_t i = 0; i < rows; i++)
        if (is_found(judged, i))
            put_result(j, b, judged, i, file);
}

static void put_log(struct tk_json *j, struct tk_buffer *b, const struct tk_rules *rules,
                    const struct tk_result *const *judged, const char *const *files, size_t n)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tk_json_c(j, "version", "2.1.0");
    tk_json_open(j, "runs", '[');
    tk_json_open(j, NULL, '{');
    tk_json_open(j, "tool", '{');
    tk_json_open(j, "driver", '{');
    tk_json_c(j, "name", "trace-check");
    tk_json_c(j, "version", tk_version());
    put_rules(j, rules);
    tk_json_close(j);
    tk_json_close(j);
    tk_json_open(j, "results", '[');
    for (size_t i = 0; i < n; i++)
        put_results(j, b, judged[i], files[i]);
    tk_json_line(j);
    for (int i = 0; i < 4; i++)
        tk_json_close(j);
    tk_buffer_char(b, '\n');
}

int tk_rules_sarif(const struct tk_rules *rules, const struct tk_result *const *judged,
                   const char *const *files, size_t n, struct tk_output *out, struct tk_err *err)
{
    TK_GIVEN(err, rules, judged, files, out);
    struct tk_buffer b;
    if (tk_buffer_init(&b, out, err))
        return tk_err_nomem(err, "a report");
    struct tk_json j = tk_json_into(&b);
    put_log(&j, &b, rules, judged, files, n);
    const int rc = tk_buffer_flush(&b);
    tk_buffer_release(&b);
    return rc;
}
