/*
 * The connection: feeds the stream, sends questions, and says what is known (tracy-live 8 to 11).
 */
#include "live/tracy/tracy_in.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 256 << 10, READS_AT_ONCE = 16 };

int tk_tl_link_open(struct tk_tl_link **out, const struct tk_tl_link_options *options)
{
    struct tk_tl_link *l = calloc(1, sizeof *l);
    *out = l;
    if (!l)
        return TK_ENOMEM;
    l->options = *options;
    l->began_trying = -1;
    for (size_t i = 0; i < options->n_at; i++)
        tk_tl_link_add_try(l, &options->at[i]);
    l->capacity = malloc(READ_BYTES);
    return l->capacity ? TK_OK : TK_ENOMEM;
}

void tk_tl_link_close(struct tk_tl_link *l)
{
    if (!l)
        return;
    tk_tl_link_drop(l);
    tk_tl_link_end_tries(l);
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    tk_tl_session_end(&l->session);
    tk_vec_release(&l->out);
    tk_vec_release(&l->head);
    free(l->capacity);
    free(l);
}

bool tk_tl_link_is_over(const struct tk_tl_link *l)
{
    return l->step == TK_TL_OVER;
}

/* ---- receiving ---- */

static int take_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err)
{
    return tk_tl_session_welcome(&((struct tk_tl_link *)ctx)->session, w, err);
}

/* After each block, so that a program that ends is left as soon as it can be. */
static int take_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err)
{
    struct tk_tl_link *l = ctx;
    const int rc = tk_tl_session_block(&l->session, p, n, err);
    if (l->options.bytes && l->stream.taken >= l->options.bytes && !l->counted) {
        l->session.draining = true; /* what comes behind a size that was requested does not count */
        l->counted = l->stream.taken;
    }
    return rc;
}

static void end_by(struct tk_tl_link *l, int rc, double now)
{
    if (rc == TK_EFORMAT && l->step == TK_TL_GREETING)
        tk_tl_link_refuse(l, TK_TL_END_FOREIGN, now);
    else
        tk_tl_link_leave(l,
                         rc == TK_EFORMAT  ? TK_TL_END_DAMAGED
                         : rc == TK_ELIMIT ? TK_TL_END_LIMIT
                                           : TK_TL_END_FAILED,
                         now);
}

/* false: the caller does not want this one, and others are tried. */
static bool begin_recording(struct tk_tl_link *l, double now)
{
    const struct tk_tl_link_options *o = &l->options;
    const struct tk_os_address *at = &l->tries[l->adopted].at[l->tries[l->adopted].address];
    if (o->wants && !o->wants(o->ctx, at, l->session.state->welcome.pid)) {
        tk_tl_link_say_goodbye(l);
        tk_tl_session_end(&l->session);
        tk_tl_link_refuse(l, TK_TL_END_OTHER, now);
        return false;
    }
    tk_tl_link_end_tries(l);
    l->step = TK_TL_RECORDING;
    l->at = *at;
    l->connected = true;
    l->began = now;
    return true;
}

static void lose(struct tk_tl_link *l, double now)
{
    if (l->step == TK_TL_GREETING)
        tk_tl_link_refuse(l, TK_TL_END_GONE, now);
    else
        tk_tl_link_finish(l, l->session.state && tk_tl_session_is_done(&l->session, false) &&
                                     l->session.state->terminated
                                 ? TK_TL_END_EXIT
                                 : TK_TL_END_BROKEN);
}

/* ---- the log ---- */

/* The recording ends in order, when what came with it was looked at (link_end.c). */
static void note_full(struct tk_tl_link *l, struct tk_os_result why)
{
    if (!why.error || l->log_ended)
        return;
    l->log_ended = true;
    tk_err_set(&l->err, TK_EOUTPUT, "cannot write '%s': %s", l->log->file.path, tk_os_text(why));
}

