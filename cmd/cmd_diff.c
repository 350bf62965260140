/*
 * trace-diff: runs of a baseline against runs of a candidate, and a verdict.
 *
 *   trace-diff BASE CANDIDATE
 *   trace-diff BASE... --vs CANDIDATE...
 *   trace-diff --until-decided N BASE... -- COMMAND... {out}
 */
#include "args/run_info.h"
#include "args/select.h"
#include "run/play.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_args {
    struct tk_common_args common;
    struct tk_select_args select, of_candidate; /* before --vs, or without it; and behind it */
    struct tk_opt_list noise, reports, versus, run_info, series, command;
    const char *floor, *floor_frame, *floor_ms, *target, *colour, *map, *accepted, *base_of, *by;
    uint64_t warmup, top, until;
    bool require, skip, force, guard, no_warmup, mixed, allow_short, ignore_common, no_pictures;
    struct tk_diff_preset_args preset;
    struct tk_side_by_side_args side_by_side;
};

#define AT(member) offsetof(struct diff_args, member)
#define NO_FLOOR   1e-12 /* 0 stands for the usual one */

static const struct tk_opt diff_options[] = {
    {0, "vs", TK_OPT_REST, AT(versus), NULL,
     "the operands after this are the runs of the candidate, and a selection after this is of them"},
    {0, "noise", TK_OPT_LIST, AT(noise), "FILE", "runs of one build, used to measure the noise between runs"},
    {0, "warmup", TK_OPT_NUMBER, AT(warmup), "N", "skip the first N frames of each run, rounded to blocks"},
    {0, "drop-warmup", TK_OPT_FLAG, AT(no_warmup), NULL,
     "ignore the warm-up that baselines store separately: 64 frames, or an eighth of the run"},
    {0, "map", TK_OPT_TEXT, AT(map), "FILE",
     "JSON file that maps names of threads and timers in the baseline to those in the candidate"},
    {0, "accepted", TK_OPT_TEXT, AT(accepted), "FILE",
     "JSON file of accepted regressions, which are reported but do not cause exit status 1"},
    {0, "base-of", TK_OPT_TEXT, AT(base_of), "BRANCH|COMMIT",
     "use the baseline's newest runs of this branch or commit, with the same application, platform and "
     "machine"},
    {0, "floor", TK_OPT_TEXT, AT(floor), "PERCENT",
     "ignore changes below PERCENT (default 2; 5 for two single runs)"},
    {0, "floor-frame", TK_OPT_TEXT, AT(floor_frame), "PERCENT",
     "ignore changes of timers below PERCENT of the median frame (default 0.1)"},
    {0, "floor-ms", TK_OPT_TEXT, AT(floor_ms), "MS",
     "ignore changes below MS per frame (default: no such floor)"},
    {0, "target", TK_OPT_TEXT, AT(target), "FPS",
     "frames a second that are wanted, for missed and late frames"},
    {0, "until-decided", TK_OPT_NUMBER, AT(until), "N",
     "run the command behind '--', which records to the file {out}, two at a time for runs of the candidate, "
     "until no --series is inconclusive, at most N times"},
    {0, "series", TK_OPT_LIST, AT(series), "NAME",
     "with --until-decided: what has to be decided, as frame:p95 or timer:Physics (default: frame:p50, "
     "frame:p95); may be repeated"},
    {0, "", TK_OPT_REST, AT(command), NULL, NULL},
    {0, "require-verdict", TK_OPT_FLAG, AT(require), NULL,
     "exit with 4 if the comparison as a whole is inconclusive"},
    {0, "ignore-common", TK_OPT_FLAG, AT(ignore_common), NULL,
     "report a shift shared by all timers, but do not fail because of it: the machine is known to differ"},
    TK_PER_OPTION(AT(common)),
    TK_METRIC_OPTION(AT(common)),
    {0, "by", TK_OPT_TEXT, AT(by), "cell=SIZE",
     "also compare the frames in each cell of the level, with sides of SIZE (cell=10000, cubes: "
     "cell=10000:z)"},
    TK_POSITION_OPTION(AT(common)),
    TK_OWNERS_OPTIONS(AT(common)),
    {0, "allow-short", TK_OPT_FLAG, AT(allow_short), NULL,
     "also compare a candidate that is much shorter than the baseline or ended in a crash"},
    {0, "mixed", TK_OPT_FLAG, AT(mixed), NULL, "compare runs of several applications or platforms"},
    TK_RUN_INFO_OPTION(AT(run_info), "of the candidate "),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {0, "skip-unreadable", TK_OPT_FLAG, AT(skip), NULL, "leave out captures that cannot be read"},
};

