/*
 * Answers that are kept: the rows of a query as they were sent, and what was wrong with the capture, so that
 * the same question of the same capture is answered without reading it. Who answers queries queries here
 * first.
 *
 * An answer is that of the very same question: all fields of the query, and what was known of the capture
 * when it was requested. What takes something from elsewhere, as symbols and sources are, is not kept, nor
 * are answers that failed, and those of more bytes than a quarter of what may be kept.
 */
#ifndef TK_KEPT_ANSWERS_KEPT_ANSWERS_H
#define TK_KEPT_ANSWERS_KEPT_ANSWERS_H

#include "fact/format.h"
#include "fact/kept.h"
#include "tracekit/queries.h"

/* A query that may be answered by what is kept. */
struct tk_kept_request {
    struct tk_context *ctx;
    const struct tk_query *query;
    const struct tk_table *const *tables; /* the full ones that the query names, in its order */
};

/* Answers `query` again from what is kept. TK_ITEM: done; TK_OK: there is no such answer, and nothing was
 * sent; else what a hook returned, or TK_ENOMEM. */
int tk_kept_answers_send(const struct tk_kept_request *request, const struct tk_sink *sink,
                         struct tk_err *err);

/* Answers with `run`, and keeps what it sends where it took long. What `run` returned. */
int tk_kept_answers_keep(const struct tk_kept_request *request,
                         int (*run)(void *self, const struct tk_query *query, const struct tk_sink *sink,
                                    struct tk_err *err),
                         void *self, const struct tk_sink *sink, struct tk_err *err);

#endif
