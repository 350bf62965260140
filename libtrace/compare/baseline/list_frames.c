/*
 * Table `frames` of a baseline: the game frames of each run.
 */
#include "compare/baseline/listing.h"
#include "compare/baseline/span_cell.h"
#include "table/cell.h"
#include "table/sink.h"

enum { RUN, INDEX, BEGIN, DURATION, COLUMNS };

static const struct tk_column columns_list_frames[COLUMNS] = {
    [RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [INDEX] = {"frame", TK_UINT, 0, NULL, "number of the game frame in its capture, from 0"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts, since the start of the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
};

/* Where frames without places of their own begin, in cycles. */
static uint64_t advance(const struct tk_base_run *run, size_t frame, uint64_t at)
{
    at += frame < run->gaps.n ? run->gaps.v[frame] : 0;
    return at;
}

static int rows_frames(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                       const struct tk_sink *sink, struct tk_err *err)
{
    uint64_t at = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < run->frames.n && rc >= 0; i++) {
        struct tk_cell row[COLUMNS];
        at = advance(run, i, at);
        row[RUN] = tk_cell_of_uint(number);
        row[INDEX] = tk_cell_of_uint(run->numbers ? run->numbers[i] : i);
        row[BEGIN] =
            tk_cell_of_time(run->begins ? (int64_t)(run->begins[i] * 1e6) : tk_listing_span(run, at).v.i);
        row[DURATION] = tk_listing_span(run, run->frames.v[i]);
        rc = tk_sink_row(sink, table, row, err);
        at += run->frames.v[i];
    }
    return rc;
}

const struct tk_listing tk_listing_frames = {
    .table = {.name = "frames",
              .help = "game frames of the runs",
              .columns = columns_list_frames,
              .n_columns = COLUMNS},
    .rows = rows_frames,
};
