/*
 * Tables `events` and `generic_events`: the events as they are stored in the capture, all of them or those
 * that no family understands, row by row while it is read.
 */
#include "model/capture/capture_in.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

/*
 * Selecting events by thread and time.
 */

static bool is_wanted(struct tk_event_select *s, const struct tk_query_context *view, uint32_t thread)
{
    if (view->select->threads.n == 0)
        return true;
    if (!s->requested || s->thread != thread) {
        s->requested = true;
        s->thread = thread;
        s->wanted = thread != TK_NO_THREAD && tk_select_thread(view->select, view->dict, thread);
    }
    return s->wanted;
}

bool tk_event_select_has(struct tk_event_select *s, const struct tk_query_context *view,
                         const struct tk_fact *fact)
{
    return is_wanted(s, view, fact->thread) &&
           (view->select->all_time || tk_select_has(view->select, fact->time));
}

enum {
    TIME,
    THREAD_ID,
    THREAD,
    EVENT = THREAD + TK_THREAD_COLUMNS,
    SERIAL,
    OFFSET,
    WITHIN,
    FIELDS,
    ATTACHMENT,
    INCOMPLETE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "time, if the event has one"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread that wrote it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that wrote it"),
    [EVENT] = {"event", TK_TEXT, 0, NULL, "event type, Logger.Event"},
    [SERIAL] = {"serial", TK_UINT, 0, NULL, "serial number as stored, if it has one"},
    [OFFSET] = {"offset", TK_UINT, 0, "bytes", "position of its packet in the file"},
    [WITHIN] = {"within", TK_UINT, TK_COL_EXTRA, "bytes", "position in the unpacked packet"},
    [FIELDS] = {"fields", TK_RECORD, 0, NULL, "its fields"},
    [ATTACHMENT] = {"attachment", TK_BYTES, 0, NULL, "unnamed bytes after its fields"},
    [INCOMPLETE] = {"incomplete", TK_BOOL, 0, NULL, "is part of it missing?"},
};

static const struct tk_table table = {
    .name = "events",
    .help = "events as stored in the capture",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
};

static const struct tk_table generic_table = {
    .name = "generic_events",
    .help = "events that no other table decodes, as stored in the capture",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct events {
    const struct tk_query_context *view;
    bool generic;
    struct tk_event_select select;
};

static int open_events(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    (void)wanted;
    struct events *e = calloc(1, sizeof *e);
    if (!e)
        return tk_err_nomem(err, "events");
    e->view = view;
    e->generic = builder->table == &generic_table;
    *self = e;
    return TK_OK;
}

static struct tk_cell event_name(const struct tk_record_type *type)
{
    return type->text ? tk_cell_of_text(type->text) : tk_cell_of_c(type->name);
}

static void fill_events(const struct tk_query_context *view, const struct tk_fact *fact, struct tk_cell *row)
{
    const struct tk_fact_record *record = &fact->u.record;
    if (record->has_time)
        row[TIME] = tk_query_context_time(view, fact->time);
    row[THREAD_ID] = tk_query_context_thread_id(fact->thread);
    tk_thread_put(view, fact->thread, &row[THREAD]);
    row[EVENT] = event_name(record->rec.type);
    if (record->has_serial)
        row[SERIAL] = tk_cell_of_uint(record->serial);
    row[OFFSET] = tk_cell_of_uint(record->offset);
    row[WITHIN] = tk_cell_of_uint(record->within);
    row[FIELDS] = tk_cell_of_record(&record->rec);
    row[ATTACHMENT] = record->attachment;
    row[INCOMPLETE] = tk_cell_of_bool(record->incomplete);
}

static int feed_events(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct events *e = self;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind != TK_FACT_RECORD)
            continue;
        bool understood = e->generic && fact->u.record.rec.type->family;
        bool selected = !understood && tk_event_select_has(&e->select, e->view, fact);
        struct tk_cell *row = selected ? tk_emit_row(emit) : NULL;
        if (row)
            fill_events(e->view, fact, row);
        else if (selected)
            break;
    }
    return TK_OK;
}

#define EVENT_TABLE(of, which)                                                                               \
    {                                                                                                        \
        .table = (of), .needs = {.facts = TK_FACT_MASK(RECORD), .records = (which), .streams = true},        \
        .open = open_events, .feed = feed_events, .close = free                                              \
    }

const struct tk_builder tk_builder_events = EVENT_TABLE(&table, TK_NEEDS_RESOLVED_RECORDS);
const struct tk_builder tk_builder_generic_events = EVENT_TABLE(&generic_table, TK_NEEDS_GENERIC_RECORDS);
