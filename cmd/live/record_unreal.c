/*
 * trace-record for Unreal programs: options for the recorder, the loop, lines about what happens, the exit
 * status.
 */
#include "live/program.h"
#include "live/record.h"
#include "live/record_shared.h"
#include "live/say/figures.h"
#include "live/say/live_json.h"
#include "live/say/live_line.h"
#include "live/say/unreal_json.h"
#include "live/store/keep.h"
#include "live/store/server.h"
#include "live/unreal/recorder.h"
#include "os/beacon.h"
#include "os/clock.h"
#include "os/process.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

#define DRAW_EVERY 0.2
#define KEEP_EVERY 10.0 /* seconds between looks at the disk */
#define AFTER_END  1.0  /* seconds in which a program that ended may still be connecting */

struct run {
    const struct tk_call *call;
    const struct tk_record_args *args;
    struct tk_recorder_options options;
    bool default_ports, json;
    double seconds, idle; /* 0: not asked for */
    struct tk_recorder *recorder;
    struct tk_store_options store_options;
    struct tk_store *store; /* NULL: none is served */
    struct tk_keep_rules rules;
    double kept;         /* when the rules were applied */
    uint64_t kept_after; /* recordings that had ended then */
    struct tk_live_program program;
    double began, drawn;
    uint64_t strangers; /* connections that were none of programs */
    char stranger[128]; /* the last of them */
    enum tk_exit code;
};

static void worsen(struct run *run, enum tk_exit code)
{
    run->code = tk_exit_worse(run->code, code);
}

/* ---- lines about what happens ---- */

static void say_refused(const struct run *run)
{
    if (run->args->common.quiet)
        return;
    if (run->json)
        tk_unreal_json_refused(run->stranger);
    else
        tk_live_say("refused: %s", run->stranger);
}

static void on_began(void *ctx, const struct tk_session *s)
{
    const struct run *run = ctx;
    char address[TK_OS_ADDRESS_TEXT], port[32] = "";
    if (run->json) {
        if (!run->args->common.quiet)
            tk_unreal_json_began(s);
        return;
    }
    if (s->hello.has_port && s->hello.control_port != UINT16_MAX)
        snprintf(port, sizeof port, ", control port %u", s->hello.control_port);
    if (!run->args->common.quiet)
        tk_live_say("%s: began, %s from %s%s", s->file.name, tk_hello_engine(&s->hello),
                    tk_os_address_text(&s->from, address), port);
}

/* "'Game' of '++UE5+Release-5.6' on Linux, " */
static void put_program(char *out, size_t room, const struct tk_live_figures *f)
{
    size_t n = 0;
    *out = '\0';
    if (*f->program)
        n += (size_t)snprintf(out, room, "'%s'", f->program);
    if (*f->build && n < room)
        n += (size_t)snprintf(out + n, room - n, "%s'%s'", n ? " of " : "a program of ", f->build);
    if (n && n + 2 < room)
        snprintf(out + n, room - n, ", ");
}

static void say_figures(const struct tk_session *s, const struct tk_live_figures *f)
{
    char size[TK_FIGURE], time[TK_FIGURE], events[TK_FIGURE], frames[TK_FIGURE], program[3 * TK_LIVE_TEXT],
        lost[64] = "";
    char numbers[TK_FIGURE];
    if (!s->summary) { /* nobody looked at what it holds */
        tk_live_say("%s: %s in %s; %s", s->file.name, tk_live_size(s->file.bytes, size),
                    tk_live_time(s->last - s->since, time), tk_session_end_text(s->end));
        return;
    }
    put_program(program, sizeof program, f);
    if (f->lost)
        snprintf(lost, sizeof lost, ", %s events lost", tk_live_count(f->lost, numbers));
    tk_live_say("%s: %s in %s, %s%llu thread%s, %s frame%s, %s event%s%s; %s", s->file.name,
                tk_live_size(s->file.bytes, size), tk_live_time(s->last - s->since, time), program,
                (unsigned long long)f->threads, f->threads == 1 ? "" : "s", tk_live_count(f->frames, frames),
                f->frames == 1 ? "" : "s", tk_live_count(f->events, events), f->events == 1 ? "" : "s", lost,
                tk_session_end_text(s->end));
}

