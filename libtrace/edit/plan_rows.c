/*
 * Rows of what an edit does. See plan_rows.h.
 */
#include "edit/plan_rows.h"

#include "edit/utrace/stages/topics.h"

#include <string.h>

enum { TOPIC, TYPE, EVENTS, BYTES, KEPT, KEPT_BYTES, CHANGED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TOPIC] = {"topic", TK_TEXT, 0, NULL, "What the events are about: a word for --keep and --drop"},
    [TYPE] = {"type", TK_TEXT, 0, NULL, "Logger and name of the type of event"},
    [EVENTS] = {"events", TK_UINT, 0, "events", "Events in the capture"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "Their bytes, unpacked"},
    [KEPT] = {"kept", TK_UINT, 0, "events", "Events that stay"},
    [KEPT_BYTES] = {"kept_bytes", TK_SIZE, 0, NULL, "Bytes of those that stay, unpacked"},
    [CHANGED] = {"changed", TK_UINT, TK_COL_OPTIONAL, "events", "Events that stay with another content"},
};

static const struct tk_table table = {
    .name = "edit",
    .help = "What an edit leaves of a capture, a row for each type of event",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "bytes",
    .none = "no events",
};

static struct tk_cell number(uint8_t kind, uint64_t v)
{
    return (struct tk_cell){.kind = kind, .v.u = v};
}

static struct tk_cell text(const char *p, size_t n, uint8_t enc)
{
    return (struct tk_cell){.kind = TK_TEXT, .enc = enc, .n = (uint32_t)n, .v.p = p};
}

/* Types that were declared again count for the first one. */
static int send_row(const struct tk_edit_account *a, size_t type, const struct tk_sink *sink,
                    struct tk_err *err)
{
    const struct tk_ut_type *t = a->c->schema.types.v[type];
    struct tk_edit_tally sum = {0};
    struct tk_cell cells[COLUMNS];
    const struct tk_rows rows = {1, cells};
    for (size_t i = type; i < a->n; i++) {
        if (a->c->schema.types.v[i]->same != type)
            continue;
        sum.events += a->types[i].events;
        sum.bytes += a->types[i].bytes;
        sum.kept += a->types[i].kept;
        sum.kept_bytes += a->types[i].kept_bytes;
        sum.changed += a->types[i].changed;
    }
    if (!sum.events)
        return TK_OK;
    const char *topic = tk_edit_topic(t);
    cells[TOPIC] = text(topic, strlen(topic), TK_ENC_UTF8);
    cells[TYPE] = text(t->name->p, t->name->n, t->name->enc);
    cells[EVENTS] = number(TK_UINT, sum.events);
    cells[BYTES] = number(TK_SIZE, sum.bytes);
    cells[KEPT] = number(TK_UINT, sum.kept);
    cells[KEPT_BYTES] = number(TK_SIZE, sum.kept_bytes);
    cells[CHANGED] = number(TK_UINT, sum.changed);
    return sink->rows ? sink->rows(sink->self, &table, &rows, err) : TK_OK;
}

int tk_edit_plan_send(const struct tk_edit_utrace *e, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_edit_account *a = &e->account;
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (size_t i = 0; i < a->n && rc == TK_OK; i++)
        if (a->c->schema.types.v[i]->same == i)
            rc = send_row(a, i, sink, err);
    if (rc == TK_OK && sink->end)
        rc = sink->end(sink->self, &table, err);
    return rc;
}
