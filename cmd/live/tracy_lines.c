/*
 * What trace-record says about Tracy programs: lines, progress and faults.
 */
#include "base/text/text.h"
#include "live/live_in.h"
#include "live/record.h"
#include "live/tracy/link.h"
#include "os/clock.h"
#include "os/socket.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

#define DRAW_EVERY 0.2

enum { DISPLAYED = 256 };

static void put_address(const struct tk_os_address *at, char *out, size_t capacity)
{
    char address[TK_OS_ADDRESS_TEXT];
    tk_os_address_text(at, address);
    snprintf(out, capacity, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, at->port);
}

static void json_began(const struct tk_tracy_job *job, const struct tk_tl_link_state *s, const char *at)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "began");
    tk_live_object_text(&o, "file", tk_tracy_path(job));
    tk_live_object_text(&o, "program", s->session->welcome.program);
    tk_live_object_text(&o, "release", tk_tl_releases(s->protocol));
    tk_live_object_text(&o, "from", at);
    tk_live_object_end(&o);
}

static void json_ended(const struct tk_tracy_job *job, const struct tk_tl_link_state *s)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "ended");
    tk_live_object_text(&o, "file", tk_tracy_path(job));
    tk_live_object_number(&o, "bytes", s->bytes - job->rotated);
    tk_live_object_seconds(&o, "seconds", s->last - s->began);
    tk_live_object_text(&o, "why", tk_tl_end_text(s->end));
    tk_live_object_text(&o, "program", s->session->welcome.program);
    tk_live_object_number(&o, "threads", s->session->threads.n);
    tk_live_object_number(&o, "frames", s->frames);
    tk_live_object_number(&o, "zones", s->session->zones);
    tk_live_object_end(&o);
}

static void json_announced(const struct tk_tl_announced *a, const char *at, const char *releases)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "announced");
    tk_live_object_text(&o, "at", at);
    tk_live_object_text(&o, "program", a->name);
    tk_live_object_number(&o, "protocol", a->protocol);
    tk_live_object_text(&o, "release", releases ? releases : "");
    tk_live_object_seconds(&o, "waits", (double)a->active);
    tk_live_object_end(&o);
}

void tk_tracy_say_began(struct tk_tracy_run *run, struct tk_tracy_job *job)
{
    const struct tk_tl_link_state s = tk_tl_link_state(job->link);
    char name[DISPLAYED], at[TK_OS_ADDRESS_TEXT + 8];
    job->reported = true;
    if (run->quiet)
        return;
    put_address(&s.at, at, sizeof at);
    if (run->json) {
        json_began(job, &s, at);
        return;
    }
    tk_live_say("%s: began, '%s' of Tracy %s at %s", tk_tracy_path(job),
                tk_tracy_displayed(s.session->welcome.program, name, sizeof name), tk_tl_releases(s.protocol),
                at);
}

void tk_tracy_say_ended(struct tk_tracy_run *run, const struct tk_tracy_job *job)
{
    const struct tk_tl_link_state s = tk_tl_link_state(job->link);
    char size[TK_FIGURE], time[TK_FIGURE], frames[TK_FIGURE], zones[TK_FIGURE], name[DISPLAYED];
    const size_t threads = s.session->threads.n;
    if (run->quiet)
        return;
    if (run->json) {
        json_ended(job, &s);
        return;
    }
    tk_live_say("%s: %s in %s, '%s', %zu thread%s, %s frame%s, %s zone%s; %s", tk_tracy_path(job),
                tk_live_size(s.bytes - job->rotated, size), tk_live_time(s.last - s.began, time),
                tk_tracy_displayed(s.session->welcome.program, name, sizeof name), threads,
                threads == 1 ? "" : "s", tk_live_count(s.frames, frames), s.frames == 1 ? "" : "s",
                tk_live_count(s.session->zones, zones), s.session->zones == 1 ? "" : "s",
                tk_tl_end_text(s.end));
}

void tk_tracy_say_rotated(const struct tk_tracy_run *run, const struct tk_tracy_job *job, const char *before,
                          uint64_t bytes)
{
    char size[TK_FIGURE];
    if (run->json && !run->quiet)
        tk_live_json_rotated(before, bytes, job->piece);
    else if (!run->quiet)
        tk_live_say("%s: %s; goes on in %s", before, tk_live_size(bytes, size), job->piece);
}

void tk_tracy_say_kept(const struct tk_tracy_run *run, const char *path, const char *log, uint64_t bytes)
{
    char size[TK_FIGURE];
    tk_message_say(run->call->program, TK_MESSAGE_NOTE,
                   "'%s': what arrived, %s, is in '%s'; 'trace-record --resume %s' makes the capture", path,
                   tk_live_size(bytes, size), log, path);
}

