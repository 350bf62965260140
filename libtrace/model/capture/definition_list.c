/*
 * Texts by type and id. See definition_list.h.
 */
#include "model/capture/definition_list.h"

void tk_definition_list_init(struct tk_definition_list *list, struct tk_health *health, uint64_t rows,
                             const char *table)
{
    *list = (struct tk_definition_list){.room = {.health = health, .rows = rows, .table = table}};
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
    if (!tk_row_limit_for(&list->room, list->items.n))
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
