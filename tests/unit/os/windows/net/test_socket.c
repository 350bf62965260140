/* What sockets do is the same on every system, and so is what is asked of them. */
#include "../../posix/net/test_socket.c"
