/*
 * What the files of this folder share: the system headers that most of them need with the macros that select
 * what they declare, what a call failed with, what a handle is. It is their first include.
 */
#ifndef TK_OS_POSIX_POSIX_H
#define TK_OS_POSIX_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* pipe2, and what a strict standard hides */
#endif

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* The result of an errno, which is not 0. */
struct tk_os_result tk_os_failure(int system);

struct stat;

struct tk_os_file {
    int fd;
    bool borrowed; /* somebody else closes it */
};

/* open() with flags, and those that all files have; `mode` is that of a file that is created. */
struct tk_os_result tk_os_descriptor_create(struct tk_os_file **out, const char *path, int flags,
                                            unsigned mode);

/* The same with the mode that files have. */
struct tk_os_result tk_os_descriptor_open(struct tk_os_file **out, const char *path, int flags);

/* For tk_os_file_info and its kin. */
void tk_os_info_of(const struct stat *st, struct tk_os_info *info);

#endif
