/*
 * trace-baseline: keeps runs in a baseline file or in a folder of them: adds, lists, drops and merges.
 */
#include "args/run_info.h"
#include "args/select.h"
#include "run/listing.h"
#include "run/runs.h"
#include "run/save.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

struct baseline_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_select_args select;
    struct tk_plan_args plan;
    struct tk_row_args rows;
    struct tk_opt_list run_info;
};

#define AT(member) offsetof(struct baseline_args, member)

static const struct tk_opt baseline_options[] = {
    TK_PER_OPTION(AT(common)),
    TK_METRIC_OPTION(AT(common)),
    TK_POSITION_OPTION(AT(common)),
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {'t', "table", TK_OPT_WORDS, AT(plan.tables), "NAME,...",
     "list: runs (default), frames, timers, gpu, counters, memory, loading, log"},
    {'c', "columns", TK_OPT_WORDS, AT(plan.columns), "A,B,...",
     "list: only these columns (with a single --table)"},
    {'s', "sort", TK_OPT_TEXT, AT(plan.sort), "COLUMN", "list: greatest first; COLUMN:asc for least first"},
    {'n', "top", TK_OPT_NUMBER, AT(plan.top), "N", "list: only the first N rows, sorted"},
};

static const struct tk_opt_group groups[] = {
    {"Runs", baseline_options, sizeof baseline_options / sizeof *baseline_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT - 1, AT(select)},
    {"Rows", tk_row_options, TK_ROW_COUNT_WHERE, AT(rows)},
    {"Output", tk_out_options, TK_OUT_COUNT_PLAIN, AT(out)},
    TK_COMMON_GROUP(AT(common)),
};

/* What follows the verb. */
struct job {
    const struct tk_call *call;
    const struct baseline_args *args;
    char *const *paths;
    size_t n;
};

static int fail_baseline(const struct job *job, int rc, const struct tk_err *err)
{
    if (rc < 0)
        tk_message_error(job->call->program, NULL, rc, err);
    return (int)tk_exit_of(rc);
}

/* ---- add, merge: runs to a place ---- */

static void tell_added(const struct job *job, size_t added, size_t all)
{
    if (added < all && !job->args->common.quiet)
        tk_message_say(job->call->program, TK_MESSAGE_WARNING,
                       added ? "already in %s: %zu of %zu, the others are added"
                             : "already in %s, nothing added",
                       job->paths[0], all - added, all);
}

static int put_runs(const struct job *job, struct tk_runs *runs)
{
    struct tk_err err = {0};
    const size_t all = tk_baseline_count(runs->baseline);
    size_t added = 0;
    int rc = tk_save_runs(runs->baseline, job->paths[0], job->paths[1], &added, &err);
    if (rc == TK_OK)
        tell_added(job, added, all);
    return fail_baseline(job, rc, &err);
}

