/*
 * Replacing of texts. See anonymiser.h.
 */
#include "edit/utrace/texts/anonymiser.h"

#include "format/utrace/wire/index.h"

#include <string.h>

#define MOST_IMPORTANT 16384 /* bytes of a text of an important event, which has 65,535 in all (wire 3.6) */

/* A timer that is called otherwise now still says that it waits. */
static void put_kind(const struct tk_edit_anonymiser *s, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    if (s->rule.class != TK_ANON_TIMERS || !s->kind || out->failed)
        return;
    const char *kind = s->kind(s->kind_ctx, p, n), *left = s->kind(s->kind_ctx, out->bytes.v, out->bytes.n);
    if (!kind || kind == left)
        return;
    tk_anon_put(out, " ", 1);
    tk_anon_put(out, kind, strlen(kind));
}

static void replace(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    struct tk_edit_anonymiser *s = ctx;
    struct tk_anon_text text = {0};
    tk_anon_rewrite(s->texts->anon, s->rule.class, s->rule.form, p, n, &text);
    put_kind(s, p, n, &text);
    const bool same = text.bytes.n == n && (n == 0 || memcmp(text.bytes.v, p, n) == 0);
    s->changed |= !same;
    if (same && s->counts && s->texts->wants_kept)
        s->failed |= tk_edit_texts_keep(s->texts, s->rule.class, p, n) != TK_OK;
    tk_anon_put(out, text.bytes.v, text.bytes.n);
    out->failed |= text.failed;
    tk_vec_release(&text.bytes);
}

/* What a field holds now; in memory of the event. */
static struct tk_bytes map_field(struct tk_edit_anonymiser *s, const struct tk_edit_item *item,
                                 struct tk_bytes bytes)
{
    struct tk_anon_text out = {0};
    if (s->rule.holds == TK_EDIT_HOLDS_IDENTITY) {
        tk_anon_identity(&s->texts->anon->key, bytes.p, bytes.n, &out);
        s->changed |= !out.failed && memcmp(out.bytes.v, bytes.p, bytes.n) != 0;
    } else if (item->lane->tid == TK_UT_TID_IMPORTANT && bytes.n > MOST_IMPORTANT) {
        const struct tk_edit_text_rule rule = s->rule;
        s->rule.form = TK_ANON_WHOLE;
        tk_edit_texts_map(rule.holds, rule.width, bytes.p, bytes.n, replace, s, &out);
    } else {
        tk_edit_texts_map(s->rule.holds, s->rule.width, bytes.p, bytes.n, replace, s, &out);
    }
    const uint8_t *copy =
        tk_arena_copy(item->ev->scratch, out.bytes.v ? out.bytes.v : (const uint8_t *)"", out.bytes.n);
    const struct tk_bytes now = {copy, copy ? out.bytes.n : 0};
    s->failed |= out.failed || !copy;
    tk_vec_release(&out.bytes);
    return now;
}

static int put_blob(struct tk_edit_anonymiser *s, uint32_t field, struct tk_bytes bytes)
{
    const struct tk_ut_blob blob = {bytes.p, (uint32_t)bytes.n, field};
    return tk_vec_push(&s->blobs, blob) ? TK_ENOMEM : TK_OK;
}

/* Lays the fields of an event out anew. *emptied: one was left out. */
static int map_event(struct tk_edit_anonymiser *s, const struct tk_edit_item *item,
                     const struct tk_edit_type_texts *texts, bool *emptied)
{
    const struct tk_ut_event *ev = item->ev;
    int rc = TK_OK;
    s->blobs.n = 0;
    for (uint32_t i = 0; i < ev->n_blobs && rc == TK_OK; i++) {
        const struct tk_ut_blob *b = &ev->blobs[i];
        const bool known = b->field < ev->type->n_fields;
        s->rule = known ? texts->rules[b->field] : (struct tk_edit_text_rule){.holds = TK_EDIT_HOLDS_UNKNOWN};
        if (s->rule.holds == TK_EDIT_HOLDS_NUMBERS) {
            rc = put_blob(s, b->field, (struct tk_bytes){b->p, b->n});
        } else if (s->rule.holds == TK_EDIT_HOLDS_UNKNOWN) {
            *emptied |= b->n > 0;
            s->changed |= b->n > 0;
        } else if (!i || ev->blobs[i - 1].field != b->field) {
            const struct tk_bytes bytes = tk_ut_event_bytes(ev, &ev->type->fields[b->field]);
            rc = put_blob(s, b->field, bytes.n ? map_field(s, item, bytes) : bytes);
        }
    }
    return s->failed ? TK_ENOMEM : rc;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_anonymiser *s = (struct tk_edit_anonymiser *)stage;
    struct tk_edit_type_texts *texts = item->ev ? tk_edit_texts_of(s->texts, item->ev->type) : NULL;
    bool emptied = false;
    if (!texts || !item->ev->n_blobs)
        return tk_edit_take(stage->next, item);
    s->changed = false;
    struct tk_arena own = {0}; /* events that a stage held have no memory of their own */
    struct tk_ut_event ev = *item->ev;
    struct tk_edit_item now = *item;
    now.ev = &ev;
    if (!ev.scratch)
        ev.scratch = &own;
    int rc = map_event(s, &now, texts, &emptied);
    if (rc == TK_OK && s->changed) {
        ev.blobs = s->blobs.v;
        ev.n_blobs = (uint32_t)s->blobs.n;
        now.changed = true;
    }
    if (s->counts) {
        texts->replaced += s->changed && !emptied;
        texts->emptied += emptied;
    }
    if (rc == TK_OK)
        rc = tk_edit_take(stage->next, s->changed ? &now : item);
    tk_arena_release(&own);
    return rc;
}

static const struct tk_edit_stage_ops ops = {.take = take};

void tk_edit_anonymiser_init(struct tk_edit_anonymiser *s, struct tk_edit_texts *texts,
                             struct tk_edit_stage *next)
{
    *s = (struct tk_edit_anonymiser){.texts = texts};
    tk_edit_stage_init(&s->stage, &ops, next);
}

void tk_edit_anonymiser_release(struct tk_edit_anonymiser *s)
{
    tk_vec_release(&s->blobs);
}