/* What is wrong with a recording, and what that does to the exit status. */
static void judge(struct run *run, const struct tk_session *s, const struct tk_live_figures *f)
{
    const char *program = run->call->program;
    tk_live_line_hide();
    if (s->end == TK_SESSION_FULL || s->end == TK_SESSION_FAILED) {
        tk_message_say(program, TK_MESSAGE_ERROR, "'%s': %s after %llu bytes: %s", s->file.name,
                       tk_session_end_text(s->end), (unsigned long long)s->file.bytes, tk_os_text(s->why));
        worsen(run, TK_EXIT_FAILED);
    }
    if (s->packets.damaged || f->bad_packets) {
        tk_message_say(program, TK_MESSAGE_WARNING,
                       "'%s': the stream is damaged%s; trace-info says how far it can be read", s->file.name,
                       s->packets.damaged ? ", what follows is no packet" : ", packets do not unpack");
        worsen(run, TK_EXIT_DAMAGED);
    }
    if (f->undeclared) {
        tk_message_say(
            program, TK_MESSAGE_WARNING,
            "'%s': a second connection of a program of 4.2x: what its events are was declared in the first "
            "recording, this one cannot be read",
            s->file.name);
        worsen(run, TK_EXIT_DAMAGED);
    }
    if (tk_session_is_cut(s) && !run->args->common.quiet && s->end != TK_SESSION_SIZE)
        tk_message_say(program, TK_MESSAGE_NOTE, "'%s' ends inside a packet, at offset %llu", s->file.name,
                       (unsigned long long)s->packets.whole);
}

static void on_stranger(struct run *run, const struct tk_session *s)
{
    char address[TK_OS_ADDRESS_TEXT];
    if (s->end == TK_SESSION_EMPTY)
        return; /* programs from 5.4 on do that */
    run->strangers++;
    tk_os_address_text(&s->from, address);
    if (s->looks)
        snprintf(run->stranger, sizeof run->stranger, "%s from %s", s->looks, address);
    else
        snprintf(run->stranger, sizeof run->stranger, "a connection from %s: %s", address,
                 tk_session_end_text(s->end));
    say_refused(run);
}

static void on_ended(void *ctx, const struct tk_session *s, const struct tk_live_figures *figures)
{
    struct run *run = ctx;
    if (!s->recording && s->end != TK_SESSION_FAILED) {
        on_stranger(run, s);
        return;
    }
    if (s->recording && !run->args->common.quiet)
        (run->json ? tk_unreal_json_ended : say_figures)(s, figures);
    judge(run, s, figures);
}

static void on_denied(void *ctx, const struct tk_os_address *from)
{
    struct run *run = ctx;
    char address[TK_OS_ADDRESS_TEXT];
    run->strangers++;
    snprintf(run->stranger, sizeof run->stranger, "a connection from %s, which --allow does not name",
             tk_os_address_text(from, address));
    say_refused(run);
}

static void on_channel(void *ctx, const struct tk_session *s, const char *name, uint32_t id, bool enabled)
{
    const struct run *run = ctx;
    if (run->json)
        tk_unreal_json_channel(s, name, id, enabled);
    else if (*name)
        tk_live_say("%s: channel %s %s", s->file.name, name, enabled ? "on" : "off");
    else
        tk_live_say("%s: channel %lu %s", s->file.name, (unsigned long)id, enabled ? "on" : "off");
}

static void draw(struct run *run, double now)
{
    const struct tk_recorder_state state = tk_recorder_state(run->recorder);
    char text[160], size[TK_FIGURE], time[TK_FIGURE];
    if (run->args->common.quiet || now - run->drawn < DRAW_EVERY)
        return;
    run->drawn = now;
    const uint64_t live = state.began - state.ended;
    snprintf(text, sizeof text, "%llu program%s, %s, %s", (unsigned long long)live, live == 1 ? "" : "s",
             tk_live_size(state.bytes, size), tk_live_time(now - run->began, time));
    tk_live_line_show(text);
}

