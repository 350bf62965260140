/*
 * .debug_aranges, set by set. See aranges.h.
 */
#include "symbols/dwarf/aranges.h"

static uint64_t take_word(struct tk_cur *cur, uint8_t size)
{
    const uint8_t *p = tk_take(cur, size, "range");
    return p ? tk_load_le(p, size) : 0;
}

static void take_pairs(struct tk_cur *cur, uint8_t size, tk_dw_take_range *take, void *to)
{
    while (tk_cur_left(cur) >= (size_t)2 * size) {
        const uint64_t from = take_word(cur, size), n = take_word(cur, size);
        if (!from && !n)
            return;
        if (from && n <= UINT64_MAX - from)
            take(to, from, from + n);
    }
}

bool tk_dw_aranges_next(struct tk_bytes section, size_t *at, uint64_t *unit, tk_dw_take_range *take, void *to)
{
    struct tk_cur all = tk_cur_of(section.p + *at, section.n - *at);
    uint64_t n = tk_u32(&all, "length");
    const bool wide = n == UINT32_MAX;
    n = wide ? tk_u64(&all, "length") : n;
    if (!tk_cur_ok(&all) || n > tk_cur_left(&all))
        return false;
    struct tk_cur set = tk_sub(&all, (size_t)n, "set");
    const uint8_t *begin = section.p + *at;
    *at = section.n - tk_cur_left(&all);
    tk_u16(&set, "version");
    *unit = wide ? tk_u64(&set, "unit") : tk_u32(&set, "unit");
    const uint8_t size = tk_u8(&set, "size"), segment = tk_u8(&set, "size");
    if (!tk_cur_ok(&set) || segment || (size != 8 && size != 4))
        return true;
    const size_t used = (size_t)(set.p - begin), pair = (size_t)2 * size;
    tk_take(&set, (pair - used % pair) % pair, "padding");
    take_pairs(&set, size, take, to);
    return true;
}
