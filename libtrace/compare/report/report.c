/*
 * Sentences that several kinds of reports share. They are written from the result of a comparison
 * (compare.h).
 */
#include "compare/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/*
 * What reports say of captures that are damaged, lost events or are cut off.
 */

static const char *const sides[] = {"baseline, ", "candidate, ", "noise, ", ""};
static const char *const tiers[TK_FAULT_TIERS] = {"cut off", "lost events", "damaged"};

void tk_report_faults_summary(struct tk_print *p, const struct tk_run_faults *faults, const char *between)
{
    static const char *const one[TK_FAULT_TIERS] = {"run is cut off", "run lost events", "run is damaged"};
    static const char *const more[TK_FAULT_TIERS] = {"runs are cut off", "runs lost events",
                                                     "runs are damaged"};
    for (int i = TK_FAULT_TIERS; i-- > 0;) {
        if (!faults->n[i])
            continue;
        tk_print(p, "%s%zu %s", between, faults->n[i], faults->n[i] == 1 ? one[i] : more[i]);
        between = "; ";
    }
}

void tk_report_fault(struct tk_print *p, const struct tk_run_fault *f)
{
    tk_print(p, "%srun %zu, %s: ", sides[f->side], f->run + 1, tiers[f->fault.tier]);
    tk_print_name(p, f->fault.text);
    if (f->fault.count > 1)
        tk_print(p, " (%llu times)", (unsigned long long)f->fault.count);
}

void tk_report_fault_through(struct tk_print *p, const struct tk_run_fault *f,
                             void (*put)(struct tk_print *p, const struct tk_str *s))
{
    struct tk_print text = {0};
    tk_report_fault(&text, f);
    tk_print_through(p, &text, put);
}

void tk_report_faults_text(struct tk_print *p, const struct tk_run_faults *faults)
{
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "  ");
        tk_report_fault(p, &faults->v.v[i]);
        tk_print(p, "\n");
    }
}

void tk_report_faults_markdown(struct tk_print *p, const struct tk_run_faults *faults)
{
    if (faults->v.n)
        tk_print(p, "\n");
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "* ");
        tk_report_fault_through(p, &faults->v.v[i], tk_print_markdown);
        tk_print(p, "\n");
    }
}

void tk_report_faults_json(struct tk_json *j, const struct tk_run_faults *faults)
{
    static const char *const names[] = {"baseline", "candidate", "noise", "checked"};
    const char *word = tk_run_faults_word(faults);
    tk_json_c(j, "captures", *word ? word : "sound");
    tk_json_open(j, "faults", '[');
    for (size_t i = 0; i < faults->v.n; i++) {
        const struct tk_run_fault *f = &faults->v.v[i];
        tk_json_open(j, NULL, '{');
        tk_json_c(j, "side", names[f->side]);
        tk_json_u64(j, "run", f->run);
        tk_json_c(j, "what", tiers[f->fault.tier]);
        tk_print_json_text(j, "kind", f->fault.kind);
        tk_json_u64(j, "count", f->fault.count);
        tk_print_json_text(j, "text", f->fault.text);
        tk_json_close(j);
    }
    tk_json_close(j);
}

void tk_report_faults_github(struct tk_print *p, const struct tk_run_faults *faults, const char *title)
{
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "::warning title=%s::", title);
        tk_report_fault_through(p, &faults->v.v[i], tk_print_github_message);
        tk_print(p, "\n");
    }
}

#define UNSURE_TOP  5
#define MOST_WITHIN 1    /* more is no percentage to read */
#define FEW_RUNS    5    /* fewer are said in the line of the verdict */
#define RAW_DIFFERS 0.01 /* as a logarithm: less is not reported */

const struct tk_report_section tk_report_sections[TK_REPORT_SECTIONS] = {
    {TK_REGRESSED, "Regressed", "\033[31m"},
    {TK_IMPROVED, "Improved", "\033[32m"},
    {TK_ADDED, "Added", "\033[1m"},
    {TK_REMOVED, "Removed", "\033[1m"},
    {TK_RENAMED, "Renamed", "\033[1m"},
    {TK_MOVED, "Moved", "\033[1m"},
    {TK_INCONCLUSIVE, "Inconclusive", "\033[35m"},
};

size_t tk_report_limit(enum tk_verdict verdict, size_t top)
{
    return verdict == TK_INCONCLUSIVE && top > UNSURE_TOP ? UNSURE_TOP : top;
}

size_t tk_report_count(const struct tk_comparison *c, enum tk_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < c->changes.n; i++)
        n += c->changes.v[i].verdict == verdict;
    return n;
}

