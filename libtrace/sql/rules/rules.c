/*
 * Lists of rules: those of the build, and those of a user's folder.
 */
#include "base/given.h"
#include "base/text/glob.h"
#include "base/text/path.h"
#include "io/file.h"
#include "os/path.h"
#include "sql/rules/rules_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FILE = 64 << 10, MOST_RULES = 512, LONGEST_PATH = 4096, LONGEST_NAME = 80 };

static const char ending[] = ".rule";

/* Those of schemas/rules, by name. */
struct built_in {
    const char *name, *text;
};
extern const struct built_in tk_rules_built_in[];

/* ---- the list ---- */

static void free_rule(struct tk_rule *rule)
{
    tk_rule_release(rule);
    free(rule);
}

/* Where a name is, or would stand. */
static size_t place_of(const struct tk_rules *rules, const char *name)
{
    size_t at = 0;
    while (at < rules->list.n && strcmp(rules->list.v[at]->name, name) < 0)
        at++;
    return at;
}

/* Puts a rule, which is taken, where its name stands. */
static int put_rule(struct tk_rules *rules, struct tk_rule *rule, struct tk_err *err)
{
    const size_t at = place_of(rules, rule->name);
    if (at < rules->list.n && strcmp(rules->list.v[at]->name, rule->name) == 0) {
        free_rule(rules->list.v[at]);
        rules->list.v[at] = rule;
        return TK_OK;
    }
    if (rules->list.n == MOST_RULES || tk_vec_push(&rules->list, rule)) {
        const bool full = rules->list.n == MOST_RULES;
        free_rule(rule);
        return full ? tk_err_set(err, TK_ELIMIT, "there are more than %d rules", MOST_RULES)
                    : tk_err_nomem(err, "rules");
    }
    memmove(rules->list.v + at + 1, rules->list.v + at, (rules->list.n - 1 - at) * sizeof *rules->list.v);
    rules->list.v[at] = rule;
    return TK_OK;
}

static int add_text(struct tk_rules *rules, const char *name, const char *path, const char *text, size_t n,
                    struct tk_err *err)
{
    struct tk_rule *rule = calloc(1, sizeof *rule);
    if (!rule)
        return tk_err_nomem(err, "a rule");
    const int rc = tk_rule_parse(rule, name, path, text, n, err);
    if (rc == TK_OK)
        return put_rule(rules, rule, err);
    free_rule(rule);
    return rc;
}

int tk_rules_new(struct tk_rules **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_rules *rules = calloc(1, sizeof *rules);
    int rc = rules ? TK_OK : tk_err_nomem(err, "rules");
    *out = NULL;
    for (size_t i = 0; rc == TK_OK && tk_rules_built_in[i].name; i++)
        rc = add_text(rules, tk_rules_built_in[i].name, NULL, tk_rules_built_in[i].text,
                      strlen(tk_rules_built_in[i].text), err);
    if (rc == TK_OK)
        *out = rules;
    else
        tk_rules_free(rules);
    return rc;
}

void tk_rules_free(struct tk_rules *rules)
{
    for (size_t i = 0; rules && i < rules->list.n; i++)
        free_rule(rules->list.v[i]);
    if (rules)
        tk_vec_release(&rules->list);
    free(rules);
}

size_t tk_rules_count(const struct tk_rules *rules)
{
    return rules ? rules->list.n : 0;
}

const char *tk_rules_name(const struct tk_rules *rules, size_t i)
{
    return i < tk_rules_count(rules) ? rules->list.v[i]->name : NULL;
}

const char *tk_rules_question(const struct tk_rules *rules, size_t i)
{
    return i < tk_rules_count(rules) ? rules->list.v[i]->keys[TK_RULE_QUESTION].text : NULL;
}

int tk_rules_unknown(const struct tk_rules *rules, const char *name, struct tk_err *err)
{
    struct tk_nearest_search near;
    tk_nearest_begin(&near, name);
    for (size_t i = 0; i < rules->list.n; i++)
        tk_nearest_offer(&near, rules->list.v[i]->name, strlen(rules->list.v[i]->name));
    return tk_nearest_fail(&near, "rule", rules->list.n, err);
}

/* ---- a user's folder ---- */

/* The name of the rule in a file: small letters, digits and '-'. */
static bool name_of(const char *file, char name[LONGEST_NAME])
{
    const size_t n = strlen(file), m = sizeof ending - 1;
    if (n <= m || strcmp(file + n - m, ending) != 0 || n - m >= LONGEST_NAME)
        return false;
    memcpy(name, file, n - m);
    name[n - m] = '\0';
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n - m;
}

static bool is_rule_file(const char *file)
{
    const size_t n = strlen(file), m = sizeof ending - 1;
    return n >= m && *file != '.' && strcmp(file + n - m, ending) == 0;
}

static int add_file(struct tk_rules *rules, const char *folder, const char *file, struct tk_err *err)
{
    char path[LONGEST_PATH], name[LONGEST_NAME], *text = NULL;
    size_t length;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (n <= 0 || (size_t)n >= sizeof path)
        return tk_err_set(err, TK_EIO, "the path of a rule in '%.200s' is too long", folder);
    if (!name_of(file, name))
        return tk_err_set(err, TK_EUSAGE,
                          "%s: the name of a rule is of small letters, digits and '-', at most %d", path,
                          LONGEST_NAME - 1);
    int rc = tk_text_file_read(&text, &length, path, LONGEST_FILE, err);
    if (rc == TK_OK)
        rc = add_text(rules, name, path, text, length, err);
    free(text);
    return rc;
}

int tk_rules_add(struct tk_rules *rules, const char *folder, struct tk_err *err)
{
    TK_GIVEN(err, rules, folder);
    struct tk_os_folder *f;
    const char *file;
    size_t n = 0;
    int rc = TK_OK;
    if (tk_os_folder_open(&f, folder).error)
        return tk_err_set(err, TK_EUSAGE, "'%.200s' is no folder that can be read", folder);
    while (rc == TK_OK && !tk_os_folder_next(f, &file).error && file)
        if (is_rule_file(file)) {
            rc = add_file(rules, folder, file, err);
            n++;
        }
    tk_os_folder_close(f);
    if (rc == TK_OK && n == 0)
        return tk_err_set(err, TK_EUSAGE, "there is no rule in folder '%.200s': rules are files NAME.rule",
                          folder);
    return rc;
}
