/*
 * A name that other programs of this machine can look up, to see that somebody is there.
 */
#ifndef TK_OS_BEACON_H
#define TK_OS_BEACON_H

#include "os/error.h"

struct tk_os_beacon;

/* Puts up a name (letters alone): a semaphore of POSIX, a named event of Windows. One that is there already
 * stays where it is, and is taken down by whoever put it up. The caller closes it. */
struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name);

/* Takes it down. NULL is allowed. */
void tk_os_beacon_close(struct tk_os_beacon *beacon);

#endif
