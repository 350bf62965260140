/*
 * The files of recordings of Tracy programs: their names, the log of what arrives, the capture that is made
 * of it, and the one that is made after a crash.
 */
#include "base/err.h"
#include "base/text/path.h"
#include "live/live_in.h"
#include "live/tracy/log.h"
#include "os/clock.h"
#include "os/path.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 10000 };

/* ---- the disk ---- */

#define KEEP_EVERY 10.0 /* seconds between looks at the disk */

int tk_live_check_space(const char *output, const char *folder, uint64_t least, struct tk_err *err)
{
    const size_t n = output ? tk_path_base(output) : 0;
    char place[4096] = ".", size[TK_FIGURE], wanted[TK_FIGURE];
    if (least == 0 || n >= sizeof place)
        return TK_OK;
    if (output && n)
        snprintf(place, sizeof place, "%.*s", (int)n, output);
    else if (!output && folder)
        snprintf(place, sizeof place, "%s", folder);
    const uint64_t space = tk_live_space_of(place);
    return space >= least ? TK_OK
                          : tk_err_set(err, TK_EIO, "the disk of '%s' has %s free, and --free keeps %s",
                                       place, tk_live_size(space, size), tk_live_size(least, wanted));
}

void tk_tracy_file_keep(struct tk_tracy_run *run, double now)
{
    const struct tk_keep_rules *rules = &run->rules;
    if (run->args->output || (rules->days <= 0 && !rules->most_bytes) ||
        (run->kept > 0 && now - run->kept < KEEP_EVERY))
        return;
    run->kept = now;
    tk_keep_apply(rules, run->args->into ? run->args->into : ".", tk_os_now(), tk_tracy_on_removed, run);
}

/* ---- names ---- */

static char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *out = malloc(n);
    if (out)
        memcpy(out, text, n);
    return out;
}

int tk_tracy_file_check(const struct tk_tracy_run *run, bool *keeps, struct tk_err *err)
{
    const char *path = run->args->output;
    struct tk_os_info info;
    *keeps = true;
    if (path && strcmp(path, "-") == 0) {
        *keeps = false;
        return TK_OK;
    }
    if (!path || run->recorded || tk_os_path_info(path, &info).error) /* a second one is let go */
        return TK_OK;
    if (info.kind == TK_OS_FOLDER)
        return tk_err_set(err, TK_EIO, "'%s' is a folder: --into records into one", path);
    *keeps = info.kind == TK_OS_FILE;
    return !*keeps || run->args->force
               ? TK_OK
               : tk_err_set(err, TK_EIO, "cannot write '%s': file exists (--force replaces it)", path);
}

static int create_named(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err)
{
    if (!(job->path = copy_text(run->args->output)))
        return tk_err_nomem(err, "a recording");
    return tk_tl_log_create(job->log, job->path, run->args->force, err);
}

enum { PROGRAM = 40 };

/* ".game", as far as it can be in the name of a file. */
static const char *name_program(const struct tk_tracy_job *job, char out[PROGRAM + 2])
{
    const char *name = tk_tl_link_state(job->link).session->welcome.program;
    const size_t n = strlen(name) < PROGRAM ? strlen(name) : PROGRAM;
    out[0] = '.';
    for (size_t i = 0; i < n; i++)
        out[i + 1] = strchr(TK_LIVE_NAME, name[i]) ? name[i] : '_';
    out[n ? n + 1 : 0] = '\0';
    return out;
}

/* FOLDER/PREFIX20261123_210542[_NN].PROGRAM.tracy: a name that no file has, and whose log did not exist
 * before. Another recorder that finds the same name at the same time finds that log. */
