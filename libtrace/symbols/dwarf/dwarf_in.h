/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SYMBOLS_DWARF_DWARF_IN_H
#define TK_SYMBOLS_DWARF_DWARF_IN_H

#include "base/hash.h"
#include "symbols/dwarf/dwarf.h"

/*
 * A unit of DWARF: its header, its abbreviations, and the values of its attributes. What the readers of
 * entries, ranges, names and lines share.
 */

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

/*
 * Ranges of addresses that .debug_aranges reports units: of those of DWARF 2, whose own attributes have space
 * for a single one.
 */

/* Reads the set at *at: calls `take` for each of its ranges, and moves *at behind it. *unit is the offset of
 * its unit in .debug_info. false: there is no further set. */
bool tk_dw_aranges_next(struct tk_bytes section, size_t *at, uint64_t *unit, tk_dw_take_range *take,
                        void *to);

/*
 * Functions of a unit of DWARF: which of them hold the addresses that are requested, inlined ones too, and
 * what they are called.
 */

#define TK_DW_NO_FUNCTION UINT32_MAX

/* A function that holds an address, or a call of one that was inlined. */
struct tk_dw_function {
    uint64_t entry;     /* offset in .debug_info */
    uint64_t call_file; /* inlined: where it was called; TK_DW_NONE: not known */
    uint32_t call_line;
    uint32_t parent; /* that it was inlined in, or TK_DW_NO_FUNCTION */
    uint32_t holder; /* itself; where its ranges are not reported, the one around it that has its addresses */
    bool inlined;
};

/* What encloses names: a namespace, a type, a function. In ascending order of entries. */
struct tk_dw_scope {
    uint32_t entry;  /* from the start of the unit */
    uint32_t parent; /* place, or TK_DW_NO_FUNCTION */
};

struct tk_dw_scopes {
    TK_VEC(struct tk_dw_scope) v;
    uint64_t unit_at;
};

struct tk_dw_functions {
    TK_VEC(struct tk_dw_function) v;
    struct tk_dw_scopes scopes;
};

/* Walks all entries of a unit. addresses: n of them, ascending; innermost[i], which is TK_DW_NO_FUNCTION at
 * first, becomes the place of the innermost function that holds them. 0; -1: the unit is broken, and what was
 * found up to there is there. Addresses may be NULL, for the scopes alone. */
int tk_dw_functions_walk(struct tk_dw_functions *f, const struct tk_dw_unit *unit, const uint64_t *addresses,
                         uint32_t *innermost, size_t n);

void tk_dw_functions_release(struct tk_dw_functions *f);

struct tk_dw_others;

/* What names are looked up with: the unit at work, and units that its entries refer to. */
struct tk_dw_names {
    struct tk_sym_answers *answers;
    const struct tk_dw_unit *unit;
    const struct tk_dw_scopes *scopes;
    struct tk_dw_others *others,
        *shared;         /* borrowed: of the file of the unit, and of the one that it shares */
    struct tk_map known; /* entry -> place */
    TK_VEC(const struct tk_str *) texts;
};

/* The name of a function, with the namespaces and types around it: "forge::Pool::grow". NULL: not known. */
const struct tk_str *tk_dw_name(struct tk_dw_names *names, uint64_t entry);

void tk_dw_names_release(struct tk_dw_names *names);

/*
 * Lines of DWARF: which line of which file an address was made from. Units ask it about addresses.
 */

/* A file of the table: its name and its folder, an index of folders. */
struct tk_dw_file {
    struct tk_bytes name;
    uint64_t folder;
    const struct tk_str *path; /* once it was requested */
};

/* The header of a line program. */
struct tk_dw_lines {
    TK_VEC(struct tk_bytes) folders;
    TK_VEC(struct tk_dw_file) files;
    const uint8_t *operands; /* of standard opcodes 1 to opcode_base - 1 */
    struct tk_cur program;
    struct tk_bytes unit_folder;
    uint16_t version;
    uint8_t offset_size, address_size;
    uint8_t least_length, opcode_base, line_range;
    int8_t line_base;
    struct tk_dw_fuel *fuel;
};

/* Reads the header of the program of a unit. 0; -1 when there is none or it is broken. Release it always. */
int tk_dw_lines_open(struct tk_dw_lines *l, const struct tk_dw_unit *unit);

/* The path of a file by its number; NULL: not known. */
const struct tk_str *tk_dw_lines_path(struct tk_dw_lines *l, uint64_t file, struct tk_sym_answers *answers);

/* The line of an address, file TK_DW_NONE: none. */
struct tk_dw_row {
    uint64_t file;
    uint32_t line;
};

/* Runs the program for n addresses in ascending order: the first row that holds each becomes rows[i], where
 * it has no file yet. */
void tk_dw_lines_run(struct tk_dw_lines *l, const uint64_t *addresses, struct tk_dw_row *rows, size_t n);

void tk_dw_lines_release(struct tk_dw_lines *l);

/*
 * Units that entries of other units refer to, in the same file or in one that several files share: the last
 * ones are kept, for names of inlined functions come from the same few again and again.
 */

enum { TK_DW_MOST_OTHERS = 64 };

/* A unit that is kept, with what names need of it. */
struct tk_dw_other {
    struct tk_dw_unit unit;
    struct tk_dw_abbrevs abbrevs;
    struct tk_dw_functions walk;
    bool sound;
};

struct tk_dw_others {
    const struct tk_dwarf_sections *s; /* borrowed */
    struct tk_dw_fuel *fuel;           /* borrowed */
    uint64_t mark;                     /* of entries of its units: TK_DW_SHARED, or 0 */
    TK_VEC(uint64_t) starts;           /* of all units, once one is requested */
    struct tk_dw_other *v[TK_DW_MOST_OTHERS];
    struct tk_dw_other *last;
    uint32_t n, next; /* next: that makes space */
    uint64_t scopes;  /* of all that are kept */
};

/* The unit around an entry, and the scopes in it. NULL: there is none, or it is broken, or out of memory. It
 * is there until the next call. */
const struct tk_dw_unit *tk_dw_others_find(struct tk_dw_others *o, uint64_t entry,
                                           const struct tk_dw_scopes **scopes);

void tk_dw_others_release(struct tk_dw_others *o);

/*
 * Split units of DWARF: what a skeleton unit leaves out, in a .dwp or a .dwo file.
 */

/* Opens the unit that a skeleton stands for; `own` gets its sections and `abbrevs` its abbreviations, which
 * have to stay as long as the unit. 0; -1: it is not there. */
int tk_dw_split_open(struct tk_dw_unit *unit, struct tk_dwarf_sections *own, struct tk_dw_abbrevs *abbrevs,
                     const struct tk_dwarf *dwarf, const struct tk_dw_unit *skeleton);

#endif
