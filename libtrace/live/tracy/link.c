/*
 * The connection: tries addresses and protocols, feeds the stream, sends questions, leaves when all is
 * answered (tracy-live 3, 8 to 11).
 */
#include "live/tracy/link.h"

#include "live/tracy/file/save.h"
#include "live/tracy/wire/stream.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 8000, READ_BYTES = 256 << 10, READS_AT_ONCE = 16 };

static const double try_again = 0.1;  /* seconds between two attempts to connect */
static const double connecting = 5;   /* and for one of them */
static const double greeting = 10;    /* for an answer and the greeting */
static const double draining = 2;     /* for answers when it is to end */
static const double after_exit = 1;   /* for zones to be closed when a program has ended and is silent */
static const double silent_exit = 10; /* for its answers */
static const double leaving = 1;      /* for the last bytes to it */

enum step { WAITING, CONNECTING, GREETING, RECORDING, LEAVING, OVER };

struct tk_tl_link {
    struct tk_tl_link_options options;
    enum step step;
    enum tk_tl_end end;
    struct tk_err err;
    struct tk_tl_protocol protocol;
    struct tk_tl_stream stream;
    struct tk_tl_session session;
    struct tk_os_socket *socket;
    size_t address, version; /* that are tried */
    bool has_stream, connected, draining;
    double began_trying, until, began, last;
    TK_VEC(uint8_t) out; /* questions on their way */
    size_t sent;
    uint64_t frames_before;
    uint8_t *room; /* owned: READ_BYTES */
};

const char *tk_tl_end_text(enum tk_tl_end end)
{
    static const char *const texts[] = {
        [TK_TL_GOES_ON] = "it goes on",
        [TK_TL_END_EXIT] = "the program has ended",
        [TK_TL_END_CRASH] = "the program has crashed",
        [TK_TL_END_STOPPED] = "stopped",
        [TK_TL_END_SECONDS] = "its time is over",
        [TK_TL_END_FRAMES] = "all frames have come",
        [TK_TL_END_BYTES] = "the size is reached",
        [TK_TL_END_IDLE] = "nothing came any more",
        [TK_TL_END_BROKEN] = "the connection broke",
        [TK_TL_END_DAMAGED] = "the stream is damaged",
        [TK_TL_END_RULE] = "the program is not instrumented as it should be",
        [TK_TL_END_LIMIT] = "a limit was reached",
        [TK_TL_END_FAILED] = "memory or disk are out",
        [TK_TL_END_ABSENT] = "no program answers",
        [TK_TL_END_BUSY] = "the program takes no recording: it is recorded, or was",
        [TK_TL_END_PROTOCOL] = "the program is of a Tracy that is not known",
        [TK_TL_END_FOREIGN] = "what answers is no Tracy program",
    };
    return texts[end];
}

/* ---- begin and end ---- */

static void begin_trying(struct tk_tl_link *l, double now)
{
    l->step = WAITING;
    l->until = now;
}

int tk_tl_link_open(struct tk_tl_link **out, const struct tk_tl_link_options *options)
{
    struct tk_tl_link *l = calloc(1, sizeof *l);
    *out = l;
    if (!l)
        return TK_ENOMEM;
    l->options = *options;
    l->began_trying = -1;
    l->room = malloc(READ_BYTES);
    return l->room ? TK_OK : TK_ENOMEM;
}

static void drop_connection(struct tk_tl_link *l)
{
    tk_os_socket_close(l->socket);
    l->socket = NULL;
    l->out.n = l->sent = 0;
}

void tk_tl_link_close(struct tk_tl_link *l)
{
    if (!l)
        return;
    drop_connection(l);
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    tk_tl_session_end(&l->session);
    tk_vec_release(&l->out);
    free(l->room);
    free(l);
}

static void finish(struct tk_tl_link *l, enum tk_tl_end end)
{
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
    drop_connection(l);
    l->step = OVER;
}

