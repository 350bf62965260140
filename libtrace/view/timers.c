/*
 * Timers by name, file and line: see timers.h.
 */
#include "view/timers.h"

#include <string.h>

static bool is_same(struct tk_str a, struct tk_str b)
{
    return a.n == b.n && a.enc == b.enc && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static uint64_t name_key(struct tk_str name)
{
    return tk_hash_bytes(name.p, name.n, name.enc);
}

static uint64_t place_key(struct tk_str name, struct tk_str file, uint32_t line)
{
    return tk_hash_pair(name_key(name), tk_hash_bytes(file.p, file.n, line));
}

static int put_timer(struct tk_view_timers *timers, const struct tk_index *index, uint32_t timer,
                     const struct tk_index_timer *t)
{
    struct tk_index_timer other;
    const uint64_t place = place_key(t->name, t->file, t->line), name = name_key(t->name);
    const uint32_t before = tk_map_get(&timers->by_name, name);
    if (tk_map_get(&timers->by_place, place) == TK_MAP_NONE && tk_map_put(&timers->by_place, place, timer))
        return -1;
    if (before != TK_MAP_NONE && tk_index_timer_get(index, before, &other) && other.scopes >= t->scopes)
        return 0;
    return tk_map_put(&timers->by_name, name, timer);
}

int tk_view_timers_make(struct tk_view_timers *timers, const struct tk_index *index)
{
    struct tk_index_timer t;
    for (uint32_t i = 0; tk_index_timer_get(index, i, &t); i++)
        if (put_timer(timers, index, i, &t))
            return TK_ENOMEM;
    return TK_OK;
}

void tk_view_timers_release(struct tk_view_timers *timers)
{
    tk_map_release(&timers->by_place);
    tk_map_release(&timers->by_name);
}

uint32_t tk_view_timers_at(const struct tk_view_timers *timers, const struct tk_index *index,
                           struct tk_str name, struct tk_str file, uint32_t line)
{
    struct tk_index_timer t;
    const uint32_t timer = tk_map_get(&timers->by_place, place_key(name, file, line));
    const bool found = timer != TK_MAP_NONE && tk_index_timer_get(index, timer, &t) &&
                       is_same(t.name, name) && is_same(t.file, file) && t.line == line;
    return found ? timer : UINT32_MAX;
}

uint32_t tk_view_timers_named(const struct tk_view_timers *timers, const struct tk_index *index,
                              struct tk_str name)
{
    struct tk_index_timer t;
    const uint32_t timer = tk_map_get(&timers->by_name, name_key(name));
    const bool found = timer != TK_MAP_NONE && tk_index_timer_get(index, timer, &t) && is_same(t.name, name);
    return found ? timer : UINT32_MAX;
}
