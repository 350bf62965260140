/*
 * Table `runs` of a baseline: what each run is, and how much of it there is.
 */
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/listing.h"
#include "compare/baseline/run_info.h"
#include "table/cell.h"
#include "table/sink.h"

/*
 * Table `frames` of a baseline: the game frames of each run.
 */

enum { LIST_FRAMES_RUN, INDEX, BEGIN, LIST_FRAMES_DURATION, LIST_FRAMES_CLASS, LIST_FRAMES_COLUMNS };

static const struct tk_column columns_list_frames[LIST_FRAMES_COLUMNS] = {
    [LIST_FRAMES_RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [INDEX] = {"frame", TK_UINT, 0, NULL, "number of the game frame in its capture, from 0"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts, since the start of the capture"},
    [LIST_FRAMES_DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [LIST_FRAMES_CLASS] =
        {"class", TK_TEXT, 0, NULL,
         "hitch; loading, start-up: a hitch of these, counted apart; uneven; empty: none of them"},
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
        struct tk_cell row[LIST_FRAMES_COLUMNS] = {0};
        const char *class = i < run->judged.n ? tk_frame_class_name(run->judged.is[i]) : NULL;
        at = advance(run, i, at);
        row[LIST_FRAMES_RUN] = tk_cell_of_uint(number);
        row[INDEX] = tk_cell_of_uint(run->numbers ? run->numbers[i] : i);
        row[BEGIN] =
            tk_cell_of_time(run->begins ? (int64_t)(run->begins[i] * 1e6) : tk_listing_span(run, at).v.i);
        row[LIST_FRAMES_DURATION] = tk_listing_span(run, run->frames.v[i]);
        if (class)
            row[LIST_FRAMES_CLASS] = tk_cell_of_c(class);
        rc = tk_sink_row(sink, table, row, err);
        at += run->frames.v[i];
    }
    return rc;
}

const struct tk_listing tk_listing_frames = {
    .table = {.name = "frames",
              .help = "game frames of the runs",
              .columns = columns_list_frames,
              .n_columns = LIST_FRAMES_COLUMNS},
    .rows = rows_frames,
};

/*
 * The tables of baselines, and what they share.
 */

const struct tk_listing *const tk_listings[] = {&tk_listing_runs,
                                                &tk_listing_frames,
                                                &tk_listing_timers,
                                                &tk_listing_durations,
                                                &tk_listing_gpu,
                                                &tk_listing_counters,
                                                &tk_listing_memory,
                                                &tk_listing_loading,
                                                &tk_listing_log,
                                                &tk_listing_metrics,
                                                NULL};

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

enum { RUN, TEXTS = 1, FRAMES = 14, DURATION, SIZE, CONTENT, COLUMNS };

/* The texts are named by the key of what is known (run_info.h), but for `date`. */
static const struct tk_column columns_list_runs[COLUMNS] = {
    [RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    {"capture", TK_TEXT, 0, NULL, "name of the file that it was made of"},
    {"application", TK_TEXT, 0, NULL, "the program that was recorded"},
    {"build", TK_TEXT, 0, NULL, "what was built"},
    {"commit", TK_TEXT, TK_COL_EXTRA, NULL, "the state of the sources"},
    {"branch", TK_TEXT, TK_COL_EXTRA, NULL, "the branch of the sources"},
    {"platform", TK_TEXT, 0, NULL, "platform it ran on"},
    {"machine", TK_TEXT, 0, NULL, "the name of the machine, where it was said"},
    {"config", TK_TEXT, TK_COL_EXTRA, NULL, "how it was built"},
    {"map", TK_TEXT, TK_COL_EXTRA, NULL, "map, where --run-info names it"},
    {"engine", TK_TEXT, TK_COL_EXTRA, NULL, "the version of the engine"},
    {"driver", TK_TEXT, TK_COL_EXTRA, NULL, "the version of the graphics driver, where it was said"},
    {"job", TK_TEXT, TK_COL_EXTRA, NULL, "the run of the build service, where it was said"},
    {"date", TK_TEXT, 0, NULL, "when it ran, in UTC"},
    [FRAMES] = {"frames", TK_UINT, 0, NULL, "game frames"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "from the start to the last event"},
    [SIZE] = {"bytes", TK_SIZE, 0, NULL, "of the file, in bytes"},
    [CONTENT] = {"content", TK_TEXT, TK_COL_EXTRA, NULL, "identifies the capture: a hash of its bytes"},
};

static void put_hex(char out[16], uint64_t v)
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
}

/* The number that a text is; no cell where it is none. */
static struct tk_cell number_cell(const struct tk_str *digits)
{
    uint64_t v = 0;
    for (uint32_t i = 0; digits && i < digits->n; i++) {
        if (digits->p[i] < '0' || digits->p[i] > '9' || v > UINT64_MAX / 10 - 1)
            return (struct tk_cell){.kind = TK_NONE};
        v = v * 10 + (uint64_t)(digits->p[i] - '0');
    }
    return digits && digits->n ? tk_cell_of_size(v) : (struct tk_cell){.kind = TK_NONE};
}

static int rows_runs(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                     const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cell row[COLUMNS] = {0};
    char hash[16];
    const struct tk_str content = {.p = hash, .n = sizeof hash};
    put_hex(hash, run->hash);
    row[RUN] = tk_cell_of_uint(number);
    for (int i = TEXTS; i < FRAMES - 1; i++)
        row[i] = tk_cell_of_text(tk_base_run_about(run, columns_list_runs[i].name));
    row[FRAMES - 1] = tk_cell_of_text(tk_base_run_about(run, "time"));
    row[FRAMES] = tk_cell_of_uint(tk_base_run_is_unit(run) ? 0 : run->frames.n);
    row[DURATION] = tk_listing_span(run, run->duration);
    row[SIZE] = number_cell(tk_base_run_about(run, "size"));
    row[CONTENT] = tk_cell_of_text(&content);
    return tk_sink_row(sink, table, row, err);
}

const struct tk_listing tk_listing_runs = {
    .table = {.name = "runs",
              .help = "the runs of a baseline",
              .columns = columns_list_runs,
              .n_columns = COLUMNS},
    .rows = rows_runs,
};
