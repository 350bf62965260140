/*
 * Rows and items on their way to a sink that works beside the reading: they are copied to pieces, and while
 * one piece is filled a worker gives the one before to the sink. So a sink gets the same in the same order as
 * without, and only one piece at a time.
 */
#ifndef TK_EXPORT_BESIDE_H
#define TK_EXPORT_BESIDE_H

#include "export/export.h"
#include "parallel/pool.h"

/*
 * What both kinds share: two pieces, of which one is filled while a worker gives the other to the sink. Both
 * kinds begin with it.
 */
struct tk_beside {
    const struct tk_context *ctx;                      /* borrowed */
    void (*give)(struct tk_beside *b, unsigned piece); /* sets `status` and empties the piece; in a worker */
    bool (*is_empty)(const struct tk_beside *b, unsigned piece);
    unsigned filling; /* which piece */
    struct tk_task task;
    bool running;
    int status;        /* of the pieces so far */
    struct tk_err err; /* why */
};

/* Has the export more than one thread, and does nobody look where its batches end? If not, sinks are called
 * at once. */
bool tk_beside_helps(const struct tk_export *e);

/* The piece that was filled goes to a worker, and the other one is filled next, once the sink has all of it.
 * TK_OK, what a piece ended with, or TK_ECANCELED where nobody wants more. */
int tk_beside_hand_over(struct tk_beside *b, struct tk_err *err);

/* The sink has all there is so far. As above. */
int tk_beside_drain(struct tk_beside *b, struct tk_err *err);

/* Waits for what is under way; `rc` is what the run ended with. What a sink said comes before it. */
int tk_beside_end(struct tk_beside *b, int rc, struct tk_err *err);

/* Asks, in the thread of the caller, whether the export shall stop. TK_OK or TK_ECANCELED. */
int tk_beside_ask(const struct tk_context *ctx, struct tk_err *err);

/* ---- rows ---- */

struct tk_rows_beside;

/* inner is borrowed. TK_OK or TK_ENOMEM. */
int tk_rows_beside_open(struct tk_rows_beside **out, const struct tk_export *e, const struct tk_sink *inner,
                        struct tk_err *err);
struct tk_sink tk_rows_beside_sink(struct tk_rows_beside *r);

/* Waits for what is under way, and frees. rc is what the run ended with; what a sink said comes before it.
 * NULL: rc. */
int tk_rows_beside_close(struct tk_rows_beside *r, int rc, struct tk_err *err);

/* ---- rows whose bytes are made apart ---- */

/* Which writer the rows of a table go to, once it has begun. */
struct tk_row_writers {
    void *self;
    struct tk_writer *(*of)(void *self, const struct tk_table *table);
};

struct tk_rows_apart;

/* As above, for a sink whose writers' rows can be made apart (made_rows.h): several pieces at one time, by
 * all workers. What is borrowed is borrowed until the end. */
int tk_rows_apart_open(struct tk_rows_apart **out, const struct tk_export *e, const struct tk_sink *inner,
                       const struct tk_row_writers *writers, struct tk_err *err);
struct tk_sink tk_rows_apart_sink(struct tk_rows_apart *r);
int tk_rows_apart_close(struct tk_rows_apart *r, int rc, struct tk_err *err);

/* ---- items ---- */

struct tk_items_beside;

/* As above, for the hooks track and items of a timeline; start and finish are for the caller. */
int tk_items_beside_open(struct tk_items_beside **out, const struct tk_export *e,
                         const struct tk_timeline_sink *inner, struct tk_err *err);
struct tk_timeline_sink tk_items_beside_sink(struct tk_items_beside *r);
int tk_items_beside_close(struct tk_items_beside *r, int rc, struct tk_err *err);

#endif
