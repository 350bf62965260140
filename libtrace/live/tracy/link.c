/*
 * The connection: feeds the stream, sends questions, and says what is known (tracy-live 8 to 11).
 */
#include "live/tracy/tracy_in.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

/*
 * From an address to a program that was greeted: tries addresses and protocols (tracy-live 3).
 */

static const double try_again = 0.1; /* seconds between two attempts to connect */
static const double connecting = 5;  /* and for one of them */
static const double greeting = 10;   /* for an answer and the greeting */

static void begin_trying(struct tk_tl_link *l, double now)
{
    l->step = TK_TL_WAITING;
    l->until = now;
}

void tk_tl_link_connect(struct tk_tl_link *l, double now)
{
    if (l->began_trying < 0)
        l->began_trying = now;
    const struct tk_os_result made = tk_os_socket_connect(&l->socket, &l->options.at[l->address]);
    l->step = TK_TL_CONNECTING;
    l->until = now + connecting;
    if (made.error) {
        l->socket = NULL;
        l->until = now;
    }
}

void tk_tl_link_try_next(struct tk_tl_link *l, struct tk_os_result why, double now)
{
    const double patience = l->options.patience;
    tk_tl_link_drop(l);
    l->version = 0;
    begin_trying(l, now);
    if (++l->address < l->options.n_at)
        return;
    l->address = 0;
    l->until = now + try_again;
    if (patience >= 0 && now - l->began_trying >= patience) {
        tk_err_set(&l->err, TK_EIO, "%s", tk_os_text(why));
        tk_tl_link_finish(l, TK_TL_END_ABSENT);
    }
}

static void begin_greeting(struct tk_tl_link *l, double now)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    tk_os_socket_no_delay(l->socket);
    tk_os_socket_space(l->socket, 4 << 20, 256 << 10);
    tk_tl_protocol_set(&l->protocol, tk_tl_protocols[l->version]);
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    l->has_stream = true;
    tk_tl_session_end(&l->session);
    tk_tl_session_begin(&l->session, l->protocol.number, &l->options.session);
    tk_tl_hello_put(hello, l->protocol.number);
    l->step = TK_TL_GREETING;
    l->head.n = 0;
    l->until = now + greeting;
    if (tk_tl_stream_begin(&l->stream, &l->protocol, &l->err) != TK_OK ||
        tk_tl_link_put(l, hello, sizeof hello) != TK_OK)
        tk_tl_link_finish(l, TK_TL_END_FAILED);
}

void tk_tl_link_try_protocol(struct tk_tl_link *l, double now)
{
    l->connected = true;
    tk_tl_link_drop(l);
    if (++l->version == TK_TL_PROTOCOLS)
        tk_tl_link_finish(l, TK_TL_END_PROTOCOL);
    else
        tk_tl_link_connect(l, now);
}

void tk_tl_link_serve_connecting(struct tk_tl_link *l, double now)
{
    struct tk_os_result made = tk_os_result_of(TK_OS_TIMEOUT);
    if (l->socket && now <= l->until)
        made = tk_os_socket_connected(l->socket);
    if (made.error == TK_OS_OK)
        begin_greeting(l, now);
    else if (made.error != TK_OS_AGAIN)
        tk_tl_link_try_next(l, made, now);
}

enum { READ_BYTES = 256 << 10, READS_AT_ONCE = 16 };

int tk_tl_link_open(struct tk_tl_link **out, const struct tk_tl_link_options *options)
{
    struct tk_tl_link *l = calloc(1, sizeof *l);
    *out = l;
    if (!l)
        return TK_ENOMEM;
    l->options = *options;
    l->began_trying = -1;
    l->capacity = malloc(READ_BYTES);
    return l->capacity ? TK_OK : TK_ENOMEM;
}

void tk_tl_link_close(struct tk_tl_link *l)
{
    if (!l)
        return;
    tk_tl_link_drop(l);
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
    return tk_tl_session_block(&l->session, p, n, err);
}

static void end_by(struct tk_tl_link *l, int rc, double now)
{
    if (rc == TK_ECANCELED && l->stream.answer == TK_TL_OTHER_PROTOCOL)
        tk_tl_link_try_protocol(l, now);
    else if (rc == TK_ECANCELED)
        tk_tl_link_finish(l, TK_TL_END_BUSY);
    else if (rc == TK_EFORMAT && l->step == TK_TL_GREETING)
        tk_tl_link_finish(l, TK_TL_END_FOREIGN);
    else
        tk_tl_link_leave(l,
                         rc == TK_EFORMAT  ? TK_TL_END_DAMAGED
                         : rc == TK_ELIMIT ? TK_TL_END_LIMIT
                                           : TK_TL_END_FAILED,
                         now);
}

