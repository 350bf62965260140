/*
 * Rules for kinds of work, a line each.
 */
#include "judge/work.h"

#include "base/text/glob.h"

#include <string.h>

extern const char tk_work_lines[]; /* schemas/work.txt */

static const char *const names[TK_WORK_KINDS] = {
    [TK_WORK_OWN] = "own", [TK_WORK_WAIT] = "wait",       [TK_WORK_LIMITER] = "limiter",
    [TK_WORK_GC] = "gc",   [TK_WORK_LOADING] = "loading", [TK_WORK_SHADER] = "shader",
    [TK_WORK_IO] = "io",
};

const char *tk_work_name(enum tk_work work)
{
    return names[work];
}

/* ---- words ---- */

static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Does a word begin at `at`, behind other letters? Of capitals in a row the last begins one where small
 * letters follow: GPUWait has GPU and Wait. */
static bool begins_word(const char *name, size_t n, size_t at)
{
    return is_upper(name[at]) &&
           (is_lower(name[at - 1]) || (at + 1 < n && name[at + 1] >= 'a' && name[at + 1] <= 'z'));
}

static bool is_same_word(const char *p, const char *word, size_t n)
{
    size_t i = 0;
    while (i < n && (p[i] | (is_upper(p[i]) ? 0x20 : 0)) == word[i])
        i++;
    return i == n;
}

bool tk_work_has_word(const char *name, size_t n, const char *word, size_t length)
{
    for (size_t first = 0, end; first < n; first = end) {
        end = first + 1;
        if (!is_lower(name[first]) && !is_upper(name[first]))
            continue;
        while (end < n && (is_lower(name[end]) || (is_upper(name[end]) && !begins_word(name, n, end))))
            end++;
        if (end - first == length && is_same_word(name + first, word, length))
            return true;
    }
    return false;
}

/* ---- rules ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The kind that a line of n bytes begins with, and its length; TK_WORK_KINDS: none. */
static unsigned kind_of(const char *line, size_t n, size_t *length)
{
    *length = 0;
    while (*length < n && !is_blank(line[*length]))
        ++*length;
    for (unsigned i = 0; i < TK_WORK_KINDS; i++)
        if (strlen(names[i]) == *length && memcmp(names[i], line, *length) == 0)
            return i;
    return TK_WORK_KINDS;
}

/* Which letters a name or a pattern has, upper or lower case: a bit each. */
static uint32_t letters_of(const char *p, size_t n)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned at = (unsigned)((uint8_t)p[i] | 0x20) - 'a';
        letters |= at < 26 ? 1u << at : 0;
    }
    return letters;
}

/* A line of n bytes without the blanks around it. 1; 0 for a line without a rule; TK_EUSAGE for one that
 * should have one. */
static int read_line(const char *line, size_t n, struct tk_work_rule *out)
{
    size_t at;
    while (n && is_blank(line[n - 1]))
        n--;
    while (n && is_blank(*line))
        line++, n--;
    if (!n || *line == '#')
        return 0;
    unsigned kind = kind_of(line, n, &at);
    while (at < n && is_blank(line[at]))
        at++;
    if (kind == TK_WORK_KINDS || at == n || (line[at] == '=' && at + 1 == n))
        return TK_EUSAGE;
    *out = (struct tk_work_rule){line + at, n - at, letters_of(line + at, n - at), (uint8_t)kind};
    return 1;
}

static bool fits(const struct tk_work_rule *rule, const char *name, size_t n, uint32_t letters)
{
    if (rule->letters & ~letters)
        return false;
    return *rule->pattern == '=' ? tk_work_has_word(name, n, rule->pattern + 1, rule->n - 1)
                                 : tk_glob(rule->pattern, rule->n, name, n, true);
}

static int parse_text(struct tk_work_list *list, const char *at, struct tk_err *err)
{
    for (unsigned line = 1; *at; line++) {
        const size_t n = strcspn(at, "\n");
        struct tk_work_rule rule;
        const int rc = read_line(at, n, &rule);
        if (rc < 0)
            return tk_err_set(err, TK_EUSAGE,
                              "line %u of the kinds of work is not a rule: it must be wait, limiter, gc, "
                              "loading, shader, io "
                              "or own, and a pattern",
                              line);
        if (rc && tk_vec_push(&list->v, rule))
            return tk_err_nomem(err, "kinds of work");
        at += at[n] ? n + 1 : n;
    }
    return TK_OK;
}

int tk_work_list_parse(struct tk_work_list *list, const char *text, struct tk_err *err)
{
    const int rc = text ? parse_text(list, text, err) : TK_OK;
    return rc == TK_OK ? parse_text(list, tk_work_lines, err) : rc;
}

enum tk_work tk_work_of_name(const struct tk_work_list *list, const char *name, size_t n)
{
    const uint32_t letters = letters_of(name, n);
    for (size_t i = 0; i < list->v.n; i++)
        if (fits(&list->v.v[i], name, n, letters))
            return (enum tk_work)list->v.v[i].work;
    return TK_WORK_KINDS;
}

bool tk_work_name_waits(const char *name, size_t n)
{
    const uint32_t letters = letters_of(name, n);
    for (const char *at = tk_work_lines; *at;) {
        const size_t length = strcspn(at, "\n");
        struct tk_work_rule rule;
        if (read_line(at, length, &rule) == 1 && fits(&rule, name, n, letters))
            return tk_work_waits((enum tk_work)rule.work);
        at += at[length] ? length + 1 : length;
    }
    return false;
}

void tk_work_list_release(struct tk_work_list *list)
{
    tk_vec_release(&list->v);
}

/*
 * Roles of threads.
 */

const char *tk_role_name(enum tk_role role)
{
    static const char *const role_names[TK_ROLES] = {
        [TK_ROLE_GAME] = "game", [TK_ROLE_RENDER] = "render", [TK_ROLE_RHI] = "rhi",
        [TK_ROLE_GPU] = "gpu",   [TK_ROLE_WORKER] = "worker", [TK_ROLE_OTHER] = "other"};
    return role_names[role];
}

enum tk_role tk_role_of_name(const char *name, size_t n)
{
    static const struct {
        const char *pattern; /* case does not count */
        enum tk_role role;
    } patterns[] = {
        {"gamethread*", TK_ROLE_GAME},     {"game thread*", TK_ROLE_GAME},   {"main thread*", TK_ROLE_GAME},
        {"mainthread*", TK_ROLE_GAME},     {"unitymain*", TK_ROLE_GAME},     {"rhithread*", TK_ROLE_RHI},
        {"rhi thread*", TK_ROLE_RHI},      {"rhisubmission*", TK_ROLE_RHI},  {"render*", TK_ROLE_RENDER},
        {"*worker*", TK_ROLE_WORKER},      {"*taskgraph*", TK_ROLE_WORKER},  {"*threadpool*", TK_ROLE_WORKER},
        {"*thread pool*", TK_ROLE_WORKER}, {"*poolthread*", TK_ROLE_WORKER}, {"job*", TK_ROLE_WORKER},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (tk_glob(patterns[i].pattern, strlen(patterns[i].pattern), name, n, true))
            return patterns[i].role;
    return TK_ROLE_OTHER;
}
