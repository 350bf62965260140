/*
 * trace-record for Tracy programs: options, connections, files, the exit status.
 *
 *   trace-record tracy://127.0.0.1 -o run.tracy
 *   trace-record tracy://
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "live/live_in.h"
#include "live/record.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/program.h"
#include "os/socket.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

/*
 * What recordings of all kinds of programs share.
 */

bool tk_record_access(struct tk_live_access *access, const struct tk_record_args *args,
                      char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < args->allow.n; i++)
        if (!tk_live_access_add(access, args->allow.v[i])) {
            snprintf(message, TK_OPT_MESSAGE,
                     "option '--allow' takes ADDRESS, ADDRESS/BITS or 'any', not '%.60s'", args->allow.v[i]);
            return false;
        }
    return true;
}

bool tk_record_folder(const char *path, char message[TK_OPT_MESSAGE])
{
    if (tk_host_make_folder(path))
        return true;
    snprintf(message, TK_OPT_MESSAGE, "'%.200s' is not a folder and cannot be created", path);
    return false;
}

int tk_record_status(const struct tk_call *call, const struct tk_record_args *args,
                     const struct tk_live_program *program, enum tk_exit code)
{
    int status;
    if (!tk_live_program_status(program, &status) || status == 0)
        return (int)code;
    tk_message_say(call->program, TK_MESSAGE_NOTE, "the exit status %d is that of '%s'", status,
                   args->program.v[0]);
    return status;
}

#define LIST_SECONDS 4.0 /* programs announce themselves every 3 seconds */
#define END_SECONDS  5.0 /* for a program that was recorded to its end */

static void worsen(struct tk_tracy_run *run, enum tk_exit code)
{
    run->code = tk_exit_worse(run->code, code);
}

/* ---- options ---- */

static bool fill_ends(struct tk_tracy_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_tl_link_options *o = &run->options;
    o->frames = args->frames;
    o->session.want_code = o->session.want_sources = args->code;
    return tk_live_read_size("size", args->size, &o->bytes, message) &&
           tk_live_read_rotation(args->rotate, &run->rotate_bytes, &run->rotate_seconds, message) &&
           tk_live_read_size("free", args->free_bytes, &run->free_bytes, message) &&
           tk_live_read_size("keep-bytes", args->keep_bytes, &run->rules.most_bytes, message) &&
           tk_opt_real("keep-days", args->keep_days, false, &run->rules.days, message) &&
           tk_opt_real("seconds", args->seconds, false, &run->seconds, message) &&
           tk_opt_real("until-idle", args->idle, false, &o->idle, message);
}

static bool say_no(char message[TK_OPT_MESSAGE], const char *sentence)
{
    snprintf(message, TK_OPT_MESSAGE, "%s", sentence);
    return false;
}

static bool check(const struct tk_tracy_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    const bool named = *run->source.host != 0;
    if (args->rotate && args->size)
        return say_no(message, "option '--rotate' goes on in new files, and goes without --size");
    if (args->rotate && args->output && strcmp(args->output, "-") == 0)
        return say_no(message, "option '--rotate' goes on in new files, and goes without '--output -'");
    if (args->program.n && (args->all || args->wait))
        return say_no(message, "a program that is started is waited for: it goes without --all and --wait");
    if (named && args->all)
        return say_no(message, "option '--all' goes with tracy:// without a host");
    if (named && args->wait && *args->wait)
        return say_no(message, "option '--wait' takes a name with tracy:// without a host");
    if (args->all && args->output)
        return say_no(message,
                      "option '--all' writes a file for each program: use --into instead of --output");
    if (args->output && (args->into || args->name))
        return say_no(message, "option '--output' names the file, and goes without --into and --name");
    if (!named && !args->all && !args->wait && args->output)
        return say_no(message, "tracy:// without a host lists programs; to record one add --wait or a host");
    return !args->into || tk_record_folder(args->into, message);
}

