/*
 * Time that passes.
 */
#ifndef TK_OS_CLOCK_H
#define TK_OS_CLOCK_H

#include <stdint.h>

/* Seconds of a clock that only goes forward; 0 where there is none. */
double tk_os_seconds(void);

/* Now, in seconds since 1970, as far as the system knows. */
int64_t tk_os_now(void);

#endif
