/*
 * What trace-control does to a program: sending, and checking in the recording whether it was done.
 */
#include "base/err.h"
#include "live/access.h"
#include "live/control.h"
#include "live/record.h"
#include "live/server.h"
#include "os/clock.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

#define LOOK 0.1 /* seconds between looks */

enum { MOST_NAMES = 64, MOST_SESSIONS = 1024 };

/* Channels that are to be switched, and those that were seen to be. */
struct switches {
    uint32_t ids[MOST_NAMES];
    const char *names[MOST_NAMES]; /* not ended by a NUL */
    int lengths[MOST_NAMES];
    bool seen[MOST_NAMES], enable;
    size_t n;
};

static enum tk_exit fail(const struct tk_control *c, int rc, const struct tk_err *err)
{
    tk_message_error(c->call->program, NULL, rc, err);
    return tk_exit_of(rc);
}

/* Sent, and nothing says what came of it. */
static enum tk_exit unknown(const struct tk_control *c, const char *why)
{
    tk_message_say(c->call->program, TK_MESSAGE_WARNING, "sent, but cannot be confirmed: %s", why);
    return TK_EXIT_NO;
}

static enum tk_exit unconfirmed(const struct tk_control *c, const char *what)
{
    tk_message_say(c->call->program, TK_MESSAGE_WARNING, "sent, but %s within %.1f s", what, c->wait);
    return TK_EXIT_NO;
}

static int send_line(const struct tk_control *c, const char *line, struct tk_err *err)
{
    if (c->guessed)
        tk_message_say(c->call->program, TK_MESSAGE_NOTE,
                       "the control port is guessed: %u; no recording names another one", c->program.port);
    return tk_control_send(&c->program, line, err);
}

/* ---- channels ---- */

static bool fill_switches(struct switches *s, const char *names, bool enable)
{
    *s = (struct switches){.enable = enable};
    for (size_t n; *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",");
        if (n == 0)
            continue;
        if (s->n == MOST_NAMES)
            return false;
        s->names[s->n] = names;
        s->lengths[s->n] = (int)n;
        s->ids[s->n++] = tk_control_channel_id(names, n);
    }
    return s->n > 0;
}

static void on_switch(void *ctx, const char *name, uint32_t id, bool enabled)
{
    struct switches *s = ctx;
    (void)name;
    for (size_t i = 0; i < s->n; i++)
        s->seen[i] |= s->ids[i] == id && s->enable == enabled;
}

/* A program says changes alone: channels that are as they should be already need none. */
static void see_states(struct switches *s, const struct tk_live_summary *summary)
{
    const struct tk_live_channel *channel;
    for (size_t i = 0; summary && (channel = tk_live_summary_channel(summary, i)) != NULL; i++)
        if (channel->announced)
            on_switch(s, channel->name, channel->id, channel->enabled);
}

/* "'A', 'B'": those that were seen to be switched, or those that were not. */
static const char *list_names(const struct switches *s, bool seen, char out[160])
{
    size_t n = 0;
    *out = '\0';
    for (size_t i = 0; i < s->n && n < 100; i++)
        if (s->seen[i] == seen)
            n += (size_t)snprintf(out + n, 160 - n, "%s'%.*s'", n ? ", " : "",
                                  s->lengths[i] < 40 ? s->lengths[i] : 40, s->names[i]);
    return out;
}

/* The channels that were not seen to be switched, and those that were. */
static enum tk_exit say_unseen(const struct tk_control *c, const struct switches *s)
{
    char text[400], unseen[160], seen[160];
    list_names(s, false, unseen);
    list_names(s, true, seen);
    snprintf(text, sizeof text, "%s%s%s was not seen to be switched", seen,
             *seen ? " was switched, and " : "", unseen);
    return unconfirmed(c, text);
}

static size_t count_seen(const struct switches *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->seen[i];
    return n;
}

static enum tk_exit confirm_switches(const struct tk_control *c, struct tk_tap *tap, struct switches *s)
{
    const double end = tk_os_seconds() + c->wait;
    struct tk_err err = {0};
    int rc = TK_OK;
    while (rc >= 0 && count_seen(s) < s->n && tk_os_seconds() < end)
        rc = tk_tap_take(tap, LOOK, &err);
    if (count_seen(s) == s->n)
        return TK_EXIT_DONE;
    return say_unseen(c, s);
}

/* Without a recording the command is sent all the same. */
static enum tk_exit switch_unseen(const struct tk_control *c, const char *line)
{
    struct tk_err err = {0};
    const int rc = send_line(c, line, &err);
    if (rc != TK_OK)
        return fail(c, rc, &err);
    return unknown(c, "no store records it (trace-record --store)");
}