/* Does it raise an alarm, or could it; with what is said of it then. */
static const char *common_remark(const struct tk_comparison *c, const struct tk_change *common)
{
    if (c->setup.ignore_common)
        return " (ignored)";
    if (common->verdict != TK_INCONCLUSIVE)
        return "";
    return c->design == TK_DESIGN_FRAMES
               ? " (inconclusive: two single runs do not show how much machines differ)"
               : " (inconclusive: runs of one side differ as much)";
}

const struct tk_change *tk_report_common(const struct tk_comparison *c)
{
    return c->changes.n && c->changes.v[0].kind == TK_CHANGE_COMMON ? &c->changes.v[0] : NULL;
}

void tk_report_common_summary(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_change *common = tk_report_common(c);
    if (!common)
        return;
    tk_print(p, "everything is %s by ", common->ratio > 1 ? "slower" : "faster");
    tk_print_fixed(p, fabs(common->ratio - 1) * 100, 1);
    tk_print(p, " %%: machine or build?%s; ", common_remark(c, common));
}

void tk_report_headline(struct tk_print *p, const struct tk_comparison *c)
{
    size_t worse = tk_report_count(c, TK_REGRESSED), better = tk_report_count(c, TK_IMPROVED);
    tk_report_flaws_summary(p, &c->sides);
    tk_report_common_summary(p, c);
    if (worse)
        tk_print(p, "%zu regressed", worse);
    if (c->accepted)
        tk_print(p, ", %zu of them accepted", c->accepted);
    if (!worse)
        tk_print(p, "nothing regressed");
    if (better)
        tk_print(p, ", %zu improved", better);
    tk_print(p, ", %zu unchanged", tk_report_count(c, TK_UNCHANGED));
    if (c->unsure)
        tk_print(p, ", %zu inconclusive", tk_report_count(c, TK_INCONCLUSIVE));
    for (int v = TK_ADDED; v < TK_VERDICTS; v++)
        if (tk_report_count(c, (enum tk_verdict)v))
            tk_print(p, ", %zu %s", tk_report_count(c, (enum tk_verdict)v),
                     tk_verdict_name((enum tk_verdict)v));
    if (c->design == TK_DESIGN_RUNS && c->runs[0] == c->runs[1] && c->runs[0] < FEW_RUNS && c->runs[0] > 1)
        tk_print(p, " (%zu runs a side)", c->runs[0]);
    tk_report_faults_summary(p, &c->faults, "; ");
}

static void print_left_out(struct tk_print *p, const struct tk_comparison *c)
{
    if (!c->setup.warmup)
        return;
    tk_print(p, "; the first %" PRIu64, c->left_out[0]);
    if (c->left_out[1] != c->left_out[0])
        tk_print(p, " to %" PRIu64, c->left_out[1]);
    tk_print(p, " frames of each run are left out");
    if (c->left_out[1] != c->setup.warmup || c->left_out[0] != c->setup.warmup)
        tk_print(p, ": whole blocks that hold the %" PRIu64 " asked for", c->setup.warmup);
}

static void print_floor(struct tk_print *p, double v)
{
    tk_print_real(p, v < 1e-6 ? 0 : v, 3);
}

void tk_report_floors(struct tk_print *p, const struct tk_comparison *c)
{
    print_floor(p, c->setup.floor_ratio * 100);
    tk_print(p, " %%, ");
    print_floor(p, c->setup.floor_frame * 100);
    tk_print(p, " %% of the median %s (", c->unit ? "run" : "frame");
    print_floor(p, c->setup.floor_frame * c->frame_ms);
    tk_print(p, " of ");
    tk_print_real(p, c->frame_ms, 4);
    tk_print(p, " ms)");
    if (c->setup.floor_ms > 0) {
        tk_print(p, ", ");
        tk_print_real(p, c->setup.floor_ms, 3);
        tk_print(p, " ms a %s", c->unit ? "run" : "frame");
    }
    tk_print(p, ", 1 MiB of memory, 5 ms of loading");
}

void tk_report_floors_said(struct tk_print *p, const struct tk_comparison *c)
{
    tk_print(p, "floors, below which a change is called unchanged: ");
    tk_report_floors(p, c);
}

const struct tk_report_word tk_report_words[] = {
    {"Before, after, change", "means of the runs, as measured."},
    {"95 % interval",
     "where the true change is, in 95 of 100 such comparisons; of an adjusted change behind it."},
    {"Adjusted",
     "with stalls clipped, and without the shift shared by all timers where that was removed. It is "
     "what is tested."},
    {"Inconclusive",
     "the runs differ among themselves by as much, so that neither a change nor none is sure."},
    {"Bars", "calls by their time, short to long, [before] [after]."},
    {NULL, NULL},
};

