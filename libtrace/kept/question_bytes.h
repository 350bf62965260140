/*
 * Questions as bytes: everything that an answer depends on beside the bytes of the capture, the limits and
 * the version of the library. Answers that are kept (kept_answers.h) are found by it.
 */
#ifndef TK_KEPT_ANSWERS_QUESTION_BYTES_H
#define TK_KEPT_ANSWERS_QUESTION_BYTES_H

#include "fact/format.h"
#include "fact/kept.h"

/* Appends a query, and the state of the capture that it is asked of: what readings before it found. */
void tk_kept_question_put(struct tk_kept_bytes *out, const struct tk_context *ctx,
                          const struct tk_query *query);

#endif
