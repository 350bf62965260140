/*
 * Rules for kinds of work, a line each. See work_kind.h.
 */
#include "model/threads/work_kind.h"

#include "base/text/glob.h"
#include "model/threads/recorded_waits.h"

#include <string.h>

extern const char tk_work_text[]; /* schemas/work.txt */

static const char *const names[TK_WORK_KINDS] = {
    [TK_WORK_OWN] = "own",         [TK_WORK_WAIT] = "wait",     [TK_WORK_GC] = "gc",
    [TK_WORK_LOADING] = "loading", [TK_WORK_SHADER] = "shader", [TK_WORK_IO] = "io",
};

const char *tk_work_name(enum tk_work work)
{
    return names[work];
}

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

/* A line of n bytes without the blanks around it. 0, TK_ENOMEM, or TK_EUSAGE when it is no rule. */
static int read_line(struct tk_work_rules *rules, const char *line, size_t n)
{
    size_t at;
    while (n && is_blank(line[n - 1]))
        n--;
    while (n && is_blank(*line))
        line++, n--;
    if (!n || *line == '#')
        return TK_OK;
    unsigned kind = kind_of(line, n, &at);
    while (at < n && is_blank(line[at]))
        at++;
    if (kind == TK_WORK_KINDS || at == n)
        return TK_EUSAGE;
    struct tk_work_rule rule = {line + at, n - at, letters_of(line + at, n - at), (uint8_t)kind};
    return tk_vec_push(&rules->v, rule) ? TK_ENOMEM : TK_OK;
}

int tk_work_rules_read(struct tk_work_rules *rules, const struct tk_query_context *view, struct tk_err *err)
{
    rules->reported = view->reported;
    return tk_work_rules_parse(rules, view->query->work, err);
}

int tk_work_rules_parse(struct tk_work_rules *rules, const char *text, struct tk_err *err)
{
    const char *at = text ? text : tk_work_text;
    for (unsigned line = 1; *at; line++) {
        size_t n = strcspn(at, "\n");
        int rc = read_line(rules, at, n);
        if (rc == TK_EUSAGE)
            return tk_err_set(
                err, TK_EUSAGE,
                "line %u of the kinds of work is not a rule: it must be wait, gc, loading, shader, io "
                "or own, and a pattern",
                line);
        if (rc < 0)
            return tk_err_nomem(err, "kinds of work");
        at += at[n] ? n + 1 : n;
    }
    return TK_OK;
}

enum tk_work tk_work_of_name(const struct tk_work_rules *rules, const char *name, size_t n)
{
    const uint32_t letters = letters_of(name, n);
    for (size_t i = 0; i < rules->v.n; i++)
        if (!(rules->v.v[i].letters & ~letters) &&
            tk_glob(rules->v.v[i].pattern, rules->v.v[i].n, name, n, true))
            return (enum tk_work)rules->v.v[i].work;
    return TK_WORK_KINDS;
}

static enum tk_work find_work_kind(const struct tk_work_rules *rules, const struct tk_timer *timer)
{
    const enum tk_work work = tk_work_of_name(rules, timer->displayed->p, timer->displayed->n);
    if (work != TK_WORK_KINDS)
        return work;
    return rules->reported && tk_recorded_waits_has(rules->reported, timer->info.id) ? TK_WORK_WAIT
                                                                                     : TK_WORK_OWN;
}

enum tk_work tk_work_of(struct tk_work_rules *rules, const struct tk_timer *timer)
{
    uint32_t id = timer->info.id;
    if (id >= TK_LATE || tk_vec_reach(&rules->known, (size_t)id + 1))
        return find_work_kind(rules, timer);
    if (!rules->known.v[id])
        rules->known.v[id] = (uint8_t)(1 + find_work_kind(rules, timer));
    return (enum tk_work)(rules->known.v[id] - 1);
}

int tk_work_learn(struct tk_work_rules *rules, const struct tk_dict *dict)
{
    if (rules->learned >= dict->timers.n)
        return 0;
    if (tk_vec_reach(&rules->known, dict->timers.n))
        return -1;
    for (; rules->learned < dict->timers.n; rules->learned++) {
        const struct tk_timer *timer = &dict->timers.v[rules->learned];
        if (!timer->info.name || timer->info.kind == TK_TIMER_GPU_WAIT)
            continue;
        const enum tk_work work = tk_work_of_name(rules, timer->displayed->p, timer->displayed->n);
        if (work != TK_WORK_KINDS || !rules->reported)
            rules->known.v[rules->learned] = (uint8_t)(1 + (work != TK_WORK_KINDS ? work : TK_WORK_OWN));
    }
    return 0;
}

void tk_work_rules_release(struct tk_work_rules *rules)
{
    tk_vec_release(&rules->v);
    tk_vec_release(&rules->known);
}
