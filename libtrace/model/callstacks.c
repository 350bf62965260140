/*
 * Table `callstacks`: the frames of callstacks, in order of ids, innermost frame first. A frame is told by
 * its module and its offset in it: names of functions are not in a capture, they are to be looked up in the
 * symbols of the module.
 */
#include "model/builders.h"
#include "model/callstack_list.h"
#include "model/gather.h"
#include "model/module_list.h"
#include "model/sort.h"
#include "model/view.h"

enum { CALLSTACK, FRAME, ADDRESS, MODULE, OFFSET, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [CALLSTACK] = {"callstack", TK_UINT, 0, NULL, "id of the callstack"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the frame, 0 innermost"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "return address; subtract 1 to look up symbols"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module it lies in; empty where it lies in none"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "address without the base of the module"},
};

static const struct tk_table table = {
    .name = "callstacks",
    .help = "frames of callstacks by module and offset (the names of functions are not in a capture)",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct callstacks {
    struct tk_gather g;
    struct tk_module_list modules;
    struct tk_callstack_list list;
};

static int start(void *self)
{
    struct callstacks *c = self;
    struct tk_context *ctx = c->g.view->ctx;
    tk_callstack_list_init(&c->list, &ctx->health, ctx->limits.callstack_bytes, UINT32_MAX);
    return 0;
}

static int take(void *self, const struct tk_fact *fact)
{
    struct callstacks *c = self;
    return tk_callstack_list_feed(&c->list, fact) || tk_module_list_feed(&c->modules, fact) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_callstack *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int send_stack(const struct callstacks *c, const struct tk_callstack *stack, struct tk_emit *emit)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        uint64_t address = c->list.frames.v[stack->first + i];
        const struct tk_module *module = tk_module_at(&c->modules, address);
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        row[CALLSTACK] = tk_cell_of_uint(stack->id);
        row[FRAME] = tk_cell_of_uint(i);
        row[ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = address};
        if (!module)
            continue;
        struct tk_str name = tk_module_short_name(module);
        row[MODULE] = tk_cell_of_text(&name);
        row[OFFSET] = (struct tk_cell){.kind = TK_HEX, .v.u = address - module->info.base};
    }
    return TK_OK;
}

static int settle(void *self)
{
    struct callstacks *c = self;
    return tk_module_list_settle(&c->modules) ||
                   tk_sort(c->list.stacks.v, c->list.stacks.n, sizeof *c->list.stacks.v, by_id)
               ? -1
               : 0;
}

static int send(void *self, struct tk_emit *emit)
{
    const struct callstacks *c = self;
    int rc = TK_OK;
    for (size_t i = 0; i < c->list.stacks.n && rc == TK_OK; i++)
        rc = send_stack(c, &c->list.stacks.v[i], emit);
    return 0;
}

static void release(void *self)
{
    struct callstacks *c = self;
    tk_callstack_list_release(&c->list);
    tk_module_list_release(&c->modules);
}

static const struct tk_gathering gathering = {
    .what = "callstacks",
    .start = start,
    .take = take,
    .settle = settle,
    .release = release,
    .size = sizeof(struct callstacks),
    .send = send,
};

const struct tk_builder tk_builder_callstacks = {
    .table = &table,
    .facts = TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(MODULE),
    TK_GATHERS(gathering),
};
