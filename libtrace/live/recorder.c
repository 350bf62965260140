/*
 * The recorder of Unreal programs. Bytes go from the socket to the file as they came; then
 * they are looked at.
 */
#include "live/live_in.h"
#include "live/session.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 8, /* buffers of one connection before it is the turn of the others */ ACCEPTS = 64 };

/* Seconds of silence until a peer is requested whether it is there, and between questions; questions. */
enum { KEEP_IDLE = 3, KEEP_INTERVAL = 1, KEEP_QUESTIONS = 5 };

struct tk_recorder {
    struct tk_recorder_options options;
    struct tk_os_socket *listening[TK_RECORDER_LISTEN]; /* owned */
    struct tk_os_address address[TK_RECORDER_LISTEN];
    TK_VEC(struct tk_session *) sessions; /* owned */
    size_t first;                         /* of its waits */
    size_t requested;                     /* sessions that are among them */
    uint64_t next_id;
    bool file_taken; /* options.file has its program */
    double rest;     /* until then nothing is accepted: the system had no space */
    struct tk_recorder_state state;
    uint64_t live_bytes; /* of files that are still written */
    uint8_t buffer[TK_RECORDER_BUFFER];
};

static int listen_failed(const struct tk_os_address *at, struct tk_os_result why, struct tk_err *err)
{
    char text[TK_OS_ADDRESS_TEXT];
    tk_err_set(err, TK_EIO, "cannot listen on %s port %u: %s", tk_os_address_text(at, text), at->port,
               tk_os_text(why));
    return TK_EIO;
}

int tk_recorder_open(struct tk_recorder **out, const struct tk_recorder_options *options, struct tk_err *err)
{
    struct tk_recorder *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return tk_err_nomem(err, "the recorder");
    r->options = *options;
    r->next_id = 1;
    for (size_t i = 0; i < options->n_listen; i++) {
        struct tk_os_result result = tk_os_socket_listen(&r->listening[i], &options->listen[i]);
        if (result.error == TK_OS_OK)
            result = tk_os_socket_here(r->listening[i], &r->address[i]);
        if (result.error) {
            tk_recorder_close(r);
            return listen_failed(&options->listen[i], result, err);
        }
    }
    *out = r;
    return TK_OK;
}

const struct tk_os_address *tk_recorder_address(const struct tk_recorder *r, size_t i)
{
    return i < r->options.n_listen ? &r->address[i] : NULL;
}

/* ---- beginning and end of sessions ---- */

static void tell_channel(void *session, const char *name, uint32_t id, bool enabled)
{
    const struct tk_session *s = session;
    s->events->channel(s->events->ctx, s, name, id, enabled);
}

static void make_summary(struct tk_recorder *r, struct tk_session *s)
{
    s->summary = r->options.summary ? tk_live_summary_new(&s->hello) : NULL;
    if (s->summary && r->options.events.channel)
        tk_live_summary_watch(s->summary, tell_channel, s);
}

static bool rotates(const struct tk_recorder_options *o)
{
    return o->rotate_bytes || o->rotate_seconds > 0;
}

static int create_file(struct tk_recorder *r, struct tk_session *s, bool named, struct tk_err *err)
{
    const struct tk_recorder_options *o = &r->options;
    if (!named)
        return tk_live_file_create_by_clock(&s->file, o->folder, o->prefix, tk_os_now(), ".utrace", err);
    r->file_taken = true;
    char *first = rotates(o) ? tk_rotation_name(o->file, 1) : NULL;
    const int rc = rotates(o) && !first
                       ? tk_err_nomem(err, "a recording")
                       : tk_live_file_create(&s->file, first ? first : o->file, o->replace, err);
    free(first);
    return rc;
}

static void end_session(struct tk_recorder *r, struct tk_session *s, enum tk_session_end end)
{
    struct tk_live_figures figures = {0};
    if (s->end != TK_SESSION_GOES_ON)
        return;
    s->end = end;
    tk_os_socket_close(s->socket);
    s->socket = NULL;
    if (s->recording) {
        const struct tk_os_result closed = tk_live_file_close(&s->file);
        if (closed.error && end < TK_SESSION_FULL) {
            s->end = closed.error == TK_OS_NO_SPACE ? TK_SESSION_FULL : TK_SESSION_FAILED;
            s->why = closed;
        }
        r->live_bytes -= s->file.bytes;
        r->state.bytes += s->file.bytes;
        r->state.ended++;
    }
    if (s->summary) {
        tk_live_summary_finish(s->summary);
        tk_live_summary_tell(s->summary, &figures);
    }
    if (r->options.events.ended)
        r->options.events.ended(r->options.events.ctx, s, &figures);
}