/* The runs of all operands but the first, of which none may be there twice, into the first. */
static int gather(const struct job *job, const struct tk_run_info *info)
{
    struct tk_runs runs = {.program = job->call->program,
                           .common = &job->args->common,
                           .info = info,
                           .merges = true,
                           .keeps = true};
    struct tk_selection select = {0};
    struct tk_err err = {0};
    char message[TK_OPT_MESSAGE];
    if (!tk_select_fill(&select, &job->args->select, message))
        return tk_message_usage(job->call->program, message);
    tk_runs_select_read(&runs, &select);
    struct tk_runs_path *paths = calloc(job->n, sizeof *paths);
    int rc = paths ? tk_baseline_new(&runs.baseline, &err) : TK_ENOMEM;
    int code = fail_baseline(job, rc, &err);
    for (size_t i = 1; i < job->n && rc == TK_OK; i++)
        paths[i - 1] = (struct tk_runs_path){&runs, job->paths[i]};
    if (rc == TK_OK)
        code = (int)tk_runs_read(paths, job->n - 1);
    if (rc == TK_OK && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        code = (int)tk_exit_worse((enum tk_exit)code, (enum tk_exit)put_runs(job, &runs));
    tk_baseline_free(runs.baseline);
    free(paths);
    return code;
}

static int run_add(const struct job *job)
{
    struct tk_run_info *info;
    int code =
        tk_run_info_option_read(&info, &job->args->run_info, job->call->program, job->args->common.quiet);
    if (code == TK_EXIT_DONE)
        code = gather(job, info);
    tk_run_info_free(info);
    return code;
}

static int run_merge(const struct job *job)
{
    if (job->args->run_info.n)
        return tk_message_usage(job->call->program, "--run-info cannot be changed when runs are merged");
    return gather(job, NULL);
}

/* ---- drop ---- */

static bool is_called(const struct tk_str *name, const char *text)
{
    return name && name->n == strlen(text) && memcmp(name->p, text, name->n) == 0;
}

/* The run that a word names: its number from 1, or the name of its capture, which must be of one run. The
 * number of those that fit, and the last of them in *at. */
static size_t find_run(const struct tk_baseline *b, const char *word, size_t *at)
{
    const size_t n = tk_baseline_count(b);
    char *end;
    const unsigned long number = strtoul(word, &end, 10);
    size_t found = 0;
    if (!*end && *word >= '0' && *word <= '9') {
        *at = number - 1;
        return number >= 1 && number <= n;
    }
    for (size_t i = 0; i < n; i++)
        if (is_called(tk_baseline_about(b, i, "capture"), word)) {
            *at = i;
            found++;
        }
    return found;
}

/* Marks the runs that are named. false after telling which is not there. */
static bool mark_runs(const struct job *job, const struct tk_baseline *b, bool *marked)
{
    for (size_t i = 1; i < job->n; i++) {
        size_t at = 0;
        const size_t found = find_run(b, job->paths[i], &at);
        if (found != 1) {
            tk_message_say(job->call->program, TK_MESSAGE_ERROR,
                           found ? "'%s' holds '%s' more than once: name one by its number"
                                 : "'%s' has no run '%s'; 'tracekit baseline list' shows their numbers",
                           job->paths[0], job->paths[i]);
            return false;
        }
        marked[at] = true;
    }
    return true;
}

/* Drops the runs that are marked, of n in the file, and the file itself where none is left: true. */
static bool drop_runs(struct tk_baseline *b, const bool *marked, size_t n, const char *path)
{
    for (size_t i = n; i-- > 0;)
        if (marked[i])
            tk_baseline_drop(b, i);
    return tk_baseline_count(b) == 0 && tk_host_remove(path);
}

static int drop_marked(const struct job *job, const char *path, const bool *marked, size_t n)
{
    struct tk_baseline_edit *edit;
    struct tk_err err = {0};
    int rc = tk_baseline_edit_begin(&edit, path, &err);
    if (rc < 0)
        return fail_baseline(job, rc, &err);
    struct tk_baseline *b = tk_baseline_edit_runs(edit);
    const bool same = tk_baseline_count(b) == n;
    const bool gone = same && drop_runs(b, marked, n, path);
    rc = tk_baseline_edit_end(edit, same && !gone, &err);
    if (same || rc < 0)
        return fail_baseline(job, rc, &err);
    tk_message_say(job->call->program, TK_MESSAGE_ERROR,
                   "'%s' was changed meanwhile; nothing of it is dropped", path);
    return TK_EXIT_FAILED;
}

/* The files of a folder that may hold runs, as `list` numbers them. */
struct shelf {
    struct tk_opt_list files; /* owned */
    struct tk_baseline *all;  /* owned; the runs of all of them */
    size_t *first;            /* owned; where those of a file begin, and where the last end */
    bool *marked;             /* owned; the runs that are named */
};

static int read_shelf(const struct job *job, struct shelf *s)
{
    struct tk_runs runs = {.program = job->call->program, .common = &job->args->common, .keeps = true};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    int rc = tk_runs_list_folder(runs.program, true, job->paths[0], &s->files);
    if (rc < 0)
        return rc == TK_ENOMEM ? fail_baseline(job, rc, &err) : TK_EXIT_DONE;
    rc = tk_baseline_new(&s->all, &err);
    s->first = calloc(s->files.n + 1, sizeof *s->first);
    if (rc < 0 || !s->first)
        return fail_baseline(job, TK_ENOMEM, &err);
    runs.baseline = s->all;
    for (size_t i = 0; i < s->files.n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++) {
        const struct tk_runs_path path = {&runs, s->files.v[i]};
        if (tk_kept_is(path.path) || tk_capture_is(path.path) > 0)
            code = tk_runs_read(&path, 1);
        s->first[i + 1] = tk_baseline_count(s->all);
    }
    if (code == TK_EXIT_USAGE)
        tk_message_say(runs.program, TK_MESSAGE_ERROR,
                       "nothing was dropped: if two files of a folder hold the same run, delete one of them, "
                       "or name a file");
    return code == TK_EXIT_DAMAGED ? TK_EXIT_DONE : (int)code;
}

static bool is_any_marked(const struct shelf *s, size_t file)
{
    bool any = false;
    for (size_t i = s->first[file]; i < s->first[file + 1]; i++)
        any |= s->marked[i];
    return any;
}

static int drop_of_files(const struct job *job, const struct shelf *s)
{
    int code = TK_EXIT_DONE;
    size_t changed = 0;
    for (size_t i = 0; i < s->files.n; i++)
        if (is_any_marked(s, i) && tk_baseline_is(s->files.v[i]) <= 0) {
            tk_message_say(job->call->program, TK_MESSAGE_ERROR,
                           "'%s' is a capture: nothing is dropped; delete it, or name other runs",
                           s->files.v[i]);
            return TK_EXIT_USAGE;
        }
    for (size_t i = 0; i < s->files.n && code == TK_EXIT_DONE; i++) {
        if (!is_any_marked(s, i))
            continue;
        code = drop_marked(job, s->files.v[i], s->marked + s->first[i], s->first[i + 1] - s->first[i]);
        changed += code == TK_EXIT_DONE;
    }
    if (code != TK_EXIT_DONE && changed)
        tk_message_say(
            job->call->program, TK_MESSAGE_ERROR,
            "runs of %zu other file%s of '%s' are dropped; 'tracekit baseline list' shows the new numbers",
            changed, changed == 1 ? "" : "s", job->paths[0]);
    return code;
}

static int drop_of_folder(const struct job *job)
{
    struct shelf s = {0};
    int code = read_shelf(job, &s);
    const size_t n = s.all ? tk_baseline_count(s.all) : 0;
    if (code == TK_EXIT_DONE && n == 0) {
        tk_message_say(job->call->program, TK_MESSAGE_ERROR, "there is no run in '%s'", job->paths[0]);
        code = TK_EXIT_FAILED;
    }
    s.marked = calloc(n + 1, sizeof *s.marked);
    if (code == TK_EXIT_DONE && !s.marked)
        code = fail_baseline(job, TK_ENOMEM, &(struct tk_err){0});
    if (code == TK_EXIT_DONE && s.marked)
        code = mark_runs(job, s.all, s.marked) ? drop_of_files(job, &s) : TK_EXIT_USAGE;
    tk_opt_list_release(&s.files);
    tk_baseline_free(s.all);
    free(s.first);
    free(s.marked);
    return code;
}

static int drop_of_file(const struct job *job)
{
    struct tk_baseline_edit *edit;
    struct tk_err err = {0};
    if (!tk_host_exists(job->paths[0])) {
        tk_message_say(job->call->program, TK_MESSAGE_ERROR, "there is no file '%s'", job->paths[0]);
        return TK_EXIT_FAILED;
    }
    int rc = tk_baseline_edit_begin(&edit, job->paths[0], &err);
    if (rc < 0)
        return fail_baseline(job, rc, &err);
    struct tk_baseline *b = tk_baseline_edit_runs(edit);
    const size_t n = tk_baseline_count(b);
    bool *marked = calloc(n + 1, sizeof *marked);
    const bool good = marked && mark_runs(job, b, marked);
    const bool gone = good && drop_runs(b, marked, n, job->paths[0]);
    rc = tk_baseline_edit_end(edit, good && !gone, &err);
    const int code = fail_baseline(job, marked ? rc : TK_ENOMEM, &err);
    free(marked);
    return code || good ? code : TK_EXIT_USAGE;
}

static int run_drop(const struct job *job)
{
    return tk_host_is_folder(job->paths[0]) ? drop_of_folder(job) : drop_of_file(job);
}

/* ---- list ---- */

static int run_list_runs(const struct job *job)
{
    static const char *const usual[] = {"runs", NULL};
    return tk_kept_list(&(struct tk_kept_listing){.call = job->call,
                                                  .common = &job->args->common,
                                                  .out = &job->args->out,
                                                  .plan = &job->args->plan,
                                                  .rows = &job->args->rows,
                                                  .usual = usual,
                                                  .operands = (const char *const *)job->paths,
                                                  .n = job->n});
}

/* ---- export: to databases of time series ---- */

static int write_exported(const struct job *job, struct tk_baseline *b, struct tk_err *err)
{
    const char *path = job->args->out.path ? job->args->out.path : "-";
    struct tk_output *out;
    int rc = tk_output_open(&out, path, job->args->out.force, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_export(b, job->args->out.format, out, err);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

static int run_export(const struct job *job)
{
    struct tk_runs runs = {.program = job->call->program, .common = &job->args->common};
    struct tk_err err = {0};
    if (!job->args->out.format)
        return tk_message_usage(job->call->program, "which format? (-f openmetrics, -f influx)");
    struct tk_runs_path *paths = calloc(job->n, sizeof *paths);
    int rc = paths ? tk_baseline_new(&runs.baseline, &err) : TK_ENOMEM;
    int code = fail_baseline(job, rc, &err);
    for (size_t i = 0; i < job->n && rc == TK_OK; i++)
        paths[i] = (struct tk_runs_path){&runs, job->paths[i]};
    if (rc == TK_OK)
        code = (int)tk_runs_read(paths, job->n);
    if (rc == TK_OK && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)) {
        rc = write_exported(job, runs.baseline, &err);
        code = (int)tk_exit_worse((enum tk_exit)code, (enum tk_exit)fail_baseline(job, rc, &err));
    }
    tk_baseline_free(runs.baseline);
    free(paths);
    return code;
}

static const struct {
    const char *name;
    size_t least; /* operands behind it */
    int (*run)(const struct job *job);
} verbs[] = {{"add", 2, run_add},
             {"list", 1, run_list_runs},
             {"drop", 2, run_drop},
             {"merge", 2, run_merge},
             {"export", 1, run_export}};

#define VERBS (sizeof verbs / sizeof *verbs)

static int run_baseline(const struct tk_call *call, const void *args)
{
    const char *names[VERBS], *word = call->operands->n ? call->operands->v[0] : NULL;
    char message[TK_OPT_MESSAGE];
    for (size_t i = 0; i < VERBS; i++) {
        names[i] = verbs[i].name;
        if (!word || strcmp(word, names[i]) != 0)
            continue;
        const struct job job = {call, args, call->operands->v + 1, call->operands->n - 1};
        if (job.args->rows.where.n && verbs[i].run != run_list_runs)
            return tk_message_usage(call->program, "'--where' chooses rows of 'list' alone");
        return job.n >= verbs[i].least ? verbs[i].run(&job)
                                       : tk_message_usage(call->program, "which baseline and which runs?");
    }
    if (!word)
        return tk_message_usage(call->program, "what to do? (add, list, drop, merge, export)");
    tk_message_unknown(message, "there is no verb", word, names, VERBS);
    return tk_message_usage(call->program, message);
}

const struct tk_command tk_command_baseline = {
    .name = "baseline",
    .operands = "add BASE RUN... | list BASE... | drop BASE NUMBER... | merge BASE BASE... | export BASE...",
    .summary = "Keeps runs for comparison: adds them to a baseline file or folder, lists, drops, merges and "
               "exports them.",
    .help = "BASE is a file (.tkb) or a folder; runs are captures, baselines or folders of them.\n"
            "export: -f openmetrics or -f influx, for a database of time series.\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct baseline_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "compare",
    .run = run_baseline,
};