static bool fill(struct tk_tracy_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    run->quiet = args->common.quiet || (args->output && strcmp(args->output, "-") == 0);
    if (!tk_live_read_format(args->format, &run->json, message))
        return false;
    if (!tk_tracy_source_read(&run->source, run->call->operands->v[0], message))
        return false;
    if (args->program.n && !*run->source.host)
        snprintf(run->source.host, sizeof run->source.host, "localhost");
    if (!check(run, message) || !fill_ends(run, message) || !tk_record_access(&run->access, args, message))
        return false;
    if (args->port) {
        size_t n = 1;
        if (!tk_live_read_ports("port", args->port, &run->source.port, 1, &n, message))
            return false;
    }
    run->options.seconds = run->seconds;
    run->rules.prefix = args->name;
    run->rules.ending = ".tracy";
    run->rules.free_bytes = args->output ? 0 : run->free_bytes;
    run->options.patience = args->wait || args->program.n ? -1 : 0;
    if (*run->source.host && !tk_tracy_source_find(&run->source, &run->options, message))
        return false;
    return args->program.n == 0 || tk_tracy_program_fill(run, message);
}

/* ---- recordings ---- */

static void close_job(struct tk_tracy_job *job)
{
    tk_tl_link_close(job->link);
    tk_tracy_file_leave(job);
    free(job->path);
    free(job->piece);
    *job = (struct tk_tracy_job){0};
}

static int begin_job(struct tk_tracy_run *run, const struct tk_tl_link_options *options, struct tk_err *err)
{
    struct tk_tracy_job job = {0};
    struct tk_tl_link_options with = *options;
    int rc = tk_tracy_file_check(run, &with.keeps, err);
    if (rc == TK_OK)
        rc = tk_tl_link_open(&job.link, &with);
    if (rc == TK_OK && tk_vec_push(&run->jobs, job))
        rc = tk_err_nomem(err, "a recording");
    if (rc != TK_OK)
        close_job(&job);
    return rc;
}

/* said: a cause that was said already; NULL: none was. */
static void fail_job(struct tk_tracy_run *run, const struct tk_tracy_job *job, int rc,
                     const struct tk_err *err, const struct tk_err *said)
{
    tk_live_line_hide();
    if (!said || !said->n || !err->n || strcmp(said->text[0], err->text[0]) != 0)
        tk_message_error(run->call->program, tk_tracy_path(job), rc, err);
    worsen(run, rc == TK_EIO ? TK_EXIT_FAILED : tk_exit_of(rc));
}

static void end_job(struct tk_tracy_run *run, struct tk_tracy_job *job)
{
    struct tk_err err = {0};
    int rc = TK_OK;
    run->left_early = tk_tl_link_state(job->link).end > TK_TL_END_CRASH;
    if (tk_tl_link_has_capture(job->link)) {
        run->recorded++;
        rc = tk_tracy_file_save(run, job, &err);
        if (rc == TK_OK)
            tk_tracy_say_ended(run, job);
    }
    tk_tracy_judge(run, job);
    if (rc != TK_OK)
        fail_job(run, job, rc, &err, tk_tl_link_state(job->link).err);
    if (rc != TK_OK && job->log)
        tk_tracy_say_kept(run, job->path, job->log->file.path, job->log->file.bytes);
    close_job(job);
}

/* ---- announcements ---- */

static int listen_to_all(struct tk_tracy_run *run, struct tk_err *err)
{
    const struct tk_os_address at =
        tk_os_address_every(run->source.port ? run->source.port : TK_TL_ANNOUNCE_PORT);
    const struct tk_os_result rc = tk_os_datagram_listen(&run->heard, &at, NULL);
    return rc.error ? tk_err_set(err, TK_EIO, "cannot listen to announcements on port %u: %s", at.port,
                                 tk_os_text(rc))
                    : TK_OK;
}

/* Programs of other machines are only followed where they are allowed. */
static bool is_wanted(const struct tk_tracy_run *run, const struct tk_tl_announced *a)
{
    const char *name = run->args->wait;
    if (a->taken || !tk_tl_releases(a->protocol) || tk_tracy_was_refused(run, a, tk_os_seconds()))
        return false;
    if (name && *name && !tk_glob_typed(name, strlen(name), a->name, strlen(a->name)))
        return false;
    return tk_live_access_allows(&run->access, &a->at) || tk_tracy_is_here(&a->at);
}

static int follow(struct tk_tracy_run *run, struct tk_tl_announced *a, struct tk_err *err)
{
    struct tk_tl_link_options options = run->options;
    if (run->args->program.n) {
        tk_tracy_program_heard(run, a);
        return TK_OK;
    }
    const uint64_t most = run->args->all ? run->args->count : 1;
    if ((!run->args->all && !run->args->wait) || !is_wanted(run, a) ||
        (most && run->recorded + run->jobs.n >= most))
        return TK_OK;
    a->taken = true;
    options.n_at = tk_tracy_addresses_of(&a->at, options.at);
    options.patience = 0;
    return begin_job(run, &options, err);
}

