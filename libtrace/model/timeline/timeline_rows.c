/*
 * Rows of tables as items of a timeline. One rule a table says which columns make what.
 */
#include "model/timeline/timeline_items.h"

#include <string.h>

typedef int rule_fn(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                    struct tk_err *err);

struct tk_timeline_rule {
    const char *table;
    char key; /* in ids of tracks, so that no two tables share one */
    rule_fn *row;
    const char *columns[TK_TIMELINE_COLUMNS]; /* those that row reads, in its order */
    struct tk_str track;                      /* of marks */
};

static struct tk_cell cell(const struct tk_timeline_table *table, const struct tk_cell *row, unsigned column)
{
    uint32_t at = table->at[column];
    return at == UINT32_MAX ? (struct tk_cell){.kind = TK_NONE} : row[at];
}

static struct tk_str text_timeline_rows(struct tk_cell c)
{
    return c.kind == TK_TEXT ? (struct tk_str){.p = c.v.p, .n = c.n, .enc = c.enc} : (struct tk_str){.p = ""};
}

/* Cells point to batches: items that borrow them are handed on at once. */
static int done_timeline_rows(struct tk_timeline *t, int rc, struct tk_err *err)
{
    return rc < 0 ? rc : tk_timeline_flush(t, err);
}

/* The text, kept; made of two where there is a second. NULL without memory. */
static const struct tk_str *keep_timeline_rows(struct tk_timeline *t, struct tk_str name,
                                               struct tk_str before)
{
    char joined[512];
    if (!before.n || before.n + name.n + 1 > sizeof joined || name.enc != before.enc)
        return tk_intern(&t->texts, name.p, name.n, (enum tk_encoding)name.enc);
    memcpy(joined, before.p, before.n);
    joined[before.n] = '/';
    memcpy(joined + before.n + 1, name.p, name.n);
    return tk_intern(&t->texts, joined, before.n + name.n + 1, (enum tk_encoding)name.enc);
}

/* columns: time, name, value, what comes before the name */
static int counter_row(struct tk_timeline *t, const struct tk_timeline_table *table,
                       const struct tk_cell *row, struct tk_err *err)
{
    const struct tk_cell time = cell(table, row, 0), value = cell(table, row, 2);
    const struct tk_str *name = keep_timeline_rows(t, text_timeline_rows(cell(table, row, 1)),
                                                   text_timeline_rows(cell(table, row, 3)));
    uint32_t number = name ? tk_timeline_name(t, name) : TK_MAP_NONE;
    int rc = TK_OK;
    if (number == TK_MAP_NONE)
        return tk_err_nomem(err, "the tracks of a timeline");
    if (time.kind != TK_TIME || value.kind == TK_NONE || value.kind >= TK_TEXT)
        return TK_OK;
    const uint64_t id = (uint64_t)number << 8 | (uint64_t)(unsigned char)table->rule->key;
    const struct tk_track track = {.id = TK_TRACK_ID(TK_TRACK_COUNTER, id << 1),
                                   .kind = TK_TRACK_COUNTER,
                                   .value_kind = value.kind,
                                   .number = id,
                                   .name = name};
    rc = tk_timeline_track(t, &track, err);
    struct tk_item *item = rc < 0 ? NULL : tk_timeline_item(t, TK_ITEM_COUNTER, track.id, time.v.i, &rc, err);
    if (item)
        item->value = value;
    return rc;
}

static int frame_track(struct tk_timeline *t, struct tk_str type, uint32_t *number, uint64_t *id,
                       struct tk_err *err)
{
    const struct tk_str *name = keep_timeline_rows(t, (struct tk_str){.p = "frames", .n = 6}, type);
    *number = name ? tk_timeline_name(t, name) : TK_MAP_NONE;
    if (*number == TK_MAP_NONE)
        return tk_err_nomem(err, "the tracks of a timeline");
    *id = TK_TRACK_ID(TK_TRACK_FRAMES, (uint64_t)*number << 1);
    const struct tk_track track = {.id = *id, .kind = TK_TRACK_FRAMES, .number = *number, .name = name};
    return tk_timeline_track(t, &track, err);
}

/* columns: begin, end, name of the type */
static int frame_row(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                     struct tk_err *err)
{
    const struct tk_cell begin = cell(table, row, 0), end = cell(table, row, 1);
    const struct tk_str type = text_timeline_rows(cell(table, row, 2));
    uint32_t number = 0;
    uint64_t track = 0;
    int rc = frame_track(t, type, &number, &track, err);
    if (rc < 0 || begin.kind != TK_TIME)
        return rc;
    struct tk_item *item = tk_timeline_item(t, TK_ITEM_BEGIN, track, begin.v.i, &rc, err);
    if (!item)
        return rc;
    bool first;
    item->name_id = tk_timeline_name(t, &type);
    item->name = &type;
    if (item->name_id == TK_MAP_NONE || !tk_timeline_tell_name(t, item->name_id, &first))
        return tk_err_nomem(err, "the names of a timeline");
    if (end.kind == TK_TIME)
        tk_timeline_item(t, TK_ITEM_END, track, end.v.i, &rc, err);
    return done_timeline_rows(t, rc, err);
}

