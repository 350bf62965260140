/*
 * UTC: a date and time of day from the seconds since 1970, without the clock or the zone of the machine.
 */
#ifndef TK_CMD_PAGES_UTC_H
#define TK_CMD_PAGES_UTC_H

#include <stdbool.h>

#define TK_UTC_TEXT 80

/* "2026-11-20 09:21:04 UTC". false: it is not in the years 1970 to 9999. */
bool tk_utc(char text[TK_UTC_TEXT], double seconds);

#endif
