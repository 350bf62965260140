/*
 * Saving runs. See save.h.
 */
#include "run/save.h"

#include "run/runs.h"
#include "show/out.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <string.h>

/* Reading and writing a baseline takes less. */
#define MOST_SECONDS 60

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

/* Adds runs to those that are in a file now. */
static int add_to_file(struct tk_baseline *runs, const char *path, struct tk_err *err)
{
    struct tk_baseline *all;
    int rc = tk_baseline_new(&all, err);
    if (rc >= 0)
        rc = tk_baseline_load(all, path, err);
    if (rc >= 0)
        rc = tk_baseline_join(all, runs, err);
    if (rc >= 0)
        rc = write_file_save(all, path, true, err);
    tk_baseline_free(all);
    return rc;
}

static int tell_busy(const char *path, struct tk_err *err)
{
    *err = (struct tk_err){.code = TK_EOUTPUT, .n = 1};
    snprintf(err->text[0], sizeof err->text[0], "cannot write '%.200s': another process is changing it",
             path);
    return TK_EOUTPUT;
}

/* Under the lock of the file: what others have added while a capture was read stays in it. Who makes a file
 * that another one has made meanwhile adds to that. */
static int add_locked(struct tk_baseline *runs, const char *path, struct tk_err *err)
{
    for (;;) {
        struct tk_host_lock *lock;
        const enum tk_host_locking state = tk_host_lock_file(&lock, path, MOST_SECONDS);
        if (state == TK_HOST_BUSY)
            return tell_busy(path, err);
        const bool is_new = state == TK_HOST_NO_FILE;
        const int rc = is_new ? write_file_save(runs, path, false, err) : add_to_file(runs, path, err);
        tk_host_unlock(lock);
        if (!is_new || rc != TK_EOUTPUT || !tk_host_exists(path))
            return rc;
    }
}

/* What is written to must be a baseline: nothing else is written over. Told before a capture is read. */
static int check_old(const char *path, struct tk_err *err)
{
    struct tk_baseline *old;
    int rc = tk_baseline_new(&old, err);
    if (rc >= 0)
        rc = tk_baseline_load(old, path, err);
    tk_baseline_free(old);
    return rc;
}

enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const char *path)
{
    struct tk_runs runs = {.program = call->program, .common = common};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    const bool is_file = strcmp(path, "-") != 0;
    const char *operand = call->operands->v[0];
    tk_runs_select_read(&runs, select);
    int rc = tk_baseline_new(&runs.baseline, &err);
    if (rc >= 0 && is_file && tk_host_exists(path))
        rc = check_old(path, &err);
    if (rc >= 0)
        code = tk_runs_read(&(struct tk_runs_path){&runs, operand}, 1);
    if (rc >= 0 && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = is_file ? add_locked(runs.baseline, path, &err)
                     : write_file_save(runs.baseline, path, false, &err);
    if (rc < 0) {
        tk_message_error(call->program, rc == TK_EUSAGE ? operand : NULL, rc,
                         &err); /* the run is there already */
        code = tk_exit_worse(code, tk_exit_of(rc));
    }
    tk_baseline_free(runs.baseline);
    return code;
}
