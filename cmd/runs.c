/*
 * Runs of a side. See runs.h.
 */
#include "runs.h"

#include "host.h"
#include "message.h"

#include <string.h>

static enum tk_exit fail(const struct tk_runs *runs, const char *path, int rc, const struct tk_err *err)
{
    tk_message_error(runs->program, path, rc, err);
    return tk_exit_of(rc);
}

static enum tk_exit add_baseline(struct tk_runs *runs, const char *path)
{
    struct tk_err err = {0};
    if (runs->selects) {
        tk_message_say(runs->program, TK_MESSAGE_ERROR,
                       "'%s' is a baseline, which does not hold what is selected", path);
        return TK_EXIT_USAGE;
    }
    int rc = tk_baseline_load(runs->baseline, path, &err);
    return rc < 0 ? fail(runs, NULL, rc, &err) : TK_EXIT_DONE;
}

static enum tk_exit add_capture(struct tk_runs *runs, const char *path)
{
    struct tk_capture_run run;
    enum tk_exit code = tk_capture_open(&run, runs->program, path, runs->common);
    if (code != TK_EXIT_DONE)
        return code;
    if (tk_empty(run.trace)) {
        tk_message_say(runs->program, TK_MESSAGE_ERROR,
                       "'%s' is an empty recording, which cannot be compared", path);
        tk_capture_close(&run, TK_OK);
        return TK_EXIT_FAILED;
    }
    int rc = tk_baseline_add(runs->baseline, run.trace, &runs->select, &run.err);
    code = tk_capture_close(&run, rc);
    /* a capture that has nothing to compare is no wrong usage */
    return rc == TK_EMATCH && !runs->selects ? TK_EXIT_FAILED : code;
}

static enum tk_exit add_folder(struct tk_runs *runs, const char *path)
{
    struct tk_opt_list files = {0};
    enum tk_exit code = TK_EXIT_DONE;
    if (!tk_host_list_folder(path, &files) || files.n == 0) {
        tk_message_say(runs->program, TK_MESSAGE_ERROR, "'%s' is a folder without files that can be read",
                       path);
        code = TK_EXIT_FAILED;
    }
    for (size_t i = 0; i < files.n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++)
        code = tk_exit_worse(code, tk_runs_add(runs, files.v[i]));
    tk_opt_list_release(&files);
    return code;
}

void tk_runs_select(struct tk_runs *runs, const struct tk_selection *select, bool no_warmup)
{
    runs->restriction = TK_INIT(struct tk_restriction);
    runs->restriction.regions = select->regions;
    runs->restriction.n_regions = select->n_regions;
    runs->restriction.no_warmup = no_warmup;
    runs->select = *select;
    runs->select.n_regions = 0;
    runs->selects = select->has_from || select->has_to || select->has_frames || select->from_bookmark ||
                    select->to_bookmark || select->n_threads;
}

enum tk_exit tk_runs_cut(struct tk_runs *runs)
{
    struct tk_err err = {0};
    if (!runs->restriction.n_regions && !runs->restriction.no_warmup)
        return TK_EXIT_DONE;
    int rc = tk_baseline_restrict(runs->baseline, &runs->restriction, &err);
    return rc < 0 ? fail(runs, NULL, rc, &err) : TK_EXIT_DONE;
}

enum tk_exit tk_runs_add(struct tk_runs *runs, const char *path)
{
    if (tk_host_is_folder(path))
        return add_folder(runs, path);
    const struct tk_err none = {0};
    int is = tk_baseline_is(path);
    if (is < 0)
        return fail(runs, path, is, &none);
    enum tk_exit code = is ? add_baseline(runs, path) : add_capture(runs, path);
    return code == TK_EXIT_FAILED && runs->skip ? TK_EXIT_DONE : code;
}
