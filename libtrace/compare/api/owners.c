/*
 * Owners of what is reported: changes, budgets, what a history had.
 */
#include "judge/owners.h"

#include "base/given.h"
#include "compare/report/budget.h"
#include "compare/verdict/compare.h"
#include "io/file.h"
#include "tracekit/runs.h"
#include "tracekit/trends.h"
#include "trend/trend.h"

#include <stdlib.h>

#define MOST_BYTES (UINT64_C(3) << 20)

int tk_owners_load(struct tk_owners **out, const char *path, const char *root, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    char *text = NULL;
    size_t n = 0;
    struct tk_owners *owners = calloc(1, sizeof *owners);
    int rc = owners ? tk_text_file_read(&text, &n, path, MOST_BYTES, err) : tk_err_nomem(err, "owners");
    if (rc == TK_OK)
        rc = tk_owners_parse(owners, text, n, root, err);
    free(text);
    if (rc == TK_OK) {
        *out = owners;
        return rc;
    }
    tk_err_add(err, "cannot use the owners of '%s'", path);
    tk_owners_free(owners);
    return rc;
}

void tk_owners_free(struct tk_owners *owners)
{
    if (owners)
        tk_owners_release(owners);
    free(owners);
}

int tk_comparison_own(struct tk_comparison *c, const struct tk_owners *owners, struct tk_err *err)
{
    TK_GIVEN(err, c, owners);
    c->owned = true;
    for (size_t i = 0; i < c->changes.n; i++) {
        struct tk_change *x = &c->changes.v[i];
        const bool thread = x->kind == TK_CHANGE_THREAD;
        if (tk_change_kind_is_owned(x->kind) &&
            !(x->owner = tk_owners_of(owners, &c->names, thread ? x->name : x->group, thread ? NULL : x->name,
                                      x->file)))
            return tk_err_nomem(err, "owners");
    }
    return TK_OK;
}

int tk_budgets_own(struct tk_budgets *all, const struct tk_owners *owners, struct tk_err *err)
{
    TK_GIVEN(err, all, owners);
    all->owned = true;
    for (size_t i = 0; i < all->v.n; i++) {
        struct tk_budget *b = &all->v.v[i];
        const bool thread = b->kind == TK_CHANGE_THREAD;
        if (tk_change_kind_is_owned(b->kind) &&
            !(b->owner = tk_owners_of(owners, &all->names, thread ? b->name : b->where,
                                      thread ? NULL : b->name, b->file)))
            return tk_err_nomem(err, "owners");
    }
    return TK_OK;
}

static bool is_of_timer(const struct tk_history_series *s)
{
    return s->kind == TK_HISTORY_TIMER || s->kind == TK_HISTORY_GPU || s->kind == TK_HISTORY_CAUSE;
}

int tk_trend_own(struct tk_trend *t, const struct tk_owners *owners, struct tk_err *err)
{
    TK_GIVEN(err, t, owners);
    t->owned = true;
    for (size_t i = 0; i < t->events.n; i++) {
        struct tk_trend_event *e = &t->events.v[i];
        const struct tk_history_series *s = e->series;
        const struct tk_str *timer = !s ? e->parent : is_of_timer(s) ? s->name : NULL;
        if (timer && !(e->owner = tk_owners_of(owners, &t->names, s ? s->group : NULL, timer, NULL)))
            return tk_err_nomem(err, "owners");
    }
    return TK_OK;
}
