/*
 * Selecting events by thread and time. See event_latest.h.
 */
#include "model/capture/event_latest.h"

/* The latest time of a thread, to read and to set; NULL when memory is out. */
static int64_t *time_of(struct tk_event_latest *latest, uint32_t thread)
{
    uint32_t at = tk_map_get(&latest->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)latest->times.n;
        if (tk_map_put(&latest->index, thread, at) || tk_vec_push(&latest->times, 0))
            return NULL;
    }
    return &latest->times.v[at];
}

static bool is_wanted(struct tk_event_latest *latest, const struct tk_query_context *view, uint32_t thread)
{
    if (view->select->threads.n == 0)
        return true;
    if (!latest->asked || latest->thread != thread) {
        latest->asked = true;
        latest->thread = thread;
        latest->wanted = thread != TK_NO_THREAD && tk_select_thread(view->select, view->dict, thread);
    }
    return latest->wanted;
}

int tk_event_latest_has(struct tk_event_latest *latest, const struct tk_query_context *view,
                        const struct tk_fact *fact)
{
    if (!is_wanted(latest, view, fact->thread))
        return 0;
    if (view->select->all_time)
        return 1;
    int64_t *time = time_of(latest, fact->thread);
    if (!time)
        return TK_ENOMEM;
    if (fact->u.record.has_time)
        *time = fact->time;
    return tk_select_has(view->select, *time);
}

void tk_event_latest_release(struct tk_event_latest *latest)
{
    tk_map_release(&latest->index);
    tk_vec_release(&latest->times);
}
