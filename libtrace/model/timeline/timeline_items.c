/*
 * Batches of items, names and tracks of a timeline. See timeline_items.h.
 */
#include "model/timeline/timeline_items.h"

int tk_timeline_flush(struct tk_timeline *t, struct tk_err *err)
{
    size_t n = t->n;
    t->n = 0;
    return n && t->sink->items ? t->sink->items(t->sink->self, t->items, n, err) : TK_OK;
}

struct tk_item *tk_timeline_item(struct tk_timeline *t, uint8_t kind, uint64_t track, int64_t ns, int *rc,
                                 struct tk_err *err)
{
    if (t->n == TK_TIMELINE_BATCH && (*rc = tk_timeline_flush(t, err)) < 0)
        return NULL;
    struct tk_item *item = &t->items[t->n++];
    *item = (struct tk_item){.kind = kind, .track = track, .ns = ns};
    return item;
}

int tk_timeline_track(struct tk_timeline *t, const struct tk_track *track, struct tk_err *err)
{
    if (tk_map_get(&t->track_index, track->id) != TK_MAP_NONE)
        return TK_OK;
    if (tk_map_put(&t->track_index, track->id, 1))
        return tk_err_nomem(err, "the tracks of a timeline");
    return t->sink->track ? t->sink->track(t->sink->self, track, err) : TK_OK;
}

uint32_t tk_timeline_name(struct tk_timeline *t, const struct tk_str *name)
{
    const struct tk_str *once = tk_intern(&t->texts, name->p, name->n, (enum tk_encoding)name->enc);
    if (!once)
        return TK_MAP_NONE;
    uint32_t id = tk_map_get(&t->name_index, (uint64_t)(uintptr_t)once);
    if (id != TK_MAP_NONE)
        return id;
    return tk_map_put(&t->name_index, (uint64_t)(uintptr_t)once, t->n_names) ? TK_MAP_NONE : t->n_names++;
}

int64_t tk_timeline_ns(const struct tk_timeline *t, int64_t cycles)
{
    return tk_clock_time(&t->view->dict->clock, TK_UNIT_NS, cycles);
}
