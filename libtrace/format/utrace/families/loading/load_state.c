/*
 * Packages by their addresses: see load_state.h.
 */
#include "format/utrace/families/loading/load_state.h"

int tk_ut_load_new_package(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id)
{
    int rc = tk_ut_load_package(feed, &s->load, id);
    uint32_t *slot = rc == TK_ITEM ? tk_record_map_put(&s->packages, key) : NULL;
    if (rc != TK_ITEM)
        return rc;
    if (!slot)
        return TK_ENOMEM;
    *slot = *id;
    return TK_ITEM;
}

int tk_ut_load_find(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id)
{
    const uint32_t *known = tk_record_map_get(&s->packages, key);
    if (!known)
        known = tk_record_map_get(&s->linkers, key);
    if (!known)
        return tk_ut_load_new_package(feed, s, key, id);
    *id = *known;
    return TK_ITEM;
}
