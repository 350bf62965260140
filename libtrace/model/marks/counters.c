/*
 * Tables `counters`, `stats`, `csv`, `llm` and `task_counters`: what the values of each counter, statistic,
 * series of frames and memory tag come to.
 *
 * Figures are of the values that lie in the selection. A value holds until the next one, the last one until
 * the last value or frame of the capture; the mean over time weighs values by how much of the selection they
 * hold, values from before it included. What is set to 0 because a frame begins is no value of its own, but
 * holds like one. By frame: what was set and added in a frame, summed up; the mean is over all frames that
 * begin in the selection.
 *
 * Growth of a tag: from the value that holds when the selection begins to the last one in it. A tag that is
 * missing in the first snapshot of its tracker was 0 until its own first one.
 */
#include "base/wrap.h"
#include "model/marks/counting.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "table/value_summary.h"

#define NS_PER_MINUTE 60e9

/* All columns that such a table can have. */
enum {
    ID,
    NAME,
    GROUP,
    DESCRIPTION,
    TYPE,
    UNIT,
    CLEARS,
    FRAME_TYPE,
    THREAD_ID,
    THREAD,
    COUNT = THREAD + TK_THREAD_COLUMNS,
    FIRST,
    LAST,
    MIN,
    MAX,
    MEAN,
    TIME_MEAN,
    MEDIAN,
    P90,
    P95,
    P99,
    FRAME_MEAN,
    FRAME_MAX,
    GROWTH,
    GROWTH_MINUTE,
    COLUMNS
};

/* clang-format off */
#define COLUMN_TYPE     {"type", TK_TEXT, TK_COL_OPTIONAL, NULL, "int or float"}
#define COLUMN_UNIT     {"unit", TK_TEXT, 0, NULL, "unit of the values: bytes, ms or empty"}
#define COLUMNS_COUNT                                                                                        \
    {"count", TK_UINT, 0, "values", "number of values"},                                                               \
    {"first", TK_REAL, TK_COL_OPTIONAL, NULL, "first value; an integer if the counter has integer values"},   \
    {"last", TK_REAL, 0, NULL, "last value"},                                                                \
    {"min", TK_REAL, 0, NULL, "smallest value"}
#define COLUMNS_MEANS                                                                                        \
    {"mean", TK_REAL, 0, NULL, "mean of the values"},                                                        \
    {"time_mean", TK_REAL, 0, NULL, "time-weighted mean: each value holds until the next one"},                      \
    {"median", TK_REAL, 0, NULL, "median of the values (to 0.4 %)"},                            \
    {"p90", TK_REAL, TK_COL_EXTRA, NULL, "90th percentile of the values (to 0.4 %)"},                      \
    {"p95", TK_REAL, 0, NULL, "95th percentile of the values (to 0.4 %)"},                                 \
    {"p99", TK_REAL, 0, NULL, "99th percentile of the values (to 0.4 %)"}
#define COLUMN_MAX      {"max", TK_REAL, 0, NULL, "largest value"}
#define COLUMNS_FRAMES                                                                                       \
    {"frame_mean", TK_REAL, 0, NULL, "mean per game frame of the values set and added in it"},        \
    {"frame_max", TK_REAL, TK_COL_EXTRA, NULL, "largest total of the values set and added in a game frame"}

static const struct tk_column plain_columns[] = {
    {"counter_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the counter in the capture"},
    {"counter", TK_TEXT, 0, NULL, "name; empty if it is not defined"},
    {"group", TK_TEXT, TK_COL_OPTIONAL, NULL, "what it belongs to: a process, core or GPU"},
    COLUMN_TYPE, COLUMN_UNIT, COLUMNS_COUNT, COLUMN_MAX, COLUMNS_MEANS, COLUMNS_FRAMES,
};
static const uint8_t plain_map[] = {ID, NAME, GROUP, TYPE, UNIT, COUNT, FIRST, LAST, MIN, MAX, MEAN, TIME_MEAN,
                                    MEDIAN, P90, P95, P99, FRAME_MEAN, FRAME_MAX};

