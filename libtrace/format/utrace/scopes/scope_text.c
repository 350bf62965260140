/*
 * Texts of scopes. There are few of them for many instances, so they are numbered, and
 * instances are kept as those of timers are.
 */
#include "base/text/text.h"
#include "format/utrace/schema/printf_args.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

#define JOINT   ", "
#define N_JOINT 2u

static struct tk_ut_scope_texts *texts_of(struct tk_ut_feed *feed)
{
    return &feed->capture->timers->texts;
}

void tk_ut_scope_texts_release(struct tk_ut_scope_texts *t)
{
    tk_vec_release(&t->formats);
    tk_map_release(&t->by_spec);
    tk_vec_release(&t->all);
    tk_map_release(&t->by_hash);
    tk_ut_metadata_instances_free(t->instances);
    tk_vec_release(&t->late);
    tk_map_release(&t->late_instances);
}

int tk_ut_scope_text_spec(struct tk_ut_feed *feed, uint32_t spec, const struct tk_str *name,
                          const struct tk_str *format)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    struct tk_ut_scope_format f = {name, tk_ut_label_format(name, format)};
    if (tk_vec_push(&t->formats, f) || tk_map_put(&t->by_spec, spec, (uint32_t)t->formats.n - 1))
        return TK_ENOMEM;
    return TK_OK;
}

static int tell_limit(struct tk_ut_feed *feed)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    tk_health_limit(&feed->out->health, TK_LIMIT_scope_texts, TK_NO_OFFSET, 1, "texts of scopes are merged");
    if (t->others)
        return TK_OK;
    t->others = tk_intern_c(&feed->capture->strings, "(other texts)");
    return !t->others || tk_vec_push(&t->all, t->others) ? TK_ENOMEM : TK_OK;
}

/* The text of these bytes, in `all` at *index; beyond the limit the last one, which stands for all others. */
static int text_of_bytes(struct tk_ut_feed *feed, const void *p, size_t n, uint32_t *index)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    uint64_t hash = tk_hash_bytes(p, n, 0);
    *index = tk_map_get(&t->by_hash, hash);
    if (*index != TK_MAP_NONE && t->all.v[*index]->n == n && memcmp(t->all.v[*index]->p, p, n) == 0)
        return TK_OK;
    if (t->others || t->all.n >= feed->capture->ctx->limits.scope_texts) {
        int rc = tell_limit(feed);
        *index = (uint32_t)t->all.n - 1;
        return rc;
    }
    const struct tk_str *text = tk_intern(&feed->capture->strings, p, n, TK_ENC_UTF8);
    *index = (uint32_t)t->all.n;
    return !text || tk_vec_push(&t->all, text) || tk_map_put(&t->by_hash, hash, *index) ? TK_ENOMEM : TK_OK;
}

/* ---- instances ---- */

static int fill_in(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t spec,
                   const struct tk_bytes *values, struct tk_bytes *out)
{
    static const struct tk_str nothing = {.p = ""};
    const struct tk_ut_scope_texts *t = texts_of(feed);
    uint32_t at = tk_map_get(&t->by_spec, spec);
    struct tk_ut_scope_format f =
        at == TK_MAP_NONE ? (struct tk_ut_scope_format){&nothing, nothing} : t->formats.v[at];
    bool cut;
    if (tk_ut_label(&feed->out->arena, &nothing, &f.rest, values->p, values->n, out, &cut) != TK_OK)
        return TK_ENOMEM;
    if (cut)
        tk_ut_bad_payload(feed, ev, "its values are not complete");
    if (out->n >= 3) { /* the name, of which there is none, and " - " */
        out->p += 3;
        out->n -= 3;
    }
    return TK_OK;
}

int tk_ut_scope_text_instance(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t instance,
                              uint32_t spec, const struct tk_bytes *values)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    struct tk_bytes text;
    uint32_t index;
    if (!values->n)
        return TK_OK;
    int rc = fill_in(feed, ev, spec, values, &text);
    if (rc == TK_OK)
        rc = text_of_bytes(feed, text.p, text.n, &index);
    if (rc == TK_OK && tk_ut_metadata_instances_put(&t->instances, instance, index))
        rc = TK_ENOMEM;
    uint32_t late = t->late.n ? tk_map_get(&t->late_instances, instance) : TK_MAP_NONE;
    if (rc == TK_OK && late != TK_MAP_NONE)
        *t->late.v[late] = *t->all.v[index];
    return rc;
}

