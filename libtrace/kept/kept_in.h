/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_KEPT_KEPT_IN_H
#define TK_KEPT_KEPT_IN_H

#include "base/arena.h"
#include "base/health/health.h"
#include "base/vec.h"
#include "fact/format.h"
#include "fact/kept.h"
#include "tracekit/queries.h"

/*
 * The section of answers: questions and what was answered to them, the latest last. Answers that are kept
 * (kept_answers.h) are found and added in it.
 */

/* The answer to a question; n 0: there is none. */
struct tk_bytes tk_kept_answer_find(const struct tk_kept *kept, struct tk_bytes question);

/* Adds one to those that were there and those that were made. The oldest go where they are more than `most`
 * bytes in all. What finds no memory is not there. */
void tk_kept_answer_add(struct tk_kept *kept, struct tk_bytes question, struct tk_bytes answer, size_t most);

/*
 * Health as bytes: what is wrong with a capture, as it was when an answer that is kept (kept_answers.h) was
 * given.
 */

/* Appends all that it says. */
void tk_kept_health_put(struct tk_kept_bytes *out, const struct tk_health *health);

/* Fills *out, to be released, with what was put; with a fault of the cursor it holds a part. */
void tk_kept_health_take(struct tk_cur *c, struct tk_health *out, uint64_t max_items);

/*
 * Questions as bytes: everything that an answer depends on alongside the bytes of the capture, the limits and
 * the version of the library. Answers that are kept (kept_answers.h) are found by it.
 */

/* Appends a query, and the state of the capture that it is requested of: what readings before it found. */
void tk_kept_question_put(struct tk_kept_bytes *out, const struct tk_context *ctx,
                          const struct tk_query *query);

/*
 * Rows as bytes: the cells of a batch, and back. Answers that are kept (kept_answers.h) hold their rows in
 * it.
 */

/* Cells in the reading. Zero-initialise to begin. */
struct tk_kept_cells {
    TK_VEC(struct tk_cell) cells; /* of the last batch */
    struct tk_arena nested;       /* lists and records of all batches */
};

/* Appends n cells. false: out of memory, or one of them is nested deeper than TK_CELL_DEPTH. */
bool tk_kept_cells_put(struct tk_kept_bytes *out, const struct tk_cell *cells, size_t n);

/* Reads n cells, whose texts stay where the cursor reads. TK_OK, with a fault of the cursor where they are
 * wrong; TK_ENOMEM. */
int tk_kept_cells_take(struct tk_cur *c, struct tk_kept_cells *out, size_t n);

void tk_kept_cells_release(struct tk_kept_cells *cells);

#endif
