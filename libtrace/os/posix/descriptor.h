/*
 * What a handle is: a descriptor. Shared by the files of this folder that open some or use them.
 */
#ifndef TK_OS_POSIX_DESCRIPTOR_H
#define TK_OS_POSIX_DESCRIPTOR_H

#include "os/file.h"

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