static int wait_for(struct tk_ut_feed *feed, uint64_t instance, const struct tk_str **out)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    uint32_t late = tk_map_get(&t->late_instances, instance);
    *out = late == TK_MAP_NONE ? NULL : t->late.v[late];
    if (*out || t->late.n >= feed->capture->ctx->limits.late_metadata)
        return TK_OK;
    struct tk_str *empty = tk_arena_alloc(&feed->capture->strings.arena, sizeof *empty);
    if (!empty || tk_vec_push(&t->late, empty) ||
        tk_map_put(&t->late_instances, instance, (uint32_t)t->late.n - 1))
        return TK_ENOMEM;
    *empty = (struct tk_str){.p = ""};
    *out = empty;
    return TK_OK;
}

int tk_ut_scope_text_of(struct tk_ut_feed *feed, uint64_t instance, const struct tk_str **out)
{
    struct tk_ut_scope_texts *t = texts_of(feed);
    uint32_t index =
        instance < UINT32_MAX ? tk_ut_metadata_instances_get(t->instances, (uint32_t)instance) : UINT32_MAX;
    if (index == UINT32_MAX)
        return wait_for(feed, instance, out);
    *out = t->all.v[index];
    return TK_OK;
}

/* ---- scoped events ---- */

struct line {
    TK_VEC(char) v;
    bool failed;
};

static void put_scope_text(struct line *l, const void *p, size_t n)
{
    l->failed |= tk_vec_reserve(&l->v, l->v.n + n) != 0;
    if (l->failed || !n)
        return;
    memcpy(l->v.v + l->v.n, p, n);
    l->v.n += n;
}

static void put_unsigned(struct line *l, uint64_t u)
{
    char digits[2 + 16], *end = digits + sizeof digits, *p = end;
    char decimal[20];
    if (u <= 999999999) {
        put_scope_text(l, decimal, tk_put_u64(decimal, u));
        return;
    }
    for (; u; u >>= 4)
        *--p = "0123456789ABCDEF"[u & 15];
    *--p = 'x';
    *--p = '0';
    put_scope_text(l, p, (size_t)(end - p));
}

static void put_signed(struct line *l, int64_t i)
{
    char decimal[21];
    if (i >= 0)
        put_unsigned(l, (uint64_t)i);
    else
        put_scope_text(l, decimal, tk_put_i64(decimal, i));
}

static void put_text_scope_text(struct line *l, const struct tk_cell *c)
{
    uint8_t *to;
    if (c->enc != TK_ENC_UTF16) {
        put_scope_text(l, c->v.p, c->n);
        return;
    }
    size_t capacity = 3 * ((size_t)c->n / 2);
    l->failed |= tk_vec_reserve(&l->v, l->v.n + capacity + 1) != 0;
    to = l->failed ? NULL : (uint8_t *)l->v.v + l->v.n;
    if (to)
        l->v.n += tk_utf16_to_utf8(to, c->v.p, c->n);
}

/* As values without a format are displayed (events 2.4). */
static void put_value_scope_text(struct line *l, const struct tk_cell *c)
{
    char real[TK_PUT_FIXED];
    switch (c->kind) {
    case TK_TEXT:
        put_text_scope_text(l, c);
        break;
    case TK_BOOL:
        put_scope_text(l, c->v.u ? "true" : "false", c->v.u ? 4 : 5);
        break;
    case TK_REAL32:
        put_scope_text(l, real, tk_put_fixed(real, c->v.r, 6));
        break;
    case TK_REAL:
        put_scope_text(l, real, tk_put_real(real, c->v.r));
        break;
    case TK_INT:
        put_signed(l, c->v.i);
        break;
    case TK_UINT:
    case TK_HEX:
        put_unsigned(l, c->v.u);
        break;
    default:
        put_scope_text(l, "?", 1); /* arrays have no form in a line */
    }
}

int tk_ut_scope_text_event(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str **out)
{
    struct line l = {.failed = false};
    uint32_t index;
    *out = NULL;
    for (uint32_t i = 0; i < ev->type->record.n_fields; i++) {
        struct tk_cell value;
        tk_ut_event_value(ev, i, &value);
        put_scope_text(&l, JOINT, i ? N_JOINT : 0);
        put_value_scope_text(&l, &value);
    }
    int rc = l.failed ? TK_ENOMEM : TK_OK;
    if (rc == TK_OK && l.v.n) {
        rc = text_of_bytes(feed, l.v.v, l.v.n, &index);
        *out = rc == TK_OK ? texts_of(feed)->all.v[index] : NULL;
    }
    tk_vec_release(&l.v);
    return rc;
}
