/*
 * Pull: a source with a dictionary that has seen every batch before anybody else does.
 */
#ifndef TK_ENGINE_DICT_SOURCE_H
#define TK_ENGINE_DICT_SOURCE_H

#include "fact/format.h"
#include "query/dict.h"

struct tk_dict_source {
    struct tk_context *ctx;   /* borrowed */
    struct tk_dict *dict;     /* borrowed */
    struct tk_source *source; /* owned */
};

/* Opens a source; everything is borrowed until tk_dict_source_close. As tk_capture_ops.read. */
int tk_dict_source_open(struct tk_dict_source *p, struct tk_context *ctx, struct tk_capture *capture,
                        const struct tk_request *request, struct tk_dict *dict, struct tk_err *err);

/* TK_ITEM with a batch (borrowed until the next call) that the dictionary has taken; TK_OK at the end; else
 * what the source or the dictionary said, or TK_EDAMAGE as tk_damage_fail. */
int tk_dict_source_next(struct tk_dict_source *p, struct tk_batch *out, struct tk_err *err);

void tk_dict_source_close(struct tk_dict_source *p);

/* TK_EDAMAGE with the first damage when there is any and the options say strict; else TK_OK. */
int tk_damage_fail(const struct tk_context *ctx, struct tk_err *err);

#endif
