/*
 * Values of attributes of DWARF by their forms.
 */
#include "symbols/dwarf/dwarf_in.h"
#include "symbols/files/symbol_file.h"

enum {
    DW_FORM_addr = 0x01,
    DW_FORM_block2 = 0x03,
    DW_FORM_block4 = 0x04,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_data8 = 0x07,
    DW_FORM_string = 0x08,
    DW_FORM_block = 0x09,
    DW_FORM_block1 = 0x0a,
    DW_FORM_data1 = 0x0b,
    DW_FORM_flag = 0x0c,
    DW_FORM_sdata = 0x0d,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_FORM_ref_addr = 0x10,
    DW_FORM_ref1 = 0x11,
    DW_FORM_ref2 = 0x12,
    DW_FORM_ref4 = 0x13,
    DW_FORM_ref8 = 0x14,
    DW_FORM_ref_udata = 0x15,
    DW_FORM_indirect = 0x16,
    DW_FORM_sec_offset = 0x17,
    DW_FORM_exprloc = 0x18,
    DW_FORM_flag_present = 0x19,
    DW_FORM_strx = 0x1a,
    DW_FORM_addrx = 0x1b,
    DW_FORM_ref_sup4 = 0x1c,
    DW_FORM_strp_sup = 0x1d,
    DW_FORM_data16 = 0x1e,
    DW_FORM_line_strp = 0x1f,
    DW_FORM_ref_sig8 = 0x20,
    DW_FORM_implicit_const = 0x21,
    DW_FORM_loclistx = 0x22,
    DW_FORM_rnglistx = 0x23,
    DW_FORM_ref_sup8 = 0x24,
    DW_FORM_strx1 = 0x25,
    DW_FORM_strx2 = 0x26,
    DW_FORM_strx3 = 0x27,
    DW_FORM_strx4 = 0x28,
    DW_FORM_addrx1 = 0x29,
    DW_FORM_addrx2 = 0x2a,
    DW_FORM_addrx3 = 0x2b,
    DW_FORM_addrx4 = 0x2c,
    DW_FORM_FORMS,
    DW_FORM_GNU_addr_index = 0x1f01,
    DW_FORM_GNU_str_index = 0x1f02,
    DW_FORM_GNU_ref_alt = 0x1f20,
    DW_FORM_GNU_strp_alt = 0x1f21
};

/* How the bytes of a form are laid out. */
enum layout {
    LAYOUT_UNKNOWN,
    LAYOUT_NONE,
    LAYOUT_BYTES, /* so many */
    LAYOUT_ADDRESS,
    LAYOUT_OFFSET,
    LAYOUT_VARINT,
    LAYOUT_TEXT,  /* up to a NUL */
    LAYOUT_BLOCK, /* behind a length of so many bytes; 0: a varint */
    LAYOUT_REF_ADDRESS,
    LAYOUT_INDIRECT
};

struct form {
    uint8_t layout, bytes, is; /* enum tk_dw_class */
};