/* They belong to the scheduler. */
static const struct tk_column task_columns[] = {
    {"counter_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the counter in the capture"},
    {"counter", TK_TEXT, 0, NULL, "name; empty if it is not defined"},
    COLUMN_TYPE, COLUMN_UNIT, COLUMNS_COUNT, COLUMN_MAX, COLUMNS_MEANS, COLUMNS_FRAMES,
};
static const uint8_t task_map[] = {ID, NAME, TYPE, UNIT, COUNT, FIRST, LAST, MIN, MAX, MEAN, TIME_MEAN,
                                    MEDIAN, P90, P95, P99, FRAME_MEAN, FRAME_MAX};

static const struct tk_column stat_columns[] = {
    {"stat_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the statistic in the capture"},
    {"stat", TK_TEXT, 0, NULL, "name; with (1/frame) for the last value in each frame"},
    {"description", TK_TEXT, TK_COL_EXTRA, NULL, "description of the statistic"},
    {"group", TK_TEXT, 0, NULL, "group that it belongs to"},
    COLUMN_TYPE, COLUMN_UNIT,
    {"clears", TK_BOOL, TK_COL_EXTRA, NULL, "is it reset to 0 in each game frame?"},
    COLUMNS_COUNT, COLUMN_MAX, COLUMNS_MEANS, COLUMNS_FRAMES,
};
static const uint8_t stat_map[] = {ID, NAME, DESCRIPTION, GROUP, TYPE, UNIT, CLEARS, COUNT, FIRST, LAST, MIN, MAX,
                                   MEAN, TIME_MEAN, MEDIAN, P90, P95, P99, FRAME_MEAN, FRAME_MAX};

static const struct tk_column series_columns[] = {
    {"series", TK_TEXT, 0, NULL, "name: category, thread (of timers and counts) and statistic"},
    {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of its thread"},
    TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "its thread"),
    {"frame_type", TK_UINT, TK_COL_EXTRA, NULL, "type of its frames: 0 game, 1 rendering"},
    COLUMN_UNIT,
    {"count", TK_UINT, 0, "frames", "number of frames in which it has a value"},
    {"first", TK_REAL, TK_COL_OPTIONAL, NULL, "first value; an integer if the series has integer values"},
    {"last", TK_REAL, 0, NULL, "last value"},
    {"min", TK_REAL, 0, NULL, "smallest value"},
    COLUMN_MAX, COLUMNS_MEANS,
    {"frame_mean", TK_REAL, 0, NULL, "mean over all frames, counting frames without a value as 0"},
};
static const uint8_t series_map[] = {NAME, THREAD_ID, TK_THREAD_PLACES(THREAD), FRAME_TYPE, UNIT, COUNT, FIRST, LAST, MIN,
                                     MAX, MEAN, TIME_MEAN, MEDIAN, P90, P95, P99, FRAME_MEAN};

static const struct tk_column tag_columns[] = {
    {"tracker", TK_TEXT, 0, NULL, "name of the memory tracker"},
    {"tag_set", TK_TEXT, TK_COL_EXTRA, NULL, "tag set that it belongs to"},
    {"tag", TK_TEXT, 0, NULL, "name of the tag, parents included"},
    COLUMNS_COUNT,
    {"peak", TK_REAL, 0, NULL, "largest value"},
    COLUMNS_MEANS,
    {"growth", TK_INT, 0, "bytes", "growth"},
    {"growth_minute", TK_REAL, 0, "bytes", "growth per minute"},
};
static const uint8_t tag_map[] = {GROUP, DESCRIPTION, NAME, COUNT, FIRST, LAST, MIN, MAX, MEAN, TIME_MEAN, MEDIAN, P90,
                                  P95, P99, GROWTH, GROWTH_MINUTE};
/* clang-format on */

#define TABLE(title, about, array, number)                                                                   \
    {                                                                                                        \
        .name = (title), .help = (about), .columns = (array), .n_columns = sizeof(array) / sizeof(array)[0], \
        .schema = (number)                                                                                   \
    }

