/*
 * Making the index: the walk of the file's transport, or slices of a stream without packets.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_INDEX_BUILD_H
#define TK_FORMAT_UTRACE_WIRE_INDEX_BUILD_H

#include "format/utrace/wire/index.h"

/* Walks over the packet headers; notes faults and fills the ledger. TK_OK or negative. */
int tk_ut_index_build(struct tk_ut_index *ix, struct tk_context *ctx, const struct tk_ut_header *header,
                      struct tk_err *err);

#endif
