/*
 * Ranges of addresses of an entry of DWARF: its two bounds, .debug_ranges, .debug_rnglists.
 */
#include "symbols/dwarf/dwarf_in.h"

/*
 * .debug_aranges, set by set.
 */

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

enum {
    DW_RLE_end_of_list,
    DW_RLE_base_addressx,
    DW_RLE_startx_endx,
    DW_RLE_startx_length,
    DW_RLE_offset_pair,
    DW_RLE_base_address,
    DW_RLE_start_end,
    DW_RLE_start_length
};

/* Where a range of code that the linker removed begins: at 0, or (by lld) at -1 or -2. */
static bool is_removed(const struct tk_dw_unit *u, uint64_t from)
{
    uint64_t last = u->address_size == 4 ? UINT32_MAX : UINT64_MAX;
    return from == 0 || from >= last - 1;
}

static void give(const struct tk_dw_unit *u, tk_dw_take_range *take, void *to, uint64_t from, uint64_t end)
{
    if (from < end && !is_removed(u, from))
        take(to, from, end);
}

static bool list_of_pairs(const struct tk_dw_unit *u, uint64_t at, tk_dw_take_range *take, void *to)
{
    if (at >= u->lines->ranges.n)
        return false;
    struct tk_cur cur = tk_cur_of(u->lines->ranges.p + at, u->lines->ranges.n - (size_t)at);
    uint64_t base = u->low_pc == TK_DW_NONE ? 0 : u->low_pc,
             last = u->address_size == 4 ? UINT32_MAX : UINT64_MAX;
    while (tk_cur_left(&cur) >= (size_t)2 * u->address_size && tk_dw_burn(u->fuel, 16)) {
        uint64_t a = tk_load_le(tk_take(&cur, u->address_size, "range"), u->address_size);
        uint64_t b = tk_load_le(tk_take(&cur, u->address_size, "range"), u->address_size);
        if (!a && !b)
            return true;
        if (a == last)
            base = b;
        else
            give(u, take, to, base + a, base + b);
    }
    return false;
}

static uint64_t indexed(const struct tk_dw_unit *u, uint64_t index)
{
    uint64_t address = 0;
    const struct tk_dw_value value = {.is = DW_ADDRESS_INDEX, .u = index};
    return tk_dw_address(u, &value, &address) ? address : 0;
}

static uint64_t take_address(const struct tk_dw_unit *u, struct tk_cur *cur)
{
    const uint8_t *p = tk_take(cur, u->address_size, "address");
    return p ? tk_load_le(p, u->address_size) : 0;
}

struct list {
    const struct tk_dw_unit *u;
    tk_dw_take_range *take;
    void *to;
    uint64_t base;
};

/* An entry of the list; false at its end. */
static bool take_entry(struct list *l, struct tk_cur *cur)
{
    const struct tk_dw_unit *u = l->u;
    uint64_t a = 0, b = 0;
    switch (tk_u8(cur, "range")) {
    case DW_RLE_base_addressx:
        l->base = indexed(u, tk_varint(cur, "range"));
        return true;
    case DW_RLE_base_address:
        l->base = take_address(u, cur);
        return true;
    case DW_RLE_startx_endx:
        a = indexed(u, tk_varint(cur, "range"));
        b = indexed(u, tk_varint(cur, "range"));
        break;
    case DW_RLE_startx_length:
        a = indexed(u, tk_varint(cur, "range"));
        b = a + tk_varint(cur, "range");
        break;
    case DW_RLE_offset_pair:
        a = l->base + tk_varint(cur, "range");
        b = l->base + tk_varint(cur, "range");
        if (l->base && is_removed(u, l->base))
            b = a;
        break;
    case DW_RLE_start_end:
        a = take_address(u, cur);
        b = take_address(u, cur);
        break;
    case DW_RLE_start_length:
        a = take_address(u, cur);
        b = a + tk_varint(cur, "range");
        break;
    default:
        return false;
    }
    if (tk_cur_ok(cur))
        give(u, l->take, l->to, a, b);
    return tk_cur_ok(cur);
}

static bool list_of_kinds(const struct tk_dw_unit *u, uint64_t at, tk_dw_take_range *take, void *to)
{
    if (at >= u->s->rnglists.n)
        return false;
    struct tk_cur cur = tk_cur_of(u->s->rnglists.p + at, u->s->rnglists.n - (size_t)at);
    struct list l = {u, take, to, u->low_pc == TK_DW_NONE ? 0 : u->low_pc};
    while (take_entry(&l, &cur) && tk_dw_burn(u->fuel, 8))
        continue;
    return tk_cur_ok(&cur);
}

static bool list(const struct tk_dw_unit *u, const struct tk_dw_value *v, tk_dw_take_range *take, void *to)
{
    if (u->version < 5)
        return list_of_pairs(u, v->u + (u->split ? u->ranges_base : 0), take, to);
    uint64_t at = v->u;
    if (v->is == DW_LIST_INDEX) {
        if (v->u > UINT32_MAX)
            return false;
        at = u->rnglists_base +
             tk_dw_offset_at(u->s->rnglists, u->rnglists_base + v->u * u->offset_size, u->offset_size);
    }
    return list_of_kinds(u, at, take, to);
}

bool tk_dw_ranges(const struct tk_dw_unit *u, const struct tk_dw_span_attrs *a, tk_dw_take_range *take,
                  void *to)
{
    uint64_t low, high;
    if (a->ranges.is == DW_NUMBER || a->ranges.is == DW_LIST_INDEX)
        return list(u, &a->ranges, take, to);
    if (!tk_dw_address(u, &a->low, &low) || a->high.is == DW_ABSENT)
        return true;
    if (a->high.is == DW_NUMBER)
        high = low + a->high.u;
    else if (!tk_dw_address(u, &a->high, &high))
        return true;
    give(u, take, to, low, high);
    return true;
}