static const struct tk_table tables[TK_COUNTER_KINDS] = {
    [TK_COUNTER_PLAIN] = TABLE("counters", "counters: count, extremes, mean and percentiles of their values",
                               plain_columns, 2),
    [TK_COUNTER_TASK] =
        TABLE("task_counters", "counters derived from tasks: how many are waiting, running and alive",
              task_columns, 0),
    [TK_COUNTER_STAT] = TABLE(
        "stats", "engine statistics: count, extremes, mean and percentiles of their values", stat_columns, 0),
    [TK_COUNTER_SERIES] = TABLE(
        "csv", "series of the CSV profiler: count, extremes, mean and percentiles of their values by frame",
        series_columns, 2),
    [TK_COUNTER_TAG] = {.name = "llm",
                        .help = "memory tags: sizes and growth",
                        .columns = tag_columns,
                        .n_columns = sizeof tag_columns / sizeof tag_columns[0],
                        .schema = 2},
};

static const uint8_t *const maps[TK_COUNTER_KINDS] = {
    [TK_COUNTER_PLAIN] = plain_map,   [TK_COUNTER_TASK] = task_map, [TK_COUNTER_STAT] = stat_map,
    [TK_COUNTER_SERIES] = series_map, [TK_COUNTER_TAG] = tag_map,
};

/* What is kept of a counter. */
struct entry {
    struct tk_value_summary figures;
    int64_t first_time, last_time; /* of its values in the capture; of the selected ones the last */
    bool occurs, carries;          /* it has values that are not behind the selection; one from before it */
    struct tk_number carried;
};

/* A tracker of memory. */
struct group {
    const struct tk_str *name;
    int64_t first_time; /* of its first value in the capture */
};

struct counters {
    const struct tk_query_context *view;
    enum tk_counter_kind kind;
    struct tk_counting counting;
    TK_VEC(struct entry) entries; /* by counter */
    TK_VEC(struct group) groups;  /* of memory tags; there are few */
};

/* ---- values ---- */

static struct entry *entry_of(struct counters *c, uint32_t counter)
{
    return tk_vec_reach(&c->entries, (size_t)counter + 1) ? NULL : &c->entries.v[counter];
}

static int count_counters(struct entry *e, const struct tk_counted *counted)
{
    if (counted->what == TK_COUNTED_CLEAR)
        return 0;
    if (counted->of_selected)
        tk_value_summary_frame(&e->figures, counted->frame, counted->given);
    e->last_time = counted->time;
    return tk_value_summary_add(&e->figures, counted->value);
}

static int take_counters(void *ctx, const struct tk_counted *counted, struct tk_err *err)
{
    struct counters *c = ctx;
    const struct tk_select *select = c->view->select;
    struct entry *e = entry_of(c, counted->counter);
    if (!e)
        return tk_err_nomem(err, "counters");
    if (!e->occurs)
        e->first_time = counted->time;
    e->occurs |= !tk_select_is_behind(select, counted->at);
    tk_value_summary_step(&e->figures, counted->value, tk_select_before(select, counted->time));
    if (tk_select_has(select, counted->at))
        return count_counters(e, counted) ? tk_err_nomem(err, "counters") : TK_OK;
    if (e->figures.count == 0) {
        e->carries = true;
        e->carried = counted->value;
    }
    return TK_OK;
}

/* ---- rows ---- */

/* Finds out when each group has its first value. */
static int find_groups(struct counters *c)
{
    for (size_t i = 0; i < c->entries.n; i++) {
        struct group group = {c->counting.counters.v[i].info.group, c->entries.v[i].first_time};
        size_t at = 0;
        while (at < c->groups.n && c->groups.v[at].name != group.name)
            at++;
        if (!c->entries.v[i].occurs)
            continue;
        if (at == c->groups.n && tk_vec_push(&c->groups, group))
            return -1;
        if (group.first_time < c->groups.v[at].first_time)
            c->groups.v[at].first_time = group.first_time;
    }
    return 0;
}

static int64_t group_begins(const struct counters *c, const struct tk_str *name)
{
    size_t at = 0;
    while (c->groups.v[at].name != name)
        at++;
    return c->groups.v[at].first_time;
}