bool tk_tl_link_is_over(const struct tk_tl_link *l)
{
    return l->step == OVER;
}

/* ---- questions ---- */

static int put_bytes(struct tk_tl_link *l, const uint8_t *p, size_t n)
{
    if (l->sent == l->out.n)
        l->sent = l->out.n = 0;
    if (tk_vec_reserve(&l->out, l->out.n + n))
        return tk_err_nomem(&l->err, "questions");
    memcpy(l->out.v + l->out.n, p, n);
    l->out.n += n;
    return TK_OK;
}

/* Sends what fits; false: the connection is broken. */
static bool send_bytes(struct tk_tl_link *l)
{
    while (l->sent < l->out.n) {
        size_t put = 0;
        const struct tk_os_result sent =
            tk_os_socket_write(l->socket, l->out.v + l->sent, l->out.n - l->sent, &put);
        if (sent.error == TK_OS_AGAIN)
            return true;
        if (sent.error)
            return false;
        l->sent += put;
    }
    return true;
}

static bool send_questions(struct tk_tl_link *l)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    while (l->session.unanswered < WINDOW && tk_tl_session_question(&l->session, question))
        if (put_bytes(l, question, sizeof question) != TK_OK)
            return false;
    return send_bytes(l);
}

/* Tells the program that it is left. */
static void leave(struct tk_tl_link *l, enum tk_tl_end end, double now)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
    tk_tl_question_put(&l->protocol, question, TK_TL_ASK_TERMINATE, 0, 0);
    l->step = LEAVING;
    l->until = now + leaving;
    if (put_bytes(l, question, sizeof question) != TK_OK)
        finish(l, end);
}

/* ---- connecting ---- */

static void connect_next(struct tk_tl_link *l, double now)
{
    if (l->began_trying < 0)
        l->began_trying = now;
    const struct tk_os_result made = tk_os_socket_connect(&l->socket, &l->options.at[l->address]);
    l->step = CONNECTING;
    l->until = now + connecting;
    if (made.error) {
        l->socket = NULL;
        l->until = now;
    }
}

/* Another address, or the first one again after a while, or nobody is there. */
static void try_next(struct tk_tl_link *l, struct tk_os_result why, double now)
{
    const double patience = l->options.patience;
    drop_connection(l);
    l->version = 0;
    begin_trying(l, now);
    if (++l->address < l->options.n_at)
        return;
    l->address = 0;
    l->until = now + try_again;
    if (patience >= 0 && now - l->began_trying >= patience) {
        tk_err_set(&l->err, TK_EIO, "%s", tk_os_text(why));
        finish(l, TK_TL_END_ABSENT);
    }
}

static void begin_greeting(struct tk_tl_link *l, double now)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    tk_os_socket_no_delay(l->socket);
    tk_os_socket_room(l->socket, 4 << 20, 256 << 10);
    tk_tl_protocol_set(&l->protocol, tk_tl_protocols[l->version]);
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    l->has_stream = true;
    tk_tl_session_end(&l->session);
    tk_tl_session_begin(&l->session, l->protocol.number, &l->options.session);
    tk_tl_hello_put(hello, l->protocol.number);
    l->step = GREETING;
    l->until = now + greeting;
    if (tk_tl_stream_begin(&l->stream, &l->protocol, &l->err) != TK_OK ||
        put_bytes(l, hello, sizeof hello) != TK_OK)
        finish(l, TK_TL_END_FAILED);
}

/* The program waits for another connection with the number that it speaks. */
static void try_protocol(struct tk_tl_link *l, double now)
{
    l->connected = true;
    drop_connection(l);
    if (++l->version == TK_TL_PROTOCOLS)
        finish(l, TK_TL_END_PROTOCOL);
    else
        connect_next(l, now);
}

