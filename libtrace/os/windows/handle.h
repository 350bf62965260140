/*
 * What a file is here: a handle. Shared by the files of this folder that open some or use them.
 */
#ifndef TK_OS_WINDOWS_HANDLE_H
#define TK_OS_WINDOWS_HANDLE_H

#include "os/file.h"

struct tk_os_file {
    void *handle;
    bool borrowed;   /* somebody else closes it */
    bool overlapped; /* its calls do not wait for each other */
    uint64_t at;     /* where reading and writing go on: the system moves its own position with each read */
};

/* The handle behind a descriptor of the C runtime; INVALID_HANDLE_VALUE, or another one that no call takes:
 * it is not open. */
void *tk_os_handle_of(int descriptor);

/* CreateFileW of a name with all sharing. Nothing is inherited. */
struct tk_os_result tk_os_handle_open(struct tk_os_file **out, const char *path, unsigned long access,
                                      unsigned long how, unsigned long flags);

/* For tk_os_file_info and its kin. */
struct tk_os_result tk_os_handle_info(void *handle, struct tk_os_info *info);

#endif
