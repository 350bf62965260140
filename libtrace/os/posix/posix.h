/*
 * The system headers that most files of this folder need, and the macros that select what they declare. It is
 * the first include of the files that use it.
 */
#ifndef TK_OS_POSIX_POSIX_H
#define TK_OS_POSIX_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* pipe2, and what a strict standard hides */
#endif

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#endif
