/*
 * Texts of scopes. There are few of them for many instances, so they are numbered, and
 * instances are kept as those of timers are.
 */
#include "base/hash.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "format/utrace/schema/printf_args.h"
#include "format/utrace/scopes/timer_ids.h"

#include <stdlib.h>
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

/*
 * Pages of metadata instances.
 */

#define PAGE_BITS 12
#define PAGE_SIZE (1u << PAGE_BITS)
#define NARROW    255 /* timers a narrow page can tell; index 0 is none */

struct page {
    uint8_t *narrow;   /* PAGE_SIZE indices into the palette plus one; NULL when wide; owned */
    uint32_t *wide;    /* PAGE_SIZE timers; owned */
    uint32_t *palette; /* owned */
    uint32_t n, cap;
    uint32_t key; /* instance >> PAGE_BITS */
};

struct tk_ut_metadata_instances {
    TK_VEC(struct page) pages;
    struct tk_map index;          /* instance >> PAGE_BITS -> page */
    uint32_t last_key, last_page; /* the page in use */
};

static struct page *page_of(struct tk_ut_metadata_instances *s, uint32_t key)
{
    if (s->pages.n && s->last_key == key)
        return &s->pages.v[s->last_page];
    uint32_t i = tk_map_get(&s->index, key);
    if (i == TK_MAP_NONE) {
        struct page p = {.narrow = calloc(PAGE_SIZE, 1), .key = key};
        i = (uint32_t)s->pages.n;
        if (!p.narrow || tk_vec_push(&s->pages, p)) {
            free(p.narrow);
            return NULL;
        }
        if (tk_map_put(&s->index, key, i))
            return NULL;
    }
    s->last_key = key;
    s->last_page = i;
    return &s->pages.v[i];
}

static int widen(struct page *p)
{
    uint32_t *wide = malloc(PAGE_SIZE * sizeof *wide);
    if (!wide)
        return -1;
    for (size_t i = 0; i < PAGE_SIZE; i++)
        wide[i] = p->narrow[i] ? p->palette[p->narrow[i] - 1] : UINT32_MAX;
    free(p->narrow);
    free(p->palette);
    *p = (struct page){.wide = wide, .key = p->key};
    return 0;
}

/* Place of a timer in the palette plus one, or 0 when it cannot be put there. */
static uint32_t palette_index(struct page *p, uint32_t timer)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->palette[i] == timer)
            return i + 1;
    if (p->n == NARROW)
        return 0;
    if (p->n == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 8;
        uint32_t *v = realloc(p->palette, cap * sizeof *v);
        if (!v)
            return 0;
        p->palette = v;
        p->cap = cap;
    }
    p->palette[p->n++] = timer;
    return p->n;
}

int tk_ut_metadata_instances_put(struct tk_ut_metadata_instances **set, uint32_t instance, uint32_t timer)
{
    struct page *p;
    if (!*set && !(*set = calloc(1, sizeof **set)))
        return -1;
    if (!(p = page_of(*set, instance >> PAGE_BITS)))
        return -1;
    if (p->narrow) {
        uint32_t index = palette_index(p, timer);
        if (index) {
            p->narrow[instance & (PAGE_SIZE - 1)] = (uint8_t)index;
            return 0;
        }
        if (widen(p))
            return -1;
    }
    p->wide[instance & (PAGE_SIZE - 1)] = timer;
    return 0;
}

uint32_t tk_ut_metadata_instances_get(const struct tk_ut_metadata_instances *set, uint32_t instance)
{
    uint32_t i = set ? tk_map_get(&set->index, instance >> PAGE_BITS) : TK_MAP_NONE;
    if (i == TK_MAP_NONE)
        return UINT32_MAX;
    const struct page *p = &set->pages.v[i];
    uint32_t at = instance & (PAGE_SIZE - 1);
    if (p->wide)
        return p->wide[at];
    return p->narrow[at] ? p->palette[p->narrow[at] - 1] : UINT32_MAX;
}

/* ---- kept between questions ---- */

