/*
 * Table `session`: what the recording says about itself, as one record whose fields are as the capture names
 * them.
 */
#include "query/tables.h"
#include "query/context_cells.h"

#include <stdlib.h>

static const struct tk_column columns[1] = {
    {"session", TK_RECORD, 0, NULL, "what the recording says about itself"},
};

static const struct tk_table table = {
    .name = "session",
    .help = "what the recording says about itself",
    .columns = columns,
    .n_columns = 1,
    .flags = TK_TABLE_SINGLE,
};

struct session {
    const struct tk_query_context *view;
    struct tk_record_type type;
    struct tk_str *fields; /* owned */
    struct tk_record record;
};

static int open_session(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "the session");
    s->view = view;
    *self = s;
    return TK_OK;
}

static void value(const struct tk_record *record, uint32_t field, struct tk_cell *out)
{
    const struct tk_dict *dict = record->impl;
    *out = dict->session.v[field].value;
}

static int finish_session(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct session *s = self;
    const struct tk_dict *dict = s->view->dict;
    s->fields = calloc(dict->session.n + 1, sizeof *s->fields);
    if (!s->fields)
        return tk_err_nomem(err, "the session");
    for (size_t i = 0; i < dict->session.n; i++)
        s->fields[i] = *dict->session.v[i].key;
    s->type = (struct tk_record_type){
        .name = "session", .n_fields = (uint32_t)dict->session.n, .fields = s->fields, .value = value};
    s->record = (struct tk_record){.type = &s->type, .impl = dict};
    struct tk_cell *row = tk_emit_row(emit);
    if (row)
        row[0] = tk_cell_of_record(&s->record);
    return tk_emit_status(emit);
}

static void close_session(void *self)
{
    struct session *s = self;
    free(s->fields);
    free(s);
}

const struct tk_builder tk_builder_session = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SESSION), /* some are said far behind the definitions */
              .order = TK_NEEDS_ANY_ORDER},
    .open = open_session,
    .finish = finish_session,
    .close = close_session,
};
