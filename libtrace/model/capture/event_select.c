/*
 * Selecting events by thread and time. See event_select.h.
 */
#include "model/capture/event_select.h"

static bool is_wanted(struct tk_event_select *s, const struct tk_query_context *view, uint32_t thread)
{
    if (view->select->threads.n == 0)
        return true;
    if (!s->asked || s->thread != thread) {
        s->asked = true;
        s->thread = thread;
        s->wanted = thread != TK_NO_THREAD && tk_select_thread(view->select, view->dict, thread);
    }
    return s->wanted;
}

bool tk_event_select_has(struct tk_event_select *s, const struct tk_query_context *view,
                         const struct tk_fact *fact)
{
    return is_wanted(s, view, fact->thread) &&
           (view->select->all_time || tk_select_has(view->select, fact->time));
}