/* ---- options ---- */

static bool fill_addresses(struct run *run, char message[TK_OPT_MESSAGE])
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
        snprintf(message, TK_OPT_MESSAGE, "option '--listen' takes the numbers of an address, not '%.60s'",
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

static bool fill_files(struct run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    if (!tk_live_read_format(args->format, &run->json, message))
        return false;
    if (args->name && !tk_live_prefix_is_good(args->name)) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--name' takes a text that can be in the name of a file, not '%.60s'", args->name);
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

static bool fill_store(struct run *run, char message[TK_OPT_MESSAGE])
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

static bool fill_rules(struct run *run, char message[TK_OPT_MESSAGE])
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

static bool fill(struct run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    o->summary = !args->no_summary;
    o->events =
        (struct tk_recorder_events){on_began, on_ended, on_denied, args->control ? on_channel : NULL, run};
    return fill_addresses(run, message) && fill_files(run, message) && fill_store(run, message) &&
           fill_rules(run, message) && tk_live_read_size("size", args->size, &o->file_bytes, message) &&
           tk_opt_real("seconds", args->seconds, false, &run->seconds, message) &&
           tk_opt_real("until-idle", args->idle, false, &run->idle, message);
}

/* ---- the run ---- */

/* Programs of 4.2x, which connect to 1980, are rare: that port may be taken where nobody asked for it. */
static int open_recorder(struct run *run, struct tk_err *err)
{
    int rc = tk_recorder_open(&run->recorder, &run->options, err);
    if (rc == TK_OK || !run->default_ports)
        return rc;
    run->options.n_listen = 1;
    return tk_recorder_open(&run->recorder, &run->options, err);
}

/* Has what was asked for come, as far as that is no matter of a program that was started? */
static bool has_all(const struct run *run, const struct tk_recorder_state *state, double now)
{
    if (run->idle > 0 && state->last > 0 && now - state->last >= run->idle)
        return true;
    if (run->options.programs && state->ended >= run->options.programs)
        return true;
    return run->args->until_exit && state->began && state->began == state->ended;
}

static bool is_over(struct run *run, double now)
{
    const struct tk_recorder_state state = tk_recorder_state(run->recorder);
    if (tk_host_stopped() || (run->seconds > 0 && now - run->began >= run->seconds))
        return true;
    if (run->args->program.n == 0)
        return has_all(run, &state, now);
    if (!tk_live_program_ended(&run->program, now))
        return false;
    const bool late = now - run->program.ended >= AFTER_END;
    return (late || state.began) && state.began == state.ended && tk_recorder_count(run->recorder) == 0;
}

static void on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason)
{
    static const char *const why[] = {[TK_KEEP_DAYS] = "it is older than --keep-days",
                                      [TK_KEEP_BYTES] = "all are more than --keep-bytes",
                                      [TK_KEEP_FREE] = "the disk has less than --free"};
    const struct run *run = ctx;
    char size[TK_FIGURE];
    if (run->json && !run->args->common.quiet)
        tk_unreal_json_removed(name, bytes, why[reason]);
    else if (!run->args->common.quiet)
        tk_live_say("%s.utrace: removed, %s; %s", name, tk_live_size(bytes, size), why[reason]);
}

/* The rules for the disk hold at the beginning, behind each recording, and now and then. */
static void keep_rules(struct run *run, double now)
{
    const struct tk_recorder_state state = tk_recorder_state(run->recorder);
    const struct tk_keep_rules *rules = &run->rules;
    const bool any = rules->days > 0 || rules->most_bytes || (rules->free_bytes && run->args->store);
    if (!any || (run->kept > 0 && now - run->kept < KEEP_EVERY && state.ended == run->kept_after))
        return;
    run->kept = now;
    run->kept_after = state.ended;
    tk_keep_apply(rules, run->options.folder, tk_os_now(), on_removed, run);
}

static int loop(struct run *run, struct tk_err *err)
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
        draw(run, now);
    }
    tk_vec_release(&waits.list);
    return rc;
}

