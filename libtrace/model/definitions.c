/*
 * Table `definitions`: texts that events refer to by id, in order of type name and id.
 */
#include "model/builders.h"
#include "model/definition_list.h"
#include "model/sort.h"
#include "model/view.h"

#include <stdlib.h>

enum { TYPE, ID, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type", TK_TEXT, 0, NULL, "type of the definition"},
    [ID] = {"id", TK_UINT, 0, NULL, "id by which events refer to it"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "what it stands for; empty where the type has no text"},
};

static const struct tk_table table = {
    .name = "definitions",
    .help = "names and other texts that events refer to by id",
    .columns = columns,
    .n_columns = COLUMNS,
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct tk_definition_list *list = calloc(1, sizeof *list);
    if (!list)
        return tk_err_nomem(err, "definitions");
    tk_definition_list_init(list, &view->ctx->health, view->ctx->limits.rows, table.name);
    *self = list;
    return TK_OK;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (tk_definition_list_feed(self, &batch->facts[i]))
            return tk_err_nomem(err, "definitions");
    return TK_OK;
}

static int by_name_and_id(const void *a, const void *b)
{
    const struct tk_fact_definition *x = &((const struct tk_definition *)a)->info;
    const struct tk_fact_definition *y = &((const struct tk_definition *)b)->info;
    if (x->type != y->type) {
        uint32_t n = x->type_name->n < y->type_name->n ? x->type_name->n : y->type_name->n;
        int order = memcmp(x->type_name->p, y->type_name->p, n);
        if (order)
            return order;
        return x->type_name->n < y->type_name->n ? -1 : 1;
    }
    return (x->id > y->id) - (x->id < y->id);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_definition_list *list = self;
    if (tk_sort(list->items.v, list->items.n, sizeof *list->items.v, by_name_and_id))
        return tk_err_nomem(err, "definitions");
    for (size_t i = 0; i < list->items.n; i++) {
        const struct tk_fact_definition *info = &list->items.v[i].info;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        row[TYPE] = tk_cell_of_text(info->type_name);
        row[ID] = tk_cell_of_uint(info->id);
        row[TEXT] = tk_cell_of_text(info->text);
    }
    return TK_OK;
}

static void close(void *self)
{
    tk_definition_list_release(self);
    free(self);
}

const struct tk_builder tk_builder_definitions = {
    .table = &table,
    .facts = TK_FACT_MASK(DEFINITION),
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
