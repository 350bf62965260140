/*
 * The changes of a comparison as rows of a table. See tracekit.h and compare/verdict/compare.h.
 */
#include "base/given.h"
#include "compare/verdict/compare.h"
#include "table/cell.h"
#include "table/sink.h"

#include <math.h>

enum {
    KIND,
    NAME,
    GROUP,
    VERDICT,
    UNIT,
    BASELINE,
    CANDIDATE,
    RATIO,
    LOW,
    HIGH,
    P,
    RENAMED_TO,
    BECAUSE_OF,
    METRIC,
    PATH,
    RAW_RATIO,
    FUNCTION,
    COLUMNS
};

/* The names are those of the report `csv`. */
static const struct tk_column columns[COLUMNS] = {
    [KIND] = {"kind", TK_TEXT, 0, NULL,
              "frame, hitch, thread, timer, path, gpu, counter, memory, log, loading, common"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "what is compared"},
    [GROUP] = {"thread", TK_TEXT, 0, NULL, "its thread class, queue, category, ..."},
    [VERDICT] = {"verdict", TK_TEXT, 0, NULL,
                 "regressed, improved, unchanged, inconclusive, added, removed, renamed"},
    [UNIT] = {"unit", TK_TEXT, 0, NULL, "unit of baseline and candidate: ms/frame, ms, 1/min, bytes, %"},
    [BASELINE] = {"baseline", TK_REAL, 0, NULL, "mean over the runs of the baseline"},
    [CANDIDATE] = {"candidate", TK_REAL, 0, NULL, "mean over the runs of the candidate"},
    [RATIO] = {"ratio", TK_REAL, 0, NULL,
               "candidate divided by baseline, without the shift shared by all timers"},
    [LOW] = {"low", TK_REAL, 0, NULL, "lower end of the 95 % interval of the ratio"},
    [HIGH] = {"high", TK_REAL, 0, NULL, "upper end of the 95 % interval of the ratio"},
    [P] = {"p", TK_REAL, 0, NULL, "p-value, corrected for the number of tests"},
    [RENAMED_TO] = {"renamed_to", TK_TEXT, 0, NULL, "its name in the candidate, if that differs"},
    [BECAUSE_OF] = {"because_of", TK_TEXT, 0, NULL, "the change that explains it"},
    [METRIC] = {"metric", TK_TEXT, 0, NULL, "which value, if the kind has several"},
    [PATH] = {"path", TK_TEXT, 0, NULL, "call path with most of the change, names separated by ;"},
    [RAW_RATIO] = {"raw_ratio", TK_REAL, 0, NULL, "candidate divided by baseline, as measured"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "for timers: the function with most of the change, by stack samples"},
};

static const struct tk_table changes = {
    .name = "changes",
    .help = "differences between two sets of runs, with verdicts",
    .columns = columns,
    .n_columns = COLUMNS,
};

static struct tk_cell real_cell(double v)
{
    return isfinite(v) ? (struct tk_cell){.kind = TK_REAL, .v.r = v} : (struct tk_cell){.kind = TK_NONE};
}

static void fill_comparison_rows(struct tk_cell row[COLUMNS], const struct tk_change *c)
{
    row[KIND] = tk_cell_of_c(tk_change_kind_name((enum tk_change_kind)c->kind));
    row[NAME] = tk_cell_of_nonempty(c->name);
    row[GROUP] = tk_cell_of_nonempty(c->group);
    row[VERDICT] = tk_cell_of_c(tk_verdict_name((enum tk_verdict)c->verdict));
    row[UNIT] = tk_cell_of_c(c->unit);
    row[BASELINE] = real_cell(c->baseline);
    row[CANDIDATE] = real_cell(c->candidate);
    row[RATIO] = real_cell(c->ratio);
    row[LOW] = real_cell(c->low);
    row[HIGH] = real_cell(c->high);
    row[P] = real_cell(c->p);
    row[RENAMED_TO] = tk_cell_of_nonempty(c->to);
    row[BECAUSE_OF] = tk_cell_of_nonempty(c->cause ? c->cause->name : NULL);
    row[METRIC] = tk_cell_of_c(c->metric);
    row[PATH] = tk_cell_of_nonempty(c->path);
    row[RAW_RATIO] = real_cell(c->raw_ratio);
    row[FUNCTION] = tk_cell_of_nonempty(c->function);
}

int tk_comparison_rows(const struct tk_comparison *c, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, c, sink);
    struct tk_cell row[COLUMNS];
    int rc = tk_sink_begin(sink, &changes, err);
    for (size_t i = 0; i < c->changes.n && rc >= 0; i++) {
        fill_comparison_rows(row, &c->changes.v[i]);
        rc = tk_sink_row(sink, &changes, row, err);
    }
    if (rc >= 0)
        rc = tk_sink_end(sink, &changes, err);
    return rc < 0 ? rc : TK_OK;
}
