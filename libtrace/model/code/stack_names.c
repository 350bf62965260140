/*
 * Names of callstacks. See stack_names.h.
 */
#include "model/code/stack_names.h"

void tk_stack_names_init(struct tk_stack_names *n, struct tk_context *ctx)
{
    *n = (struct tk_stack_names){.stacks = {.depth = 0}};
    tk_callstack_list_init(&n->stacks, &ctx->health, ctx->limits.callstack_bytes, 1);
}

int tk_stack_names_feed(struct tk_stack_names *n, const struct tk_fact *fact)
{
    return tk_callstack_list_feed(&n->stacks, fact) || tk_code_map_feed(&n->code, fact) ? -1 : 0;
}

int tk_stack_names_want(struct tk_stack_names *n, uint64_t callstack)
{
    const struct tk_callstack *stack = tk_callstack_of(&n->stacks, callstack);
    return stack && stack->n ? tk_code_map_want(&n->code, n->stacks.frames.v[stack->first], false) : 0;
}

int tk_stack_names_settle(struct tk_stack_names *n, const struct tk_context *ctx)
{
    return tk_code_map_settle(&n->code, ctx);
}

static int name_address(struct tk_stack_names *n, uint64_t address, const struct tk_str **function)
{
    const struct tk_symbol *symbol = tk_code_symbol(&n->code, address, false);
    if (symbol && !symbol->open && symbol->n)
        *function = tk_symbol_place(&n->code.symbols, symbol, 0)->function;
    if (*function)
        return 0;
    const struct tk_code_place place =
        tk_code_place_of(&n->code, tk_module_at(&n->code.modules, address), address);
    *function = tk_code_bare_text(&n->texts, &place, address);
    return *function ? 0 : -1;
}

int tk_stack_names_of(struct tk_stack_names *n, uint64_t callstack, const struct tk_str **function)
{
    static const struct tk_str missing = {"(not in the capture)", 20, TK_ENC_UTF8};
    const struct tk_callstack *stack = tk_callstack_of(&n->stacks, callstack);
    *function = !stack && callstack && !n->stacks.full ? &missing : NULL;
    return stack && stack->n ? name_address(n, n->stacks.frames.v[stack->first], function) : 0;
}

void tk_stack_names_release(struct tk_stack_names *n)
{
    tk_callstack_list_release(&n->stacks);
    tk_code_map_release(&n->code);
    tk_intern_release(&n->texts);
}
