/*
 * Runs of a side.
 *
 * Paths become entries, one a file. Captures are read by several threads, each into a baseline of its own,
 * and come to their side in order; messages about them are printed then.
 */
#include "run/runs.h"

#include "judge/outcomes.h"
#include "run/report.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "terminal/progress.h"

#include <stdlib.h>
#include <string.h>

/* Captures that are read at the same time: each takes memory. */
#define MOST_AT_ONCE 4u

enum kind { CAPTURE, BASELINE, NO_FOLDER };

struct reading;

struct entry {
    struct reading *reading;
    struct tk_runs *runs;
    const char *path;
    enum kind kind;
    bool in_folder; /* nobody named it: it may be anything */
    size_t number;
    struct tk_capture_run capture;
    struct tk_baseline *read; /* what is in the capture; owned */
    int status;               /* of reading it */
};

struct reading {
    struct entry *v; /* owned */
    size_t n;
    struct tk_opt_list *folders; /* owned; of the paths given, with the files in each */
    size_t n_folders;
    unsigned jobs;              /* for each capture */
    const struct tk_team *team; /* that reads */
    enum tk_exit code;
};

static enum tk_exit fail_runs(const struct tk_runs *runs, const char *path, int rc, const struct tk_err *err)
{
    tk_message_error(runs->program, path, rc, err);
    return tk_exit_of(rc);
}

/* ---- one file, on any thread ---- */

static int show_progress(void *ctx, uint64_t done, uint64_t total)
{
    const struct entry *e = ctx;
    if (tk_team_awaits(e->reading->team, e->number))
        tk_progress_update(done, total);
    return tk_team_is_over(e->reading->team) || tk_host_stopped();
}

/* What is known of a capture by its name and by NAME.run.json alongside it; the file counts before the name.
 */
static int say_sidecar(struct entry *e, struct tk_err *err)
{
    const char *pattern = e->runs->common->run_info_from;
    struct tk_run_info *info = NULL;
    int rc = pattern ? tk_run_info_of_name(&info, pattern, e->path, err) : TK_OK;
    if (rc == TK_OK && info)
        rc = tk_baseline_say(e->read, 0, info, err);
    tk_run_info_free(info);
    info = NULL;
    if (rc == TK_OK)
        rc = tk_run_info_sidecar(&info, e->path, err);
    if (rc == TK_OK && info)
        rc = tk_baseline_say(e->read, 0, info, err);
    tk_run_info_free(info);
    return rc;
}

static void read_capture(struct entry *e)
{
    struct tk_err *err = &e->capture.err;
    e->capture =
        (struct tk_capture_run){.program = e->runs->program, .path = e->path, .args = e->runs->common};
    e->status = tk_baseline_new(&e->read, err);
    if (e->status == TK_OK)
        e->status = tk_capture_try(&e->capture, e->reading->jobs, show_progress, e);
    if (e->status != TK_OK || tk_empty(e->capture.trace))
        return;
    if (e->runs->budgets)
        tk_baseline_watch(e->read, e->runs->budgets);
    e->status = tk_baseline_add(e->read, e->capture.trace, &e->runs->select, err);
    if (e->status == TK_OK && !e->runs->brief)
        e->status = tk_baseline_add_places(e->read, 0, e->capture.trace, e->runs->common->position, err);
    if (e->status == TK_OK && e->runs->pictures)
        e->status = tk_baseline_add_pictures(e->read, 0, e->capture.trace, e->runs->pictures, err);
    if (e->status == TK_OK && strcmp(e->path, "-") != 0)
        e->status = tk_baseline_name(e->read, 0, e->path, err);
    if (e->status == TK_OK && strcmp(e->path, "-") != 0)
        e->status = say_sidecar(e, err);
}

static void read_baseline(struct entry *e)
{
    struct tk_err *err = &e->capture.err;
    e->status = tk_baseline_new(&e->read, err);
    if (e->status == TK_OK)
        e->status = e->runs->brief ? tk_baseline_load_values(e->read, e->path, err)
                                   : tk_baseline_load(e->read, e->path, err);
}

static void read_entry(void *ctx, size_t i)
{
    struct entry *e = &((struct reading *)ctx)->v[i];
    if (e->kind == CAPTURE)
        read_capture(e);
    else if (e->kind == BASELINE && !e->runs->selects)
        read_baseline(e);
}

/* ---- and what becomes of it, in order ---- */

/* The runs of `from` to those of the side. */
static int join(struct tk_runs *runs, struct tk_baseline *from, struct tk_err *err)
{
    size_t moved;
    int rc = runs->info ? tk_baseline_say(from, 0, runs->info, err) : TK_OK;
    if (rc == TK_OK)
        rc = runs->merges ? tk_baseline_merge(runs->baseline, from, &moved, err)
                          : tk_baseline_join(runs->baseline, from, err);
    return rc;
}

