/*
 * Health as bytes: what is wrong with a capture, as it was when an answer that is kept (kept_answers.h) was
 * given.
 */
#ifndef TK_KEPT_ANSWERS_HEALTH_BYTES_H
#define TK_KEPT_ANSWERS_HEALTH_BYTES_H

#include "fact/kept.h"
#include "base/health/health.h"

/* Appends all that it says. */
void tk_kept_health_put(struct tk_kept_bytes *out, const struct tk_health *health);

/* Fills *out, to be released, with what was put; with a fault of the cursor it holds a part. */
void tk_kept_health_take(struct tk_cur *c, struct tk_health *out, uint64_t max_items);

#endif
