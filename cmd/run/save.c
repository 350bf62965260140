/*
 * Saving runs.
 *
 * The capture is read first, without a lock; a file is locked and read again for the moment in which the run
 * is added, so that what others saved meanwhile stays.
 */
#include "run/save.h"

#include "pages/out.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Anonymised copies.
 */

/* Does a condition ask for a text? Less and more are of numbers, as is what begins with a digit. */
static bool wants_text(const char *condition)
{
    const char *sign = condition + strcspn(condition, "<>=!~");
    const char *value = sign + strspn(sign, "=!~ ");
    value += strspn(value, "+-.");
    return *sign != '<' && *sign != '>' && (strchr(sign, '~') || *value < '0' || *value > '9');
}

bool tk_anonymised_check(const struct tk_text_args *texts, const struct tk_opt_set *set,
                         char message[TK_OPT_MESSAGE])
{
    static const char *const names[] = {"region", "thread",  "timer",  "from-bookmark", "to-bookmark",
                                        "log",    "counter", "filter", "frames-from",   "per"};
    const struct tk_opt_list *where = tk_opt_listed(set, "where");
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !wrong; i++)
        wrong = tk_opt_is_set(set, names[i]) ? names[i] : NULL;
    for (size_t i = 0; where && i < where->n && !wrong; i++)
        wrong = wants_text(where->v[i]) ? "where" : NULL;
    if (!texts->anonymise || !wrong)
        return true;
    snprintf(
        message, TK_OPT_MESSAGE,
        "option '--%s' asks for a name, and --anonymise changes names; select by times or frames, or give "
        "it a capture that trace-edit has anonymised, with its new names",
        wrong);
    return false;
}

static enum tk_exit make_copy(struct tk_anonymised *a, const char *program, const char *from,
                              const struct tk_common_args *common, const struct tk_text_args *texts)
{
    struct tk_edit_options opt = TK_INIT(struct tk_edit_options);
    struct tk_capture_run capture;
    const enum tk_exit code = tk_capture_open(&capture, program, from, common);
    if (code != TK_EXIT_DONE)
        return code;
    opt.path = a->path;
    opt.force = true; /* it is there, and empty */
    opt.anonymise = texts->anonymise;
    opt.keep_text = (const char *const *)texts->keep_text.v;
    opt.n_keep_text = texts->keep_text.n;
    opt.key = texts->key;
    return tk_capture_close(&capture, tk_edit_run(capture.trace, NULL, &opt, NULL, &capture.err));
}

enum tk_exit tk_anonymised_make(struct tk_anonymised *a, const char *program, const char *from,
                                const struct tk_common_args *common, const struct tk_text_args *texts)
{
    *a = (struct tk_anonymised){0};
    if (!texts->anonymise) {
        if (!texts->key && !texts->keep_text.n)
            return TK_EXIT_DONE;
        return (enum tk_exit)tk_message_usage(program, texts->key
                                                           ? "option '--key' belongs to --anonymise"
                                                           : "option '--keep-text' belongs to --anonymise");
    }
    if (!(a->path = tk_host_temporary_file("anonymised.utrace"))) {
        tk_message_say(program, TK_MESSAGE_ERROR, "cannot make a temporary file");
        return TK_EXIT_FAILED;
    }
    const enum tk_exit code = make_copy(a, program, from, common, texts);
    if (code != TK_EXIT_DONE && code != TK_EXIT_DAMAGED)
        tk_anonymised_drop(a);
    return code;
}

void tk_anonymised_hide(struct tk_anonymised *a)
{
    if (a->path && !a->gone)
        a->gone = tk_host_remove(a->path);
}

void tk_anonymised_drop(struct tk_anonymised *a)
{
    tk_anonymised_hide(a);
    free(a->path);
    *a = (struct tk_anonymised){0};
}

static bool is_folder(const char *path)
{
    return (*path && !*tk_host_base_name(path)) || tk_host_is_folder(path);
}

static int write_standard(const struct tk_baseline *baseline, struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_out_create(&out, NULL, "-", false, err);
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

/* What is written over must be a baseline, which is reported before the capture is read. */
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
    struct tk_runs runs = {.program = call->program, .common = common, .info = info, .keeps = true};
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
    struct tk_runs runs = {.program = call->program, .common = common, .info = info, .keeps = true};
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
