/*
 * Health as bytes: see health_bytes.h.
 *
 *   counts | ledger | is an item lost? | how many items | of each: kind, offset + 1, count, limit, bytes of
 *   the text with its NUL, text
 */
#include "kept/health_bytes.h"

#include <string.h>

void tk_kept_health_put(struct tk_kept_bytes *out, const struct tk_health *health)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        tk_kept_put(out, health->counts[i]);
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        tk_kept_put(out, health->ledger[i]);
    tk_kept_put(out, health->lost);
    tk_kept_put(out, health->n_items);
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        tk_kept_put(out, (uint64_t)item->kind);
        tk_kept_put(out, item->offset + 1);
        tk_kept_put(out, item->count);
        tk_kept_put(out, item->limit);
        tk_kept_put(out, strlen(item->text) + 1);
        tk_kept_put_bytes(out, item->text, strlen(item->text) + 1);
    }
}

static void take_item(struct tk_cur *c, struct tk_health *out)
{
    const uint64_t kind = tk_varint(c, "a fault");
    struct tk_health_item item = {.offset = tk_varint(c, "a fault") - 1};
    item.count = tk_varint(c, "a fault");
    const uint64_t limit = tk_varint(c, "a fault"), n = tk_varint(c, "a fault");
    const uint8_t *text = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a fault") : NULL;
    if (!text || !n || text[n - 1] || kind >= TK_HEALTH_COUNT || limit > TK_LIMIT_COUNT) {
        c->fault = "a fault";
        c->p = c->end;
        return;
    }
    item.kind = (enum tk_health_kind)kind;
    item.limit = (uint8_t)limit;
    item.text = (const char *)text;
    tk_health_repeat(out, &item);
}

void tk_kept_health_take(struct tk_cur *c, struct tk_health *out, uint64_t max_items)
{
    uint64_t counts[TK_HEALTH_COUNT];
    *out = (struct tk_health){.max_items = max_items};
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        counts[i] = tk_varint(c, "a count");
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        out->ledger[i] = tk_varint(c, "a part of the file");
    const bool lost = tk_varint(c, "faults") != 0;
    const uint64_t n = tk_varint(c, "faults");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++)
        take_item(c, out);
    memcpy(out->counts, counts, sizeof counts);
    out->lost |= lost;
}
