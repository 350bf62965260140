/*
 * Code maps.
 */
#include "model/code/code_map.h"

#include "base/bits.h"
#include "base/sort.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Where addresses lie.
 */

enum { MOST_NAME = 255 };

struct tk_code_place tk_code_place_of(const struct tk_code_map *map, const struct tk_module *module,
                                      uint64_t address)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    struct tk_code_place place = {.has_offset = module || (symbol && symbol->open)};
    if (module)
        place.module = tk_module_short_name(module);
    else if (symbol && symbol->image)
        place.module = tk_path_last_part(symbol->image);
    if (place.has_offset)
        place.offset = module ? address - module->info.base : symbol->offset;
    return place;
}

struct tk_cell tk_code_module_cell(const struct tk_code_place *place)
{
    return tk_cell_of_text(place->module.p ? &place->module : NULL);
}

struct tk_cell tk_code_offset_cell(const struct tk_code_place *place)
{
    return place->has_offset ? (struct tk_cell){.kind = TK_HEX, .v.u = place->offset}
                             : (struct tk_cell){.kind = TK_NONE};
}

/* 0x and its digits, with no zeros in front. Bytes. */
static size_t put_hex(char *p, uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = v ? (67 - tk_zeros_above(v)) / 4 : 1;
    p[0] = '0';
    p[1] = 'x';
    for (unsigned i = 0; i < n; i++)
        p[2 + i] = digits[v >> 4 * (n - 1 - i) & 15];
    return 2 + n;
}

