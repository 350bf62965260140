/*
 * CSV with a row a frame, as Unreal's CSV profiler writes it: what the list of formats names.
 */
#ifndef TK_FORMAT_FRAME_CSV_FRAME_CSV_H
#define TK_FORMAT_FRAME_CSV_FRAME_CSV_H

#include "fact/format.h"

extern const struct tk_format tk_format_frame_csv;

/* CSV with a row a present, as PresentMon and CapFrameX write it. */
extern const struct tk_format tk_format_presents;

#endif
