/*
 * Tables `counter_values`, `stat_values`, `csv_values`, `llm_values` and `task_counter_values`: every value
 * that counters, statistics, series of frames, memory tags and what follows from tasks had, in order of time.
 * Values by frame stand where their frame is over.
 */
#include "model/marks/counting.h"
#include "query/context_cells.h"
#include "query/tables.h"

/* All columns that such a table can have. */
enum {
    TIME,
    ID,
    NAME,
    GROUP,
    WHAT,
    GIVEN,
    VALUE,
    UNIT,
    FRAME_TYPE,
    FRAME,
    THREAD_ID,
    THREAD,
    COLUMNS = THREAD + TK_THREAD_COLUMNS
};

#define COLUMN_TIME                                                                                          \
    {                                                                                                        \
        "time", TK_TIME, 0, NULL, "time from which the value holds"                                          \
    }
#define COLUMN_VALUE                                                                                         \
    {                                                                                                        \
        "value", TK_REAL, 0, NULL, "the value; an integer if the counter has integer values"                 \
    }
#define COLUMN_FRAME                                                                                         \
    {                                                                                                        \
        "frame", TK_UINT, 0, NULL, "number of the game frame; empty before the first frame"                  \
    }
#define COLUMN_THREAD_ID                                                                                     \
    {                                                                                                        \
        "thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that set it"                             \
    }
#define COLUMN_UNIT                                                                                          \
    {                                                                                                        \
        "unit", TK_TEXT, TK_COL_EXTRA, NULL, "bytes, or empty"                                               \
    }

static const struct tk_column plain_columns[] = {
    COLUMN_TIME,
    {"counter_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the counter in the capture"},
    {"counter", TK_TEXT, 0, NULL, "name of the counter; empty if it is not defined"},
    {"group", TK_TEXT, TK_COL_OPTIONAL, NULL, "what it belongs to: a process, core or GPU"},
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_FRAME,
    COLUMN_THREAD_ID,
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that set it"),
};
static const uint8_t plain_map[] = {
    TIME, ID, NAME, GROUP, VALUE, UNIT, FRAME, THREAD_ID, TK_THREAD_PLACES(THREAD)};

/* They belong to the scheduler. */
static const struct tk_column task_columns[] = {
    COLUMN_TIME,
    {"counter_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the counter in the capture"},
    {"counter", TK_TEXT, 0, NULL, "name of the counter; empty if it is not defined"},
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_FRAME,
    COLUMN_THREAD_ID,
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that set it"),
};
static const uint8_t task_map[] = {TIME, ID, NAME, VALUE, UNIT, FRAME, THREAD_ID, TK_THREAD_PLACES(THREAD)};

static const struct tk_column stat_columns[] = {
    COLUMN_TIME,
    {"stat_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the statistic in the capture"},
    {"stat", TK_TEXT, 0, NULL, "name of the statistic; with (1/frame) for the last value in each frame"},
    {"op", TK_TEXT, 0, NULL,
     "set, add, clear (reset to 0 at the start of a frame) or frame (last value in a frame)"},
    {"operand", TK_REAL, 0, NULL, "the value that was set or added"},
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_FRAME,
    COLUMN_THREAD_ID,
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that set it"),
};
static const uint8_t stat_map[] = {TIME,  ID,   NAME,  WHAT,      GIVEN,
                                   VALUE, UNIT, FRAME, THREAD_ID, TK_THREAD_PLACES(THREAD)};

static const struct tk_column series_columns[] = {
    {"time", TK_TIME, 0, NULL, "end of the previous frame; for the first frame its start"},
    {"frame_type", TK_UINT, 0, NULL, "type of the frame: 0 game, 1 rendering"},
    {"frame", TK_UINT, 0, NULL, "number of the frame; empty if there are no frames"},
    {"series", TK_TEXT, 0, NULL, "name of the series"},
    COLUMN_VALUE,
    {"unit", TK_TEXT, 0, NULL, "ms for timers, or empty"},
    {"thread_id", TK_UINT, 0, NULL, "id of the thread of the series"},
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread of the series"),
};
static const uint8_t series_map[] = {TIME,  FRAME_TYPE, FRAME,     NAME,
                                     VALUE, UNIT,       THREAD_ID, TK_THREAD_PLACES(THREAD)};

