/*
 * Rows of the table `hitches`: a hitch with its reasons, and their causes.
 */
#ifndef TK_MODEL_HITCHES_HITCH_ROWS_H
#define TK_MODEL_HITCHES_HITCH_ROWS_H

#include "model/frames/hitch_reasons.h"

extern const struct tk_table tk_hitch_table;

/* Sends all hitches when their reasons are collected. As tk_emit_status. */
int tk_hitches_send(const struct tk_hitches *h, struct tk_emit *emit, struct tk_err *err);

#endif
