/*
 * Writes all bytes to a descriptor. The outputs of io/output end here.
 */
#ifndef TK_OS_FD_WRITE_H
#define TK_OS_FD_WRITE_H

#include <stddef.h>

/*
 * Writes all n bytes. 0, or an errno. A reader that has gone is EPIPE, without a SIGPIPE, whatever the
 * program does about that signal.
 */
int tk_write_all(int fd, const void *p, size_t n);

#endif
