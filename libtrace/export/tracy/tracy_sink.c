/*
 * Gathers a timeline for a .tracy, where totals stand before contents: what grows is kept in columns that
 * spill (tracy_tracks.c, tracy_items.c). tracy_save.c writes it.
 */
#include "export/tracy/tracy_parts.h"

#include <stdlib.h>

enum { COLUMN_BYTES = 24 << 20, SORT_BYTES = 2 << 20 };

static int compare_messages(const void *a, const void *b)
{
    const struct tk_ts_message *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

int tk_tracy_sink_open(struct tk_tracy_sink **out, const char *path, bool force, const char *scratch,
                       struct tk_err *err)
{
    struct tk_tracy_sink *t = calloc(1, sizeof *t);
    *out = t;
    if (!t || tk_spill_columns_open(&t->columns, scratch, COLUMN_BYTES))
        return tk_err_nomem(err, "an export");
    t->scratch = scratch;
    tk_spill_column_begin(&t->extras, t->columns, sizeof(struct tk_ts_extra));
    struct tk_ts_extra *none = tk_spill_column_add(&t->extras);
    if (!none)
        return tk_spill_columns_error(t->columns, err);
    *none = (struct tk_ts_extra){0};
    int rc = tk_external_sort_open(&t->messages, scratch, sizeof(struct tk_ts_message), compare_messages,
                                   SORT_BYTES, err);
    return rc == TK_OK ? tk_output_open(&t->output, path, force, err) : rc;
}

void tk_tracy_sink_close(struct tk_tracy_sink *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->tracks.n; i++) {
        tk_spill_column_release(&t->tracks.v[i]->items);
        tk_spill_column_release(&t->tracks.v[i]->message_keys);
        tk_vec_release(&t->tracks.v[i]->open);
    }
    if (t->columns)
        tk_spill_column_release(&t->extras);
    tk_vec_release(&t->tracks);
    tk_vec_release(&t->strings);
    tk_vec_release(&t->places);
    tk_vec_release(&t->counts);
    tk_vec_release(&t->spans);
    tk_vec_release(&t->system_tracks);
    tk_vec_release(&t->system_ids);
    tk_vec_release(&t->numbered);
    tk_vec_release(&t->local);
    tk_ts_events_free(t->events);
    tk_map_release(&t->string_of);
    tk_map_release(&t->track_of);
    tk_map_release(&t->place_of);
    tk_map_release(&t->region_of);
    tk_map_release(&t->span_of);
    tk_external_sort_close(t->messages);
    tk_spill_columns_close(t->columns);
    tk_arena_release(&t->arena);
    tk_arena_release(&t->texts);
    tk_output_discard(t->output);
    free(t);
}

struct tk_timeline_sink tk_tracy_sink(struct tk_tracy_sink *t)
{
    return (struct tk_timeline_sink){.self = t, .track = tk_ts_take_track, .items = tk_ts_take_items};
}

void tk_tracy_sink_events(struct tk_tracy_sink *t, struct tk_ts_events *events)
{
    t->events = events;
}

uint64_t tk_tracy_sink_bare(const struct tk_tracy_sink *t)
{
    return t->bare;
}

uint64_t tk_tracy_sink_bare_messages(const struct tk_tracy_sink *t)
{
    return t->bare_messages;
}

uint64_t tk_tracy_sink_left_out(const struct tk_tracy_sink *t)
{
    return t->events ? t->events->locks.left_out : 0;
}