/* TK_OK or TK_ENOMEM. */
static int keep(struct tk_tl_link *l, size_t n, double now)
{
    if (l->log && !l->log_ended)
        note_full(l, tk_tl_log_append(l->log, l->capacity, n, now));
    if (l->log || !l->options.keeps)
        return TK_OK;
    if (tk_vec_reserve(&l->head, l->head.n + n))
        return tk_err_nomem(&l->err, "a recording");
    memcpy(l->head.v + l->head.n, l->capacity, n);
    l->head.n += n;
    return TK_OK;
}

bool tk_tl_link_wants_log(const struct tk_tl_link *l)
{
    return l->options.keeps && !l->log && l->session.state;
}

void tk_tl_link_keep(struct tk_tl_link *l, struct tk_tl_log *log)
{
    l->log = log;
    struct tk_os_result put = tk_tl_log_begin(log, l->protocol.number, &l->options.session);
    if (!put.error)
        put = tk_tl_log_append(log, l->head.v, l->head.n, l->last);
    note_full(l, put);
    tk_vec_release(&l->head);
}

/* Looks at the first n bytes of the buffer. false: nothing more is to be read now. */
static bool take(struct tk_tl_link *l, size_t n, double now)
{
    const struct tk_tl_stream_taker taker = {l, take_welcome, take_block};
    l->last = now;
    int rc = keep(l, n, now);
    if (rc == TK_OK)
        rc = tk_tl_stream_feed(&l->stream, l->capacity, n, &taker, &l->err);
    if (l->step == TK_TL_GREETING && l->session.state && !begin_recording(l, now))
        return false;
    if (rc != TK_OK) {
        end_by(l, rc, now);
        return false;
    }
    if (l->step == TK_TL_RECORDING && !tk_tl_link_send_questions(l)) {
        tk_tl_link_finish(l, TK_TL_END_BROKEN);
        return false;
    }
    return true;
}

/* It has answered that it can be recorded. */
static void begin_greeting(struct tk_tl_link *l, double now)
{
    l->step = TK_TL_GREETING;
    l->until = now + TK_TL_GREETING_SECONDS;
    l->head.n = 0;
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    l->has_stream = true;
    tk_tl_session_end(&l->session);
    tk_tl_session_begin(&l->session, l->protocol.number, &l->options.session);
    if (tk_tl_stream_begin(&l->stream, &l->protocol, &l->err) != TK_OK) {
        tk_tl_link_finish(l, TK_TL_END_FAILED);
        return;
    }
    l->capacity[0] = TK_TL_WELCOME;
    take(l, 1, now);
}

/* Bytes to be read at once: not behind a block that ends where the recording is to be cut. */
static size_t most_of(const struct tk_tl_link *l)
{
    const struct tk_tl_stream *s = &l->stream;
    if (!l->cut)
        return READ_BYTES;
    const uint64_t left = l->cut > s->bytes ? l->cut - s->bytes : 0;
    if (!left && tk_tl_stream_is_between(s))
        return 0;
    const uint64_t most = left > s->want - s->got ? left : s->want - s->got;
    return most < READ_BYTES ? (size_t)most : READ_BYTES;
}

/* false: nothing more is to be read now. */
static bool receive(struct tk_tl_link *l, double now)
{
    size_t got = 0;
    const size_t most = most_of(l);
    if (!most)
        return false;
    const struct tk_os_result read = tk_os_socket_read(l->socket, l->capacity, most, &got);
    if (read.error == TK_OS_AGAIN)
        return false;
    if (read.error || got == 0) {
        lose(l, now);
        return false;
    }
    return take(l, got, now) && got == most && !tk_tl_link_wants_log(l);
}

/* ---- serving ---- */

int tk_tl_link_ask(struct tk_tl_link *l, struct tk_live_waits *waits)
{
    if (l->step == TK_TL_TRYING)
        return tk_tl_link_ask_tries(l, waits);
    if (!l->socket)
        return TK_OK;
    const bool reads =
        (l->step == TK_TL_GREETING || l->step == TK_TL_RECORDING) && !tk_tl_link_wants_log(l) && most_of(l);
    return tk_live_wait_for(waits, l->socket, reads, l->sent < l->out.n) ? TK_OK : TK_ENOMEM;
}

