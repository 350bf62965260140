/*
 * Tables about the file itself: `file`, `streams`, `types`, `edits`.
 */
#include "format/utrace/feed/family_list.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/reading_in.h"
#include "table/cell.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/*
 * The table of event families.
 */

#define FAMILY(name) &tk_ut_fam_##name,
#define TABLE(name)  &tk_ut_table_##name,

const struct tk_ut_family *const tk_ut_families[] = {TK_UT_FAMILIES(FAMILY) NULL};

const struct tk_table *const tk_ut_row_tables[] = {TK_UT_ROW_TABLES(TABLE) NULL};

size_t tk_ut_family_count(void)
{
    return sizeof tk_ut_families / sizeof *tk_ut_families - 1;
}

/* Scoped events are timers whatever they are called; the stamps of threads are read with the lanes. */
static const char *decoded_elsewhere(const struct tk_ut_type *type)
{
    if (strncmp(type->name->p, "Cpu.", 4) == 0)
        return tk_ut_fam_cpu.name;
    return strcmp(type->name->p, "$Trace.ThreadTiming") == 0 ? tk_ut_fam_trace.name : NULL;
}

/* A family that names the event goes before one that takes all of a kind. */
const char *tk_ut_family_of(const struct tk_ut_type *type)
{
    const char *name = decoded_elsewhere(type);
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (strcmp(tk_ut_families[f]->binds[b].event, type->name->p) == 0)
                name = tk_ut_families[f]->name;
    for (size_t f = 0; tk_ut_families[f] && !name; f++)
        for (size_t b = 0; tk_ut_families[f]->binds[b].event && !name; b++)
            if (tk_ut_bind_concerns(&tk_ut_families[f]->binds[b], type))
                name = tk_ut_families[f]->name;
    return name;
}

/* ---- file ---- */

static const struct tk_column file_columns[] = {
    {"format", TK_TEXT, 0, NULL, "file format"},
    {"magic", TK_TEXT, 0, NULL, "first bytes of the file"},
    {"transport", TK_UINT, 0, NULL, "how bytes are grouped into packets"},
    {"protocol", TK_UINT, 0, NULL, "how events are laid out"},
    {"control_port", TK_UINT, 0, NULL, "port on which the program accepted commands"},
    {"session_guid", TK_TEXT, 0, NULL, "id of the run of the program"},
    {"trace_guid", TK_TEXT, 0, NULL, "id of the recording"},
    {"bytes", TK_SIZE, 0, NULL, "size of the file"},
    {"packets", TK_UINT, 0, NULL, "number of packets in the file"},
    {"sync_packets", TK_UINT, 0, NULL, "number of sync packets, which have no content"},
    {"verified", TK_BOOL, 0, NULL, "are packets followed by a verification counter?"},
    {"truncated", TK_BOOL, 0, NULL, "does the file end inside a packet?"},
};

static const struct tk_table file_table = {.name = "file",
                                           .help = "file type of the capture",
                                           .columns = file_columns,
                                           .n_columns = sizeof file_columns / sizeof *file_columns,
                                           .flags = TK_TABLE_SINGLE};

static int send_file(const struct tk_ut_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                     struct tk_err *err)
{
    const struct tk_ut_header *h = &c->header;
    char session[33], trace[33];
    tk_ut_guid_text(session, h->session_guid);
    tk_ut_guid_text(trace, h->trace_guid);
    struct tk_cell none = {.kind = TK_NONE};
    struct tk_cell cells[] = {
        tk_cell_of_c("utrace"),
        tk_cell_of_c(h->magic),
        tk_cell_of_uint(h->transport),
        tk_cell_of_uint(h->protocol),
        h->has_port ? tk_cell_of_uint(h->control_port) : none,
        h->has_session ? tk_cell_of_c(session) : none,
        h->has_trace ? tk_cell_of_c(trace) : none,
        {.kind = TK_SIZE, .v.u = tk_file_size(c->ctx->file)},
        tk_cell_of_uint(c->index.n + c->index.syncs),
        tk_cell_of_uint(c->index.syncs),
        tk_cell_of_bool(c->index.counted),
        tk_cell_of_bool(c->index.truncated),
    };
    return tk_sink_row(sink, table, cells, err);
}

