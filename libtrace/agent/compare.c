/*
 * The tool that compares captures and baselines: what has changed, the worst first, and the sentence of the
 * verdict.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "base/text/glob.h"
#include "compare/report/report.h"
#include "tracekit/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 500, MOST_RUNS = 64 };

/* ---- the sides ---- */

static int add_run(const struct tk_agent_work *w, struct tk_baseline *to, const char *path,
                   struct tk_err *err)
{
    struct tk_trace *trace = NULL;
    if (tk_baseline_count(to) >= MOST_RUNS)
        return tk_err_set(err, TK_ELIMIT, "a side has at most %d runs; name fewer captures", MOST_RUNS);
    if (tk_baseline_is(path) == 1)
        return tk_baseline_load(to, path, err);
    int rc = tk_open(&trace, path, w->open, err);
    if (rc == TK_OK)
        rc = tk_baseline_add(to, trace, NULL, err);
    tk_close(trace);
    return rc;
}

struct side {
    const struct tk_agent_work *w;
    struct tk_baseline *runs;
    const char *pattern;
    struct tk_err *err;
    size_t found;
};

static int add_matching(void *ctx, const char *path, const char *name)
{
    struct side *s = ctx;
    if (!tk_glob(s->pattern, strlen(s->pattern), name, strlen(name), false))
        return TK_OK;
    s->found++;
    return add_run(s->w, s->runs, path, s->err);
}

static int add_named(struct side *s, const char *name)
{
    char *path = NULL;
    int rc;
    if (strpbrk(name, "*?")) {
        s->pattern = name;
        s->found = 0;
        rc = tk_agent_folders_list(s->w->folders, MOST_FILES, add_matching, s);
        return rc == TK_OK && !s->found ? tk_err_set(s->err, TK_EUSAGE, "no capture matches '%.200s'", name)
                                        : rc;
    }
    rc = tk_agent_folders_find(s->w->folders, name, &path, s->err);
    if (rc == TK_OK)
        rc = add_run(s->w, s->runs, path, s->err);
    free(path);
    return rc;
}

static int collect(const struct tk_agent_work *w, const char *argument, struct tk_baseline **out,
                   struct tk_err *err)
{
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(w->arguments, argument), *item;
    int rc = tk_baseline_new(out, err);
    struct side side = {.w = w, .runs = *out, .err = err};
    if (rc == TK_OK && cJSON_IsString(given))
        rc = add_named(&side, given->valuestring);
    cJSON_ArrayForEach(item, given)
    {
        if (rc == TK_OK && cJSON_IsString(item))
            rc = add_named(&side, item->valuestring);
    }
    if (rc == TK_OK && !tk_baseline_count(*out))
        return tk_err_set(err, TK_EUSAGE, "which %s? (arguments baseline and candidate)", argument);
    return rc;
}

/* ---- rows ---- */

static const struct tk_column columns[] = {
    {.name = "verdict", .kind = TK_TEXT, .help = ""},    {.name = "kind", .kind = TK_TEXT, .help = ""},
    {.name = "name", .kind = TK_TEXT, .help = ""},       {.name = "thread", .kind = TK_TEXT, .help = ""},
    {.name = "unit", .kind = TK_TEXT, .help = ""},       {.name = "baseline", .kind = TK_REAL, .help = ""},
    {.name = "candidate", .kind = TK_REAL, .help = ""},  {.name = "ratio", .kind = TK_REAL, .help = ""},
    {.name = "because_of", .kind = TK_TEXT, .help = ""},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const struct tk_table changed = {
    .name = "changes", .help = "", .columns = columns, .n_columns = COLUMNS, .schema = 2};

/* Passes on the rows of a verdict. */
struct picker {
    struct tk_sink to;
    const char *verdict;
    uint32_t from[COLUMNS]; /* by column: its number in the rows that come */
};

static int begin_picking(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct picker *p = self;
    (void)err;
    for (uint32_t i = 0; i < COLUMNS; i++)
        for (uint32_t k = 0; k < table->n_columns; k++)
            if (strcmp(columns[i].name, table->columns[k].name) == 0)
                p->from[i] = k;
    return TK_OK;
}

/* To four digits, which is what two runs are known to. */
static struct tk_cell rounded(struct tk_cell cell)
{
    if (cell.kind != TK_REAL || cell.v.r == 0 || !isfinite(cell.v.r))
        return cell;
    const double scale = pow(10, 3 - floor(log10(fabs(cell.v.r))));
    if (isfinite(scale) && scale > 0)
        cell.v.r = round(cell.v.r * scale) / scale;
    return cell;
}

static int pick_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct picker *p = self;
    const size_t n = strlen(p->verdict);
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *cells = rows->cells + i * table->n_columns;
        const struct tk_cell *verdict = &cells[p->from[0]];
        struct tk_cell row[COLUMNS];
        if (verdict->n != n || memcmp(verdict->v.p, p->verdict, n) != 0)
            continue;
        for (uint32_t k = 0; k < COLUMNS; k++)
            row[k] = rounded(cells[p->from[k]]);
        const struct tk_rows one = {1, row};
        rc = p->to.rows(p->to.self, &changed, &one, err);
    }
    return rc;
}

