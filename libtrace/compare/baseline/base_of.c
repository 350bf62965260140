/*
 * Chooses the base of runs from a history. See base_of.h.
 */
#include "compare/baseline/base_of.h"

#include "base/text/text.h"
#include "compare/baseline/run_info.h"

#include <stdio.h>
#include <string.h>

/* Runs that differ in one of these are not comparable. What one side does not say is no difference. */
static const char *const same[] = {"application", "platform", "machine", "config", "map"};

static bool is_called(const struct tk_str *s, const char *text)
{
    return s && s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

static bool agrees(const struct tk_base_run *a, const struct tk_base_run *b, const char *key)
{
    const struct tk_str *x = tk_base_run_about(a, key), *y = tk_base_run_about(b, key);
    return !x || !y || tk_str_order(x, y) == 0;
}

static bool is_comparable(const struct tk_base_run *run, const struct tk_baseline *like)
{
    for (size_t i = 0; i < like->runs.n; i++) {
        if (like->runs.v[i]->hash == run->hash)
            return false; /* itself */
        for (size_t k = 0; k < sizeof same / sizeof *same; k++)
            if (!agrees(run, like->runs.v[i], same[k]))
                return false;
    }
    return true;
}

static bool is_of(const struct tk_base_run *run, const char *what)
{
    return is_called(tk_base_run_about(run, "branch"), what) ||
           is_called(tk_base_run_about(run, "commit"), what);
}

/* Is a run newer than another? What has no time is older than what has one, and else what comes later is
 * newer. */
static bool is_newer(const struct tk_base_run *run, const struct tk_base_run *than)
{
    int64_t a = -1, b = -1;
    tk_base_run_when(run, &a);
    tk_base_run_when(than, &b);
    return a >= b;
}

/* Is it the same build: of the same name, where it has one, else the same run? */
static bool is_same_build(const struct tk_base_run *a, const struct tk_base_run *b)
{
    static const char *const keys[] = {"build", "commit"};
    bool said = false;
    for (size_t k = 0; k < 2; k++) {
        const struct tk_str *x = tk_base_run_about(a, keys[k]), *y = tk_base_run_about(b, keys[k]);
        if ((x || y) && (!x || !y || tk_str_order(x, y) != 0))
            return false;
        said |= x != NULL;
    }
    return said || a == b;
}

static int fail_base(const struct tk_baseline *history, size_t of, const char *what, struct tk_err *err)
{
    if (history->runs.n == 0)
        return tk_err_set(err, TK_EMATCH, "the history has no runs");
    if (of)
        return tk_err_set(err, TK_EMATCH,
                          "'%s' has %zu runs in the history, but none with the application, platform, "
                          "machine, config and map of the runs to compare",
                          what, of);
    const struct tk_str *branch = tk_base_run_about(history->runs.v[history->runs.n - 1], "branch");
    return tk_err_set(err, TK_EMATCH, "the history has no run of a branch or commit '%s'%s%.*s%s", what,
                      branch ? "; the last one is of branch '" : "", branch ? (int)branch->n : 0,
                      branch ? branch->p : "", branch ? "'" : "");
}

int tk_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
               struct tk_err *err)
{
    const struct tk_base_run *newest = NULL;
    size_t of = 0, n = 0;
    for (size_t i = 0; i < history->runs.n; i++) {
        const struct tk_base_run *run = history->runs.v[i];
        of += is_of(run, what);
        if (is_of(run, what) && is_comparable(run, like) && (!newest || is_newer(run, newest)))
            newest = run;
    }
    if (!newest)
        return fail_base(history, of, what, err);
    for (size_t i = 0; i < history->runs.n; i++) {
        struct tk_base_run *run = history->runs.v[i];
        if (run == newest || (is_of(run, what) && is_comparable(run, like) && is_same_build(run, newest)))
            history->runs.v[n++] = run;
        else
            tk_base_run_free(run);
    }
    history->runs.n = n;
    return TK_OK;
}
