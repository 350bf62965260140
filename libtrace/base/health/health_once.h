/*
 * Faults that several tables of one reading find, each by itself: noted once. Of a fault that was noted all
 * must be equal.
 */
#ifndef TK_HEALTH_HEALTH_ONCE_H
#define TK_HEALTH_HEALTH_ONCE_H

#include "base/health/health.h"

/* As tk_health_note, for a fault without a place, unless an item says the same. Never fails. */
void tk_health_note_once(struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *fmt, ...)
    TK_PRINTF(4, 5);

#endif
