/*
 * Contents of records. See content.h.
 */
#include "edit/utrace/content.h"

uint64_t tk_merge_event_content(const struct tk_ut_event *ev)
{
    uint64_t sum =
        tk_hash_bytes(ev->fixed, ev->n_fixed, tk_hash_bytes(ev->type->name->p, ev->type->name->n, 0));
    if (ev->n_attachment)
        sum = tk_hash_bytes(ev->attachment, ev->n_attachment, sum);
    for (uint32_t i = 0, n = 1; i < ev->n_blobs; i += n, n = 1) {
        const uint32_t field = ev->blobs[i].field;
        struct tk_bytes value = {ev->blobs[i].p, ev->blobs[i].n};
        while (i + n < ev->n_blobs && ev->blobs[i + n].field == field)
            n++;
        /* where a value is divided depends on the packets that it is in */
        if (n > 1 && field < ev->type->n_fields)
            value = tk_ut_event_bytes(ev, &ev->type->fields[field]);
        sum = tk_hash_bytes(value.p, value.n, tk_hash_pair(sum, field));
    }
    return sum;
}

uint64_t tk_merge_record_content(const struct tk_edit_item *item)
{
    const struct tk_ut_scope *scope = item->scope;
    if (scope)
        return tk_hash_pair(scope->begins + 2u * scope->timed, scope->timed ? (uint64_t)scope->time : 0);
    const uint64_t sum = tk_merge_event_content(item->ev);
    return item->ev->has_serial ? tk_hash_pair(sum, item->ev->serial) : sum;
}

uint32_t tk_merge_counted(const struct tk_merge_counts *c, uint64_t content)
{
    const uint32_t n = tk_map_get(&c->map, content);
    return n == TK_MAP_NONE ? 0 : n;
}

int64_t tk_merge_count(struct tk_merge_counts *c, uint64_t content)
{
    const uint32_t n = tk_merge_counted(c, content);
    if (n + 1 < TK_MAP_NONE && tk_map_put(&c->map, content, n + 1) != 0)
        return -1;
    return n;
}

void tk_merge_counts_release(struct tk_merge_counts *c)
{
    tk_map_release(&c->map);
}
