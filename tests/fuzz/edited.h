/*
 * What targets of edits and merges share: files made of any bytes, results in memory, and what holds of every
 * result. Alongside rig.h.
 */
#ifndef TK_TESTS_FUZZ_EDITED_H
#define TK_TESTS_FUZZ_EDITED_H

#include "edit/utrace/edit_utrace.h"

/* A .tracy file whose blocks unpack to these bytes, appended to `file`. */
void fuzz_put_in_blocks(struct tk_uw_bytes *file, const uint8_t *data, size_t size);

/* A tk_edit_write: appends to the struct tk_uw_bytes ctx. */
bool fuzz_collect(void *ctx, const void *p, size_t n);

/* Edits a .utrace that can be opened; the result is appended to `out`. False: there is none. */
bool fuzz_edit_utrace(const void *p, size_t n, const struct tk_edit_request *requested,
                      struct tk_uw_bytes *out);

/* An open .tracy is read; no zone of it has a time that cannot be, and its payload has an end. */
void fuzz_check_tracy(struct tk_trace *trace);

#endif