/* columns: begin, end, name, category */
static int region_row(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_cell begin = cell(table, row, 0), end = cell(table, row, 1);
    const struct tk_str name = text_timeline_rows(cell(table, row, 2)),
                        category = text_timeline_rows(cell(table, row, 3));
    const uint64_t track = TK_TRACK_ID(TK_TRACK_PROCESS, 0);
    int rc = TK_OK;
    if (begin.kind != TK_TIME)
        return TK_OK;
    const uint64_t id = ++t->spans;
    struct tk_item *item = tk_timeline_item(t, TK_ITEM_SPAN_BEGIN, track, begin.v.i, &rc, err);
    if (!item)
        return rc;
    item->id = id;
    item->name = &name;
    item->category = category.n ? &category : NULL;
    item = end.kind == TK_TIME ? tk_timeline_item(t, TK_ITEM_SPAN_END, track, end.v.i, &rc, err) : NULL;
    if (item) {
        item->id = id;
        item->name = &name;
        item->category = category.n ? &category : NULL;
    }
    return done_timeline_rows(t, rc, err);
}

/* columns: time, thread_id, text, category, file, line, verbosity */
static int mark_row(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                    struct tk_err *err)
{
    const struct tk_cell time = cell(table, row, 0), thread = cell(table, row, 1), line = cell(table, row, 5);
    const struct tk_str name = text_timeline_rows(cell(table, row, 2)),
                        category = text_timeline_rows(cell(table, row, 3));
    const struct tk_str file = text_timeline_rows(cell(table, row, 4));
    const unsigned key = (unsigned char)table->rule->key;
    int rc = TK_OK;
    if (time.kind != TK_TIME)
        return TK_OK;
    const uint64_t owner = thread.kind == TK_UINT ? thread.v.u : 0;
    const uint64_t number = (uint64_t)(key >> 1) << 36 | owner << 2 | (key & 1) << 1;
    const struct tk_track track = {.id = TK_TRACK_ID(TK_TRACK_MARKS, number),
                                   .kind = TK_TRACK_MARKS,
                                   .number = owner,
                                   .parent = TK_TRACK_ID(TK_TRACK_THREAD, owner << 1),
                                   .name = &table->rule->track};
    if (thread.kind == TK_UINT)
        rc = tk_timeline_thread(t, (uint32_t)owner, err);
    if (rc == TK_OK)
        rc = tk_timeline_track(t, &track, err);
    struct tk_item *item = rc < 0 ? NULL : tk_timeline_item(t, TK_ITEM_INSTANT, track.id, time.v.i, &rc, err);
    if (!item)
        return rc;
    item->name = name.n ? &name : &category;
    item->category = category.n ? &category : NULL;
    item->file = file.n ? &file : NULL;
    item->line = line.kind == TK_UINT ? (uint32_t)line.v.u : 0;
    item->value = cell(table, row, 6);
    return done_timeline_rows(t, rc, err);
}

/* An arrow between two points of time on lines of a thread or queue. */
static int flow(struct tk_timeline *t, const uint64_t tracks[2], const int64_t times[2],
                const struct tk_str *name, struct tk_err *err)
{
    static const struct tk_str category = {.p = "flow", .n = 4};
    const uint64_t id = ++t->flows;
    int rc = TK_OK;
    for (unsigned i = 0; i < 2 && rc == TK_OK; i++) {
        struct tk_item *item =
            tk_timeline_item(t, i ? TK_ITEM_FLOW_IN : TK_ITEM_FLOW_OUT, tracks[i], times[i], &rc, err);
        if (!item)
            return rc;
        item->id = id;
        item->name = name;
        item->category = &category;
    }
    return done_timeline_rows(t, rc, err);
}

/* The track of a thread that flows begin and end on. */
static int flow_track(struct tk_timeline *t, uint32_t thread, uint64_t *id, struct tk_err *err)
{
    static const struct tk_str flows = {.p = "flows", .n = 5};
    const uint64_t line = TK_TRACK_ID(TK_TRACK_THREAD, (uint64_t)thread << 1);
    const struct tk_track track = {.id = TK_TRACK_ID(TK_TRACK_MARKS, (line << 4 | 4) << 1),
                                   .kind = TK_TRACK_MARKS,
                                   .number = thread,
                                   .parent = line,
                                   .name = &flows};
    *id = track.id;
    int rc = tk_timeline_thread(t, thread, err);
    return rc == TK_OK ? tk_timeline_track(t, &track, err) : rc;
}