static const struct form forms[DW_FORM_FORMS] = {
    [DW_FORM_addr] = {LAYOUT_ADDRESS, 0, DW_ADDRESS},
    [DW_FORM_block2] = {LAYOUT_BLOCK, 2, DW_ABSENT},
    [DW_FORM_block4] = {LAYOUT_BLOCK, 4, DW_ABSENT},
    [DW_FORM_data2] = {LAYOUT_BYTES, 2, DW_NUMBER},
    [DW_FORM_data4] = {LAYOUT_BYTES, 4, DW_NUMBER},
    [DW_FORM_data8] = {LAYOUT_BYTES, 8, DW_NUMBER},
    [DW_FORM_string] = {LAYOUT_TEXT, 0, DW_TEXT},
    [DW_FORM_block] = {LAYOUT_BLOCK, 0, DW_ABSENT},
    [DW_FORM_block1] = {LAYOUT_BLOCK, 1, DW_ABSENT},
    [DW_FORM_data1] = {LAYOUT_BYTES, 1, DW_NUMBER},
    [DW_FORM_flag] = {LAYOUT_BYTES, 1, DW_NUMBER},
    [DW_FORM_sdata] = {LAYOUT_VARINT, 0, DW_NUMBER},
    [DW_FORM_strp] = {LAYOUT_OFFSET, 0, DW_TEXT},
    [DW_FORM_udata] = {LAYOUT_VARINT, 0, DW_NUMBER},
    [DW_FORM_ref_addr] = {LAYOUT_REF_ADDRESS, 0, DW_REFERENCE},
    [DW_FORM_ref1] = {LAYOUT_BYTES, 1, DW_REFERENCE},
    [DW_FORM_ref2] = {LAYOUT_BYTES, 2, DW_REFERENCE},
    [DW_FORM_ref4] = {LAYOUT_BYTES, 4, DW_REFERENCE},
    [DW_FORM_ref8] = {LAYOUT_BYTES, 8, DW_REFERENCE},
    [DW_FORM_ref_udata] = {LAYOUT_VARINT, 0, DW_REFERENCE},
    [DW_FORM_indirect] = {LAYOUT_INDIRECT, 0, DW_ABSENT},
    [DW_FORM_sec_offset] = {LAYOUT_OFFSET, 0, DW_NUMBER},
    [DW_FORM_exprloc] = {LAYOUT_BLOCK, 0, DW_ABSENT},
    [DW_FORM_flag_present] = {LAYOUT_NONE, 0, DW_ABSENT},
    [DW_FORM_strx] = {LAYOUT_VARINT, 0, DW_TEXT},
    [DW_FORM_addrx] = {LAYOUT_VARINT, 0, DW_ADDRESS_INDEX},
    [DW_FORM_ref_sup4] = {LAYOUT_BYTES, 4, DW_SHARED_REFERENCE},
    [DW_FORM_strp_sup] = {LAYOUT_OFFSET, 0, DW_TEXT},
    [DW_FORM_data16] = {LAYOUT_BYTES, 16, DW_ABSENT},
    [DW_FORM_line_strp] = {LAYOUT_OFFSET, 0, DW_TEXT},
    [DW_FORM_ref_sig8] = {LAYOUT_BYTES, 8, DW_OTHER_FILE},
    [DW_FORM_implicit_const] = {LAYOUT_NONE, 0, DW_NUMBER},
    [DW_FORM_loclistx] = {LAYOUT_VARINT, 0, DW_ABSENT},
    [DW_FORM_rnglistx] = {LAYOUT_VARINT, 0, DW_LIST_INDEX},
    [DW_FORM_ref_sup8] = {LAYOUT_BYTES, 8, DW_SHARED_REFERENCE},
    [DW_FORM_strx1] = {LAYOUT_BYTES, 1, DW_TEXT},
    [DW_FORM_strx2] = {LAYOUT_BYTES, 2, DW_TEXT},
    [DW_FORM_strx3] = {LAYOUT_BYTES, 3, DW_TEXT},
    [DW_FORM_strx4] = {LAYOUT_BYTES, 4, DW_TEXT},
    [DW_FORM_addrx1] = {LAYOUT_BYTES, 1, DW_ADDRESS_INDEX},
    [DW_FORM_addrx2] = {LAYOUT_BYTES, 2, DW_ADDRESS_INDEX},
    [DW_FORM_addrx3] = {LAYOUT_BYTES, 3, DW_ADDRESS_INDEX},
    [DW_FORM_addrx4] = {LAYOUT_BYTES, 4, DW_ADDRESS_INDEX},
};

static struct form form_of(uint16_t form)
{
    if (form < DW_FORM_FORMS)
        return forms[form];
    switch (form) {
    case DW_FORM_GNU_addr_index:
        return (struct form){LAYOUT_VARINT, 0, DW_ADDRESS_INDEX};
    case DW_FORM_GNU_str_index:
        return (struct form){LAYOUT_VARINT, 0, DW_TEXT};
    case DW_FORM_GNU_ref_alt:
        return (struct form){LAYOUT_OFFSET, 0, DW_SHARED_REFERENCE};
    case DW_FORM_GNU_strp_alt:
        return (struct form){LAYOUT_OFFSET, 0, DW_TEXT};
    default:
        return (struct form){LAYOUT_UNKNOWN, 0, DW_ABSENT};
    }
}

uint32_t tk_dw_form_size(uint16_t form, uint8_t address_size, uint8_t offset_size, uint16_t version,
                         bool *known)
{
    struct form f = form_of(form);
    *known = true;
    switch (f.layout) {
    case LAYOUT_NONE:
        return 0;
    case LAYOUT_BYTES:
        return f.bytes;
    case LAYOUT_ADDRESS:
        return address_size;
    case LAYOUT_OFFSET:
        return offset_size;
    case LAYOUT_REF_ADDRESS:
        return version < 3 ? address_size : offset_size;
    default:
        *known = false;
        return 0;
    }
}

static struct tk_bytes take_text(struct tk_cur *cur)
{
    size_t left = tk_cur_left(cur), n = tk_sym_text_length(cur->p, left);
    struct tk_bytes text = {cur->p, n};
    tk_take(cur, n + 1, "text");
    return text;
}

static uint64_t take_number(struct tk_cur *cur, size_t n)
{
    const uint8_t *p = tk_take(cur, n, "value");
    return p ? tk_load_le(p, n < 8 ? n : 8) : 0;
}

static void skip_block(struct tk_cur *cur, uint8_t n_length)
{
    uint64_t n = n_length ? take_number(cur, n_length) : tk_varint(cur, "block");
    tk_take(cur, n < SIZE_MAX ? (size_t)n : SIZE_MAX, "block");
}

