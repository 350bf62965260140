/*
 * Rows and items on their way to a sink that works beside the reading: they are copied to pieces, and while
 * one piece is filled a worker gives those before to the sink. So a sink gets the same in the same order as
 * without, and only one piece at a time.
 */
#ifndef TK_EXPORT_BESIDE_H
#define TK_EXPORT_BESIDE_H

#include "export/export.h"
#include "io/scratch/writebehind.h"

/* Pieces at one time, so that nobody waits for the other one at each. */
enum { TK_BESIDE_PIECES = 4 };

/*
 * What both kinds share: pieces, of which one is filled while a worker gives the others to the sink, one
 * after the other. Both kinds begin with it.
 */
struct tk_beside {
    const struct tk_context *ctx; /* borrowed */
    /* Gives a piece to the sink and empties it, in a worker; what the sink said. */
    int (*give)(struct tk_beside *b, unsigned piece, struct tk_err *err);
    bool (*is_empty)(const struct tk_beside *b, unsigned piece);
    unsigned filling; /* which piece */
    struct tk_writebehind behind;
    struct tk_err err; /* why it failed */
};

void tk_beside_open(struct tk_beside *b, const struct tk_context *ctx,
                    int (*give)(struct tk_beside *b, unsigned piece, struct tk_err *err),
                    bool (*is_empty)(const struct tk_beside *b, unsigned piece));

/* Has the export more than one thread, and does nobody look where its batches end? If not, sinks are called
 * at once. */
bool tk_beside_helps(const struct tk_export *e);

/* The piece that was filled goes to the sink, and another one is filled next, once it is empty.
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

/* ---- items whose bytes are made apart ---- */

struct tk_timeline_writer;

struct tk_items_apart;

/* Likewise, to a writer whose items can be made apart (made_items.h), as rows apart. */
int tk_items_apart_open(struct tk_items_apart **out, const struct tk_export *e,
                        struct tk_timeline_writer *writer, struct tk_err *err);
struct tk_timeline_sink tk_items_apart_sink(struct tk_items_apart *r);
int tk_items_apart_close(struct tk_items_apart *r, int rc, struct tk_err *err);

#endif