static int create_by_clock(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err)
{
    const struct tk_os_date d = tk_os_local_date(tk_os_now());
    const char *folder = run->args->into ? run->args->into : ".",
               *name = run->args->name ? run->args->name : "";
    const size_t capacity = strlen(folder) + strlen(name) + PROGRAM + 64;
    char program[PROGRAM + 2];
    int rc = TK_EIO;
    if (!(job->path = malloc(capacity)))
        return tk_err_nomem(err, "a recording");
    for (int i = 0; i < NAMES && rc == TK_EIO; i++) {
        char number[16] = "";
        if (i)
            snprintf(number, sizeof number, "_%02d", i);
        snprintf(job->path, capacity, "%s/%s%04d%02d%02d_%02d%02d%02d%s%s.tracy", folder, name, d.year,
                 d.month, d.day, d.hour, d.minute, d.second, number, name_program(job, program));
        *err = (struct tk_err){0};
        if (tk_host_exists(job->path))
            continue;
        rc = tk_tl_log_create(job->log, job->path, false, err);
        char *log = tk_tl_log_path(job->path);
        const bool taken = log && tk_host_exists(log);
        free(log);
        if (rc == TK_EIO && !taken)
            break;
    }
    return rc;
}

/* ---- while it is recorded ---- */

/* run.tracy -> run-001.tracy, unless somebody has that. */
static int name_piece(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err)
{
    if (!run->rotate_bytes && run->rotate_seconds <= 0)
        return TK_OK;
    char *name = tk_rotation_name(job->path, job->number + 1);
    if (!name)
        return tk_err_nomem(err, "a recording");
    if (!run->args->force && tk_host_exists(name)) {
        const int rc = tk_err_set(err, TK_EIO, "cannot write '%s': file exists (--force replaces it)", name);
        free(name);
        return rc;
    }
    free(job->piece);
    job->piece = name;
    job->number++;
    return TK_OK;
}

int tk_tracy_file_begin(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err)
{
    if (!tk_tl_link_wants_log(job->link)) {
        job->path = copy_text(run->args->output);
        return job->path ? TK_OK : tk_err_nomem(err, "a recording");
    }
    if (!(job->log = calloc(1, sizeof *job->log)))
        return tk_err_nomem(err, "a recording");
    const int rc = run->args->output ? create_named(run, job, err) : create_by_clock(run, job, err);
    if (rc != TK_OK)
        return rc;
    job->log->free_bytes = run->free_bytes;
    job->log->rotates = run->rotate_bytes || run->rotate_seconds > 0;
    tk_tl_link_keep(job->link, job->log);
    if (run->rotate_bytes)
        tk_tl_link_cut(job->link, run->rotate_bytes);
    return name_piece(run, job, err);
}

static bool has_size(const struct tk_tracy_run *run, const struct tk_tracy_job *job,
                     const struct tk_tl_link_state *s)
{
    return run->rotate_bytes && s->bytes - job->rotated >= run->rotate_bytes;
}

static bool is_due(const struct tk_tracy_run *run, const struct tk_tracy_job *job,
                   const struct tk_tl_link_state *s, double now)
{
    return job->piece && s->end == TK_TL_GOES_ON &&
           (has_size(run, job, s) ||
            (run->rotate_seconds > 0 &&
             now - (job->rotated_at > 0 ? job->rotated_at : s->began) >= run->rotate_seconds));
}

int tk_tracy_file_rotate(const struct tk_tracy_run *run, struct tk_tracy_job *job, double now,
                         struct tk_err *err)
{
    const struct tk_tl_link_state s = tk_tl_link_state(job->link);
    if (!is_due(run, job, &s, now))
        return TK_OK;
    tk_tl_link_cut(job->link, s.bytes);
    const int rc = tk_tl_link_rotate(job->link, job->piece, run->args->force, has_size(run, job, &s), err);
    if (rc != TK_ITEM)
        return rc;
    const uint64_t bytes = s.bytes - job->rotated;
    char *before = job->piece;
    job->piece = NULL;
    job->rotated = s.bytes;
    job->rotated_at = now;
    if (run->rotate_bytes)
        tk_tl_link_cut(job->link, s.bytes + run->rotate_bytes);
    const int named = name_piece(run, job, err);
    if (named == TK_OK)
        tk_tracy_say_rotated(run, job, before, bytes);
    else
        tk_tl_link_stop(job->link, now);
    free(before);
    return named;
}

