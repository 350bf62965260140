/*
 * Scope records in stages. See scope_stack.h.
 */
#include "edit/utrace/stages/scope_stack.h"

int tk_edit_scopes_event(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                         bool dropped)
{
    const struct tk_edit_item item = {.lane = lane, .scope = &s->waiting};
    if (!s->waits)
        return TK_OK;
    s->waits = false;
    if (tk_vec_push(&s->dropped, dropped))
        return TK_ENOMEM;
    return dropped ? tk_edit_drop(stage, &item) : tk_edit_take(stage->next, &item);
}

int tk_edit_scopes_take(struct tk_edit_scopes *s, struct tk_edit_stage *stage,
                        const struct tk_edit_item *item)
{
    int rc = tk_edit_scopes_event(s, stage, item->lane, false);
    if (rc != TK_OK)
        return rc;
    if (item->scope->begins) {
        s->waiting = *item->scope;
        s->waits = true;
        return TK_OK;
    }
    const bool dropped = s->dropped.n && s->dropped.v[--s->dropped.n];
    return dropped ? tk_edit_drop(stage, item) : tk_edit_take(stage->next, item);
}

int tk_edit_scopes_cut(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    const int rc = tk_edit_scopes_event(s, stage, lane, false);
    s->dropped.n = 0;
    return rc;
}
