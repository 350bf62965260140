/*
 * The table of tables. See tables.h.
 */
#include "api/tables.h"

#include "api/formats.h"
#include "model/counters/counters.h"
#include "model/execution/running.h"
#include "model/execution/switches.h"
#include "model/gpu/gpu_queues.h"
#include "model/groups/groups.h"
#include "model/hitches/hitches.h"
#include "model/loading/files.h"
#include "model/net/net.h"
#include "model/tables.h"
#include "model/tasks/locks.h"
#include "model/tasks/tasks.h"
#include "model/timers/histogram.h"
#include "model/timers/per_frame.h"
#include "model/timers/slowest.h"
#include "model/timers/timers.h"
#include "model/trees/tree_table.h"

#include <stdatomic.h>
#include <string.h>

/* In the order in which they are listed, a line a table. */
/* clang-format off */
static const struct tk_builder *const builders[] = {
    &tk_builder_timers,
    &tk_builder_threads,
    &tk_builder_frame_stats,
    &tk_builder_frames,
    &tk_builder_regions,
    &tk_builder_bookmarks,
    &tk_builder_logs,
    &tk_builder_open_scopes,
    &tk_builder_scopes,
    &tk_builder_event_counts,
    &tk_builder_events,
    &tk_builder_generic_events,
    &tk_builder_capture,
    &tk_builder_session,
    &tk_builder_channels,
    &tk_builder_toggles,
    &tk_builder_health,
    &tk_builder_ledger,
    &tk_builder_gpu,
    &tk_builder_gpu_queues,
    &tk_builder_gpu_frames,
    &tk_builder_gpu_scopes,
    &tk_builder_gpu_fences,
    &tk_builder_tasks,
    &tk_builder_task_rows,
    &tk_builder_task_waits,
    &tk_builder_task_counters,
    &tk_builder_task_counter_values,
    &tk_builder_switches,
    &tk_builder_switch_rows,
    &tk_builder_cores,
    &tk_builder_running,
    &tk_builder_samples,
    &tk_builder_sample_rows,
    &tk_builder_locks,
    &tk_builder_lock_rows,
    &tk_builder_memory,
    &tk_builder_allocations,
    &tk_builder_assets,
    &tk_builder_modules,
    &tk_builder_callstacks,
    &tk_builder_definitions,
    &tk_builder_counters,
    &tk_builder_counter_values,
    &tk_builder_stats,
    &tk_builder_stat_values,
    &tk_builder_csv,
    &tk_builder_csv_values,
    &tk_builder_llm,
    &tk_builder_llm_values,
    &tk_builder_coverage,
    &tk_builder_coverage_summary,
    &tk_builder_files,
    &tk_builder_file_activity,
    &tk_builder_packages,
    &tk_builder_package_classes,
    &tk_builder_net,
    &tk_builder_net_packets,
    &tk_builder_net_content,
    &tk_builder_net_objects,
    &tk_builder_net_values,
    &tk_builder_tree,
    &tk_builder_callers,
    &tk_builder_callees,
    &tk_builder_hitches,
    &tk_builder_slowest,
    &tk_builder_histogram,
    &tk_builder_per_frame,
    &tk_builder_groups,
    &tk_builder_quality,
};
/* clang-format on */

enum { N_BUILDERS = sizeof builders / sizeof builders[0], MOST_TABLES = 128 };

const struct tk_builder *tk_builder_find(const char *name)
{
    for (size_t i = 0; i < N_BUILDERS; i++) {
        if (strcmp(builders[i]->table->name, name) == 0)
            return builders[i];
    }
    return NULL;
}

const struct tk_table *tk_format_table_find(const struct tk_format *format, const char *name)
{
    for (size_t i = 0; format->tables && format->tables[i]; i++) {
        if (strcmp(format->tables[i]->name, name) == 0)
            return format->tables[i];
    }
    return NULL;
}

const struct tk_table *tk_format_rows_find(const struct tk_format *format, const char *name)
{
    for (size_t i = 0; format->row_tables && format->row_tables[i]; i++) {
        if (strcmp(format->row_tables[i]->name, name) == 0)
            return format->row_tables[i];
    }
    return NULL;
}

static bool is_listed(const struct tk_table *const *tables, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(tables[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* A name that several formats have is listed once. */
static size_t list_format(const struct tk_table *const *tables, const struct tk_table **out, size_t n)
{
    for (size_t i = 0; tables && tables[i] && n < MOST_TABLES; i++) {
        if (!is_listed(out, n, tables[i]->name))
            out[n++] = tables[i];
    }
    return n;
}

static size_t list_tables(const struct tk_table **out)
{
    size_t n = 0;
    for (size_t i = 0; i < N_BUILDERS; i++)
        out[n++] = builders[i]->table;
    for (size_t f = 0; tk_formats[f]; f++) {
        n = list_format(tk_formats[f]->row_tables, out, n);
        n = list_format(tk_formats[f]->tables, out, n);
    }
    return n;
}

const struct tk_table *const *tk_tables(size_t *n)
{
    /* Formats bring tables of their own, so the list is made on first use, by whoever comes first. */
    static const struct tk_table *list[MOST_TABLES];
    static size_t count;
    static atomic_int state; /* 0: not made; 1: being made; 2: made */
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1)) {
        count = list_tables(list);
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) != 2)
        ;
    *n = count;
    return list;
}

const struct tk_table *tk_table_find(const char *name)
{
    size_t n;
    const struct tk_table *const *list = tk_tables(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    }
    return NULL;
}
