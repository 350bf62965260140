/*
 * Selected time: sorted disjoint ranges and the questions requested of them.
 */
#include "query/select.h"

#include "base/sort.h"
#include "base/text/glob.h"

#include <stdlib.h>
#include <string.h>

/* Times outside of these are never inside a range, so that lengths and their sums stay inside 64 bits. */
#define EARLIEST (-(INT64_C(1) << 62))
#define LATEST   ((INT64_C(1) << 62) - 1)

bool tk_selection_has_times(const struct tk_selection *query)
{
    return query->has_from || query->has_to || query->has_frames || query->from_bookmark ||
           query->to_bookmark || query->n_regions;
}

int tk_select_init(struct tk_select *s, const struct tk_selection *query, struct tk_err *err)
{
    *s = (struct tk_select){
        .all_time = true, .thread_ids = query->thread_ids, .n_thread_ids = query->n_thread_ids};
    if (query->n_thread_ids && !query->n_threads)
        return tk_err_set(err, TK_EUSAGE,
                          "thread ids choose among threads of given names; give the names, too");
    if (tk_patterns_init(&s->threads, query->threads, query->n_threads, err) < 0 ||
        tk_patterns_init(&s->timers, query->timers, query->n_timers, err) < 0 ||
        tk_patterns_init(&s->regions, query->regions, query->n_regions, err) < 0 ||
        tk_patterns_init(&s->events, query->events, query->n_events, err) < 0) {
        tk_select_release(s);
        return TK_ENOMEM;
    }
    s->threads.words = !query->unmatched;
    s->threads.unmatched = s->timers.unmatched = query->unmatched;
    return TK_OK;
}

void tk_select_release(struct tk_select *s)
{
    tk_patterns_release(&s->threads);
    tk_patterns_release(&s->timers);
    tk_patterns_release(&s->regions);
    tk_patterns_release(&s->events);
    free(s->ranges);
    free(s->before);
    *s = (struct tk_select){.all_time = true};
}

static int by_start(const void *a, const void *b)
{
    const struct tk_range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static struct tk_range bounded(struct tk_range r)
{
    return (struct tk_range){r.from < EARLIEST ? EARLIEST : r.from, r.to > LATEST ? LATEST : r.to};
}

/* Sorts and joins what overlaps or touches, drops what is empty; the number of ranges left. */
static size_t normalise(struct tk_range *v, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(v, n, sizeof *v, by_start);
    for (size_t i = 0; i < n; i++) {
        struct tk_range r = bounded(v[i]);
        if (r.from >= r.to)
            continue;
        if (kept && r.from <= v[kept - 1].to) {
            if (r.to > v[kept - 1].to)
                v[kept - 1].to = r.to;
        } else {
            v[kept++] = r;
        }
    }
    return kept;
}

/* The parts that lie in both; out has space for na + nb. */
static size_t intersect(struct tk_range *out, const struct tk_range *a, size_t na, const struct tk_range *b,
                        size_t nb)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < na && k < nb;) {
        int64_t from = a[i].from > b[k].from ? a[i].from : b[k].from;
        int64_t to = a[i].to < b[k].to ? a[i].to : b[k].to;
        if (from < to)
            out[n++] = (struct tk_range){from, to};
        if (a[i].to < b[k].to)
            i++;
        else
            k++;
    }
    return n;
}

static int set_ranges(struct tk_select *s, struct tk_range *ranges, size_t n, struct tk_err *err)
{
    int64_t *before = calloc(n, sizeof *before);
    if (!before) {
        free(ranges);
        return tk_err_nomem(err, "the selected times");
    }
    for (size_t i = 1; i < n; i++)
        before[i] = before[i - 1] + (ranges[i - 1].to - ranges[i - 1].from);
    free(s->ranges);
    free(s->before);
    s->ranges = ranges;
    s->before = before;
    s->n_ranges = n;
    s->all_time = false;
    return TK_OK;
}

