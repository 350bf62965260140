/*
 * Limits that whoever asked chose for its own answer, and tells of there: what they leave out is no fault of
 * the answer. It sits beside health.h; pages of captures call it.
 */
#ifndef TK_HEALTH_CHOSEN_LIMIT_H
#define TK_HEALTH_CHOSEN_LIMIT_H

#include "base/health/health.h"

/* Takes all notes back that something was left out because of this limit; how much they say that was. */
uint64_t tk_health_take_limit(struct tk_health *h, enum tk_limit limit);

#endif