/* Of each page: its key, how many timers its palette has (0: it is wide), these, its instances. */
void tk_ut_metadata_instances_keep(const struct tk_ut_metadata_instances *set, struct tk_kept_bytes *out)
{
    tk_kept_put(out, set ? set->pages.n : 0);
    for (size_t at = 0; set && at < set->pages.n; at++) {
        const struct page *p = &set->pages.v[at];
        tk_kept_put(out, p->key);
        tk_kept_put(out, p->wide ? 0 : p->n);
        for (uint32_t i = 0; !p->wide && i < p->n; i++)
            tk_kept_put(out, p->palette[i]);
        for (size_t i = 0; p->wide && i < PAGE_SIZE; i++)
            tk_kept_put(out, (uint32_t)(p->wide[i] + 1));
        if (!p->wide)
            tk_kept_put_bytes(out, p->narrow, PAGE_SIZE);
    }
}

static bool load_wide(struct page *p, struct tk_cur *c, uint64_t n_timers)
{
    for (size_t i = 0; i < PAGE_SIZE && tk_cur_ok(c); i++) {
        const uint64_t timer = tk_varint(c, "an instance");
        if (timer > n_timers)
            return false;
        p->wide[i] = (uint32_t)timer - 1;
    }
    return tk_cur_ok(c);
}

static bool load_narrow(struct page *p, struct tk_cur *c, uint64_t n, uint64_t n_timers)
{
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        const uint64_t timer = tk_varint(c, "an instance");
        if (timer >= n_timers)
            return false;
        p->palette[i] = (uint32_t)timer;
    }
    const uint8_t *bytes = tk_take(c, PAGE_SIZE, "instances");
    for (size_t i = 0; bytes && i < PAGE_SIZE; i++)
        if (bytes[i] > n)
            return false;
    if (bytes)
        memcpy(p->narrow, bytes, PAGE_SIZE);
    return bytes != NULL;
}

static int load_page(struct tk_ut_metadata_instances *set, struct tk_cur *c, uint64_t n_timers)
{
    const uint64_t key = tk_varint(c, "instances"), n = tk_varint(c, "instances");
    if (key > UINT32_MAX >> PAGE_BITS || n > NARROW || !tk_cur_ok(c))
        return TK_EFORMAT;
    struct page *p = page_of(set, (uint32_t)key);
    if (!p)
        return TK_ENOMEM;
    free(p->narrow);
    free(p->wide);
    free(p->palette);
    *p = (struct page){.n = (uint32_t)n, .cap = (uint32_t)n, .key = (uint32_t)key};
    if (!n) {
        p->wide = malloc(PAGE_SIZE * sizeof *p->wide);
        return !p->wide ? TK_ENOMEM : load_wide(p, c, n_timers) ? TK_OK : TK_EFORMAT;
    }
    p->palette = malloc((size_t)n * sizeof *p->palette);
    p->narrow = calloc(PAGE_SIZE, 1);
    if (!p->palette || !p->narrow)
        return TK_ENOMEM;
    return load_narrow(p, c, n, n_timers) ? TK_OK : TK_EFORMAT;
}

int tk_ut_metadata_instances_load(struct tk_ut_metadata_instances **set, struct tk_cur c, uint64_t n_timers)
{
    int rc = TK_OK;
    if (!*set && !(*set = calloc(1, sizeof **set)))
        return TK_ENOMEM;
    for (uint64_t i = tk_varint(&c, "instances"); i > 0 && rc == TK_OK; i--)
        rc = load_page(*set, &c, n_timers);
    return rc == TK_OK && (!tk_cur_ok(&c) || tk_cur_left(&c)) ? TK_EFORMAT : rc;
}

void tk_ut_metadata_instances_free(struct tk_ut_metadata_instances *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->pages.n; i++) {
        free(set->pages.v[i].narrow);
        free(set->pages.v[i].wide);
        free(set->pages.v[i].palette);
    }
    tk_vec_release(&set->pages);
    tk_map_release(&set->index);
    free(set);
}
