/*
 * Functions of addresses that samples met. See sample_places.h.
 */
#include "model/samples/sample_places.h"

/* ---- texts ---- */

static const struct tk_str *keep(struct tk_sample_places *p, struct tk_map *map, const struct tk_str *key,
                                 const struct tk_str *text)
{
    const struct tk_str *kept = tk_intern(&p->texts, text->p, text->n, (enum tk_encoding)text->enc);
    if (!kept || tk_vec_push(&p->kept, kept) || tk_map_put(map, (uintptr_t)key, (uint32_t)p->kept.n - 1))
        return NULL;
    return kept;
}

/* A text as equal ones are one. NULL: it is none, or out of memory. */
static const struct tk_str *own_text(struct tk_sample_places *p, const struct tk_str *text)
{
    const uint32_t at = text ? tk_map_get(&p->known, (uintptr_t)text) : TK_MAP_NONE;
    return !text ? NULL : at != TK_MAP_NONE ? p->kept.v[at] : keep(p, &p->known, text, text);
}

/* The path of a module or image without folders. NULL: there is none, or out of memory. */
static const struct tk_str *short_name(struct tk_sample_places *p, const struct tk_str *path)
{
    const uint32_t at = path ? tk_map_get(&p->short_names, (uintptr_t)path) : TK_MAP_NONE;
    if (at != TK_MAP_NONE || !path)
        return path ? p->kept.v[at] : NULL;
    const struct tk_str name = tk_path_last_part(path);
    return keep(p, &p->short_names, path, &name);
}

/* ---- places ---- */

struct asked {
    const struct tk_code_map *code;
    struct tk_code_address address;
    const struct tk_module *module;
    const struct tk_str *name; /* of the module or image */
};

static const struct tk_str *bare_text(struct tk_sample_places *p, const struct asked *a)
{
    const struct tk_code_place place = tk_code_place_of(a->code, a->module, a->address.address);
    return tk_code_bare_text(&p->texts, &place, a->address.address);
}

static int add(struct tk_sample_places *p, const struct asked *a, const struct tk_symbol_place *place)
{
    const struct tk_sample_place made = {.function =
                                             place->function ? own_text(p, place->function) : bare_text(p, a),
                                         .module = a->name,
                                         .file = own_text(p, place->file),
                                         .line = place->line,
                                         .number = (uint32_t)p->v.n,
                                         .known = place->function != NULL};
    if (!made.function || (place->file && !made.file) || p->v.n >= TK_MAP_NONE - 1)
        return -1;
    return tk_vec_push(&p->v, made);
}

/* Adds the functions of an address; of a symbol they are those of all its addresses. */
static int find(struct tk_sample_places *p, const struct asked *a, const struct tk_symbol *symbol,
                struct tk_sample_places_at *made)
{
    static const struct tk_symbol_place nothing = {.function = NULL};
    const bool known = symbol && !symbol->open;
    int rc = 0;
    *made = (struct tk_sample_places_at){(uint32_t)p->v.n, known ? symbol->n : 1};
    for (uint32_t i = 0; i < made->n && rc == 0; i++)
        rc = add(p, a, known ? tk_symbol_place(&a->code->symbols, symbol, i) : &nothing);
    return rc;
}

/* Have all addresses of a symbol the same places? Those of one are in one module; but what an address without
 * a function is called is its own, and so is the image that a capture tells. */
static bool is_shared(const struct tk_code_map *code, uint32_t number, const struct tk_symbol *symbol)
{
    bool known = symbol && symbol == tk_code_found(code, number) &&
                 !tk_symbol_at(&code->symbols, code->wanted.v[number].address);
    for (uint32_t i = 0; known && i < symbol->n; i++)
        known = tk_symbol_place(&code->symbols, symbol, i)->function != NULL;
    return known;
}

static int look_up(struct tk_sample_places *p, const struct tk_code_map *code, uint32_t number, bool own,
                   struct tk_sample_places_at *made)
{
    const struct tk_code_address address = code->wanted.v[number];
    const struct tk_symbol *symbol = tk_code_symbol(code, address.address, address.exact);
    const size_t at = symbol ? (size_t)(symbol - code->symbols.symbols.v) : 0;
    const bool shares = is_shared(code, number, symbol);
    if (shares && tk_vec_reach(&p->shared[own], at + 1))
        return -1;
    if (shares && p->shared[own].v[at].n) {
        *made = p->shared[own].v[at];
        return 0;
    }
    struct asked a = {code, address, own ? tk_module_at(&code->modules, address.address) : NULL, NULL};
    const struct tk_str *path = a.module ? a.module->info.name : tk_code_image(code, address.address);
    a.name = short_name(p, path);
    if ((path && !a.name) || find(p, &a, symbol, made))
        return -1;
    if (shares)
        p->shared[own].v[at] = *made;
    return 0;
}

/* Addresses that were not announced are from now on. */
static uint32_t number_of(struct tk_code_map *code, struct tk_code_address address)
{
    const uint32_t number = tk_code_number(code, address.address, address.exact);
    if (number != TK_MAP_NONE)
        return number;
    return tk_code_map_want(code, address.address, address.exact) ? TK_MAP_NONE
                                                                  : (uint32_t)code->wanted.n - 1;
}

int tk_sample_places_of(struct tk_sample_places *p, struct tk_code_map *code, struct tk_code_address address,
                        bool own, uint32_t *first, uint32_t *n)
{
    const uint32_t number = number_of(code, address);
    if (number == TK_MAP_NONE || tk_vec_reach(&p->at[own], code->wanted.n))
        return -1;
    struct tk_sample_places_at *at = &p->at[own].v[number];
    if (!at->n && look_up(p, code, number, own, at))
        return -1;
    *first = at->first;
    *n = at->n;
    return 0;
}

void tk_sample_places_release(struct tk_sample_places *p)
{
    tk_vec_release(&p->v);
    for (unsigned i = 0; i < 2; i++) {
        tk_vec_release(&p->at[i]);
        tk_vec_release(&p->shared[i]);
    }
    tk_intern_release(&p->texts);
    tk_map_release(&p->known);
    tk_map_release(&p->short_names);
    tk_vec_release(&p->kept);
}
