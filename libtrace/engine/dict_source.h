/*
 * A source with a dictionary that has seen every batch before anybody else does, and the reading of one from
 * begin to end: the only place where a source is opened and driven.
 */
#ifndef TK_ENGINE_DICT_SOURCE_H
#define TK_ENGINE_DICT_SOURCE_H

#include "fact/format.h"
#include "query/dict.h"

/* Zero-initialise, then set ctx and dict. */
struct tk_dict_source {
    struct tk_context *ctx;   /* borrowed */
    struct tk_dict *dict;     /* borrowed */
    struct tk_source *source; /* owned; NULL before and after a reading */
};

/* Who takes what is read. Each returns TK_OK, or negative, which ends the reading. */
struct tk_dict_taker {
    void *self;
    /* The dictionary has taken the batch, which is borrowed during the call. */
    int (*batch)(void *self, const struct tk_batch *batch, struct tk_err *err);
    const bool *enough; /* true after a batch: the rest is not read. NULL: all is */
    int (*end)(
        void *self,
        struct tk_err *err); /* all is read: rows, and the faults that they find. NULL: nothing to do */
};

/*
 * Reads what the request requests, once, from begin to end. The health of the capture starts from what was
 * known when it was opened and keeps what earlier readings found. p and everything else is
 * borrowed until tk_dict_source_close, which the caller owes in any case. TK_OK; what the source, the
 * dictionary or the taker said; TK_EDAMAGE as tk_damage_fail.
 */
int tk_dict_source_read(struct tk_dict_source *p, struct tk_capture *capture,
                        const struct tk_request *request, const struct tk_dict_taker *taker,
                        struct tk_err *err);

/* A zeroed one may be closed, and any twice. */
void tk_dict_source_close(struct tk_dict_source *p);

/* TK_EDAMAGE with the first damage when there is any and the options say strict; else TK_OK. */
int tk_damage_fail(const struct tk_context *ctx, struct tk_err *err);

#endif