static struct tk_cell difference(const struct tk_counter *counter, struct tk_number a, struct tk_number b)
{
    const bool wraps =
        !a.real && !b.real && (a.v.i < 0) != (b.v.i < 0) && (tk_wrap_sub(a.v.i, b.v.i) < 0) != (a.v.i < 0);
    struct tk_number d = {.real = a.real || b.real || wraps};
    if (d.real)
        d.v.r = tk_number_real(a) - tk_number_real(b);
    else
        d.v.i = tk_wrap_sub(a.v.i, b.v.i);
    return tk_counting_cell(counter, d);
}

static void fill_growth(const struct counters *c, const struct tk_counter *counter, const struct entry *e,
                        struct tk_cell *all)
{
    const struct tk_select *select = c->view->select;
    int64_t begins = group_begins(c, counter->info.group);
    int64_t from = select->all_time || begins > select->ranges[0].from ? begins : select->ranges[0].from;
    struct tk_number base = {.v.i = 0};
    if (e->carries)
        base = e->carried;
    else if (e->first_time <= begins)
        base = e->figures.first;
    double growth = tk_number_real(e->figures.last) - tk_number_real(base);
    double ns = (double)tk_clock_span(&c->view->dict->clock, TK_UNIT_NS, tk_wrap_sub(e->last_time, from));
    all[GROWTH] = difference(counter, e->figures.last, base);
    if (ns > 0)
        all[GROWTH_MINUTE] = tk_cell_of_real(growth * NS_PER_MINUTE / ns);
}

static void fill_figures(const struct tk_counter *counter, const struct tk_value_summary *f,
                         struct tk_cell *all)
{
    static const struct {
        unsigned column, share;
    } percentiles[] = {{MEDIAN, 50}, {P90, 90}, {P95, 95}, {P99, 99}};
    all[FIRST] = tk_counting_cell(counter, f->first);
    all[LAST] = tk_counting_cell(counter, f->last);
    if (f->numbers == 0)
        return;
    all[MIN] = tk_counting_cell(counter, f->min);
    all[MAX] = tk_counting_cell(counter, f->max);
    all[MEAN] = tk_cell_of_real(tk_sum_mean(&f->total, f->numbers));
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
        all[percentiles[i].column] =
            tk_counting_cell(counter, tk_value_summary_percentile(f, percentiles[i].share, 100));
}

static void fill_frames(const struct counters *c, const struct tk_counter *counter,
                        struct tk_value_summary *f, struct tk_cell *all)
{
    unsigned type = c->kind == TK_COUNTER_SERIES ? counter->frames : 0;
    uint64_t frames = c->counting.frames[type].selected;
    tk_value_summary_close_frame(f);
    if (frames == 0)
        return;
    all[FRAME_MEAN] = tk_cell_of_real(tk_sum_mean(&f->frames_sum, frames));
    if (f->any_frame)
        all[FRAME_MAX] = tk_counting_cell(counter, f->frame_max);
}

static void fill_name(const struct counters *c, const struct tk_counter *counter, struct tk_emit *emit,
                      struct tk_cell *all)
{
    all[ID] = tk_cell_of_uint(counter->id);
    all[NAME] = tk_counting_name(counter, emit);
    all[GROUP] = tk_cell_of_text(counter->info.group);
    all[DESCRIPTION] = tk_cell_of_text(counter->info.text);
    all[TYPE] = tk_cell_of_c(counter->value.real ? "float" : "int");
    all[UNIT] = tk_cell_of_c(tk_counting_unit(counter));
    all[CLEARS] = tk_cell_of_bool(counter->info.clears);
    all[FRAME_TYPE] = tk_cell_of_uint(counter->frames);
    all[THREAD_ID] = tk_query_context_thread_id(counter->thread);
    tk_thread_put(c->view, counter->thread, &all[THREAD]);
}