/* columns: launched, launcher_id, started, thread_id, task */
static int task_row(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                    struct tk_err *err)
{
    const struct tk_cell launched = cell(table, row, 0), from = cell(table, row, 1);
    const struct tk_cell started = cell(table, row, 2), to = cell(table, row, 3);
    struct tk_str name = text_timeline_rows(cell(table, row, 4));
    if (launched.kind != TK_TIME || started.kind != TK_TIME || from.kind != TK_UINT || to.kind != TK_UINT)
        return TK_OK;
    if (!name.n)
        name = (struct tk_str){.p = "task", .n = 4};
    const int64_t times[] = {launched.v.i, started.v.i};
    uint64_t tracks[2];
    int rc = flow_track(t, (uint32_t)from.v.u, &tracks[0], err);
    if (rc == TK_OK)
        rc = flow_track(t, (uint32_t)to.v.u, &tracks[1], err);
    return rc == TK_OK ? flow(t, tracks, times, &name, err) : rc;
}

/* columns: time, queue_id, signal_time, other_id. From the signal to where the wait ends, which is not before
 * it began. */
static int fence_row(struct tk_timeline *t, const struct tk_timeline_table *table, const struct tk_cell *row,
                     struct tk_err *err)
{
    static const struct tk_str name = {.p = "fence", .n = 5};
    const struct tk_cell wait = cell(table, row, 0), to = cell(table, row, 1);
    const struct tk_cell signal = cell(table, row, 2), from = cell(table, row, 3);
    if (wait.kind != TK_TIME || signal.kind != TK_TIME || from.kind != TK_UINT || to.kind != TK_UINT ||
        t->view->select->threads.n)
        return TK_OK;
    const int64_t times[] = {signal.v.i, signal.v.i > wait.v.i ? signal.v.i : wait.v.i};
    uint64_t tracks[2];
    int rc = tk_timeline_queue(t, (uint32_t)from.v.u, false, &tracks[0], err);
    if (rc == TK_OK)
        rc = tk_timeline_queue(t, (uint32_t)to.v.u, false, &tracks[1], err);
    return rc == TK_OK ? flow(t, tracks, times, &name, err) : rc;
}

#define MARKS(text_timeline_rows)                                                                            \
    {                                                                                                        \
        .p = (text_timeline_rows), .n = sizeof(text_timeline_rows) - 1                                       \
    }

static const struct tk_timeline_rule rules[] = {
    {"frames", 'f', frame_row, {"start", "end", "type"}, {0}},
    {"regions", 'r', region_row, {"start", "end", "name", "category"}, {0}},
    {"bookmarks", 0, mark_row, {"time", "thread_id", "text", NULL, "file", "line"}, MARKS("bookmarks")},
    {"logs",
     1,
     mark_row,
     {"time", "thread_id", "text", "category", "file", "line", "verbosity"},
     MARKS("log")},
    {"csv_events", 2, mark_row, {"time", "thread_id", "text", "kind"}, MARKS("csv events")},
    {"task_rows", 'a', task_row, {"launched", "launcher_id", "started", "thread_id", "task"}, {0}},
    {"gpu_fences", 'g', fence_row, {"time", "queue_id", "signal_time", "other_id"}, {0}},
    {"counter_values", 'c', counter_row, {"time", "counter", "value"}, {0}},
    {"stat_values", 's', counter_row, {"time", "stat", "value"}, {0}},
    {"llm_values", 'l', counter_row, {"time", "tag", "value", "tracker"}, {0}},
    {"csv_values", 'v', counter_row, {"time", "series", "value"}, {0}},
    {"task_counter_values", 't', counter_row, {"time", "counter", "value"}, {0}},
};

enum { RULES = sizeof rules / sizeof *rules };

const char *tk_timeline_table(size_t i)
{
    return i < RULES ? rules[i].table : NULL;
}

static uint32_t find_column(const struct tk_table *table, const char *name)
{
    for (uint32_t i = 0; name && i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static int begin_timeline_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_timeline *t = self;
    struct tk_timeline_table known = {.table = table};
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].table, table->name) == 0)
            known.rule = &rules[i];
    if (!known.rule)
        return TK_OK;
    for (unsigned i = 0; i < TK_TIMELINE_COLUMNS; i++)
        known.at[i] = find_column(table, known.rule->columns[i]);
    return tk_vec_push(&t->tables, known) ? tk_err_nomem(err, "the tables of a timeline") : TK_OK;
}

static int rows_timeline_rows(void *self, const struct tk_table *table, const struct tk_rows *batch,
                              struct tk_err *err)
{
    struct tk_timeline *t = self;
    int rc = TK_OK;
    for (size_t i = 0; i < t->tables.n; i++)
        if (t->tables.v[i].table == table) {
            for (size_t k = 0; k < batch->n && rc == TK_OK; k++)
                rc = t->tables.v[i].rule->row(t, &t->tables.v[i], batch->cells + k * table->n_columns, err);
        }
    return done_timeline_rows(t, rc, err);
}

struct tk_sink tk_timeline_rows(struct tk_timeline *t)
{
    return (struct tk_sink){.self = t, .begin = begin_timeline_rows, .rows = rows_timeline_rows};
}
