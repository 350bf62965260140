/*
 * Time that passes.
 */
#ifndef TK_OS_CLOCK_H
#define TK_OS_CLOCK_H

/* Seconds of a clock that only goes forward; 0 where there is none. */
double tk_os_seconds(void);

#endif
