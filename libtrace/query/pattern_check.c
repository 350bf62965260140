/*
 * All names there are, for patterns. See pattern_check.h.
 */
#include "query/pattern_check.h"

#include <stdlib.h>

int tk_pattern_check(struct tk_patterns *patterns, const char *what, const struct tk_str *const *names,
                     size_t n, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++)
        tk_patterns_learn(patterns, names[i]);
    for (size_t i = 0; i < n; i++)
        tk_patterns_match(patterns, names[i]);
    return tk_patterns_check(patterns, what, names, n, err);
}

/* Room for n names, and not none. */
static const struct tk_str **make_room(size_t n)
{
    return malloc((n + 1) * sizeof(const struct tk_str *));
}

void tk_pattern_learn_threads(struct tk_patterns *patterns, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->threads.n; i++)
        tk_patterns_learn(patterns, dict->threads.v[i].shown);
    for (size_t i = 0; i < dict->queues.n; i++)
        if (dict->queues.v[i].name)
            tk_patterns_learn(patterns, dict->queues.v[i].name);
}

int tk_pattern_check_threads(struct tk_patterns *patterns, const struct tk_dict *dict, struct tk_err *err)
{
    size_t n = patterns->n ? dict->threads.n : 0;
    const struct tk_str **names = make_room(n + dict->queues.n);
    if (!names)
        return tk_err_nomem(err, "the names of threads");
    for (size_t i = 0; i < n; i++)
        names[i] = dict->threads.v[i].shown;
    for (size_t i = 0; patterns->n && i < dict->queues.n; i++)
        if (dict->queues.v[i].name)
            names[n++] = dict->queues.v[i].name;
    int rc = tk_pattern_check(patterns, "thread", names, n, err);
    free(names);
    return rc;
}

/* What scopes of a timer are asked for with: SCOPES or GPU_SCOPES. */
static uint64_t fact_of_timer(const struct tk_timer *timer)
{
    uint8_t kind = timer->info.kind;
    bool gpu = kind == TK_TIMER_GPU || kind == TK_TIMER_GPU_WORK || kind == TK_TIMER_GPU_WAIT;
    return gpu ? TK_FACT_MASK(GPU_SCOPES) : TK_FACT_MASK(SCOPES);
}

int tk_pattern_check_timers(struct tk_patterns *patterns, const struct tk_dict *dict, uint64_t facts,
                            struct tk_err *err)
{
    size_t all = patterns->n ? dict->timers.n : 0, n = 0;
    const struct tk_str **names = make_room(all);
    if (!names)
        return tk_err_nomem(err, "the names of timers");
    for (size_t i = 0; i < all; i++)
        if (facts & fact_of_timer(&dict->timers.v[i]))
            names[n++] = dict->timers.v[i].shown;
    int rc = tk_pattern_check(patterns, "timer", names, n, err);
    free(names);
    return rc;
}
