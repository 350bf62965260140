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

/* A moment as clocks here show it. */
struct tk_os_date {
    int year, month, day, hour, minute, second; /* months and days from 1 on */
};

/* Of seconds since 1970. All zero where the system cannot tell. */
struct tk_os_date tk_os_local_date(int64_t seconds);

#endif