static int is_enough(void *ctx)
{
    (void)ctx;
    return tk_host_stops() > 1;
}

int tk_tracy_file_save(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err)
{
    if (is_enough(NULL) && job->log)
        return tk_err_set(err, TK_ECANCELED, "the second request ends at once");
    const int rc = tk_tl_link_save(job->link, tk_tracy_path(job), run->args->force, is_enough, err);
    if (rc == TK_OK && job->log)
        tk_tl_log_close(job->log, true);
    return rc;
}

void tk_tracy_file_leave(struct tk_tracy_job *job)
{
    if (job->log)
        tk_tl_log_close(job->log, false);
    free(job->log);
    job->log = NULL;
}

/* ---- after a crash ---- */

/* A recording that is made a capture of. */
struct resume {
    const struct tk_call *call;
    const struct tk_record_args *args;
    char *log, *path; /* owned */
    struct tk_tl_session session;
    struct tk_tl_played played;
};

static int name_files(struct resume *r, struct tk_err *err)
{
    const char *resume = r->args->resume;
    r->log = tk_tl_log_path(resume);
    r->path = copy_text(r->args->output ? r->args->output : resume);
    if (!r->log || !r->path)
        return tk_err_nomem(err, "a recording");
    if (!r->args->output && strcmp(r->log, resume) == 0)
        r->path[strlen(r->path) - strlen(TK_TL_LOG_ENDING)] = '\0';
    if (tk_host_exists(r->log))
        return TK_OK;
    return tk_err_set(err, TK_EIO,
                      tk_host_exists(resume) ? "'%s' is whole: there is nothing left of it to be made"
                                             : "there is no recording '%s' that was broken off",
                      resume);
}

/* Of several captures, the log has that which was under way. */
static int name_last(struct resume *r, struct tk_err *err)
{
    if (!r->played.rotates || r->args->output)
        return TK_OK;
    char *name = tk_rotation_name(r->path, r->session.state->piece.number + 1);
    free(r->path);
    r->path = name;
    return name ? TK_OK : tk_err_nomem(err, "a recording");
}

static int make_capture(struct resume *r, struct tk_err *err)
{
    const struct tk_tl_options options = {0};
    int rc = tk_tl_log_play(r->log, &options, &r->session, &r->played, err);
    if (rc == TK_OK && r->played.grows)
        rc = tk_err_set(err, TK_EIO, "a recorder still writes it");
    if (rc == TK_OK)
        rc = name_last(r, err);
    if (rc == TK_OK)
        rc = tk_tl_log_save(&r->session, r->path, r->args->force, is_enough, err);
    if (rc == TK_OK && tk_tl_log_remove(r->log).error)
        tk_message_say(r->call->program, TK_MESSAGE_WARNING, "'%s' cannot be removed", r->log);
    return rc;
}

int tk_record_resume(const struct tk_call *call, const struct tk_record_args *args)
{
    struct resume *r = calloc(1, sizeof *r);
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    if (!r)
        return tk_message_error(call->program, NULL, TK_ENOMEM, NULL), (int)tk_exit_of(TK_ENOMEM);
    *r = (struct resume){.call = call, .args = args};
    int rc = call->operands->n || args->program.n ? TK_EUSAGE : name_files(r, &err);
    if (rc == TK_OK)
        rc = make_capture(r, &err);
    if (rc == TK_OK)
        code = tk_tracy_say_resumed(call, args, r->path, &r->session, &r->played, &err);
    else if (rc == TK_EUSAGE)
        code = (enum tk_exit)tk_message_usage(
            call->program, "option '--resume' takes a file, and goes without a source or a program");
    else
        tk_message_error(call->program, r->log, rc, &err);
    if (rc != TK_OK && rc != TK_EUSAGE)
        code = rc == TK_EIO ? TK_EXIT_FAILED : tk_exit_of(rc);
    tk_tl_session_end(&r->session);
    free(r->log);
    free(r->path);
    free(r);
    return (int)code;
}