/* ---- streams ---- */

static const struct tk_column stream_columns[] = {
    {"thread_id", TK_UINT, 0, NULL, "number of the stream"},
    {"packets", TK_UINT, 0, NULL, "number of its packets"},
    {"bytes", TK_SIZE, 0, NULL, "its bytes in the file, packet headers included"},
};

static const struct tk_table stream_table = {.name = "streams",
                                             .help = "streams in the file",
                                             .columns = stream_columns,
                                             .n_columns = sizeof stream_columns / sizeof *stream_columns};

static int send_streams(const struct tk_ut_capture *c, const struct tk_table *table,
                        const struct tk_sink *sink, struct tk_err *err)
{
    int rc = TK_OK;
    for (uint32_t tid = 0; rc == TK_OK && tk_ut_index_lane(&c->index, &tid); tid++) {
        const struct tk_ut_lane_info *lane = &c->index.lanes[tid];
        struct tk_cell cells[] = {
            tk_cell_of_uint(tid), tk_cell_of_uint(lane->packets), {.kind = TK_SIZE, .v.u = lane->stored}};
        rc = tk_sink_row(sink, table, cells, err);
    }
    return rc;
}

/* ---- types ---- */

static const struct tk_column type_columns[] = {
    {"logger", TK_TEXT, 0, NULL, "logger that declares it"},
    {"event", TK_TEXT, 0, NULL, "its name"},
    {"type_id", TK_UINT, 0, NULL, "id in the file"},
    {"flags", TK_UINT, 0, NULL, "flags: 1 important, 2 with array data, 4 unordered, 8 definition"},
    {"fields", TK_LIST, 0, NULL, "its fields"},
    {"bytes", TK_SIZE, TK_COL_EXTRA, NULL, "size of its fixed part"},
    {"offset", TK_UINT, TK_COL_EXTRA, NULL, "offset of the packet that declares it"},
};

static const struct tk_table type_table = {.name = "types",
                                           .help = "event types declared in the capture",
                                           .columns = type_columns,
                                           .n_columns = sizeof type_columns / sizeof *type_columns};

/* A field as a record; impl is a struct field_view. */
struct field_view {
    const struct tk_ut_capture *c;
    const struct tk_ut_field *field;
};

/* What a reference points to: the name of the type, or the bare uid. */
static struct tk_cell ref_cell(const struct field_view *v)
{
    const struct tk_ut_type *t = tk_ut_schema_find(&v->c->schema, v->field->ref, UINT64_MAX);
    if (v->field->family != TK_UT_REFERENCE)
        return (struct tk_cell){.kind = TK_NONE};
    return t ? tk_cell_of_text(t->name) : tk_cell_of_uint(v->field->ref);
}

static void field_value(const struct tk_record *rec, uint32_t i, struct tk_cell *out)
{
    const struct field_view *v = rec->impl;
    const struct tk_ut_field *f = v->field;
    struct tk_cell cells[] = {
        tk_cell_of_text(f->name),
        tk_cell_of_uint(f->info),
        tk_cell_of_uint(f->offset),
        tk_cell_of_uint(f->size),
        ref_cell(v),
        tk_cell_of_bool(f->family == TK_UT_DEFINITION_ID),
    };
    *out = cells[i];
}

#define NAME(text)                                                                                           \
    {                                                                                                        \
        text, sizeof text - 1, TK_ENC_UTF8                                                                   \
    }

static const struct tk_str field_names[] = {NAME("name"), NAME("type"), NAME("offset"),
                                            NAME("size"), NAME("ref"),  NAME("definition")};

static const struct tk_record_type field_record = {
    .name = "field", .n_fields = 6, .fields = field_names, .value = field_value, .named = true};

/* The fields of a type as cells of a list. */
struct field_list {
    struct field_view views[UINT8_MAX];
    struct tk_record records[UINT8_MAX];
    struct tk_cell cells[UINT8_MAX];
};

