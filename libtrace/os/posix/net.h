/*
 * What sockets and addresses are to the system. Shared by the files of this folder.
 */
#ifndef TK_OS_POSIX_NET_NET_H
#define TK_OS_POSIX_NET_NET_H

#include "os/address.h"

#include <netinet/in.h>
#include <sys/socket.h>

struct tk_os_socket {
    int fd;
};

/* Returns the length that the system wants to know. */
socklen_t tk_os_address_to_system(const struct tk_os_address *a, struct sockaddr_storage *out);

/* From a struct sockaddr. false: it is of another kind, as of a socket in the file system. */
bool tk_os_address_of_system(struct tk_os_address *out, const void *system);

#endif