void tk_report_method(struct tk_print *p, const struct tk_comparison *c)
{
    tk_print(p, "%zu %s against %zu", c->runs[0], c->runs[0] == 1 ? "run" : "runs", c->runs[1]);
    if (c->runs[2])
        tk_print(p, ", noise of %zu runs", c->runs[2]);
    if (c->design == TK_DESIGN_FRAMES) {
        tk_print(p, ": tested on frames only; run-to-run noise is unknown, so a change by less "
                    "than a factor of ");
        tk_print_fixed(p, TK_PAIR_FACTOR, 1);
        tk_print(p, " is inconclusive (give more runs, or --noise)");
    }
    if (c->unit)
        tk_print(p, "; without frames each run is one value, and fewer than %d runs a side are inconclusive",
                 TK_UNIT_RUNS);
    if (c->torn[0] || c->torn[1])
        tk_print(p, "; calls and call paths of the selection are unknown: the runs have more regions than a "
                    "baseline stores them for");
    if (c->unsampled)
        tk_print(p, "; functions are not compared, as no stack sample of %zu %s lies in a frame",
                 c->unsampled, c->unsampled == 1 ? "run" : "runs");
    print_left_out(p, c);
}

static void print_value(struct tk_print *p, const struct tk_change *c, int side)
{
    const double v = side ? c->candidate : c->baseline;
    tk_print(p, "%s", c->bounded >> side & 1 ? "<= " : "");
    if (isnan(v))
        tk_print(p, "-");
    else
        tk_print_real(p, v, 4);
}

bool tk_report_is_adjusted(const struct tk_change *c)
{
    return c->verdict != TK_RENAMED && fabs(log(c->raw_ratio / c->ratio)) >= RAW_DIFFERS;
}

void tk_report_adjusted(struct tk_print *p, const struct tk_change *c, const char *between)
{
    if (!tk_report_is_adjusted(c))
        return;
    tk_print(p, "%sadjusted ", between);
    tk_report_ratio(p, c->ratio);
    if (isfinite(c->low) && isfinite(c->high)) {
        tk_print(p, " (");
        tk_report_interval(p, c);
        tk_print(p, ")");
    }
}

double tk_report_measured(const struct tk_change *c)
{
    return isfinite(c->raw_ratio) ? c->raw_ratio : c->ratio;
}

void tk_report_change(struct tk_print *p, const struct tk_change *c)
{
    print_value(p, c, 0);
    tk_print(p, " to ");
    print_value(p, c, 1);
    tk_print(p, " %s", c->unit);
    if (isfinite(c->ratio) && c->verdict != TK_RENAMED) {
        tk_print(p, ", ");
        tk_report_ratio(p, tk_report_measured(c));
    }
    tk_report_adjusted(p, c, ", ");
    if (!tk_report_is_adjusted(c) && isfinite(c->low) && isfinite(c->high)) {
        tk_print(p, " (");
        tk_report_interval(p, c);
        tk_print(p, ")");
    }
}

static void print_more(struct tk_print *p, const char *what, const double v[2])
{
    double ratio = v[0] > 0 ? v[1] / v[0] : NAN;
    if (!(fabs(ratio - 1) >= 0.01))
        return;
    tk_print(p, "; %s ", what);
    tk_report_ratio(p, ratio);
}

void tk_report_detail(struct tk_print *p, const struct tk_change *c)
{
    if (c->within < MOST_WITHIN) {
        tk_print(p, "; frames of these two runs: +- ");
        tk_print_real(p, c->within * 100, 2);
        tk_print(p, " %%");
    }
    if (c->stalls) {
        const char *s = c->stalls == 1 ? "" : "s";
        tk_print(p, "; only stalls differ: %zu %s%s%s of up to ", c->stalls,
                 c->stalled_frames ? "frame" : "block", s, c->stalled_frames ? "" : " of frames");
        tk_report_value(p, c->stall_ms, "ms");
        tk_print(p, c->stalled_frames ? "" : " a frame");
    }
    if (c->metric && c->metric[0] == 'g')
        tk_print(p, "; growth during frames");
    if (c->metric && c->metric[0] == 'i')
        tk_print(p, "; increase a frame: the counter only rises");
    if (c->acceptance) {
        tk_print(p, "; ");
        tk_print_name(p, c->acceptance);
    }
    if (c->verdict == TK_MOVED && c->place) {
        tk_print(p, "; from ");
        tk_print_name(p, c->place);
    }
    if (c->place && c->verdict != TK_MOVED) {
        tk_print(p, "; at ");
        tk_print_name(p, c->place);
    }
    if (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED)
        return;
    if (c->function) {
        tk_print(p, "; by samples most of it in ");
        tk_print_name(p, c->function);
    }
    if (c->calls[0] > 0 && c->calls[1] > 0) {
        print_more(p, "calls", c->calls);
        print_more(p, "time of a call", c->per_call);
    }
}

