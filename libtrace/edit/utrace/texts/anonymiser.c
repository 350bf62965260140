/*
 * Replacing of texts.
 */
#include "edit/utrace/texts/texts.h"
#include "format/utrace/wire/index.h"

#include <string.h>

/* Bytes of an important event and of what stands in it, and of a text from which on one word is shorter than
 * many (wire 3.6). */
enum { MOST_IMPORTANT = 65535, BLOB_HEAD = 4, BLOBS_END = 1, LONG_TEXT = 16384 };

/* A timer that is called otherwise now still says that it waits. */
static void put_kind(const struct tk_edit_anonymiser *s, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    if (s->rule.class != TK_ANON_TIMERS || !s->kind || out->failed)
        return;
    const char *kind = s->kind(s->kind_ctx, p, n), *left = s->kind(s->kind_ctx, out->bytes.v, out->bytes.n);
    if (!kind || kind == left ||
        tk_anon_find(s->texts->anon, TK_ANON_TIMERS, (const uint8_t *)kind, strlen(kind)))
        return;
    tk_anon_put(out, " ", 1);
    tk_anon_put(out, kind, strlen(kind));
}

static void put_only_word(const struct tk_edit_anonymiser *s, const uint8_t *p, size_t n,
                          struct tk_anon_text *out)
{
    char word[TK_ANON_LONGEST];
    out->bytes.n = 0;
    tk_anon_put(out, word, tk_anon_word_of(&s->texts->anon->key, p, n, false, word));
}

static void replace_anew(struct tk_edit_anonymiser *s, const uint8_t *p, size_t n, struct tk_anon_text *text)
{
    if (s->rule.class == TK_EDIT_STAYS)
        tk_anon_put(text, p, n);
    else
        tk_anon_rewrite(s->texts->anon, s->rule.class, s->brief ? TK_ANON_WHOLE : s->rule.form, p, n, text);
    if (s->brief && text->bytes.n > n && n > TK_ANON_WORD)
        put_only_word(s, p, n, text);
    put_kind(s, p, n, text);
}

static void replace(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out)
{
    struct tk_edit_anonymiser *s = ctx;
    struct tk_anon_text text = {0};
    const bool noted = !s->brief && !s->texts->wants_kept && !tk_edit_texts_whole(&s->rule);
    const struct tk_edit_memo_entry *known =
        noted ? tk_edit_memo_find(&s->texts->words, &s->rule, p, n) : NULL;
    if (known) {
        s->changed |= known->value != NULL;
        tk_anon_put(out, known->value ? known->value : p, known->value ? known->n_value : n);
        return;
    }
    replace_anew(s, p, n, &text);
    const bool same = text.bytes.n == n && (n == 0 || memcmp(text.bytes.v, p, n) == 0);
    s->changed |= !same;
    if (same && s->counts && s->texts->wants_kept)
        s->failed |= tk_edit_texts_keep(s->texts, s->rule.class, p, n) != TK_OK;
    if (noted && !text.failed)
        s->failed |= tk_edit_memo_put(&s->texts->words, &s->rule, p, n,
                                      same           ? NULL
                                      : text.bytes.v ? text.bytes.v
                                                     : (const uint8_t *)"",
                                      same ? 0 : text.bytes.n) != TK_OK;
    tk_anon_put(out, text.bytes.v, text.bytes.n);
    out->failed |= text.failed;
    tk_vec_release(&text.bytes);
}

static bool is_important(const struct tk_ut_event *ev)
{
    return ev->tid == TK_UT_TID_IMPORTANT;
}

/* What a field holds now; in memory of the event. */
static struct tk_bytes map_anew(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev,
                                struct tk_bytes bytes)
{
    struct tk_anon_text out = {0};
    const bool brief = s->brief;
    if (s->rule.holds == TK_EDIT_HOLDS_IDENTITY) {
        tk_anon_identity(&s->texts->anon->key, bytes.p, bytes.n, &out);
        s->changed |= !out.failed && memcmp(out.bytes.v, bytes.p, bytes.n) != 0;
    } else {
        tk_edit_texts_map(s->rule.holds, s->rule.width, bytes.p, bytes.n, replace, s, &out);
    }
    if (is_important(ev) && out.bytes.n > LONG_TEXT && out.bytes.n > bytes.n && !brief) {
        out.bytes.n = 0;
        s->brief = true;
        tk_edit_texts_map(s->rule.holds, s->rule.width, bytes.p, bytes.n, replace, s, &out);
        s->brief = brief;
    }
    const uint8_t *copy =
        tk_arena_copy(ev->scratch, out.bytes.v ? out.bytes.v : (const uint8_t *)"", out.bytes.n);
    const struct tk_bytes now = {copy, copy ? out.bytes.n : 0};
    s->failed |= out.failed || !copy;
    tk_vec_release(&out.bytes);
    return now;
}

/* The same, and what is known of it. Texts that stay are counted each time where somebody wants to see them.
 */
