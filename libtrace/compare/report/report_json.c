/*
 * Reports for programs: JSON (schemas/diff.schema.json) and CSV. report_kinds.c lists them.
 */
#include "compare/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void json_real(struct tk_print *p, const char *name, double v)
{
    tk_print(p, ",\"%s\":", name);
    tk_print_real(p, v, 9);
}

/* Values of single runs; null where a run has none. */
static void json_values(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c,
                        uint8_t side, const char *name)
{
    const char *between = "";
    tk_print(p, ",\"%s_runs\":[", name);
    for (size_t r = 0; r < all->run_sides.n; r++) {
        if (all->run_sides.v[r] != side)
            continue;
        tk_print(p, "%s", between);
        tk_print_real(p, tk_comparison_value(all, c, r), 9);
        between = ",";
    }
    tk_print(p, "]");
}

/* A name and a text, where there is one. */
static void json_text(struct tk_print *p, const char *name, const struct tk_str *text)
{
    if (!text)
        return;
    tk_print(p, ",\"%s\":", name);
    tk_print_json(p, text);
}

/* Two numbers as a list. */
static void json_pair(struct tk_print *p, const char *name, double a, double b, unsigned digits)
{
    tk_print(p, ",\"%s\":[", name);
    tk_print_real(p, a, digits);
    tk_print(p, ",");
    tk_print_real(p, b, digits);
    tk_print(p, "]");
}

static void json_figures(struct tk_print *p, const struct tk_change *c)
{
    json_real(p, "baseline", c->baseline);
    json_real(p, "candidate", c->candidate);
    if (c->bounded)
        tk_print(p, ",\"bounded\":\"%s\"", c->bounded == 1 ? "baseline" : "candidate");
    json_real(p, "ratio", c->ratio);
    if (isfinite(c->raw_ratio))
        json_real(p, "raw_ratio", c->raw_ratio);
    if (isfinite(c->low) && isfinite(c->high))
        json_pair(p, "interval", c->low, c->high, 9);
    else
        tk_print(p, ",\"interval\":null");
    json_real(p, "p", c->p);
    if (c->kind == TK_CHANGE_TIMER || c->kind == TK_CHANGE_GPU) {
        json_pair(p, "calls_per_frame", c->calls[0], c->calls[1], 6);
        json_pair(p, "ms_per_call", c->per_call[0], c->per_call[1], 6);
    }
}

static void json_change(struct tk_print *p, const struct tk_comparison *all, const struct tk_change *c)
{
    tk_print(p, "{\"kind\":\"%s\"", tk_change_kind_name((enum tk_change_kind)c->kind));
    json_text(p, "name", c->name);
    if (c->group->n)
        json_text(p, "thread", c->group);
    else
        tk_print(p, ",\"thread\":null");
    tk_print(p, ",\"verdict\":\"%s\",\"unit\":\"%s\"", tk_verdict_name((enum tk_verdict)c->verdict), c->unit);
    json_figures(p, c);
    if (c->metric)
        tk_print(p, ",\"metric\":\"%s\"", c->metric);
    json_text(p, "path", c->path);
    json_text(p, "function", c->function);
    if (c->file->n) {
        json_text(p, "file", c->file);
        tk_print(p, ",\"line\":%u", c->line);
    }
    json_text(p, "renamed_to", c->to);
    if (c->waits)
        tk_print(p, ",\"waits\":true");
    json_text(p, "because_of", c->cause ? c->cause->name : NULL);
    if (c->acceptance)
        tk_print(p, ",\"accepted\":%s", c->accepted ? "true" : "false");
    json_text(p, "acceptance", c->acceptance);
    if (c->values) {
        json_values(p, all, c, 0, "baseline");
        json_values(p, all, c, 1, "candidate");
    }
    if (c->runs)
        tk_print(p, ",\"runs_needed\":%u", c->runs);
    tk_print(p, "}");
}