static enum tk_exit add_baseline(struct entry *e)
{
    struct tk_err *err = &e->capture.err;
    if (e->runs->selects) {
        tk_message_say(e->runs->program, TK_MESSAGE_ERROR,
                       "'%s' is a baseline, which does not store this selection", e->path);
        return TK_EXIT_USAGE;
    }
    const bool lost = e->status == TK_OK && e->runs->common->strict_loss && tk_baseline_lossy(e->read);
    int rc = e->status == TK_OK ? join(e->runs, e->read, err) : e->status;
    if (rc < 0)
        return fail_runs(e->runs, e->path, rc, err);
    return lost ? TK_EXIT_DAMAGED : TK_EXIT_DONE;
}

/* What lies in a folder and is neither capture nor baseline: a log, a picture, an empty list. */
static bool is_other(const struct entry *e)
{
    const bool nothing = e->status == TK_EFORMAT || (e->status == TK_OK && tk_empty(e->capture.trace));
    return e->in_folder && nothing && tk_capture_is(e->path) == 0;
}

static enum tk_exit skip_other(struct entry *e)
{
    if (!e->runs->common->quiet)
        tk_message_say(e->runs->program, TK_MESSAGE_WARNING, "'%s' is left out: %s", e->path,
                       e->status < 0 ? tk_err_text(&e->capture.err, e->status)
                                     : "it has no events and nothing else of a capture");
    tk_capture_close(&e->capture, TK_OK);
    return TK_EXIT_DONE;
}

/* Nothing was recorded, or no game frame. */
static bool is_hollow(const struct entry *e)
{
    return (e->status == TK_OK && tk_empty(e->capture.trace)) || e->status == TK_EUNKNOWN;
}

static enum tk_exit tell_hollow(struct entry *e)
{
    tk_message_say(e->runs->program, TK_MESSAGE_ERROR, "'%s' is a recording without content: %s", e->path,
                   e->status < 0 ? tk_err_text(&e->capture.err, e->status) : "it has no events");
    e->runs->hollow = true;
    return tk_capture_close(&e->capture, TK_OK);
}

static enum tk_exit add_capture(struct entry *e)
{
    struct tk_runs *runs = e->runs;
    if (is_other(e))
        return skip_other(e);
    if (runs->expects && is_hollow(e))
        return tell_hollow(e);
    if (e->status == TK_OK && tk_empty(e->capture.trace)) {
        tk_message_say(runs->program, TK_MESSAGE_ERROR,
                       "'%s' is an empty recording, which cannot be compared; %s", e->path,
                       tk_outcomes[TK_OUTCOME_EMPTY].advice);
        tk_capture_close(&e->capture, TK_OK);
        return runs->keeps ? TK_EXIT_FAILED : TK_EXIT_UNKNOWN;
    }
    if (e->status == TK_OK)
        e->status = join(runs, e->read, &e->capture.err);
    const bool misses = e->status == TK_EMATCH && !runs->keeps && !runs->brief;
    enum tk_exit code = tk_capture_close(&e->capture, e->status);
    runs->missed += misses;
    return misses ? TK_EXIT_DONE : code == TK_EXIT_UNKNOWN && runs->keeps ? TK_EXIT_FAILED : code;
}

static enum tk_exit no_folder(const struct entry *e)
{
    tk_message_say(e->runs->program, TK_MESSAGE_ERROR, "'%s' is a folder without files that can be read",
                   e->path);
    return TK_EXIT_FAILED;
}

static void await(void *ctx, size_t i)
{
    struct reading *r = ctx;
    if (r->v[i].kind == CAPTURE)
        tk_progress_begin(r->v[i].path, !r->v[i].runs->common->quiet);
}

static bool add_entry(void *ctx, size_t i)
{
    struct reading *r = ctx;
    struct entry *e = &r->v[i];
    enum tk_exit code = e->kind == CAPTURE    ? add_capture(e)
                        : e->kind == BASELINE ? add_baseline(e)
                                              : no_folder(e);
    if ((code == TK_EXIT_FAILED || code == TK_EXIT_UNKNOWN) && e->runs->skip && e->kind != NO_FOLDER)
        code = TK_EXIT_DONE;
    r->code = tk_exit_worse(r->code, code);
    return r->code == TK_EXIT_DONE || r->code == TK_EXIT_DAMAGED;
}

/* ---- from paths to entries ---- */