static enum tk_exit switch_channels(struct tk_control *c, const char *names, bool enable)
{
    char line[TK_CONTROL_LINE + 1];
    struct tk_err err = {0};
    struct switches s;
    struct tk_tap *tap = NULL;
    int rc = tk_control_line(line, enable ? TK_CONTROL_ENABLE : TK_CONTROL_DISABLE, names, &err);
    if (rc != TK_OK)
        return fail(c, rc, &err);
    if (!fill_switches(&s, names, enable)) {
        tk_message_usage(c->call->program, "which channels? (names with commas between them, at most 64)");
        return TK_EXIT_USAGE;
    }
    if (!c->recorded)
        return switch_unseen(c, line);
    rc = tk_tap_open(&tap, c->store, c->session.trace_id, &err);
    if (rc == TK_ITEM)
        rc = tk_tap_catch_up(tap, &err);
    enum tk_exit code = TK_EXIT_NO;
    if (rc < 0 && rc != TK_EPIPE) {
        code = fail(c, rc, &err);
    } else if (rc == TK_EPIPE || !tap) {
        code = switch_unseen(c, line);
    } else {
        see_states(&s, tk_tap_summary(tap));
        tk_tap_watch(tap, on_switch, &s);
        rc = send_line(c, line, &err);
        code = rc == TK_OK ? confirm_switches(c, tap, &s) : fail(c, rc, &err);
    }
    tk_tap_close(tap);
    return code;
}

static enum tk_exit enable_channels(struct tk_control *c, const char *names)
{
    return switch_channels(c, names, true);
}

static enum tk_exit disable_channels(struct tk_control *c, const char *names)
{
    return switch_channels(c, names, false);
}

static void show_json(const struct tk_live_channel *channel)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "channel");
    tk_live_object_text(&o, "channel", channel->name);
    tk_live_object_bool(&o, "enabled", channel->enabled);
    tk_live_object_bool(&o, "read_only", channel->read_only);
    tk_live_object_end(&o);
}

/* The channels and their states, as the recording says. */
static enum tk_exit show_channels(struct tk_control *c, const char *argument)
{
    struct tk_err err = {0};
    struct tk_tap *tap = NULL;
    const struct tk_live_channel *channel;
    (void)argument;
    if (!c->recorded) {
        tk_message_say(c->call->program, TK_MESSAGE_ERROR,
                       "the control port does not list channels, and no store records the program "
                       "(trace-record --store)");
        return TK_EXIT_NO;
    }
    int rc = tk_tap_open(&tap, c->store, c->session.trace_id, &err);
    if (rc == TK_ITEM)
        rc = tk_tap_catch_up(tap, &err);
    if (rc < 0 && rc != TK_EPIPE)
        return fail(c, rc, &err);
    const struct tk_live_summary *summary = tap ? tk_tap_summary(tap) : NULL;
    for (size_t i = 0; summary && (channel = tk_live_summary_channel(summary, i)) != NULL; i++)
        if (channel->announced && c->json)
            show_json(channel);
        else if (channel->announced)
            printf("%-3s  %s%s\n", channel->enabled ? "on" : "off", channel->name,
                   channel->read_only ? "  (read only for the console)" : "");
    tk_tap_close(tap);
    return TK_EXIT_DONE;
}

/* ---- where a program sends to ---- */

/* The captures that are being recorded from the program's machine. */
struct sessions {
    uint32_t ids[MOST_SESSIONS];
    size_t n;
};

static int list_sessions(const struct tk_control *c, struct sessions *out, struct tk_err *err)
{
    struct tk_client_session s;
    int rc = TK_OK;
    out->n = 0;
    for (uint64_t i = 0; i < MOST_SESSIONS && (rc = tk_store_client_session(c->store, i, &s, err)) == TK_ITEM;
         i++)
        if (s.ip == tk_os_address_v4(&c->program) &&
            (s.control_port == c->program.port || s.control_port == 0))
            out->ids[out->n++] = s.trace_id;
    return rc < 0 ? rc : TK_OK;
}

static bool has(const struct sessions *s, uint32_t id)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->ids[i] == id)
            return true;
    return false;
}

static bool has_new(const struct sessions *now, const struct sessions *before)
{
    for (size_t i = 0; i < now->n; i++)
        if (!has(before, now->ids[i]))
            return true;
    return false;
}

