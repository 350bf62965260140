/*
 * Table `event_counts`: how many events of each type there are, by name. The source counts them; only where a
 * time or thread is selected are they counted one by one.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "model/capture/capture_in.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>
#include <string.h>

enum { EVENT, COUNT, BYTES, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [EVENT] = {"event", TK_TEXT, 0, NULL, "type of the events, Logger.Event"},
    [COUNT] = {"count", TK_UINT, 0, "events", "events of the type"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL,
               "decompressed size, headers included; unknown if a time or thread is selected"},
};

static const struct tk_table table = {
    .name = "event_counts",
    .help = "event counts by type",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .sort_by = "count",
};

struct type_count {
    const struct tk_str *name; /* in names */
    uint64_t count, bytes;
};

struct counts {
    const struct tk_query_context *view;
    bool one_by_one;
    struct tk_event_select select;
    const struct tk_record_type *type; /* of the event before, */
    uint32_t type_at;                  /* and its index in types */
    struct tk_intern names;
    struct tk_map by_type, by_name; /* addresses -> index in types */
    TK_VEC(struct type_count) types;
};

/* Of a capture that was cut the events around the window, which others need, are not counted. */
static bool is_part(const struct tk_query_context *view)
{
    const struct tk_selection *s = &view->query->select;
    return view->ctx->kept.cut || tk_selection_has_times(s) || s->n_threads;
}

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    needs->facts |= is_part(view) ? TK_FACT_MASK(RECORD) : TK_FACT_MASK(RECORD_COUNT);
}

static int open_event_counts(const struct tk_query_context *view, const struct tk_builder *builder,
                             uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    struct counts *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "numbers of events");
    c->view = view;
    c->one_by_one = is_part(view);
    *self = c;
    return TK_OK;
}

/* Types that were declared more than once have one name. TK_MAP_NONE if out of memory. */
static uint32_t find_name(struct counts *c, const struct tk_record_type *type)
{
    const struct tk_str *name = type->text
                                    ? tk_intern(&c->names, type->text->p, type->text->n, type->text->enc)
                                    : tk_intern_c(&c->names, type->name);
    uint32_t at = name ? tk_map_get(&c->by_name, (uint64_t)(uintptr_t)name) : TK_MAP_NONE;
    if (!name || at != TK_MAP_NONE)
        return at;
    at = (uint32_t)c->types.n;
    if (tk_map_put(&c->by_name, (uint64_t)(uintptr_t)name, at) ||
        tk_vec_push(&c->types, (struct type_count){.name = name}))
        return TK_MAP_NONE;
    return at;
}

static struct type_count *count_of(struct counts *c, const struct tk_record_type *type)
{
    if (type != c->type) {
        uint32_t at = tk_map_get(&c->by_type, (uint64_t)(uintptr_t)type);
        if (at == TK_MAP_NONE) {
            at = find_name(c, type);
            if (at == TK_MAP_NONE || tk_map_put(&c->by_type, (uint64_t)(uintptr_t)type, at))
                return NULL;
        }
        c->type = type;
        c->type_at = at;
    }
    return &c->types.v[c->type_at];
}

static int take_record(struct counts *c, const struct tk_fact *fact)
{
    if (!tk_event_select_has(&c->select, c->view, fact))
        return TK_OK;
    struct type_count *count = count_of(c, fact->u.record.rec.type);
    if (!count)
        return TK_ENOMEM;
    count->count++;
    return TK_OK;
}

static int take_count(struct counts *c, const struct tk_fact *fact)
{
    const char *family = fact->u.record_count.type->family;
    if (family && strcmp(family, TK_FAMILY_UNREAD) == 0)
        return TK_OK; /* it is no event */
    struct type_count *count = count_of(c, fact->u.record_count.type);
    if (!count)
        return TK_ENOMEM;
    count->count += fact->u.record_count.count;
    count->bytes += fact->u.record_count.bytes;
    return TK_OK;
}

static int feed_event_counts(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                             struct tk_err *err)
{
    struct counts *c = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_RECORD && c->one_by_one)
            rc = take_record(c, fact);
        else if (fact->kind == TK_FACT_RECORD_COUNT && !c->one_by_one)
            rc = take_count(c, fact);
    }
    return rc < 0 ? tk_err_nomem(err, "numbers of events") : TK_OK;
}

static int by_name_event_counts(const void *a, const void *b)
{
    return tk_str_order(((const struct type_count *)a)->name, ((const struct type_count *)b)->name);
}

static int finish_event_counts(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct counts *c = self;
    if (tk_sort(c->types.v, c->types.n, sizeof *c->types.v, by_name_event_counts))
        return tk_err_nomem(err, "numbers of events");
    for (size_t i = 0; i < c->types.n; i++) {
        const struct type_count *type = &c->types.v[i];
        if (type->count == 0 || !tk_patterns_pass(&c->view->select->events, type->name))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[EVENT] = tk_cell_of_text(type->name);
        row[COUNT] = tk_cell_of_uint(type->count);
        if (!c->one_by_one)
            row[BYTES] = tk_cell_of_size(type->bytes);
    }
    return tk_emit_status(emit);
}

static void close_event_counts(void *self)
{
    struct counts *c = self;
    tk_intern_release(&c->names);
    tk_map_release(&c->by_type);
    tk_map_release(&c->by_name);
    tk_vec_release(&c->types);
    free(c);
}

const struct tk_builder tk_builder_event_counts = {
    .table = &table,
    .add_needs = add_needs,
    .open = open_event_counts,
    .feed = feed_event_counts,
    .finish = finish_event_counts,
    .close = close_event_counts,
};