static void serve_connected(struct tk_tl_link *l, const struct tk_os_wait *wait, double now)
{
    if (wait && wait->can_write && !tk_tl_link_send(l)) {
        lose(l, now);
        return;
    }
    for (unsigned i = 0; wait && wait->can_read && i < READS_AT_ONCE && receive(l, now); i++)
        ;
    if (l->step == TK_TL_GREETING && now >= l->until)
        tk_tl_link_refuse(l, TK_TL_END_SILENT, now);
    if (l->step == TK_TL_RECORDING)
        tk_tl_link_look_at_end(l, now);
}

void tk_tl_link_serve(struct tk_tl_link *l, const struct tk_live_waits *waits, double now)
{
    const struct tk_os_wait *wait = tk_tl_wait_of(l->socket, waits);
    switch (l->step) {
    case TK_TL_TRYING:
        if (tk_tl_link_serve_tries(l, waits, now))
            begin_greeting(l, now);
        break;
    case TK_TL_GREETING:
    case TK_TL_RECORDING:
        serve_connected(l, wait, now);
        break;
    case TK_TL_LEAVING:
        if (!tk_tl_link_send(l) || l->sent == l->out.n || now >= l->until)
            tk_tl_link_finish(l, l->end);
        break;
    case TK_TL_OVER:
        break;
    }
}

/* ---- what is known ---- */

static uint64_t memory_of(const struct tk_tl_link *l)
{
    const struct tk_tl_state *s = l->session.state;
    return s ? s->charged + tk_spill_columns_held(s->columns) + tk_spill_columns_held(s->lasting) : 0;
}

struct tk_tl_link_state tk_tl_link_state(const struct tk_tl_link *l)
{
    return (struct tk_tl_link_state){.end = l->end,
                                     .err = &l->err,
                                     .session = l->session.state,
                                     .protocol = l->session.state ? l->protocol.number : 0,
                                     .at = l->at,
                                     .connected = l->connected,
                                     .bytes = l->counted ? l->counted : l->stream.bytes,
                                     .events = l->session.events,
                                     .frames = tk_tl_session_frames(&l->session),
                                     .questions = l->session.unanswered,
                                     .memory = memory_of(l),
                                     .began = l->began,
                                     .last = l->last};
}

bool tk_tl_link_has_capture(const struct tk_tl_link *l)
{
    return l->session.state != NULL;
}

void tk_tl_link_cut(struct tk_tl_link *l, uint64_t bytes)
{
    l->cut = bytes ? bytes : 1;
}

/* Is there something that a capture can be made of, and does more follow? */
static bool goes_on(const struct tk_tl_link *l, bool any)
{
    const struct tk_tl_state *s = l->session.state;
    return l->step == TK_TL_RECORDING && !l->draining && s && !s->terminated && !l->session.failed &&
           (any || !s->piece.number || s->last_time > s->piece.from);
}

static int rotate(struct tk_tl_link *l, const char *path, bool force, struct tk_err *err)
{
    struct tk_tl_state *s = l->session.state;
    s->piece.goes_on = true;
    int rc = tk_tl_log_save(&l->session, path, force, NULL, err);
    if (rc == TK_OK)
        rc = tk_tl_rotate(s, err);
    s->piece.goes_on = false;
    if (rc == TK_OK && l->log && !l->log_ended &&
        (rc = tk_tl_log_renew(l->log, &l->session, &l->stream, err)) != TK_OK)
        l->log_ended = true;
    return rc;
}

int tk_tl_link_rotate(struct tk_tl_link *l, const char *path, bool force, bool any, struct tk_err *err)
{
    const bool waits = l->step == TK_TL_RECORDING && !tk_tl_stream_is_between(&l->stream);
    if (waits)
        return TK_OK;
    l->cut = 0;
    if (!goes_on(l, any))
        return TK_OK;
    const int rc = rotate(l, path, force, err);
    if (rc == TK_OK)
        return TK_ITEM;
    l->err = *err;
    tk_tl_link_drain(l, TK_TL_END_FULL, l->last);
    return rc;
}

int tk_tl_link_save(struct tk_tl_link *l, const char *path, bool force, int (*stop)(void *ctx),
                    struct tk_err *err)
{
    return tk_tl_log_save(&l->session, path, force, stop, err);
}
