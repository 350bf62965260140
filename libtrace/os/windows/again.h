/*
 * Trying again where a scanner of viruses or an indexer may have a file open for a moment.
 */
#ifndef TK_OS_WINDOWS_AGAIN_H
#define TK_OS_WINDOWS_AGAIN_H

#include <stdbool.h>

/* After a failure: may it go away by itself? Sleeps then, longer each time, half a second altogether. *ms
 * begins with 1. */
bool tk_os_try_again(unsigned long *ms);

#endif
