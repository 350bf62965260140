/*
 * The map of live records. Removing a key closes the gap in the table, so removed keys take no space.
 */
#include "base/record_map.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define IN_USE (UINT32_MAX - 1)

struct tk_record_map_slot {
    uint64_t key;
    uint32_t place; /* TK_RECORD_MAP_NONE: empty */
};

void tk_record_map_init(struct tk_record_map *l, size_t size)
{
    *l = (struct tk_record_map){.size = size, .free = TK_RECORD_MAP_NONE};
}

/* The slot of a key, or the empty one where it belongs. There is always one empty. */
static size_t find_record_map(const struct tk_record_map *l, uint64_t key)
{
    size_t i = (size_t)tk_hash_u64(key) & l->mask;
    while (l->slots[i].place != TK_RECORD_MAP_NONE && l->slots[i].key != key)
        i = (i + 1) & l->mask;
    return i;
}

void *tk_record_map_get(const struct tk_record_map *l, uint64_t key)
{
    if (!l->slots)
        return NULL;
    uint32_t place = l->slots[find_record_map(l, key)].place;
    return place == TK_RECORD_MAP_NONE ? NULL : l->records + place * l->size;
}

static int grow_slots(struct tk_record_map *l)
{
    size_t n = l->slots ? 2 * (l->mask + 1) : 16;
    struct tk_record_map_slot *old = l->slots, *slots = malloc(n * sizeof *slots);
    size_t n_old = old ? l->mask + 1 : 0;
    if (!slots)
        return -1;
    for (size_t i = 0; i < n; i++)
        slots[i].place = TK_RECORD_MAP_NONE;
    l->slots = slots;
    l->mask = n - 1;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].place != TK_RECORD_MAP_NONE)
            slots[find_record_map(l, old[i].key)] = old[i];
    }
    free(old);
    return 0;
}

static int grow_places(struct tk_record_map *l)
{
    if (l->cap > UINT32_MAX / 4)
        return -1;
    uint32_t cap = l->cap ? 2 * l->cap : 16;
    uint8_t *records = realloc(l->records, cap * l->size);
    if (records)
        l->records = records;
    uint64_t *keys = realloc(l->keys, cap * sizeof *keys);
    if (keys)
        l->keys = keys;
    uint32_t *next = realloc(l->next, cap * sizeof *next);
    if (next)
        l->next = next;
    if (!records || !keys || !next)
        return -1;
    l->cap = cap;
    return 0;
}

static uint32_t take_place(struct tk_record_map *l)
{
    uint32_t place = l->free;
    if (place != TK_RECORD_MAP_NONE) {
        l->free = l->next[place];
        return place;
    }
    if (l->n == l->cap && grow_places(l))
        return TK_RECORD_MAP_NONE;
    return l->n++;
}

void *tk_record_map_put(struct tk_record_map *l, uint64_t key)
{
    if ((!l->slots || 2 * (l->count + 1) > l->mask) && grow_slots(l))
        return NULL;
    struct tk_record_map_slot *slot = &l->slots[find_record_map(l, key)];
    uint32_t place = slot->place;
    if (place == TK_RECORD_MAP_NONE) {
        place = take_place(l);
        if (place == TK_RECORD_MAP_NONE)
            return NULL;
        *slot = (struct tk_record_map_slot){key, place};
        l->keys[place] = key;
        l->next[place] = IN_USE;
        l->count++;
    }
    return memset(l->records + place * l->size, 0, l->size);
}

/* Moves those behind a gap that belong before it. */
static void close_gap(struct tk_record_map *l, size_t gap)
{
    for (size_t i = (gap + 1) & l->mask; l->slots[i].place != TK_RECORD_MAP_NONE; i = (i + 1) & l->mask) {
        size_t home = (size_t)tk_hash_u64(l->slots[i].key) & l->mask;
        if (((i - home) & l->mask) < ((i - gap) & l->mask))
            continue;
        l->slots[gap] = l->slots[i];
        gap = i;
    }
    l->slots[gap].place = TK_RECORD_MAP_NONE;
}

void tk_record_map_remove(struct tk_record_map *l, uint64_t key)
{
    size_t i = l->slots ? find_record_map(l, key) : 0;
    if (!l->slots || l->slots[i].place == TK_RECORD_MAP_NONE)
        return;
    uint32_t place = l->slots[i].place;
    l->next[place] = l->free;
    l->free = place;
    l->count--;
    close_gap(l, i);
}

void *tk_record_map_at(const struct tk_record_map *l, uint32_t place, uint64_t *key)
{
    if (place >= l->n || l->next[place] != IN_USE)
        return NULL;
    *key = l->keys[place];
    return l->records + place * l->size;
}

void tk_record_map_clear(struct tk_record_map *l)
{
    for (size_t i = 0; l->slots && i <= l->mask; i++)
        l->slots[i].place = TK_RECORD_MAP_NONE;
    l->count = 0;
    l->n = 0;
    l->free = TK_RECORD_MAP_NONE;
}

void tk_record_map_release(struct tk_record_map *l)
{
    free(l->slots);
    free(l->records);
    free(l->keys);
    free(l->next);
    tk_record_map_init(l, l->size);
}
