/*
 * Keeps the names and nodes of stacks. The call trees of the model and the exporters fill them, sinks write
 * them.
 */
#include "table/stacks.h"

static const struct tk_str *tk_stacks_keep(struct tk_stacks *s, const struct tk_str *text)
{
    return tk_intern(&s->texts, text->p, text->n, (enum tk_encoding)text->enc);
}

static uint32_t tk_stacks_add_name(struct tk_stacks *s, struct tk_stack_name name)
{
    const uint32_t number = (uint32_t)s->names.n;
    if (name.file && !(name.file = tk_stacks_keep(s, name.file)))
        return TK_MAP_NONE;
    return tk_vec_push(&s->names, name) ? TK_MAP_NONE : number;
}

uint32_t tk_stacks_name(struct tk_stacks *s, const struct tk_stack_name *name)
{
    struct tk_stack_name kept = *name;
    kept.text = tk_stacks_keep(s, name->text);
    const uint64_t key = (uint64_t)(uintptr_t)kept.text;
    if (!kept.text)
        return TK_MAP_NONE;
    /* threads of one name are not one */
    uint32_t number = name->thread ? TK_MAP_NONE : tk_map_get(&s->numbers, key);
    if (number != TK_MAP_NONE)
        return number;
    number = tk_stacks_add_name(s, kept);
    if (number == TK_MAP_NONE || name->thread)
        return number;
    return tk_map_put(&s->numbers, key, number) ? TK_MAP_NONE : number;
}

uint32_t tk_stacks_reach(struct tk_stacks *s, uint32_t parent, uint32_t name)
{
    const struct tk_stack_node root = {0}, node = {.parent = parent, .name = name};
    const uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t found = tk_map_get(&s->index, key);
    if (found != TK_MAP_NONE)
        return found;
    if ((!s->nodes.n && tk_vec_push(&s->nodes, root)) || tk_vec_push(&s->nodes, node) ||
        tk_map_put(&s->index, key, (uint32_t)s->nodes.n - 1))
        return TK_MAP_NONE;
    return (uint32_t)s->nodes.n - 1;
}

void tk_stacks_release(struct tk_stacks *s)
{
    tk_vec_release(&s->nodes);
    tk_vec_release(&s->names);
    tk_map_release(&s->index);
    tk_map_release(&s->numbers);
    tk_intern_release(&s->texts);
    *s = (struct tk_stacks){0};
}