static int hear(struct tk_tracy_run *run, double now, struct tk_err *err)
{
    uint8_t datagram[TK_TL_ANNOUNCE_BYTES];
    struct tk_os_address from;
    size_t got;
    int rc = TK_OK;
    while (rc == TK_OK && !tk_os_datagram_read(run->heard, datagram, sizeof datagram, &got, &from).error) {
        bool is_new;
        struct tk_tl_announced *a =
            tk_tl_announce_take(&run->announcements, datagram, got, &from, now, &is_new);
        if (a && is_new && !run->args->all && !run->args->wait && !run->args->program.n) {
            tk_tracy_say_announced(run, a);
            run->listed = true;
        }
        if (a)
            rc = follow(run, a, err);
    }
    tk_tl_announce_age(&run->announcements, now);
    return rc;
}

/* ---- the run ---- */

static void remove_job(struct tk_tracy_run *run, size_t i)
{
    memmove(&run->jobs.v[i], &run->jobs.v[i + 1], (run->jobs.n - i - 1) * sizeof *run->jobs.v);
    run->jobs.n--;
}

/* It has greeted: what arrives gets its file. false: it cannot, and the program is left. */
static bool greet_job(struct tk_tracy_run *run, struct tk_tracy_job *job)
{
    struct tk_err err = {0};
    if (run->args->output && run->recorded) {
        tk_tracy_say_let_go(run, job);
        tk_tl_link_let_go(job->link);
        close_job(job);
        return false;
    }
    const int rc = tk_tracy_file_begin(run, job, &err);
    if (rc != TK_OK) {
        fail_job(run, job, rc, &err, NULL);
        close_job(job);
        return false;
    }
    tk_tracy_say_began(run, job);
    return true;
}

static void serve_jobs(struct tk_tracy_run *run, const struct tk_live_waits *waits, double now)
{
    for (size_t i = run->jobs.n; i-- > 0;) {
        struct tk_tracy_job *job = &run->jobs.v[i];
        tk_tl_link_serve(job->link, waits, now);
        struct tk_err err = {0};
        const int rc = job->reported ? tk_tracy_file_rotate(run, job, now, &err) : TK_OK;
        if (rc != TK_OK)
            fail_job(run, job, rc, &err, NULL);
        if (!job->reported && tk_tl_link_has_capture(job->link) && !greet_job(run, job)) {
            remove_job(run, i);
        } else if (tk_tl_link_is_over(job->link)) {
            end_job(run, job);
            remove_job(run, i);
        }
    }
}

/* A second request ends at once what the first one ends in order. */
static void stop_jobs(struct tk_tracy_run *run, double now)
{
    const unsigned requested = tk_host_stops() > 1 ? 2 : 1;
    for (size_t i = 0; run->stopped < requested && i < run->jobs.n; i++)
        tk_tl_link_stop(run->jobs.v[i].link, now);
    run->stopped = requested;
}

/* Is it time to end, as far as programs that are being recorded have been reported? */
static bool is_over(struct tk_tracy_run *run, double now)
{
    const struct tk_record_args *args = run->args;
    const bool waits = run->heard != NULL && args->program.n == 0,
               records = args->all || args->wait || *run->source.host;
    const double most = !records && run->seconds <= 0 ? LIST_SECONDS : run->seconds;
    if (tk_host_stopped() || ((waits || args->wait) && most > 0 && now - run->began >= most))
        stop_jobs(run, now);
    if (tk_live_program_ended(&run->program, now) && now - run->program.ended > 1)
        for (size_t i = 0; i < run->jobs.n; i++)
            if (!tk_tl_link_has_capture(run->jobs.v[i].link))
                tk_tl_link_stop(run->jobs.v[i].link, now);
    if (run->jobs.n)
        return false;
    if (args->program.n)
        return run->stopped || run->program.over || run->left_early;
    if (!waits || run->stopped)
        return true;
    const uint64_t enough = args->all ? args->count : args->wait ? 1 : 0;
    return (enough && run->recorded >= enough) || (args->until_exit && run->recorded);
}

static double rest_of(const struct tk_tracy_run *run, double now)
{
    double rest = TK_RECORD_STEP;
    for (size_t i = 0; i < run->jobs.n; i++)
        rest = tk_tl_link_rest(run->jobs.v[i].link, now, rest);
    return rest;
}