static void json_resumed(const char *path, const struct tk_tl_session *s, const struct tk_tl_played *played)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "resumed");
    tk_live_object_text(&o, "file", path);
    tk_live_object_number(&o, "bytes", played->bytes);
    tk_live_object_text(&o, "program", s->state->welcome.program);
    tk_live_object_number(&o, "threads", s->state->threads.n);
    tk_live_object_number(&o, "frames", tk_tl_session_frames(s));
    tk_live_object_number(&o, "zones", s->state->zones);
    tk_live_object_number(&o, "unanswered", s->unanswered);
    tk_live_object_end(&o);
}

static void say_resumed(const char *path, const struct tk_tl_session *s, const struct tk_tl_played *played)
{
    char size[TK_FIGURE], frames[TK_FIGURE], zones[TK_FIGURE], name[DISPLAYED];
    const size_t threads = s->state->threads.n;
    const uint64_t n = tk_tl_session_frames(s);
    tk_live_say("%s: made of %s that arrived, '%s', %zu thread%s, %s frame%s, %s zone%s; %s", path,
                tk_live_size(played->bytes, size),
                tk_tracy_displayed(s->state->welcome.program, name, sizeof name), threads,
                threads == 1 ? "" : "s", tk_live_count(n, frames), n == 1 ? "" : "s",
                tk_live_count(s->state->zones, zones), s->state->zones == 1 ? "" : "s",
                s->state->terminated ? "the program had ended" : "the program had not ended");
}

enum tk_exit tk_tracy_say_resumed(const struct tk_call *call, const struct tk_record_args *args,
                                  const char *path, const struct tk_tl_session *session,
                                  const struct tk_tl_played *played, const struct tk_err *err)
{
    bool json = args->format && strcmp(args->format, "json") == 0;
    if (!args->common.quiet)
        (json ? json_resumed : say_resumed)(path, session, played);
    if (session->unanswered)
        tk_message_say(call->program, TK_MESSAGE_NOTE,
                       "'%s': %llu requests for names were not answered before it was broken off", path,
                       (unsigned long long)session->unanswered);
    if (played->damaged)
        tk_message_say(call->program, TK_MESSAGE_WARNING, "'%s' ends early: %s", path,
                       err->n ? err->text[0] : "the log is damaged");
    return played->damaged ? TK_EXIT_DAMAGED : TK_EXIT_DONE;
}

void tk_tracy_on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason)
{
    const struct tk_tracy_run *run = ctx;
    char size[TK_FIGURE], file[300];
    snprintf(file, sizeof file, "%s.tracy", name);
    if (run->json && !run->quiet)
        tk_unreal_json_removed(file, bytes, tk_live_why_removed(reason));
    else if (!run->quiet)
        tk_live_say("%s: removed, %s; %s", file, tk_live_size(bytes, size), tk_live_why_removed(reason));
}

void tk_tracy_draw(struct tk_tracy_run *run, double now)
{
    uint64_t bytes = 0, zones = 0, questions = 0, held = 0, new_bytes = 0;
    char text[200], rate[TK_FIGURE], memory[TK_FIGURE], time[TK_FIGURE], count[TK_FIGURE];
    if (run->quiet || now - run->drawn < DRAW_EVERY)
        return;
    for (size_t i = 0; i < run->jobs.n; i++) {
        const struct tk_tl_link_state s = tk_tl_link_state(run->jobs.v[i].link);
        bytes += s.bytes;
        new_bytes += s.bytes - run->jobs.v[i].bytes_drawn;
        run->jobs.v[i].bytes_drawn = s.bytes;
        zones += s.session ? s.session->zones : 0;
        held += s.memory;
        questions += s.questions;
    }
    tk_live_size((uint64_t)((double)new_bytes / (now - run->drawn)), rate);
    run->drawn = now;
    if (bytes == 0)
        snprintf(text, sizeof text, "waiting for a program, %s", tk_live_time(now - run->began, time));
    else
        snprintf(text, sizeof text, "%s/s, %s zones, %s in memory, %llu questions, %s", rate,
                 tk_live_count(zones, count), tk_live_size(held, memory), (unsigned long long)questions,
                 tk_live_time(now - run->began, time));
    tk_live_line_show(text);
}

void tk_tracy_say_announced(const struct tk_tracy_run *run, const struct tk_tl_announced *a)
{
    char name[DISPLAYED], at[TK_OS_ADDRESS_TEXT + 8], time[TK_FIGURE], release[64];
    const char *known = tk_tl_releases(a->protocol);
    put_address(&a->at, at, sizeof at);
    if (run->json) {
        json_announced(a, at, known);
        return;
    }
    if (known)
        snprintf(release, sizeof release, "Tracy %s", known);
    else
        snprintf(release, sizeof release, "protocol %lu, which is not read", (unsigned long)a->protocol);
    tk_live_answer("tracy://%s  '%s'  %s  waits for %s", at, tk_tracy_displayed(a->name, name, sizeof name),
                   release, tk_live_time((double)a->active, time));
}

/* ---- what is wrong ---- */

