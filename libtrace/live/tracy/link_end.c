/*
 * When a connection ends, how it is left, and what ends are called (tracy-live 8 to 11).
 */
#include "live/tracy/tracy_in.h"

#include <string.h>

/*
 * What is on its way to a program: questions and other bytes.
 */

enum { WINDOW = 8000 }; /* questions that may be unanswered */

int tk_tl_link_put(struct tk_tl_link *l, const uint8_t *p, size_t n)
{
    if (l->sent == l->out.n)
        l->sent = l->out.n = 0;
    if (tk_vec_reserve(&l->out, l->out.n + n))
        return tk_err_nomem(&l->err, "questions");
    memcpy(l->out.v + l->out.n, p, n);
    l->out.n += n;
    return TK_OK;
}

bool tk_tl_link_send(struct tk_tl_link *l)
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

bool tk_tl_link_send_questions(struct tk_tl_link *l)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    while (l->session.unanswered < WINDOW && tk_tl_session_question(&l->session, question))
        if (tk_tl_link_put(l, question, sizeof question) != TK_OK)
            return false;
    return tk_tl_link_send(l);
}

void tk_tl_link_drop(struct tk_tl_link *l)
{
    tk_os_socket_close(l->socket);
    l->socket = NULL;
    l->out.n = l->sent = 0;
}

static const double draining = 2;      /* for answers when it is to end */
static const double after_exit = 1;    /* for zones to be closed when a program has ended and is silent */
static const double silent_exit = 120; /* for its answers: a busy machine is long at reading its symbols */
static const double leaving = 1;       /* for the last bytes to it */

const char *tk_tl_end_text(enum tk_tl_end end)
{
    static const char *const texts[] = {
        [TK_TL_GOES_ON] = "it goes on",
        [TK_TL_END_EXIT] = "the program has ended",
        [TK_TL_END_CRASH] = "the program has crashed",
        [TK_TL_END_STOPPED] = "stopped",
        [TK_TL_END_SECONDS] = "the time limit was reached",
        [TK_TL_END_FRAMES] = "all requested frames were recorded",
        [TK_TL_END_BYTES] = "the size limit was reached",
        [TK_TL_END_IDLE] = "no more data came",
        [TK_TL_END_BROKEN] = "the connection broke",
        [TK_TL_END_DAMAGED] = "the stream is damaged",
        [TK_TL_END_RULE] = "the instrumentation of the program is wrong",
        [TK_TL_END_LIMIT] = "a limit was reached",
        [TK_TL_END_FULL] = "the disk is full",
        [TK_TL_END_FAILED] = "out of memory or disk space",
        [TK_TL_END_ABSENT] = "no program answers",
        [TK_TL_END_OTHER] = "it is not the program that was started",
        [TK_TL_END_GONE] = "it closes the connection without an answer",
        [TK_TL_END_FOREIGN] = "what answers is not a Tracy program",
        [TK_TL_END_SILENT] = "it does not answer: another recorder may be recording it",
        [TK_TL_END_PROTOCOL] = "the program speaks another protocol than Tracy 0.9.0 to 0.14.0 do",
        [TK_TL_END_BUSY] = "the program refuses: it was recorded already, and can be once only",
    };
    return texts[end];
}

/* ---- leaving ---- */

void tk_tl_link_finish(struct tk_tl_link *l, enum tk_tl_end end)
{
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
    tk_tl_link_drop(l);
    l->step = TK_TL_OVER;
}

void tk_tl_link_leave(struct tk_tl_link *l, enum tk_tl_end end, double now)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
    tk_tl_question_put(&l->protocol, question, TK_TL_ASK_TERMINATE, 0, 0);
    l->step = TK_TL_LEAVING;
    l->until = now + leaving;
    if (tk_tl_link_put(l, question, sizeof question) != TK_OK)
        tk_tl_link_finish(l, end);
}

