/*
 * trace-record for Unreal programs: the loop, and the exit status.
 */
#include "base/text/path.h"
#include "live/live_in.h"
#include "live/record.h"
#include "live/session.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/process.h"
#include "os/program.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_EVERY 10.0 /* seconds between looks at the disk */
#define AFTER_END  1.0  /* seconds in which a program that ended may still be connecting */

/* ---- the run ---- */

/* Another program on this machine is not the one that was started. */
static bool is_started(void *ctx, const struct tk_os_address *from)
{
    const struct tk_unreal_run *run = ctx;
    return !run->program.program || !tk_os_address_is_loopback(from) ||
           tk_os_program_has_port(run->program.program, from->port, false) != TK_OS_OTHERS;
}

/* Programs of 4.2x, which connect to 1980, are rare: that port may be taken where nobody requested it. One
 * that is started here gets a free port where the usual ones are taken. */
static int open_recorder(struct tk_unreal_run *run, struct tk_err *err)
{
    run->options.may = run->args->program.n ? is_started : NULL;
    int rc = tk_recorder_open(&run->recorder, &run->options, err);
    if (rc == TK_OK || !run->default_ports)
        return rc;
    run->options.n_listen = 1;
    rc = tk_recorder_open(&run->recorder, &run->options, err);
    if (rc == TK_OK || run->args->program.n == 0)
        return rc;
    run->options.listen[0].port = 0;
    *err = (struct tk_err){0};
    return tk_recorder_open(&run->recorder, &run->options, err);
}

/* Has what was requested come, as far as that is no matter of a program that was started? */
static bool has_all(struct tk_unreal_run *run, const struct tk_recorder_state *state, double now)
{
    if (run->idle > 0 && state->last > 0 && now - state->last >= run->idle) {
        run->why = TK_SESSION_IDLE;
        return true;
    }
    if (run->options.programs && state->ended >= run->options.programs)
        return true;
    return run->args->until_exit && state->began && state->began == state->ended;
}

static bool is_over(struct tk_unreal_run *run, double now)
{
    const struct tk_recorder_state state = tk_recorder_state(run->recorder);
    const bool late = run->seconds > 0 && now - run->began >= run->seconds;
    run->why = late && !tk_host_stopped() ? TK_SESSION_SECONDS : TK_SESSION_STOPPED;
    if (tk_host_stopped() || late)
        return true;
    if (run->args->program.n == 0)
        return has_all(run, &state, now);
    if (!tk_live_program_ended(&run->program, now))
        return false;
    const bool gone = now - run->program.ended >= AFTER_END;
    return (gone || state.began) && state.began == state.ended && tk_recorder_count(run->recorder) == 0;
}

/* The rules for the disk hold at the beginning, behind each recording, and now and then. */
static void keep_rules(struct tk_unreal_run *run, double now)
{
    const struct tk_recorder_state state = tk_recorder_state(run->recorder);
    const struct tk_keep_rules *rules = &run->rules;
    const bool any = rules->days > 0 || rules->most_bytes || (rules->free_bytes && run->args->store);
    if (!any || (run->kept > 0 && now - run->kept < KEEP_EVERY && state.ended == run->kept_after))
        return;
    run->kept = now;
    run->kept_after = state.ended;
    tk_keep_apply(rules, run->options.folder, tk_os_now(), tk_unreal_on_removed, run);
}

static int loop(struct tk_unreal_run *run, struct tk_err *err)
{
    struct tk_live_waits waits = {0};
    int rc = TK_OK;
    double now = tk_os_seconds();
    for (; rc == TK_OK && !is_over(run, now); now = tk_os_seconds()) {
        waits.list.n = 0;
        rc = tk_recorder_ask(run->recorder, &waits);
        if (rc == TK_OK && run->store)
            rc = tk_store_ask(run->store, &waits);
        if (rc != TK_OK || tk_os_socket_wait(waits.list.v, waits.list.n, NULL, TK_RECORD_STEP).error) {
            rc = tk_err_nomem(err, "connections");
            break;
        }
        if (run->store)
            tk_store_serve(run->store, &waits);
        rc = tk_recorder_serve(run->recorder, &waits, err);
        keep_rules(run, now);
        tk_unreal_draw(run, now);
    }
    tk_vec_release(&waits.list);
    return rc;
}

static int start_program(struct tk_unreal_run *run, struct tk_err *err)
{
    const struct tk_os_address *at = tk_recorder_address(run->recorder, 0);
    char address[TK_OS_ADDRESS_TEXT], option[128];
    if (run->args->program.n == 0)
        return TK_OK;
    const char *host = tk_os_address_is_loopback(at) ? tk_os_address_text(at, address) : "127.0.0.1";
    if (at->port == 1981 || at->port == 1980)
        snprintf(option, sizeof option, "-tracehost=%s", host);
    else
        snprintf(option, sizeof option, "-tracehost=%s:%u", host, at->port);
    return tk_live_program_start(&run->program, &run->args->program, "-tracehost", option, NULL, err);
}

