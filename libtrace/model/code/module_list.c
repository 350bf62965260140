/*
 * Modules by address. See module_list.h.
 */
#include "model/code/module_list.h"

#include "base/binary_search.h"
#include "base/sort.h"
#include "base/health/health_once.h"

#include <stdlib.h>
#include <string.h>

static void unload(struct tk_module_list *list, uint64_t base)
{
    const uint32_t found = tk_map_get(&list->loaded, base);
    if (found == TK_MAP_NONE || !found) {
        list->strays++;
        return;
    }
    struct tk_module *m = &list->modules.v[found - 1];
    m->unloaded = true;
    tk_map_put(&list->loaded, base, m->below); /* the key is there, so this takes no memory */
}

int tk_module_list_feed(struct tk_module_list *list, const struct tk_fact *fact)
{
    struct tk_module module = {.info = fact->u.module};
    if (fact->kind != TK_FACT_MODULE)
        return 0;
    if (!fact->u.module.loaded) {
        unload(list, fact->u.module.base);
        return 0;
    }
    const uint32_t below = tk_map_get(&list->loaded, module.info.base);
    module.below = below == TK_MAP_NONE ? 0 : below;
    return list->modules.n >= TK_MAP_NONE - 1 || tk_vec_push(&list->modules, module) ||
                   tk_map_put(&list->loaded, module.info.base, (uint32_t)list->modules.n)
               ? -1
               : 0;
}

void tk_module_list_note(const struct tk_module_list *list, struct tk_health *health)
{
    if (list->strays)
        tk_health_note_once(health, TK_HEALTH_DEFINITION_MISSING, list->strays,
                            "modules that were never loaded were unloaded");
}

struct by_base {
    uint64_t base;
    uint32_t index;
};

static int compare_module_list(const void *a, const void *b)
{
    const struct by_base *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

#define SPARE ((uint64_t)1 << 20)

/* Is the size that a capture has of modules of this format their extent? (symbols 1.2) */
static bool is_exact(const struct tk_module *m)
{
    const struct tk_str *format = m->info.format;
    return !format || !((format->n == 5 && memcmp(format->p, "dwarf", 5) == 0) ||
                        (format->n == 4 && memcmp(format->p, "psym", 4) == 0));
}

/* The last address of a module in front of another (0: none); one without a size has only its base. */
static uint64_t last_of(const struct tk_module *m, uint64_t next)
{
    bool guessed = !m->extent && m->info.size && !is_exact(m);
    uint64_t size = m->extent ? m->extent : m->info.size, more = size ? size - 1 : 0;
    more += guessed ? SPARE : 0;
    uint64_t last = m->info.base > UINT64_MAX - more ? UINT64_MAX : m->info.base + more;
    return guessed && next && last >= next ? next - 1 : last;
}

/* The base of the next module that has another one; 0: there is none. */
static uint64_t next_base(const struct by_base *sorted, size_t n, size_t at)
{
    for (size_t i = at + 1; i < n; i++)
        if (sorted[i].base != sorted[at].base)
            return sorted[i].base;
    return 0;
}

static void fill_module_list(struct tk_module_list *list, const struct by_base *sorted)
{
    uint64_t reach = 0, next = 0;
    size_t n = list->modules.n;
    for (size_t i = 0; i < n; i++) {
        struct tk_module *m = &list->modules.v[sorted[i].index];
        if (i == 0 || sorted[i].base != sorted[i - 1].base)
            next = next_base(sorted, n, i);
        m->last = last_of(m, next);
        reach = m->last > reach ? m->last : reach;
        list->order[i] = sorted[i].index;
        list->reach[i] = reach;
    }
}

void tk_module_list_extend(struct tk_module_list *list, const struct tk_module *module, uint64_t extent)
{
    if (extent)
        list->modules.v[module - list->modules.v].extent = extent;
}

int tk_module_list_settle(struct tk_module_list *list)
{
    size_t n = list->modules.n;
    struct by_base *sorted = malloc((n + 1) * sizeof *sorted);
    free(list->order);
    free(list->reach);
    list->order = malloc((n + 1) * sizeof *list->order);
    list->reach = malloc((n + 1) * sizeof *list->reach);
    bool failed = !sorted || !list->order || !list->reach;
    for (size_t i = 0; !failed && i < n; i++)
        sorted[i] = (struct by_base){list->modules.v[i].info.base, (uint32_t)i};
    failed = failed || tk_sort(sorted, n, sizeof *sorted, compare_module_list);
    if (!failed)
        fill_module_list(list, sorted);
    free(sorted);
    return failed ? -1 : 0;
}

static bool is_better(const struct tk_module *a, const struct tk_module *b)
{
    if (a->unloaded != b->unloaded)
        return !a->unloaded;
    return a->info.base != b->info.base ? a->info.base > b->info.base : a > b;
}

/* How many have their base at or below an address. */
static size_t below(const struct tk_module_list *list, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, list->order ? list->modules.n : 0, list->modules.v[list->order[at]].info.base <= address);
    return at;
}

const struct tk_module *tk_module_at(const struct tk_module_list *list, uint64_t address)
{
    const struct tk_module *best = NULL;
    for (size_t i = below(list, address); i-- > 0 && list->reach[i] >= address;) {
        const struct tk_module *m = &list->modules.v[list->order[i]];
        if (m->last >= address && (!best || is_better(m, best)))
            best = m;
    }
    return best;
}

const struct tk_module *tk_module_below(const struct tk_module_list *list, uint64_t address)
{
    const struct tk_module *module = tk_module_at(list, address);
    size_t at = module ? 0 : below(list, address);
    return at ? &list->modules.v[list->order[at - 1]] : module;
}

struct tk_str tk_path_last_part(const struct tk_str *path)
{
    struct tk_str name = *path;
    for (uint32_t i = name.n; name.enc != TK_ENC_UTF16 && i-- > 0;) {
        if (name.p[i] == '/' || name.p[i] == '\\') {
            name.p += i + 1;
            name.n -= i + 1;
            break;
        }
    }
    return name;
}

void tk_module_list_release(struct tk_module_list *list)
{
    tk_vec_release(&list->modules);
    tk_map_release(&list->loaded);
    free(list->order);
    free(list->reach);
    list->order = NULL;
    list->reach = NULL;
}
