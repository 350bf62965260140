/*
 * What is on its way to a program: questions and other bytes. See link_parts.h.
 */
#include "live/tracy/link_parts.h"

#include <string.h>

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
