/*
 * Batches of items, names and tracks of a timeline.
 */
#include "model/timeline/timeline_items.h"

int tk_timeline_flush(struct tk_timeline *t, struct tk_err *err)
{
    const size_t n = t->n, n_steps = t->n_steps;
    t->n = t->n_steps = 0;
    if (n_steps)
        return t->sink->steps(t->sink->self, t->steps, n_steps, err);
    return n && t->sink->items ? t->sink->items(t->sink->self, t->items, n, err) : TK_OK;
}

struct tk_item *tk_timeline_item(struct tk_timeline *t, uint8_t kind, uint64_t track, int64_t ns, int *rc,
                                 struct tk_err *err)
{
    if ((t->n == TK_TIMELINE_BATCH || t->n_steps) && (*rc = tk_timeline_flush(t, err)) < 0)
        return NULL;
    struct tk_item *item = &t->items[t->n++];
    *item = (struct tk_item){.kind = kind, .track = track, .ns = ns};
    return item;
}

struct tk_scope_step *tk_timeline_step(struct tk_timeline *t, int *rc, struct tk_err *err)
{
    if ((t->n_steps == TK_TIMELINE_BATCH || t->n) && (*rc = tk_timeline_flush(t, err)) < 0)
        return NULL;
    return &t->steps[t->n_steps++];
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

bool tk_timeline_tell_name(struct tk_timeline *t, uint32_t id, bool *first)
{
    if (tk_vec_reach(&t->reported, (size_t)id + 1))
        return false;
    *first = !t->reported.v[id];
    t->reported.v[id] = true;
    return true;
}

/* ---- kinds of scopes ---- */

enum { MOST_KINDS = 1 << 18 };

static bool is_of_kind(const struct tk_fact_timer *timer, const struct tk_timeline_name *name)
{
    const struct tk_scope_kind *kind = name->kind;
    return kind->name_id == name->id && kind->line == timer->line &&
           kind->has_file == (timer->file != NULL) &&
           (!timer->file || (kind->file.p == timer->file->p && kind->file.n == timer->file->n &&
                             kind->file.enc == timer->file->enc));
}

static struct tk_scope_kind *new_kind(struct tk_timeline *t, const struct tk_timeline_name *name,
                                      const struct tk_fact_timer *timer)
{
    const struct tk_str *once =
        tk_intern(&t->texts, name->displayed->p, name->displayed->n, (enum tk_encoding)name->displayed->enc);
    struct tk_scope_kind *kind = once ? tk_arena_alloc(&t->kinds, sizeof *kind) : NULL;
    if (kind)
        *kind = (struct tk_scope_kind){.name = once,
                                       .name_id = name->id,
                                       .line = timer->line,
                                       .has_file = timer->file != NULL,
                                       .file = timer->file ? *timer->file : (struct tk_str){.p = NULL}};
    return kind;
}

const struct tk_scope_kind *tk_timeline_kind(struct tk_timeline *t, struct tk_timeline_name *name,
                                             const struct tk_fact_timer *timer, bool *first, int *rc,
                                             struct tk_err *err)
{
    *first = false;
    if (name->kind && is_of_kind(timer, name))
        return name->kind;
    if (t->n_kinds == MOST_KINDS) /* a capture says its timers anew again and again */
        return NULL;
    struct tk_scope_kind *kind = new_kind(t, name, timer);
    if (!kind || !tk_timeline_tell_name(t, name->id, first)) {
        *rc = tk_err_nomem(err, "the names of a timeline");
        return NULL;
    }
    t->n_kinds++;
    *rc = t->sink->kind(t->sink->self, kind, *first, err);
    return *rc == TK_OK ? name->kind = kind : NULL;
}

int64_t tk_timeline_ns(const struct tk_timeline *t, int64_t cycles)
{
    return tk_clock_time(&t->view->dict->clock, TK_UNIT_NS, cycles);
}