/* ---- bytes ---- */

static int take_packet(void *ctx, const uint8_t *packet, size_t n, uint64_t offset)
{
    struct tk_session *s = ctx;
    if (s->summary)
        tk_live_summary_feed(s->summary, packet, n, offset);
    return s->rotation.number ? tk_rotation_note(&s->rotation, packet, n, offset) : TK_OK;
}

static void look(struct tk_session *s, const uint8_t *p, size_t n)
{
    const bool looks = s->summary || s->rotation.number;
    const int rc = tk_live_packets_feed(&s->packets, p, n, looks ? take_packet : NULL, s);
    if (rc != TK_OK) { /* out of memory for the look, not for the recording */
        tk_live_summary_free(s->summary);
        s->summary = NULL;
        s->rotation.number = 0;
        s->packets.damaged = false;
    }
}

/* Goes on in the next file; where that cannot be, in this one. */
static void rotate(struct tk_recorder *r, struct tk_session *s)
{
    const struct tk_recorder_events *e = &r->options.events;
    struct tk_live_file old = {0};
    struct tk_err err = {0};
    const uint64_t before = s->file.bytes;
    const int rc = tk_rotation_next(&s->rotation, &s->file, &old, &s->packets, s->last, &err);
    if (rc == TK_OK) {
        r->live_bytes += s->file.bytes - before;
        r->state.bytes += old.bytes;
        (void)tk_live_file_close(&old); /* what cannot be written is noticed in the next one, too */
    }
    if (e->rotated)
        e->rotated(e->ctx, s, rc == TK_OK ? old.path : s->file.path, old.bytes, rc == TK_OK ? NULL : &err);
    if (rc == TK_EUSAGE || rc == TK_ELIMIT)
        s->rotation.number = 0;
    tk_live_file_release(&old);
}

/* A file of a size that was requested ends behind a packet, so that it is whole; else it stays as it is. */
static void end_at_size(struct tk_recorder *r, struct tk_session *s)
{
    const uint64_t more = s->file.bytes - s->packets.whole;
    if (tk_session_is_cut(s) && tk_live_file_cut(&s->file, s->packets.whole).error == TK_OS_OK) {
        r->live_bytes -= more;
        s->packets.n_carry = 0;
    }
    end_session(r, s, TK_SESSION_SIZE);
}

/* Writes n bytes, as many as the file may have, and looks at them. How many. */
static size_t keep_part(struct tk_recorder *r, struct tk_session *s, const uint8_t *p, size_t n)
{
    const bool rotates_here = s->rotation.number != 0;
    const uint64_t most = rotates_here ? s->rotation.limit : r->options.file_bytes, before = s->file.bytes;
    const uint64_t left = most > before ? most - before : 0;
    const bool last = most && n >= left;
    if (last)
        n = (size_t)left;
    if (tk_live_file_is_tight(&s->file, r->options.free_bytes)) {
        s->why = tk_os_result_of(TK_OS_NO_SPACE);
        end_session(r, s, TK_SESSION_FULL);
        return n;
    }
    const struct tk_os_result written = tk_live_file_append(&s->file, p, n);
    const size_t kept = (size_t)(s->file.bytes - before);
    r->live_bytes += kept;
    look(s, p, kept < n ? kept : n);
    if (written.error) {
        s->why = written;
        end_session(r, s, written.error == TK_OS_NO_SPACE ? TK_SESSION_FULL : TK_SESSION_FAILED);
    } else if (last && !rotates_here) {
        end_at_size(r, s);
    }
    return n;
}

static void keep(struct tk_recorder *r, struct tk_session *s, const uint8_t *p, size_t n)
{
    while (n && s->end == TK_SESSION_GOES_ON) {
        const size_t kept = keep_part(r, s, p, n);
        p += kept;
        n -= kept;
        if (s->end == TK_SESSION_GOES_ON &&
            tk_rotation_is_due(&s->rotation, s->file.bytes, s->packets.whole, s->last))
            rotate(r, s);
        else if (kept == 0 && s->rotation.number)
            s->rotation.limit += r->options.rotate_bytes; /* no packet of it is whole yet */
    }
}

