/*
 * Following a capture that grows. A report reads the capture from its start, so that it is what
 * any report on the same bytes would be; the pauses between them are longer than the readings.
 */
#include "live/follow.h"

#include "base/err.h"
#include "live/live_in.h"
#include "live/server.h"
#include "live/tracy/log.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/socket.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Follows a Tracy program.
 */

enum { TOP = 15, PLACES = 65536, ZERO = 32768, NAME = 40 };

struct follow_tracy_follow {
    const struct tk_call *call;
    struct tk_tl_link *link;
    double displayed;
    uint64_t frames, zones; /* when it was displayed last */
};

/* The places with the longest total times, longest first. */
static size_t find_top(const struct tk_tl_state *s, int32_t top[TOP])
{
    size_t n = 0;
    for (int32_t i = 0; i < PLACES; i++) {
        if (!s->sums[i].count)
            continue;
        size_t at = n < TOP ? n++ : TOP;
        for (; at > 0 && s->sums[top[at - 1]].total < s->sums[i].total; at--)
            if (at < TOP)
                top[at] = top[at - 1];
        if (at < TOP)
            top[at] = i;
    }
    return n;
}

static void put_place(const struct tk_tl_state *s, int32_t i)
{
    const struct tk_tl_sum *sum = &s->sums[i];
    const struct tk_tl_text *text = tk_tl_place_name(s, (int16_t)(i - ZERO));
    char raw[NAME + 1] = "?", name[8 * NAME], calls[TK_FIGURE];
    if (text)
        snprintf(raw, sizeof raw, "%.*s", (int)(text->n < NAME ? text->n : NAME), (const char *)text->p);
    printf("%-40s %14s %12.3f %12.3f %12.3f\n", tk_tracy_displayed(raw, name, sizeof name),
           tk_live_count(sum->count, calls), (double)sum->total / 1e6,
           (double)sum->total / (double)sum->count / 1e3, (double)sum->max / 1e3);
}

static void show(struct follow_tracy_follow *f, double now)
{
    const struct tk_tl_link_state s = tk_tl_link_state(f->link);
    char name[256], time[TK_FIGURE], frames[TK_FIGURE], zones[TK_FIGURE];
    const double passed = now - f->displayed;
    int32_t top[TOP];
    if (!s.session || passed <= 0)
        return;
    const size_t n = find_top(s.session, top);
    printf("'%s' of Tracy %s, %s: %s frames (%.1f/s), %s zones (%.0f/s)\n",
           tk_tracy_displayed(s.session->welcome.program, name, sizeof name), tk_tl_releases(s.protocol),
           tk_live_time(now - s.began, time), tk_live_count(s.frames, frames),
           (double)(s.frames - f->frames) / passed, tk_live_count(s.session->zones, zones),
           (double)(s.session->zones - f->zones) / passed);
    printf("%-40s %14s %12s %12s %12s\n", "zone", "calls", "total, ms", "mean, us", "max, us");
    for (size_t i = 0; i < n; i++)
        put_place(s.session, top[i]);
    putchar('\n');
    f->displayed = now;
    f->frames = s.frames;
    f->zones = s.session->zones;
}

static int follow_tracy_follow(struct follow_tracy_follow *f, struct tk_err *err)
{
    struct tk_live_waits waits = {0};
    int rc = TK_OK;
    bool stopped = false;
    while (rc == TK_OK && !tk_tl_link_is_over(f->link)) {
        waits.list.n = 0;
        rc = tk_tl_link_ask(f->link, &waits);
        if (rc != TK_OK || tk_os_socket_wait(waits.list.v, waits.list.n, NULL, 0.1).error)
            rc = tk_err_nomem(err, "connections");
        const double now = tk_os_seconds();
        if (rc == TK_OK)
            tk_tl_link_serve(f->link, &waits, now);
        if (tk_host_stopped() && !stopped) {
            tk_tl_link_stop(f->link, now);
            stopped = true;
        }
        if (now - f->displayed >= 1) {
            show(f, now);
            rc = rc == TK_OK && !tk_host_flush()
                     ? tk_err_set(err, TK_EOUTPUT, "standard output cannot be written")
                     : rc;
        }
    }
    tk_vec_release(&waits.list);
    return rc;
}

static int end_follow(struct follow_tracy_follow *f)
{
    const struct tk_tl_link_state s = tk_tl_link_state(f->link);
    if (!s.session) {
        tk_message_say(f->call->program, TK_MESSAGE_ERROR, "nothing is read from '%s': %s%s%s",
                       f->call->operands->v[0], tk_tl_end_text(s.end), s.err->n ? ", " : "",
                       s.err->n ? s.err->text[0] : "");
        return TK_EXIT_FAILED;
    }
    show(f, tk_os_seconds());
    if (s.end == TK_TL_END_EXIT || s.end == TK_TL_END_CRASH || s.end == TK_TL_END_STOPPED)
        return TK_EXIT_DONE;
    tk_message_say(f->call->program, TK_MESSAGE_WARNING, "it ends early: %s", tk_tl_end_text(s.end));
    return TK_EXIT_DAMAGED;
}

