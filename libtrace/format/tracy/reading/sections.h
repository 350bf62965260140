/*
 * The sections of a payload, in the one order in which they stand (tracy-file 4, 5).
 */
#ifndef TK_FORMAT_TRACY_READING_SECTIONS_H
#define TK_FORMAT_TRACY_READING_SECTIONS_H

#include "format/tracy/walk/section.h"

extern const struct tk_tracy_section *const tk_tracy_sections[];
extern const size_t tk_tracy_n_sections;

/* The front: sections up to and with the zone counts are walked when the capture is opened. */
extern const size_t tk_tracy_n_front;

/* The index of the section with the zones of threads. */
extern const size_t tk_tracy_threads_section;

/* The index of the last section with facts that are put in order of time. */
extern const size_t tk_tracy_ordered_section;

#endif
