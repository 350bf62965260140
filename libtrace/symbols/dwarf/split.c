/*
 * Split units of DWARF 4 (GNU) and 5, alone and in packages with an index. See split.h. (symbols 3.3)
 */
#include "symbols/dwarf/split.h"

#include "symbols/files/symbol_file.h"

/* Sections of a contribution, by their numbers in the index of version 5 and 2. */
enum { SECT_INFO = 1, SECT_ABBREV = 3, SECT_STR_OFFSETS = 6, SECT_RNGLISTS = 8, MOST_COLUMNS = 16 };

struct index {
    struct tk_bytes bytes;
    uint32_t version, columns, units, slots;
};

static int read_index(struct index *x, struct tk_bytes bytes)
{
    struct tk_cur cur = tk_cur_of(bytes.p, bytes.n);
    x->bytes = bytes;
    x->version = tk_u32(&cur, "index") & 0xffff; /* version 5 has two bytes and padding */
    x->columns = tk_u32(&cur, "index");
    x->units = tk_u32(&cur, "index");
    x->slots = tk_u32(&cur, "index");
    uint64_t need = 16 + (uint64_t)x->slots * 12 + (uint64_t)x->columns * 4 * (1 + 2 * (uint64_t)x->units);
    bool sound = tk_cur_ok(&cur) && (x->version == 2 || x->version == 5) && x->columns <= MOST_COLUMNS &&
                 x->slots && (x->slots & (x->slots - 1)) == 0 && need <= bytes.n;
    return sound ? 0 : -1;
}

/* The row of an id, from 1; 0: it has none. */
static uint32_t row_of(const struct index *x, uint64_t id)
{
    const uint8_t *hashes = x->bytes.p + 16, *rows = hashes + (size_t)x->slots * 8;
    uint32_t mask = x->slots - 1, at = (uint32_t)id & mask, stride = ((uint32_t)(id >> 32) & mask) | 1;
    for (uint32_t i = 0; i < x->slots; i++, at = (at + stride) & mask) {
        uint32_t row = tk_load32(rows + (size_t)at * 4);
        if (!row)
            return 0;
        if (tk_load64(hashes + (size_t)at * 8) == id)
            return row <= x->units ? row : 0;
    }
    return 0;
}

/* The part of a section that a row has. */
static struct tk_bytes part_of(const struct index *x, uint32_t row, uint32_t section, struct tk_bytes whole)
{
    const uint8_t *names = x->bytes.p + 16 + (size_t)x->slots * 12;
    const uint8_t *offsets = names + (size_t)x->columns * 4;
    const uint8_t *sizes = offsets + (size_t)x->columns * 4 * x->units;
    for (uint32_t c = 0; c < x->columns; c++) {
        size_t cell = ((size_t)(row - 1) * x->columns + c) * 4;
        if (tk_load32(names + (size_t)c * 4) == section)
            return tk_sym_slice(whole, tk_load32(offsets + cell), tk_load32(sizes + cell));
    }
    return (struct tk_bytes){NULL, 0};
}

static int narrow(struct tk_dwarf_sections *own, const struct tk_dwarf_split *package, uint64_t id)
{
    struct index x;
    uint32_t row = read_index(&x, package->index) == 0 ? row_of(&x, id) : 0;
    if (!row)
        return -1;
    own->info = part_of(&x, row, SECT_INFO, own->info);
    own->abbrev = part_of(&x, row, SECT_ABBREV, own->abbrev);
    own->str_offsets = part_of(&x, row, SECT_STR_OFFSETS, own->str_offsets);
    own->rnglists = x.version == 5 ? part_of(&x, row, SECT_RNGLISTS, own->rnglists) : own->rnglists;
    return own->info.n ? 0 : -1;
}

/* The header in front of the offsets of texts and of range lists, which bases point behind. */
static void set_bases(struct tk_dw_unit *unit)
{
    uint64_t length = unit->offset_size == 8 ? 12 : 4;
    if (unit->version >= 5) {
        unit->str_offsets_base = length + 4;
        unit->rnglists_base = length + 8;
    }
}

/* The unit of an id among those of a file. */
static int find_unit(struct tk_dw_unit *unit, const struct tk_dwarf_sections *own,
                     struct tk_dw_abbrevs *abbrevs, uint64_t id)
{
    struct tk_dw_fuel *fuel = unit->fuel;
    struct tk_dw_span_attrs root;
    bool children;
    for (uint64_t at = 0, next; at != TK_DW_NONE && at < own->info.n; at = next) {
        unit->fuel = fuel;
        int rc = tk_dw_unit_open(unit, own, at, &next);
        if (rc == 0 && tk_dw_abbrevs_load(abbrevs, unit) == 0) {
            set_bases(unit);
            if (tk_dw_unit_root(unit, &root, &children) == 0 && unit->dwo_id == id)
                return 0;
        }
        if (!tk_dw_burn(fuel, 16))
            return -1;
    }
    return -1;
}

/* Addresses, lines and folders stay with the skeleton. */
static void take_over(struct tk_dw_unit *unit, const struct tk_dw_unit *skeleton)
{
    unit->split = true;
    unit->lines = skeleton->s;
    unit->addresses = skeleton->s->addr;
    unit->addr_base = skeleton->addr_base;
    unit->ranges_base = skeleton->ranges_base;
    unit->low_pc = skeleton->low_pc;
    unit->line_at = skeleton->line_at;
    unit->folder = skeleton->folder;
}

static bool find_in_package(struct tk_dw_unit *unit, struct tk_dwarf_sections *own,
                            struct tk_dw_abbrevs *abbrevs, const struct tk_dwarf_split *package,
                            const struct tk_dw_unit *skeleton)
{
    if (!package)
        return false;
    *unit = (struct tk_dw_unit){.fuel = skeleton->fuel};
    *own = package->sections;
    abbrevs->valid = false; /* another file may lie where the last one did */
    return narrow(own, package, skeleton->dwo_id) == 0 &&
           find_unit(unit, own, abbrevs, skeleton->dwo_id) == 0;
}

/* Files of one name may be in several folders: the one with the id is it. */
static bool find_in_files(struct tk_dw_unit *unit, struct tk_dwarf_sections *own,
                          struct tk_dw_abbrevs *abbrevs, const struct tk_dwarf *dwarf,
                          const struct tk_dw_unit *skeleton)
{
    for (bool more = false; dwarf->split; more = true) {
        const struct tk_dwarf_split *from =
            dwarf->split(dwarf->ctx, (const char *)skeleton->dwo_name.p, skeleton->dwo_name.n, more);
        if (!from || !tk_dw_burn(skeleton->fuel, 64))
            return false;
        *unit = (struct tk_dw_unit){.fuel = skeleton->fuel};
        *own = from->sections;
        abbrevs->valid = false;
        if (find_unit(unit, own, abbrevs, skeleton->dwo_id) == 0)
            return true;
    }
    return false;
}

int tk_dw_split_open(struct tk_dw_unit *unit, struct tk_dwarf_sections *own, struct tk_dw_abbrevs *abbrevs,
                     const struct tk_dwarf *dwarf, const struct tk_dw_unit *skeleton)
{
    bool found = find_in_package(unit, own, abbrevs, dwarf->package, skeleton) ||
                 find_in_files(unit, own, abbrevs, dwarf, skeleton);
    if (found)
        take_over(unit, skeleton);
    return found ? 0 : -1;
}
