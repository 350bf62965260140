/*
 * One connection of an Unreal program: see session.h.
 */
#include "live/session.h"

#include <stdlib.h>

const char *tk_session_end_text(enum tk_session_end end)
{
    static const char *const texts[] = {
        [TK_SESSION_GOES_ON] = "it goes on",
        [TK_SESSION_CLOSED] = "closed by the program",
        [TK_SESSION_RESET] = "the connection broke",
        [TK_SESSION_SILENT] = "the program's machine no longer answers",
        [TK_SESSION_SIZE] = "the requested file size was reached",
        [TK_SESSION_STOPPED] = "stopped",
        [TK_SESSION_FULL] = "the disk is full",
        [TK_SESSION_FAILED] = "the file cannot be written",
        [TK_SESSION_FOREIGN] = "it is not an Unreal program",
        [TK_SESSION_DAMAGED_HELLO] = "the header of the stream is damaged",
        [TK_SESSION_LATE] = "no header came in time",
        [TK_SESSION_EMPTY] = "closed without a byte",
        [TK_SESSION_CUT_HELLO] = "closed inside the header of the stream",
    };
    return texts[end];
}

void tk_session_free(struct tk_session *s)
{
    if (!s)
        return;
    tk_os_socket_close(s->socket);
    tk_live_file_release(&s->file);
    tk_live_packets_release(&s->packets);
    tk_live_summary_free(s->summary);
    free(s->head);
    free(s);
}
