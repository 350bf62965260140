/*
 * Histories of files. See history.h.
 *
 * Files are read one after the other, and each becomes values before the next is read: a history of hundreds
 * of runs takes little memory.
 */
#include "run/history.h"

#include "run/listing.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"

static enum tk_exit fail_history(const struct tk_history_reading *r, int rc, const struct tk_err *err)
{
    tk_message_error(r->program, NULL, rc, err);
    return tk_exit_of(rc);
}

static enum tk_exit add_path(const struct tk_history_reading *r, const char *path)
{
    struct tk_runs runs = {.program = r->program, .common = r->common, .info = r->info};
    const struct tk_runs_path one = {&runs, path};
    struct tk_err err = {0};
    int rc = tk_baseline_new(&runs.baseline, &err);
    if (rc < 0)
        return fail_history(r, rc, &err);
    enum tk_exit code = tk_runs_read(&one, 1);
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        rc = tk_history_add(r->history, runs.baseline, path, &err);
    tk_baseline_free(runs.baseline);
    if (rc < 0)
        return fail_history(r, rc, &err);
    return code == TK_EXIT_FAILED && r->skip ? TK_EXIT_DONE : code;
}

/* What lies in a folder and is neither capture nor baseline: a log, a picture. */
static bool is_other(const char *path)
{
    return !tk_kept_is(path) && tk_capture_is(path) == 0;
}

static enum tk_exit add_found(const struct tk_history_reading *r, const char *path)
{
    if (!is_other(path))
        return add_path(r, path);
    if (!r->common->quiet)
        tk_message_say(r->program, TK_MESSAGE_WARNING, "'%s' is left out: neither a capture nor a baseline",
                       path);
    return TK_EXIT_DONE;
}

/* Stops at what cannot be read. */
static enum tk_exit add_paths(const struct tk_history_reading *r, const struct tk_opt_list *paths,
                              enum tk_exit (*add)(const struct tk_history_reading *r, const char *path))
{
    enum tk_exit code = TK_EXIT_DONE;
    for (size_t i = 0; i < paths->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++)
        code = tk_exit_worse(code, add(r, paths->v[i]));
    return code;
}

static enum tk_exit add_folder(const struct tk_history_reading *r, const char *path)
{
    struct tk_opt_list files = {0};
    enum tk_exit code = TK_EXIT_FAILED;
    if (tk_host_list_folder(path, &files) && files.n > 0)
        code = add_paths(r, &files, add_found);
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
                                                                  : add_paths(reading, &one, add_path));
    }
    int rc = tk_history_sort(reading->history, reading->order, &err);
    return rc < 0 ? tk_exit_worse(code, fail_history(reading, rc, &err)) : code;
}
