/*
 * Table `modules`: executables and libraries, in the order in which they were loaded.
 */
#include "base/health/health.h"
#include "base/sort.h"
#include "model/code/module_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

/*
 * Modules by address.
 */

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

enum { NAME, BASE, SIZE, IMAGE_ID, FORMAT, UNLOADED, PATH, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"module", TK_TEXT, 0, NULL, "file name without directories"},
    [BASE] = {"base", TK_HEX, 0, NULL, "base address"},
    [SIZE] = {"bytes", TK_SIZE, 0, NULL, "size in the address space"},
    [IMAGE_ID] = {"image_id", TK_TEXT, 0, NULL, "build id in hexadecimal, used to find its symbols"},
    [FORMAT] = {"symbol_format", TK_TEXT, 0, NULL, "format of its symbols: pdb, dwarf or psym"},
    [UNLOADED] = {"unloaded", TK_BOOL, 0, NULL, "was it unloaded before the end?"},
    [PATH] = {"path", TK_TEXT, TK_COL_EXTRA, NULL, "path on the recorded machine, as in the capture"},
};

static const struct tk_table table = {
    .name = "modules",
    .help = "executables and libraries, in the order in which they were loaded",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct modules {
    struct tk_collector g;
    struct tk_module_list list;
};

static int take_modules(void *self, const struct tk_fact *fact)
{
    return tk_module_list_feed(&((struct modules *)self)->list, fact);
}

static struct tk_cell hex(struct tk_emit *emit, const uint8_t *p, uint32_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[128];
    size_t at = 0;
    for (; n && at < sizeof text / 2 && at < n; at++) {
        text[2 * at] = digits[p[at] >> 4];
        text[2 * at + 1] = digits[p[at] & 15];
    }
    const char *kept = at ? tk_emit_bytes(emit, text, 2 * at) : NULL;
    if (!kept)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .n = 2 * (uint32_t)at, .v.p = kept};
}

static int settle_modules(void *self)
{
    const struct modules *m = self;
    tk_module_list_note(&m->list, &m->g.view->ctx->health);
    return 0;
}

static void fill_modules(const void *self, const void *thing, struct tk_cell *row)
{
    const struct modules *m = self;
    const struct tk_module *module = thing;
    struct tk_str name = tk_module_short_name(module);
    row[NAME] = tk_cell_of_text(&name);
    row[BASE] = (struct tk_cell){.kind = TK_HEX, .v.u = module->info.base};
    row[SIZE] = tk_cell_of_size(module->info.size);
    row[IMAGE_ID] = hex(m->g.emit, module->info.image, module->info.n_image);
    row[FORMAT] = tk_cell_of_text(module->info.format);
    row[UNLOADED] = tk_cell_of_bool(module->unloaded);
    row[PATH] = tk_cell_of_text(module->info.name);
}

static void release_modules(void *self)
{
    tk_module_list_release(&((struct modules *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "modules",
    .take = take_modules,
    .settle = settle_modules,
    .release = release_modules,
    TK_COLLECTOR_ROWS(struct modules, list.modules),
    .fill = fill_modules,
};

const struct tk_builder tk_builder_modules = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(MODULE)},
    TK_COLLECTS(gathering),
};
