/*
 * What is kept of a capture between questions, in a reading: its source has to read less, tables are given
 * what is known, or what the reading finds out is kept. Where nothing is (tk_context.known is NULL), batches
 * are only passed on.
 */
#ifndef TK_KEPT_KEPT_READING_H
#define TK_KEPT_KEPT_READING_H

#include "fact/format.h"
#include "query/select.h"

struct tk_kept_reading;
struct tk_scope_model;

/* What a reading is for. */
struct tk_kept_purpose {
    struct tk_context *ctx;           /* borrowed until it is done */
    const struct tk_capture *capture; /* borrowed during the call */
    bool numbers;                     /* scopes are numbered (TK_SLICE_PLACE) */
    bool passes_over; /* what is made of scopes holds when those outside of the selected times are passed over
                       */

    /* From the first selected time to the last one: from INT64_MIN to INT64_MAX where no times are selected.
     * TK_OK or what ends the query. Called where scopes are requested. */
    int (*times)(void *self, struct tk_range *out, struct tk_err *err);
    void *self;
};

/* Who takes batches. */
struct tk_kept_taker {
    void *self;
    int (*batch)(void *self, const struct tk_batch *batch, struct tk_err *err);
    struct tk_scope_model *const
        *model; /* whose stacks `batch` moves on; NULL, or *model NULL: there is none */
};

/*
 * A reading begins: *request, which is borrowed until it is done, is changed to what has to be read. TK_OK,
 * TK_ENOMEM, or what `times` says. *out, which may be NULL, is to be done with either way.
 */
int tk_kept_begin(struct tk_kept_reading **out, const struct tk_kept_purpose *purpose,
                  struct tk_request *request, struct tk_err *err);

/*
 * The next batch of the source; NULL: all is read, and nothing is noted of it yet. Gives it to the taker, and
 * what is known with it. TK_OK, TK_ENOMEM, or what the taker says.
 */
int tk_kept_batch(struct tk_kept_reading *k, const struct tk_batch *batch, const struct tk_kept_taker *taker,
                  struct tk_err *err);

/* The reading is over, with rc. true: it failed because what was kept is wrong; it is forgotten, and the
 * reading has to be made again. */
bool tk_kept_done(struct tk_kept_reading *k, int rc);

#endif
