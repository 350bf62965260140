/*
 * Units of DWARF: their headers and their own attributes. See unit.h.
 */
#include "symbols/dwarf/unit.h"

enum { DW_UT_skeleton = 4, DW_UT_split_compile = 5, DW_UT_type = 2, DW_UT_split_type = 6 };

static uint64_t take_offset(struct tk_cur *cur, uint8_t size)
{
    return size == 8 ? tk_u64(cur, "offset") : tk_u32(cur, "offset");
}

static int read_head(struct tk_dw_unit *u, struct tk_cur *cur)
{
    u->version = tk_u16(cur, "version");
    if (u->version >= 5) {
        u->type = tk_u8(cur, "type");
        u->address_size = tk_u8(cur, "address size");
        u->abbrev_at = take_offset(cur, u->offset_size);
        if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
            u->dwo_id = tk_u64(cur, "id");
    } else {
        u->abbrev_at = take_offset(cur, u->offset_size);
        u->address_size = tk_u8(cur, "address size");
    }
    bool known = u->version >= 2 && u->version <= 5 && (u->address_size == 8 || u->address_size == 4);
    bool types = u->type == DW_UT_type || u->type == DW_UT_split_type;
    return tk_cur_ok(cur) && known && !types ? 0 : -1;
}

int tk_dw_unit_open(struct tk_dw_unit *u, const struct tk_dwarf_sections *s, uint64_t at, uint64_t *next)
{
    *next = TK_DW_NONE;
    if (at >= s->info.n)
        return -1;
    struct tk_cur cur = tk_cur_of(s->info.p + at, s->info.n - (size_t)at);
    uint64_t n = tk_u32(&cur, "length");
    uint8_t offset_size = n == UINT32_MAX ? 8 : 4;
    if (offset_size == 8)
        n = tk_u64(&cur, "length");
    if (!tk_cur_ok(&cur) || n > tk_cur_left(&cur) || n == 0)
        return -1;
    struct tk_cur inside = tk_sub(&cur, (size_t)n, "unit");
    struct tk_dw_fuel *fuel = u->fuel;
    *u = (struct tk_dw_unit){.s = s,
                             .lines = s,
                             .fuel = fuel,
                             .addresses = s->addr,
                             .at = at,
                             .end = at + (uint64_t)(inside.end - (s->info.p + at)),
                             .offset_size = offset_size,
                             .low_pc = TK_DW_NONE,
                             .line_at = TK_DW_NONE};
    *next = u->end;
    if (read_head(u, &inside) < 0)
        return -1;
    u->first = (uint64_t)(inside.p - s->info.p);
    return 0;
}

/* Bases come behind what needs them, so texts and addresses wait for the end. */
struct root_values {
    struct tk_dw_value name, folder, dwo_name, line;
};

static void take_root(struct tk_dw_unit *u, uint16_t name, const struct tk_dw_value *value,
                      struct root_values *kept, struct tk_dw_span_attrs *root)
{
    switch (name) {
    case DW_AT_name:
        kept->name = *value;
        break;
    case DW_AT_comp_dir:
        kept->folder = *value;
        break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        kept->dwo_name = *value;
        break;
    case DW_AT_GNU_dwo_id:
        u->dwo_id = value->u;
        break;
    case DW_AT_stmt_list:
        kept->line = *value;
        break;
    case DW_AT_low_pc:
        root->low = *value;
        break;
    case DW_AT_high_pc:
        root->high = *value;
        break;
    case DW_AT_ranges:
        root->ranges = *value;
        break;
    case DW_AT_str_offsets_base:
        u->str_offsets_base = value->u;
        break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        u->addr_base = value->u;
        break;
    case DW_AT_rnglists_base:
        u->rnglists_base = value->u;
        break;
    case DW_AT_GNU_ranges_base:
        u->ranges_base = value->u;
        break;
    default:
        break;
    }
}

static void resolve_root(struct tk_dw_unit *u, const struct root_values *kept,
                         const struct tk_dw_span_attrs *root)
{
    u->name = tk_dw_text(u, &kept->name);
    u->folder = tk_dw_text(u, &kept->folder);
    u->dwo_name = tk_dw_text(u, &kept->dwo_name);
    if (kept->line.is == DW_NUMBER)
        u->line_at = kept->line.u;
    uint64_t low;
    if (tk_dw_address(u, &root->low, &low))
        u->low_pc = low;
}

int tk_dw_unit_root(struct tk_dw_unit *u, struct tk_dw_span_attrs *root, bool *children)
{
    struct tk_cur cur = tk_cur_of(u->s->info.p + u->first, (size_t)(u->end - u->first));
    const struct tk_dw_abbrev *a = tk_dw_abbrev_find(u->abbrevs, tk_varint(&cur, "code"));
    struct root_values kept = {0};
    *root = (struct tk_dw_span_attrs){0};
    if (!a || !tk_cur_ok(&cur))
        return -1;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct tk_dw_attr *attr = &u->abbrevs->attrs.v[a->first + i];
        struct tk_dw_value value;
        tk_dw_read(u, &cur, attr, &value);
        take_root(u, attr->name, &value, &kept, root);
    }
    if (!tk_cur_ok(&cur))
        return -1;
    resolve_root(u, &kept, root);
    *children = a->children;
    return 0;
}
