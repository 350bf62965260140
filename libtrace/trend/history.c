/*
 * Histories: kinds of series, their order, and what is freed.
 */
#include "trend/history.h"

#include "base/sort.h"
#include "base/text/text.h"
#include "tracekit/trends.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Arranges the runs of a history, and numbers the nights.
 */

/* A run and where it was. */
struct place {
    struct tk_history_run run;
    uint32_t at;
};

/* Times are ISO 8601, or seconds since 1970, which have as many digits since 2001. */
static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = tk_str_order(x->run.time, y->run.time);
    return order ? order : tk_str_order(x->run.name, y->run.name);
}

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return tk_str_order(x->run.name, y->run.name);
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

static size_t without_time(const struct tk_history *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->runs.n; i++)
        n += h->runs.v[i].time->n == 0;
    return n;
}

static int remark_times(struct tk_history *h)
{
    size_t same = 0;
    for (size_t i = 1; i < h->runs.n; i++)
        same += h->runs.v[i].time == h->runs.v[i - 1].time;
    return same
               ? tk_history_remark(h,
                                   "%zu runs have the time of the run before them; these are in the order of "
                                   "their names",
                                   same)
               : 0;
}

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

static void number_nights(struct tk_history *h)
{
    bool builds = has_builds(h);
    for (size_t i = 1; i < h->runs.n; i++) {
        const struct tk_history_run *last = &h->runs.v[i - 1];
        struct tk_history_run *run = &h->runs.v[i];
        bool same = builds && run->build->n && run->build == last->build;
        run->night = last->night + (same ? 0 : 1);
    }
}

/* ---- all ---- */

static int sort_runs(struct tk_history *h, struct place *v, bool times)
{
    size_t n = h->runs.n;
    for (uint32_t r = 0; r < n; r++)
        v[r] = (struct place){h->runs.v[r], r};
    if (tk_sort(v, n, sizeof *v, times ? by_time : by_name))
        return -1;
    for (size_t r = 0; r < n; r++)
        h->runs.v[r] = v[r].run;
    return 0;
}

static int choose_order(struct tk_history *h, int *order)
{
    size_t unknown = *order == TK_ORDER_TIME ? without_time(h) : 0;
    if (!unknown)
        return 0;
    *order = TK_ORDER_NAME;
    return tk_history_remark(
        h, "%zu of %zu runs have no time of recording, so all are in the order of their names", unknown,
        h->runs.n);
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

int tk_history_arrange(struct tk_history *h, int order)
{
    struct place *v = malloc((h->runs.n + 1) * sizeof *v);
    int rc = v ? choose_order(h, &order) : -1;
    for (uint32_t r = 0; r < h->runs.n && rc == 0; r++)
        v[r] = (struct place){h->runs.v[r], r};
    if (rc == 0 && order != TK_ORDER_GIVEN)
        rc = sort_runs(h, v, order == TK_ORDER_TIME);
    if (rc == 0)
        rc = move_notes(h, v);
    if (rc == 0)
        rc = move_values(h, v);
    free(v);
    if (rc == 0 && order == TK_ORDER_TIME)
        rc = remark_times(h);
    if (rc == 0)
        number_nights(h);
    if (rc == 0)
        rc = remark_faulty(h);
    if (rc == 0)
        rc = remark_whole(h);
    return rc == 0 ? remark_machines(h) : rc;
}

static const char *const kind_names[TK_HISTORY_KINDS] = {
    [TK_HISTORY_FRAME] = "frame",     [TK_HISTORY_HITCHES] = "hitches", [TK_HISTORY_TIMER] = "timer",
    [TK_HISTORY_GPU] = "gpu",         [TK_HISTORY_MEMORY] = "memory",   [TK_HISTORY_LOADING] = "loading",
    [TK_HISTORY_COUNTER] = "counter",
};

const char *tk_history_kind_name(enum tk_history_kind kind)
{
    return kind_names[kind];
}

int tk_history_kind_of(const struct tk_str *name)
{
    for (int i = 0; i < TK_HISTORY_KINDS; i++)
        if (name->n == strlen(kind_names[i]) && memcmp(name->p, kind_names[i], name->n) == 0)
            return i;
    return -1;
}

void tk_history_release(struct tk_history *h)
{
    for (size_t i = 0; i < h->series.n; i++)
        tk_vec_release(&h->series.v[i].values);
    for (size_t i = 0; i < h->notes.n; i++)
        tk_vec_release(&h->notes.v[i].values);
    tk_vec_release(&h->series);
    tk_vec_release(&h->notes);
    tk_vec_release(&h->runs);
    tk_vec_release(&h->remarks);
    tk_map_release(&h->by_id);
    tk_intern_release(&h->names);
}

int tk_history_remark(struct tk_history *h, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    const struct tk_str *text = tk_intern_c(&h->names, line);
    return !text || tk_vec_push(&h->remarks, text) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_history_series *x = a, *y = b;
    return tk_str_order(x->id, y->id);
}

int tk_history_settle(struct tk_history *h, struct tk_err *err)
{
    if (tk_sort(h->series.v, h->series.n, sizeof *h->series.v, by_id))
        return tk_err_nomem(err, "a history");
    for (size_t i = 1; i < h->series.n; i++)
        if (h->series.v[i].id == h->series.v[i - 1].id)
            return tk_err_set(err, TK_EFORMAT, "two series are called '%.*s'", (int)h->series.v[i].id->n,
                              h->series.v[i].id->p);
    h->nights = h->runs.n ? h->runs.v[h->runs.n - 1].night + 1 : 0;
    return TK_OK;
}

const struct tk_history_run *tk_history_run_of(const struct tk_history *h, uint32_t night)
{
    size_t low = 0, high = h->runs.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->runs.v[middle].night < night)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->runs.n && h->runs.v[low].night == night ? &h->runs.v[low] : NULL;
}