static void begin_recording(struct tk_tl_link *l, double now)
{
    l->step = TK_TL_RECORDING;
    l->connected = true;
    l->began = now;
}

static void lose(struct tk_tl_link *l, struct tk_os_result why, double now)
{
    if (l->step == TK_TL_GREETING && l->stream.bytes == 0 && l->options.patience != 0)
        tk_tl_link_try_next(l, why, now); /* it has just ended */
    else if (l->step == TK_TL_GREETING)
        tk_tl_link_finish(l, TK_TL_END_FOREIGN);
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

/* false: nothing more is to be read now. */
static bool receive(struct tk_tl_link *l, double now)
{
    const struct tk_tl_stream_taker taker = {l, take_welcome, take_block};
    size_t got = 0;
    const struct tk_os_result read = tk_os_socket_read(l->socket, l->capacity, READ_BYTES, &got);
    if (read.error == TK_OS_AGAIN)
        return false;
    if (read.error || got == 0) {
        lose(l, read.error ? read : tk_os_result_of(TK_OS_CLOSED_PIPE), now);
        return false;
    }
    l->last = now;
    int rc = keep(l, got, now);
    if (rc == TK_OK)
        rc = tk_tl_stream_feed(&l->stream, l->capacity, got, &taker, &l->err);
    if (l->step == TK_TL_GREETING && l->session.state)
        begin_recording(l, now);
    if (rc != TK_OK) {
        end_by(l, rc, now);
        return false;
    }
    if (l->step == TK_TL_RECORDING && !tk_tl_link_send_questions(l)) {
        tk_tl_link_finish(l, TK_TL_END_BROKEN);
        return false;
    }
    return got == READ_BYTES && !tk_tl_link_wants_log(l);
}

/* ---- serving ---- */

int tk_tl_link_ask(struct tk_tl_link *l, struct tk_live_waits *waits)
{
    if (!l->socket)
        return TK_OK;
    const bool writes = l->step == TK_TL_CONNECTING || l->sent < l->out.n;
    const bool reads = (l->step == TK_TL_GREETING || l->step == TK_TL_RECORDING) && !tk_tl_link_wants_log(l);
    return tk_live_wait_for(waits, l->socket, reads, writes) ? TK_OK : TK_ENOMEM;
}

static const struct tk_os_wait *wait_of(const struct tk_tl_link *l, const struct tk_live_waits *waits)
{
    for (size_t i = 0; l->socket && i < waits->list.n; i++)
        if (waits->list.v[i].socket == l->socket)
            return &waits->list.v[i];
    return NULL;
}

static void serve_connected(struct tk_tl_link *l, const struct tk_os_wait *wait, double now)
{
    if (wait && wait->can_write && !tk_tl_link_send(l)) {
        lose(l, tk_os_result_of(TK_OS_CLOSED_PIPE), now);
        return;
    }
    for (unsigned i = 0; wait && wait->can_read && i < READS_AT_ONCE && receive(l, now); i++)
        ;
    if (l->step == TK_TL_GREETING && now >= l->until)
        tk_tl_link_finish(l, TK_TL_END_FOREIGN);
    if (l->step == TK_TL_RECORDING)
        tk_tl_link_look_at_end(l, now);
}

void tk_tl_link_serve(struct tk_tl_link *l, const struct tk_live_waits *waits, double now)
{
    const struct tk_os_wait *wait = wait_of(l, waits);
    switch (l->step) {
    case TK_TL_WAITING:
        if (now >= l->until)
            tk_tl_link_connect(l, now);
        break;
    case TK_TL_CONNECTING:
        if (!wait || wait->can_write || wait->can_read || now > l->until)
            tk_tl_link_serve_connecting(l, now);
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
    return s ? s->charged + tk_spill_columns_held(s->columns) : 0;
}

struct tk_tl_link_state tk_tl_link_state(const struct tk_tl_link *l)
{
    return (struct tk_tl_link_state){.end = l->end,
                                     .err = &l->err,
                                     .session = l->session.state,
                                     .protocol = l->session.state ? l->protocol.number : 0,
                                     .at = l->options.at[l->address < l->options.n_at ? l->address : 0],
                                     .connected = l->connected,
                                     .bytes = l->stream.bytes,
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

int tk_tl_link_save(struct tk_tl_link *l, const char *path, bool force, int (*stop)(void *ctx),
                    struct tk_err *err)
{
    return tk_tl_log_save(&l->session, path, force, stop, err);
}
