/*
 * Where addresses lie. See code_place.h.
 */
#include "model/code/code_place.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_NAME = 255 };

struct tk_code_place tk_code_place_of(const struct tk_code_map *map, const struct tk_module *module,
                                      uint64_t address)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    struct tk_code_place place = {.has_offset = module || (symbol && symbol->open)};
    if (module)
        place.module = tk_module_short_name(module);
    else if (symbol && symbol->image)
        place.module = tk_path_last_part(symbol->image);
    if (place.has_offset)
        place.offset = module ? address - module->info.base : symbol->offset;
    return place;
}

struct tk_cell tk_code_module_cell(const struct tk_code_place *place)
{
    return tk_cell_of_text(place->module.p ? &place->module : NULL);
}

struct tk_cell tk_code_offset_cell(const struct tk_code_place *place)
{
    return place->has_offset ? (struct tk_cell){.kind = TK_HEX, .v.u = place->offset}
                             : (struct tk_cell){.kind = TK_NONE};
}

const struct tk_str *tk_code_bare_text(struct tk_intern *texts, const struct tk_code_place *place,
                                       uint64_t address)
{
    char text[MOST_NAME + 32];
    const bool named = place->has_offset && place->module.p && place->module.enc == TK_ENC_UTF8;
    const int length = named ? (int)(place->module.n < MOST_NAME ? place->module.n : MOST_NAME) : 0;
    const int n = snprintf(text, sizeof text, "%.*s%s0x%" PRIx64, length, named ? place->module.p : "",
                           named ? "+" : "", named ? place->offset : address);
    return tk_intern(texts, text, (size_t)n, TK_ENC_UTF8);
}
