/*
 * The table of sections, in the order of the file.
 */
#include "format/tracy/reading/sections.h"

#include "format/tracy/walk/section_list.h"

enum { LAST_OF_FRONT = 10, THREADS = 14, MEMORY = 17 };

const struct tk_tracy_section *const tk_tracy_sections[] = {
    &tk_tracy_sec_header,
    &tk_tracy_sec_topology,
    &tk_tracy_sec_crash,
    &tk_tracy_sec_frames,
    &tk_tracy_sec_time_sections,
    &tk_tracy_sec_strings,
    &tk_tracy_sec_pointers,
    &tk_tracy_sec_thread_names,
    &tk_tracy_sec_thread_tables,
    &tk_tracy_sec_locations,
    [LAST_OF_FRONT] = &tk_tracy_sec_zone_counts,
    &tk_tracy_sec_locks,
    &tk_tracy_sec_messages,
    &tk_tracy_sec_extras,
    [THREADS] = &tk_tracy_sec_zones,
    &tk_tracy_sec_gpu,
    &tk_tracy_sec_plots,
    [MEMORY] = &tk_tracy_sec_memory,
    &tk_tracy_sec_callstacks,
    &tk_tracy_sec_callstack_frames,
    &tk_tracy_sec_app_info,
    &tk_tracy_sec_images,
    &tk_tracy_sec_switches,
    &tk_tracy_sec_cpu_switches,
    &tk_tracy_sec_processes,
    &tk_tracy_sec_cpu_use,
    &tk_tracy_sec_symbols,
    &tk_tracy_sec_symbol_code,
    &tk_tracy_sec_code_symbols,
    &tk_tracy_sec_hw_samples,
    &tk_tracy_sec_sources,
};

const size_t tk_tracy_n_sections = sizeof tk_tracy_sections / sizeof *tk_tracy_sections;
const size_t tk_tracy_n_front = LAST_OF_FRONT + 1;
const size_t tk_tracy_threads_section = THREADS;
const size_t tk_tracy_ordered_section = MEMORY;
