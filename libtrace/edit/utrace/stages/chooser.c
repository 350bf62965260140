/*
 * The stage that leaves out types of events. See choice.h.
 */
#include "edit/utrace/stages/choice.h"
#include "edit/utrace/stages/scope_stack.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

static struct tk_edit_scopes *scopes_of(struct tk_edit_chooser *s, uint32_t tid)
{
    if (!s->scopes[tid])
        s->scopes[tid] = calloc(1, sizeof **s->scopes);
    return s->scopes[tid];
}

/* Important events are of no thread. */
static bool drops(const struct tk_edit_choice *c, uint32_t tid, uint32_t type)
{
    if (type >= c->n)
        return false;
    return c->drops[type] || (c->threads && tid > TK_UT_TID_IMPORTANT && tid < TK_UT_TIDS &&
                              !c->threads[tid] && c->of_threads[type]);
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_chooser *s = (struct tk_edit_chooser *)stage;
    struct tk_edit_scopes *scopes = scopes_of(s, item->lane->tid);
    if (!scopes)
        return TK_ENOMEM;
    if (item->scope)
        return tk_edit_scopes_take(scopes, stage, item);
    const bool dropped = drops(s->choice, item->lane->tid, item->ev->type->id);
    const int rc = tk_edit_scopes_event(scopes, stage, item->lane, dropped);
    if (rc != TK_OK)
        return rc;
    return dropped ? tk_edit_drop(stage, item) : tk_edit_take(stage->next, item);
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_scopes *scopes = ((struct tk_edit_chooser *)stage)->scopes[lane->tid];
    const int rc = scopes ? tk_edit_scopes_cut(scopes, stage, lane) : TK_OK;
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_scopes *scopes = ((struct tk_edit_chooser *)stage)->scopes[lane->tid];
    const int rc = scopes ? tk_edit_scopes_cut(scopes, stage, lane) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_choice *c = ((const struct tk_edit_chooser *)stage)->choice;
    if (type->id >= c->n || (c->threads && c->of_threads[type->id]))
        return TK_EDIT_ASKS;
    return c->drops[type->id] ? TK_EDIT_GOES : TK_EDIT_STAYS_AS_IS;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end, .judge = judge};

int tk_edit_chooser_init(struct tk_edit_chooser *s, const struct tk_edit_choice *choice,
                         struct tk_edit_stage *next)
{
    tk_edit_stage_init(&s->stage, &ops, next);
    s->choice = choice;
    s->scopes = calloc(TK_UT_TIDS, sizeof *s->scopes);
    return s->scopes ? TK_OK : TK_ENOMEM;
}

void tk_edit_chooser_release(struct tk_edit_chooser *s)
{
    for (size_t i = 0; s->scopes && i < TK_UT_TIDS; i++) {
        if (s->scopes[i])
            tk_vec_release(&s->scopes[i]->dropped);
        free(s->scopes[i]);
    }
    free(s->scopes);
    *s = (struct tk_edit_chooser){0};
}
