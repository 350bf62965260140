/*
 * Symbols by address. See symbol_list.h.
 */
#include "model/code/symbol_list.h"

int tk_symbol_list_feed(struct tk_symbol_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_symbol *info = &fact->u.symbol;
    if (fact->kind != TK_FACT_SYMBOL || !info->n || tk_map_get(&list->index, info->address) != TK_MAP_NONE)
        return 0;
    struct tk_symbol symbol = {.first = list->places.n, .n = info->n, .image = info->image};
    if (tk_vec_reserve(&list->places, list->places.n + info->n) || tk_vec_push(&list->symbols, symbol) ||
        tk_map_put(&list->index, info->address, (uint32_t)list->symbols.n - 1))
        return -1;
    for (uint32_t i = 0; i < info->n; i++)
        list->places.v[list->places.n++] = info->places[i];
    return 0;
}

const struct tk_symbol *tk_symbol_at(const struct tk_symbol_list *list, uint64_t address)
{
    uint32_t i = tk_map_get(&list->index, address);
    return i == TK_MAP_NONE ? NULL : &list->symbols.v[i];
}

void tk_symbol_list_release(struct tk_symbol_list *list)
{
    tk_vec_release(&list->symbols);
    tk_vec_release(&list->places);
    tk_map_release(&list->index);
}
