/*
 * The body of a batch of Arrow: the buffers of all columns, one behind the other, and where they are.
 */
#ifndef TK_SINK_ARROW_ARROW_BODY_H
#define TK_SINK_ARROW_ARROW_BODY_H

#include "sink/columns/group.h"

struct tk_arrow_body {
    struct tk_buffer bytes;
    TK_VEC(uint64_t) nodes;   /* pairs: values, nulls; one a column */
    TK_VEC(uint64_t) buffers; /* pairs: offset, length */
    struct tk_buffer plain, packed;
    void *zstd; /* owned; NULL: not compressed */
};

/* TK_OK or TK_ENOMEM. */
int tk_arrow_body_new(struct tk_arrow_body **out, bool zstd, struct tk_err *err);
void tk_arrow_body_free(struct tk_arrow_body *b);

/* Makes it anew of a group. TK_OK, TK_ENOMEM, TK_ELIMIT (2 GiB of texts in a column). */
int tk_arrow_body_fill(struct tk_arrow_body *b, const struct tk_group *g, struct tk_err *err);

#endif