/* On standard error, as standard output lists recordings. */
static void say_ports(const struct run *run)
{
    const struct tk_os_address *at;
    char address[TK_OS_ADDRESS_TEXT], text[128];
    int n = 0;
    size_t i = 0;
    for (; (at = tk_recorder_address(run->recorder, i)) != NULL && n < (int)sizeof text; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%u", i ? ", " : "", at->port);
    /* a program that is started ends it, too */
    fprintf(stderr, "listening on %s port%s %s for Unreal programs%s\n",
            tk_os_address_text(tk_recorder_address(run->recorder, 0), address), i > 1 ? "s" : "", text,
            run->args->program.n ? "" : "; Ctrl-C ends this");
    if (run->store)
        fprintf(stderr, "serving '%s' to viewers on port %u\n", run->args->store,
                tk_store_address(run->store)->port);
}

/* Nothing was recorded, and something was to be. */
static void say_nothing(struct run *run)
{
    const char *program = run->call->program;
    int status;
    if (run->strangers)
        tk_message_say(program, TK_MESSAGE_ERROR, "no program connected; the last that came was %s",
                       run->stranger);
    else if (tk_live_program_status(&run->program, &status))
        tk_message_say(
            program, TK_MESSAGE_ERROR,
            "the program did not connect; is it a build with tracing (Shipping has none), and does it take "
            "-tracehost?");
    else
        tk_message_say(
            program, TK_MESSAGE_ERROR,
            "no program connected; it has to run with -tracehost=127.0.0.1, or Trace.Send 127.0.0.1");
    worsen(run, TK_EXIT_NO);
}

static int start_program(struct run *run, struct tk_err *err)
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
    return tk_live_program_start(&run->program, &run->args->program, "-tracehost", option, err);
}

/* Programs of this machine that trace to nowhere look for this name, and connect (live 2.1). */
static void announce(const struct run *run, struct tk_os_beacon **out)
{
    *out = NULL;
    if (!run->args->announce)
        return;
    const struct tk_os_result put = tk_os_beacon_open(out, "UnrealInsightsAutoConnect");
    if (put.error)
        tk_message_say(run->call->program, TK_MESSAGE_WARNING, "cannot ask programs to connect: %s",
                       tk_os_text(put));
}

static void finish(struct run *run)
{
    const struct tk_recorder_options *o = &run->options;
    tk_recorder_end(run->recorder);
    tk_live_line_hide();
    tk_live_program_stop(&run->program);
    const bool expected = o->programs || run->seconds > 0 || run->args->program.n;
    if (tk_recorder_state(run->recorder).began == 0 && expected && run->code == TK_EXIT_DONE)
        say_nothing(run);
}

static int record(struct run *run)
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
    if (!run->args->common.quiet)
        say_ports(run);
    struct tk_os_beacon *beacon;
    announce(run, &beacon);
    rc = start_program(run, &err);
    if (rc == TK_OK)
        rc = loop(run, &err);
    tk_os_beacon_close(beacon);
    if (rc != TK_OK) {
        tk_live_line_hide();
        tk_message_error(run->call->program, NULL, rc, &err);
        worsen(run, tk_exit_of(rc));
    }
    finish(run);
    return tk_record_status(run->call, run->args, &run->program, run->code);
}

int tk_record_unreal(const struct tk_call *call, const struct tk_record_args *args)
{
    struct run run = {.call = call, .args = args};
    char message[TK_OPT_MESSAGE];
    if (!fill(&run, message))
        return tk_message_usage(call->program, message);
    tk_host_note_stop();
    tk_os_raise_open_files();
    const int code = record(&run);
    tk_store_close(run.store);
    tk_recorder_close(run.recorder);
    tk_live_program_close(&run.program);
    return code;
}