/* The worst first; what cannot be decided is only of interest where nothing else is known. */
static int put_changes(const struct tk_agent_work *w, const struct tk_comparison *found, struct tk_err *err)
{
    static const char *const verdicts[] = {"regressed", "added",    "removed",     "renamed",
                                           "moved",     "improved", "inconclusive"};
    size_t n = sizeof verdicts / sizeof *verdicts;
    struct picker picker = {.to = tk_agent_answer_table(w->answer, "changes")};
    const struct tk_sink sink = {.self = &picker, .begin = begin_picking, .rows = pick_rows};
    n -= !tk_comparison_inconclusive(found) || tk_comparison_regressed(found);
    int rc = picker.to.begin(picker.to.self, &changed, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        picker.verdict = verdicts[i];
        rc = tk_comparison_rows(found, &sink, err);
    }
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, tk_agent_offset(w), NULL);
    return rc;
}

/* ---- the answer ---- */

static const struct tk_change *worst_of(const struct tk_comparison *c)
{
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_REGRESSED)
            return &c->changes.v[i];
    return NULL;
}

static int say_verdict(const struct tk_agent_work *w, const struct tk_comparison *found, struct tk_err *err)
{
    struct tk_print p = {0};
    const struct tk_change *worst = worst_of(found);
    tk_report_headline(&p, found);
    if (worst) {
        tk_print(&p, "; worst: ");
        tk_print_name(&p, worst->name);
        tk_print(&p, ", ");
        tk_report_change(&p, worst);
    }
    tk_print_bytes(&p, "", 1);
    if (!p.failed) {
        tk_agent_answer_say(w->answer, p.v, p.n - 1);
        tk_agent_answer_text(w->answer, "sentence", p.v);
    }
    free(p.v);
    return p.failed ? tk_err_nomem(err, "a sentence") : TK_OK;
}

static int put_comparison(const struct tk_agent_work *w, const struct tk_comparison *found,
                          struct tk_err *err)
{
    tk_agent_answer_text(w->answer, "verdict", tk_comparison_outcome(found)->name);
    const int rc = say_verdict(w, found, err);
    w->answer->skip = tk_agent_offset(w);
    w->answer->limit = tk_agent_limit(w, 10);
    return rc == TK_OK ? put_changes(w, found, err) : rc;
}

int tk_agent_compare(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_baseline *base = NULL, *candidate = NULL;
    struct tk_comparison *found = NULL;
    int rc = collect(w, "baseline", &base, err);
    if (rc == TK_OK)
        rc = collect(w, "candidate", &candidate, err);
    if (rc == TK_OK)
        rc = tk_compare(&found, base, candidate, NULL, err);
    if (rc == TK_OK)
        rc = put_comparison(w, found, err);
    tk_comparison_free(found);
    tk_baseline_free(base);
    tk_baseline_free(candidate);
    return rc;
}
