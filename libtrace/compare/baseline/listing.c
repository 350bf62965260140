/*
 * The tables of baselines, and what they share. See listing.h.
 */
#include "compare/baseline/listing.h"

#include "table/sink.h"

const struct tk_listing *const tk_listings[] = {
    &tk_listing_runs,     &tk_listing_frames, &tk_listing_timers,  &tk_listing_durations, &tk_listing_gpu,
    &tk_listing_counters, &tk_listing_memory, &tk_listing_loading, &tk_listing_log,       NULL};

int tk_listing_send(const struct tk_listing *listing, const struct tk_baseline *b, const struct tk_sink *sink,
                    struct tk_err *err)
{
    int rc = tk_sink_begin(sink, &listing->table, err);
    for (size_t i = 0; i < b->runs.n && rc >= 0; i++)
        rc = listing->rows(b->runs.v[i], i + 1, &listing->table, sink, err);
    if (rc >= 0)
        rc = tk_sink_end(sink, &listing->table, err);
    return rc < 0 ? rc : TK_OK;
}
