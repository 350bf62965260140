/*
 * Patterns over names.
 */
#include "query/patterns.h"

#include "base/text/glob.h"

#include <stdlib.h>
#include <string.h>

/*
 * All names there are, for patterns.
 */

int tk_pattern_check(struct tk_patterns *patterns, const char *what, const struct tk_str *const *names,
                     size_t n, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++)
        tk_patterns_learn(patterns, names[i]);
    for (size_t i = 0; i < n; i++)
        tk_patterns_match(patterns, names[i]);
    return tk_patterns_check(patterns, what, names, n, err);
}

/* Space for n names, and not none. */
static const struct tk_str **reserve(size_t n)
{
    return malloc((n + 1) * sizeof(const struct tk_str *));
}

void tk_pattern_learn_threads(struct tk_patterns *patterns, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->threads.n; i++)
        tk_patterns_learn(patterns, dict->threads.v[i].displayed);
    for (size_t i = 0; i < dict->queues.n; i++)
        if (dict->queues.v[i].name)
            tk_patterns_learn(patterns, dict->queues.v[i].name);
}

int tk_pattern_check_threads(struct tk_patterns *patterns, const struct tk_dict *dict, struct tk_err *err)
{
    size_t n = patterns->n ? dict->threads.n : 0;
    const struct tk_str **names = reserve(n + dict->queues.n);
    if (!names)
        return tk_err_nomem(err, "the names of threads");
    for (size_t i = 0; i < n; i++)
        names[i] = dict->threads.v[i].displayed;
    for (size_t i = 0; patterns->n && i < dict->queues.n; i++)
        if (dict->queues.v[i].name)
            names[n++] = dict->queues.v[i].name;
    int rc = tk_pattern_check(patterns, "thread", names, n, err);
    free(names);
    return rc;
}

/* What scopes of a timer are requested with: SCOPES or GPU_SCOPES. */
static uint64_t fact_of_timer(const struct tk_timer *timer)
{
    return tk_timer_class_of(timer->info.kind) == TK_TIMERS_OF_CPU ? TK_FACT_MASK(SCOPES)
                                                                   : TK_FACT_MASK(GPU_SCOPES);
}

int tk_pattern_check_timers(struct tk_patterns *patterns, const struct tk_dict *dict, uint64_t facts,
                            struct tk_err *err)
{
    size_t all = patterns->n ? dict->timers.n : 0, n = 0;
    const struct tk_str **names = reserve(all);
    if (!names)
        return tk_err_nomem(err, "the names of timers");
    for (size_t i = 0; i < all; i++)
        if (facts & fact_of_timer(&dict->timers.v[i]))
            names[n++] = dict->timers.v[i].displayed;
    int rc = tk_pattern_check(patterns, "timer", names, n, err);
    free(names);
    return rc;
}

int tk_patterns_init(struct tk_patterns *p, const char *const *texts, size_t n, struct tk_err *err)
{
    *p = (struct tk_patterns){.texts = texts, .n = n};
    if (n == 0)
        return TK_OK;
    p->used = calloc(n, sizeof *p->used);
    p->exact = calloc(n, sizeof *p->exact);
    p->whole = calloc(n, sizeof *p->whole);
    if (p->used && p->exact && p->whole)
        return TK_OK;
    tk_patterns_release(p);
    return tk_err_nomem(err, "patterns of the selection");
}

void tk_patterns_release(struct tk_patterns *p)
{
    free(p->used);
    free(p->exact);
    free(p->whole);
    *p = (struct tk_patterns){0};
}

static bool is_same_patterns(const char *text, const struct tk_str *name)
{
    return strlen(text) == name->n && memcmp(text, name->p, name->n) == 0;
}

void tk_patterns_learn(struct tk_patterns *p, const struct tk_str *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (is_same_patterns(p->texts[i], name))
            p->exact[i] = p->whole[i] = true;
        else
            p->whole[i] |= tk_glob_typed(p->texts[i], strlen(p->texts[i]), name->p, name->n);
}

bool tk_pattern_is_word(const char *text)
{
    return strpbrk(text, "*?|ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL && *text;
}

static bool contains(const struct tk_str *name, const char *word)
{
    const char *text = (const char *)name->p;
    const size_t n = strlen(word);
    for (size_t at = 0; at + n <= name->n; at++)
        if (tk_glob_typed(word, n, text + at, n))
            return true;
    return false;
}

static bool matches(const struct tk_patterns *p, size_t i, const struct tk_str *name)
{
    const char *text = p->texts[i];
    if (p->exact[i])
        return is_same_patterns(text, name);
    if (p->words && !p->whole[i] && tk_pattern_is_word(text))
        return contains(name, text);
    return tk_glob_typed(text, strlen(text), name->p, name->n);
}

bool tk_patterns_pass(const struct tk_patterns *p, const struct tk_str *name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (matches(p, i, name))
            return true;
    }
    return p->n == 0;
}

bool tk_patterns_match(struct tk_patterns *p, const struct tk_str *name)
{
    bool any = p->n == 0;
    for (size_t i = 0; i < p->n; i++) {
        if (matches(p, i, name))
            any = p->used[i] = true;
    }
    return any;
}

int tk_patterns_check(const struct tk_patterns *p, const char *what, const struct tk_str *const *names,
                      size_t n, struct tk_err *err)
{
    if (p->unmatched)
        return TK_OK;
    for (size_t i = 0; i < p->n; i++) {
        struct tk_nearest_search near;
        if (p->used[i])
            continue;
        tk_nearest_begin(&near, p->texts[i]);
        for (size_t k = 0; k < n; k++)
            tk_nearest_offer(&near, names[k]->p, names[k]->n);
        return tk_nearest_fail(&near, what, n, err);
    }
    return TK_OK;
}
