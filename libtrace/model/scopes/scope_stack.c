/*
 * Room for open scopes. See scope_stack.h.
 */
#include "model/scopes/scope_stack.h"

#include <stdlib.h>
#include <string.h>

#define FLOOR ((struct tk_stacked){.op = UINT32_MAX}) /* ended by no op */

/* The columns of `n` elements in one piece of memory, those of the widest values first. */
static struct tk_scope_stack columns(void *memory, size_t n)
{
    struct tk_scope_stack s = {.begin = memory};
    s.before = (uint64_t *)(void *)(s.begin + n);
    s.id = s.before + n;
    s.op = (uint32_t *)(void *)(s.id + n);
    s.outer = (uint8_t *)(s.op + n);
    return s;
}

int tk_scope_stack_resize(struct tk_scope_stack *stack, size_t depth, size_t cap)
{
    const size_t n = 1 + cap + TK_SCOPE_STACK_ABOVE, scopes = depth + 1;
    const size_t bytes = 3 * sizeof(uint64_t) + sizeof(uint32_t) + sizeof(uint8_t);
    void *memory = n < cap || n > SIZE_MAX / bytes ? NULL : calloc(n, bytes);
    if (!memory)
        return -1;
    struct tk_scope_stack s = columns(memory, n);
    if (stack->begin) {
        memcpy(s.begin, stack->begin, scopes * sizeof *s.begin);
        memcpy(s.before, stack->before, scopes * sizeof *s.before);
        memcpy(s.id, stack->id, scopes * sizeof *s.id);
        memcpy(s.op, stack->op, scopes * sizeof *s.op);
        memcpy(s.outer, stack->outer, scopes * sizeof *s.outer);
    } else {
        tk_scope_stack_set(&s, 0, &FLOOR);
    }
    free(stack->begin);
    *stack = s;
    return 0;
}

void tk_scope_stack_release(struct tk_scope_stack *stack)
{
    free(stack->begin);
    *stack = (struct tk_scope_stack){0};
}
