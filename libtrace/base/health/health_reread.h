/*
 * The health of a capture over several readings. Each reading finds the faults of the one before again, so it
 * starts from the state when the capture was opened; afterwards faults are kept that only earlier readings
 * found (they may have read more).
 */
#ifndef TK_HEALTH_HEALTH_REREAD_H
#define TK_HEALTH_HEALTH_REREAD_H

#include "base/health/health.h"

/* Fills *to (to be released) with all that *from says. */
void tk_health_reread_copy(struct tk_health *to, const struct tk_health *from);

/* Moves *now to *before and starts *now as a copy of `opened` (NULL: without faults, the ledger of before).
 */
void tk_health_reread_start(struct tk_health *now, struct tk_health *before, const struct tk_health *opened);

/* Adds to *now the faults of those kinds of which *before counted more; releases *before. When the rows are
 * out: tables note faults up to then. */
void tk_health_reread_finish(struct tk_health *now, struct tk_health *before);

/* Fills *out (to be released) with what is known so far: of this reading, and of those before it where
 * `before` is not NULL. */
void tk_health_reread_known(const struct tk_health *now, const struct tk_health *before,
                            struct tk_health *out);

#endif
