/*
 * Table `callstacks`: the frames of callstacks, in order of ids, innermost frame first. A frame has its
 * module and its offset in it, and its functions where the capture or the symbols of the module have them: it
 * has a row for each function inlined there, innermost first.
 */
#include "base/sort.h"
#include "model/code/callstack_list.h"
#include "model/code/code_place.h"
#include "query/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

enum { CALLSTACK, FRAME, ADDRESS, MODULE, OFFSET, FUNCTION, FILE_NAME, LINE, INLINED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [CALLSTACK] = {"callstack_id", TK_UINT, 0, NULL, "id of the callstack"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the frame, 0 innermost"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL,
                 "return address; functions and lines are those of the byte before it, inside the call. In "
                 "samples the first frame is the sampled address"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module that contains it; empty if there is none"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "offset of the address in the module"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function that contains it, if the capture or the symbols name it"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it"},
    [INLINED] = {"inlined", TK_BOOL, 0, NULL, "is the function inlined into that of the next row?"},
};

static const struct tk_table table = {
    .name = "callstacks",
    .help = "frames of callstacks by module and offset, and by function if known",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct callstacks {
    struct tk_collector g;
    struct tk_callstack_list list;
    struct tk_code_map code;
};

static int start_callstacks(void *self)
{
    struct callstacks *c = self;
    struct tk_context *ctx = c->g.view->ctx;
    tk_callstack_list_init(&c->list, &ctx->health, ctx->limits.callstack_bytes, UINT32_MAX);
    return 0;
}

static int take_callstacks(void *self, const struct tk_fact *fact)
{
    struct callstacks *c = self;
    return tk_callstack_list_feed_sampled(&c->list, fact) || tk_code_map_feed(&c->code, fact) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_callstack *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void fill_place(const struct tk_symbol_place *place, bool inlined, struct tk_cell *row)
{
    row[FUNCTION] = tk_cell_of_text(place->function);
    row[FILE_NAME] = tk_cell_of_text(place->file);
    if (place->file || place->line)
        row[LINE] = tk_cell_of_uint(place->line);
    row[INLINED] = tk_cell_of_bool(inlined);
}

static int send_frame(const struct callstacks *c, uint64_t id, uint32_t frame, uint64_t address, bool exact,
                      struct tk_emit *emit)
{
    const struct tk_symbol *symbol = tk_code_symbol(&c->code, address, exact);
    const struct tk_code_place place =
        tk_code_place_of(&c->code, tk_module_at(&c->code.modules, address), address);
    for (uint32_t i = 0; i < (symbol ? symbol->n : 1); i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[CALLSTACK] = tk_cell_of_uint(id);
        row[FRAME] = tk_cell_of_uint(frame);
        row[ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = address};
        row[MODULE] = tk_code_module_cell(&place);
        row[OFFSET] = tk_code_offset_cell(&place);
        if (symbol && !symbol->open)
            fill_place(tk_symbol_place(&c->code.symbols, symbol, i), i + 1 < symbol->n, row);
    }
    return tk_emit_status(emit);
}

/* Is a frame where a thread was, and no return address? */
static bool is_exact(const struct callstacks *c, const struct tk_callstack *stack, uint32_t i)
{
    return tk_callstack_is_sampled(&c->list, stack) && tk_code_is_exact(c->list.frames.v + stack->first, i);
}

static int send_stack(const struct callstacks *c, const struct tk_callstack *stack, struct tk_emit *emit)
{
    int rc = TK_OK;
    for (uint32_t i = 0; i < stack->n && rc == TK_OK; i++)
        rc = send_frame(c, stack->id, i, c->list.frames.v[stack->first + i], is_exact(c, stack, i), emit);
    return rc;
}

static int settle_callstacks(void *self)
{
    struct callstacks *c = self;
    for (size_t i = 0; i < c->list.stacks.n; i++) {
        const struct tk_callstack *stack = &c->list.stacks.v[i];
        for (uint32_t k = 0; k < stack->n; k++)
            if (tk_code_map_want(&c->code, c->list.frames.v[stack->first + k], is_exact(c, stack, k)))
                return -1;
    }
    return tk_code_map_settle(&c->code, c->g.view->ctx) ||
                   tk_sort(c->list.stacks.v, c->list.stacks.n, sizeof *c->list.stacks.v, by_id)
               ? -1
               : 0;
}

static int send_callstacks(void *self, struct tk_emit *emit)
{
    const struct callstacks *c = self;
    int rc = TK_OK;
    for (size_t i = 0; i < c->list.stacks.n && rc == TK_OK; i++)
        rc = send_stack(c, &c->list.stacks.v[i], emit);
    return 0;
}

static void release_callstacks(void *self)
{
    struct callstacks *c = self;
    tk_callstack_list_release(&c->list);
    tk_code_map_release(&c->code);
}

static const struct tk_collecting gathering = {
    .what = "callstacks",
    .start = start_callstacks,
    .take = take_callstacks,
    .settle = settle_callstacks,
    .release = release_callstacks,
    .size = sizeof(struct callstacks),
    .send = send_callstacks,
};

const struct tk_builder tk_builder_callstacks = {
    .table = &table,
    .facts = TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SAMPLE) | TK_CODE_MAP_FACTS,
    TK_COLLECTS(gathering),
};
