/*
 * Reports for programs: JSON (schemas/diff.schema.json) and CSV. report_kinds.c lists them.
 */
#include "compare/report/report.h"

#include <math.h>
#include <string.h>

/* Values of single runs; null where a run has none. */
static void put_values(struct tk_json *j, const struct tk_comparison *all, const struct tk_change *c,
                       uint8_t side, const char *name)
{
    tk_json_open(j, name, '[');
    for (size_t r = 0; r < all->run_sides.n; r++)
        if (all->run_sides.v[r] == side)
            tk_json_real(j, NULL, tk_comparison_value(all, c, r), 9);
    tk_json_close(j);
}

/* A text, where there is one. */
static void put_text(struct tk_json *j, const char *name, const struct tk_str *text)
{
    if (text)
        tk_print_json_text(j, name, text);
}

/* Two numbers as a list. */
static void put_pair(struct tk_json *j, const char *name, double a, double b, unsigned digits)
{
    tk_json_open(j, name, '[');
    tk_json_real(j, NULL, a, digits);
    tk_json_real(j, NULL, b, digits);
    tk_json_close(j);
}

static void put_figures(struct tk_json *j, const struct tk_change *c)
{
    tk_json_real(j, "baseline", c->baseline, 9);
    tk_json_real(j, "candidate", c->candidate, 9);
    if (c->bounded)
        tk_json_c(j, "bounded", c->bounded == 1 ? "baseline" : "candidate");
    if (isfinite(c->raw_ratio))
        tk_json_real(j, "raw_ratio", c->raw_ratio, 9);
    tk_json_real(j, "ratio", c->ratio, 9);
    if (isfinite(c->low) && isfinite(c->high))
        put_pair(j, "interval", c->low, c->high, 9);
    else
        tk_json_plain(j, "interval", "null");
    tk_json_real(j, "p", c->p, 9);
    if (c->kind == TK_CHANGE_TIMER || c->kind == TK_CHANGE_GPU) {
        put_pair(j, "calls_per_frame", c->calls[0], c->calls[1], 6);
        put_pair(j, "ms_per_call", c->per_call[0], c->per_call[1], 6);
    }
}

static void put_change(struct tk_json *j, const struct tk_comparison *all, const struct tk_change *c)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "kind", tk_change_kind_name((enum tk_change_kind)c->kind));
    put_text(j, "name", c->name);
    tk_print_json_text(j, "thread", c->group->n ? c->group : NULL);
    tk_json_c(j, "verdict", tk_verdict_name((enum tk_verdict)c->verdict));
    tk_json_c(j, "unit", c->unit);
    put_figures(j, c);
    if (c->metric)
        tk_json_c(j, "metric", c->metric);
    put_text(j, "path", c->path);
    put_text(j, "function", c->function);
    if (c->file->n) {
        put_text(j, "file", c->file);
        tk_json_u64(j, "line", c->line);
    }
    put_text(j, "place", c->place);
    put_text(j, c->verdict == TK_MOVED ? "moved_to" : "renamed_to", c->to);
    if (all->owned)
        tk_print_json_text(j, "owner", c->owner && c->owner->n ? c->owner : NULL);
    if (c->waits)
        tk_json_bool(j, "waits", true);
    put_text(j, "because_of", c->cause ? c->cause->name : NULL);
    if (c->acceptance)
        tk_json_bool(j, "accepted", c->accepted);
    put_text(j, "acceptance", c->acceptance);
    if (c->values) {
        put_values(j, all, c, 0, "baseline_runs");
        put_values(j, all, c, 1, "candidate_runs");
    }
    if (c->runs)
        tk_json_u64(j, "runs_needed", c->runs);
    tk_json_close(j);
}

/* How frame times of both sides are distributed; where there are frames. */
static void put_frame_times(struct tk_json *j, const struct tk_comparison *c)
{
    static const char *const names[] = {"shares", "baseline", "candidate"};
    if (c->unit || !(c->frame_shares[0][0] > 0) || !(c->frame_shares[1][0] > 0))
        return;
    tk_json_open(j, "frame_times", '{');
    for (int k = 0; k < 3; k++) {
        tk_json_open(j, names[k], '[');
        for (int i = 0; i < TK_FRAME_SHARES; i++)
            tk_json_real(j, NULL, k ? c->frame_shares[k - 1][i] : tk_frame_share(i), 9);
        tk_json_close(j);
    }
    tk_json_close(j);
}

static void put_floors(struct tk_json *j, const struct tk_comparison *c)
{
    tk_json_open(j, "floors", '{');
    tk_json_real(j, "ratio", c->setup.floor_ratio, 6);
    tk_json_real(j, "of_frame", c->setup.floor_frame, 6);
    tk_json_real(j, "frame_ms", c->frame_ms, 9);
    tk_json_real(j, "ms_per_frame", c->setup.floor_ms, 6);
    tk_json_real(j, "memory_bytes", TK_FLOOR_BYTES, 9);
    tk_json_real(j, "loading_ms", TK_FLOOR_LOADING, 6);
    tk_json_close(j);
}

/* Runs that lie apart. */
static void put_apart(struct tk_json *j, const struct tk_comparison *c)
{
    tk_json_open(j, "outliers", '[');
    for (size_t i = 0; i < c->outliers.n; i++) {
        tk_json_open(j, NULL, '{');
        tk_json_u64(j, "run", c->outliers.v[i].run);
        tk_print_json_text(j, "capture", c->outliers.v[i].name);
        tk_json_real(j, "ratio", c->outliers.v[i].ratio, 9);
        tk_json_close(j);
    }
    tk_json_close(j);
    if (!c->speeds.n[1])
        return;
    tk_json_open(j, "speeds", '{');
    tk_json_real(j, "ratio", c->speeds.ratio, 9);
    tk_json_u64(j, "faster", c->speeds.n[0]);
    tk_json_u64(j, "slower", c->speeds.n[1]);
    tk_json_close(j);
}

