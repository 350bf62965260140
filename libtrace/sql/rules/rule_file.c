/*
 * Reads files of rules: lines KEY: VALUE, and the statements behind "-- needs" and "-- found".
 */
#include "sql/rules/rules_in.h"
#include "tracekit/sql.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool needed;
} keys[TK_RULE_KEYS] = {
    [TK_RULE_QUESTION] = {"question", true}, [TK_RULE_NEEDS] = {"needs", true},
    [TK_RULE_LACKS] = {"lacks", false},      [TK_RULE_RECORD] = {"record", false},
    [TK_RULE_ADVICE] = {"advice", true},     [TK_RULE_LEVEL] = {"level", true},
    [TK_RULE_SAYS] = {"says", true},         [TK_RULE_COMMAND] = {"command", true},
};

static const char allowed[] = "question, needs, lacks, record, advice, level, says, command";

/* ---- lines ---- */

/* The text of a file, line by line; each is ended by NUL. */
struct lines {
    char *at;
    unsigned number;
};

static char *next_line(struct lines *l)
{
    char *line = l->at;
    if (!*line)
        return NULL;
    char *end = strchr(line, '\n');
    l->at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    l->number++;
    const size_t n = strlen(line);
    if (n && line[n - 1] == '\r')
        line[n - 1] = '\0';
    return line;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && strchr(" \t", text[n - 1]))
        text[--n] = '\0';
    return text;
}

static int find_key(const char *line, const char *colon)
{
    int key = 0;
    while (key < TK_RULE_KEYS && (strlen(keys[key].name) != (size_t)(colon - line) ||
                                  memcmp(keys[key].name, line, (size_t)(colon - line)) != 0))
        key++;
    return key;
}

static int take_line(struct tk_rule *r, char *line, unsigned number, struct tk_err *err)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return tk_rule_fail(r, number, err,
                            "'%.60s' is no line of a rule: KEY: VALUE, where KEY is one of %s", line,
                            allowed);
    const int key = find_key(line, colon);
    char *value = trimmed(colon + 1);
    if (key == TK_RULE_KEYS)
        return tk_rule_fail(r, number, err, "'%.*s' is no key of a rule; there are %s", (int)(colon - line),
                            line, allowed);
    if (r->keys[key].text)
        return tk_rule_fail(r, number, err, "'%s' is there already, in line %u: each key is given once",
                            keys[key].name, r->keys[key].line);
    if (!*value)
        return tk_rule_fail(r, number, err, "'%s' is empty: give it a text, or leave the line out",
                            keys[key].name);
    r->keys[key] = (struct tk_rule_value){value, number};
    return TK_OK;
}

/* ---- statements ---- */

static int check_statement(const struct tk_rule *r, const struct tk_rule_value *v, const char *name,
                           struct tk_err *err)
{
    bool ended;
    if (!v->text)
        return tk_rule_fail(r, 1, err, "a rule needs the line '-- %s' with a statement of SQL behind it",
                            name);
    const size_t n = tk_sql_statements(v->text, &ended);
    if (n == 1)
        return TK_OK;
    return tk_rule_fail(r, v->line, err, "'-- %s' has %s: it takes one SELECT", name,
                        n ? "several statements" : "no statement");
}

/* Which statement begins behind a line. NULL: none. */
static struct tk_rule_value *begun_by(struct tk_rule *r, const char *line)
{
    return strcmp(line, "-- needs") == 0 ? &r->needs : strcmp(line, "-- found") == 0 ? &r->found : NULL;
}

/* A line of a statement is joined with the next one again. */
static void join_line(const struct lines *l, char *line)
{
    char *end = line + strlen(line);
    memset(end, ' ', (size_t)(l->at - end));
    l->at[-1] = '\n';
}

static int take_statements(struct tk_rule *r, struct lines *l, char *line, struct tk_err *err)
{
    struct tk_rule_value *to = NULL;
    for (; line; line = next_line(l)) {
        struct tk_rule_value *next = begun_by(r, trimmed(line));
        if (next && next->text)
            return tk_rule_fail(r, l->number, err, "'%s' is there already, in line %u", line, next->line);
        if (next) {
            to = next;
            *to = (struct tk_rule_value){l->at, l->number};
            continue;
        }
        if (to && *l->at)
            join_line(l, line);
    }
    return TK_OK;
}

/* ---- the whole ---- */

static int check_keys(const struct tk_rule *r, struct tk_err *err)
{
    static const char *const levels[] = {"error", "warning", "note"};
    for (int i = 0; i < TK_RULE_KEYS; i++)
        if (keys[i].needed && !r->keys[i].text)
            return tk_rule_fail(r, 1, err, "a rule needs '%s:'; there are %s", keys[i].name, allowed);
    const struct tk_rule_value *level = &r->keys[TK_RULE_LEVEL];
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(level->text, levels[i]) == 0)
            return TK_OK;
    return tk_rule_fail(r, level->line, err, "level is 'error', 'warning' or 'note', not '%.60s'",
                        level->text);
}

static int check_rule(const struct tk_rule *r, struct tk_err *err)
{
    int rc = check_keys(r, err);
    if (rc == TK_OK)
        rc = tk_rule_template_check(r, TK_RULE_SAYS, err);
    if (rc == TK_OK)
        rc = tk_rule_template_check(r, TK_RULE_COMMAND, err);
    if (rc == TK_OK)
        rc = check_statement(r, &r->needs, "needs", err);
    return rc == TK_OK ? check_statement(r, &r->found, "found", err) : rc;
}

static int parse(struct tk_rule *r, struct tk_err *err)
{
    struct lines l = {r->text, 0};
    char *line;
    int rc = TK_OK;
    while (rc == TK_OK && (line = next_line(&l)) && !begun_by(r, trimmed(line)))
        if (*trimmed(line) && *line != '#')
            rc = take_line(r, line, l.number, err);
    if (rc == TK_OK)
        rc = take_statements(r, &l, line, err);
    return rc == TK_OK ? check_rule(r, err) : rc;
}

static char *copied(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

int tk_rule_parse(struct tk_rule *rule, const char *name, const char *path, const char *text, size_t n,
                  struct tk_err *err)
{
    *rule = (struct tk_rule){.name = copied(name, strlen(name)),
                             .path = path ? copied(path, strlen(path)) : NULL,
                             .text = copied(text, n)};
    if (!rule->name || !rule->text || (path && !rule->path))
        return tk_err_nomem(err, "a rule");
    if (memchr(text, '\0', n))
        return tk_rule_fail(rule, 1, err, "it is no text");
    return parse(rule, err);
}

void tk_rule_release(struct tk_rule *rule)
{
    free(rule->name);
    free(rule->path);
    free(rule->text);
    *rule = (struct tk_rule){.name = NULL};
}
