/*
 * What a call of the system failed with. All files of os/windows give it back.
 */
#ifndef TK_OS_WINDOWS_FAILURE_H
#define TK_OS_WINDOWS_FAILURE_H

#include "os/error.h"

/* The result of a code of GetLastError or WSAGetLastError, which is not 0. */
struct tk_os_result tk_os_failure(unsigned long system);

/* What GetLastError says. */
struct tk_os_result tk_os_last_failure(void);

#endif
