/*
 * Code maps. See code_map.h.
 */
#include "model/code/code_map.h"

#include <stdlib.h>

int tk_code_map_feed(struct tk_code_map *map, const struct tk_fact *fact)
{
    return tk_module_list_feed(&map->modules, fact) || tk_symbol_list_feed(&map->symbols, fact) ? -1 : 0;
}

int tk_code_map_want(struct tk_code_map *map, uint64_t address, bool exact)
{
    struct tk_code_address wanted = {address, exact};
    if (tk_map_get(&map->seen[exact], address) != TK_MAP_NONE)
        return 0;
    if (map->wanted.n >= TK_MAP_NONE - 1 || tk_vec_push(&map->wanted, wanted))
        return -1;
    return tk_map_put(&map->seen[exact], address, (uint32_t)map->wanted.n - 1);
}

/* An address and the module that may hold it. */
struct placed {
    const struct tk_module *module;
    uint64_t address;
    bool exact;
};

struct settling {
    struct tk_code_map *map;
    const struct tk_symbolizer *symbolizer;
    struct placed *v;
    size_t n;
};

static int by_module(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->exact - y->exact;
}

/* Modules of addresses that no module of the capture names are the ones below; how far these reach their
 * files say. */
static void place(struct settling *s)
{
    s->n = 0;
    for (size_t i = 0; i < s->map->wanted.n; i++) {
        const struct tk_code_address *a = &s->map->wanted.v[i];
        const struct tk_module *module = tk_module_below(&s->map->modules, a->address);
        const struct tk_symbol *symbol = tk_symbol_at(&s->map->symbols, a->address);
        if (module && (!symbol || symbol->open))
            s->v[s->n++] = (struct placed){module, a->address, a->exact};
    }
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, by_module);
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

struct giving {
    struct tk_code_map *map;
    const struct placed *v;
};

static int take_places(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n)
{
    const struct giving *g = to;
    return tk_symbol_list_add(&g->map->symbols, g->v[i].address, g->v[i].exact, places, n);
}

static int ask(struct settling *s)
{
    struct tk_symbol_ask *asks = malloc((s->n + 1) * sizeof *asks);
    int rc = asks ? 0 : -1;
    for (size_t at = 0, n; at < s->n && rc == 0; at += n) {
        const struct tk_fact_module *info = &s->v[at].module->info;
        struct giving g = {s->map, s->v + at};
        n = group_of(s, at);
        for (size_t i = 0; i < n; i++)
            asks[i] = (struct tk_symbol_ask){s->v[at + i].address - info->base, s->v[at + i].exact};
        rc = s->symbolizer->resolve(s->symbolizer->self, info, asks, n, take_places, &g);
    }
    free(asks);
    return rc;
}

/* ---- frames that a capture left open ---- */

/* An address in an image that has no module. */
struct open_frame {
    const struct tk_str *image;
    uint64_t address, offset;
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
            tk_vec_push(out, ((struct open_frame){symbol->image, a->address, symbol->offset, a->exact})))
            return -1;
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_image);
    return 0;
}

struct giving_open {
    struct tk_code_map *map;
    const struct open_frame *v;
};

static int take_open(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n)
{
    const struct giving_open *g = to;
    return tk_symbol_list_add(&g->map->symbols, g->v[i].address, g->v[i].exact, places, n);
}

static int ask_image(struct tk_code_map *map, const struct tk_symbolizer *symbolizer,
                     const struct open_frame *v, size_t n)
{
    const struct tk_fact_module module = {.name = v->image, .loaded = true};
    struct tk_symbol_ask *asks = malloc(n * sizeof *asks);
    struct giving_open g = {map, v};
    if (!asks)
        return -1;
    for (size_t i = 0; i < n; i++)
        asks[i] = (struct tk_symbol_ask){v[i].offset, v[i].exact};
    int rc = symbolizer->resolve(symbolizer->self, &module, asks, n, take_open, &g);
    free(asks);
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
    if (settle_open(map, s.symbolizer))
        return -1;
    if (!map->modules.modules.n)
        return 0;
    s.v = malloc(map->wanted.n * sizeof *s.v);
    int rc = s.v ? 0 : -1;
    if (rc == 0) {
        place(&s);
        rc = measure(&s);
    }
    if (rc == 0)
        rc = tk_module_list_settle(&map->modules);
    if (rc == 0) {
        drop_strays(&s);
        rc = ask(&s);
    }
    free(s.v);
    return rc;
}

const struct tk_symbol *tk_code_symbol(const struct tk_code_map *map, uint64_t address, bool exact)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    const struct tk_symbol *found =
        !symbol || symbol->open ? tk_symbol_found(&map->symbols, address, exact) : NULL;
    return found ? found : symbol;
}

void tk_code_map_release(struct tk_code_map *map)
{
    tk_module_list_release(&map->modules);
    tk_symbol_list_release(&map->symbols);
    tk_vec_release(&map->wanted);
    tk_map_release(&map->seen[0]);
    tk_map_release(&map->seen[1]);
}