int tk_select_narrow(struct tk_select *s, const struct tk_range *ranges, size_t n, const char *what,
                     struct tk_err *err)
{
    const struct tk_range everything = {EARLIEST, LATEST};
    const struct tk_range *old = s->all_time ? &everything : s->ranges;
    size_t n_old = s->all_time ? 1 : s->n_ranges;
    struct tk_range *copy = malloc((n + 1) * sizeof *copy), *both = malloc((n + n_old) * sizeof *both);
    if (!copy || !both) {
        free(copy);
        free(both);
        return tk_err_nomem(err, "the selected times");
    }
    if (n)
        memcpy(copy, ranges, n * sizeof *copy);
    size_t n_both = intersect(both, copy, normalise(copy, n), old, n_old);
    free(copy);
    if (n_both)
        return set_ranges(s, both, n_both, err);
    free(both);
    return tk_err_set(err, TK_EMATCH, "nothing is selected: %s", what);
}

/* Number of ranges that begin at or before t. */
static size_t begun(const struct tk_select *s, int64_t t)
{
    size_t at;
    TK_SEARCH(at, s->n_ranges, s->ranges[at].from <= t);
    return at;
}

int64_t tk_select_before(const struct tk_select *s, int64_t t)
{
    if (s->all_time)
        return t;
    size_t n = begun(s, t);
    if (n == 0)
        return 0;
    const struct tk_range *r = &s->ranges[n - 1];
    return s->before[n - 1] + ((t < r->to ? t : r->to) - r->from);
}

bool tk_select_is_behind(const struct tk_select *s, int64_t t)
{
    return !s->all_time && s->n_ranges && t >= s->ranges[s->n_ranges - 1].to;
}

bool tk_select_touches(const struct tk_select *s, int64_t begin, int64_t end)
{
    if (s->all_time || tk_select_has(s, begin))
        return true;
    /* Begins outside: does a range begin inside? */
    size_t n = begun(s, begin);
    return n < s->n_ranges && s->ranges[n].from < end;
}

int64_t tk_select_clip_begin(const struct tk_select *s, int64_t t)
{
    size_t n = s->all_time ? 0 : begun(s, t);
    if (s->all_time || (n && t < s->ranges[n - 1].to) || n == s->n_ranges)
        return t;
    return s->ranges[n].from;
}

int64_t tk_select_clip_end(const struct tk_select *s, int64_t t)
{
    size_t n = s->all_time ? 0 : begun(s, t);
    if (n == 0 || t < s->ranges[n - 1].to)
        return t;
    return s->ranges[n - 1].to;
}

bool tk_select_has(const struct tk_select *s, int64_t t)
{
    size_t n = s->all_time ? 0 : begun(s, t);
    return s->all_time || (n > 0 && t < s->ranges[n - 1].to);
}

static bool has_id(const struct tk_select *s, uint32_t id)
{
    bool found = s->n_thread_ids == 0;
    for (size_t i = 0; i < s->n_thread_ids && !found; i++)
        found = s->thread_ids[i] == id;
    return found;
}

bool tk_select_thread(const struct tk_select *s, const struct tk_dict *d, uint32_t id)
{
    char made_up[32];
    if (s->threads.n == 0)
        return true;
    const struct tk_str *name = tk_dict_thread_name(d, id);
    struct tk_str unnamed = {.p = made_up};
    if (!name) {
        unnamed.n = (uint32_t)tk_thread_made_up(made_up, id);
        name = &unnamed;
    }
    return tk_patterns_pass(&s->threads, name) && has_id(s, id);
}

bool tk_select_queue(const struct tk_select *s, const struct tk_dict *d, uint32_t id)
{
    char text[TK_QUEUE_NAME];
    if (s->threads.n == 0)
        return true;
    const struct tk_str name = tk_dict_queue_name(d, id, false, text);
    return tk_patterns_pass(&s->threads, &name);
}

/*
 * Patterns over names.
 */

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
