/*
 * A unit of DWARF: its header, its abbreviations, and the values of its attributes. What the readers of
 * entries, ranges, names and lines share. See dwarf.h.
 */
#ifndef TK_SYMBOLS_DWARF_UNIT_H
#define TK_SYMBOLS_DWARF_UNIT_H

#include "base/hash.h"
#include "symbols/dwarf/dwarf.h"

#define TK_DW_NONE UINT64_MAX

enum {
    DW_TAG_class_type = 0x02,
    DW_TAG_compile_unit = 0x11,
    DW_TAG_structure_type = 0x13,
    DW_TAG_union_type = 0x17,
    DW_TAG_module = 0x1e,
    DW_TAG_inlined_subroutine = 0x1d,
    DW_TAG_subprogram = 0x2e,
    DW_TAG_interface_type = 0x38,
    DW_TAG_namespace = 0x39,
    DW_TAG_skeleton_unit = 0x4a
};

enum {
    DW_AT_sibling = 0x01,
    DW_AT_name = 0x03,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_comp_dir = 0x1b,
    DW_AT_abstract_origin = 0x31,
    DW_AT_specification = 0x47,
    DW_AT_ranges = 0x55,
    DW_AT_call_file = 0x58,
    DW_AT_call_line = 0x59,
    DW_AT_linkage_name = 0x6e,
    DW_AT_str_offsets_base = 0x72,
    DW_AT_addr_base = 0x73,
    DW_AT_rnglists_base = 0x74,
    DW_AT_dwo_name = 0x76,
    DW_AT_MIPS_linkage_name = 0x2007,
    DW_AT_GNU_dwo_name = 0x2130,
    DW_AT_GNU_dwo_id = 0x2131,
    DW_AT_GNU_ranges_base = 0x2132,
    DW_AT_GNU_addr_base = 0x2133
};

struct tk_dw_attr {
    uint16_t name, form;
    int64_t implicit; /* of DW_FORM_implicit_const */
};

struct tk_dw_abbrev {
    uint64_t code;
    uint16_t tag;
    bool children;
    bool fixed; /* all of its attributes have a size of their own: */
    uint32_t size;
    uint32_t first, n; /* of the attributes */
};

/* The table at an offset of .debug_abbrev, for units of a kind. */
struct tk_dw_abbrevs {
    TK_VEC(struct tk_dw_abbrev) v;
    TK_VEC(struct tk_dw_attr) attrs;
    struct tk_map index; /* code -> place, for codes that are not their place */
    const uint8_t *section;
    uint64_t at;
    uint8_t address_size, offset_size, version;
    bool valid;
};

/* Work that may still be done, so that a file cannot take hours; in bytes looked at. */
struct tk_dw_fuel {
    uint64_t left;
};

/* Marks offsets of entries of the file that several share. */
#define TK_DW_SHARED (UINT64_C(1) << 63)

struct tk_dw_unit {
    const struct tk_dwarf_sections *s;
    struct tk_dw_fuel *fuel;
    const struct tk_dw_abbrevs *abbrevs;
    uint64_t at, first, end; /* in .debug_info: its header, its first entry, what follows it */
    uint64_t abbrev_at;
    uint64_t dwo_id;
    uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
    uint64_t low_pc, line_at;               /* TK_DW_NONE: none */
    const struct tk_dwarf_sections *lines;  /* where its line program is, and its texts */
    struct tk_bytes addresses;              /* .debug_addr, which split units have elsewhere */
    struct tk_bytes name, folder, dwo_name; /* texts without NUL */
    uint64_t mark; /* of its entries, where others refer to them: TK_DW_SHARED, or 0 */
    uint16_t version;
    uint8_t type, offset_size, address_size;
    bool split;
};

enum tk_dw_class {
    DW_ABSENT,
    DW_ADDRESS,
    DW_ADDRESS_INDEX,
    DW_NUMBER,
    DW_REFERENCE,
    DW_SHARED_REFERENCE, /* in the file that several share */
    DW_OTHER_FILE,
    DW_TEXT,
    DW_LIST_INDEX
};

/* The value of an attribute. */
struct tk_dw_value {
    enum tk_dw_class is;
    uint16_t form;
    uint64_t u; /* address, number, index, or offset in .debug_info */
    struct tk_bytes text;
};

/* The header at an offset of .debug_info; *next is that of the next unit. 0; -1: what is there is no unit
 * that is known, and *next is behind it, or TK_DW_NONE where that is not known either. */
int tk_dw_unit_open(struct tk_dw_unit *unit, const struct tk_dwarf_sections *s, uint64_t at, uint64_t *next);

/* The abbreviations of a unit, kept in `table` for the next that has the same. 0 or -1. */
int tk_dw_abbrevs_load(struct tk_dw_abbrevs *table, struct tk_dw_unit *unit);
void tk_dw_abbrevs_release(struct tk_dw_abbrevs *table);

const struct tk_dw_abbrev *tk_dw_abbrev_find(const struct tk_dw_abbrevs *table, uint64_t code);

/* Reads a value of a form, or steps over it. A form that is not known is a fault of the cursor. */
void tk_dw_read(const struct tk_dw_unit *unit, struct tk_cur *cur, const struct tk_dw_attr *attr,
                struct tk_dw_value *value);
void tk_dw_skip(const struct tk_dw_unit *unit, struct tk_cur *cur, uint16_t form);

/* The bytes of a form whose size does not depend on them, else 0; *known is false for those. */
uint32_t tk_dw_form_size(uint16_t form, uint8_t address_size, uint8_t offset_size, uint16_t version,
                         bool *known);

/* Entry 0 of a unit: its own attributes. 0 or -1. *root has ranges and pc. */
struct tk_dw_span_attrs {
    struct tk_dw_value low, high, ranges;
};
int tk_dw_unit_root(struct tk_dw_unit *unit, struct tk_dw_span_attrs *root, bool *children);

/* The text of a value; empty where it is none. */
struct tk_bytes tk_dw_text(const struct tk_dw_unit *unit, const struct tk_dw_value *value);

/* The address of a value. false: it has none. */
bool tk_dw_address(const struct tk_dw_unit *unit, const struct tk_dw_value *value, uint64_t *address);

/* A number that is as wide as offsets are, at an offset of a section; 0 where it is not there. */
uint64_t tk_dw_offset_at(struct tk_bytes section, uint64_t at, uint8_t size);

/* Calls `take` for each range of addresses, first and one behind the last. false: they could not be read. */
typedef void tk_dw_take_range(void *to, uint64_t from, uint64_t end);
bool tk_dw_ranges(const struct tk_dw_unit *unit, const struct tk_dw_span_attrs *a, tk_dw_take_range *take,
                  void *to);

/* Does work; false when there is no fuel for it. */
static inline bool tk_dw_burn(struct tk_dw_fuel *fuel, uint64_t n)
{
    if (fuel->left < n) {
        fuel->left = 0;
        return false;
    }
    fuel->left -= n;
    return true;
}

#endif