static int loop(struct tk_tracy_run *run, struct tk_err *err)
{
    struct tk_live_waits waits = {0};
    int rc = TK_OK;
    double now = tk_os_seconds();
    for (; rc == TK_OK && !is_over(run, now); now = tk_os_seconds()) {
        waits.list.n = 0;
        if (run->heard && !tk_live_wait_for(&waits, run->heard, true, false))
            rc = TK_ENOMEM;
        for (size_t i = 0; rc == TK_OK && i < run->jobs.n; i++)
            rc = tk_tl_link_ask(run->jobs.v[i].link, &waits);
        if (rc != TK_OK || tk_os_socket_wait(waits.list.v, waits.list.n, NULL, rest_of(run, now)).error)
            rc = tk_err_nomem(err, "connections");
        if (rc == TK_OK)
            serve_jobs(run, &waits, tk_os_seconds());
        if (rc == TK_OK && run->args->program.n && run->jobs.n == 0 && !is_over(run, now))
            rc = begin_job(run, &run->options, err); /* what else it starts */
        if (rc == TK_OK && run->heard && !run->stopped)
            rc = hear(run, now, err);
        tk_tracy_file_keep(run, now);
        tk_tracy_draw(run, now);
    }
    tk_vec_release(&waits.list);
    return rc;
}

static int begin(struct tk_tracy_run *run, struct tk_err *err)
{
    int rc = *run->source.host ? begin_job(run, &run->options, err) : listen_to_all(run, err);
    if (rc != TK_OK || run->args->program.n == 0)
        return rc;
    struct tk_err ignored = {0};
    if (listen_to_all(run, &ignored) != TK_OK) /* another way to find it, which is not always there */
        run->heard = NULL;
    return tk_tracy_program_start(run, err);
}

/* A program that was started and has been recorded to its end ends soon; the others are requested to. */
static void end_program(struct tk_tracy_run *run)
{
    const double most = tk_os_seconds() + END_SECONDS;
    while (run->program.program && run->recorded && !tk_host_stopped() && tk_os_seconds() < most &&
           !tk_live_program_ended(&run->program, tk_os_seconds()))
        tk_os_socket_wait(NULL, 0, NULL, 0.02);
    tk_live_program_stop(&run->program);
}

static int record(struct tk_tracy_run *run)
{
    struct tk_err err = {0};
    const bool lists = !*run->source.host && !run->args->all && !run->args->wait;
    run->began = tk_os_seconds();
    tk_tracy_file_keep(run, run->began);
    int rc = tk_live_check_space(run->args->output, run->args->into, run->free_bytes, &err);
    if (rc == TK_OK)
        rc = begin(run, &err);
    if (rc == TK_OK)
        rc = loop(run, &err);
    tk_live_line_hide();
    end_program(run);
    if (rc != TK_OK) {
        tk_message_error(run->call->program, NULL, rc, &err);
        worsen(run, rc == TK_EIO ? TK_EXIT_FAILED : tk_exit_of(rc));
    } else if (lists ? !run->listed : !run->recorded && run->code == TK_EXIT_DONE) {
        tk_message_say(run->call->program, TK_MESSAGE_NOTE,
                       "no Tracy program announced itself; name its host where it does not: tracy://HOST");
        worsen(run, TK_EXIT_NO);
    }
    return tk_record_status(run->call, run->args, &run->program, run->code);
}

static int record_all(struct tk_tracy_run *run)
{
    tk_host_note_stops();
    const int code = record(run);
    for (size_t i = 0; i < run->jobs.n; i++)
        close_job(&run->jobs.v[i]);
    tk_vec_release(&run->jobs);
    tk_vec_release(&run->announcements.list);
    tk_vec_release(&run->refused);
    tk_os_socket_close(run->heard);
    tk_live_program_close(&run->program);
    return code;
}

int tk_record_tracy(const struct tk_call *call, const struct tk_record_args *args)
{
    struct tk_tracy_run *run = calloc(1, sizeof *run);
    char message[TK_OPT_MESSAGE];
    if (!run)
        return tk_message_error(call->program, NULL, TK_ENOMEM, NULL), (int)tk_exit_of(TK_ENOMEM);
    *run = (struct tk_tracy_run){.call = call, .args = args};
    int code;
    if (!fill(run, message))
        code = tk_message_usage(call->program, message);
    else
        code = record_all(run);
    free(run);
    return code;
}
