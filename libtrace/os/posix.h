/*
 * The system headers of this folder. First include of its files: what the headers show depends on the lines
 * below.
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
