/*
 * The longest call of each timer in a hitch. See longest_calls.h.
 */
#include "model/frames/longest_calls.h"

#include "base/wrap.h"

static uint64_t key_of_call(uint32_t mark, uint32_t timer)
{
    return (uint64_t)mark << 32 | timer;
}

int tk_longest_calls_put(struct tk_longest_calls *c, uint32_t mark, uint32_t timer, int64_t begin,
                         int64_t end)
{
    const struct tk_longest_call call = {begin, end};
    const uint32_t at = tk_map_get(&c->index, key_of_call(mark, timer));
    if (end <= begin)
        return 0;
    if (at == TK_MAP_NONE)
        return tk_vec_push(&c->v, call) ||
                       tk_map_put(&c->index, key_of_call(mark, timer), (uint32_t)c->v.n - 1)
                   ? -1
                   : 0;
    if (tk_wrap_sub(end, begin) > tk_wrap_sub(c->v.v[at].end, c->v.v[at].begin))
        c->v.v[at] = call;
    return 0;
}

const struct tk_longest_call *tk_longest_calls_find(const struct tk_longest_calls *c, uint32_t mark,
                                                    uint32_t timer)
{
    const uint32_t at = tk_map_get(&c->index, key_of_call(mark, timer));
    return at == TK_MAP_NONE ? NULL : &c->v.v[at];
}

void tk_longest_calls_release(struct tk_longest_calls *c)
{
    tk_map_release(&c->index);
    tk_vec_release(&c->v);
}