static int send_counter(struct counters *c, uint32_t at, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_counter *counter = &c->counting.counters.v[at];
    struct tk_cell all[COLUMNS] = {{.kind = TK_NONE}};
    struct entry *e = entry_of(c, at);
    if (!e)
        return tk_err_nomem(err, "counters");
    tk_value_summary_stop(&e->figures, tk_select_before(c->view->select, c->counting.reached));
    fill_name(c, counter, emit, all);
    all[COUNT] = tk_cell_of_uint(e->figures.count);
    if (e->figures.weight)
        all[TIME_MEAN] = tk_cell_of_real(tk_sum_mean(&e->figures.weighted, e->figures.weight));
    if (e->figures.count) {
        fill_figures(counter, &e->figures, all);
        fill_frames(c, counter, &e->figures, all);
        if (c->kind == TK_COUNTER_TAG)
            fill_growth(c, counter, e, all);
    }
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    for (uint32_t i = 0; i < tables[c->kind].n_columns; i++)
        row[i] = all[maps[c->kind][i]];
    return TK_OK;
}

/* Where nothing but values makes a counter, there is none whose first value is behind the selection. Those of
 * tasks are there together. */
static bool is_there(const struct counters *c, uint32_t counter)
{
    if (c->view->select->all_time || (c->kind != TK_COUNTER_TASK && c->kind != TK_COUNTER_TAG))
        return true;
    const size_t from = c->kind == TK_COUNTER_TASK ? 0 : counter,
                 most = c->kind == TK_COUNTER_TASK ? TK_TASKS_COUNTS : counter + 1u;
    bool any = false;
    for (size_t i = from; i < most && i < c->entries.n; i++)
        any |= c->entries.v[i].occurs;
    return any;
}

static int finish_counters(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct counters *c = self;
    int rc = tk_counting_finish(&c->counting, err);
    if (rc == TK_OK && c->kind == TK_COUNTER_TAG && find_groups(c))
        rc = tk_err_nomem(err, "counters");
    for (uint32_t i = 0; i < c->counting.counters.n && rc == TK_OK; i++) {
        const struct tk_counter *counter = &c->counting.counters.v[i];
        if (counter->of != TK_MAP_NONE || !is_there(c, i))
            continue;
        if (c->kind == TK_COUNTER_SERIES &&
            !tk_select_thread(c->view->select, c->view->dict, counter->thread))
            continue;
        rc = send_counter(c, i, emit, err);
        if (rc == TK_OK && counter->by_frame != TK_MAP_NONE)
            rc = send_counter(c, counter->by_frame, emit, err);
    }
    return rc;
}

static int feed_counters(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct counters *c = self;
    (void)emit;
    return tk_counting_feed(&c->counting, batch, err);
}

static int open_counters(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct counters *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "counters");
    c->view = view;
    c->kind = (enum tk_counter_kind)(builder->table - tables);
    tk_counting_init(&c->counting, view, c->kind, take_counters, c);
    *self = c;
    return TK_OK;
}

static void close_counters(void *self)
{
    struct counters *c = self;
    for (size_t i = 0; i < c->entries.n; i++)
        tk_value_summary_release(&c->entries.v[i].figures);
    tk_vec_release(&c->entries);
    tk_vec_release(&c->groups);
    tk_counting_release(&c->counting);
    free(c);
}

#define BUILDER(which, value, is)                                                                            \
    {                                                                                                        \
        .table = &tables[which], .needs = {.facts = TK_COUNTING_FACTS(value), .order = (is)},                \
        .open = open_counters, .feed = feed_counters, .finish = finish_counters, .close = close_counters     \
    }

const struct tk_builder tk_builder_counters = BUILDER(TK_COUNTER_PLAIN, COUNTER_VALUE, TK_NEEDS_FILE_ORDER);
const struct tk_builder tk_builder_stats = BUILDER(TK_COUNTER_STAT, STAT_VALUE, TK_NEEDS_FILE_ORDER);
/* Who renders has to be known before the first value of a series. */
const struct tk_builder tk_builder_csv = BUILDER(TK_COUNTER_SERIES, SERIES_VALUE, TK_NEEDS_SEQ_ORDER);
const struct tk_builder tk_builder_llm = BUILDER(TK_COUNTER_TAG, TAG_VALUE, TK_NEEDS_FILE_ORDER);
const struct tk_builder tk_builder_task_counters = BUILDER(TK_COUNTER_TASK, TASK, TK_NEEDS_SEQ_ORDER);