/* Waits until a session is there that was not before; with before NULL, until that of the program is gone. */
static enum tk_exit wait_for(const struct tk_control *c, const struct sessions *before, const char *otherwise)
{
    const double end = tk_os_seconds() + c->wait;
    struct tk_err err = {0};
    struct sessions now;
    for (;;) {
        const int rc = list_sessions(c, &now, &err);
        if (rc != TK_OK)
            return fail(c, rc, &err);
        if (before ? has_new(&now, before) : !has(&now, c->session.trace_id))
            return TK_EXIT_DONE;
        if (tk_os_seconds() >= end)
            return unconfirmed(c, otherwise);
        tk_os_socket_wait(NULL, 0, NULL, LOOK);
    }
}

static enum tk_exit stop_sending(struct tk_control *c, const char *argument)
{
    char line[TK_CONTROL_LINE + 1];
    struct tk_err err = {0};
    int rc = tk_control_line(line, TK_CONTROL_STOP, argument, &err);
    if (rc == TK_OK)
        rc = send_line(c, line, &err);
    if (rc != TK_OK)
        return fail(c, rc, &err);
    if (!c->recorded)
        return unknown(c, "no store records it; programs of 4.2x have no such command");
    return wait_for(c, NULL, "its recording did not end (programs of 4.2x have no such command)");
}

/* Programs from 5.7 on take a port, others would not find the host. */
static bool takes_port(const struct tk_control *c)
{
    const char *engine = c->args->engine;
    return engine && strncmp(engine, "5.", 2) == 0 && strtoul(engine + 2, NULL, 10) >= 7;
}

static enum tk_exit send_to(struct tk_control *c, const char *host)
{
    char line[TK_CONTROL_LINE + 1];
    struct tk_err err = {0};
    if (strchr(host, ':') && !takes_port(c)) {
        tk_message_usage(c->call->program, "programs before 5.7 send only to port 1981 of a host (4.2x: "
                                           "1980); for later ones give --engine 5.7");
        return TK_EXIT_USAGE;
    }
    struct sessions before;
    int rc = tk_control_line(line, TK_CONTROL_SEND_TO, host, &err);
    if (rc == TK_OK && c->store)
        rc = list_sessions(c, &before, &err);
    if (rc == TK_OK)
        rc = send_line(c, line, &err);
    if (rc != TK_OK)
        return fail(c, rc, &err);
    if (!c->store)
        return unknown(c, "no store answers that could record it (trace-record --store)");
    return wait_for(c, &before, "no recording of it began (it may be sending already: stop it first)");
}

static enum tk_exit send_to_file(struct tk_control *c, const char *path)
{
    char line[TK_CONTROL_LINE + 1];
    struct tk_err err = {0};
    int rc = tk_control_line(line, TK_CONTROL_WRITE_TO, path, &err);
    if (rc == TK_OK)
        tk_message_say(
            c->call->program, TK_MESSAGE_WARNING,
            "a file of that name on the program's machine is emptied; programs from 5.4 on ignore this");
    if (rc == TK_OK)
        rc = send_line(c, line, &err);
    if (rc != TK_OK)
        return fail(c, rc, &err);
    return unknown(c, "the protocol does not report files");
}

/* ---- actions ---- */

static const struct {
    const char *name;
    bool argument;
    enum tk_exit (*run)(struct tk_control *c, const char *argument);
} actions[] = {
    {"channels", false, show_channels},  {"enable", true, enable_channels},
    {"disable", true, disable_channels}, {"send", true, send_to},
    {"stop", false, stop_sending},       {"file", true, send_to_file},
};

static const struct {
    const char *name, *sentence;
} elsewhere[] = {
    {"snapshot", "the control port takes no 'snapshot' in any version; type Trace.SnapshotFile, or "
                 "Trace.SnapshotSend HOST "
                 "from 5.4 on, into the program's console"},
    {"bookmark", "the control port takes no 'bookmark' in any version; type Trace.Bookmark TEXT into the "
                 "program's console"},
    {"pause",
     "the control port takes no 'pause' in any version; type Trace.Pause into the program's console"},
    {"resume",
     "the control port takes no 'resume' in any version; type Trace.Resume into the program's console"},
    {"screenshot", "the control port takes no 'screenshot' in any version; type Trace.Screenshot NAME into "
                   "the program's console"},
    {"status",
     "the control port takes no 'status' in any version; type Trace.Status into the program's console"},
};

bool tk_control_is_action(const char *name, bool *argument)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0) {
            *argument = actions[i].argument;
            return true;
        }
    return false;
}

const char *tk_control_elsewhere(const char *action)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, action) == 0)
            return elsewhere[i].sentence;
    return NULL;
}

int tk_control_act(struct tk_control *c, const char *action, const char *argument)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, action) == 0)
            return (int)actions[i].run(c, argument);
    return TK_EXIT_USAGE;
}
