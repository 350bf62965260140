/*
 * Rows of what an edit does.
 */
#include "edit/edit_in.h"
#include "edit/utrace/stages/stage.h"

#include <string.h>

enum { TOPIC, TYPE, EVENTS, BYTES, KEPT, KEPT_BYTES, CHANGED, REPLACED, EMPTIED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TOPIC] = {"topic", TK_TEXT, 0, NULL, "What the events are about: a word for --keep and --drop"},
    [TYPE] = {"type", TK_TEXT, 0, NULL, "Logger and name of the type of event"},
    [EVENTS] = {"events", TK_UINT, 0, "events", "Events in the capture"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "Their bytes, decompressed"},
    [KEPT] = {"kept", TK_UINT, 0, "events", "Events that are kept"},
    [KEPT_BYTES] = {"kept_bytes", TK_SIZE, 0, NULL, "Bytes of the kept events, decompressed"},
    [CHANGED] = {"changed", TK_UINT, TK_COL_OPTIONAL, "events", "Kept events whose content was changed"},
    [REPLACED] = {"replaced", TK_UINT, TK_COL_OPTIONAL, "events",
                  "Events with a text that became a pseudonym"},
    [EMPTIED] = {"emptied", TK_UINT, TK_COL_OPTIONAL, "events",
                 "Events with a text that is left out, as the type is not known"},
};

static const struct tk_table table = {
    .name = "edit",
    .help = "What an edit keeps of a capture, one row per event type",
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
static int send_row(const struct tk_edit_utrace *e, size_t type, const struct tk_sink *sink,
                    struct tk_err *err)
{
    const struct tk_edit_account *a = &e->account;
    uint64_t replaced = 0, emptied = 0;
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
        replaced += i < e->texts.n ? e->texts.types[i].replaced : 0;
        emptied += i < e->texts.n ? e->texts.types[i].emptied : 0;
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
    cells[REPLACED] = number(TK_UINT, replaced);
    cells[EMPTIED] = number(TK_UINT, emptied);
    return sink->rows ? sink->rows(sink->self, &table, &rows, err) : TK_OK;
}

/* ---- texts that stay ---- */

enum { KEPT_TEXT, KEPT_CLASS, KEPT_USES, KEPT_COLUMNS };

static const struct tk_column kept_columns[KEPT_COLUMNS] = {
    [KEPT_TEXT] = {"text", TK_TEXT, 0, NULL, "A text that is kept as it is"},
    [KEPT_CLASS] = {"class", TK_TEXT, 0, NULL, "Its class of information: a word for --anonymise"},
    [KEPT_USES] = {"uses", TK_UINT, 0, NULL, "Fields that hold it"},
};

static const struct tk_table kept_table = {
    .name = "kept",
    .help = "Texts that anonymising keeps, and names of event types, which cannot be changed",
    .columns = kept_columns,
    .n_columns = KEPT_COLUMNS,
    .sort_by = "uses",
    .none = "no texts",
};

static int send_kept_row(const void *p, size_t n, const char *class, uint64_t uses,
                         const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cell cells[KEPT_COLUMNS];
    const struct tk_rows rows = {1, cells};
    cells[KEPT_TEXT] = text(p, n, TK_ENC_UTF8);
    cells[KEPT_CLASS] = text(class, strlen(class), TK_ENC_UTF8);
    cells[KEPT_USES] = number(TK_UINT, uses);
    return sink->rows ? sink->rows(sink->self, &kept_table, &rows, err) : TK_OK;
}

static int send_kept(const struct tk_edit_utrace *e, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_edit_account *a = &e->account;
    int rc = sink->begin ? sink->begin(sink->self, &kept_table, err) : TK_OK;
    for (size_t i = 0; i < e->texts.kept.n && rc == TK_OK; i++) {
        const struct tk_edit_kept_text *k = &e->texts.kept.v[i];
        rc = send_kept_row(k->p, k->n, k->class == TK_EDIT_STAYS ? "-" : tk_anon_class_name(k->class),
                           k->uses, sink, err);
    }
    for (size_t i = 0; i < a->n && rc == TK_OK; i++) {
        const struct tk_ut_type *t = a->c->schema.types.v[i];
        if (t->same == i && !t->record.family && a->types[i].kept)
            rc = send_kept_row(t->name->p, t->name->n, "types", a->types[i].kept, sink, err);
    }
    if (rc == TK_OK && sink->end)
        rc = sink->end(sink->self, &kept_table, err);
    return rc;
}

int tk_edit_plan_send(const struct tk_edit_utrace *e, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_edit_account *a = &e->account;
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (size_t i = 0; i < a->n && rc == TK_OK; i++)
        if (a->c->schema.types.v[i]->same == i)
            rc = send_row(e, i, sink, err);
    if (rc == TK_OK && sink->end)
        rc = sink->end(sink->self, &table, err);
    return rc == TK_OK && e->texts.wants_kept ? send_kept(e, sink, err) : rc;
}

/* ---- sections of a .tracy ---- */

static int send_section(const struct tk_edit_tracy *e, size_t i, const struct tk_sink *sink,
                        struct tk_err *err)
{
    const struct tk_tracy_span *span = &e->survey.sections[i];
    const char *name = tk_tracy_sections[i]->name,
               *topic = tk_edit_tracy_topic_name(tk_edit_tracy_topic_of(name));
    const bool kept = tk_edit_tracy_keeps(e, i);
    const struct tk_tracy_pass *pass = &e->pass;
    const uint64_t bytes = pass->written ? pass->bytes[i] : span->end - span->start;
    struct tk_cell cells[COLUMNS];
    const struct tk_rows rows = {1, cells};
    for (size_t k = 0; k < COLUMNS; k++)
        cells[k] = number(TK_UINT, 0);
    cells[TOPIC] = text(topic, strlen(topic), TK_ENC_UTF8);
    cells[TYPE] = text(name, strlen(name), TK_ENC_UTF8);
    cells[EVENTS] = number(TK_UINT, span->items);
    cells[BYTES] = number(TK_SIZE, span->end - span->start);
    cells[KEPT] = number(TK_UINT, !kept ? 0 : pass->counted[i] ? pass->kept[i] : span->items);
    cells[KEPT_BYTES] = number(TK_SIZE, kept ? bytes : 0);
    if (strcmp(name, "strings") == 0)
        cells[REPLACED] = number(TK_UINT, e->texts.replaced);
    return sink->rows ? sink->rows(sink->self, &table, &rows, err) : TK_OK;
}

static int send_kept_tracy(const struct tk_edit_tracy *e, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = sink->begin ? sink->begin(sink->self, &kept_table, err) : TK_OK;
    for (size_t i = 0; i < e->texts.kept.n && rc == TK_OK; i++) {
        const struct tk_tracy_kept_text *k = &e->texts.kept.v[i];
        rc = send_kept_row(k->p, k->n, k->class == TK_ANON_CLASSES ? "-" : tk_anon_class_name(k->class), 1,
                           sink, err);
    }
    return rc == TK_OK && sink->end ? sink->end(sink->self, &kept_table, err) : rc;
}

int tk_edit_plan_send_tracy(const struct tk_edit_tracy *e, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (size_t i = 0; i < tk_tracy_n_sections && rc == TK_OK; i++)
        rc = send_section(e, i, sink, err);
    if (rc == TK_OK && sink->end)
        rc = sink->end(sink->self, &table, err);
    return rc == TK_OK && e->texts.anon && e->texts.wants_kept ? send_kept_tracy(e, sink, err) : rc;
}