static const struct tk_column tag_columns[] = {
    COLUMN_TIME,
    {"tracker", TK_TEXT, 0, NULL, "name of the memory tracker"},
    {"tag", TK_TEXT, 0, NULL, "name of the tag"},
    {"value", TK_INT, 0, "bytes", "size of the tag"},
    COLUMN_FRAME,
    COLUMN_THREAD_ID,
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that set it"),
};
static const uint8_t tag_map[] = {TIME, GROUP, NAME, VALUE, FRAME, THREAD_ID, TK_THREAD_PLACES(THREAD)};

static const struct tk_table tables[TK_COUNTER_KINDS] = {
    [TK_COUNTER_PLAIN] = {.name = "counter_values",
                          .help = "values of counters, in order of time",
                          .columns = plain_columns,
                          .n_columns = sizeof plain_columns / sizeof plain_columns[0],
                          .schema = 2,
                          .flags = TK_TABLE_EACH},
    [TK_COUNTER_TASK] = {.name = "task_counter_values",
                         .help = "values of counters derived from tasks, in order of time",
                         .columns = task_columns,
                         .n_columns = sizeof task_columns / sizeof task_columns[0],
                         .schema = 2,
                         .flags = TK_TABLE_EACH},
    [TK_COUNTER_STAT] = {.name = "stat_values",
                         .help = "values of engine statistics, in order of time",
                         .columns = stat_columns,
                         .n_columns = sizeof stat_columns / sizeof stat_columns[0],
                         .schema = 2,
                         .flags = TK_TABLE_EACH},
    [TK_COUNTER_SERIES] = {.name = "csv_values",
                           .help = "values of the CSV profiler, frame by frame",
                           .columns = series_columns,
                           .n_columns = sizeof series_columns / sizeof series_columns[0],
                           .schema = 2,
                           .flags = TK_TABLE_EACH},
    [TK_COUNTER_TAG] = {.name = "llm_values",
                        .help = "sizes of memory tags, in order of time",
                        .columns = tag_columns,
                        .n_columns = sizeof tag_columns / sizeof tag_columns[0],
                        .schema = 2,
                        .flags = TK_TABLE_EACH},
};

static const uint8_t *const maps[TK_COUNTER_KINDS] = {
    [TK_COUNTER_PLAIN] = plain_map,   [TK_COUNTER_TASK] = task_map, [TK_COUNTER_STAT] = stat_map,
    [TK_COUNTER_SERIES] = series_map, [TK_COUNTER_TAG] = tag_map,
};

struct values {
    const struct tk_query_context *view;
    enum tk_counter_kind kind;
    struct tk_counting counting;
    struct tk_emit *emit; /* while facts are taken */
};

static bool is_selected_counter_values(const struct values *v, const struct tk_counter *counter,
                                       const struct tk_counted *counted)
{
    if (!tk_select_has(v->view->select, counted->at))
        return false;
    return v->kind != TK_COUNTER_SERIES || tk_select_thread(v->view->select, v->view->dict, counter->thread);
}