static int send_type(const struct tk_ut_capture *c, const struct tk_ut_type *t, struct field_list *fields,
                     const struct tk_table *table, const struct tk_sink *sink, struct tk_err *err)
{
    for (uint32_t i = 0; i < t->n_fields; i++) {
        fields->views[i] = (struct field_view){c, &t->fields[i]};
        fields->records[i] = (struct tk_record){&field_record, &fields->views[i]};
        fields->cells[i] = (struct tk_cell){.kind = TK_RECORD, .v.p = &fields->records[i]};
    }
    struct tk_cell cells[] = {
        tk_cell_of_text(t->logger),
        tk_cell_of_text(t->event),
        tk_cell_of_uint(t->uid),
        tk_cell_of_uint(t->flags),
        {.kind = TK_LIST, .n = t->n_fields, .v.p = fields->cells},
        {.kind = TK_SIZE, .v.u = t->fixed},
        tk_cell_of_uint(t->from),
    };
    return tk_sink_row(sink, table, cells, err);
}

static int send_types(const struct tk_ut_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                      struct tk_err *err)
{
    struct field_list *fields = malloc(sizeof *fields);
    int rc = fields ? TK_OK : tk_err_nomem(err, "types of events");
    for (size_t i = 0; i < c->schema.types.n && rc == TK_OK; i++)
        rc = send_type(c, c->schema.types.v[i], fields, table, sink, err);
    free(fields);
    return rc;
}

/* ---- edits ---- */

static const struct tk_column edit_columns[] = {
    {"edit", TK_UINT, 0, NULL, "number of the edit, from 0"},
    {"from", TK_TIME, 0, NULL, "everything before this was removed; empty: nothing"},
    {"to", TK_TIME, 0, NULL, "everything after this was removed; empty: nothing"},
    {"first_frame", TK_UINT, 0, NULL, "number of game frames removed at the start"},
    {"record", TK_TEXT, 0, NULL, "what was done, as JSON"},
};

static const struct tk_table edit_table = {.name = "edits",
                                           .help = "what edits removed from the capture or repaired in it",
                                           .columns = edit_columns,
                                           .n_columns = sizeof edit_columns / sizeof *edit_columns};

/* In nanoseconds since the start, as tables that describe have them. */
static struct tk_cell time_cell(const struct tk_ut_capture *c, uint64_t cycle, uint64_t none)
{
    const uint64_t second = 1000000000, f = c->clock.frequency, since = cycle - c->clock.start;
    if (cycle == none || cycle < c->clock.start || !f || f > UINT64_MAX / second || since / f > INT32_MAX)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TIME, .v.i = (int64_t)(since / f * second + since % f * second / f)};
}

static int send_edits(const struct tk_ut_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                      struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < c->edits.n && rc == TK_OK; i++) {
        const struct tk_ut_edit *e = &c->edits.v[i];
        struct tk_cell cells[] = {tk_cell_of_uint(i), time_cell(c, e->from, 0),
                                  time_cell(c, e->to, UINT64_MAX), tk_cell_of_uint(e->first_frame),
                                  tk_cell_of_text(e->record)};
        rc = tk_sink_row(sink, table, cells, err);
    }
    return rc;
}

/* ---- all of them ---- */

const struct tk_table *const tk_ut_tables[] = {&file_table, &stream_table, &type_table, &edit_table, NULL};

typedef int send_fn(const struct tk_ut_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                    struct tk_err *err);

static send_fn *const senders[] = {send_file, send_streams, send_types, send_edits};

int tk_ut_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err)
{
    for (size_t i = 0; tk_ut_tables[i]; i++) {
        if (strcmp(tk_ut_tables[i]->name, table->name) != 0)
            continue;
        int rc = tk_sink_begin(sink, table, err);
        if (rc == TK_OK)
            rc = senders[i]((const struct tk_ut_capture *)base, table, sink, err);
        return rc == TK_OK ? tk_sink_end(sink, table, err) : rc;
    }
    return tk_err_set(err, TK_EMATCH, "the format has no table '%s'", table->name);
}
