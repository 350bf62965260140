/*
 * Callstacks by id. See callstack_list.h.
 */
#include "model/code/callstack_list.h"

void tk_callstack_list_init(struct tk_callstack_list *list, struct tk_health *health, uint64_t limit,
                            uint32_t depth)
{
    *list = (struct tk_callstack_list){.depth = depth, .limit = limit, .health = health};
}

static bool has_room_callstack_list(struct tk_callstack_list *list, uint32_t n)
{
    uint64_t bytes =
        (list->stacks.n + 1) * sizeof *list->stacks.v + (list->frames.n + n) * sizeof *list->frames.v;
    if (bytes <= list->limit)
        return true;
    if (list->full)
        list->health->counts[TK_HEALTH_LIMIT_REACHED]++;
    else
        tk_health_limit(list->health, TK_LIMIT_callstack_bytes, TK_NO_OFFSET, 1,
                        "callstacks take more than %llu bytes", (unsigned long long)list->limit);
    list->full = true;
    return false;
}

int tk_callstack_list_feed(struct tk_callstack_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_callstack *info = &fact->u.callstack;
    if (fact->kind != TK_FACT_CALLSTACK || tk_map_get(&list->index, info->id) != TK_MAP_NONE)
        return 0;
    uint32_t n = info->n < list->depth ? info->n : list->depth;
    struct tk_callstack stack = {.id = info->id, .first = list->frames.n, .n = n, .depth = info->n};
    if (!has_room_callstack_list(list, n))
        return 0;
    if (tk_vec_reserve(&list->frames, list->frames.n + n) || tk_vec_push(&list->stacks, stack) ||
        tk_map_put(&list->index, info->id, (uint32_t)list->stacks.n - 1))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        list->frames.v[list->frames.n++] = info->frames[i];
    return 0;
}

int tk_callstack_list_feed_sampled(struct tk_callstack_list *list, const struct tk_fact *fact)
{
    const uint64_t id = fact->kind == TK_FACT_SAMPLE ? fact->u.sample.callstack : 0;
    if (id && tk_map_get(&list->sampled, id) == TK_MAP_NONE)
        return tk_map_put(&list->sampled, id, 0);
    return tk_callstack_list_feed(list, fact);
}

const struct tk_callstack *tk_callstack_of(const struct tk_callstack_list *list, uint64_t id)
{
    uint32_t i = tk_map_get(&list->index, id);
    return i == TK_MAP_NONE ? NULL : &list->stacks.v[i];
}

void tk_callstack_list_release(struct tk_callstack_list *list)
{
    tk_vec_release(&list->stacks);
    tk_vec_release(&list->frames);
    tk_map_release(&list->index);
    tk_map_release(&list->sampled);
}