static void serve_connecting(struct tk_tl_link *l, double now)
{
    struct tk_os_result made = tk_os_result_of(TK_OS_TIMEOUT);
    if (l->socket && now <= l->until)
        made = tk_os_socket_connected(l->socket);
    if (made.error == TK_OS_OK)
        begin_greeting(l, now);
    else if (made.error != TK_OS_AGAIN)
        try_next(l, made, now);
}

/* ---- receiving ---- */

static int take_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err)
{
    return tk_tl_session_welcome(&((struct tk_tl_link *)ctx)->session, w, err);
}

static uint64_t frames_of(const struct tk_tl_link *l)
{
    return l->session.state ? tk_spill_column_count(&l->session.state->frame_sets.v[0]->frames) : 0;
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
        try_protocol(l, now);
    else if (rc == TK_ECANCELED)
        finish(l, TK_TL_END_BUSY);
    else if (rc == TK_EFORMAT && l->step == GREETING)
        finish(l, TK_TL_END_FOREIGN);
    else
        leave(l,
              rc == TK_EFORMAT  ? TK_TL_END_DAMAGED
              : rc == TK_ELIMIT ? TK_TL_END_LIMIT
                                : TK_TL_END_FAILED,
              now);
}

static void begin_recording(struct tk_tl_link *l, double now)
{
    l->step = RECORDING;
    l->connected = true;
    l->began = now;
    l->frames_before = l->session.state->welcome.flags & TK_TL_ON_DEMAND ? 3 : 2;
}

static void lose(struct tk_tl_link *l, struct tk_os_result why, double now)
{
    if (l->step == GREETING && l->stream.bytes == 0 && l->options.patience != 0)
        try_next(l, why, now); /* it has just ended */
    else if (l->step == GREETING)
        finish(l, TK_TL_END_FOREIGN);
    else
        finish(l,
               l->session.state && tk_tl_session_is_done(&l->session, false) && l->session.state->terminated
                   ? TK_TL_END_EXIT
                   : TK_TL_END_BROKEN);
}

/* false: nothing more is to be read now. */
static bool receive(struct tk_tl_link *l, double now)
{
    const struct tk_tl_stream_taker taker = {l, take_welcome, take_block};
    size_t got = 0;
    const struct tk_os_result read = tk_os_socket_read(l->socket, l->room, READ_BYTES, &got);
    if (read.error == TK_OS_AGAIN)
        return false;
    if (read.error || got == 0) {
        lose(l, read.error ? read : tk_os_result_of(TK_OS_CLOSED_PIPE), now);
        return false;
    }
    l->last = now;
    int rc = tk_tl_stream_feed(&l->stream, l->room, got, &taker, &l->err);
    if (l->step == GREETING && l->session.state)
        begin_recording(l, now);
    if (rc != TK_OK) {
        end_by(l, rc, now);
        return false;
    }
    if (l->step == RECORDING && !send_questions(l)) {
        finish(l, TK_TL_END_BROKEN);
        return false;
    }
    return got == READ_BYTES;
}

/* ---- when it ends ---- */

static void begin_draining(struct tk_tl_link *l, enum tk_tl_end end, double now)
{
    if (l->draining || l->step != RECORDING)
        return;
    l->draining = l->session.draining = true;
    l->until = now + draining;
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
}

void tk_tl_link_stop(struct tk_tl_link *l, double now)
{
    if (l->step == RECORDING && !l->draining)
        begin_draining(l, TK_TL_END_STOPPED, now);
    else if (l->step == RECORDING)
        leave(l, TK_TL_END_STOPPED, now);
    else if (l->step != OVER && l->step != LEAVING)
        finish(l, TK_TL_END_STOPPED);
}