/* The header is whole: a file, and what came with it. */
static int begin_recording(struct tk_recorder *r, struct tk_session *s, struct tk_err *err)
{
    const struct tk_recorder_options *o = &r->options;
    const bool named = o->file && !r->file_taken;
    const struct tk_rotation_options with = {.bytes = o->rotate_bytes,
                                             .seconds = o->rotate_seconds,
                                             .file = named ? o->file : NULL,
                                             .folder = o->folder,
                                             .prefix = o->prefix,
                                             .replace = o->replace};
    const int rc = create_file(r, s, named, err);
    if (rc != TK_OK && named)
        return rc;
    if (rc != TK_OK) { /* others may have more luck */
        s->why = tk_os_result_of(TK_OS_LIMIT);
        end_session(r, s, TK_SESSION_FAILED);
        return TK_OK;
    }
    s->recording = true;
    make_summary(r, s);
    r->state.began++;
    const struct tk_os_result written = tk_live_file_append(&s->file, s->head, s->hello.size);
    r->live_bytes += s->file.bytes;
    s->packets.whole = s->hello.size;
    if (rotates(o)) /* without memory it stays in one file */
        (void)tk_rotation_begin(&s->rotation, &with, s->file.path, s->head, s->hello.size, s->last);
    if (r->options.events.began)
        r->options.events.began(r->options.events.ctx, s);
    if (written.error) {
        s->why = written;
        end_session(r, s, written.error == TK_OS_NO_SPACE ? TK_SESSION_FULL : TK_SESSION_FAILED);
    } else if (s->n_head > s->hello.size) {
        keep(r, s, s->head + s->hello.size, s->n_head - s->hello.size);
    }
    free(s->head);
    s->head = NULL;
    s->n_head = s->cap_head = 0;
    return TK_OK;
}

static bool add_head(struct tk_session *s, const uint8_t *p, size_t n)
{
    if (s->n_head + n > s->cap_head) {
        const size_t cap = s->n_head + n;
        uint8_t *grown = realloc(s->head, cap);
        if (!grown)
            return false;
        s->head = grown;
        s->cap_head = cap;
    }
    memcpy(s->head + s->n_head, p, n);
    s->n_head += n;
    return true;
}

/* Takes bytes of which the first are of the header. */
static int take_head(struct tk_recorder *r, struct tk_session *s, const uint8_t *p, size_t n,
                     struct tk_err *err)
{
    if (!add_head(s, p, n)) {
        end_session(r, s, TK_SESSION_LATE);
        return TK_OK;
    }
    switch (tk_hello_judge(s->head, s->n_head, &s->hello)) {
    case TK_HELLO_WHOLE:
        return begin_recording(r, s, err);
    case TK_HELLO_FOREIGN:
        s->looks = tk_live_foreign(s->head, s->n_head);
        end_session(r, s, TK_SESSION_FOREIGN);
        return TK_OK;
    case TK_HELLO_DAMAGED:
        end_session(r, s, TK_SESSION_DAMAGED_HELLO);
        return TK_OK;
    default:
        return TK_OK;
    }
}

static enum tk_session_end end_of(const struct tk_session *s, struct tk_os_result read)
{
    if (!s->recording)
        return s->n_head ? TK_SESSION_CUT_HELLO : TK_SESSION_EMPTY;
    if (read.error == TK_OS_OK)
        return TK_SESSION_CLOSED;
    return read.error == TK_OS_TIMEOUT || read.error == TK_OS_UNREACHABLE ? TK_SESSION_SILENT
                                                                          : TK_SESSION_RESET;
}

static int read_session(struct tk_recorder *r, struct tk_session *s, double now, struct tk_err *err)
{
    int rc = TK_OK;
    for (int i = 0; i < PIECES && rc == TK_OK && s->end == TK_SESSION_GOES_ON; i++) {
        size_t n;
        const struct tk_os_result read = tk_os_socket_read(s->socket, r->buffer, sizeof r->buffer, &n);
        if (read.error == TK_OS_AGAIN)
            break;
        if (n == 0) {
            end_session(r, s, end_of(s, read));
            break;
        }
        s->last = r->state.last = now;
        if (s->recording)
            keep(r, s, r->buffer, n);
        else
            rc = take_head(r, s, r->buffer, n, err);
        if (n < sizeof r->buffer)
            break;
    }
    return rc;
}

/* ---- connections ---- */

static int add_session(struct tk_recorder *r, struct tk_os_socket *socket, const struct tk_os_address *from,
                       double now)
{
    struct tk_session *s = calloc(1, sizeof *s);
    if (!s || tk_vec_push(&r->sessions, s)) {
        free(s);
        tk_os_socket_close(socket);
        return TK_ENOMEM;
    }
    *s = (struct tk_session){.id = r->next_id++,
                             .events = &r->options.events,
                             .socket = socket,
                             .from = *from,
                             .since = now,
                             .last = now};
    tk_os_socket_keep_alive(socket, KEEP_IDLE, KEEP_INTERVAL, KEEP_QUESTIONS);
    return TK_OK;
}

