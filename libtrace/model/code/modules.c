/*
 * Table `modules`: executables and libraries, in the order in which they were loaded.
 */
#include "model/code/module_list.h"
#include "query/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

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
    .facts = TK_FACT_MASK(MODULE),
    TK_COLLECTS(gathering),
};
