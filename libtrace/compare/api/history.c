/*
 * Histories of runs, from baselines and from files with numbers.
 */
#include "trend/history.h"

#include "base/err.h"
#include "base/given.h"
#include "base/text/path.h"
#include "io/file.h"
#include "judge/outcomes.h"
#include "night/causes.h"
#include "tracekit/runs.h"
#include "tracekit/sinks.h"
#include "tracekit/trends.h"
#include "trend/report/trend_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Trends and their reports.
 */

static bool is_run(const struct tk_str *s, const char *text, size_t n)
{
    return s->n == n && memcmp(s->p, text, n) == 0;
}

/* Runs of files are called by their paths, of which people know the end. */
static bool ends_in(const struct tk_str *path, const char *text, size_t n)
{
    return path->n > n && tk_path_is_separator(path->p[path->n - n - 1]) &&
           memcmp(path->p + path->n - n, text, n) == 0;
}

/* The first night of a run that is named so, or whose build is; else of one whose path ends so. */
static int find_since(const struct tk_history *h, const char *since, uint32_t *night, struct tk_err *err)
{
    const size_t n = strlen(since);
    for (size_t r = 0; r < h->runs.n; r++)
        if (is_run(h->runs.v[r].name, since, n) || is_run(h->runs.v[r].build, since, n)) {
            *night = h->runs.v[r].night;
            return TK_OK;
        }
    for (size_t r = 0; r < h->runs.n && n; r++)
        if (ends_in(h->runs.v[r].name, since, n)) {
            *night = h->runs.v[r].night;
            return TK_OK;
        }
    return tk_err_set(err, TK_EMATCH, "the history has no run or build '%s'", since);
}

static int fill_setup(struct tk_trend_setup *setup, const struct tk_history *h,
                      const struct tk_trend_options *opt, struct tk_err *err)
{
    struct tk_trend_options all = TK_INIT(struct tk_trend_options);
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    *setup = (struct tk_trend_setup){.alpha = all.chance > 0 ? all.chance : 0.05,
                                     .floor = all.floor > 0 ? all.floor : 0.01,
                                     .alarm = all.alarm > 0 ? all.alarm : 1e-3,
                                     .since = all.since != NULL,
                                     .open = all.open,
                                     .series = all.series,
                                     .likely = all.likely};
    return all.since ? find_since(h, all.since, &setup->first_night, err) : TK_OK;
}

int tk_trend_find(struct tk_trend **out, const struct tk_history *history, const struct tk_trend_options *opt,
                  struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, history);
    struct tk_trend_setup setup;
    *out = NULL;
    if (history->runs.n == 0)
        return tk_outcome_fail(err, TK_OUTCOME_NO_BASE, "the history has no runs");
    int rc = fill_setup(&setup, history, opt, err);
    if (rc < 0)
        return rc;
    struct tk_trend *t = calloc(1, sizeof *t);
    rc = t ? tk_trend_make(t, history, &setup, err) : tk_err_nomem(err, "a trend");
    if (rc < 0) {
        tk_trend_free(t);
        return rc;
    }
    *out = t;
    return TK_OK;
}

bool tk_trend_regressed(const struct tk_trend *t)
{
    if (!t)
        return false;
    return t->worse;
}

const char *const *tk_trend_reports(void)
{
    static const char *const names[] = {"text", "markdown", "json", "csv", "junit", "html", NULL};
    return names;
}

int tk_trend_report(const struct tk_trend *t, const char *kind, struct tk_output *out,
                    const struct tk_report_options *opt, struct tk_err *err)
{
    TK_GIVEN(err, t, kind, out);
    const struct tk_trend_report_kind *found = tk_trend_report_kinds;
    struct tk_report_options all = TK_INIT(struct tk_report_options);
    struct tk_print text = {0};
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    while (found->name && strcmp(found->name, kind) != 0)
        found++;
    if (!found->name)
        return tk_err_set(err, TK_EMATCH, "there is no report '%s'", kind);
    text.guard = all.guard;
    const struct tk_report_setup setup = {all.colour, all.top,   all.width,  all.plain_ascii,
                                          all.plot,   all.front, all.n_front};
    found->print(&text, t, &setup);
    rc = text.failed ? tk_err_nomem(err, "a report") : tk_output_write(out, text.v, text.n, err);
    free(text.v);
    return rc;
}

