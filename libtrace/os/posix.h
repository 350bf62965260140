/*
 * The system headers of the folders os and io, and the macros that select what they declare. It is the first
 * include of the files that use it.
 */
#ifndef TK_OS_POSIX_H
#define TK_OS_POSIX_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#endif