static void worsen(struct tk_tracy_run *run, enum tk_exit code)
{
    run->code = tk_exit_worse(run->code, code);
}

static void say_rule(struct tk_tracy_run *run, const struct tk_tracy_job *job, const struct tk_tl_state *s)
{
    char name[DISPLAYED] = "", thread[DISPLAYED + 16] = "";
    const uint32_t i = tk_map_get(&s->thread_name_of, s->failure.tid);
    if (i != TK_MAP_NONE && s->thread_names.v[i].text != TK_TL_NONE) {
        const struct tk_tl_text t = tk_tl_text_of(s, s->thread_names.v[i].text);
        char text[DISPLAYED];
        snprintf(text, sizeof text, "%.*s", (int)(t.n < DISPLAYED - 1 ? t.n : DISPLAYED - 1),
                 (const char *)t.p);
        snprintf(thread, sizeof thread, " on thread '%s'", tk_tracy_displayed(text, name, sizeof name));
    }
    tk_message_say(run->call->program, TK_MESSAGE_WARNING,
                   "'%s' ends early: the instrumentation of the program is wrong, %s%s", tk_tracy_path(job),
                   s->failure.what ? s->failure.what : "", thread);
}

void tk_tracy_say_let_go(const struct tk_tracy_run *run, const struct tk_tracy_job *job)
{
    const struct tk_tl_link_state s = tk_tl_link_state(job->link);
    char name[DISPLAYED];
    tk_live_line_hide();
    tk_message_say(run->call->program, TK_MESSAGE_NOTE,
                   "another process of the program is let go, and not recorded: '%s' (--into records each)",
                   tk_tracy_displayed(s.session->welcome.program, name, sizeof name));
}

static void say_absent(struct tk_tracy_run *run, const struct tk_tl_link_state *s)
{
    const enum tk_tl_end end = s->end;
    const bool none = end == TK_TL_END_ABSENT || end == TK_TL_END_STOPPED;
    const enum tk_message_kind kind = run->args->all ? TK_MESSAGE_WARNING : TK_MESSAGE_ERROR;
    char at[TK_OS_ADDRESS_TEXT + 8];
    put_address(&s->at, at, sizeof at);
    if (run->args->program.n && run->recorded)
        return; /* it was looked whether it starts others */
    tk_message_say(run->call->program, kind, "nothing is recorded from %s: %s%s%s%s", at,
                   end == TK_TL_END_STOPPED ? "no program came" : tk_tl_end_text(end),
                   none && s->err->n ? ", " : "", none && s->err->n ? s->err->text[0] : "",
                   end == TK_TL_END_PROTOCOL ? "; record it with the tracy-capture that belongs to it" : "");
    if (end == TK_TL_END_ABSENT && !run->args->all)
        tk_message_say(
            run->call->program, TK_MESSAGE_NOTE,
            "'trace-record tracy://' lists programs that announce themselves; --wait waits for one");
    if (run->args->all)
        tk_tracy_note_refused(run, &s->at, tk_os_seconds());
    else
        worsen(run, none ? TK_EXIT_NO : TK_EXIT_FAILED);
}

void tk_tracy_judge(struct tk_tracy_run *run, const struct tk_tracy_job *job)
{
    const struct tk_tl_link_state s = tk_tl_link_state(job->link);
    const char *program = run->call->program;
    tk_live_line_hide();
    if (!s.session) {
        say_absent(run, &s);
        return;
    }
    if (s.end == TK_TL_END_RULE)
        say_rule(run, job, s.session);
    else if (s.end == TK_TL_END_FAILED || s.end == TK_TL_END_FULL || s.end == TK_TL_END_LIMIT ||
             s.end == TK_TL_END_DAMAGED)
        tk_message_say(program, TK_MESSAGE_WARNING, "'%s' ends early: %s", tk_tracy_path(job),
                       s.err->n ? s.err->text[0] : tk_tl_end_text(s.end));
    else if (s.end == TK_TL_END_BROKEN)
        tk_message_say(program, TK_MESSAGE_WARNING,
                       "'%s' ends early: the connection broke, and names that were asked for may be missing",
                       tk_tracy_path(job));
    else if (s.end == TK_TL_END_CRASH)
        tk_message_say(program, TK_MESSAGE_WARNING, "'%s': the program has crashed", tk_tracy_path(job));
    else if (s.questions)
        tk_message_say(program, TK_MESSAGE_NOTE, "'%s': %llu requests for names were not answered",
                       tk_tracy_path(job), (unsigned long long)s.questions);
    if (s.end == TK_TL_END_FAILED || s.end == TK_TL_END_FULL)
        worsen(run, TK_EXIT_FAILED);
    if (s.end == TK_TL_END_RULE || s.end == TK_TL_END_LIMIT || s.end == TK_TL_END_DAMAGED ||
        s.end == TK_TL_END_BROKEN)
        worsen(run, TK_EXIT_DAMAGED);
}
