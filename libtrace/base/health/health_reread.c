/*
 * Merges the health of several readings of one capture. The engine calls it around each reading.
 */
#include "base/health/health_reread.h"

#include <string.h>

void tk_health_reread_copy(struct tk_health *to, const struct tk_health *from)
{
    *to = (struct tk_health){.max_items = from->max_items};
    for (size_t i = 0; i < from->n_items; i++)
        tk_health_repeat(to, &from->items[i]);
    to->lost |= from->lost;
    memcpy(to->counts, from->counts, sizeof to->counts);
    memcpy(to->ledger, from->ledger, sizeof to->ledger);
    to->muted = from->muted;
}

void tk_health_reread_start(struct tk_health *now, struct tk_health *before, const struct tk_health *opened)
{
    *before = *now;
    if (opened) {
        tk_health_reread_copy(now, opened);
        return;
    }
    *now = (struct tk_health){.max_items = before->max_items, .muted = before->muted};
    memcpy(now->ledger, before->ledger, sizeof now->ledger);
}

/* Is it among the first n items? */
static bool is_listed(const struct tk_health *h, size_t n, const struct tk_health_item *item)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_health_item *known = &h->items[i];
        if (known->kind == item->kind && known->offset == item->offset && known->count == item->count &&
            strcmp(known->text, item->text) == 0)
            return true;
    }
    return false;
}

/* Both readings met these events: the one that went further met more of them. */
static bool is_summed_already(struct tk_health *now, const struct tk_health_item *item)
{
    struct tk_health_item *same = tk_health_same(now, item->kind, item->text);
    if (!same)
        return false;
    same->count = same->count > item->count ? same->count : item->count;
    same->offset = same->offset < item->offset ? same->offset : item->offset;
    return true;
}

static void add(struct tk_health *now, const struct tk_health *before)
{
    uint64_t counts[TK_HEALTH_COUNT];
    size_t own = now->n_items;
    for (size_t kind = 0; kind < TK_HEALTH_COUNT; kind++)
        counts[kind] = now->counts[kind] > before->counts[kind] ? now->counts[kind] : before->counts[kind];
    for (size_t i = 0; i < before->n_items; i++) {
        const struct tk_health_item *item = &before->items[i];
        if (now->counts[item->kind] < before->counts[item->kind] && !is_listed(now, own, item) &&
            !is_summed_already(now, item))
            tk_health_repeat(now, item);
    }
    now->lost |= before->lost;
    memcpy(now->counts, counts, sizeof counts);
    if (before->ledger[TK_LEDGER_UNREADABLE] > now->ledger[TK_LEDGER_UNREADABLE])
        memcpy(now->ledger, before->ledger, sizeof now->ledger);
}

void tk_health_reread_finish(struct tk_health *now, struct tk_health *before)
{
    add(now, before);
    tk_health_release(before);
}

void tk_health_reread_known(const struct tk_health *now, const struct tk_health *before,
                            struct tk_health *out)
{
    tk_health_reread_copy(out, now);
    if (before)
        add(out, before);
}