static const struct tk_opt report_options[] = {
    {'f', "report", TK_OPT_LIST, AT(reports), "KIND[=FILE]",
     "text, markdown, json, csv, junit, github, sarif, folded, flamegraph, html; may be repeated (default: "
     "text); "
     "a FILE that exists is replaced"},
    {'n', "top", TK_OPT_NUMBER, AT(top), "N", "text and markdown: at most N changes per verdict"},
    {0, "color", TK_OPT_TEXT, AT(colour), "WHEN", "auto, always, never"},
    {0, "no-pictures", TK_OPT_FLAG, AT(no_pictures), NULL, "html: leave out recorded pictures of the screen"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace the file of --output"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv: keep spreadsheets from treating texts as formulas"},
};

static const struct tk_opt preset_options[] = {
    {0, "memory", TK_OPT_MAYBE, AT(side_by_side.memory), "WHAT,...",
     "without verdicts: memory of two captures side by side, by tag, heap, thread, size, asset, callstack, "
     "function, module, file (default: all but the last three)"},
    {0, "samples", TK_OPT_FLAG, AT(side_by_side.samples), NULL,
     "without verdicts: shares of stack samples by function in two captures, and whether they differ"},
    {0, "timer", TK_OPT_LIST, AT(select.timers), "GLOB",
     "with --samples: only samples inside timers with this name; may be repeated"},
    {0, "preset", TK_OPT_TEXT, AT(preset.preset), "NAME",
     "without verdicts: two captures side by side as another tool shows them (tracy)"},
    {'t', "table", TK_OPT_TEXT, AT(preset.table), "NAME", "table of the preset: zones (default) or frames"},
    {'o', "output", TK_OPT_TEXT, AT(preset.path), "FILE",
     "output file of --preset, --memory or --samples; its ending chooses the format (default: standard "
     "output)"},
};

