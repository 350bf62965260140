/*
 * Takes accepted regressions out of the verdict of a comparison.
 */
#include "trend/accepted.h"

#include "base/text/glob.h"
#include "base/text/text.h"
#include "compare/baseline/expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Reads files of accepted regressions. Unknown keys are refused, because a misspelled limit would accept all.
 */

#define MOST_ACCEPTED 10000
#define A_DAY         86400 /* seconds */

static int wrong_accepted(struct tk_err *err, int number, const char *key, const char *what)
{
    return tk_err_set(err, TK_EUSAGE, "accepted %d: '%.60s' %s", number + 1, key, what);
}

static int check_keys(const cJSON *item, int number, struct tk_err *err)
{
    static const char *const keys[] = {"kind", "name", "thread", "since", "most", "reason", "until"};
    for (const cJSON *c = item->child; c; c = c->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            known |= strcmp(c->string, keys[i]) == 0;
        if (!known)
            return wrong_accepted(
                err, number, c->string,
                "is not a known key; there are kind, name, thread, since, most, reason, until");
        if (tk_json_is_twice(c))
            return wrong_accepted(err, number, c->string, "is there twice");
    }
    return TK_OK;
}

/* *out is NULL where there is none. */
static int take_text(struct tk_acceptances *a, const cJSON *item, const char *key, bool needed,
                     const char **out, int number, struct tk_err *err)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, key);
    *out = NULL;
    if (!v && !needed)
        return TK_OK;
    if (!v || !cJSON_IsString(v) || !*v->valuestring)
        return wrong_accepted(err, number, key, "is no text");
    const size_t n = strlen(v->valuestring) + 1;
    char *copy = tk_arena_alloc(&a->arena, n);
    if (!copy)
        return tk_err_nomem(err, "the list of accepted regressions");
    memcpy(copy, v->valuestring, n);
    *out = copy;
    return TK_OK;
}

static int take_kind(struct tk_acceptance *one, const cJSON *item, int number, struct tk_err *err)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, "kind");
    one->kind = -1;
    for (int k = 0; v && cJSON_IsString(v) && k < TK_CHANGE_KINDS; k++)
        if (strcmp(v->valuestring, tk_change_kind_name((enum tk_change_kind)k)) == 0)
            one->kind = k;
    return !v || one->kind >= 0 ? TK_OK
                                : wrong_accepted(err, number, "kind", "is not a kind of compared value");
}

static int take_most(struct tk_acceptance *one, const cJSON *item, int number, struct tk_err *err)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, "most");
    one->most = v ? v->valuedouble : NAN;
    if (v && (!cJSON_IsNumber(v) || !isfinite(v->valuedouble) || v->valuedouble < 0))
        return wrong_accepted(err, number, "most", "is not a percentage");
    return TK_OK;
}

/* A day holds until its end. */
static int take_times(struct tk_acceptance *one, int number, struct tk_err *err)
{
    one->begin = INT64_MIN;
    one->end = INT64_MAX;
    if (one->since && !tk_when_read(one->since, &one->begin))
        one->begin = INT64_MIN;
    if (one->until && !tk_when_read(one->until, &one->end))
        return wrong_accepted(err, number, "until", "is neither a date nor a time");
    if (one->until && strlen(one->until) == strlen("2026-12-31"))
        one->end += strchr(one->until, '-') ? A_DAY - 1 : 0;
    return TK_OK;
}

