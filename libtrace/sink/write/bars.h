/*
 * Cells of a table drawn as a picture in one line: bars. The format `table` uses it on terminals.
 */
#ifndef TK_SINK_DRAWING_BARS_H
#define TK_SINK_DRAWING_BARS_H

#include "sink/write/buffer.h"

/* A bar of n signs where `most` signs take `width` columns (both from 1 on), to an eighth of a column; in
 * ASCII of '#'. What is there takes a sign at least. */
void tk_bars_bar(struct tk_buffer *b, size_t n, size_t most, size_t width, bool ascii);

#endif
