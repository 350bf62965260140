/*
 * Where the frames of a capture were drawn, for those who keep it.
 */
#ifndef TK_PLACE_FRAME_POSITIONS_H
#define TK_PLACE_FRAME_POSITIONS_H

#include "base/err.h"
#include "tracekit/tables.h"

/* A game frame by its number in the capture; at: x, y, z, or NULL where it is not known. TK_OK, or what
 * ends the reading. */
typedef int tk_frame_position_take(void *ctx, uint64_t frame, const double *at, struct tk_err *err);

/* Reads the capture and gives all of its complete game frames, in order of their ends. position: as in struct
 * tk_cells_options. TK_OK; TK_EUSAGE, TK_EMATCH as tk_cells; or what `take` returned. */
int tk_frame_positions(struct tk_trace *trace, const char *position, tk_frame_position_take *take, void *ctx,
                       struct tk_err *err);

#endif
