/*
 * Places of callstacks. See alloc_places.h.
 */
#include "model/memory/alloc_places.h"

enum { NOWHERE, NOT_DEFINED };

void tk_alloc_places_init(struct tk_alloc_places *p, struct tk_context *ctx, const char *allocators)
{
    *p = (struct tk_alloc_places){.settled = false};
    tk_memory_names_init(&p->names, ctx);
    p->names.allocators.text = allocators;
}

int tk_alloc_places_feed(struct tk_alloc_places *p, const struct tk_fact *fact)
{
    return TK_ALLOC_PLACE_FACTS >> fact->kind & 1 ? tk_memory_names_feed(&p->names, fact) : 0;
}

/* The number of a text, from 1; 0: none. 0, or -1 if out of memory. */
static int number_of(struct tk_alloc_places *p, const struct tk_str *text, uint32_t *out)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    *out = 0;
    if (!text)
        return 0;
    *out = tk_map_get(&p->text_index, key);
    if (*out != TK_MAP_NONE)
        return 0;
    if (tk_vec_push(&p->texts, text))
        return -1;
    *out = (uint32_t)p->texts.n;
    return tk_map_put(&p->text_index, key, *out);
}

/* The number of a key in a map, which is `next` where it is new. */
static int number_in(struct tk_map *map, uint64_t key, size_t next, uint32_t *out)
{
    *out = tk_map_get(map, key);
    if (*out != TK_MAP_NONE)
        return 0;
    *out = (uint32_t)next;
    return tk_map_put(map, key, *out);
}

/* The number of the place with these texts. 0, or -1 if out of memory. */
static int place_with(struct tk_alloc_places *p, const struct tk_alloc_place *place, uint32_t *out)
{
    const uint32_t *texts = place->texts;
    uint32_t pair;
    if (number_in(&p->pairs, (uint64_t)texts[TK_PLACE_FUNCTION] << 32 | texts[TK_PLACE_MODULE],
                  p->pairs.count, &pair) ||
        number_in(&p->index, (uint64_t)pair << 32 | texts[TK_PLACE_FILE], p->places.n, out))
        return -1;
    return *out == p->places.n ? tk_vec_push(&p->places, *place) : 0;
}

static int find_place(struct tk_alloc_places *p, uint64_t callstack, uint32_t *out)
{
    struct tk_memory_place found;
    struct tk_alloc_place place;
    if (tk_memory_place_of(&p->names, callstack, &found) ||
        number_of(p, found.function, &place.texts[TK_PLACE_FUNCTION]) ||
        number_of(p, found.module, &place.texts[TK_PLACE_MODULE]) ||
        number_of(p, found.file, &place.texts[TK_PLACE_FILE]))
        return -1;
    return place_with(p, &place, out);
}

/* That of callstack 0, and that of callstacks which are not defined. */
static int settle_fixed(struct tk_alloc_places *p)
{
    const struct tk_alloc_place nowhere = {{0}};
    struct tk_alloc_place missing = {{0}};
    uint32_t at;
    if (place_with(p, &nowhere, &at) ||
        number_of(p, tk_memory_not_defined(), &missing.texts[TK_PLACE_FUNCTION]))
        return -1;
    return place_with(p, &missing, &at);
}

int tk_alloc_places_settle(struct tk_alloc_places *p)
{
    const size_t n = p->names.callstacks.stacks.n;
    int rc = tk_memory_names_settle(&p->names) || settle_fixed(p) || tk_vec_reserve(&p->of, n) ? -1 : 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = find_place(p, p->names.callstacks.stacks.v[i].id, &p->of.v[p->of.n++]);
    tk_memory_names_forget(&p->names);
    p->settled = true;
    return rc;
}

uint32_t tk_alloc_place_of(const struct tk_alloc_places *p, uint64_t callstack)
{
    const uint32_t i = tk_map_get(&p->names.callstacks.index, callstack);
    if (i != TK_MAP_NONE)
        return p->of.v[i];
    return callstack && !p->names.callstacks.full ? NOT_DEFINED : NOWHERE;
}

void tk_alloc_places_release(struct tk_alloc_places *p)
{
    tk_memory_names_release(&p->names);
    tk_vec_release(&p->of);
    tk_vec_release(&p->places);
    tk_vec_release(&p->texts);
    tk_map_release(&p->text_index);
    tk_map_release(&p->pairs);
    tk_map_release(&p->index);
}
