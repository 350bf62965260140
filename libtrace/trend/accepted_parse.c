/*
 * Reads files of accepted regressions. Unknown keys are refused, because a misspelled limit would accept all.
 */
#include "base/text/when.h"
#include "trend/accepted.h"
#include "compare/baseline/json_read.h"

#include <math.h>
#include <string.h>

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
            return wrong_accepted(err, number, c->string, "is not a known key");
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
    cJSON_Delete(root);
    return rc;
}

void tk_accepted_release(struct tk_acceptances *a)
{
    tk_vec_release(&a->v);
    tk_arena_release(&a->arena);
}
