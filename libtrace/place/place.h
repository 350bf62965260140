/*
 * Where in the level the frames of a capture were drawn: for those who keep it, and as a drawing.
 */
#ifndef TK_PLACE_PLACE_H
#define TK_PLACE_PLACE_H

#include "base/err.h"
#include "sink/write/buffer.h"
#include "tracekit/cells.h"
#include "tracekit/tables.h"

/* A game frame by its number in the capture; at: x, y, z, or NULL where it is not known. TK_OK, or what
 * ends the reading. */
typedef int tk_frame_position_take(void *ctx, uint64_t frame, const double *at, struct tk_err *err);

/* Reads the capture and gives all of its complete game frames, in order of their ends. position: as in struct
 * tk_cells_options. TK_OK; TK_EUSAGE, TK_EMATCH as tk_cells; or what `take` returned. */
int tk_frame_positions(struct tk_trace *trace, const char *position, tk_frame_position_take *take, void *ctx,
                       struct tk_err *err);

/*
 * Heat map: the cells of a level as a drawing, each in the colour of how slow its frames are.
 */

struct tk_result;

struct tk_heat_map {
    struct tk_result *cells; /* owned; the table `cells`, as tk_cells sends it */
    double side;             /* of a cell */
    double usual;            /* ms that colours are parts of: what the target allows, else the median cell */
    bool target;             /* it is that of a target */
    size_t n, few;           /* cells, and those with few frames */
    uint64_t nowhere;        /* frames without a position */
    int64_t low[2], high[2]; /* of x and y */
};

/* Reads a capture. A side of 0 is chosen: 1, 2 or 5 times a power of ten, so that at most 32 cells lie along
 * the level; a side that is given doubles until there are at most 64. As tk_cells; to be released in any
 * case. */
int tk_heat_map_make(struct tk_heat_map *map, struct tk_trace *trace, const struct tk_cells_options *options,
                     struct tk_err *err);

/* Appends an element svg; `alone`: as a file of its own. */
void tk_heat_map_svg(const struct tk_heat_map *map, bool alone, struct tk_buffer *out);

void tk_heat_map_release(struct tk_heat_map *map);

#endif
