/*
 * Where addresses lie. See code_place.h.
 */
#include "model/code/code_place.h"

#include "base/bits.h"

#include <string.h>

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

/* 0x and its digits, with no zeros in front. Bytes. */
static size_t put_hex(char *p, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = v ? (67 - tk_zeros_above(v)) / 4 : 1;
    p[0] = '0';
    p[1] = 'x';
    for (unsigned i = 0; i < n; i++)
        p[2 + i] = digits[v >> 4 * (n - 1 - i) & 15];
    return 2 + n;
}

const struct tk_str *tk_code_bare_text(struct tk_intern *texts, const struct tk_code_place *place,
                                       uint64_t address)
{
    char text[MOST_NAME + 32];
    const bool named = place->has_offset && place->module.p && place->module.enc == TK_ENC_UTF8;
    size_t n = named ? (place->module.n < MOST_NAME ? place->module.n : MOST_NAME) : 0;
    if (named) {
        memcpy(text, place->module.p, n);
        text[n++] = '+';
    }
    n += put_hex(text + n, named ? place->offset : address);
    return tk_intern(texts, text, n, TK_ENC_UTF8);
}
