/*
 * Modules by address. See module_list.h.
 */
#include "model/code/module_list.h"

#include "base/binary_search.h"
#include "base/sort.h"

#include <stdlib.h>

static void unload(struct tk_module_list *list, uint64_t base)
{
    for (size_t i = list->modules.n; i-- > 0;) {
        struct tk_module *m = &list->modules.v[i];
        if (m->info.base == base && !m->unloaded) {
            m->unloaded = true;
            return;
        }
    }
    list->strays++;
}

int tk_module_list_feed(struct tk_module_list *list, const struct tk_fact *fact)
{
    struct tk_module module = {.info = fact->u.module};
    if (fact->kind != TK_FACT_MODULE)
        return 0;
    if (fact->u.module.loaded)
        return tk_vec_push(&list->modules, module);
    unload(list, fact->u.module.base);
    return 0;
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

/* The last address of a module; one without a size has only its base. */
static uint64_t last_of(const struct tk_module *m)
{
    uint64_t more = m->info.size ? m->info.size - 1 : 0;
    return m->info.base > UINT64_MAX - more ? UINT64_MAX : m->info.base + more;
}

static void fill_module_list(struct tk_module_list *list, const struct by_base *sorted)
{
    uint64_t reach = 0;
    for (size_t i = 0; i < list->modules.n; i++) {
        uint64_t last = last_of(&list->modules.v[sorted[i].index]);
        reach = last > reach ? last : reach;
        list->order[i] = sorted[i].index;
        list->reach[i] = reach;
    }
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
    return a > b;
}

const struct tk_module *tk_module_at(const struct tk_module_list *list, uint64_t address)
{
    const struct tk_module *best = NULL;
    size_t at;
    TK_SEARCH(at, list->order ? list->modules.n : 0, list->modules.v[list->order[at]].info.base <= address);
    for (size_t i = at; i-- > 0 && list->reach[i] >= address;) {
        const struct tk_module *m = &list->modules.v[list->order[i]];
        if (last_of(m) >= address && (!best || is_better(m, best)))
            best = m;
    }
    return best;
}

struct tk_str tk_module_short_name(const struct tk_module *module)
{
    struct tk_str name = *module->info.name;
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
    free(list->order);
    free(list->reach);
    list->order = NULL;
    list->reach = NULL;
}