static int add_path(struct reading *r, const struct tk_runs_path *p, const char *path, enum kind kind,
                    bool in_folder)
{
    struct entry *v = realloc(r->v, (r->n + 1) * sizeof *v);
    int is = kind == NO_FOLDER ? 0 : tk_baseline_is(path);
    if (!v)
        return TK_ENOMEM;
    r->v = v;
    v[r->n] = (struct entry){.reading = r,
                             .runs = p->runs,
                             .path = path,
                             .number = r->n,
                             .in_folder = in_folder,
                             .kind = is > 0 ? BASELINE : kind};
    r->n++;
    return is < 0 ? is : TK_OK;
}

/* NAME.run.json says what a capture alongside it is. */
static void leave_facts_out(struct tk_opt_list *files)
{
    static const char end[] = ".run.json";
    size_t kept = 0;
    for (size_t i = 0; i < files->n; i++) {
        const size_t n = strlen(files->v[i]);
        if (n >= sizeof end && strcmp(files->v[i] + n - (sizeof end - 1), end) == 0)
            free(files->v[i]);
        else
            files->v[kept++] = files->v[i];
    }
    files->n = kept;
}

int tk_runs_list_folder(const char *program, bool quiet, const char *path, struct tk_opt_list *files)
{
    struct tk_opt_list others = {0};
    const enum tk_host_listing how = tk_host_list_folder(path, files, &others);
    for (size_t i = 0; i < others.n && !quiet; i++)
        tk_message_say(program, TK_MESSAGE_WARNING, "'%s' is left out: %s", others.v[i],
                       tk_host_is_folder(others.v[i]) ? "a folder in a folder" : "not a file");
    tk_opt_list_release(&others);
    leave_facts_out(files);
    if (how == TK_HOST_NO_MEMORY)
        return TK_ENOMEM;
    return how == TK_HOST_LISTED && files->n ? TK_OK : TK_EIO;
}

static int add_folder(struct reading *r, const struct tk_runs_path *p)
{
    struct tk_opt_list *files = &r->folders[r->n_folders++];
    int rc = tk_runs_list_folder(p->runs->program, p->runs->common->quiet, p->path, files);
    if (rc == TK_EIO)
        return add_path(r, p, p->path, NO_FOLDER, false);
    for (size_t i = 0; i < files->n && rc == TK_OK; i++)
        rc = add_path(r, p, files->v[i], CAPTURE, true);
    return rc;
}

static int list(struct reading *r, const struct tk_runs_path *paths, size_t n)
{
    int rc = TK_OK;
    r->folders = calloc(n + 1, sizeof *r->folders);
    if (!r->folders)
        return TK_ENOMEM;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = tk_host_is_folder(paths[i].path) ? add_folder(r, &paths[i])
                                              : add_path(r, &paths[i], paths[i].path, CAPTURE, false);
    return rc;
}

static void release_runs(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        tk_close(r->v[i].capture.trace);
        tk_baseline_free(r->v[i].read);
    }
    for (size_t i = 0; i < r->n_folders; i++)
        tk_opt_list_release(&r->folders[i]);
    free(r->folders);
    free(r->v);
}

/* Threads: first one for each file, then more for each capture. */
static void read_all_runs(struct reading *r, unsigned threads)
{
    struct tk_team team = {.n = r->n, .ctx = r, .work = read_entry, .await = await, .done = add_entry};
    size_t captures = 0;
    for (size_t i = 0; i < r->n; i++)
        captures += r->v[i].kind == CAPTURE;
    if (r->n == 0)
        return;
    team.threads = r->n < threads ? (unsigned)r->n : threads;
    team.threads = team.threads < MOST_AT_ONCE ? team.threads : MOST_AT_ONCE;
    r->jobs = captures && captures < team.threads ? threads / (unsigned)captures : threads / team.threads;
    r->team = &team;
    tk_team_work(&team);
}

/* What is left out must leave something. */
static enum tk_exit check_left(const struct tk_runs_path *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tk_baseline_count(paths[i].runs->baseline) == 0 && !paths[i].runs->hollow &&
            !paths[i].runs->one_by_one) {
            tk_message_say(paths[i].runs->program, TK_MESSAGE_ERROR,
                           paths[i].runs->skip ? "none of the runs from '%s' on could be read"
                                               : "there is no run: no capture and no baseline in '%s'",
                           paths[i].path);
            return TK_EXIT_FAILED;
        }
    return TK_EXIT_DONE;
}

enum tk_exit tk_runs_one_sided(const char *program)
{
    return tk_outcome_end(program, &tk_outcomes[TK_OUTCOME_ONE_SIDE], false);
}

