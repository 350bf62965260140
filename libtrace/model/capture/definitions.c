/*
 * Table `definitions`: texts that events refer to by id, in order of type name and id.
 */
#include "model/capture/definition_list.h"
#include "query/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

enum { TYPE, ID, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type", TK_TEXT, 0, NULL, "type of the definition"},
    [ID] = {"definition_id", TK_UINT, 0, NULL, "id by which events refer to it"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "the text; empty if the type has none"},
};

static const struct tk_table table = {
    .name = "definitions",
    .help = "names and other texts that events refer to by id",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct definitions {
    struct tk_collector g;
    struct tk_definition_list list;
};

static int start_definitions(void *self)
{
    struct definitions *d = self;
    tk_definition_list_init(&d->list, d->g.room.health, d->g.room.rows, table.name);
    return 0;
}

static int take_definitions(void *self, const struct tk_fact *fact)
{
    return tk_definition_list_feed(&((struct definitions *)self)->list, fact);
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

static void fill_definitions(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_fact_definition *info = &((const struct tk_definition *)thing)->info;
    (void)self;
    row[TYPE] = tk_cell_of_text(info->type_name);
    row[ID] = tk_cell_of_uint(info->id);
    row[TEXT] = tk_cell_of_text(info->text);
}

static void release_definitions(void *self)
{
    tk_definition_list_release(&((struct definitions *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "definitions",
    .start = start_definitions,
    .take = take_definitions,
    .release = release_definitions,
    TK_COLLECTOR_ROWS(struct definitions, list.items),
    .order = by_name_and_id,
    .fill = fill_definitions,
};

const struct tk_builder tk_builder_definitions = {
    .table = &table,
    .facts = TK_FACT_MASK(DEFINITION),
    TK_COLLECTS(gathering),
};
