/*
 * Tables `coverage` and `coverage_summary`: which events of a capture are understood. An event is, when one
 * of its format's families makes something of it; all others are generic: they can still be listed, counted
 * and exported with their fields. Of the whole capture, whatever is selected.
 */
#include "base/health/health.h"
#include "base/sort.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

struct covered {
    const struct tk_record_type *type;
    uint64_t count, bytes;
};

struct coverage {
    const struct tk_query_context *view;
    TK_VEC(struct covered) types;
};

static int open_coverage(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    struct coverage *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "numbers of events");
    c->view = view;
    *self = c;
    return TK_OK;
}

static int feed_coverage(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct coverage *c = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact_record_count *count = &batch->facts[i].u.record_count;
        if (batch->facts[i].kind != TK_FACT_RECORD_COUNT || !count->count)
            continue;
        if (tk_vec_push(&c->types, ((struct covered){count->type, count->count, count->bytes})))
            return tk_err_nomem(err, "numbers of events");
    }
    return TK_OK;
}

static void close_coverage(void *self)
{
    struct coverage *c = self;
    tk_vec_release(&c->types);
    free(c);
}

static const char *family_of(const struct covered *type)
{
    return type->type->family ? type->type->family : "generic";
}

enum { UNDERSTOOD, GENERIC, UNREAD, KINDS };

static int kind_of(const struct covered *type)
{
    const char *family = type->type->family;
    return !family || strcmp(family, TK_FAMILY_LOSSES) == 0 ? GENERIC
           : strcmp(family, TK_FAMILY_UNREAD) == 0          ? UNREAD
                                                            : UNDERSTOOD;
}

static int by_family_and_name(const void *a, const void *b)
{
    const struct covered *x = a, *y = b;
    int generic = kind_of(x) - kind_of(y);
    int order = generic ? generic : strcmp(family_of(x), family_of(y));
    return order ? order : strcmp(x->type->name, y->type->name);
}

static uint64_t all_bytes(const struct coverage *c)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->types.n; i++)
        bytes += c->types.v[i].bytes;
    return bytes;
}

static struct tk_cell share(uint64_t part, uint64_t whole)
{
    if (!whole)
        return (struct tk_cell){.kind = TK_NONE};
    return tk_cell_of_real((double)part / (double)whole);
}

/* ---- by event ---- */

enum { EVENT, FAMILY, COUNT, BYTES, SHARE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [EVENT] = {"event", TK_TEXT, 0, NULL, "type of the events, Logger.Event"},
    [FAMILY] = {"family", TK_TEXT, 0, NULL,
                "family that decodes it; generic: none, it is only listed; losses: the same, but for what it "
                "announces "
                "as lost; unread: it is not listed either"},
    [COUNT] = {"count", TK_UINT, 0, "events", "events of the type"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "decompressed size of these events, headers included"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the bytes of all events, 0 to 1"},
};

static const struct tk_table table = {
    .name = "coverage",
    .help = "decoded events by family; events without a family come last",
    .schema = 2,
    .columns = columns,
    .n_columns = COLUMNS,
};

static int finish_coverage(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct coverage *c = self;
    uint64_t bytes = all_bytes(c);
    if (tk_sort(c->types.v, c->types.n, sizeof *c->types.v, by_family_and_name))
        return tk_err_nomem(err, "numbers of events");
    for (size_t i = 0; i < c->types.n; i++) {
        const struct covered *type = &c->types.v[i];
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[EVENT] = type->type->text ? tk_cell_of_text(type->type->text) : tk_cell_of_c(type->type->name);
        row[FAMILY] = tk_cell_of_c(family_of(type));
        row[COUNT] = tk_cell_of_uint(type->count);
        row[BYTES] = tk_cell_of_size(type->bytes);
        row[SHARE] = share(type->bytes, bytes);
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_coverage = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(RECORD_COUNT), .order = TK_NEEDS_ANY_ORDER},
    .open = open_coverage,
    .feed = feed_coverage,
    .finish = finish_coverage,
    .close = close_coverage,
};

/* ---- in all ---- */

enum { S_KIND, S_TYPES, S_COUNT, S_BYTES, S_SHARE, S_COLUMNS };

static const struct tk_column summary_columns[S_COLUMNS] = {
    [S_KIND] = {"kind", TK_TEXT, 0, NULL, "understood, generic, unread or unreadable"},
    [S_TYPES] = {"types", TK_UINT, 0, "types", "number of event types of this kind"},
    [S_COUNT] = {"count", TK_UINT, 0, "events",
                 "number of events; unreadable ones as far as they could be counted"},
    [S_BYTES] = {"bytes", TK_SIZE, 0, NULL, "decompressed bytes; for unreadable data the bytes in the file"},
    [S_SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the bytes of all readable events, 0 to 1"},
};

static const struct tk_table summary_table = {
    .name = "coverage_summary",
    .help = "how much of the capture is decoded",
    .schema = 2,
    .columns = summary_columns,
    .n_columns = S_COLUMNS,
};

static bool send_kind(const struct coverage *c, int kind, struct tk_emit *emit)
{
    static const char *const names[KINDS] = {"understood", "generic", TK_FAMILY_UNREAD};
    uint64_t types = 0, count = 0, bytes = 0;
    for (size_t i = 0; i < c->types.n; i++) {
        if (kind_of(&c->types.v[i]) != kind)
            continue;
        types++;
        count += c->types.v[i].count;
        bytes += c->types.v[i].bytes;
    }
    if (kind == UNREAD && !types)
        return true;
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return false;
    row[S_KIND] = tk_cell_of_c(names[kind]);
    row[S_TYPES] = tk_cell_of_uint(types);
    row[S_COUNT] = tk_cell_of_uint(count);
    row[S_BYTES] = tk_cell_of_size(bytes);
    row[S_SHARE] = share(bytes, all_bytes(c));
    return true;
}

static void send_unreadable(const struct coverage *c, struct tk_emit *emit)
{
    struct tk_cell *row = tk_emit_row(emit);
    struct tk_health known;
    if (!row)
        return;
    tk_health_reread_known(&c->view->ctx->health, c->view->ctx->earlier, &known);
    row[S_KIND] = tk_cell_of_c("unreadable");
    row[S_COUNT] =
        tk_cell_of_uint(known.counts[TK_HEALTH_TYPE_UNDECLARED] + known.counts[TK_HEALTH_EVENT_DAMAGED]);
    row[S_BYTES] = tk_cell_of_size(known.ledger[TK_LEDGER_UNREADABLE]);
    tk_health_release(&known);
}

static int finish_summary(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)err;
    if (send_kind(self, UNDERSTOOD, emit) && send_kind(self, GENERIC, emit) && send_kind(self, UNREAD, emit))
        send_unreadable(self, emit);
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_coverage_summary = {
    .table = &summary_table,
    .needs = {.facts = TK_FACT_MASK(RECORD_COUNT), .order = TK_NEEDS_ANY_ORDER},
    .open = open_coverage,
    .feed = feed_coverage,
    .finish = finish_summary,
    .close = close_coverage,
};
