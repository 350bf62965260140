/*
 * Numbering of tuples.
 */
#include "format/events/capture.h"

#include <string.h>

uint32_t tk_ev_ids_number(struct tk_ev_ids *ids, const struct tk_ev_key *key, uint64_t most)
{
    uint64_t hash = tk_hash_bytes(key->word, sizeof key->word, 0);
    uint32_t at;
    for (; (at = tk_map_get(&ids->index, hash)) != TK_MAP_NONE; hash++)
        if (memcmp(&ids->keys.v[at], key, sizeof *key) == 0)
            return at;
    at = (uint32_t)ids->keys.n;
    if (ids->keys.n >= most || ids->keys.n >= TK_EV_IDS_FULL)
        return TK_EV_IDS_FULL;
    return tk_vec_push(&ids->keys, *key) || tk_map_put(&ids->index, hash, at) ? UINT32_MAX : at;
}

void tk_ev_ids_release(struct tk_ev_ids *ids)
{
    tk_vec_release(&ids->keys);
    tk_map_release(&ids->index);
}
