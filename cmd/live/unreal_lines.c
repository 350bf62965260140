/*
 * What trace-record says of Unreal programs that it records: lines on the terminal or of JSON, and what is
 * wrong with a recording.
 */
#include "base/text/path.h"
#include "live/live_in.h"
#include "terminal/message.h"

#include <stdio.h>

#define DRAW_EVERY 0.2

static void say_refused(const struct tk_unreal_run *run)
{
    if (run->args->common.quiet)
        return;
    if (run->json)
        tk_unreal_json_refused(run->stranger);
    else
        tk_live_say("refused: %s", run->stranger);
}

void tk_unreal_on_began(void *ctx, const struct tk_session *s)
{
    const struct tk_unreal_run *run = ctx;
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
static void put_program(char *out, size_t capacity, const struct tk_live_figures *f)
{
    size_t n = 0;
    *out = '\0';
    if (*f->program)
        n += (size_t)snprintf(out, capacity, "'%s'", f->program);
    if (*f->build && n < capacity)
        n += (size_t)snprintf(out + n, capacity - n, "%s'%s'", n ? " of " : "a program of ", f->build);
    if (n && n + 2 < capacity)
        snprintf(out + n, capacity - n, ", ");
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
static void judge(struct tk_unreal_run *run, const struct tk_session *s, const struct tk_live_figures *f)
{
    const char *program = run->call->program;
    tk_live_line_hide();
    if (s->end == TK_SESSION_FULL || s->end == TK_SESSION_FAILED) {
        tk_message_say(program, TK_MESSAGE_ERROR, "'%s': %s after %llu bytes: %s", s->file.name,
                       tk_session_end_text(s->end), (unsigned long long)s->file.bytes, tk_os_text(s->why));
        tk_unreal_worsen(run, TK_EXIT_FAILED);
    }
    if (s->packets.damaged || f->bad_packets) {
        tk_message_say(program, TK_MESSAGE_WARNING,
                       "'%s': the stream is damaged%s; trace-info says how far it can be read", s->file.name,
                       s->packets.damaged ? ", what follows is not a packet"
                                          : ", packets cannot be decompressed");
        tk_unreal_worsen(run, TK_EXIT_DAMAGED);
    }
    if (f->undeclared) {
        tk_message_say(program, TK_MESSAGE_WARNING,
                       "'%s': a second connection of a program of 4.2x: its event types were declared in the "
                       "first recording only, so this one cannot be read",
                       s->file.name);
        tk_unreal_worsen(run, TK_EXIT_DAMAGED);
    }
    if (tk_session_is_cut(s) && !run->args->common.quiet)
        tk_message_say(program, TK_MESSAGE_NOTE, "'%s' ends inside a packet, at offset %llu", s->file.name,
                       (unsigned long long)(s->rotation.number
                                                ? tk_rotation_place(&s->rotation, s->packets.whole)
                                                : s->packets.whole));
}

static void on_stranger(struct tk_unreal_run *run, const struct tk_session *s)
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

void tk_unreal_on_ended(void *ctx, const struct tk_session *s, const struct tk_live_figures *figures)
{
    struct tk_unreal_run *run = ctx;
    if (!s->recording && s->end != TK_SESSION_FAILED) {
        on_stranger(run, s);
        return;
    }
    if (s->recording && !run->args->common.quiet)
        (run->json ? tk_unreal_json_ended : say_figures)(s, figures);
    judge(run, s, figures);
}

void tk_unreal_on_rotated(void *ctx, const struct tk_session *s, const char *path, uint64_t bytes,
                          const struct tk_err *err)
{
    const struct tk_unreal_run *run = ctx;
    char size[TK_FIGURE];
    if (err)
        tk_message_say(run->call->program, TK_MESSAGE_WARNING, "'%s' goes on in the same file: %s", path,
                       err->n ? err->text[0] : "out of memory");
    else if (run->json && !run->args->common.quiet)
        tk_live_json_rotated(path, bytes, s->file.path);
    else if (!run->args->common.quiet)
        tk_live_say("%s: %s, goes on in %s", path + tk_path_base(path), tk_live_size(bytes, size),
                    s->file.name);
}

void tk_unreal_on_denied(void *ctx, const struct tk_os_address *from)
{
    struct tk_unreal_run *run = ctx;
    char address[TK_OS_ADDRESS_TEXT];
    run->strangers++;
    snprintf(run->stranger, sizeof run->stranger, "a connection from %s, %s",
             tk_os_address_text(from, address),
             tk_os_address_is_loopback(from) ? "which is another program than the one that was started"
                                             : "which --allow does not name");
    say_refused(run);
}

void tk_unreal_on_channel(void *ctx, const struct tk_session *s, const char *name, uint32_t id, bool enabled)
{
    const struct tk_unreal_run *run = ctx;
    if (run->json)
        tk_unreal_json_channel(s, name, id, enabled);
    else if (*name)
        tk_live_say("%s: channel %s %s", s->file.name, name, enabled ? "on" : "off");
    else
        tk_live_say("%s: channel %lu %s", s->file.name, (unsigned long)id, enabled ? "on" : "off");
}

void tk_unreal_draw(struct tk_unreal_run *run, double now)
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

void tk_unreal_on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason)
{
    const struct tk_unreal_run *run = ctx;
    char size[TK_FIGURE];
    if (run->json && !run->args->common.quiet)
        tk_unreal_json_removed(name, bytes, tk_live_why_removed(reason));
    else if (!run->args->common.quiet)
        tk_live_say("%s.utrace: removed, %s; %s", name, tk_live_size(bytes, size),
                    tk_live_why_removed(reason));
}

void tk_unreal_say_ports(const struct tk_unreal_run *run)
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

/* What a program has to be started with, so that it comes. */
static void say_how(const struct tk_unreal_run *run)
{
    const struct tk_os_address *at = tk_recorder_address(run->recorder, 0);
    const char *host = tk_os_address_is_loopback(at) ? "127.0.0.1" : "HOST (this machine, as it sees it)";
    const char *program = run->call->program;
    if (at->port == 1981 || at->port == 1980)
        tk_message_say(program, TK_MESSAGE_ERROR,
                       "no program connected; it has to run with -tracehost=%s, or Trace.Send %s", host,
                       tk_os_address_is_loopback(at) ? host : "HOST");
    else
        tk_message_say(
            program, TK_MESSAGE_ERROR,
            "no program connected; programs from 5.4 on have to run with -tracehost=HOST:%u, others "
            "know ports 1981 and 1980 alone",
            at->port);
}

void tk_unreal_say_nothing(struct tk_unreal_run *run)
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
        say_how(run);
    tk_unreal_worsen(run, TK_EXIT_NO);
}