/* Programs of this machine that trace to nowhere look for this name, and connect (live 2.1). */
static void announce(const struct tk_unreal_run *run, struct tk_os_beacon **out)
{
    *out = NULL;
    if (!run->args->announce)
        return;
    const struct tk_os_result put = tk_os_beacon_open(out, "UnrealInsightsAutoConnect");
    if (put.error)
        tk_message_say(run->call->program, TK_MESSAGE_WARNING, "cannot ask programs to connect: %s",
                       tk_os_text(put));
}

static void finish(struct tk_unreal_run *run)
{
    const struct tk_recorder_options *o = &run->options;
    tk_recorder_end(run->recorder, run->why);
    tk_live_line_hide();
    tk_live_program_stop(&run->program);
    const bool expected = o->programs || run->seconds > 0 || run->args->program.n;
    if (tk_recorder_state(run->recorder).began == 0 && expected && run->code == TK_EXIT_DONE)
        tk_unreal_say_nothing(run);
}

static int record(struct tk_unreal_run *run)
{
    struct tk_err err = {0};
    int rc = open_recorder(run, &err);
    run->store_options.recorder = run->recorder;
    if (rc == TK_OK && run->args->store)
        rc = tk_store_open(&run->store, &run->store_options, &err);
    if (rc != TK_OK) {
        tk_message_error(run->call->program, NULL, rc, &err);
        tk_message_say(
            run->call->program, TK_MESSAGE_NOTE,
            "an UnrealTraceServer or a viewer may listen there; end it, or choose another port with --port%s",
            run->args->store ? " and --store-port" : "");
        return TK_EXIT_FAILED;
    }
    run->began = tk_os_seconds();
    keep_rules(run, run->began);
    rc = tk_live_check_space(run->args->output, run->options.folder, run->options.free_bytes, &err);
    if (rc != TK_OK) {
        tk_message_error(run->call->program, NULL, rc, &err);
        return TK_EXIT_FAILED;
    }
    if (!run->args->common.quiet)
        tk_unreal_say_ports(run);
    struct tk_os_beacon *beacon;
    announce(run, &beacon);
    rc = start_program(run, &err);
    if (rc == TK_OK)
        rc = loop(run, &err);
    tk_os_beacon_close(beacon);
    if (rc != TK_OK) {
        tk_live_line_hide();
        tk_message_error(run->call->program, NULL, rc, &err);
        tk_unreal_worsen(run, tk_exit_of(rc));
    }
    finish(run);
    return tk_record_status(run->call, run->args, &run->program, run->code);
}

/* A file that cannot be written is found out before a program comes. */
static int check_output(const char *path, bool force, struct tk_err *err)
{
    const size_t n = path ? tk_path_base(path) : 0;
    struct tk_os_info info;
    if (path && !force && tk_host_exists(path))
        return tk_err_set(err, TK_EIO, "cannot create '%s': file exists", path);
    if (n == 0)
        return TK_OK;
    char *folder = malloc(n + 1);
    if (!folder)
        return tk_err_set(err, TK_ENOMEM, "out of memory for a path");
    memcpy(folder, path, n);
    folder[n] = '\0';
    const struct tk_os_result there = tk_os_path_info(folder, &info);
    free(folder);
    return there.error ? tk_err_set(err, TK_EIO, "cannot create '%s': %s", path, tk_os_text(there)) : TK_OK;
}

static int record_all(struct tk_unreal_run *run)
{
    const struct tk_call *call = run->call;
    const struct tk_record_args *args = run->args;
    char message[TK_OPT_MESSAGE];
    if (!tk_unreal_fill(run, message))
        return tk_message_usage(call->program, message);
    struct tk_err err = {0};
    char *first = args->output && args->rotate ? tk_rotation_name(args->output, 1) : NULL;
    const int rc = check_output(first ? first : args->output, args->force, &err);
    free(first);
    if (rc != TK_OK) {
        tk_message_error(call->program, NULL, rc, &err);
        return (int)tk_exit_of(rc);
    }
    tk_host_note_stop();
    tk_os_raise_open_files();
    const int code = record(run);
    tk_store_close(run->store);
    tk_recorder_close(run->recorder);
    tk_live_program_close(&run->program);
    return code;
}

int tk_record_unreal(const struct tk_call *call, const struct tk_record_args *args)
{
    struct tk_unreal_run *run = calloc(1, sizeof *run);
    if (!run)
        return tk_message_error(call->program, NULL, TK_ENOMEM, NULL), (int)tk_exit_of(TK_ENOMEM);
    *run = (struct tk_unreal_run){.call = call, .args = args};
    const int code = record_all(run);
    free(run);
    return code;
}

