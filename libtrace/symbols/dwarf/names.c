/*
 * Names of functions in DWARF, through abstract origins and specifications, with the scopes around them.
 */
#include "base/sort.h"
#include "symbols/dwarf/dwarf_in.h"

#include <string.h>

enum { MOST_ORIGINS = 8, MOST_SCOPES = 32, MOST_NAME = 4096 };

/* What an entry says of its name. */
struct named {
    struct tk_bytes name, linkage;
    uint64_t origin; /* TK_DW_NONE: it is the one */
    uint16_t tag;
};

static void take_name(const struct tk_dw_unit *unit, uint16_t attr, const struct tk_dw_value *value,
                      struct named *n)
{
    if (attr == DW_AT_name)
        n->name = tk_dw_text(unit, value);
    else if (attr == DW_AT_linkage_name || attr == DW_AT_MIPS_linkage_name)
        n->linkage = tk_dw_text(unit, value);
    else if (attr == DW_AT_abstract_origin || attr == DW_AT_specification)
        n->origin = value->is == DW_REFERENCE          ? value->u | unit->mark
                    : value->is == DW_SHARED_REFERENCE ? value->u | TK_DW_SHARED
                                                       : n->origin;
}

static int read_named(const struct tk_dw_unit *unit, uint64_t entry, struct named *n)
{
    *n = (struct named){.origin = TK_DW_NONE};
    if (entry < unit->first || entry >= unit->end)
        return -1;
    struct tk_cur cur = tk_cur_of(unit->s->info.p + entry, (size_t)(unit->end - entry));
    const struct tk_dw_abbrev *a = tk_dw_abbrev_find(unit->abbrevs, tk_varint(&cur, "entry"));
    if (!a)
        return -1;
    n->tag = a->tag;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct tk_dw_attr *attr = &unit->abbrevs->attrs.v[a->first + i];
        struct tk_dw_value value;
        tk_dw_read(unit, &cur, attr, &value);
        take_name(unit, attr->name, &value, n);
    }
    return tk_cur_ok(&cur) ? 0 : -1;
}

static bool holds(const struct tk_dw_unit *unit, uint64_t entry)
{
    return entry >= unit->first && entry < unit->end;
}

/* The unit of an entry with its scopes. NULL: there is none. */
static const struct tk_dw_unit *unit_of(struct tk_dw_names *names, uint64_t entry,
                                        const struct tk_dw_scopes **scopes)
{
    *scopes = names->scopes;
    if (entry & TK_DW_SHARED)
        return names->shared ? tk_dw_others_find(names->shared, entry & ~TK_DW_SHARED, scopes) : NULL;
    return holds(names->unit, entry) ? names->unit : tk_dw_others_find(names->others, entry, scopes);
}

struct text {
    char v[MOST_NAME];
    size_t at; /* it is written from the end */
    bool full;
};

static void put_before(struct text *t, const void *p, size_t n)
{
    if (t->full || n > t->at) {
        t->full = true;
        return;
    }
    t->at -= n;
    if (n)
        memcpy(t->v + t->at, p, n);
}

static void put_name(struct text *t, const struct named *n)
{
    static const char nameless[] = "(anonymous namespace)";
    if (t->at < sizeof t->v)
        put_before(t, "::", 2);
    struct tk_bytes name = n->name.n ? n->name : n->linkage;
    if (name.n)
        put_before(t, name.p, name.n);
    else if (n->tag == DW_TAG_subprogram)
        put_before(t, "?", 1);
    else
        put_before(t, nameless, sizeof nameless - 1);
}

static uint32_t scope_of(const struct tk_dw_scopes *scopes, uint64_t entry)
{
    size_t at;
    uint64_t offset = entry - scopes->unit_at;
    TK_SEARCH(at, scopes->v.n, scopes->v.v[at].entry < offset);
    return at < scopes->v.n && scopes->v.v[at].entry == offset ? (uint32_t)at : TK_DW_NO_FUNCTION;
}

/* Follows an entry to the one that has its name. */
static int follow(struct tk_dw_names *names, uint64_t *entry, struct named *n)
{
    const struct tk_dw_scopes *scopes;
    struct tk_bytes linkage = {NULL, 0};
    for (unsigned i = 0; i < MOST_ORIGINS; i++) {
        const struct tk_dw_unit *unit = unit_of(names, *entry, &scopes);
        if (!unit || read_named(unit, *entry & ~TK_DW_SHARED, n) < 0)
            return -1;
        linkage = n->linkage.n ? n->linkage : linkage;
        if (n->origin == TK_DW_NONE) {
            n->linkage = linkage;
            return 0;
        }
        *entry = n->origin;
    }
    return 0;
}

/* The scopes around an entry. A function around one is reported with its own scopes. */
static void put_scopes(struct tk_dw_names *names, uint64_t entry, struct text *t)
{
    for (unsigned i = 0; i < MOST_SCOPES; i++) {
        const struct tk_dw_scopes *scopes;
        const struct tk_dw_unit *unit = unit_of(names, entry, &scopes);
        uint32_t place = unit ? scope_of(scopes, entry & ~TK_DW_SHARED) : TK_DW_NO_FUNCTION;
        uint32_t parent = place == TK_DW_NO_FUNCTION ? place : scopes->v.v[place].parent;
        struct named n;
        if (parent == TK_DW_NO_FUNCTION)
            return;
        entry = (unit->at + scopes->v.v[parent].entry) | unit->mark;
        if (read_named(unit, entry & ~TK_DW_SHARED, &n) < 0)
            return;
        if (n.tag == DW_TAG_subprogram && follow(names, &entry, &n) < 0)
            return;
        put_name(t, &n);
    }
}

static const struct tk_str *make_name(struct tk_dw_names *names, uint64_t entry)
{
    struct text t = {.at = sizeof t.v};
    struct named n;
    if (follow(names, &entry, &n) < 0 || (!n.name.n && !n.linkage.n))
        return NULL;
    put_name(&t, &n);
    if (n.name.n) /* a linkage name has them inside */
        put_scopes(names, entry, &t);
    return tk_sym_function(names->answers, t.v + t.at, sizeof t.v - t.at);
}

const struct tk_str *tk_dw_name(struct tk_dw_names *names, uint64_t entry)
{
    uint32_t at = tk_map_get(&names->known, entry);
    if (at != TK_MAP_NONE)
        return names->texts.v[at];
    const struct tk_str *text = make_name(names, entry);
    if (tk_vec_push(&names->texts, text) || tk_map_put(&names->known, entry, (uint32_t)names->texts.n - 1))
        names->answers->failed = true;
    return text;
}

void tk_dw_names_release(struct tk_dw_names *names)
{
    tk_map_release(&names->known);
    tk_vec_release(&names->texts);
}
