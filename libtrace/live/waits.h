/*
 * What several servers wait for together: each adds its sockets, one call waits, and each looks at its own.
 */
#ifndef TK_LIVE_WAITS_H
#define TK_LIVE_WAITS_H

#include "base/vec.h"
#include "os/socket.h"

struct tk_live_waits {
    TK_VEC(struct tk_os_wait) list;
};

/* Adds a socket. False if out of memory. */
static inline bool tk_live_wait_for(struct tk_live_waits *waits, const struct tk_os_socket *socket, bool read,
                                    bool write)
{
    const struct tk_os_wait wait = {.socket = socket, .read = read, .write = write};
    return tk_vec_push(&waits->list, wait) == 0;
}

#endif
