/*
 * Units of DWARF that other units refer to. See other_units.h.
 */
#include "symbols/dwarf/other_units.h"

#include "base/binary_search.h"

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
static void make_room(struct tk_dw_others *o)
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
    make_room(o);
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
