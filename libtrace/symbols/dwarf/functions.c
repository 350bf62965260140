/*
 * The walk over the entries of a unit of DWARF.
 */
#include "base/sort.h"
#include "symbols/dwarf/dwarf_in.h"

enum { MOST_DEPTH = 512, MOST_FUNCTIONS = 1 << 24, RANGE_FUEL = 4 };

struct level {
    uint32_t function, scope;
};

struct walk {
    struct tk_dw_functions *f;
    const struct tk_dw_unit *unit;
    const uint64_t *addresses;
    uint32_t *innermost;
    size_t n;
    struct level levels[MOST_DEPTH];
    unsigned depth;
    bool failed;
};

/* What is read of a function. */
struct function {
    struct tk_dw_span_attrs span;
    uint64_t call_file, call_line;
};

struct hit {
    struct walk *w;
    uint32_t around, place; /* around: which has the addresses so far */
    struct tk_dw_function made;
};

/* Those in a range whose innermost function so far is the one around this lie in this one. Of several that
 * claim an address the first wins. Ranges of a hostile file are many, and hold the same: they cost fuel. */
static void take_range(void *to, uint64_t from, uint64_t end)
{
    struct hit *h = to;
    struct walk *w = h->w;
    size_t at;
    TK_SEARCH(at, w->n, w->addresses[at] < from);
    for (; at < w->n && w->addresses[at] < end && tk_dw_burn(w->unit->fuel, RANGE_FUEL); at++) {
        if (w->innermost[at] != h->around)
            continue;
        if (h->place == TK_DW_NO_FUNCTION) {
            if (w->f->v.n >= MOST_FUNCTIONS || tk_vec_push(&w->f->v, h->made)) {
                w->failed = true;
                return;
            }
            h->place = (uint32_t)w->f->v.n - 1;
            w->f->v.v[h->place].holder = h->place;
        }
        w->innermost[at] = h->place;
    }
}

static void read_function(struct walk *w, const struct tk_dw_abbrev *a, struct tk_cur *cur,
                          struct function *f)
{
    *f = (struct function){.call_file = TK_DW_NONE};
    for (uint32_t i = 0; i < a->n; i++) {
        const struct tk_dw_attr *attr = &w->unit->abbrevs->attrs.v[a->first + i];
        struct tk_dw_value value;
        tk_dw_read(w->unit, cur, attr, &value);
        if (attr->name == DW_AT_low_pc)
            f->span.low = value;
        else if (attr->name == DW_AT_high_pc)
            f->span.high = value;
        else if (attr->name == DW_AT_ranges)
            f->span.ranges = value;
        else if (attr->name == DW_AT_call_file && value.is == DW_NUMBER)
            f->call_file = value.u;
        else if (attr->name == DW_AT_call_line && value.is == DW_NUMBER)
            f->call_line = value.u;
    }
}

/* Of several ranges that had no space, DWARF 2 has an empty one. */
static bool is_empty(const struct tk_dw_span_attrs *s)
{
    return (s->high.is == DW_NUMBER && !s->high.u) ||
           (s->low.is == DW_ADDRESS && s->high.is == DW_ADDRESS && s->low.u && s->low.u == s->high.u);
}

/* Has it code of its own? What is inside of one without belongs to what is around. */
static bool has_code(const struct function *f)
{
    const struct tk_dw_span_attrs *s = &f->span;
    return s->ranges.is != DW_ABSENT || (s->low.is != DW_ABSENT && s->high.is != DW_ABSENT && !is_empty(s));
}

/* An inlined call whose ranges are not reported, as DWARF 2 has no space for several: those inside of it tell
 * theirs. */
static uint32_t place_without_code(struct walk *w, struct tk_dw_function made)
{
    if (made.parent >= w->f->v.n)
        return made.parent;
    made.holder = w->f->v.v[made.parent].holder;
    if (w->f->v.n >= MOST_FUNCTIONS || tk_vec_push(&w->f->v, made)) {
        w->failed = true;
        return made.parent;
    }
    return (uint32_t)w->f->v.n - 1;
}