/* How it was compared. */
static void put_method(struct tk_json *j, const struct tk_comparison *c)
{
    tk_json_u64(j, "schema", 1);
    tk_json_c(j, "method", c->design == TK_DESIGN_RUNS ? "runs" : "frames");
    tk_json_c(j, "unit", strchr(c->unit_time, '/') + 1);
    tk_json_open(j, "runs", '{');
    tk_json_u64(j, "baseline", c->runs[0]);
    tk_json_u64(j, "candidate", c->runs[1]);
    tk_json_u64(j, "noise", c->runs[2]);
    tk_json_close(j);
    put_floors(j, c);
    if (c->setup.warmup) {
        tk_json_open(j, "warmup", '{');
        tk_json_u64(j, "asked", c->setup.warmup);
        tk_json_u64(j, "least", c->left_out[0]);
        tk_json_u64(j, "most", c->left_out[1]);
        tk_json_close(j);
    }
    tk_json_u64(j, "tested", c->tested);
    tk_json_real(j, "machine_factor", c->machine, 9);
    tk_json_open(j, "shift", '{');
    tk_json_c(j, "state", tk_shift_state_name(&c->shift));
    tk_json_real(j, "ratio", c->shift.ratio, 9);
    tk_json_u64(j, "timers", c->shift.rows);
    tk_json_u64(j, "follow", c->shift.follow);
    tk_json_close(j);
    put_apart(j, c);
    if (tk_report_common(c))
        tk_json_c(j, "common",
                  c->setup.ignore_common ? "ignored"
                                         : tk_verdict_name((enum tk_verdict)tk_report_common(c)->verdict));
}

static void put_said(struct tk_json *j, const struct tk_comparison *c, const char *name,
                     void (*say)(struct tk_print *, const struct tk_comparison *))
{
    struct tk_print text = {0};
    say(&text, c);
    tk_json_member(j, name);
    tk_print_through(j->to, &text, tk_print_json);
}

static void put_verdict(struct tk_json *j, const struct tk_comparison *c)
{
    put_said(j, c, "summary", tk_report_lead);
    const enum tk_outcome_kind ended = tk_comparison_ended(c);
    tk_json_c(j, "verdict", tk_outcome_verdict(ended));
    tk_json_c(j, "outcome", tk_outcomes[ended].name);
    tk_json_open(j, "counts", '{');
    for (int v = 0; v < TK_VERDICTS; v++)
        tk_json_u64(j, tk_verdict_name((enum tk_verdict)v), tk_report_count(c, (enum tk_verdict)v));
    tk_json_close(j);
}

void tk_report_json(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    struct tk_json j = tk_print_json_writer(p);
    (void)setup;
    tk_json_open(&j, NULL, '{');
    put_method(&j, c);
    tk_report_faults_json(&j, &c->faults);
    tk_report_sides_json(&j, &c->sides);
    put_verdict(&j, c);
    put_frame_times(&j, c);
    tk_report_hitches_json(&j, c);
    tk_json_open(&j, "changes", '[');
    for (size_t i = 0; i < c->changes.n; i++) {
        tk_json_line(&j);
        put_change(&j, c, &c->changes.v[i]);
    }
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    tk_print(p, "\n");
}

static void csv_real(struct tk_print *p, double v)
{
    tk_print(p, ",");
    if (isfinite(v))
        tk_print_real(p, v, 9);
}

void tk_report_csv(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p,
             "kind,name,thread,verdict,unit,baseline,candidate,ratio,low,high,p,renamed_to,because_of,"
             "metric,path,captures,baseline_side,candidate_side,raw_ratio,function,bounded%s\n",
             c->owned ? ",owner" : "");
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct tk_change *x = &c->changes.v[i];
        const double reals[] = {x->baseline, x->candidate, x->ratio, x->low, x->high, x->p};
        tk_print(p, "%s,", tk_change_kind_name((enum tk_change_kind)x->kind));
        tk_print_csv(p, x->name);
        tk_print(p, ",");
        if (x->group->n)
            tk_print_csv(p, x->group);
        tk_print(p, ",%s,%s", tk_verdict_name((enum tk_verdict)x->verdict), x->unit);
        for (size_t k = 0; k < sizeof reals / sizeof *reals; k++)
            csv_real(p, reals[k]);
        tk_print(p, ",");
        if (x->to)
            tk_print_csv(p, x->to);
        tk_print(p, ",");
        if (x->cause)
            tk_print_csv(p, x->cause->name);
        tk_print(p, ",%s,", x->metric ? x->metric : "");
        if (x->path)
            tk_print_csv(p, x->path);
        tk_print(p, ",%s,", tk_run_faults_word(&c->faults));
        tk_report_side_csv(p, &c->sides, TK_RUN_BASELINE);
        tk_print(p, ",");
        tk_report_side_csv(p, &c->sides, TK_RUN_CANDIDATE);
        csv_real(p, x->raw_ratio);
        tk_print(p, ",");
        if (x->function)
            tk_print_csv(p, x->function);
        tk_print(p, ",%s", !x->bounded ? "" : x->bounded == 1 ? "baseline" : "candidate");
        if (c->owned)
            tk_print(p, ",");
        if (x->owner && x->owner->n)
            tk_print_csv(p, x->owner);
        tk_print(p, "\n");
    }
}
