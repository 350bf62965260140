/*
 * The order of the runs of a history, and its nights. Nothing else decides on it.
 *
 * Runs are in the order of the times at which they were recorded. Runs of one time are one night where they
 * are of one build; else numbers at the ends of their builds, or their names where these are numbers, say
 * which is first. Where that is not so, and where a run has no time, the order is not known: it is refused,
 * as steps of runs in a wrong order are none.
 */
#include "base/sort.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "judge/outcomes.h"
#include "tracekit/trends.h"
#include "trend/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run and where it was. */
struct place {
    struct tk_history_run run;
    uint32_t at;
};

/* The number at the end of a build, or of a name without its ending; UINT64_MAX: there is none. */
static uint64_t number_of(const char *p, size_t n)
{
    size_t from = n;
    uint64_t v = 0;
    while (from && p[from - 1] >= '0' && p[from - 1] <= '9')
        from--;
    for (size_t i = from; i < n; i++) {
        if (v > UINT64_MAX / 10 - 1)
            return UINT64_MAX;
        v = v * 10 + (uint64_t)(p[i] - '0');
    }
    return from < n ? v : UINT64_MAX;
}

static uint64_t number_of_build(const struct tk_history_run *run)
{
    return number_of(run->build->p, run->build->n);
}

/* Only where all of the name is a number, as 7314 or nights/7314.tkb. */
static uint64_t number_of_name(const struct tk_history_run *run)
{
    size_t from = run->name->n, end;
    while (from && !tk_path_is_separator(run->name->p[from - 1]))
        from--;
    const char *base = run->name->p + from;
    const char *dot = memchr(base, '.', run->name->n - from);
    end = dot ? (size_t)(dot - base) : run->name->n - from;
    for (size_t i = 0; i < end; i++)
        if (base[i] < '0' || base[i] > '9')
            return UINT64_MAX;
    return number_of(base, end);
}

/* Of one time and of two builds: below 0, above 0, or 0 where nothing says. */
static int by_number(const struct tk_history_run *a, const struct tk_history_run *b)
{
    const uint64_t builds[2] = {number_of_build(a), number_of_build(b)};
    const uint64_t names[2] = {number_of_name(a), number_of_name(b)};
    const uint64_t *v =
        builds[0] != UINT64_MAX && builds[1] != UINT64_MAX && builds[0] != builds[1] ? builds : names;
    return v[0] == UINT64_MAX || v[1] == UINT64_MAX ? 0 : (v[0] > v[1]) - (v[0] < v[1]);
}

/* Times are ISO 8601, or seconds since 1970, which have as many digits since 2001. */
static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = tk_str_order(x->run.time, y->run.time);
    order = order ? order : tk_str_order(x->run.build, y->run.build) ? by_number(&x->run, &y->run) : 0;
    return order ? order : tk_str_order(x->run.name, y->run.name);
}

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return tk_str_order(x->run.name, y->run.name);
}

/* ---- is it known? ---- */

static int fail_order(const struct tk_history_run *run, const char *why, struct tk_err *err)
{
    const int n = (int)(run->name->n < 120 ? run->name->n : 120);
    return tk_outcome_fail(err, TK_OUTCOME_NO_ORDER, "the order of the runs is unknown: '%.*s' %s", n,
                           run->name->p, why);
}

static int check_times(const struct tk_history *h, struct tk_err *err)
{
    for (size_t i = 0; i < h->runs.n; i++)
        if (!h->runs.v[i].time->n)
            return fail_order(&h->runs.v[i], "has no time of recording", err);
    return TK_OK;
}

/* Of runs in order: those of one time have something else that says which is first. */
static int check_same_times(const struct tk_history *h, struct tk_err *err)
{
    for (size_t i = 1; i < h->runs.n; i++) {
        const struct tk_history_run *last = &h->runs.v[i - 1], *run = &h->runs.v[i];
        if (run->time == last->time && run->build != last->build && by_number(last, run) == 0)
            return fail_order(run, "has the time of another run and no number that goes on", err);
    }
    return TK_OK;
}

/* ---- moving ---- */

/* Puts texts or values of runs in their new order. */
static int move_notes(struct tk_history *h, const struct place *v)
{
    size_t n = h->runs.n;
    const struct tk_str **space = malloc((n + 1) * sizeof *space);
    for (size_t i = 0; i < h->notes.n && space; i++) {
        const struct tk_str **values = h->notes.v[i].values.v;
        for (size_t r = 0; r < n; r++)
            space[r] = values[v[r].at];
        memcpy(values, space, n * sizeof *space);
    }
    free(space);
    return space ? 0 : -1;
}

