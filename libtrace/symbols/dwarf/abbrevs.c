/*
 * Abbreviations of DWARF: what entries of a code consist of. See unit.h.
 */
#include "symbols/dwarf/unit.h"

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
