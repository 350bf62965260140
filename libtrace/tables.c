/*
 * The table of tables. See tables.h.
 */
#include "tables.h"
#include "formats.h"
#include "model/builders.h"
#include "stats/timers.h"

#include <stdatomic.h>
#include <string.h>

/* In the order in which they are listed. */
static const struct tk_builder *const builders[] = {
    &tk_builder_timers,       &tk_builder_threads,   &tk_builder_frame_stats, &tk_builder_frames,
    &tk_builder_regions,      &tk_builder_bookmarks, &tk_builder_logs,        &tk_builder_open_scopes,
    &tk_builder_event_counts, &tk_builder_events,    &tk_builder_capture,     &tk_builder_session,
    &tk_builder_channels,     &tk_builder_toggles,   &tk_builder_health,      &tk_builder_ledger,
};

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

static size_t list_tables(const struct tk_table **out)
{
    size_t n = 0;
    for (size_t i = 0; i < N_BUILDERS; i++)
        out[n++] = builders[i]->table;
    for (size_t f = 0; tk_formats[f]; f++) {
        for (size_t i = 0; tk_formats[f]->tables && tk_formats[f]->tables[i] && n < MOST_TABLES; i++)
            out[n++] = tk_formats[f]->tables[i];
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