static uint32_t place_function(struct walk *w, uint64_t entry, bool inlined, const struct function *f,
                               uint32_t around)
{
    struct hit h = {.w = w, .around = TK_DW_NO_FUNCTION, .place = TK_DW_NO_FUNCTION};
    h.made = (struct tk_dw_function){.entry = entry,
                                     .call_file = f->call_file,
                                     .call_line = f->call_line > UINT32_MAX ? 0 : (uint32_t)f->call_line,
                                     .parent = inlined ? around : TK_DW_NO_FUNCTION,
                                     .inlined = inlined};
    if (!has_code(f))
        return inlined ? place_without_code(w, h.made) : around;
    if (inlined && around == TK_DW_NO_FUNCTION)
        return around;
    if (inlined && around < w->f->v.n)
        h.around = w->f->v.v[around].holder;
    else if (inlined)
        h.around = around;
    tk_dw_ranges(w->unit, &f->span, take_range, &h);
    /* those inside of one that holds no address hold none: a place that nothing is in */
    return h.place == TK_DW_NO_FUNCTION ? TK_DW_NO_FUNCTION - 1 : h.place;
}

static bool is_scope(uint16_t tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_interface_type || tag == DW_TAG_subprogram ||
           tag == DW_TAG_module;
}

static uint32_t add_scope(struct walk *w, uint64_t entry, uint32_t parent)
{
    struct tk_dw_scope scope = {(uint32_t)(entry - w->unit->at), parent};
    if (w->f->scopes.v.n >= TK_DW_NO_FUNCTION - 1 || tk_vec_push(&w->f->scopes.v, scope)) {
        w->failed = true;
        return parent;
    }
    return (uint32_t)w->f->scopes.v.n - 1;
}

static void skip_attributes(const struct walk *w, const struct tk_dw_abbrev *a, struct tk_cur *cur)
{
    if (a->fixed) {
        tk_take(cur, a->size, "entry");
        return;
    }
    for (uint32_t i = 0; i < a->n; i++)
        tk_dw_skip(w->unit, cur, w->unit->abbrevs->attrs.v[a->first + i].form);
}

/* An entry; the level that its children have goes to *inside. */
static void take_entry(struct walk *w, uint64_t entry, const struct tk_dw_abbrev *a, struct tk_cur *cur,
                       struct level *inside)
{
    *inside = w->levels[w->depth];
    if (is_scope(a->tag))
        inside->scope = add_scope(w, entry, inside->scope);
    bool inlined = a->tag == DW_TAG_inlined_subroutine;
    if (!w->n || (!inlined && a->tag != DW_TAG_subprogram)) {
        skip_attributes(w, a, cur);
        return;
    }
    struct function f;
    read_function(w, a, cur, &f);
    if (tk_cur_ok(cur))
        inside->function = place_function(w, entry, inlined, &f, inside->function);
}

static int step(struct walk *w, struct tk_cur *cur)
{
    uint64_t entry = (uint64_t)(cur->p - w->unit->s->info.p), code = tk_varint(cur, "entry");
    if (!code) {
        if (w->depth == 0)
            return 0;
        w->depth--;
        return w->depth > 0;
    }
    const struct tk_dw_abbrev *a = tk_dw_abbrev_find(w->unit->abbrevs, code);
    struct level inside;
    if (!a)
        return -1;
    take_entry(w, entry, a, cur, &inside);
    if (!tk_cur_ok(cur) || w->failed)
        return -1;
    if (a->children) {
        if (w->depth + 1 >= MOST_DEPTH)
            return -1;
        w->levels[++w->depth] = inside;
    }
    return w->depth > 0;
}

int tk_dw_functions_walk(struct tk_dw_functions *f, const struct tk_dw_unit *unit, const uint64_t *addresses,
                         uint32_t *innermost, size_t n)
{
    struct walk *w = calloc(1, sizeof *w);
    f->v.n = f->scopes.v.n = 0;
    f->scopes.unit_at = unit->at;
    if (!w)
        return -1;
    *w = (struct walk){.f = f, .unit = unit, .addresses = addresses, .innermost = innermost, .n = n};
    w->levels[0] = (struct level){TK_DW_NO_FUNCTION, TK_DW_NO_FUNCTION};
    struct tk_cur cur = tk_cur_of(unit->s->info.p + unit->first, (size_t)(unit->end - unit->first));
    int rc = tk_dw_burn(unit->fuel, tk_cur_left(&cur)) && unit->end - unit->at <= UINT32_MAX ? 1 : -1;
    while (rc > 0 && tk_cur_left(&cur) && unit->fuel->left)
        rc = step(w, &cur);
    free(w);
    return rc < 0 ? -1 : 0;
}

void tk_dw_functions_release(struct tk_dw_functions *f)
{
    tk_vec_release(&f->v);
    tk_vec_release(&f->scopes.v);
}
