/*
 * Takes accepted regressions out of the verdict of a comparison. See accepted.h.
 */
#include "trend/accepted.h"

#include "base/text/glob.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
