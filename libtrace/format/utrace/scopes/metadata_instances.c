/*
 * Pages of metadata instances: see metadata_instances.h.
 */
#include "format/utrace/scopes/metadata_instances.h"

#include "base/hash/hash.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 12
#define PAGE_SIZE (1u << PAGE_BITS)
#define NARROW    255 /* timers a narrow page can tell; index 0 is none */

struct page {
    uint8_t *narrow;   /* PAGE_SIZE indices into the palette plus one; NULL when wide; owned */
    uint32_t *wide;    /* PAGE_SIZE timers; owned */
    uint32_t *palette; /* owned */
    uint32_t n, cap;
};

struct tk_ut_metadata_instances {
    TK_VEC(struct page) pages;
    struct tk_map index;          /* instance >> PAGE_BITS -> page */
    uint32_t last_key, last_page; /* the page in use */
};

static struct page *page_of(struct tk_ut_metadata_instances *s, uint32_t key)
{
    if (s->pages.n && s->last_key == key)
        return &s->pages.v[s->last_page];
    uint32_t i = tk_map_get(&s->index, key);
    if (i == TK_MAP_NONE) {
        struct page p = {.narrow = calloc(PAGE_SIZE, 1)};
        i = (uint32_t)s->pages.n;
        if (!p.narrow || tk_vec_push(&s->pages, p)) {
            free(p.narrow);
            return NULL;
        }
        if (tk_map_put(&s->index, key, i))
            return NULL;
    }
    s->last_key = key;
    s->last_page = i;
    return &s->pages.v[i];
}

static int widen(struct page *p)
{
    uint32_t *wide = malloc(PAGE_SIZE * sizeof *wide);
    if (!wide)
        return -1;
    for (size_t i = 0; i < PAGE_SIZE; i++)
        wide[i] = p->narrow[i] ? p->palette[p->narrow[i] - 1] : UINT32_MAX;
    free(p->narrow);
    free(p->palette);
    *p = (struct page){.wide = wide};
    return 0;
}

/* Place of a timer in the palette plus one, or 0 when it cannot be put there. */
static uint32_t palette_index(struct page *p, uint32_t timer)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->palette[i] == timer)
            return i + 1;
    if (p->n == NARROW)
        return 0;
    if (p->n == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 8;
        uint32_t *v = realloc(p->palette, cap * sizeof *v);
        if (!v)
            return 0;
        p->palette = v;
        p->cap = cap;
    }
    p->palette[p->n++] = timer;
    return p->n;
}

int tk_ut_metadata_instances_put(struct tk_ut_metadata_instances **set, uint32_t instance, uint32_t timer)
{
    struct page *p;
    if (!*set && !(*set = calloc(1, sizeof **set)))
        return -1;
    if (!(p = page_of(*set, instance >> PAGE_BITS)))
        return -1;
    if (p->narrow) {
        uint32_t index = palette_index(p, timer);
        if (index) {
            p->narrow[instance & (PAGE_SIZE - 1)] = (uint8_t)index;
            return 0;
        }
        if (widen(p))
            return -1;
    }
    p->wide[instance & (PAGE_SIZE - 1)] = timer;
    return 0;
}

uint32_t tk_ut_metadata_instances_get(const struct tk_ut_metadata_instances *set, uint32_t instance)
{
    uint32_t i = set ? tk_map_get(&set->index, instance >> PAGE_BITS) : TK_MAP_NONE;
    if (i == TK_MAP_NONE)
        return UINT32_MAX;
    const struct page *p = &set->pages.v[i];
    uint32_t at = instance & (PAGE_SIZE - 1);
    if (p->wide)
        return p->wide[at];
    return p->narrow[at] ? p->palette[p->narrow[at] - 1] : UINT32_MAX;
}

void tk_ut_metadata_instances_free(struct tk_ut_metadata_instances *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->pages.n; i++) {
        free(set->pages.v[i].narrow);
        free(set->pages.v[i].wide);
        free(set->pages.v[i].palette);
    }
    tk_vec_release(&set->pages);
    tk_map_release(&set->index);
    free(set);
}