/* How frame times of both sides are distributed; where there are frames. */
static void json_frame_times(struct tk_print *p, const struct tk_comparison *c)
{
    static const char *const names[] = {"shares", "baseline", "candidate"};
    if (c->unit || !(c->frame_shares[0][0] > 0) || !(c->frame_shares[1][0] > 0))
        return;
    tk_print(p, ",\"frame_times\":{");
    for (int k = 0; k < 3; k++) {
        tk_print(p, "%s\"%s\":[", k ? "," : "", names[k]);
        for (int i = 0; i < TK_FRAME_SHARES; i++) {
            tk_print(p, "%s", i ? "," : "");
            tk_print_real(p, k ? c->frame_shares[k - 1][i] : tk_frame_share(i), 9);
        }
        tk_print(p, "]");
    }
    tk_print(p, "}");
}

void tk_report_json(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p, "{\"schema\":1,\"method\":\"%s\"", c->design == TK_DESIGN_RUNS ? "runs" : "frames");
    tk_print(p, ",\"unit\":\"%s\"", strchr(c->unit_time, '/') + 1);
    tk_print(p, ",\"runs\":{\"baseline\":%zu,\"candidate\":%zu,\"noise\":%zu}", c->runs[0], c->runs[1],
             c->runs[2]);
    tk_print(p, ",\"floors\":{\"ratio\":");
    tk_print_real(p, c->setup.floor_ratio, 6);
    tk_print(p, ",\"of_frame\":");
    tk_print_real(p, c->setup.floor_frame, 6);
    tk_print(p, ",\"frame_ms\":");
    tk_print_real(p, c->frame_ms, 9);
    tk_print(p, ",\"ms_per_frame\":");
    tk_print_real(p, c->setup.floor_ms, 6);
    tk_print(p, ",\"memory_bytes\":");
    tk_print_real(p, TK_FLOOR_BYTES, 9);
    tk_print(p, ",\"loading_ms\":");
    tk_print_real(p, TK_FLOOR_LOADING, 6);
    tk_print(p, "}");
    if (c->setup.warmup)
        tk_print(p, ",\"warmup\":{\"asked\":%" PRIu64 ",\"least\":%" PRIu64 ",\"most\":%" PRIu64 "}",
                 c->setup.warmup, c->left_out[0], c->left_out[1]);
    tk_print(p, ",\"tested\":%zu", c->tested);
    json_real(p, "machine_factor", c->machine);
    if (tk_report_common(c))
        tk_print(p, ",\"common\":\"%s\"",
                 c->setup.ignore_common ? "ignored"
                                        : tk_verdict_name((enum tk_verdict)tk_report_common(c)->verdict));
    tk_report_faults_json(p, &c->faults);
    tk_report_sides_json(p, &c->sides);
    tk_print(p, ",\"verdict\":\"%s\",\"counts\":{",
             tk_sides_flawed(&c->sides)        ? "not comparable"
             : c->worse                        ? "regressed"
             : tk_report_count(c, TK_IMPROVED) ? "improved"
             : c->unsure                       ? "inconclusive"
                                               : "unchanged");
    for (int v = 0; v < TK_VERDICTS; v++)
        tk_print(p, "%s\"%s\":%zu", v ? "," : "", tk_verdict_name((enum tk_verdict)v),
                 tk_report_count(c, (enum tk_verdict)v));
    tk_print(p, "}");
    json_frame_times(p, c);
    tk_print(p, ",\"changes\":[");
    for (size_t i = 0; i < c->changes.n; i++) {
        tk_print(p, "%s\n", i ? "," : "");
        json_change(p, c, &c->changes.v[i]);
    }
    tk_print(p, "\n]}\n");
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
    tk_print(p, "kind,name,thread,verdict,unit,baseline,candidate,ratio,low,high,p,renamed_to,because_of,"
                "metric,path,captures,baseline_side,candidate_side,raw_ratio,function,bounded\n");
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
        tk_print(p, ",%s\n", !x->bounded ? "" : x->bounded == 1 ? "baseline" : "candidate");
    }
}
