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

static int find(struct tk_sample_places *p, const struct asked *a)
{
    static const struct tk_symbol_place nothing = {.function = NULL};
    const struct tk_symbol *symbol = tk_code_symbol(a->code, a->address.address, a->address.exact);
    if (!symbol || symbol->open)
        return add(p, a, &nothing);
    int rc = 0;
    for (uint32_t i = 0; i < symbol->n && rc == 0; i++)
        rc = add(p, a, tk_symbol_place(&a->code->symbols, symbol, i));
    return rc;
}

int tk_sample_places_of(struct tk_sample_places *p, const struct tk_code_map *code,
                        struct tk_code_address address, bool own, uint32_t *first, uint32_t *n)
{
    struct tk_map *index = &p->index[2 * own + address.exact];
    uint32_t at = tk_map_get(index, address.address);
    if (at == TK_MAP_NONE) {
        struct asked a = {code, address, own ? tk_module_at(&code->modules, address.address) : NULL, NULL};
        const struct tk_str *path = a.module ? a.module->info.name : tk_code_image(code, address.address);
        struct tk_sample_places_at made = {.first = (uint32_t)p->v.n};
        *n = 0;
        a.name = short_name(p, path);
        if ((path && !a.name) || find(p, &a))
            return -1;
        made.n = (uint32_t)p->v.n - made.first;
        at = (uint32_t)p->at.n;
        if (tk_vec_push(&p->at, made) || tk_map_put(index, address.address, at))
            return -1;
    }
    *first = p->at.v[at].first;
    *n = p->at.v[at].n;
    return 0;
}

void tk_sample_places_release(struct tk_sample_places *p)
{
    tk_vec_release(&p->v);
    tk_vec_release(&p->at);
    for (unsigned i = 0; i < 4; i++)
        tk_map_release(&p->index[i]);
    tk_intern_release(&p->texts);
    tk_map_release(&p->known);
    tk_map_release(&p->short_names);
    tk_vec_release(&p->kept);
}
