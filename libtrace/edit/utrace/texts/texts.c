/*
 * Rules of types, and texts that stay.
 */
#include "edit/utrace/texts/texts.h"

#include <stdlib.h>
#include <string.h>

/*
 * Blocks of copied events.
 */

enum { BLOCK_BYTES = 256 << 10, BLOCK_EVENTS = 2048 };

static int look_at(struct tk_edit_text_queue *q, struct tk_ut_event *ev, uint32_t number)
{
    ev->scratch = &q->scratch;
    const int rc = q->look(q->ctx, ev, number);
    tk_arena_clear(&q->scratch);
    return rc;
}

static int use_block(void *ctx, size_t number, unsigned worker)
{
    struct tk_edit_text_queue *q = ctx;
    struct tk_edit_text_block *block = &q->blocks[number % TK_EDIT_TEXT_BLOCKS];
    int rc = TK_OK;
    (void)worker;
    for (size_t i = 0; i < block->events.n && rc == TK_OK; i++)
        rc = look_at(q, &block->events.v[i].ev, block->events.v[i].number);
    block->events.n = 0;
    tk_arena_clear(&block->bytes);
    return rc;
}

void tk_edit_text_queue_open(struct tk_edit_text_queue *q, struct tk_pool *pool, tk_edit_text_look *look,
                             void *ctx)
{
    *q = (struct tk_edit_text_queue){.pool = pool, .look = look, .ctx = ctx};
    tk_writebehind_open(&q->behind, pool, use_block, q, TK_EDIT_TEXT_BLOCKS);
}

static struct tk_edit_text_block *filling(struct tk_edit_text_queue *q)
{
    return &q->blocks[q->behind.made % TK_EDIT_TEXT_BLOCKS];
}

static int copy_blobs(struct tk_arena *bytes, struct tk_ut_event *ev)
{
    struct tk_ut_blob *blobs = tk_arena_alloc(bytes, ev->n_blobs * sizeof *blobs);
    for (uint32_t i = 0; blobs && i < ev->n_blobs; i++) {
        blobs[i] = ev->blobs[i];
        if (!(blobs[i].p = tk_arena_copy(bytes, ev->blobs[i].p, ev->blobs[i].n)))
            return TK_ENOMEM;
    }
    ev->blobs = blobs;
    return blobs ? TK_OK : TK_ENOMEM;
}

static int copy_event(struct tk_edit_text_block *block, const struct tk_ut_event *ev, uint32_t number)
{
    struct tk_edit_queued_text copy = {*ev, number};
    copy.ev.fixed = tk_arena_copy(&block->bytes, ev->fixed, ev->n_fixed);
    copy.ev.attachment = tk_arena_copy(&block->bytes, ev->attachment, ev->n_attachment);
    if (!copy.ev.fixed || !copy.ev.attachment || copy_blobs(&block->bytes, &copy.ev) != TK_OK ||
        tk_vec_push(&block->events, copy))
        return TK_ENOMEM;
    return TK_OK;
}

int tk_edit_text_queue_put(struct tk_edit_text_queue *q, const struct tk_ut_event *ev, uint32_t number)
{
    struct tk_ut_event now = *ev;
    if (tk_pool_jobs(q->pool) == 1)
        return look_at(q, &now, number);
    struct tk_edit_text_block *block = filling(q);
    const int rc = copy_event(block, ev, number);
    if (rc != TK_OK || (block->bytes.total < BLOCK_BYTES && block->events.n < BLOCK_EVENTS))
        return rc;
    return tk_writebehind_give(&q->behind);
}

int tk_edit_text_queue_drain(struct tk_edit_text_queue *q)
{
    int rc = TK_OK;
    if (filling(q)->events.n)
        rc = tk_writebehind_give(&q->behind);
    const int last = tk_writebehind_drain(&q->behind);
    return rc == TK_OK ? last : rc;
}

void tk_edit_text_queue_release(struct tk_edit_text_queue *q)
{
    (void)tk_writebehind_drain(&q->behind);
    for (size_t i = 0; i < TK_EDIT_TEXT_BLOCKS; i++) {
        tk_arena_release(&q->blocks[i].bytes);
        tk_vec_release(&q->blocks[i].events);
    }
    tk_arena_release(&q->scratch);
    *q = (struct tk_edit_text_queue){0};
}

/*
 * A table of what became of texts.
 */

enum { LONGEST = 512, MOST_ENTRIES = 1 << 16, MOST_BYTES = 4 << 20 };

/* All that what becomes of a text depends on. */
static uint32_t number_of(const struct tk_edit_text_rule *rule)
{
    return (uint32_t)rule->holds | (uint32_t)rule->width << 4 | (uint32_t)rule->form << 8 |
           (uint32_t)rule->class << 16;
}

