/*
 * Connecting where there is nothing else to do meanwhile. What asks recorders and stores does it.
 */
#ifndef TK_LIVE_CONNECT_H
#define TK_LIVE_CONNECT_H

#include "os/socket.h"

/* Connects, or gives up when `seconds` have passed: TK_OS_TIMEOUT. The caller closes the socket. */
struct tk_os_result tk_connect_within(struct tk_os_socket **out, const struct tk_os_address *to,
                                      double seconds);

#endif
