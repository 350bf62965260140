/*
 * Takes notes of a limit back.
 */
#include "base/health/health.h"

uint64_t tk_health_take_limit(struct tk_health *h, enum tk_limit limit)
{
    uint64_t taken = 0;
    size_t kept = 0;
    bool others = false;
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item item = h->items[i];
        if (item.kind == TK_HEALTH_LIMIT_REACHED && item.limit == limit + 1) {
            taken += item.count;
            continue;
        }
        others |= item.kind == TK_HEALTH_LIMIT_REACHED;
        h->items[kept++] = item;
    }
    h->n_items = kept;
    tk_health_moved(h);
    h->named &= ~(UINT64_C(1) << limit);
    uint64_t *count = &h->counts[TK_HEALTH_LIMIT_REACHED];
    if (taken && !others)
        taken = *count; /* those without an item are of this limit, as each limit has an item */
    *count -= taken < *count ? taken : *count;
    return taken;
}
