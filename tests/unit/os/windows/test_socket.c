/* What sockets do is the same on every system, and so is what is requested of them. */
#include "os/posix/test_socket.c"