static int move_values(struct tk_history *h, const struct place *v)
{
    size_t n = h->runs.n;
    double *space = malloc((n + 1) * sizeof *space);
    int rc = space ? 0 : -1;
    for (size_t s = 0; s < h->series.n && rc == 0; s++) {
        struct tk_history_series *series = &h->series.v[s];
        while (series->values.n < n && rc == 0)
            rc = tk_vec_push(&series->values, NAN);
        for (size_t r = 0; r < n && rc == 0; r++)
            space[r] = series->values.v[v[r].at];
        if (rc == 0)
            memcpy(series->values.v, space, n * sizeof *space);
    }
    free(space);
    return rc;
}

/* ---- what is reported ---- */

static int remark_machines(struct tk_history *h)
{
    for (size_t i = 0; i < h->runs.n; i++)
        if (h->runs.v[i].machine->n)
            return 0;
    return tk_history_remark(h,
                             "the runs do not name their machine (--run-info machine=NAME), so a change of "
                             "machine looks like a change of the build");
}

/* ---- nights ---- */

static bool has_builds(const struct tk_history *h)
{
    for (size_t i = 1; i < h->runs.n; i++)
        if (h->runs.v[i].build != h->runs.v[0].build)
            return true;
    return false;
}

/* Runs of one build in a row are a night, and so are those of one time of a build that all have. */
static bool share_night(const struct tk_history_run *a, const struct tk_history_run *b, bool builds)
{
    return a->build == b->build && ((builds && a->build->n) || (a->time->n && a->time == b->time));
}

static void number_nights(struct tk_history *h)
{
    bool builds = has_builds(h);
    for (size_t i = 1; i < h->runs.n; i++)
        h->runs.v[i].night =
            h->runs.v[i - 1].night + (share_night(&h->runs.v[i - 1], &h->runs.v[i], builds) ? 0 : 1);
}

/* ---- all ---- */

static int sort_runs(struct tk_history *h, struct place *v, bool times)
{
    size_t n = h->runs.n;
    if (tk_sort(v, n, sizeof *v, times ? by_time : by_name))
        return -1;
    for (size_t r = 0; r < n; r++)
        h->runs.v[r] = v[r].run;
    return 0;
}

/* Those that were not reported one by one. */
static int remark_faulty(struct tk_history *h)
{
    return h->faulty ? tk_history_remark(
                           h, "%zu of %zu runs are of captures that are damaged, lost events or are cut off",
                           h->faulty, h->runs.n)
                     : 0;
}

/* Times of a run are not those of a frame. */
static int remark_whole(struct tk_history *h)
{
    if (!h->whole)
        return 0;
    return h->whole == h->runs.n ? tk_history_remark(h, "no run has frames: times are those of a whole run")
                                 : tk_history_remark(h,
                                                     "%zu of %zu runs have no frames: their times are those "
                                                     "of whole runs and cannot be compared with the others",
                                                     h->whole, h->runs.n);
}

static int move_all(struct tk_history *h, int order)
{
    struct place *v = malloc((h->runs.n + 1) * sizeof *v);
    int rc = v ? 0 : -1;
    for (uint32_t r = 0; r < h->runs.n && rc == 0; r++)
        v[r] = (struct place){h->runs.v[r], r};
    if (rc == 0 && order != TK_ORDER_GIVEN)
        rc = sort_runs(h, v, order == TK_ORDER_TIME);
    if (rc == 0)
        rc = move_notes(h, v);
    if (rc == 0)
        rc = move_values(h, v);
    free(v);
    return rc;
}

int tk_history_arrange(struct tk_history *h, int order, struct tk_err *err)
{
    const bool by_times = order == TK_ORDER_TIME && h->runs.n > 1;
    int rc = by_times ? check_times(h, err) : TK_OK;
    if (rc == TK_OK && move_all(h, order))
        rc = tk_err_nomem(err, "a history");
    if (rc == TK_OK && by_times)
        rc = check_same_times(h, err);
    if (rc < 0)
        return rc;
    number_nights(h);
    return remark_faulty(h) || remark_whole(h) || remark_machines(h) ? tk_err_nomem(err, "a history") : TK_OK;
}
