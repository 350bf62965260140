/*
 * Rules of types, and texts that stay. See texts.h.
 */
#include "edit/utrace/texts/texts.h"

#include <stdlib.h>
#include <string.h>

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
