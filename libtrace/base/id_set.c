/*
 * Room for numbers. See id_set.h.
 */
#include "base/id_set.h"

int tk_id_set_grow(struct tk_id_set *s, uint64_t id)
{
    if (id >= TK_ID_SET_DENSE)
        return tk_map_put(&s->far, id, 1);
    /* tk_vec_reach grows by half, so that this is seldom */
    if (tk_vec_reach(&s->bits, (size_t)(id / 64) + 1))
        return -1;
    s->bits.v[id / 64] |= UINT64_C(1) << id % 64;
    return 0;
}

void tk_id_set_release(struct tk_id_set *s)
{
    tk_vec_release(&s->bits);
    tk_map_release(&s->far);
}