void tk_trend_free(struct tk_trend *t)
{
    if (t)
        tk_trend_release(t);
    free(t);
}

#define MOST_BYTES (UINT64_C(1) << 30)

int tk_history_new(struct tk_history **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    *out = calloc(1, sizeof **out);
    return *out ? TK_OK : tk_err_nomem(err, "a history");
}

int tk_history_target(struct tk_history *history, double target, struct tk_err *err)
{
    TK_GIVEN(err, history);
    if (!(target >= 0 && target <= 1e6))
        return tk_err_set(err, TK_EUSAGE, "a target is a number of frames a second, from 0 to 1000000");
    history->target = target;
    return TK_OK;
}

void tk_history_free(struct tk_history *history)
{
    if (history)
        tk_history_release(history);
    free(history);
}

size_t tk_history_count(const struct tk_history *history)
{
    if (!history)
        return 0;
    return history->runs.n;
}

/* The text is to be freed, also when it fails. */
static int read_path(const char *folder, const char *name, struct tk_history_text *text, struct tk_err *err)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (!path)
        return tk_err_nomem(err, "a history");
    bool ends = n > strlen(name) + 2 && tk_path_is_separator(folder[n - strlen(name) - 3]);
    snprintf(path, n, "%s%s%s", folder, ends ? "" : "/", name);
    int rc = tk_text_file_read(&text->p, &text->n, path, MOST_BYTES, err);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s'", path);
    free(path);
    return rc;
}

int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err)
{
    TK_GIVEN(err, history, folder);
    static const char *const names[3] = {"runs.csv", "series.csv", "values.csv"};
    struct tk_history_text texts[3] = {0};
    int rc = TK_OK;
    for (int i = 0; i < 3 && rc == TK_OK; i++)
        rc = read_path(folder, names[i], &texts[i], err);
    if (rc == TK_OK)
        rc = tk_history_csv(history, texts[0], texts[1], texts[2], err);
    for (int i = 0; i < 3; i++)
        free(texts[i].p);
    return rc;
}

static const struct tk_base_run *run_of_hash(const struct tk_baseline *b, uint64_t hash)
{
    size_t i = 0;
    while (b->runs.v[i]->hash != hash)
        i++;
    return b->runs.v[i];
}

/* Of a run that came from the baseline: what its hitches of play were due to. 0, or -1 if out of memory. */
static int put_causes(struct tk_history *history, size_t at, const struct tk_baseline *baseline)
{
    struct tk_causes causes = {0};
    int rc = tk_causes_add(&causes, run_of_hash(baseline, history->runs.v[at].hash), false);
    rc = rc == 0 ? tk_causes_settle(&causes) : rc;
    for (size_t i = 0; i < causes.v.n && rc == 0; i++) {
        const struct tk_cause *x = &causes.v.v[i];
        const double minutes = causes.runs.v[0].minutes[TK_CAUSE_PLAY];
        const struct tk_str work = {.p = x->work, .n = (uint32_t)strlen(x->work), .enc = TK_ENC_UTF8};
        if (x->phase == TK_CAUSE_PLAY && minutes > 0)
            rc = tk_history_put_cause(history, at, x->timer->n ? x->timer : &work, x->thread,
                                      (double)(x->n[0] + x->n[1]) / minutes);
    }
    tk_causes_release(&causes);
    return rc;
}

int tk_history_add(struct tk_history *history, const struct tk_baseline *baseline, const char *name,
                   struct tk_err *err)
{
    TK_GIVEN(err, history, baseline, name);
    const size_t before = history->runs.n;
    int rc = tk_history_take(history, baseline, name);
    for (size_t i = before; i < history->runs.n && rc == 0; i++)
        rc = history->runs.v[i].causes ? put_causes(history, i, baseline) : 0;
    return rc ? tk_err_nomem(err, "a history") : TK_OK;
}

int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err)
{
    TK_GIVEN(err, history);
    const int rc = tk_history_arrange(history, (int)order, err);
    return rc < 0 ? rc : tk_history_settle(history, err);
}