bool tk_follow_is_tracy(const char *operand)
{
    return strncmp(operand, TK_TRACY_SCHEME, strlen(TK_TRACY_SCHEME)) == 0;
}

int tk_follow_tracy(const struct tk_call *call)
{
    struct follow_tracy_follow f = {.call = call, .displayed = tk_os_seconds()};
    struct tk_tl_link_options options = {.session.sums_only = true};
    struct tk_tracy_source source;
    struct tk_err err = {0};
    char message[TK_OPT_MESSAGE];
    if (!tk_tracy_source_read(&source, call->operands->v[0], message))
        return tk_message_usage(call->program, message);
    if (!*source.host)
        return tk_message_usage(call->program, "which program? 'trace-record tracy://' lists them");
    if (!tk_tracy_source_find(&source, &options, message))
        return tk_message_usage(call->program, message);
    tk_host_note_stop();
    int rc = tk_tl_link_open(&f.link, &options);
    if (rc == TK_OK)
        rc = follow_tracy_follow(&f, &err);
    int code = TK_EXIT_FAILED;
    if (rc == TK_OK)
        code = end_follow(&f);
    else
        tk_message_error(call->program, NULL, rc, &err);
    tk_tl_link_close(f.link);
    return code;
}

/*
 * What is followed.
 */

static const char scheme[] = "tcp://";

#define SILENT 10.0 /* seconds without bytes */

enum { SCHEME = sizeof scheme - 1, STORE_PORT = 1989, BUFFER = 256 << 10, ROUNDS = 64 };

bool tk_follow_is_store(const char *operand)
{
    return strncmp(operand, scheme, SCHEME) == 0;
}

/* HOST[:PORT][/ID] */
static int read_place(const char *text, struct tk_os_address *at, uint32_t *id, struct tk_err *err)
{
    char host[256] = "", *end;
    const size_t n = strcspn(text, "/");
    size_t found;
    uint16_t port = STORE_PORT;
    *id = 0;
    if (n == 0 || n >= sizeof host)
        return tk_err_set(err, TK_EUSAGE, "tcp://HOST[:PORT][/ID] names a store, not '%.100s'", text);
    memcpy(host, text, n);
    char *colon = strrchr(host, ':');
    if (colon) {
        *colon = '\0';
        const unsigned long number = strtoul(colon + 1, &end, 10);
        if (*end || number == 0 || number > UINT16_MAX)
            return tk_err_set(err, TK_EUSAGE, "'%.100s' is not a port", colon + 1);
        port = (uint16_t)number;
    }
    if (text[n]) {
        const unsigned long long number = strtoull(text + n + 1, &end, 0);
        if (*end || number == 0 || number > UINT32_MAX)
            return tk_err_set(err, TK_EUSAGE, "'%.100s' is not the id of a capture (trace-control list)",
                              text + n + 1);
        *id = (uint32_t)number;
    }
    const struct tk_os_result result = tk_os_address_find(at, 1, &found, host, port);
    return result.error ? tk_err_set(err, TK_EIO, "there is no host '%.100s': %s", host, tk_os_text(result))
                        : TK_OK;
}

/* The capture that is being recorded, where there is one only. */
static int find_session(struct tk_store_client *c, uint32_t *id, struct tk_err *err)
{
    struct tk_client_session s;
    uint64_t n;
    int rc = tk_store_client_count(c, true, &n, err);
    if (rc != TK_OK)
        return rc;
    if (n != 1)
        return tk_err_set(err, TK_EUSAGE, "%s; say which, as tcp://HOST:PORT/ID (trace-control list)",
                          n ? "several programs are being recorded" : "no program is being recorded");
    rc = tk_store_client_session(c, 0, &s, err);
    if (rc == TK_OK)
        return tk_err_set(err, TK_EIO, "the recording has just ended");
    *id = s.trace_id;
    return rc == TK_ITEM ? TK_OK : rc;
}

static int open_spool(struct tk_follow_source *s, struct tk_err *err)
{
    const int rc = tk_live_file_create_temporary(&s->spool, "follow.utrace", err);
    s->path = s->spool.path;
    return rc;
}