/*
 * The options of trace-record as those of the recorder of Unreal programs, its store and its rules for the
 * disk.
 */

static bool fill_addresses(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    uint16_t ports[TK_RECORDER_LISTEN] = {1981, 1980};
    struct tk_os_address at = tk_os_address_loopback(0);
    size_t n = 2;
    run->default_ports = !args->port;
    if (!tk_live_read_ports("port", args->port, ports, TK_RECORDER_LISTEN, &n, message))
        return false;
    if (args->listen && !tk_os_address_parse(&at, args->listen, 0)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--listen' takes a numeric address, not '%.60s'",
                 args->listen);
        return false;
    }
    if (!tk_record_access(&o->access, args, message))
        return false;
    if (!tk_os_address_is_loopback(&at) && args->allow.n == 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--listen' needs --allow: who may connect? ('any' is everybody)");
        return false;
    }
    o->n_listen = n;
    for (size_t i = 0; i < n; i++) {
        o->listen[i] = at;
        o->listen[i].port = ports[i];
    }
    return true;
}

static bool fill_files(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    if (!tk_live_read_format(args->format, &run->json, message))
        return false;
    if (args->name && !tk_live_prefix_is_good(args->name)) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--name' takes a text that file names can contain, not '%.60s'", args->name);
        return false;
    }
    if (args->output && strcmp(args->output, "-") == 0) {
        snprintf(message, TK_OPT_MESSAGE, "option '--output' names a file, and '-' is none");
        return false;
    }
    if (args->store && args->into) {
        snprintf(message, TK_OPT_MESSAGE, "option '--store' names the folder, and goes without --into");
        return false;
    }
    o->file = args->output;
    o->replace = args->force;
    o->folder = args->store ? args->store : args->into ? args->into : ".";
    o->prefix = args->name;
    if (!tk_record_folder(o->folder, message))
        return false;
    o->programs = args->count ? args->count : args->output && !args->into && !args->store ? 1 : 0;
    return true;
}

static bool fill_store(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_store_options *o = &run->store_options;
    uint16_t port = 1989;
    size_t n = 1;
    *o = (struct tk_store_options){
        .access = run->options.access, .folder = args->store, .form = TK_STORE_FORM_5_4};
    if (!args->store && (args->store_port || args->store_form)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--%s' needs --store",
                 args->store_port ? "store-port" : "store-form");
        return false;
    }
    if (args->store_form && strcmp(args->store_form, "5.1") == 0)
        o->form = TK_STORE_FORM_5_1;
    else if (args->store_form && strcmp(args->store_form, "5.4") != 0) {
        snprintf(message, TK_OPT_MESSAGE, "option '--store-form' takes 5.1 or 5.4, not '%.60s'",
                 args->store_form);
        return false;
    }
    if (!tk_live_read_ports("store-port", args->store_port, &port, 1, &n, message))
        return false;
    o->listen = run->options.listen[0];
    o->listen.port = port;
    return true;
}

static bool fill_rules(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_keep_rules *rules = &run->rules;
    if (args->store)
        rules->free_bytes = 1000000000;
    rules->prefix = args->name;
    if (!tk_opt_real("keep-days", args->keep_days, false, &rules->days, message) ||
        !tk_live_read_size("keep-bytes", args->keep_bytes, &rules->most_bytes, message) ||
        !tk_live_read_size("free", args->free_bytes, &rules->free_bytes, message))
        return false;
    run->options.free_bytes = rules->free_bytes;
    return true;
}

static bool fill_rotation(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    if (args->rotate && (args->size || args->store)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--rotate' goes on in new files, and goes without --%s",
                 args->size ? "size" : "store");
        return false;
    }
    return tk_live_read_rotation(args->rotate, &o->rotate_bytes, &o->rotate_seconds, message);
}

bool tk_unreal_fill(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    o->summary = !args->no_summary;
    o->events = (struct tk_recorder_events){tk_unreal_on_began,
                                            tk_unreal_on_ended,
                                            tk_unreal_on_rotated,
                                            tk_unreal_on_denied,
                                            args->control ? tk_unreal_on_channel : NULL,
                                            run};
    return fill_addresses(run, message) && fill_files(run, message) && fill_store(run, message) &&
           fill_rules(run, message) && tk_live_read_size("size", args->size, &o->file_bytes, message) &&
           fill_rotation(run, message) &&
           tk_opt_real("seconds", args->seconds, false, &run->seconds, message) &&
           tk_opt_real("until-idle", args->idle, false, &run->idle, message);
}
