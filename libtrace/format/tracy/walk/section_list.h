/*
 * The parts of the section table, each defined in sec_NAME.c. Used by sections.c only.
 */
#ifndef TK_FORMAT_TRACY_FEED_SECTION_LIST_H
#define TK_FORMAT_TRACY_FEED_SECTION_LIST_H

#include "format/tracy/walk/section.h"

extern const struct tk_tracy_section tk_tracy_sec_header, tk_tracy_sec_topology, tk_tracy_sec_crash,
    tk_tracy_sec_frames, tk_tracy_sec_time_sections, tk_tracy_sec_strings, tk_tracy_sec_pointers,
    tk_tracy_sec_thread_names, tk_tracy_sec_thread_tables, tk_tracy_sec_locations, tk_tracy_sec_zone_counts,
    tk_tracy_sec_locks, tk_tracy_sec_messages, tk_tracy_sec_extras, tk_tracy_sec_zones, tk_tracy_sec_gpu,
    tk_tracy_sec_plots, tk_tracy_sec_memory, tk_tracy_sec_callstacks, tk_tracy_sec_callstack_frames,
    tk_tracy_sec_app_info, tk_tracy_sec_images, tk_tracy_sec_switches, tk_tracy_sec_cpu_switches,
    tk_tracy_sec_processes, tk_tracy_sec_cpu_use, tk_tracy_sec_symbols, tk_tracy_sec_symbol_code,
    tk_tracy_sec_code_symbols, tk_tracy_sec_hw_samples, tk_tracy_sec_sources;

#endif
