/*
 * Histories of files.
 *
 * Files are read a few at a time, and become values before the next are read: a history of hundreds of runs
 * takes little memory.
 */
#include "run/listing.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/trends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum tk_exit fail_history(const struct tk_history_reading *r, int rc, const struct tk_err *err)
{
    tk_message_error(r->program, NULL, rc, err);
    return tk_exit_of(rc);
}

static void keep_branch(struct tk_baseline *b, const char *branch)
{
    for (size_t i = tk_baseline_count(b); i-- > 0;) {
        const struct tk_str *of = tk_baseline_about(b, i, "branch");
        if (!of || of->n != strlen(branch) || memcmp(of->p, branch, of->n) != 0)
            tk_baseline_drop(b, i);
    }
}

static int add_runs(void *ctx, const char *path, struct tk_baseline *runs, enum tk_exit *code,
                    struct tk_err *err)
{
    const struct tk_history_reading *r = ctx;
    (void)code;
    if (r->branch)
        keep_branch(runs, r->branch);
    return tk_history_add(r->history, runs, path, err);
}

/* Stops at what cannot be read; where that is left out, files come one by one. */
static enum tk_exit add_paths(const struct tk_history_reading *r, const struct tk_opt_list *paths)
{
    const struct tk_runs like = {.program = r->program, .common = r->common, .info = r->info, .brief = true};
    struct tk_history_reading reading = *r;
    const size_t most = r->skip ? 1 : TK_RUNS_AT_ONCE;
    enum tk_exit code = TK_EXIT_DONE;
    for (size_t i = 0, n; i < paths->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i += n) {
        n = paths->n - i < most ? paths->n - i : most;
        const enum tk_exit one = tk_runs_together(&like, paths->v + i, n, add_runs, &reading);
        code = tk_exit_worse(code, one == TK_EXIT_FAILED && r->skip ? TK_EXIT_DONE : one);
    }
    return code;
}

/* What lies in a folder and is neither capture nor baseline: a log, a picture. */
static bool is_other(const char *path)
{
    return !tk_kept_is(path) && tk_capture_is(path) == 0;
}

/* Of the files of a folder only those that are of a history stay in the list. */
static void leave_others_out(const struct tk_history_reading *r, struct tk_opt_list *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->n; i++) {
        char *path = files->v[i];
        if (!is_other(path)) {
            files->v[kept++] = path;
            continue;
        }
        if (!r->common->quiet)
            tk_message_say(r->program, TK_MESSAGE_WARNING,
                           "'%s' is left out: neither a capture nor a baseline", path);
        free(path);
    }
    files->n = kept;
}

/* Is the folder what --csv reads? */
static bool is_numbers(const char *folder)
{
    static const char *const names[] = {"runs.csv", "series.csv", "values.csv"};
    bool all = true;
    for (size_t i = 0; i < sizeof names / sizeof *names && all; i++) {
        const size_t n = strlen(folder) + strlen(names[i]) + 2;
        char *path = malloc(n);
        if (path)
            snprintf(path, n, "%s/%s", folder, names[i]);
        all = path && tk_host_exists(path);
        free(path);
    }
    return all;
}

static enum tk_exit add_folder(const struct tk_history_reading *r, const char *path)
{
    struct tk_opt_list files = {0};
    enum tk_exit code = TK_EXIT_FAILED;
    if (is_numbers(path)) {
        tk_message_say(r->program, TK_MESSAGE_ERROR,
                       "'%s' is a history as numbers; read it with 'trace-trend --csv %s'", path, path);
        return TK_EXIT_USAGE;
    }
    const int rc = tk_runs_list_folder(r->program, r->common->quiet, path, &files);
    if (rc == TK_OK) {
        leave_others_out(r, &files);
        code = add_paths(r, &files);
    } else if (rc == TK_ENOMEM)
        code = fail_history(r, rc, &(struct tk_err){0});
    else
        tk_message_say(r->program, TK_MESSAGE_ERROR, "'%s' is a folder without files that can be read", path);
    tk_opt_list_release(&files);
    return code;
}

enum tk_exit tk_history_collect(const struct tk_history_reading *reading, const struct tk_opt_list *paths)
{
    enum tk_exit code = TK_EXIT_DONE;
    struct tk_err err = {0};
    for (size_t i = 0; i < paths->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++) {
        const struct tk_opt_list one = {.v = &paths->v[i], .n = 1};
        code = tk_exit_worse(code, tk_host_is_folder(paths->v[i]) ? add_folder(reading, paths->v[i])
                                                                  : add_paths(reading, &one));
    }
    if (code != TK_EXIT_DONE && code != TK_EXIT_DAMAGED)
        return code;
    int rc = tk_history_sort(reading->history, (enum tk_history_order)reading->order, &err);
    return rc < 0 ? tk_exit_worse(code, fail_history(reading, rc, &err)) : code;
}
