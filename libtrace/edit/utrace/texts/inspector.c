/*
 * Looking for texts that were replaced.
 */
#include "edit/utrace/texts/texts.h"

/*
 * Learning of texts.
 */

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

static int learner_take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_learner *s = (struct tk_edit_learner *)stage;
    if (item->ev)
        (void)tk_edit_learner_see(s, item->ev);
    return s->rc == TK_OK && stage->next ? tk_edit_take(stage->next, item) : s->rc;
}

static int learner_drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static const struct tk_edit_stage_ops learner_ops = {.take = learner_take, .drop = learner_drop};

void tk_edit_learner_init(struct tk_edit_learner *s, struct tk_edit_texts *texts, struct tk_edit_stage *next)
{
    *s = (struct tk_edit_learner){.texts = texts};
    tk_edit_stage_init(&s->stage, &learner_ops, next);
}

static void look(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    struct tk_edit_inspector *s = ctx;
    (void)out;
    const bool part = s->rule.holds == TK_EDIT_HOLDS_ARGS;
    if (s->hit || (part && tk_edit_memo_find(&s->texts->seen, &s->rule, p, n)))
        return;
    s->hit = tk_anon_find(s->texts->anon, s->rule.class, p, n);
    if (!s->hit && part && s->rc == TK_OK)
        s->rc = tk_edit_memo_put(&s->texts->seen, &s->rule, p, n, NULL, 0);
}

/* Of what nobody understands all is looked at that characters can be: bytes, and pairs of bytes. */
static void look_at_all(struct tk_edit_inspector *s, struct tk_bytes bytes)
{
    struct tk_anon_text none = {0};
    look(s, bytes.p, bytes.n, &none);
    for (size_t from = 0; from < 2 && from < bytes.n; from++)
        tk_edit_texts_map(TK_EDIT_HOLDS_TEXT, 2, bytes.p + from, bytes.n - from, look, s, &none);
    tk_vec_release(&none.bytes);
}

static void look_at(struct tk_edit_inspector *s, const struct tk_ut_event *ev, uint32_t field)
{
    const struct tk_bytes bytes = tk_ut_event_bytes(ev, &ev->type->fields[field]);
    struct tk_anon_text none = {0};
    if (!bytes.n || s->rule.holds == TK_EDIT_HOLDS_NUMBERS || s->rule.holds == TK_EDIT_HOLDS_IDENTITY ||
        s->rule.class == TK_EDIT_STAYS)
        return;
    const bool whole = tk_edit_texts_whole(&s->rule);
    if (whole && tk_edit_memo_find(&s->texts->seen, &s->rule, bytes.p, bytes.n))
        return;
    if (s->rule.holds == TK_EDIT_HOLDS_UNKNOWN)
        look_at_all(s, bytes);
    else
        tk_edit_texts_map(s->rule.holds, s->rule.width, bytes.p, bytes.n, look, s, &none);
    tk_vec_release(&none.bytes);
    if (!s->hit && whole && s->rc == TK_OK)
        s->rc = tk_edit_memo_put(&s->texts->seen, &s->rule, bytes.p, bytes.n, NULL, 0);
    if (s->hit) {
        s->type = ev->type;
        s->field = field;
    }
}

static int look_at_event(void *ctx, struct tk_ut_event *ev, uint32_t number)
{
    struct tk_edit_inspector *s = ctx;
    const struct tk_edit_type_texts *texts = tk_edit_texts_of(s->texts, ev->type);
    (void)number;
    for (uint32_t i = 0; texts && !s->hit && i < ev->n_blobs; i++) {
        const uint32_t field = ev->blobs[i].field;
        if ((i && ev->blobs[i - 1].field == field) || field >= ev->type->n_fields)
            continue;
        s->rule = texts->rules[field];
        look_at(s, ev, field);
    }
    return s->rc;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_inspector *s = (struct tk_edit_inspector *)stage;
    if (!item->ev || !tk_edit_texts_of(s->texts, item->ev->type))
        return TK_OK;
    return tk_edit_text_queue_put(&s->queue, item->ev, 0);
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop};

void tk_edit_inspector_init(struct tk_edit_inspector *s, struct tk_edit_texts *texts, struct tk_pool *pool)
{
    *s = (struct tk_edit_inspector){.texts = texts};
    tk_edit_stage_init(&s->stage, &ops, NULL);
    tk_edit_text_queue_open(&s->queue, pool, look_at_event, s);
}

int tk_edit_inspector_finish(struct tk_edit_inspector *s)
{
    return tk_edit_text_queue_drain(&s->queue);
}

void tk_edit_inspector_release(struct tk_edit_inspector *s)
{
    tk_edit_text_queue_release(&s->queue);
}
