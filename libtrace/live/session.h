/*
 * One connection of an Unreal program: its header, its file, what it holds so far. The recorder has many.
 */
#ifndef TK_LIVE_UNREAL_SESSION_H
#define TK_LIVE_UNREAL_SESSION_H

#include "live/recording_file.h"
#include "live/packets.h"
#include "live/summary.h"
#include "os/socket.h"

enum tk_session_end {
    TK_SESSION_GOES_ON,
    TK_SESSION_CLOSED,  /* the program closed it */
    TK_SESSION_RESET,   /* it broke */
    TK_SESSION_SILENT,  /* the program's machine does not answer any more */
    TK_SESSION_SIZE,    /* the file is as large as was asked for */
    TK_SESSION_STOPPED, /* the recorder was asked to end */
    TK_SESSION_FULL,    /* the disk is full, or would be fuller than was asked for */
    TK_SESSION_FAILED,  /* the file cannot be written */
    TK_SESSION_FOREIGN, /* never began: it is not an Unreal program */
    TK_SESSION_DAMAGED_HELLO,
    TK_SESSION_LATE,  /* never began: its header did not come in time */
    TK_SESSION_EMPTY, /* never began: closed without a byte, as programs from 5.4 on do */
    TK_SESSION_CUT_HELLO
};

struct tk_recorder_events;

struct tk_session {
    uint64_t id;                             /* of this recorder, from 1 on */
    const struct tk_recorder_events *events; /* borrowed: who is told */
    struct tk_os_socket *socket;             /* owned */
    struct tk_os_address from;
    double since, last; /* seconds of tk_os_seconds: when it was accepted, and heard last */
    uint8_t *head;      /* owned: the header, as long as it is not whole */
    size_t n_head, cap_head;
    bool recording; /* the header is whole, and there is a file */
    struct tk_hello hello;
    struct tk_live_file file;
    struct tk_live_packets packets;
    struct tk_live_summary *summary; /* owned; NULL: none is made */
    enum tk_session_end end;
    struct tk_os_result why; /* of TK_SESSION_FAILED and TK_SESSION_FULL */
    const char *looks;       /* of TK_SESSION_FOREIGN */
};

/* Does the stream end inside a packet? */
static inline bool tk_session_is_cut(const struct tk_session *s)
{
    return s->packets.n_carry > 0 && !s->packets.damaged;
}

/* A few words on why it ended: "the program closed it". Static. */
const char *tk_session_end_text(enum tk_session_end end);

void tk_session_free(struct tk_session *s);

#endif