void tk_dw_skip(const struct tk_dw_unit *unit, struct tk_cur *cur, uint16_t form)
{
    struct tk_dw_value ignored;
    bool known;
    uint32_t size = tk_dw_form_size(form, unit->address_size, unit->offset_size, unit->version, &known);
    if (known)
        tk_take(cur, size, "value");
    else
        tk_dw_read(unit, cur, &(struct tk_dw_attr){.form = form}, &ignored);
}

static void read_raw(const struct tk_dw_unit *unit, struct tk_cur *cur, struct form f,
                     struct tk_dw_value *value)
{
    switch (f.layout) {
    case LAYOUT_NONE:
        break;
    case LAYOUT_VARINT:
        value->u = tk_varint(cur, "value");
        break;
    case LAYOUT_TEXT:
        value->text = take_text(cur);
        break;
    case LAYOUT_BLOCK:
        skip_block(cur, f.bytes);
        break;
    case LAYOUT_BYTES:
        value->u = take_number(cur, f.bytes);
        break;
    case LAYOUT_ADDRESS:
        value->u = take_number(cur, unit->address_size);
        break;
    case LAYOUT_OFFSET:
        value->u = take_number(cur, unit->offset_size);
        break;
    case LAYOUT_REF_ADDRESS:
        value->u = take_number(cur, unit->version < 3 ? unit->address_size : unit->offset_size);
        break;
    default: /* nobody knows where the next one begins */
        tk_take(cur, SIZE_MAX, "an unknown form");
    }
}

void tk_dw_read(const struct tk_dw_unit *unit, struct tk_cur *cur, const struct tk_dw_attr *attr,
                struct tk_dw_value *value)
{
    uint16_t form = attr->form;
    if (form == DW_FORM_indirect) {
        uint64_t other = tk_varint(cur, "form");
        form = other > UINT16_MAX ? UINT16_MAX : (uint16_t)other;
        form = form == DW_FORM_implicit_const ? UINT16_MAX : form; /* its value would be nowhere */
    }
    struct form f = form_of(form);
    *value = (struct tk_dw_value){.is = (enum tk_dw_class)f.is, .form = form};
    read_raw(unit, cur, f, value);
    if (form == DW_FORM_implicit_const)
        value->u = (uint64_t)attr->implicit;
    else if (value->is == DW_REFERENCE && form != DW_FORM_ref_addr)
        value->u += unit->at;
    if (!tk_cur_ok(cur))
        value->is = DW_ABSENT;
}

static struct tk_bytes text_at(struct tk_bytes section, uint64_t at)
{
    if (at >= section.n)
        return (struct tk_bytes){NULL, 0};
    return (struct tk_bytes){section.p + at, tk_sym_text_length(section.p + at, section.n - (size_t)at)};
}

uint64_t tk_dw_offset_at(struct tk_bytes section, uint64_t at, uint8_t size)
{
    struct tk_bytes one = tk_sym_slice(section, at, size);
    return one.p ? tk_load_le(one.p, size) : 0;
}

static struct tk_bytes indexed_text(const struct tk_dw_unit *unit, uint64_t index)
{
    if (index > UINT32_MAX)
        return (struct tk_bytes){NULL, 0};
    uint64_t at = unit->str_offsets_base + index * unit->offset_size;
    if (!tk_sym_slice(unit->s->str_offsets, at, unit->offset_size).p)
        return (struct tk_bytes){NULL, 0};
    return text_at(unit->s->str, tk_dw_offset_at(unit->s->str_offsets, at, unit->offset_size));
}

struct tk_bytes tk_dw_text(const struct tk_dw_unit *unit, const struct tk_dw_value *value)
{
    if (value->is != DW_TEXT)
        return (struct tk_bytes){NULL, 0};
    switch (value->form) {
    case DW_FORM_string:
        return value->text;
    case DW_FORM_strp:
        return text_at(unit->s->str, value->u);
    case DW_FORM_line_strp:
        return text_at(unit->s->line_str, value->u);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
        return unit->s->shared ? text_at(unit->s->shared->str, value->u) : (struct tk_bytes){NULL, 0};
    default:
        return indexed_text(unit, value->u);
    }
}

bool tk_dw_address(const struct tk_dw_unit *unit, const struct tk_dw_value *value, uint64_t *address)
{
    *address = value->u;
    if (value->is == DW_ADDRESS)
        return true;
    if (value->is != DW_ADDRESS_INDEX || value->u > UINT32_MAX)
        return false;
    uint64_t at = unit->addr_base + value->u * unit->address_size;
    *address = tk_dw_offset_at(unit->addresses, at, unit->address_size);
    return tk_sym_slice(unit->addresses, at, unit->address_size).p != NULL;
}
