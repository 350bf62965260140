/*
 * Abbreviations of DWARF: what entries of a code consist of.
 */
#include "symbols/dwarf/dwarf_in.h"

/*
 * Units of DWARF: their headers and their own attributes.
 */

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

enum { DW_FORM_implicit_const = 0x21, MOST_ATTRIBUTES = 1024 };

static int read_attribute(struct tk_dw_abbrevs *t, struct tk_dw_abbrev *a, struct tk_cur *cur)
{
    uint64_t name = tk_varint(cur, "attribute"), form = tk_varint(cur, "attribute");
    struct tk_dw_attr attr = {.name = name > UINT16_MAX ? UINT16_MAX : (uint16_t)name,
                              .form = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form};
    if (form == DW_FORM_implicit_const) {
        const uint8_t *p = cur->p;
        uint64_t v = tk_varint(cur, "attribute");
        size_t n = (size_t)(cur->p - p);
        bool negative = n && n < 10 && cur->p[-1] & 0x40;
        attr.implicit = (int64_t)(negative ? v | UINT64_MAX << (7 * n) : v);
    }
    if (!tk_cur_ok(cur) || a->n >= MOST_ATTRIBUTES)
        return -1;
    if (!name && !form)
        return 0;
    bool known;
    uint32_t size = tk_dw_form_size(attr.form, t->address_size, t->offset_size, t->version, &known);
    a->fixed = a->fixed && known;
    a->size += size;
    a->n++;
    return tk_vec_push(&t->attrs, attr) ? -1 : 1;
}

static int read_abbrev(struct tk_dw_abbrevs *t, struct tk_cur *cur)
{
    struct tk_dw_abbrev a = {.code = tk_varint(cur, "code"), .fixed = true, .first = (uint32_t)t->attrs.n};
    if (!a.code)
        return tk_cur_ok(cur) ? 0 : -1;
    uint64_t tag = tk_varint(cur, "tag");
    a.tag = tag > UINT16_MAX ? UINT16_MAX : (uint16_t)tag;
    a.children = tk_u8(cur, "children") != 0;
    int rc;
    do
        rc = read_attribute(t, &a, cur);
    while (rc > 0);
    if (rc < 0 || t->attrs.n > UINT32_MAX || t->v.n >= TK_MAP_NONE)
        return -1;
    if (a.code != t->v.n + 1 && tk_map_put(&t->index, a.code, (uint32_t)t->v.n))
        return -1;
    return tk_vec_push(&t->v, a) ? -1 : 1;
}

static bool is_same(const struct tk_dw_abbrevs *t, const struct tk_dw_unit *u)
{
    return t->valid && t->section == u->s->abbrev.p && t->at == u->abbrev_at && t->version == u->version &&
           t->address_size == u->address_size && t->offset_size == u->offset_size;
}

int tk_dw_abbrevs_load(struct tk_dw_abbrevs *t, struct tk_dw_unit *unit)
{
    unit->abbrevs = t;
    if (is_same(t, unit))
        return 0;
    t->v.n = t->attrs.n = 0;
    tk_map_release(&t->index);
    t->section = unit->s->abbrev.p;
    t->at = unit->abbrev_at;
    t->version = (uint8_t)unit->version;
    t->address_size = unit->address_size;
    t->offset_size = unit->offset_size;
    t->valid = false;
    if (unit->abbrev_at >= unit->s->abbrev.n)
        return -1;
    struct tk_cur cur =
        tk_cur_of(unit->s->abbrev.p + unit->abbrev_at, unit->s->abbrev.n - (size_t)unit->abbrev_at);
    int rc;
    do
        rc = read_abbrev(t, &cur);
    while (rc > 0);
    t->valid = rc == 0 && tk_dw_burn(unit->fuel, tk_cur_at(&cur) * 4);
    return t->valid ? 0 : -1;
}

const struct tk_dw_abbrev *tk_dw_abbrev_find(const struct tk_dw_abbrevs *t, uint64_t code)
{
    if (code - 1 < t->v.n && t->v.v[code - 1].code == code)
        return &t->v.v[code - 1];
    uint32_t at = tk_map_get(&t->index, code);
    return at == TK_MAP_NONE ? NULL : &t->v.v[at];
}

void tk_dw_abbrevs_release(struct tk_dw_abbrevs *t)
{
    tk_vec_release(&t->v);
    tk_vec_release(&t->attrs);
    tk_map_release(&t->index);
}
