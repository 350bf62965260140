/*
 * Learning and replacing at one time.
 */
#include "edit/utrace/texts/texts.h"

#include <stdlib.h>

static int look(void *ctx, struct tk_ut_event *ev, uint32_t place)
{
    struct tk_edit_text_reader *s = ctx;
    bool changes = false;
    int rc = tk_edit_learner_see(&s->learner, ev);
    if (rc == TK_OK)
        rc = tk_edit_anonymiser_see(&s->anonymiser, ev, &changes);
    if (rc == TK_OK && place != TK_EDIT_NOWHERE)
        s->found[place] |= changes ? TK_EDIT_TEXT_CHANGES : TK_EDIT_TEXT_UNSURE;
    return rc;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_text_reader *s = (struct tk_edit_text_reader *)stage;
    int rc = TK_OK;
    if (item->ev && tk_edit_texts_of(s->learner.texts, item->ev->type))
        rc = tk_edit_text_queue_put(&s->queue, item->ev, s->place(s->place_ctx, item->lane->tid));
    return rc == TK_OK ? tk_edit_take(stage->next, item) : rc;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_text_reader *s = (const struct tk_edit_text_reader *)stage;
    return tk_edit_texts_of(s->learner.texts, type) ? TK_EDIT_INSPECTS : TK_EDIT_STAYS_AS_IS;
}

static const struct tk_edit_stage_ops ops = {.take = take, .judge = judge};

int tk_edit_text_reader_init(struct tk_edit_text_reader *s, struct tk_edit_texts *texts, struct tk_pool *pool,
                             size_t places, struct tk_edit_stage *next)
{
    *s = (struct tk_edit_text_reader){.found = calloc(places + 1, sizeof *s->found)};
    tk_edit_stage_init(&s->stage, &ops, next);
    tk_edit_learner_init(&s->learner, texts, NULL);
    s->learner.replaces = true;
    tk_edit_anonymiser_init(&s->anonymiser, texts, NULL);
    s->anonymiser.early = true;
    tk_edit_text_queue_open(&s->queue, pool, look, s);
    return s->found ? TK_OK : TK_ENOMEM;
}

int tk_edit_text_reader_finish(struct tk_edit_text_reader *s)
{
    return tk_edit_text_queue_drain(&s->queue);
}

void tk_edit_text_reader_release(struct tk_edit_text_reader *s)
{
    tk_edit_text_queue_release(&s->queue);
    tk_edit_anonymiser_release(&s->anonymiser);
    free(s->found);
    s->found = NULL;
}
