/*
 * A table of what became of texts. See memo.h.
 */
#include "edit/utrace/texts/memo.h"

#include <string.h>

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
