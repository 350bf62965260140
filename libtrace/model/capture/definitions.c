/*
 * Table `definitions`: texts that events refer to by id, in order of type name and id.
 */
#include "model/capture/definition_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

/*
 * Texts by type and id.
 */

void tk_definition_list_init(struct tk_definition_list *list, struct tk_health *health, uint64_t rows,
                             const char *table)
{
    *list = (struct tk_definition_list){.capacity = {.health = health, .rows = rows, .table = table}};
}

static uint64_t key_of_definition_list(uint32_t type, uint64_t id)
{
    return tk_hash_u64(id) ^ type;
}

static struct tk_definition *find_definition_list(const struct tk_definition_list *list, uint32_t type,
                                                  uint64_t id)
{
    uint32_t i = tk_map_get(&list->index, key_of_definition_list(type, id));
    if (i == TK_MAP_NONE)
        return NULL;
    struct tk_definition *d = &list->items.v[i];
    while (d->info.type != type || d->info.id != id) {
        if (!d->next)
            return NULL;
        d = &list->items.v[d->next - 1];
    }
    return d;
}

int tk_definition_list_feed(struct tk_definition_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_definition *info = &fact->u.definition;
    if (fact->kind != TK_FACT_DEFINITION)
        return 0;
    struct tk_definition *known = find_definition_list(list, info->type, info->id);
    if (known) {
        known->info = *info;
        return 0;
    }
    if (!tk_row_limit_for(&list->capacity, list->items.n))
        return 0;
    uint64_t key = key_of_definition_list(info->type, info->id);
    uint32_t first = tk_map_get(&list->index, key);
    struct tk_definition item = {.info = *info, .next = first == TK_MAP_NONE ? 0 : first + 1};
    if (tk_vec_push(&list->items, item) || tk_map_put(&list->index, key, (uint32_t)list->items.n - 1))
        return -1;
    return 0;
}

const struct tk_str *tk_definition_text(const struct tk_definition_list *list, uint32_t type, uint64_t id)
{
    const struct tk_definition *d = find_definition_list(list, type, id);
    return d ? d->info.text : NULL;
}

void tk_definition_list_release(struct tk_definition_list *list)
{
    tk_vec_release(&list->items);
    tk_map_release(&list->index);
}

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
    tk_definition_list_init(&d->list, d->g.capacity.health, d->g.capacity.rows, table.name);
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
    .needs = {.facts = TK_FACT_MASK(DEFINITION)},
    TK_COLLECTS(gathering),
};
