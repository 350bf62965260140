/*
 * Split units of DWARF 4 (GNU) and 5, alone and in packages with an index. (symbols 3.3)
 */
#include "base/sort.h"
#include "symbols/dwarf/dwarf_in.h"
#include "symbols/files/symbol_file.h"

/*
 * Units of DWARF that other units refer to.
 */

#define MOST_SCOPES (UINT64_C(1) << 22) /* that are kept of all together */

static bool holds(const struct tk_dw_other *other, uint64_t entry)
{
    return entry >= other->unit.first && entry < other->unit.end;
}

/* ---- where units begin ---- */

static int list_units(struct tk_dw_others *o)
{
    for (uint64_t at = 0, next; at < o->s->info.n; at = next) {
        struct tk_dw_unit unit = {.fuel = o->fuel};
        tk_dw_unit_open(&unit, o->s, at, &next);
        if (tk_vec_push(&o->starts, at))
            return -1;
        if (next == TK_DW_NONE || !tk_dw_burn(o->fuel, 16))
            return 0;
    }
    return 0;
}

/* ---- those that are kept ---- */

static void forget(struct tk_dw_others *o, uint32_t place)
{
    struct tk_dw_other *other = o->v[place];
    o->scopes -= other->walk.scopes.v.n;
    o->last = o->last == other ? NULL : o->last;
    tk_dw_abbrevs_release(&other->abbrevs);
    tk_dw_functions_release(&other->walk);
    free(other);
    o->v[place] = o->v[--o->n];
}

/* The oldest goes where there are too many, or too much of them. */
static void reserve(struct tk_dw_others *o)
{
    while (o->n && (o->n == TK_DW_MOST_OTHERS || o->scopes > MOST_SCOPES)) {
        o->next = o->next < o->n ? o->next : 0;
        forget(o, o->next++);
    }
}

static bool open_other(struct tk_dw_other *other, const struct tk_dw_others *o, uint64_t start)
{
    struct tk_dw_span_attrs ignored;
    bool children;
    uint64_t next;
    other->unit = (struct tk_dw_unit){.fuel = o->fuel};
    bool sound = tk_dw_unit_open(&other->unit, o->s, start, &next) == 0 &&
                 tk_dw_abbrevs_load(&other->abbrevs, &other->unit) == 0 &&
                 tk_dw_unit_root(&other->unit, &ignored, &children) == 0 &&
                 tk_dw_functions_walk(&other->walk, &other->unit, NULL, NULL, 0) == 0;
    other->unit.mark = o->mark;
    if (!sound)
        other->unit.first = start; /* it is known that there is nothing to be had */
    return sound;
}

static struct tk_dw_other *add_other(struct tk_dw_others *o, uint64_t entry)
{
    size_t at;
    if (!tk_dw_burn(o->fuel, 64) || (!o->starts.n && list_units(o)))
        return NULL;
    TK_SEARCH(at, o->starts.n, o->starts.v[at] <= entry);
    reserve(o);
    struct tk_dw_other *other = at ? calloc(1, sizeof *other) : NULL;
    if (!other)
        return NULL;
    other->sound = open_other(other, o, o->starts.v[at - 1]);
    o->scopes += other->walk.scopes.v.n;
    o->v[o->n++] = other;
    return other;
}

static struct tk_dw_other *find_other(struct tk_dw_others *o, uint64_t entry)
{
    if (o->last && holds(o->last, entry))
        return o->last;
    for (uint32_t i = 0; i < o->n; i++)
        if (holds(o->v[i], entry))
            return o->v[i];
    return add_other(o, entry);
}

const struct tk_dw_unit *tk_dw_others_find(struct tk_dw_others *o, uint64_t entry,
                                           const struct tk_dw_scopes **scopes)
{
    struct tk_dw_other *other = o->s ? find_other(o, entry) : NULL;
    if (!other || !other->sound || !holds(other, entry))
        return NULL;
    o->last = other;
    *scopes = &other->walk.scopes;
    return &other->unit;
}

void tk_dw_others_release(struct tk_dw_others *o)
{
    while (o->n)
        forget(o, o->n - 1);
    tk_vec_release(&o->starts);
}

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
