/*
 * Names of numbers: see id_names.h.
 */
#include "format/utrace/feed/id_names.h"

int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width)
{
    const struct tk_str *text = tk_ut_str(feed, ev, name, width);
    uint32_t at = tk_map_get(&n->index, number);
    if (!text)
        return TK_ENOMEM;
    if (at != TK_MAP_NONE) {
        n->names.v[at] = text;
        return TK_OK;
    }
    if (tk_vec_push(&n->names, text) || tk_map_put(&n->index, number, (uint32_t)n->names.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number)
{
    uint32_t at = tk_map_get(&n->index, number);
    return at == TK_MAP_NONE || at >= n->names.n ? NULL : n->names.v[at];
}

void tk_ut_id_names_release(struct tk_ut_id_names *n)
{
    tk_map_release(&n->index);
    tk_vec_release(&n->names);
}
