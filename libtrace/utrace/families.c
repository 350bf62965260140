/*
 * The table of event families.
 */
#include "utrace/families.h"

#include <string.h>

const struct tk_ut_family *const tk_ut_families[] = {
    &tk_ut_fam_trace,    &tk_ut_fam_session,    &tk_ut_fam_thread,
    &tk_ut_fam_channel,  &tk_ut_fam_cpu,        &tk_ut_fam_frame,
    &tk_ut_fam_bookmark, &tk_ut_fam_region,     &tk_ut_fam_log,
    &tk_ut_fam_memory,   &tk_ut_fam_callstack,  &tk_ut_fam_module,
    &tk_ut_fam_context,  &tk_ut_fam_definition, &tk_ut_fam_file,
    &tk_ut_fam_load,     &tk_ut_fam_net,        &tk_ut_fam_screenshot,
    &tk_ut_fam_cook,     &tk_ut_fam_http,       &tk_ut_fam_io,
    &tk_ut_fam_chunk,    &tk_ut_fam_verse,      &tk_ut_fam_counter,
    &tk_ut_fam_stat,     &tk_ut_fam_csv,        &tk_ut_fam_llm,
    &tk_ut_fam_gpu,      &tk_ut_fam_task,       &tk_ut_fam_platform,
    &tk_ut_fam_lock,     &tk_ut_fam_scope_text, NULL,
};

const struct tk_table *const tk_ut_row_tables[] = {
    &tk_ut_table_gpu_labels,    &tk_ut_table_csv_events,
    &tk_ut_table_load_requests, &tk_ut_table_load_groups,
    &tk_ut_table_load_activity, &tk_ut_table_io,
    &tk_ut_table_io_batches,    &tk_ut_table_io_chunks,
    &tk_ut_table_cook,          &tk_ut_table_http,
    &tk_ut_table_http_ranges,   &tk_ut_table_verse,
    &tk_ut_table_screenshots,   NULL,
};

size_t tk_ut_family_count(void)
{
    return sizeof tk_ut_families / sizeof *tk_ut_families - 1;
}

/* Scoped events are timers whatever they are called; the stamps of threads are read with the lanes. */
static const char *decoded_elsewhere(const struct tk_ut_type *type)
{
    if (strncmp(type->name->p, "Cpu.", 4) == 0)
        return tk_ut_fam_cpu.name;
    return strcmp(type->name->p, "$Trace.ThreadTiming") == 0 ? tk_ut_fam_trace.name : NULL;
}

/* A family that names the event goes before one that takes all of a kind. */
const char *tk_ut_family_of(const struct tk_ut_type *type)
{
    const char *name = decoded_elsewhere(type);
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (strcmp(tk_ut_families[f]->binds[b].event, type->name->p) == 0)
                name = tk_ut_families[f]->name;
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (tk_ut_bind_concerns(&tk_ut_families[f]->binds[b], type))
                name = tk_ut_families[f]->name;
    return name;
}
