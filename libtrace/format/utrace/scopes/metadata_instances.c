/*
 * Pages of metadata instances.
 */
#include "base/hash.h"
#include "base/vec.h"
#include "format/utrace/scopes/timer_ids.h"

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
    uint32_t key; /* instance >> PAGE_BITS */
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
        struct page p = {.narrow = calloc(PAGE_SIZE, 1), .key = key};
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
    *p = (struct page){.wide = wide, .key = p->key};
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

/* ---- kept between questions ---- */

/* Of each page: its key, how many timers its palette has (0: it is wide), these, its instances. */
void tk_ut_metadata_instances_keep(const struct tk_ut_metadata_instances *set, struct tk_kept_bytes *out)
{
    tk_kept_put(out, set ? set->pages.n : 0);
    for (size_t at = 0; set && at < set->pages.n; at++) {
        const struct page *p = &set->pages.v[at];
        tk_kept_put(out, p->key);
        tk_kept_put(out, p->wide ? 0 : p->n);
        for (uint32_t i = 0; !p->wide && i < p->n; i++)
            tk_kept_put(out, p->palette[i]);
        for (size_t i = 0; p->wide && i < PAGE_SIZE; i++)
            tk_kept_put(out, (uint32_t)(p->wide[i] + 1));
        if (!p->wide)
            tk_kept_put_bytes(out, p->narrow, PAGE_SIZE);
    }
}

static bool load_wide(struct page *p, struct tk_cur *c, uint64_t n_timers)
{
    for (size_t i = 0; i < PAGE_SIZE && tk_cur_ok(c); i++) {
        const uint64_t timer = tk_varint(c, "an instance");
        if (timer > n_timers)
            return false;
        p->wide[i] = (uint32_t)timer - 1;
    }
    return tk_cur_ok(c);
}

static bool load_narrow(struct page *p, struct tk_cur *c, uint64_t n, uint64_t n_timers)
{
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        const uint64_t timer = tk_varint(c, "an instance");
        if (timer >= n_timers)
            return false;
        p->palette[i] = (uint32_t)timer;
    }
    const uint8_t *bytes = tk_take(c, PAGE_SIZE, "instances");
    for (size_t i = 0; bytes && i < PAGE_SIZE; i++)
        if (bytes[i] > n)
            return false;
    if (bytes)
        memcpy(p->narrow, bytes, PAGE_SIZE);
    return bytes != NULL;
}

static int load_page(struct tk_ut_metadata_instances *set, struct tk_cur *c, uint64_t n_timers)
{
    const uint64_t key = tk_varint(c, "instances"), n = tk_varint(c, "instances");
    if (key > UINT32_MAX >> PAGE_BITS || n > NARROW || !tk_cur_ok(c))
        return TK_EFORMAT;
    struct page *p = page_of(set, (uint32_t)key);
    if (!p)
        return TK_ENOMEM;
    free(p->narrow);
    free(p->wide);
    free(p->palette);
    *p = (struct page){.n = (uint32_t)n, .cap = (uint32_t)n, .key = (uint32_t)key};
    if (!n) {
        p->wide = malloc(PAGE_SIZE * sizeof *p->wide);
        return !p->wide ? TK_ENOMEM : load_wide(p, c, n_timers) ? TK_OK : TK_EFORMAT;
    }
    p->palette = malloc((size_t)n * sizeof *p->palette);
    p->narrow = calloc(PAGE_SIZE, 1);
    if (!p->palette || !p->narrow)
        return TK_ENOMEM;
    return load_narrow(p, c, n, n_timers) ? TK_OK : TK_EFORMAT;
}

int tk_ut_metadata_instances_load(struct tk_ut_metadata_instances **set, struct tk_cur c, uint64_t n_timers)
{
    int rc = TK_OK;
    if (!*set && !(*set = calloc(1, sizeof **set)))
        return TK_ENOMEM;
    for (uint64_t i = tk_varint(&c, "instances"); i > 0 && rc == TK_OK; i--)
        rc = load_page(*set, &c, n_timers);
    return rc == TK_OK && (!tk_cur_ok(&c) || tk_cur_left(&c)) ? TK_EFORMAT : rc;
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