/* What is selected must be on all sides; on none it is a wrong name. */
static enum tk_exit check_missed(const struct tk_runs_path *paths, size_t n)
{
    size_t missed = 0, there = 0;
    for (size_t i = 0; i < n; i++) {
        missed += paths[i].runs->missed;
        there += tk_baseline_count(paths[i].runs->baseline);
    }
    if (!missed)
        return TK_EXIT_DONE;
    return there ? tk_runs_one_sided(paths[0].runs->program) : TK_EXIT_USAGE;
}

enum tk_exit tk_runs_read(const struct tk_runs_path *paths, size_t n)
{
    struct reading r = {0};
    struct tk_err err = {0};
    int rc = n ? tk_capture_limit(paths[0].runs->common, &err) : TK_OK;
    if (rc == TK_OK)
        rc = list(&r, paths, n);
    if (rc < 0)
        r.code = fail_runs(paths[0].runs, NULL, rc, &err);
    else if (n)
        read_all_runs(&r, tk_capture_jobs(paths[0].runs->common));
    release_runs(&r);
    if (r.code == TK_EXIT_DONE || r.code == TK_EXIT_DAMAGED)
        r.code = tk_exit_worse(r.code, check_missed(paths, n));
    if (r.code == TK_EXIT_DONE || r.code == TK_EXIT_DAMAGED)
        r.code = tk_exit_worse(r.code, check_left(paths, n));
    return r.code;
}

/* ---- what is selected ---- */

void tk_runs_select_read(struct tk_runs *runs, const struct tk_selection *select)
{
    runs->select = *select;
    runs->selects = select->has_from || select->has_to || select->has_frames || select->from_bookmark ||
                    select->to_bookmark || select->n_threads || select->n_regions;
}

void tk_runs_select(struct tk_runs *runs, const struct tk_selection *select, bool no_warmup)
{
    struct tk_selection rest = *select;
    runs->restriction = TK_INIT(struct tk_restriction);
    runs->restriction.regions = select->regions;
    runs->restriction.n_regions = select->n_regions;
    runs->restriction.no_warmup = no_warmup;
    rest.n_regions = 0;
    tk_runs_select_read(runs, &rest);
}

static enum tk_exit cut(struct tk_runs *runs, int *rc)
{
    struct tk_err err = {0};
    *rc = TK_OK;
    if (!runs->restriction.n_regions && !runs->restriction.no_warmup)
        return TK_EXIT_DONE;
    *rc = tk_baseline_restrict(runs->baseline, &runs->restriction, &err);
    return *rc < 0 ? fail_runs(runs, NULL, *rc, &err) : TK_EXIT_DONE;
}

enum tk_exit tk_runs_cut(struct tk_runs *const *sides, size_t n)
{
    size_t there = 0, missed = 0;
    enum tk_exit code = TK_EXIT_DONE;
    for (size_t i = 0; i < n; i++) {
        int rc;
        if (tk_baseline_count(sides[i]->baseline) == 0)
            continue;
        const enum tk_exit one = cut(sides[i], &rc);
        missed += rc == TK_EMATCH;
        there += rc == TK_OK;
        code = rc == TK_EMATCH ? code : tk_exit_worse(code, one);
    }
    if (code != TK_EXIT_DONE || !missed)
        return code;
    return there ? tk_runs_one_sided(sides[0]->program) : TK_EXIT_USAGE;
}

void tk_runs_warn_lost(const struct tk_runs *runs, size_t lost)
{
    if (lost && !runs->common->quiet)
        tk_message_say(runs->program, TK_MESSAGE_WARNING,
                       "a run had no room for %zu names of regions, so a pattern may miss some; "
                       "'trace-stats --save FILE --region GLOB' keeps all frames of a pattern",
                       lost);
}

enum tk_exit tk_runs_together(const struct tk_runs *like, char *const *paths, size_t n, tk_runs_take *take,
                              void *ctx)
{
    struct tk_runs runs[TK_RUNS_AT_ONCE];
    struct tk_runs_path list[TK_RUNS_AT_ONCE] = {{0}};
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    int rc = TK_OK;
    for (size_t i = 0; i < n; i++) {
        runs[i] = *like;
        list[i] = (struct tk_runs_path){&runs[i], paths[i]};
        rc = rc == TK_OK ? tk_baseline_new(&runs[i].baseline, &err) : rc;
    }
    if (rc == TK_OK)
        code = tk_runs_read(list, n);
    const bool read = code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED;
    for (size_t i = 0; i < n; i++) {
        if (rc == TK_OK && read)
            rc = take(ctx, paths[i], runs[i].baseline, &code, &err);
        tk_baseline_free(runs[i].baseline);
    }
    if (rc < 0)
        tk_message_error(like->program, NULL, rc, &err);
    return rc < 0 ? tk_exit_of(rc) : code;
}