static int take_one(struct tk_acceptances *a, const cJSON *item, int number, struct tk_err *err)
{
    struct tk_acceptance one = {0};
    if (!cJSON_IsObject(item))
        return tk_err_set(err, TK_EUSAGE, "accepted %d is not an object", number + 1);
    int rc = check_keys(item, number, err);
    if (rc == TK_OK)
        rc = take_kind(&one, item, number, err);
    if (rc == TK_OK)
        rc = take_text(a, item, "name", true, &one.name, number, err);
    if (rc == TK_OK)
        rc = take_text(a, item, "thread", false, &one.thread, number, err);
    if (rc == TK_OK)
        rc = take_text(a, item, "since", false, &one.since, number, err);
    if (rc == TK_OK)
        rc = take_text(a, item, "reason", true, &one.reason, number, err);
    if (rc == TK_OK)
        rc = take_text(a, item, "until", false, &one.until, number, err);
    if (rc == TK_OK)
        rc = take_most(&one, item, number, err);
    if (rc == TK_OK)
        rc = take_times(&one, number, err);
    if (rc == TK_OK && tk_vec_push(&a->v, one))
        rc = tk_err_nomem(err, "the list of accepted regressions");
    return rc;
}

int tk_accepted_parse(struct tk_acceptances *a, const char *text, size_t n, struct tk_err *err)
{
    cJSON *root;
    int rc = tk_json_read(&root, text, n, "the list of accepted regressions", err), number = 0;
    const cJSON *list = rc == TK_OK ? cJSON_GetObjectItemCaseSensitive(root, "accepted") : NULL;
    if (rc == TK_OK && (!cJSON_IsArray(list) || root->child->next))
        rc = tk_err_set(err, TK_EUSAGE, "it must be an object with one key, 'accepted', a list");
    for (const cJSON *c = rc == TK_OK ? list->child : NULL; c && rc == TK_OK; c = c->next, number++)
        rc = number < MOST_ACCEPTED
                 ? take_one(a, c, number, err)
                 : tk_err_set(err, TK_EUSAGE, "more than %d entries are accepted", MOST_ACCEPTED);
    if (rc == TK_EUSAGE && number > 0)
        tk_err_add(err, "line %zu", tk_json_line_of(text, n, "accepted", (size_t)number - 1, NULL));
    cJSON_Delete(root);
    return rc;
}

void tk_accepted_release(struct tk_acceptances *a)
{
    tk_vec_release(&a->v);
    tk_arena_release(&a->arena);
}

/*
 * Takes accepted regressions out of the verdict of a history.
 */

/* What an event is of: of a series its own names; of timers below a parent the parent, of a class the class.
 */
static bool accepted_trend_is_about(const struct tk_acceptance *one, const struct tk_trend_event *e)
{
    static const struct tk_str none = {.p = ""};
    const char *class = tk_trend_class_name((enum tk_trend_class)e->class);
    const struct tk_str of_class = {class, (uint32_t)strlen(class), TK_ENC_UTF8};
    const char *kind = e->series ? tk_history_kind_name((enum tk_history_kind)e->series->kind) : "timer";
    const struct tk_str *name = e->series ? e->series->name : e->parent ? e->parent : &of_class;
    const bool of_kind =
        one->kind < 0 || strcmp(tk_change_kind_name((enum tk_change_kind)one->kind), kind) == 0;
    return of_kind && tk_acceptance_fits(one->name, name) &&
           tk_acceptance_fits(one->thread, e->series ? e->series->group : &none);
}

/* When the first run with the change was recorded; INT64_MAX: not known. */
static int64_t time_of(const struct tk_trend *t, const struct tk_trend_event *e)
{
    const struct tk_history_run *run = tk_history_run_of(t->history, e->night);
    char text[64];
    int64_t when;
    if (!run || !run->time->n || run->time->n >= sizeof text)
        return INT64_MAX;
    memcpy(text, run->time->p, run->time->n);
    text[run->time->n] = 0;
    return tk_when_read(text, &when) ? when : INT64_MAX;
}

static int accept_event(const struct tk_acceptance *one, struct tk_trend *t, struct tk_trend_event *e,
                        int64_t now)
{
    char text[TK_ACCEPTANCE_TEXT];
    e->accepted = tk_acceptance_holds(one, expm1(fabs(e->size)) * 100, now, text);
    const size_t n = strlen(text) + 1;
    char *copy = tk_arena_alloc(&t->arena, n);
    if (!copy)
        return -1;
    memcpy(copy, text, n);
    e->acceptance = copy;
    e->alarms = !e->accepted;
    return 0;
}

