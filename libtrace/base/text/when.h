/*
 * Points in time as people and programs write them down: seconds since 1970 and ISO 8601, always in UTC. What
 * is said of runs is read with it, and files of a history are named by it.
 */
#ifndef TK_BASE_TEXT_WHEN_H
#define TK_BASE_TEXT_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* "2026-11-23T21:05:42Z" with its NUL; years have four digits. */
#define TK_WHEN_TEXT 21

/*
 * Reads a point in time: a day "2026-11-23", or with a time "2026-11-23T21:05[:42[.5]]" (a space will do for
 * the T), and behind that a zone "Z", "+01:00", "-0730", "+01"; or the seconds since 1970 as digits. Without
 * a zone it is UTC. Fractions are dropped. false: it is none of these, or of no year from 1970 to 9999.
 */
bool tk_when_read(const char *text, int64_t *seconds);

/* Writes it in the first form with seconds and Z; what is outside of the years 1970 to 9999 is put there. */
void tk_when_put(char out[TK_WHEN_TEXT], int64_t seconds);

#endif
