/*
 * Saving runs. See save.h.
 *
 * The capture is read first, without a lock; a file is locked and read again for the moment in which the run
 * is added, so that what others saved meanwhile stays.
 */
#include "run/save.h"

#include "run/runs.h"
#include "pages/out.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <string.h>

static bool is_folder(const char *path)
{
    return (*path && !*tk_host_base_name(path)) || tk_host_is_folder(path);
}

static int write_standard(const struct tk_baseline *baseline, struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_out_create(&out, "-", false, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_save(baseline, out, err);
    if (rc >= 0)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

static int add_to_file(struct tk_baseline *runs, const char *path, size_t *added, struct tk_err *err)
{
    struct tk_baseline_edit *edit;
    struct tk_err ignored = {0};
    int rc = tk_baseline_edit_begin(&edit, path, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_merge(tk_baseline_edit_runs(edit), runs, added, err);
    const int end = tk_baseline_edit_end(edit, rc == TK_OK && *added, rc == TK_OK ? err : &ignored);
    return rc < 0 ? rc : end;
}

int tk_save_runs(struct tk_baseline *runs, const char *path, const char *capture, size_t *added,
                 struct tk_err *err)
{
    *added = tk_baseline_count(runs);
    if (strcmp(path, "-") == 0)
        return write_standard(runs, err);
    tk_host_note_stop();
    if (is_folder(path))
        return tk_baseline_keep(runs, path, tk_host_modified(capture), added, err);
    return add_to_file(runs, path, added, err);
}

/* What is written over must be a baseline, which is told before the capture is read. */
static int check_there(const char *path, struct tk_err *err)
{
    struct tk_baseline *there;
    if (strcmp(path, "-") == 0 || is_folder(path) || !tk_host_exists(path))
        return TK_OK;
    int rc = tk_baseline_new(&there, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_load(there, path, err);
    tk_baseline_free(there);
    return rc;
}

static void tell_nothing(const struct tk_call *call, const struct tk_common_args *common, const char *path)
{
    if (!common->quiet)
        tk_message_say(call->program, TK_MESSAGE_WARNING, "already in %s, nothing added", path);
}

enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const struct tk_run_info *info, const char *path)
{
    struct tk_runs runs = {.program = call->program, .common = common, .info = info};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    size_t added = 1;
    tk_runs_select_read(&runs, select);
    int rc = tk_baseline_new(&runs.baseline, &err);
    if (rc >= 0)
        rc = check_there(path, &err);
    if (rc >= 0)
        code = tk_runs_read(&(struct tk_runs_path){&runs, call->operands->v[0]}, 1);
    if (rc >= 0 && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = tk_save_runs(runs.baseline, path, call->operands->v[0], &added, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        code = tk_exit_worse(code, tk_exit_of(rc));
    } else if (!added) {
        tell_nothing(call, common, path);
    }
    tk_baseline_free(runs.baseline);
    return code;
}

enum tk_exit tk_save_summary(const struct tk_call *call, const struct tk_common_args *common,
                             const struct tk_selection *select, const struct tk_run_info *info,
                             const char *path)
{
    struct tk_runs runs = {.program = call->program, .common = common, .info = info};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    tk_runs_select_read(&runs, select);
    int rc = tk_baseline_new(&runs.baseline, &err);
    if (rc >= 0)
        code = tk_runs_read(&(struct tk_runs_path){&runs, call->operands->v[0]}, 1);
    if (rc >= 0 && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = tk_baseline_summarize(runs.baseline, path, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        code = tk_exit_worse(code, tk_exit_of(rc));
    }
    tk_baseline_free(runs.baseline);
    return code;
}
