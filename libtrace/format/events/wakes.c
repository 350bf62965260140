/*
 * Wake-ups and times on cores: each time on a core has the last wake-up of its thread before it.
 */
#include "base/err.h"
#include "format/events/events_in.h"
#include "format/events/feed.h"
#include "tracekit/captures.h"

static int read_next(struct tk_ev_wakes *w, struct tk_err *err)
{
    const struct tk_ev_item *item;
    const int rc = tk_ev_ordered_next(&w->events, &item, err);
    w->more = rc == TK_ITEM;
    if (w->more)
        w->next = *item;
    return rc < 0 ? rc : TK_OK;
}

static int begin(struct tk_ev_wakes *w, const struct tk_ev_capture *c, struct tk_err *err)
{
    if (w->begun)
        return TK_OK;
    w->begun = true;
    const int rc = tk_ev_ordered_open(&w->events, &c->wakes, c->spill, c->ctx->options->spool_dir, err);
    return rc == TK_OK ? read_next(w, err) : rc;
}

/* What is known of a thread; NULL without memory. */
static struct tk_ev_woken *reach(struct tk_ev_wakes *w, uint64_t system_id)
{
    uint32_t at = tk_map_get(&w->index, system_id);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)w->last.n;
        if (tk_vec_push(&w->last, ((struct tk_ev_woken){0})) || tk_map_put(&w->index, system_id, at))
            return NULL;
    }
    return &w->last.v[at];
}

/* One that is not sure does not replace one that is. */
static int take_wake(struct tk_ev_wakes *w)
{
    const struct tk_ev_item *item = &w->next;
    struct tk_ev_woken *woken = reach(w, (uint64_t)item->value);
    if (!woken)
        return -1;
    if (item->order || !woken->pending || !woken->sure)
        *woken = (struct tk_ev_woken){item->time, item->what, true, item->order != 0};
    return 0;
}

int tk_ev_wakes_take(struct tk_ev_wakes *w, const struct tk_ev_capture *c, int64_t time,
                     struct tk_fact_switch *fact, struct tk_err *err)
{
    int rc = c->wakes.n ? begin(w, c, err) : TK_OK;
    while (rc == TK_OK && w->more && w->next.time <= time)
        rc = take_wake(w) ? tk_ev_reading_no_memory(err) : read_next(w, err);
    const uint32_t at = tk_map_get(&w->index, fact->system_id);
    if (rc != TK_OK || at == TK_MAP_NONE || !w->last.v[at].pending)
        return rc;
    fact->woken = true;
    fact->waker_core = w->last.v[at].core;
    fact->wake = tk_ev_since(c->first, w->last.v[at].time);
    w->last.v[at].pending = false;
    return TK_OK;
}

void tk_ev_wakes_release(struct tk_ev_wakes *w)
{
    if (w->begun)
        tk_ev_ordered_release(&w->events);
    tk_map_release(&w->index);
    tk_vec_release(&w->last);
    *w = (struct tk_ev_wakes){.begun = false};
}
