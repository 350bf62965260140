/*
 * Symbols by address.
 */
#include "model/code/code_map.h"

static int put(struct tk_symbol_list *list, const struct tk_symbol_place *places, uint32_t n,
               const struct tk_str *image)
{
    struct tk_symbol symbol = {.first = list->places.n, .n = n, .image = image};
    if (list->symbols.n >= TK_MAP_NONE - 1 || tk_vec_reserve(&list->places, list->places.n + n) ||
        tk_vec_push(&list->symbols, symbol))
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
    if (put(list, info->places, info->n, info->image) ||
        tk_map_put(&list->index, info->address, (uint32_t)list->symbols.n - 1))
        return -1;
    list->symbols.v[list->symbols.n - 1].open = info->open;
    list->symbols.v[list->symbols.n - 1].offset = info->offset;
    return 0;
}

uint32_t tk_symbol_list_add(struct tk_symbol_list *list, const struct tk_symbol_place *places, uint32_t n)
{
    return put(list, places, n, NULL) ? TK_MAP_NONE : (uint32_t)list->symbols.n - 1;
}

bool tk_symbol_is(const struct tk_symbol_list *list, const struct tk_symbol *symbol,
                  const struct tk_symbol_place *places, uint32_t n)
{
    bool same = symbol->n == n;
    for (uint32_t i = 0; i < n && same; i++) {
        const struct tk_symbol_place *place = tk_symbol_place(list, symbol, i);
        same = place->function == places[i].function && place->file == places[i].file &&
               place->line == places[i].line;
    }
    return same;
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