static bool takes_more(const struct tk_recorder *r)
{
    return r->sessions.n < TK_RECORDER_SESSIONS &&
           !(r->options.programs && r->state.began >= r->options.programs);
}

static void accept_some(struct tk_recorder *r, const struct tk_os_socket *listening, double now)
{
    for (int i = 0; i < ACCEPTS && takes_more(r); i++) {
        struct tk_os_socket *socket;
        struct tk_os_address from;
        const struct tk_os_result result = tk_os_socket_accept(&socket, listening, &from);
        if (result.error == TK_OS_AGAIN)
            return;
        if (result.error) {
            r->rest = now + 0.2; /* it waits until something else is closed */
            return;
        }
        const struct tk_recorder_options *o = &r->options;
        if (tk_live_access_allows(&o->access, &from) && (!o->may || o->may(o->events.ctx, &from))) {
            add_session(r, socket, &from, now);
            continue;
        }
        tk_os_socket_break(socket);
        if (r->options.events.denied)
            r->options.events.denied(r->options.events.ctx, &from);
    }
}

int tk_recorder_ask(struct tk_recorder *r, struct tk_live_waits *waits)
{
    const bool accepts = takes_more(r) && tk_os_seconds() >= r->rest;
    bool good = true;
    r->first = waits->list.n;
    r->requested = r->sessions.n;
    for (size_t i = 0; i < r->options.n_listen && good; i++)
        good = tk_live_wait_for(waits, accepts ? r->listening[i] : NULL, true, false);
    for (size_t i = 0; i < r->sessions.n && good; i++)
        good = tk_live_wait_for(waits, r->sessions.v[i]->socket, true, false);
    return good ? TK_OK : TK_ENOMEM;
}

/* Those whose end was reported. */
static void forget_ended(struct tk_recorder *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->sessions.n; i++) {
        struct tk_session *s = r->sessions.v[i];
        if (s->end == TK_SESSION_GOES_ON)
            r->sessions.v[kept++] = s;
        else
            tk_session_free(s);
    }
    r->sessions.n = kept;
}

int tk_recorder_serve(struct tk_recorder *r, const struct tk_live_waits *waits, struct tk_err *err)
{
    const struct tk_os_wait *mine = waits->list.v + r->first;
    const double now = tk_os_seconds();
    int rc = TK_OK;
    for (size_t i = 0; i < r->requested && rc == TK_OK; i++) {
        struct tk_session *s = r->sessions.v[i];
        if (mine[r->options.n_listen + i].can_read)
            rc = read_session(r, s, now, err);
        if (!s->recording && s->end == TK_SESSION_GOES_ON &&
            now - s->since > (double)TK_RECORDER_HELLO_SECONDS)
            end_session(r, s, TK_SESSION_LATE);
    }
    for (size_t i = 0; i < r->options.n_listen && rc == TK_OK; i++)
        if (mine[i].can_read)
            accept_some(r, r->listening[i], now);
    forget_ended(r);
    return rc;
}

void tk_recorder_end(struct tk_recorder *r, enum tk_session_end why)
{
    struct tk_err err;
    for (size_t i = 0; i < r->sessions.n; i++) { /* what the system holds already is part of the recording */
        struct tk_session *s = r->sessions.v[i];
        if (s->recording && s->end == TK_SESSION_GOES_ON)
            read_session(r, s, tk_os_seconds(), &err);
        end_session(r, s, s->recording ? why : TK_SESSION_EMPTY);
    }
    forget_ended(r);
    for (size_t i = 0; i < r->options.n_listen; i++) {
        tk_os_socket_close(r->listening[i]);
        r->listening[i] = NULL;
    }
}

size_t tk_recorder_count(const struct tk_recorder *r)
{
    return r->sessions.n;
}

const struct tk_session *tk_recorder_session(const struct tk_recorder *r, size_t i)
{
    return r->sessions.v[i];
}

struct tk_recorder_state tk_recorder_state(const struct tk_recorder *r)
{
    struct tk_recorder_state state = r->state;
    state.bytes += r->live_bytes;
    return state;
}

void tk_recorder_close(struct tk_recorder *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->sessions.n; i++)
        tk_session_free(r->sessions.v[i]);
    tk_vec_release(&r->sessions);
    for (size_t i = 0; i < TK_RECORDER_LISTEN; i++)
        tk_os_socket_close(r->listening[i]);
    free(r);
}
