/*
 * What a call of the system failed with. All files of os/posix give it back.
 */
#ifndef TK_OS_POSIX_FAILURE_H
#define TK_OS_POSIX_FAILURE_H

#include "os/error.h"

/* The result of an errno, which is not 0. */
struct tk_os_result tk_os_failure(int system);

#endif
