/*
 * Learning of texts. See learner.h.
 */
#include "edit/utrace/texts/learner.h"

static bool is_known(const struct tk_edit_learner *s, const uint8_t *p, size_t n)
{
    return tk_edit_memo_find(s->replaces ? &s->texts->words : &s->texts->seen, &s->rule, p, n) != NULL;
}

static void note(struct tk_edit_learner *s, const uint8_t *p, size_t n)
{
    if (s->rc == TK_OK && !s->replaces)
        s->rc = tk_edit_memo_put(&s->texts->seen, &s->rule, p, n, NULL, 0);
}

static void learn(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    struct tk_edit_learner *s = ctx;
    (void)out;
    if (s->rc != TK_OK || (!tk_edit_texts_whole(&s->rule) && is_known(s, p, n)))
        return;
    s->rc = tk_anon_learn(s->texts->anon, s->rule.class, s->rule.form, p, n);
    if (!tk_edit_texts_whole(&s->rule))
        note(s, p, n);
}

int tk_edit_learner_see(struct tk_edit_learner *s, const struct tk_ut_event *ev)
{
    const struct tk_edit_type_texts *texts = tk_edit_texts_of(s->texts, ev->type);
    struct tk_anon_text none = {0};
    for (uint32_t i = 0; texts && s->rc == TK_OK && i < ev->n_blobs; i++) {
        const uint32_t field = ev->blobs[i].field;
        if ((i && ev->blobs[i - 1].field == field) || field >= ev->type->n_fields)
            continue; /* joined with the first one */
        s->rule = texts->rules[field];
        if (s->rule.class == TK_EDIT_STAYS)
            continue;
        const struct tk_bytes bytes = tk_ut_event_bytes(ev, &ev->type->fields[field]);
        if (tk_edit_texts_whole(&s->rule) && is_known(s, bytes.p, bytes.n))
            continue;
        tk_edit_texts_map(s->rule.holds, s->rule.width, bytes.p, bytes.n, learn, s, &none);
        if (tk_edit_texts_whole(&s->rule))
            note(s, bytes.p, bytes.n);
    }
    tk_vec_release(&none.bytes);
    return s->rc;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_learner *s = (struct tk_edit_learner *)stage;
    if (item->ev)
        (void)tk_edit_learner_see(s, item->ev);
    return s->rc == TK_OK && stage->next ? tk_edit_take(stage->next, item) : s->rc;
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop};

void tk_edit_learner_init(struct tk_edit_learner *s, struct tk_edit_texts *texts, struct tk_edit_stage *next)
{
    *s = (struct tk_edit_learner){.texts = texts};
    tk_edit_stage_init(&s->stage, &ops, next);
}
