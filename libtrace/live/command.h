/*
 * Commands for the control port of an Unreal program (live 4): making a line that the program reads as it is
 * meant, and sending it. The program answers nothing.
 */
#ifndef TK_LIVE_CONTROL_COMMAND_H
#define TK_LIVE_CONTROL_COMMAND_H

#include "base/err.h"
#include "os/socket.h"

enum {
    TK_CONTROL_LINE = 512, /* bytes of a line with its end: longer ones make the program hang up */
    TK_CONTROL_SECONDS = 5 /* for a connection */
};

enum tk_control_verb {
    TK_CONTROL_SEND_TO,
    TK_CONTROL_WRITE_TO,
    TK_CONTROL_STOP,
    TK_CONTROL_ENABLE,
    TK_CONTROL_DISABLE
};

/*
 * Makes the line of a command with its argument (a host, a path, names of channels with commas between them;
 * NULL for TK_CONTROL_STOP), with its end and a NUL. TK_OK; TK_EUSAGE with why: the program would read it as
 * something else.
 */
int tk_control_line(char out[TK_CONTROL_LINE + 1], enum tk_control_verb verb, const char *argument,
                    struct tk_err *err);

/* Connects, sends the line in one piece, and hangs up. TK_OK: it was taken by somebody who listens there,
 * which does not say that the program reads it; TK_EIO: nobody does. */
int tk_control_send(const struct tk_os_address *at, const char *line, struct tk_err *err);

/* Does somebody listen there? Connects and hangs up. */
bool tk_control_listens(const struct tk_os_address *at);

/* The id that a program gives to a channel of this name (wire 6). Several spellings are one channel: any
 * case, with or without `Channel` or one `s` at the end. */
uint32_t tk_control_channel_id(const char *name, size_t n);

#endif
