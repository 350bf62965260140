/*
 * What sockets and addresses are to the system. Shared by the files of this folder.
 */
#ifndef TK_OS_WINDOWS_NET_NET_H
#define TK_OS_WINDOWS_NET_NET_H

#include "os/windows/win32.h"

#include "os/address.h"

#include <winsock2.h>
#include <ws2tcpip.h>

struct tk_os_socket {
    SOCKET socket;
};

/* Begins with the library of sockets, once in a process. false: the system has none. */
bool tk_os_net_begin(void);

/* What WSAGetLastError says. */
struct tk_os_result tk_os_net_failure(void);

/* Returns the length that the system wants to know. */
socklen_t tk_os_address_to_system(const struct tk_os_address *a, struct sockaddr_storage *out);

/* From a struct sockaddr. false: it is of another kind. */
bool tk_os_address_of_system(struct tk_os_address *out, const void *system);

#endif