const struct tk_edit_memo_entry *tk_edit_memo_find(const struct tk_edit_memo *m,
                                                   const struct tk_edit_text_rule *rule, const uint8_t *p,
                                                   size_t n)
{
    const uint32_t number = number_of(rule);
    uint32_t place;
    if (n > LONGEST)
        return NULL;
    for (uint64_t key = tk_hash_bytes(p, n, number); (place = tk_map_get(&m->index, key)) != TK_MAP_NONE;
         key++) {
        const struct tk_edit_memo_entry *e = &m->entries.v[place];
        if (e->rule == number && e->n == n && memcmp(e->p, p, n) == 0)
            return e;
    }
    return NULL;
}

int tk_edit_memo_put(struct tk_edit_memo *m, const struct tk_edit_text_rule *rule, const uint8_t *p, size_t n,
                     const uint8_t *value, size_t n_value)
{
    struct tk_edit_memo_entry e = {.n = (uint32_t)n, .n_value = (uint32_t)n_value, .rule = number_of(rule)};
    uint64_t key = tk_hash_bytes(p, n, e.rule);
    if (n > LONGEST || n_value > (size_t)LONGEST * 8 || m->entries.n >= MOST_ENTRIES ||
        m->arena.total >= MOST_BYTES)
        return TK_OK;
    while (tk_map_get(&m->index, key) != TK_MAP_NONE)
        key++;
    e.p = tk_arena_copy(&m->arena, p, n);
    e.value = value ? tk_arena_copy(&m->arena, value, n_value) : NULL;
    if (!e.p || (value && !e.value) || tk_map_put(&m->index, key, (uint32_t)m->entries.n) ||
        tk_vec_push(&m->entries, e))
        return TK_ENOMEM;
    return TK_OK;
}

void tk_edit_memo_release(struct tk_edit_memo *m)
{
    tk_vec_release(&m->entries);
    tk_map_release(&m->index);
    tk_arena_release(&m->arena);
    *m = (struct tk_edit_memo){0};
}

static int compile(struct tk_edit_type_texts *t, const struct tk_ut_type *type)
{
    bool any = false;
    struct tk_edit_text_rule *rules = calloc(type->n_fields + 1u, sizeof *rules);
    if (!rules)
        return TK_ENOMEM;
    for (uint32_t i = 0; i < type->n_fields; i++) {
        rules[i] = tk_edit_text_rule_of(type, &type->fields[i]);
        any |= rules[i].holds != TK_EDIT_HOLDS_NUMBERS;
    }
    if (any)
        t->rules = rules;
    else
        free(rules);
    return TK_OK;
}

int tk_edit_texts_init(struct tk_edit_texts *t, struct tk_anon *anon, const struct tk_ut_schema *schema)
{
    int rc = TK_OK;
    t->anon = anon;
    t->n = schema->types.n;
    t->types = calloc(t->n + 1, sizeof *t->types);
    if (!t->types)
        return TK_ENOMEM;
    for (size_t i = 0; i < t->n && rc == TK_OK; i++)
        rc = compile(&t->types[i], schema->types.v[i]);
    return rc;
}

static bool has_letter(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'z')
            return true;
    return false;
}

int tk_edit_texts_keep(struct tk_edit_texts *t, enum tk_anon_class class, const uint8_t *p, size_t n)
{
    struct tk_edit_kept_text kept = {.n = (uint32_t)n, .class = class, .uses = 1};
    uint64_t key = tk_hash_bytes(p, n, 0);
    uint32_t place;
    if (!has_letter(p, n))
        return TK_OK;
    for (; (place = tk_map_get(&t->kept_index, key)) != TK_MAP_NONE; key++) {
        struct tk_edit_kept_text *old = &t->kept.v[place];
        if (old->n == n && memcmp(old->p, p, n) == 0) {
            old->uses++;
            return TK_OK;
        }
    }
    if (!(kept.p = tk_arena_copy(&t->arena, p, n)) || tk_map_put(&t->kept_index, key, (uint32_t)t->kept.n) ||
        tk_vec_push(&t->kept, kept))
        return TK_ENOMEM;
    return TK_OK;
}

void tk_edit_texts_release(struct tk_edit_texts *t)
{
    for (size_t i = 0; t->types && i < t->n; i++)
        free(t->types[i].rules);
    free(t->types);
    tk_vec_release(&t->kept);
    tk_map_release(&t->kept_index);
    tk_arena_release(&t->arena);
    tk_edit_memo_release(&t->seen);
    tk_edit_memo_release(&t->words);
    *t = (struct tk_edit_texts){0};
}