void tk_tl_link_say_goodbye(struct tk_tl_link *l)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    tk_tl_question_put(&l->protocol, question, TK_TL_ASK_TERMINATE, 0, 0);
    if (tk_tl_link_put(l, question, sizeof question) == TK_OK)
        (void)tk_tl_link_send(l);
}

void tk_tl_link_let_go(struct tk_tl_link *l)
{
    if (l->socket)
        tk_tl_link_say_goodbye(l);
    tk_tl_link_finish(l, TK_TL_END_STOPPED);
}

/* ---- when it is time to ---- */

void tk_tl_link_drain(struct tk_tl_link *l, enum tk_tl_end end, double now)
{
    if (l->draining || l->step != TK_TL_RECORDING)
        return;
    l->draining = l->session.draining = true;
    l->cut = 0;
    if (!l->counted) /* what comes now are answers, and what nobody keeps */
        l->counted = tk_tl_stream_whole(&l->stream);
    l->until = now + draining;
    if (l->end == TK_TL_GOES_ON)
        l->end = end;
}

void tk_tl_link_stop(struct tk_tl_link *l, double now)
{
    if (l->step == TK_TL_RECORDING && !l->draining)
        tk_tl_link_drain(l, TK_TL_END_STOPPED, now);
    else if (l->step == TK_TL_RECORDING)
        tk_tl_link_leave(l, TK_TL_END_STOPPED, now);
    else if (l->step != TK_TL_OVER && l->step != TK_TL_LEAVING)
        tk_tl_link_finish(l, TK_TL_END_STOPPED);
}

static void look_at_bounds(struct tk_tl_link *l, double now)
{
    const struct tk_tl_link_options *o = &l->options;
    if (o->seconds > 0 && now - l->began >= o->seconds)
        tk_tl_link_drain(l, TK_TL_END_SECONDS, now);
    else if (o->frames && tk_tl_session_frames(&l->session) >= o->frames)
        tk_tl_link_drain(l, TK_TL_END_FRAMES, now);
    else if (o->bytes && l->stream.taken >= o->bytes)
        tk_tl_link_drain(l, TK_TL_END_BYTES, now);
    else if (o->idle > 0 && now - l->last >= o->idle)
        tk_tl_link_drain(l, TK_TL_END_IDLE, now);
    else if (l->log_ended)
        tk_tl_link_drain(l, TK_TL_END_FULL, now);
    else if (l->log && tk_tl_log_is_tight(l->log)) {
        tk_err_set(&l->err, TK_ELIMIT, "the disk has no more space than --free keeps and the capture takes");
        l->log_ended = true;
        tk_tl_link_drain(l, TK_TL_END_LIMIT, now);
    } else if (tk_spill_columns_are_tight(l->session.state->columns) ||
               tk_spill_columns_are_tight(l->session.state->lasting)) {
        tk_err_set(&l->err, TK_ELIMIT,
                   "the disk of temporary files is nearly full; TMPDIR names another folder");
        tk_tl_link_drain(l, TK_TL_END_LIMIT, now);
    }
}

static void look_at_exit(struct tk_tl_link *l, double now)
{
    const double silent = now - l->last;
    const bool done = tk_tl_session_is_done(&l->session, true) ||
                      (tk_tl_session_is_done(&l->session, false) && silent >= after_exit) ||
                      silent >= silent_exit;
    if (l->options.seconds > 0 && now - l->began >= l->options.seconds)
        tk_tl_link_drain(l, TK_TL_END_SECONDS, now);
    else if (done)
        tk_tl_link_leave(l, l->session.state->crashed ? TK_TL_END_CRASH : TK_TL_END_EXIT, now);
}

void tk_tl_link_look_at_end(struct tk_tl_link *l, double now)
{
    if (l->session.failed)
        tk_tl_link_drain(l, TK_TL_END_RULE, now);
    if (l->draining) {
        if ((!tk_tl_session_waits(&l->session) && !l->session.state->answer.open) || now >= l->until)
            tk_tl_link_leave(l, l->end, now);
    } else if (l->session.state->terminated)
        look_at_exit(l, now);
    else
        look_at_bounds(l, now);
}
