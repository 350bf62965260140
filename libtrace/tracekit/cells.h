/*
 * A chapter of tracekit.h: frames by place.
 */
#ifndef TRACEKIT_CELLS_H
#define TRACEKIT_CELLS_H

#include "errors.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tk_output;
struct tk_sink;
struct tk_trace;

/* ---- 22 cells ----
 *
 * Frames by the cell of the level that they were drawn in: where is it slow? A frame's place is the last
 * position that was set before its end, at most a second old; a cell is floor(x / size), floor(y / size).
 */

struct tk_cells_options {
    size_t size;
    double cell; /* length of a side, above 0, in the units of the positions */
    bool z;      /* cells are cubes: z counts, too */
    /* Where positions come from: "Player", a point of the table `spatial` (a pattern); "PosX,PosY", two
     * counters; "log:LogGame:pos x=(%f) y=(%f)", messages of a category. NULL: the only point, or Player,
     * Camera or View. */
    const char *position;
    double target; /* frames a second that are wanted, for late frames; 0: none */
};

/*
 * Sends the table `cells`: a row for each cell with frames, by x and y, and one without a cell for frames of
 * which no position is known. TK_OK; TK_EUSAGE (an option is wrong); TK_EMATCH (no position is recorded, or
 * it is not clear which is meant: the causes say what there is); or as tk_query_run.
 */
TK_API int tk_cells(struct tk_trace *trace, const struct tk_cells_options *options,
                    const struct tk_sink *sink, struct tk_err *err);

/*
 * Writes the cells as a drawing, an SVG: five colours say how many times its p95 is what the target allows,
 * or the median of the cells. The side that is given doubles until at most 64 cells lie along the level; 0:
 * one is chosen. As tk_cells, and as tk_output_write.
 */
TK_API int tk_cells_map(struct tk_trace *trace, const struct tk_cells_options *options, struct tk_output *out,
                        struct tk_err *err);

#ifdef __cplusplus
}
#endif

#endif
