/*
 * Symbols by address. See symbol_list.h.
 */
#include "model/code/symbol_list.h"

static int put(struct tk_symbol_list *list, struct tk_map *index, uint64_t address,
               const struct tk_symbol_place *places, uint32_t n, const struct tk_str *image)
{
    struct tk_symbol symbol = {.first = list->places.n, .n = n, .image = image};
    if (tk_vec_reserve(&list->places, list->places.n + n) || tk_vec_push(&list->symbols, symbol) ||
        tk_map_put(index, address, (uint32_t)list->symbols.n - 1))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        list->places.v[list->places.n++] = places[i];
    return 0;
}

int tk_symbol_list_feed(struct tk_symbol_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_symbol *info = &fact->u.symbol;
    if (fact->kind != TK_FACT_SYMBOL || !info->n || tk_map_get(&list->index, info->address) != TK_MAP_NONE)
        return 0;
    if (put(list, &list->index, info->address, info->places, info->n, info->image))
        return -1;
    list->symbols.v[list->symbols.n - 1].open = info->open;
    list->symbols.v[list->symbols.n - 1].offset = info->offset;
    return 0;
}

int tk_symbol_list_add(struct tk_symbol_list *list, uint64_t address, bool exact,
                       const struct tk_symbol_place *places, uint32_t n)
{
    return put(list, &list->found[exact], address, places, n, NULL);
}

const struct tk_symbol *tk_symbol_at(const struct tk_symbol_list *list, uint64_t address)
{
    uint32_t i = tk_map_get(&list->index, address);
    return i == TK_MAP_NONE ? NULL : &list->symbols.v[i];
}

const struct tk_symbol *tk_symbol_found(const struct tk_symbol_list *list, uint64_t address, bool exact)
{
    uint32_t i = tk_map_get(&list->found[exact], address);
    return i == TK_MAP_NONE ? NULL : &list->symbols.v[i];
}

void tk_symbol_list_release(struct tk_symbol_list *list)
{
    tk_vec_release(&list->symbols);
    tk_vec_release(&list->places);
    tk_map_release(&list->index);
    tk_map_release(&list->found[0]);
    tk_map_release(&list->found[1]);
}
