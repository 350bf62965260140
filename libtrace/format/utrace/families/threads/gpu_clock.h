/*
 * The microseconds of the older GPU events in the clock of the capture. For gpu_frame_events.c, and for the
 * reading, which makes all times of such a capture as fine.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_GPU_GPU_CLOCK_H
#define TK_FORMAT_UTRACE_FAMILIES_GPU_GPU_CLOCK_H

#include "format/utrace/feed/family.h"

/*
 * The fewest parts of a cycle of which a microsecond is a whole number; 1 where it is one of cycles, where
 * the capture has no such events, or no clock. Where those parts would fill 63 bits in less than a day: as
 * many as do not, and a time is off by half a part at most.
 */
uint32_t tk_ut_gpu_clock_parts(const struct tk_ut_capture *c);

/* Microseconds since cycle 0 as parts since the start of the clock. False where that is before the start, or
 * beyond 63 bits. */
bool tk_ut_gpu_clock_time(const struct tk_ut_capture *c, uint64_t us, int64_t *time);

#endif