bool tk_report_has_path(const struct tk_change *c)
{
    return c->path && (c->verdict == TK_REGRESSED || c->verdict == TK_IMPROVED);
}

void tk_report_path(struct tk_print *p, const struct tk_change *c, struct tk_print_line *l)
{
    for (size_t i = 0, from = 0; i <= c->path->n; i++) {
        if (i < c->path->n && c->path->p[i] != ';')
            continue;
        const struct tk_str part = {.p = c->path->p + from, .n = (uint32_t)(i - from), .enc = c->path->enc};
        tk_print_name(p, &part);
        tk_print(p, "%s", i < c->path->n ? " > " : "");
        if (l)
            tk_print_piece(l);
        from = i + 1;
    }
}

#define LEAST_SAID 0.005

bool tk_report_says_machine(const struct tk_comparison *c)
{
    if (c->shift.state == TK_SHIFT_UNKNOWN)
        return c->setup.ignore_common;
    return fabs(c->shift.ratio - 1) >= LEAST_SAID;
}

/* Where too few timers follow it, or it is too great. */
static void print_no_machine(struct tk_print *p, const struct tk_shift *shift)
{
    tk_print(p, "%zu of %zu timers are about ", shift->follow, shift->rows);
    tk_print_fixed(p, fabs(shift->ratio - 1) * 100, 0);
    tk_print(p, " %% %s; this is no machine, so it is not removed", shift->ratio > 1 ? "slower" : "faster");
}

void tk_report_machine(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_shift *shift = &c->shift;
    if (shift->state == TK_SHIFT_UNKNOWN && c->setup.ignore_common) {
        tk_print(p,
                 "fewer than %d timers work in all runs: too few to know what all share, so nothing is "
                 "ignored",
                 TK_SHIFT_ROWS);
    } else if (shift->state == TK_SHIFT_NONE) {
        print_no_machine(p, shift);
    } else if (shift->state == TK_SHIFT_UNDECIDED) {
        tk_print(p, "all timers together differ by ");
        tk_report_percent(p, shift->ratio);
        tk_print(p,
                 "; whether that is the machine is undecided, so it is not removed: a timer has changed only "
                 "if it has with it and without");
    } else if (tk_report_says_machine(c)) {
        tk_print(p, "all timers together differ by ");
        tk_report_percent(p, c->machine);
        tk_print(p, "; this is attributed to the machine and removed from the adjusted figures of timers");
    }
}

static void print_speeds(struct tk_print *p, const struct tk_speeds *speeds)
{
    tk_print(p, "the machine has two speeds: %zu runs take ", speeds->n[1]);
    tk_report_percent(p, speeds->ratio);
    tk_print(p, " longer than the other %zu", speeds->n[0]);
}

static void print_outlier(struct tk_print *p, const struct tk_outlier *a)
{
    tk_print(p, "run %zu of the baseline", a->run + 1);
    if (a->name) {
        tk_print(p, " (");
        tk_print_name(p, a->name);
        tk_print(p, ")");
    }
    tk_print(p, " takes ");
    tk_print_fixed(p, a->ratio, 2);
    tk_print(p,
             " times as long as the others, so it is left out; with it: %zu regressed, %zu improved, %zu "
             "inconclusive",
             a->with[TK_REGRESSED], a->with[TK_IMPROVED], a->with[TK_INCONCLUSIVE]);
}

bool tk_report_says_apart(const struct tk_comparison *c)
{
    return c->outliers.n || c->speeds.n[1];
}

void tk_report_apart(struct tk_print *p, const struct tk_comparison *c)
{
    for (size_t i = 0; i < c->outliers.n; i++) {
        tk_print(p, "%s", i ? "; " : "");
        print_outlier(p, &c->outliers.v[i]);
    }
    if (c->speeds.n[1]) {
        tk_print(p, "%s", c->outliers.n ? "; " : "");
        print_speeds(p, &c->speeds);
    }
}

void tk_report_runs(struct tk_print *p, const struct tk_change *c, const char *between)
{
    if (!c->runs || !(c->more[0] + c->more[1]))
        return;
    tk_print(p, "%s", between);
    if (c->more[0] == c->more[1])
        tk_print(p, "%u more %s a side would decide", c->more[0], c->more[0] == 1 ? "run" : "runs");
    else if (!c->more[0] || !c->more[1])
        tk_print(p, "%u more %s of the %s would decide", c->more[0] + c->more[1],
                 c->more[0] + c->more[1] == 1 ? "run" : "runs", c->more[0] ? "baseline" : "candidate");
    else
        tk_print(p, "%u more runs of the baseline and %u of the candidate would decide", c->more[0],
                 c->more[1]);
}