/* Bytes of a name of a module that go into a text: whole characters. */
static size_t name_bytes(const struct tk_str *name)
{
    size_t n = name->n < MOST_NAME ? name->n : MOST_NAME;
    while (n < name->n && n && ((unsigned char)name->p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

const struct tk_str *tk_code_bare_text(struct tk_intern *texts, const struct tk_code_place *place,
                                       uint64_t address)
{
    char text[MOST_NAME + 32];
    const bool named = place->has_offset && place->module.p && place->module.enc == TK_ENC_UTF8;
    size_t n = named ? name_bytes(&place->module) : 0;
    if (named) {
        memcpy(text, place->module.p, n);
        text[n++] = '+';
    }
    n += put_hex(text + n, named ? place->offset : address);
    return tk_intern(texts, text, n, TK_ENC_UTF8);
}

const struct tk_str *tk_code_no_function(struct tk_intern *texts, const struct tk_str *module)
{
    static const struct tk_str none = TK_STR_OF("no module");
    const struct tk_str *of = module && module->p && module->enc == TK_ENC_UTF8 ? module : &none;
    const size_t begin = sizeof TK_NO_FUNCTION - 1, n = name_bytes(of);
    char text[sizeof TK_NO_FUNCTION + MOST_NAME + 1] = TK_NO_FUNCTION;
    memcpy(text + begin, of->p, n);
    text[begin + n] = ')';
    return tk_intern(texts, text, begin + n + 1, TK_ENC_UTF8);
}

int tk_code_map_feed(struct tk_code_map *map, const struct tk_fact *fact)
{
    return tk_module_list_feed(&map->modules, fact) || tk_symbol_list_feed(&map->symbols, fact) ? -1 : 0;
}

int tk_code_map_want(struct tk_code_map *map, uint64_t address, bool exact)
{
    struct tk_code_address wanted = {address, exact};
    const uint32_t number = (uint32_t)map->wanted.n;
    if (map->wanted.n >= TK_MAP_NONE - 1 ||
        (map->wanted.n == map->wanted.cap && tk_vec_reserve(&map->wanted, map->wanted.n + 1)))
        return -1;
    const uint32_t there = tk_map_get_or_put(&map->seen[exact], address, number);
    if (there == number)
        map->wanted.v[map->wanted.n++] = wanted;
    return there == TK_MAP_NONE ? -1 : 0;
}

/* An address and the module that may hold it. */
struct placed {
    const struct tk_module *module;
    uint64_t address;
    uint32_t number; /* in wanted */
    bool exact;
};

struct settling {
    struct tk_code_map *map;
    const struct tk_symbolizer *symbolizer;
    struct placed *v;
    size_t n;
};

/* Modules of addresses that no module of the capture names are the ones below; how far these reach their
 * files say. */
static void find_modules(struct settling *s, const struct tk_sort_key *sorted)
{
    s->n = 0;
    for (size_t i = 0; i < s->map->wanted.n; i++) {
        const struct tk_code_address *a = &s->map->wanted.v[sorted[i].place];
        const struct tk_module *module = tk_module_below(&s->map->modules, a->address);
        const struct tk_symbol *symbol = tk_symbol_at(&s->map->symbols, a->address);
        if (module && (!symbol || symbol->open))
            s->v[s->n++] = (struct placed){module, a->address, sorted[i].place, a->exact};
    }
}

/* Puts those of a module together, in the order of the modules; they are in the order of their addresses. */
static int put_together(struct settling *s, struct tk_sort_key *keys)
{
    bool apart = false;
    for (size_t i = 0; i < s->n; i++) {
        keys[i] = (struct tk_sort_key){(uint64_t)(s->v[i].module - s->map->modules.modules.v), (uint32_t)i};
        apart |= i && keys[i].key < keys[i - 1].key;
    }
    if (!apart)
        return 0;
    struct placed *together = malloc(s->map->wanted.n * sizeof *together);
    if (!together || tk_sort_keys(keys, s->n)) {
        free(together);
        return -1;
    }
    for (size_t i = 0; i < s->n; i++)
        together[i] = s->v[keys[i].place];
    free(s->v);
    s->v = together;
    return 0;
}

/* Sorted by module and address. */
static int place(struct settling *s)
{
    const size_t n = s->map->wanted.n;
    struct tk_sort_key *keys = malloc(n * sizeof *keys);
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = (struct tk_sort_key){s->map->wanted.v[i].address, (uint32_t)i};
    int rc = keys ? tk_sort_keys(keys, n) : -1;
    if (rc == 0) {
        find_modules(s, keys);
        rc = put_together(s, keys);
    }
    free(keys);
    return rc;
}

static size_t group_of(const struct settling *s, size_t at)
{
    size_t n = 1;
    while (at + n < s->n && s->v[at + n].module == s->v[at].module)
        n++;
    return n;
}

static int measure(struct settling *s)
{
    for (size_t at = 0, n; at < s->n; at += n) {
        struct tk_module_file_info info;
        n = group_of(s, at);
        if (s->symbolizer->module(s->symbolizer->self, &s->v[at].module->info, &info))
            return -1;
        tk_module_list_extend(&s->map->modules, s->v[at].module, info.extent);
    }
    return 0;
}

/* What is given of a module or an image. */
struct giving {
    struct tk_code_map *map;
    const struct placed *v;
    const struct open_frame *open; /* instead of v */
    uint32_t last;                 /* 1 + index of the symbol that was given last; 0: none yet */
};

/* Addresses in order often lie in the same line, whose functions they share. */
static int take(struct giving *g, uint32_t number, const struct tk_symbol_place *places, uint32_t n)
{
    struct tk_symbol_list *symbols = &g->map->symbols;
    if (!g->last || !tk_symbol_is(symbols, &symbols->symbols.v[g->last - 1], places, n)) {
        const uint32_t added = tk_symbol_list_add(symbols, places, n);
        if (added == TK_MAP_NONE)
            return -1;
        g->last = added + 1;
    }
    g->map->found.v[number] = g->last;
    return 0;
}

static int take_places(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n)
{
    struct giving *g = to;
    return take(g, g->v[i].number, places, n);
}

static int ask(struct settling *s)
{
    struct tk_symbol_ask *wants = malloc((s->n + 1) * sizeof *wants);
    int rc = wants ? 0 : -1;
    for (size_t at = 0, n; at < s->n && rc == 0; at += n) {
        const struct tk_fact_module *info = &s->v[at].module->info;
        struct giving g = {.map = s->map, .v = s->v + at};
        n = group_of(s, at);
        for (size_t i = 0; i < n; i++)
            wants[i] = (struct tk_symbol_ask){s->v[at + i].address - info->base, s->v[at + i].exact};
        rc = s->symbolizer->resolve(s->symbolizer->self, info, wants, n, take_places, &g);
    }
    free(wants);
    return rc;
}

/* ---- frames that a capture left open ---- */

/* An address in an image that has no module. */
struct open_frame {
    const struct tk_str *image;
    uint64_t offset;
    uint32_t number; /* in wanted */
    bool exact;
};

static int by_image(const void *a, const void *b)
{
    const struct open_frame *x = a, *y = b;
    if (x->image != y->image)
        return x->image < y->image ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

typedef TK_VEC(struct open_frame) open_list;

static int find_open(const struct tk_code_map *map, open_list *out)
{
    for (size_t i = 0; i < map->wanted.n; i++) {
        const struct tk_code_address *a = &map->wanted.v[i];
        const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, a->address);
        if (symbol && symbol->open && symbol->image &&
            tk_vec_push(out, ((struct open_frame){symbol->image, symbol->offset, (uint32_t)i, a->exact})))
            return -1;
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_image);
    return 0;
}

static int take_open(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n)
{
    struct giving *g = to;
    return take(g, g->open[i].number, places, n);
}

static int ask_image(struct tk_code_map *map, const struct tk_symbolizer *symbolizer,
                     const struct open_frame *v, size_t n)
{
    const struct tk_fact_module module = {.name = v->image, .loaded = true};
    struct tk_symbol_ask *wants = malloc(n * sizeof *wants);
    struct giving g = {.map = map, .open = v};
    if (!wants)
        return -1;
    for (size_t i = 0; i < n; i++)
        wants[i] = (struct tk_symbol_ask){v[i].offset, v[i].exact};
    int rc = symbolizer->resolve(symbolizer->self, &module, wants, n, take_open, &g);
    free(wants);
    return rc;
}

static int settle_open(struct tk_code_map *map, const struct tk_symbolizer *symbolizer)
{
    open_list list = {0};
    int rc = find_open(map, &list);
    for (size_t at = 0, n; at < list.n && rc == 0; at += n) {
        for (n = 1; at + n < list.n && list.v[at + n].image == list.v[at].image; n++)
            continue;
        rc = ask_image(map, symbolizer, list.v + at, n);
    }
    tk_vec_release(&list);
    return rc;
}

/* ---- settling ---- */

/* Leaves those that their module turned out to hold. */
static void drop_strays(struct settling *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (tk_module_at(&s->map->modules, s->v[i].address) == s->v[i].module)
            s->v[n++] = s->v[i];
    s->n = n;
}

int tk_code_map_settle(struct tk_code_map *map, const struct tk_context *ctx)
{
    struct settling s = {.map = map, .symbolizer = ctx->symbolizer};
    if (tk_module_list_settle(&map->modules))
        return -1;
    if (!s.symbolizer || !map->wanted.n)
        return 0;
    if (tk_vec_reach(&map->found, map->wanted.n))
        return -1;
    if (settle_open(map, s.symbolizer))
        return -1;
    if (!map->modules.modules.n)
        return 0;
    s.v = malloc(map->wanted.n * sizeof *s.v);
    int rc = s.v ? 0 : -1;
    if (rc == 0)
        rc = place(&s);
    if (rc == 0)
        rc = measure(&s);
    if (rc == 0)
        rc = tk_module_list_settle(&map->modules);
    if (rc == 0) {
        drop_strays(&s);
        rc = ask(&s);
    }
    free(s.v);
    return rc;
}

const struct tk_symbol *tk_code_found(const struct tk_code_map *map, uint32_t number)
{
    const uint32_t found = number < map->found.n ? map->found.v[number] : 0;
    return found ? &map->symbols.symbols.v[found - 1] : NULL;
}

const struct tk_symbol *tk_code_symbol(const struct tk_code_map *map, uint64_t address, bool exact)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    const struct tk_symbol *found =
        !symbol || symbol->open ? tk_code_found(map, tk_code_number(map, address, exact)) : NULL;
    return found ? found : symbol;
}

void tk_code_map_release(struct tk_code_map *map)
{
    tk_module_list_release(&map->modules);
    tk_symbol_list_release(&map->symbols);
    tk_vec_release(&map->wanted);
    tk_map_release(&map->seen[0]);
    tk_map_release(&map->seen[1]);
    tk_vec_release(&map->found);
}

/*
 * Offsets without a function.
 */

/* Offsets that are listed one by one. */
enum { LISTED = 3 };

/* Two hashes that are equal cost a second entry alone. */
static struct tk_code_offset *reach(struct tk_code_offsets *o, uint32_t row, uint64_t offset)
{
    const uint64_t key = tk_hash_pair(tk_hash_u64(offset), row);
    const uint32_t at = tk_map_get(&o->index, key);
    if (at != TK_MAP_NONE && o->v.v[at].row == row && o->v.v[at].offset == offset)
        return &o->v.v[at];
    if (o->v.n >= TK_MAP_NONE - 1 ||
        tk_vec_push(&o->v, ((struct tk_code_offset){.offset = offset, .row = row})) ||
        tk_map_put(&o->index, key, (uint32_t)o->v.n - 1))
        return NULL;
    return &o->v.v[o->v.n - 1];
}

int tk_code_offsets_add(struct tk_code_offsets *o, uint32_t row, uint64_t offset, uint64_t stack, bool own,
                        uint64_t samples)
{
    struct tk_code_offset *at = reach(o, row, offset);
    if (!at)
        return -1;
    at->excl += own ? samples : 0;
    at->incl += at->stack != stack ? samples : 0;
    at->stack = stack;
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const struct tk_code_offset *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->excl != y->excl)
        return x->excl > y->excl ? -1 : 1;
    if (x->incl != y->incl)
        return x->incl > y->incl ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

int tk_code_offsets_settle(struct tk_code_offsets *o)
{
    return tk_sort(o->v.v, o->v.n, sizeof *o->v.v, by_row);
}

/* Offsets of a row from `at` on that are listed: those with exclusive samples, if there are any. */
static size_t count_listed(const struct tk_code_offsets *o, size_t at, uint32_t row)
{
    size_t n = 0;
    while (at + n < o->v.n && o->v.v[at + n].row == row && (!o->v.v[at].excl || o->v.v[at + n].excl))
        n++;
    return n;
}

struct tk_cell tk_code_offsets_cell(const struct tk_code_offsets *o, uint32_t row, struct tk_emit *emit)
{
    char text[LISTED * 48 + 32];
    size_t at, length = 0;
    TK_SEARCH(at, o->v.n, o->v.v[at].row < row);
    const size_t n = count_listed(o, at, row);
    for (size_t i = at; i < at + n && i < at + LISTED; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s0x%" PRIx64 " (%" PRIu64 ")",
                                   i > at ? ", " : "", o->v.v[i].offset,
                                   o->v.v[i].excl ? o->v.v[i].excl : o->v.v[i].incl);
    if (n > LISTED)
        length += (size_t)snprintf(text + length, sizeof text - length, ", %zu more", n - LISTED);
    const char *kept = n ? tk_emit_bytes(emit, text, length) : NULL;
    return kept ? (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)length, .v.p = kept}
                : (struct tk_cell){.kind = TK_NONE};
}

void tk_code_offsets_release(struct tk_code_offsets *o)
{
    tk_vec_release(&o->v);
    tk_map_release(&o->index);
}