static int open_store(struct tk_follow_source *s, const char *text, struct tk_err *err)
{
    struct tk_os_address at;
    struct tk_store_client *client = NULL;
    uint32_t id;
    int rc = read_place(text, &at, &id, err);
    if (rc == TK_OK)
        rc = tk_store_client_open(&client, &at, err);
    if (rc == TK_OK && id == 0)
        rc = find_session(client, &id, err);
    if (rc == TK_OK) {
        rc = tk_store_client_read(client, id, &s->socket, err);
        if (rc == TK_OK)
            rc = tk_err_set(err, TK_EUSAGE, "the store has no capture %lu", (unsigned long)id);
    }
    if (rc == TK_ITEM)
        rc = open_spool(s, err);
    tk_store_client_close(client);
    return rc;
}

int tk_follow_source_open(struct tk_follow_source *s, const char *operand, struct tk_err *err)
{
    if (tk_follow_is_store(operand))
        return open_store(s, operand + SCHEME, err);
    if (strncmp(operand, "tracy://", 8) == 0)
        return tk_err_set(err, TK_EUSAGE,
                          "Tracy programs are followed by trace-stats alone, and recorded by trace-record");
    struct tk_os_result there = tk_os_path_info(operand, &s->first);
    if (there.error == TK_OS_NOT_FOUND && (s->log = tk_tl_log_path(operand)) != NULL &&
        tk_os_path_info(s->log, &s->first).error == TK_OS_OK) {
        operand = s->log;
        there.error = TK_OS_OK;
    }
    if (there.error)
        return tk_err_set(err, TK_EIO, "cannot follow '%s': %s", operand, tk_os_text(there));
    if (s->first.kind != TK_OS_FILE)
        return tk_err_set(err, TK_EUSAGE, "'%s' is not a file: only files grow", operand);
    s->path = operand;
    return TK_OK;
}

/* ---- what came ---- */

/* A recorder of ours holds a lock as long as it writes. */
static int look_at_lock(struct tk_follow_source *s)
{
    struct tk_os_file *lock;
    const struct tk_os_result locked = tk_os_path_lock(&lock, s->path, TK_OS_SHARED, 0);
    tk_os_file_close(lock);
    const bool busy = locked.error == TK_OS_BUSY;
    const bool ended = s->written && !busy;
    s->written |= busy;
    s->silent_end = !s->written;
    return ended ? TK_OK : TK_ITEM;
}

/* The log of a Tracy recording gives way to its capture. false: this is none, or there is no capture. */
static bool take_capture(struct tk_follow_source *s)
{
    const size_t n = strlen(s->path), ending = strlen(TK_TL_LOG_ENDING);
    struct tk_os_info now;
    if (n <= ending || strcmp(s->path + n - ending, TK_TL_LOG_ENDING) != 0)
        return false;
    char *capture = calloc(n, 1);
    if (!capture)
        return false;
    memcpy(capture, s->path, n - ending);
    free(s->log);
    s->path = s->log = capture;
    if (tk_os_path_info(capture, &now).error)
        return false;
    s->bytes = now.size > s->bytes ? now.size : s->bytes + 1; /* so that it is looked at */
    return true;
}

static int look_at_file(struct tk_follow_source *s, struct tk_err *err)
{
    struct tk_os_info now;
    const int rc = look_at_lock(s); /* before the size: who has ended writes no more */
    const struct tk_os_result there = tk_os_path_info(s->path, &now);
    if (there.error == TK_OS_NOT_FOUND && take_capture(s))
        return TK_OK;
    if (there.error)
        return tk_err_set(err, TK_EIO, "'%s' is gone: %s", s->path, tk_os_text(there));
    if (now.size < s->bytes || !tk_os_is_same(&now, &s->first))
        return tk_err_set(err, TK_EIO, "'%s' was replaced by another recording", s->path);
    s->bytes = now.size;
    return rc;
}

static int take(struct tk_follow_source *s, uint8_t *buffer, struct tk_err *err)
{
    for (int i = 0; i < ROUNDS; i++) {
        size_t n;
        const struct tk_os_result read = tk_os_socket_read(s->socket, buffer, BUFFER, &n);
        if (read.error == TK_OS_AGAIN)
            return TK_ITEM;
        if (n == 0)
            return TK_OK;
        const struct tk_os_result written = tk_live_file_append(&s->spool, buffer, n);
        if (written.error)
            return tk_err_set(err, TK_EIO, "cannot store what '%s' sends: %s", s->path, tk_os_text(written));
        s->bytes = s->spool.bytes;
    }
    return TK_ITEM;
}

