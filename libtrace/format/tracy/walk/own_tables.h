/*
 * Tables that the format fills by itself: what a capture holds that is nobody else's concern.
 */
#ifndef TK_FORMAT_TRACY_STATE_OWN_TABLES_H
#define TK_FORMAT_TRACY_STATE_OWN_TABLES_H

#include "tracekit.h"

extern const struct tk_table tk_tracy_table_gpu_notes;
extern const struct tk_table tk_tracy_table_symbols;
extern const struct tk_table tk_tracy_table_hardware_samples;
extern const struct tk_table tk_tracy_table_frame_images;
extern const struct tk_table tk_tracy_table_source_files;
extern const struct tk_table tk_tracy_table_cpu_use;

/* All of them. NULL-terminated. */
extern const struct tk_table *const tk_tracy_row_tables[];

#endif