static struct tk_bytes map_field(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev,
                                 struct tk_bytes bytes)
{
    if (s->brief || s->texts->wants_kept || !tk_edit_texts_whole(&s->rule))
        return map_anew(s, ev, bytes);
    const struct tk_edit_memo_entry *known = tk_edit_memo_find(&s->texts->words, &s->rule, bytes.p, bytes.n);
    if (known) {
        s->changed |= known->value != NULL;
        return known->value ? (struct tk_bytes){known->value, known->n_value} : bytes;
    }
    const bool before = s->changed;
    s->changed = false;
    const struct tk_bytes now = map_anew(s, ev, bytes);
    if (!s->failed)
        s->failed = tk_edit_memo_put(&s->texts->words, &s->rule, bytes.p, bytes.n, s->changed ? now.p : NULL,
                                     s->changed ? now.n : 0) != TK_OK;
    s->changed |= before;
    return now;
}

static int put_blob(struct tk_edit_anonymiser *s, uint32_t field, struct tk_bytes bytes)
{
    const struct tk_ut_blob blob = {bytes.p, (uint32_t)bytes.n, field};
    s->bytes += BLOB_HEAD + (uint64_t)bytes.n;
    return tk_vec_push(&s->blobs, blob) ? TK_ENOMEM : TK_OK;
}

/* Lays the fields of an event out anew. *emptied: one was left out. */
static int map_event(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev,
                     const struct tk_edit_type_texts *texts, bool *emptied)
{
    int rc = TK_OK;
    s->blobs.n = 0;
    s->bytes = (uint64_t)ev->type->fixed + BLOBS_END;
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
            rc = put_blob(s, b->field, bytes.n ? map_field(s, ev, bytes) : bytes);
        }
    }
    return s->failed ? TK_ENOMEM : rc;
}

/* An important event that became too long has each of its texts as one word; one that still is cannot be
 * written. */
static int map_to_fit(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev,
                      const struct tk_edit_type_texts *texts, bool *emptied)
{
    int rc = map_event(s, ev, texts, emptied);
    if (rc != TK_OK || !is_important(ev) || !s->changed || s->bytes <= MOST_IMPORTANT)
        return rc;
    s->brief = true;
    rc = map_event(s, ev, texts, emptied);
    s->brief = false;
    if (rc != TK_OK || s->bytes <= MOST_IMPORTANT || s->early)
        return rc;
    s->too_long = ev->type;
    return TK_EOUTPUT;
}

/* Numbers that say what a text would become 0. */
static int clear_numbers(struct tk_edit_anonymiser *s, struct tk_ut_event *ev,
                         const struct tk_edit_type_texts *texts)
{
    uint8_t *fixed = NULL;
    for (uint32_t i = 0; i < ev->type->n_fields; i++) {
        const struct tk_ut_field *f = &ev->type->fields[i];
        if (texts->rules[i].holds != TK_EDIT_HOLDS_SECRET || !f->size ||
            !tk_anon_has(s->texts->anon->classes, texts->rules[i].class) ||
            (uint64_t)f->offset + f->size > ev->n_fixed || tk_ut_event_u64(ev, f) == 0)
            continue;
        if (!fixed && !(fixed = tk_arena_copy(ev->scratch, ev->fixed, ev->n_fixed)))
            return TK_ENOMEM;
        memset(fixed + f->offset, 0, f->size);
        ev->fixed = fixed;
        s->changed = true;
    }
    return TK_OK;
}

/* What an event holds now, in its scratch memory; its texts have these rules. */
static int map(struct tk_edit_anonymiser *s, struct tk_ut_event *ev, const struct tk_edit_type_texts *texts,
               bool *emptied)
{
    s->changed = false;
    int rc = map_to_fit(s, ev, texts, emptied);
    if (rc == TK_OK)
        rc = clear_numbers(s, ev, texts);
    if (rc == TK_OK && s->changed) {
        ev->blobs = s->blobs.v;
        ev->n_blobs = (uint32_t)s->blobs.n;
    }
    return rc;
}

int tk_edit_anonymiser_see(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev, bool *changes)
{
    const struct tk_edit_type_texts *texts = tk_edit_texts_of(s->texts, ev->type);
    struct tk_ut_event now = *ev;
    bool emptied = false;
    const int rc = texts ? map(s, &now, texts, &emptied) : TK_OK;
    *changes = texts && s->changed;
    return rc;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_anonymiser *s = (struct tk_edit_anonymiser *)stage;
    struct tk_edit_type_texts *texts = item->ev ? tk_edit_texts_of(s->texts, item->ev->type) : NULL;
    bool emptied = false;
    if (!texts)
        return tk_edit_take(stage->next, item);
    struct tk_arena own = {0}; /* events that a stage held have no memory of their own */
    struct tk_ut_event ev = *item->ev;
    struct tk_edit_item now = *item;
    now.ev = &ev;
    if (!ev.scratch)
        ev.scratch = &own;
    int rc = map(s, &ev, texts, &emptied);
    now.changed |= s->changed;
    if (s->counts) {
        texts->replaced += s->changed && !emptied;
        texts->emptied += emptied;
    }
    if (rc == TK_OK)
        rc = tk_edit_take(stage->next, s->changed ? &now : item);
    tk_arena_release(&own);
    return rc;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_anonymiser *s = (const struct tk_edit_anonymiser *)stage;
    return tk_edit_texts_of(s->texts, type) ? TK_EDIT_INSPECTS : TK_EDIT_STAYS_AS_IS;
}

static const struct tk_edit_stage_ops ops = {.take = take, .judge = judge};

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