static const struct tk_opt_group groups[] = {
    {"Comparison", diff_options, sizeof diff_options / sizeof *diff_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT - 1, AT(select)},
    {NULL, tk_select_options, TK_SELECT_COUNT - 1, AT(of_candidate)},
    {"Side by side", preset_options, sizeof preset_options / sizeof *preset_options, 0},
    {"Reports", report_options, sizeof report_options / sizeof *report_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

struct diff {
    const struct tk_call *call;
    const struct diff_args *args;
    struct tk_runs sides[3];  /* baseline, candidate, noise */
    struct tk_run_info *info; /* owned; said of the captures of the candidate */
    struct tk_compare_options options;
    struct tk_selection select[2]; /* of baseline and noise, of the candidate */
    bool damaged;
};

/* ---- reports ---- */

static int write_report(const void *of, const char *kind, struct tk_output *out,
                        const struct tk_report_options *opt, struct tk_err *err)
{
    return tk_comparison_report(of, kind, out, opt, err);
}

static enum tk_exit write_reports(const struct diff *d, const struct tk_comparison *c)
{
    struct tk_err err = {0};
    const struct tk_reports reports = {.wanted = &d->args->reports,
                                       .colour = d->args->colour,
                                       .top = d->args->top,
                                       .guard = d->args->guard,
                                       .write = write_report,
                                       .of = c};
    int rc = tk_reports_write(&reports, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(d->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

/* ---- the comparison ---- */

/* *out: the comparison; NULL unless TK_EXIT_DONE. */
static enum tk_exit make_comparison(struct diff *d, struct tk_comparison **out)
{
    struct tk_comparison *c;
    struct tk_err err = {0};
    *out = NULL;
    d->options.noise = d->args->noise.n ? d->sides[2].baseline : NULL;
    int rc = tk_compare(&c, d->sides[0].baseline, d->sides[1].baseline, &d->options, &err);
    if (rc == TK_OK && d->args->accepted &&
        (rc = tk_comparison_accept(c, d->args->accepted, tk_host_now(), &err)) < 0)
        tk_comparison_free(c);
    if (rc == TK_OK && d->args->common.owners &&
        (rc = tk_comparison_own(c, d->args->common.owners, &err)) < 0)
        tk_comparison_free(c);
    if (rc < 0) {
        tk_message_error(d->call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    *out = c;
    return TK_EXIT_DONE;
}

static enum tk_exit compare_diff(struct diff *d)
{
    struct tk_comparison *c;
    const enum tk_exit made = make_comparison(d, &c);
    if (made != TK_EXIT_DONE)
        return made;
    const enum tk_exit code = write_reports(d, c);
    const enum tk_exit end = tk_outcome_end(d->call->program, tk_comparison_outcome(c), d->args->require);
    tk_comparison_free(c);
    return tk_exit_worse(code, end);
}

/* The baseline takes the names of the candidate; so do runs of noise as far as they have the old ones. */
static enum tk_exit rename_runs(struct diff *d)
{
    struct tk_err err = {0};
    int rc = d->args->map ? tk_baseline_rename(d->sides[0].baseline, d->args->map, &err) : TK_OK;
    if (rc < 0)
        tk_message_error(d->call->program, NULL, rc, &err);
    if (rc < 0 || !d->args->map || !d->args->noise.n)
        return tk_exit_of(rc);
    rc = tk_baseline_rename(d->sides[2].baseline, d->args->map, &err);
    if (rc == TK_EMATCH)
        return TK_EXIT_DONE;
    if (rc < 0)
        tk_message_error(d->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

/* Appends paths of a side to a list; returns the end of it. */
static struct tk_runs_path *put_paths(struct tk_runs_path *at, struct tk_runs *side, char *const *paths,
                                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        *at++ = (struct tk_runs_path){side, paths[i]};
    return at;
}

static enum tk_exit read_paths(struct diff *d)
{
    const struct tk_opt_list *operands = d->call->operands, *versus = &d->args->versus,
                             *noise = &d->args->noise;
    size_t n = operands->n + versus->n + noise->n,
           n_base = versus->n || d->args->until ? operands->n : operands->n - 1;
    struct tk_runs_path *paths = calloc(n, sizeof *paths), *at = paths;
    const struct tk_err none = {0};
    if (!paths) {
        tk_message_error(d->call->program, NULL, TK_ENOMEM, &none);
        return TK_EXIT_FAILED;
    }
    at = put_paths(at, &d->sides[0], operands->v, n_base);
    at = put_paths(at, &d->sides[1], operands->v + n_base, operands->n - n_base);
    at = put_paths(at, &d->sides[1], versus->v, versus->n);
    put_paths(at, &d->sides[2], noise->v, noise->n);
    enum tk_exit code = tk_runs_read(paths, n);
    free(paths);
    d->damaged = code == TK_EXIT_DAMAGED;
    return d->damaged ? TK_EXIT_DONE : code;
}

/* Of a history the runs that the candidate is to be compared with. */
static enum tk_exit choose_base(struct diff *d)
{
    struct tk_err err = {0};
    int rc = d->args->base_of
                 ? tk_baseline_base_of(d->sides[0].baseline, d->sides[1].baseline, d->args->base_of, &err)
                 : TK_OK;
    if (rc < 0)
        tk_message_error(d->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

static enum tk_exit read_sides(struct diff *d)
{
    enum tk_exit code = read_paths(d);
    struct tk_runs *const sides[3] = {&d->sides[0], &d->sides[1], &d->sides[2]};
    size_t lost = 0;
    if (code == TK_EXIT_DONE)
        code = tk_runs_cut(sides, 3);
    for (int i = 0; i < 3; i++) {
        size_t here = tk_baseline_lost_regions(d->sides[i].baseline);
        lost = here > lost ? here : lost;
    }
    tk_runs_warn_lost(&d->sides[0], lost);
    if (code == TK_EXIT_DONE)
        code = choose_base(d);
    if (code == TK_EXIT_DONE)
        code = rename_runs(d);
    return code;
}

/* ---- runs until it is decided ---- */

enum { AT_A_TIME = 2 };

static enum tk_exit look(struct diff *d, bool *undecided)
{
    struct tk_comparison *c;
    struct tk_result *rows = NULL;
    struct tk_err err = {0};
    enum tk_exit code = make_comparison(d, &c);
    const int rc = code == TK_EXIT_DONE ? tk_comparison_result(&rows, c, &err) : TK_OK;
    if (rc < 0) {
        tk_message_error(d->call->program, NULL, rc, &err);
        code = tk_exit_of(rc);
    }
    if (code == TK_EXIT_DONE)
        code = tk_play_look(d->call->program, rows, &d->args->series, undecided);
    tk_result_free(rows);
    tk_comparison_free(c);
    return code;
}

/* Every look could be wrong: a chance is divided by them. */
static double chance_of_look(const struct diff *d)
{
    const double usual = tk_baseline_count(d->sides[0].baseline) == 1 ? 0.003 : 0.006;
    return usual / (double)((d->args->until + AT_A_TIME - 1) / AT_A_TIME);
}

static enum tk_exit play_until_decided(struct diff *d)
{
    bool undecided = true;
    enum tk_exit code = TK_EXIT_DONE;
    d->options.chance = chance_of_look(d);
    for (uint64_t runs = 0; runs < d->args->until && undecided && code == TK_EXIT_DONE;) {
        for (int i = 0; i < AT_A_TIME && runs < d->args->until && code == TK_EXIT_DONE; i++, runs++) {
            code = tk_play(&d->args->command, &d->sides[1]);
            d->damaged |= code == TK_EXIT_DAMAGED;
            code = code == TK_EXIT_DAMAGED ? TK_EXIT_DONE : code;
        }
        if (code == TK_EXIT_DONE)
            code = look(d, &undecided);
        if (code == TK_EXIT_DONE && !d->args->common.quiet)
            tk_message_say(d->call->program, TK_MESSAGE_NOTE,
                           undecided ? "%llu runs: not decided yet" : "%llu runs: decided",
                           (unsigned long long)runs);
    }
    return code;
}

/* ---- arguments ---- */

/* A base that is chosen by its candidate comes before it is there. */
static bool check_until(const struct diff_args *args, size_t n, char message[TK_OPT_MESSAGE])
{
    const char *wrong =
        n == 0 ? "which baseline? (--until-decided N BASE -- COMMAND... {out})"
        : args->versus.n || args->base_of
            ? "option '--until-decided' plays the candidate itself: leave out --vs and --base-of"
        : !args->command.n                 ? "which command records a run? (-- ./play.sh '{out}')"
        : !tk_play_has_out(&args->command) ? "the command has to take {out}, the file that it records to"
        : args->until < 2 || args->until > 1000
            ? "option '--until-decided' takes a number of runs from 2 to 1000"
            : NULL;
    if (wrong)
        snprintf(message, TK_OPT_MESSAGE, "%s", wrong);
    return !wrong;
}

static bool check_operands(const struct diff *d, char message[TK_OPT_MESSAGE])
{
    size_t n = d->call->operands->n;
    if (d->args->until)
        return check_until(d->args, n, message);
    if (d->args->series.n || d->args->command.n) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--series' and a command behind '--' go with '--until-decided N'");
        return false;
    }
    bool good = d->args->versus.n ? n > 0 : n == 2;
    if (!good)
        snprintf(message, TK_OPT_MESSAGE,
                 "which baseline and which candidate? (two operands, or BASE... --vs CANDIDATE...)");
    return good;
}

/* Of a page, without a warm-up that is left out: which frames that are is known only of a baseline. */
static bool wants_pictures(const struct diff_args *args)
{
    bool page = false;
    for (size_t i = 0; i < args->reports.n; i++)
        page |= strncmp(args->reports.v[i], "html", 4) == 0 &&
                (args->reports.v[i][4] == '\0' || args->reports.v[i][4] == '=');
    return page && !args->no_pictures && !args->warmup && !args->no_warmup;
}

static bool fill_cells(struct diff *d, char message[TK_OPT_MESSAGE])
{
    bool z = false;
    if (!d->args->by)
        return true;
    const bool good = tk_opt_cell(d->args->by, &d->options.cell, &z, message);
    d->options.cell_z = z;
    return good;
}

static bool fill_diff(struct diff *d, char message[TK_OPT_MESSAGE])
{
    struct tk_select_args base = d->args->select, candidate = d->args->of_candidate;
    const struct tk_out_args out = {.colour = d->args->colour};
    enum tk_unit unit;
    double percent = 0, of_frame = 0;
    tk_select_share(&base, &candidate);
    d->options = TK_INIT(struct tk_compare_options);
    d->options.warmup = d->args->warmup;
    d->options.ignore_common = d->args->ignore_common;
    d->options.mixed = d->args->mixed;
    d->options.allow_short = d->args->allow_short;
    if (!check_operands(d, message) || !fill_cells(d, message) ||
        !tk_reports_check(&d->args->reports, tk_comparison_reports(), message) ||
        !tk_out_check(&out, &unit, message) || !tk_select_fill(&d->select[0], &base, message) ||
        !tk_select_fill(&d->select[1], &candidate, message) ||
        !tk_opt_real("floor", d->args->floor, false, &percent, message) ||
        !tk_opt_real("floor-frame", d->args->floor_frame, false, &of_frame, message) ||
        !tk_opt_real("floor-ms", d->args->floor_ms, false, &d->options.floor_ms, message) ||
        !tk_opt_real("target", d->args->target, false, &d->options.target, message))
        return false;
    d->options.floor_ratio = d->args->floor ? fmax(percent / 100, NO_FLOOR) : 0;
    d->options.floor_frame = d->args->floor_frame ? fmax(of_frame / 100, NO_FLOOR) : 0;
    for (int i = 0; i < 3; i++) {
        d->sides[i] =
            (struct tk_runs){.program = d->call->program, .common = &d->args->common, .skip = d->args->skip};
        tk_runs_select(&d->sides[i], &d->select[i == 1], d->args->no_warmup);
        if (i < 2 && wants_pictures(d->args))
            d->sides[i].pictures = &d->select[i];
    }
    return true;
}

static enum tk_exit read_info(struct diff *d)
{
    int code = tk_run_info_option_read(&d->info, &d->args->run_info, d->call->program, d->args->common.quiet);
    d->sides[1].info = d->info;
    return (enum tk_exit)code;
}

static bool check_preset(const struct diff_args *args, char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_set set = {groups, sizeof groups / sizeof *groups, (void *)(uintptr_t)args};
    return tk_diff_preset_fit(&set, message);
}

static enum tk_exit run_sides(struct diff *d)
{
    struct tk_err err = {0};
    int rc = TK_OK;
    for (int i = 0; i < 3 && rc == TK_OK; i++)
        rc = tk_baseline_new(&d->sides[i].baseline, &err);
    if (rc < 0)
        tk_message_error(d->call->program, NULL, rc, &err);
    enum tk_exit code = rc == TK_OK ? read_info(d) : tk_exit_of(rc);
    if (code == TK_EXIT_DONE)
        code = read_sides(d);
    if (code == TK_EXIT_DONE && d->args->until)
        code = play_until_decided(d);
    if (code == TK_EXIT_DONE)
        code = compare_diff(d);
    if (d->damaged)
        code = tk_exit_worse(code, TK_EXIT_DAMAGED);
    for (int i = 0; i < 3; i++)
        tk_baseline_free(d->sides[i].baseline);
    tk_run_info_free(d->info);
    return code;
}

static int run_with(struct diff *d, const struct diff_args *args)
{
    const struct tk_call *call = d->call;
    char message[TK_OPT_MESSAGE];
    if (!check_preset(args, message))
        return tk_message_usage(call->program, message);
    if (args->preset.preset) {
        struct tk_diff_preset_args preset = args->preset;
        preset.force = args->force;
        return tk_diff_preset(call, &args->common, &preset);
    }
    if (args->side_by_side.memory || args->side_by_side.samples) {
        struct tk_side_by_side_args side_by_side = args->side_by_side;
        side_by_side.select = &args->select;
        side_by_side.path = args->preset.path;
        side_by_side.force = args->force;
        side_by_side.guard = args->guard;
        return tk_side_by_side(call, &args->common, &side_by_side);
    }
    if (!fill_diff(d, message))
        return tk_message_usage(call->program, message);
    if (tk_select_given(&args->select) && tk_select_given(&args->of_candidate))
        tk_changed_say(call->program, &args->common, TK_CHANGED_SELECTION);
    return (int)run_sides(d);
}

static int run_diff(const struct tk_call *call, const void *command_args)
{
    struct diff *d = calloc(1, sizeof *d);
    if (!d)
        return tk_message_error(call->program, NULL, TK_ENOMEM, NULL), (int)tk_exit_of(TK_ENOMEM);
    *d = (struct diff){.call = call, .args = command_args};
    const int code = run_with(d, d->args);
    free(d);
    return code;
}

const struct tk_command tk_command_diff = {
    .name = "diff",
    .operands = "BASE CANDIDATE | BASE... --vs CANDIDATE... | --until-decided N BASE... -- COMMAND...",
    .summary = "Compares runs of a baseline with runs of a candidate: what became slower, and is it noise?",
    .help = "Runs are captures, baselines (.tkb, see trace-stats --save) or folders of them.\n",
    .codes =
        "0 nothing regressed; 1 something did; 2 wrong usage, or a name matches nothing, or the runs are of "
        "another application or platform; 3 a file cannot be read or written; 4 nothing can be said, or a "
        "capture is damaged. 'man trace-diff' lists every way in which a comparison can end.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct diff_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "compare",
    .run = run_diff,
};