static void look_at_bounds(struct tk_tl_link *l, double now)
{
    const struct tk_tl_link_options *o = &l->options;
    if (o->seconds > 0 && now - l->began >= o->seconds)
        begin_draining(l, TK_TL_END_SECONDS, now);
    else if (o->frames && frames_of(l) >= l->frames_before + o->frames)
        begin_draining(l, TK_TL_END_FRAMES, now);
    else if (o->bytes && l->stream.bytes >= o->bytes)
        begin_draining(l, TK_TL_END_BYTES, now);
    else if (o->idle > 0 && now - l->last >= o->idle)
        begin_draining(l, TK_TL_END_IDLE, now);
    else if (tk_spill_columns_are_tight(l->session.state->columns)) {
        tk_err_set(&l->err, TK_ELIMIT,
                   "the disk of temporary files is nearly full; TMPDIR names another folder");
        begin_draining(l, TK_TL_END_LIMIT, now);
    }
}

static void look_at_exit(struct tk_tl_link *l, double now)
{
    const double silent = now - l->last;
    const bool done = tk_tl_session_is_done(&l->session, true) ||
                      (tk_tl_session_is_done(&l->session, false) && silent >= after_exit) ||
                      silent >= silent_exit;
    if (done)
        leave(l, l->session.state->crashed ? TK_TL_END_CRASH : TK_TL_END_EXIT, now);
}

static void look_at_end(struct tk_tl_link *l, double now)
{
    if (l->session.failed)
        begin_draining(l, TK_TL_END_RULE, now);
    if (l->draining) {
        if ((!tk_tl_session_asks(&l->session) && !l->session.state->answer.open) || now >= l->until)
            leave(l, l->end, now);
    } else if (l->session.state->terminated)
        look_at_exit(l, now);
    else
        look_at_bounds(l, now);
}

/* ---- serving ---- */

int tk_tl_link_ask(struct tk_tl_link *l, struct tk_live_waits *waits)
{
    if (!l->socket)
        return TK_OK;
    const bool writes = l->step == CONNECTING || l->sent < l->out.n;
    const bool reads = l->step == GREETING || l->step == RECORDING;
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
    if (wait && wait->can_write && !send_bytes(l)) {
        lose(l, tk_os_result_of(TK_OS_CLOSED_PIPE), now);
        return;
    }
    for (unsigned i = 0; wait && wait->can_read && i < READS_AT_ONCE && receive(l, now); i++)
        ;
    if (l->step == GREETING && now >= l->until)
        finish(l, TK_TL_END_FOREIGN);
    if (l->step == RECORDING)
        look_at_end(l, now);
}

void tk_tl_link_serve(struct tk_tl_link *l, const struct tk_live_waits *waits, double now)
{
    const struct tk_os_wait *wait = wait_of(l, waits);
    switch (l->step) {
    case WAITING:
        if (now >= l->until)
            connect_next(l, now);
        break;
    case CONNECTING:
        if (!wait || wait->can_write || wait->can_read || now > l->until)
            serve_connecting(l, now);
        break;
    case GREETING:
    case RECORDING:
        serve_connected(l, wait, now);
        break;
    case LEAVING:
        if (!send_bytes(l) || l->sent == l->out.n || now >= l->until)
            finish(l, l->end);
        break;
    case OVER:
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
    const uint64_t frames = frames_of(l);
    return (struct tk_tl_link_state){.end = l->end,
                                     .err = &l->err,
                                     .session = l->session.state,
                                     .protocol = l->session.state ? l->protocol.number : 0,
                                     .at = l->options.at[l->address < l->options.n_at ? l->address : 0],
                                     .connected = l->connected,
                                     .bytes = l->stream.bytes,
                                     .events = l->session.events,
                                     .frames = frames > l->frames_before ? frames - l->frames_before : 0,
                                     .questions = l->session.unanswered,
                                     .memory = memory_of(l),
                                     .began = l->began,
                                     .last = l->last};
}

bool tk_tl_link_has_capture(const struct tk_tl_link *l)
{
    return l->session.state != NULL;
}

static int write_output(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    return tk_output_write(ctx, p, n, err);
}

int tk_tl_link_save(struct tk_tl_link *l, struct tk_output *out, struct tk_err *err)
{
    int rc = tk_tl_save(l->session.state, write_output, out, err);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}
