/*
 * Saving runs. See save.h.
 */
#include "run/save.h"

#include "run/runs.h"
#include "show/out.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <string.h>

/* Without `over` a file that came meanwhile stays. */
static int write_file_save(const struct tk_baseline *baseline, const char *path, bool over,
                           struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_out_create(&out, path, over, err);
    if (rc < 0)
        return rc;
    rc = tk_baseline_save(baseline, out, err);
    if (rc >= 0)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const char *path)
{
    struct tk_runs runs = {.program = call->program, .common = common};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    const bool is_there = strcmp(path, "-") != 0 && tk_host_exists(path);
    tk_runs_select_read(&runs, select);
    int rc = tk_baseline_new(&runs.baseline, &err);
    if (rc >= 0 && is_there) /* which must be a baseline: nothing else is written over */
        rc = tk_baseline_load(runs.baseline, path, &err);
    if (rc >= 0)
        code = tk_runs_read(&(struct tk_runs_path){&runs, call->operands->v[0]}, 1);
    if (rc >= 0 && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = write_file_save(runs.baseline, path, is_there, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        code = tk_exit_worse(code, tk_exit_of(rc));
    }
    tk_baseline_free(runs.baseline);
    return code;
}