int tk_follow_source_look(struct tk_follow_source *s, double seconds, struct tk_err *err)
{
    struct tk_os_wait wait = {.socket = s->socket, .read = true};
    tk_os_socket_wait(&wait, s->socket ? 1 : 0, NULL, seconds);
    if (!s->socket)
        return look_at_file(s, err);
    uint8_t *buffer = malloc(BUFFER);
    const int rc = buffer ? take(s, buffer, err) : tk_err_nomem(err, "a capture");
    free(buffer);
    return rc;
}

int tk_follow_source_wait(struct tk_follow_source *s, struct tk_err *err)
{
    int rc = TK_ITEM;
    while (rc == TK_ITEM && !tk_host_stopped() && (rc = tk_follow_source_look(s, 0.1, err)) == TK_ITEM)
        if (s->bytes >= TK_FOLLOW_LEAST)
            break;
    s->grew = tk_os_seconds();
    return rc < 0 ? rc : TK_OK;
}

int tk_follow_source_grown(struct tk_follow_source *s, uint64_t *bytes)
{
    const uint64_t before = s->bytes;
    const double now = tk_os_seconds();
    const int rc = tk_follow_source_look(s, 0, NULL);
    *bytes = s->bytes;
    if (s->bytes != before)
        s->grew = now;
    return rc == TK_ITEM && s->silent_end && now - s->grew >= SILENT ? TK_OK : rc;
}

void tk_follow_source_close(struct tk_follow_source *s)
{
    free(s->log);
    s->log = NULL;
    tk_os_socket_close(s->socket);
    if (s->spool.path)
        tk_os_path_remove(s->spool.path);
    tk_live_file_release(&s->spool);
}

#define EVERY       1.0 /* seconds between reports, */
#define EVERY_ADDED 0.4 /* of those that add to the ones before, */
#define SHARE       2.0 /* or so many times what the last one took */
#define HELD        1.5 /* seconds without bytes in which such reports still add what they held back */
#define LOOK        0.1

struct follow {
    const struct tk_follow *requested;
    struct tk_follow_source source;
    double idle, next, grew; /* when the next report is due; when bytes came last */
    uint64_t reported;       /* bytes at the last report */
    int code;
};

static void head(const struct follow *f)
{
    char size[TK_FIGURE];
    if (f->requested->adds)
        return;
    if (tk_host_terminal(stdout))
        printf("\033[H\033[2J"); /* the report takes the place of the one before */
    else if (!f->requested->quiet)
        printf("--- %s\n", tk_live_size(f->source.bytes, size));
    tk_host_flush();
}

static void report(struct follow *f, bool last)
{
    const double begin = tk_os_seconds(), every = f->requested->adds ? EVERY_ADDED : EVERY;
    if (f->requested->each || last) {
        if (f->requested->each)
            head(f);
        f->reported = f->source.bytes;
        f->code = f->requested->report(f->requested->ctx, f->source.path, f->source.bytes, last);
        tk_host_flush();
    }
    const double end = tk_os_seconds(), pause = SHARE * (end - begin);
    f->next = end + (pause > every ? pause : every);
}

/* One look. TK_ITEM: it goes on; TK_OK: that was all; negative: it cannot be followed. */
static int step(struct follow *f, struct tk_err *err)
{
    const uint64_t before = f->source.bytes;
    const int rc = tk_follow_source_look(&f->source, LOOK, err);
    const double now = tk_os_seconds();
    if (rc < 0)
        return rc;
    if (f->source.bytes != before)
        f->grew = now;
    const bool over = rc == TK_OK || (f->source.silent_end && now - f->grew >= f->idle);
    const bool news = f->source.bytes != f->reported || (f->requested->adds && now - f->grew < HELD);
    if (!over && f->source.bytes >= TK_FOLLOW_LEAST && news && now >= f->next)
        report(f, false);
    return over ? TK_OK : TK_ITEM;
}

int tk_follow_run(const struct tk_follow *requested)
{
    struct follow f = {.requested = requested, .idle = 10};
    char message[TK_OPT_MESSAGE];
    struct tk_err err = {0};
    if (!tk_opt_real("idle", requested->idle, false, &f.idle, message))
        return tk_message_usage(requested->call->program, message);
    tk_host_note_stop();
    tk_pager_forbid();
    int rc = tk_follow_source_open(&f.source, requested->call->operands->v[0], &err);
    f.grew = tk_os_seconds();
    while (rc == TK_OK && !tk_host_stopped() && (rc = step(&f, &err)) == TK_ITEM)
        rc = TK_OK;
    /* rc is TK_OK where it was stopped, too: then what is displayed is the last report */
    if (rc == TK_OK && !tk_host_stopped())
        report(&f, true);
    if (rc < 0) {
        tk_message_error(requested->call->program, NULL, rc, &err);
        f.code = (int)tk_exit_of(rc);
    }
    tk_follow_source_close(&f.source);
    return f.code;
}