int tk_accepted_apply_trend(const struct tk_acceptances *a, struct tk_trend *t, int64_t now,
                            struct tk_err *err)
{
    t->worse = false;
    for (size_t i = 0; i < t->events.n; i++) {
        struct tk_trend_event *e = &t->events.v[i];
        for (size_t k = 0; k < a->v.n && e->alarms; k++)
            if (accepted_trend_is_about(&a->v.v[k], e) && a->v.v[k].begin <= time_of(t, e) &&
                accept_event(&a->v.v[k], t, e, now))
                return tk_err_nomem(err, "the list of accepted regressions");
        t->worse |= e->alarms;
    }
    return TK_OK;
}

bool tk_acceptance_fits(const char *pattern, const struct tk_str *text)
{
    return !pattern || (text->n == strlen(pattern) && memcmp(text->p, pattern, text->n) == 0) ||
           tk_glob(pattern, strlen(pattern), text->p, text->n, false);
}

static bool is_about(const struct tk_acceptance *one, const struct tk_change *c)
{
    return (one->kind < 0 || one->kind == c->kind) && tk_acceptance_fits(one->name, c->name) &&
           tk_acceptance_fits(one->thread, c->group);
}

/* How much more there is, in percent; what came from nothing is more than any limit. */
static double percent_of(const struct tk_change *c)
{
    const double ratio = isfinite(c->ratio) ? c->ratio : c->candidate / c->baseline;
    return isfinite(ratio) ? (ratio - 1) * 100 : INFINITY;
}

static int say(struct tk_comparison *all, struct tk_change *c, const char *text)
{
    c->acceptance = tk_intern_c(&all->names, text);
    return c->acceptance ? 0 : -1;
}

bool tk_acceptance_holds(const struct tk_acceptance *one, double percent, int64_t now,
                         char text[TK_ACCEPTANCE_TEXT])
{
    const bool expired = now > one->end, exceeded = percent > one->most;
    if (expired)
        snprintf(text, TK_ACCEPTANCE_TEXT, "was accepted until %s: %s", one->until, one->reason);
    else if (exceeded)
        snprintf(text, TK_ACCEPTANCE_TEXT, "accepted up to %g %%: %s", one->most, one->reason);
    else
        snprintf(text, TK_ACCEPTANCE_TEXT, "accepted%s%s%s%s: %s", one->since ? " since " : "",
                 one->since ? one->since : "", one->until ? " until " : "", one->until ? one->until : "",
                 one->reason);
    return !expired && !exceeded;
}

/* Accepts it, or says why it is not any more. 0, or -1 if out of memory. */
static int accept_one(const struct tk_acceptance *one, struct tk_comparison *all, struct tk_change *c,
                      int64_t now)
{
    char text[TK_ACCEPTANCE_TEXT];
    c->accepted = tk_acceptance_holds(one, percent_of(c), now, text);
    return say(all, c, text);
}

int tk_accepted_apply(const struct tk_acceptances *a, struct tk_comparison *c, int64_t now,
                      struct tk_err *err)
{
    size_t left = 0, accepted = 0;
    for (size_t i = 0; i < c->changes.n; i++) {
        struct tk_change *change = &c->changes.v[i];
        for (size_t k = 0; k < a->v.n && change->verdict == TK_REGRESSED && !change->accepted; k++)
            if (is_about(&a->v.v[k], change) && a->v.v[k].begin <= c->candidate_time &&
                accept_one(&a->v.v[k], c, change, now))
                return tk_err_nomem(err, "the list of accepted regressions");
        accepted += change->accepted;
        left += change->verdict == TK_REGRESSED && !change->accepted;
    }
    if (accepted && !left)
        c->worse = false;
    c->accepted = accepted;
    return TK_OK;
}