static void fill_counter_values(const struct values *v, const struct tk_counter *counter,
                                const struct tk_counted *counted, struct tk_cell *all)
{
    static const char *const whats[] = {
        [TK_COUNTED_SET] = "set",
        [TK_COUNTED_ADD] = "add",
        [TK_COUNTED_CLEAR] = "clear",
        [TK_COUNTED_FRAME] = "frame",
    };
    all[TIME] = tk_query_context_time(v->view, counted->time);
    all[ID] = tk_cell_of_uint(counter->id);
    all[NAME] = tk_counting_name(counter, v->emit);
    all[GROUP] = tk_cell_of_text(counter->info.group);
    all[WHAT] = tk_cell_of_c(whats[counted->what]);
    if (counted->what == TK_COUNTED_SET || counted->what == TK_COUNTED_ADD)
        all[GIVEN] = tk_counting_cell(counter, counted->given);
    all[VALUE] = tk_counting_cell(counter, counted->value);
    all[UNIT] = tk_cell_of_c(tk_counting_unit(counter));
    all[FRAME_TYPE] = tk_cell_of_uint(counter->frames);
    if (counted->in_frame)
        all[FRAME] = tk_cell_of_uint(counted->frame);
    all[THREAD_ID] = tk_query_context_thread_id(counted->thread);
    tk_thread_put(v->view, counted->thread, &all[THREAD]);
    if (counter->info.has_process) {
        all[THREAD + TK_THREAD_PROCESS_ID] = tk_cell_of_int((int64_t)counter->info.process_id);
        all[THREAD + TK_THREAD_PROCESS] = tk_cell_of_text(counter->info.group);
    }
}

static int take_counter_values(void *ctx, const struct tk_counted *counted, struct tk_err *err)
{
    struct values *v = ctx;
    const struct tk_counter *counter = &v->counting.counters.v[counted->counter];
    struct tk_cell all[COLUMNS] = {{.kind = TK_NONE}};
    (void)err;
    if (!is_selected_counter_values(v, counter, counted))
        return TK_OK;
    fill_counter_values(v, counter, counted, all);
    struct tk_cell *row = tk_emit_row(v->emit);
    if (!row)
        return tk_emit_status(v->emit);
    for (uint32_t i = 0; i < tables[v->kind].n_columns; i++)
        row[i] = all[maps[v->kind][i]];
    return TK_OK;
}

static int open_counter_values(const struct tk_query_context *view, const struct tk_builder *builder,
                               uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct values *v = calloc(1, sizeof *v);
    if (!v)
        return tk_err_nomem(err, "values of counters");
    v->view = view;
    v->kind = (enum tk_counter_kind)(builder->table - tables);
    tk_counting_init(&v->counting, view, v->kind, take_counter_values, v);
    *self = v;
    return TK_OK;
}

static int feed_counter_values(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                               struct tk_err *err)
{
    struct values *v = self;
    v->emit = emit;
    return tk_counting_feed(&v->counting, batch, err);
}

static int finish_counter_values(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct values *v = self;
    v->emit = emit;
    return tk_counting_finish(&v->counting, err);
}

static void close_counter_values(void *self)
{
    struct values *v = self;
    tk_counting_release(&v->counting);
    free(v);
}

#define BUILDER(which, value, is)                                                                            \
    {                                                                                                        \
        .table = &tables[which],                                                                             \
        .needs = {.facts = TK_COUNTING_FACTS(value), .order = (is), .streams = true},                        \
        .open = open_counter_values, .feed = feed_counter_values, .finish = finish_counter_values,           \
        .close = close_counter_values                                                                        \
    }

const struct tk_builder tk_builder_counter_values =
    BUILDER(TK_COUNTER_PLAIN, COUNTER_VALUE, TK_NEEDS_FILE_ORDER);
const struct tk_builder tk_builder_stat_values = BUILDER(TK_COUNTER_STAT, STAT_VALUE, TK_NEEDS_FILE_ORDER);
/* Who renders has to be known before the first value of a series. */
const struct tk_builder tk_builder_csv_values = BUILDER(TK_COUNTER_SERIES, SERIES_VALUE, TK_NEEDS_SEQ_ORDER);
const struct tk_builder tk_builder_llm_values = BUILDER(TK_COUNTER_TAG, TAG_VALUE, TK_NEEDS_FILE_ORDER);
const struct tk_builder tk_builder_task_counter_values = BUILDER(TK_COUNTER_TASK, TASK, TK_NEEDS_SEQ_ORDER);
