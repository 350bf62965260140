/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_KEPT_KEPT_IN_H
#define TK_KEPT_KEPT_IN_H

#include "base/arena.h"
#include "base/health/health.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/format.h"
#include "fact/kept.h"
#include "model/scopes/scope_lane.h"
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

/*
 * Facts as bytes, for what is kept between questions (fact/kept.h): frames, regions, bookmarks, stalls, gaps,
 * and the extent of a capture.
 */

/* Those that can be kept, and of them those that readings bring along for it. */
#define TK_KEPT_ALONG                                                                                        \
    (TK_FACT_MASK(FRAME) | TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(STALL) |             \
     TK_FACT_MASK(GAP) | TK_FACT_MASK(LATE_GAP))
#define TK_KEPT_FACTS (TK_KEPT_ALONG | TK_FACT_MASK(EXTENT))

/* Appends a fact of such a kind. */
void tk_kept_fact_put(struct tk_kept_bytes *b, const struct tk_fact *fact);

/* The next one; its texts are interned in `texts`. TK_OK, TK_ENOMEM; *c has a fault where the bytes are none.
 */
int tk_kept_fact_take(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *out);

/*
 * Recorder: what a whole reading finds out of scopes, as the section that is kept of it (kept_file.h says
 * what is in it and why).
 *
 *   facts that are known: a mask | are scopes numbered? | how many facts, facts
 *   points, up to that of the end; of each:
 *     place since the one before | least time of what came since | greatest time of all so far
 *     bytes of the state of the source, state | bytes of the lanes that changed, each with
 *       number, thread, kind, first, last, begun, unmatched, raised, greatest depth,
 *       open scopes that are those of the point before, others: how many, each with begin, number, timer
 */

struct tk_scope_recorder {
    struct tk_context *ctx;                         /* borrowed; NULL: nothing is recorded */
    uint64_t mask;                                  /* kinds of facts that are kept */
    struct tk_kept_bytes facts, points, lane_bytes; /* the latter of the point in the making */
    uint64_t n_facts;
    TK_VEC(struct tk_lane_state) lanes; /* as they were at the last point */
    TK_VEC(uint8_t) changed;            /* by lane: since then */
    struct tk_lane_state now;
    uint64_t place;   /* of the last point */
    int64_t least;    /* since then */
    int64_t greatest; /* of all */
    bool numbers;     /* scopes are numbered */
    bool ended;       /* the point of the end is there */
    bool failed;      /* it is not known, or is too much */
};

/* Begins: facts of these kinds are kept as they come. */
void tk_scope_recorder_begin(struct tk_scope_recorder *r, struct tk_context *ctx, uint64_t mask);

/* A batch comes, before the model has worked off its runs, and after. */
void tk_scope_recorder_before(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                              const struct tk_batch *batch);
void tk_scope_recorder_after(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                             const struct tk_batch *batch);

/* All is read, and nothing else is noted yet: makes the section where no fault was found. */
void tk_scope_recorder_end(struct tk_scope_recorder *r);

void tk_scope_recorder_release(struct tk_scope_recorder *r);

/*
 * Memory: the section that a recorder made, read: the facts in it, and a plan of what is still to be read of
 * the capture for a part of its time.
 */

struct tk_scope_memory {
    bool there;                   /* else nothing is known */
    uint64_t mask;                /* kinds of facts that are */
    bool numbers;                 /* scopes are numbered */
    TK_VEC(struct tk_fact) facts; /* those that were loaded, in the order of the file */
    struct tk_intern texts;
    struct tk_bytes points;
    const struct tk_limits *limits; /* borrowed */
};

/* Reads what is kept of a capture, of facts those of some kinds: there may be very many frames. TK_OK, also
 * where that is nothing or is wrong; TK_ENOMEM. *m is to be released either way. */
int tk_scope_memory_load(struct tk_scope_memory *m, const struct tk_context *ctx, uint64_t kinds,
                         struct tk_err *err);

void tk_scope_memory_release(struct tk_scope_memory *m);

/* The states of all lanes at a place. */
struct tk_lane_states {
    TK_VEC(struct tk_lane_state) lanes;
};

/* Pieces to be read, and what lanes are set to in front of each. The last piece is the end and holds nothing.
 */
struct tk_scope_plan {
    TK_VEC(struct tk_piece) pieces;
    TK_VEC(struct tk_lane_states) states; /* one a piece */
};

/*
 * What has to be read for scopes that touch the times [from, to). TK_OK; TK_ENOMEM; TK_EFORMAT: the bytes are
 * wrong, and all has to be read. *plan is to be released either way.
 */
int tk_scope_memory_plan(const struct tk_scope_memory *m, int64_t from, int64_t to,
                         struct tk_scope_plan *plan);

void tk_scope_plan_release(struct tk_scope_plan *plan);

#endif
