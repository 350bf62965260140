/*
 * Comparisons and their reports. See tracekit.h and compare/verdict/compare.h.
 */
#include "base/given.h"
#include "base/struct_size.h"
#include "compare/baseline/run_info.h"
#include "compare/report/report.h"
#include "compare/verdict/compare.h"

#include <stdlib.h>
#include <string.h>

static int64_t last_time(const struct tk_baseline *b)
{
    int64_t last = INT64_MIN, when;
    for (size_t i = 0; i < b->runs.n; i++)
        if (tk_base_run_when(b->runs.v[i], &when) && when > last)
            last = when;
    return last == INT64_MIN ? INT64_MAX : last;
}

int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
               const struct tk_baseline *candidate, const struct tk_compare_options *opt, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, baseline, candidate);
    struct tk_compare_options all = TK_INIT(struct tk_compare_options);
    *out = NULL;
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    const struct tk_compare_setup setup = {.floor_ratio = all.floor_ratio,
                                           .floor_frame = all.floor_frame,
                                           .floor_ms = all.floor_ms,
                                           .chance = all.chance,
                                           .warmup = all.warmup,
                                           .mixed = all.mixed,
                                           .ignore_common = all.ignore_common,
                                           .allow_short = all.allow_short};
    struct tk_comparison *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "a comparison");
    rc = tk_comparison_make(c, baseline, candidate, all.noise, &setup, err);
    if (rc < 0) {
        tk_comparison_free(c);
        return rc;
    }
    c->candidate_time = last_time(candidate);
    *out = c;
    return TK_OK;
}

bool tk_comparison_regressed(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return c->worse || tk_sides_flawed(&c->sides);
}

bool tk_comparison_comparable(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return !tk_sides_flawed(&c->sides);
}

bool tk_comparison_inconclusive(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return c->unsure;
}

const char *const *tk_comparison_reports(void)
{
    static const char *const names[] = {"text",   "markdown", "json",   "csv",  "junit",
                                        "github", "sarif",    "folded", "html", NULL};
    return names;
}

static const struct tk_report_kind *find_kind(const char *name)
{
    const struct tk_report_kind *kind = tk_report_kinds;
    while (kind->name && strcmp(kind->name, name) != 0)
        kind++;
    return kind->name ? kind : NULL;
}

int tk_comparison_report(const struct tk_comparison *c, const char *kind, struct tk_output *out,
                         const struct tk_report_options *opt, struct tk_err *err)
{
    TK_GIVEN(err, c, kind, out);
    const struct tk_report_kind *found = find_kind(kind);
    struct tk_report_options all = TK_INIT(struct tk_report_options);
    struct tk_print text = {0};
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    if (!found)
        return tk_err_set(err, TK_EMATCH, "there is no report '%s'", kind);
    if (found->print == tk_report_folded && (c->torn[0] || c->torn[1]))
        return tk_err_set(
            err, TK_EMATCH,
            "call paths of this selection are unknown: a run has more regions than it stores call paths for");
    text.guard = all.guard;
    const struct tk_report_setup setup = {all.colour, all.top, all.width, all.plain_ascii, false};
    found->print(&text, c, &setup);
    rc = text.failed ? tk_err_nomem(err, "a report") : tk_output_write(out, text.v, text.n, err);
    free(text.v);
    return rc;
}

void tk_comparison_free(struct tk_comparison *c)
{
    if (c)
        tk_comparison_release(c);
    free(c);
}
