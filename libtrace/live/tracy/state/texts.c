/*
 * Strings, and what pointers of the program stand for (tracy-live 7.4).
 */
#include "live/tracy/state/topics.h"

#include <string.h>

enum { STRINGS_MOST = (1 << 24) - 2 };

int tk_tl_store(struct tk_tl_state *s, const void *p, size_t n, uint32_t *text)
{
    uint64_t hash = tk_hash_bytes(p, n, 0);
    for (uint32_t i; (i = tk_map_get(&s->string_of, hash)) != TK_MAP_NONE; hash++)
        if (s->strings.v[i].n == n && (!n || memcmp(s->strings.v[i].p, p, n) == 0)) {
            *text = i;
            return TK_OK;
        }
    struct tk_tl_text t = {.n = (uint32_t)n};
    if (s->strings.n >= STRINGS_MOST)
        return tk_err_set(
            s->err, TK_ELIMIT,
            "the program has more than 16777214 different strings, and no .tracy can hold them");
    TK_TL_TRY(tk_tl_charge(s, n));
    if (!(t.p = tk_arena_copy(&s->text_arena, p, n)))
        return tk_tl_nomem(s);
    *text = (uint32_t)s->strings.n;
    TK_TL_TRY(tk_tl_push(s, &s->strings, t));
    return tk_tl_map_put(s, &s->string_of, hash, *text);
}

struct tk_tl_text tk_tl_text_of(const struct tk_tl_state *s, uint32_t text)
{
    struct tk_tl_text t = s->strings.v[text];
    const uint8_t *end = t.n ? memchr(t.p, 0, t.n) : NULL;
    if (end)
        t.n = (uint32_t)(end - t.p);
    return t;
}

int tk_tl_on_single_string_data(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    TK_TL_TRY(tk_tl_store(s, s->data.p, s->data.n, &s->single));
    s->last_single = s->single;
    return TK_OK;
}

int tk_tl_on_second_string_data(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    return tk_tl_store(s, s->data.p, s->data.n, &s->second);
}

int tk_tl_on_single_string_data_8(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_on_single_string_data(s, p);
}

int tk_tl_on_second_string_data_8(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_on_second_string_data(s, p);
}

uint32_t tk_tl_take_text(struct tk_tl_state *s)
{
    const uint32_t text = s->single;
    s->single = TK_TL_NONE;
    if (text != TK_TL_NONE)
        return text;
    s->odd.texts++;
    return s->last_single;
}

struct tk_tl_pointer *tk_tl_pointer_find(const struct tk_tl_state *s, uint64_t pointer)
{
    const uint32_t i = tk_map_get(&s->pointer_of, pointer);
    return i == TK_MAP_NONE ? NULL : &s->pointers.v[i];
}

static int add_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text)
{
    const struct tk_tl_pointer p = {pointer, text, false};
    TK_TL_TRY(tk_tl_map_put(s, &s->pointer_of, pointer, (uint32_t)s->pointers.n));
    return tk_tl_push(s, &s->pointers, p);
}

int tk_tl_want_text(struct tk_tl_state *s, uint64_t pointer, bool *known)
{
    *known = pointer == 0 || tk_tl_pointer_find(s, pointer);
    if (*known)
        return TK_OK;
    TK_TL_TRY(add_pointer(s, pointer, TK_TL_NONE));
    return tk_tl_ask(s, TK_TL_ASK_STRING, pointer, 0);
}

int tk_tl_name_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text)
{
    struct tk_tl_pointer *p = tk_tl_pointer_find(s, pointer);
    if (!p)
        return add_pointer(s, pointer, text);
    if (p->text == TK_TL_NONE)
        p->text = text;
    return TK_OK;
}

uint32_t tk_tl_pointer_text(const struct tk_tl_state *s, uint64_t pointer)
{
    const struct tk_tl_pointer *p = tk_tl_pointer_find(s, pointer);
    return p ? p->text : TK_TL_NONE;
}
