/*
 * A capture of what a session has brought: one pass over its state and its columns writes a .tracy
 * (tracy-live 12). The recorder calls it when the program has been left.
 */
#ifndef TK_LIVE_TRACY_FILE_SAVE_H
#define TK_LIVE_TRACY_FILE_SAVE_H

#include "format/tracy/file/payload_out.h"
#include "live/tracy/state/state.h"

/* Writes the file with `write`, packed as Tracy's tool of that release does. Nothing can be added to the
 * state afterwards. TK_OK, TK_EOUTPUT, TK_ENOMEM or what `write` said. */
int tk_tl_save(struct tk_tl_state *s, tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

#endif
