/*
 * Reading and finding strings.
 */
#include "base/text/text.h"
#include "format/tracy/walk/own_tables.h"

#include <string.h>

#define PIECE 65536u /* bytes of a text that are believed without having been seen */

const struct tk_str tk_tracy_missing = {"???", 3, TK_ENC_UTF8};

static struct tk_str text_of_strings(const void *p, size_t n)
{
    return (struct tk_str){p, (uint32_t)n, tk_utf8_valid(p, n) ? TK_ENC_UTF8 : TK_ENC_BYTES};
}

/* Reads a long text into memory that doubles while the bytes come. */
static int read_long(struct tk_tracy_payload *in, size_t n, struct tk_arena *arena, struct tk_str *out)
{
    TK_VEC(uint8_t) v = {0};
    int rc = TK_OK;
    while (v.n < n && rc == TK_OK && tk_tracy_ok(in)) {
        size_t part = n - v.n < PIECE ? n - v.n : PIECE;
        if (tk_vec_reserve(&v, v.n + part)) {
            rc = TK_ENOMEM;
            break;
        }
        tk_tracy_copy(in, v.v + v.n, part, "text");
        v.n += part;
    }
    void *copy = rc == TK_OK && tk_tracy_ok(in) ? tk_arena_copy(arena, v.v, n) : NULL;
    if (copy)
        *out = text_of_strings(copy, n);
    else if (rc == TK_OK && tk_tracy_ok(in))
        rc = TK_ENOMEM;
    tk_vec_release(&v);
    return rc;
}

int tk_tracy_text(struct tk_tracy_payload *in, uint64_t n, uint64_t limit, struct tk_arena *arena,
                  struct tk_str *out)
{
    *out = (struct tk_str){"", 0, TK_ENC_UTF8};
    if (n > limit || n > UINT32_MAX) {
        tk_tracy_skip(in, n, "text");
        return TK_ELIMIT;
    }
    if (n > PIECE)
        return read_long(in, (size_t)n, arena, out);
    char *p = tk_arena_bytes(arena, (size_t)n);
    if (!p)
        return TK_ENOMEM;
    tk_tracy_copy(in, p, (size_t)n, "text");
    if (tk_tracy_ok(in))
        *out = text_of_strings(p, (size_t)n);
    return TK_OK;
}

/* What a string costs alongside its bytes: its entry, and its share of the map. */
#define EXTRA 48u

static int add_strings(struct tk_tracy_strings *s, uint64_t key, struct tk_str text)
{
    if (s->v.n >= UINT32_MAX - 1 || tk_vec_push(&s->v, text))
        return TK_ENOMEM;
    return tk_map_put(&s->by_key, key, (uint32_t)(s->v.n - 1)) ? TK_ENOMEM : TK_OK;
}

int tk_tracy_strings_read(struct tk_tracy_strings *s, struct tk_tracy_payload *in)
{
    struct tk_str text;
    struct tk_tracy_string head;
    (void)tk_tracy_read_string(in, &head);
    const uint64_t key = head.key, n = head.n;
    uint64_t left = s->limit - s->used;
    if (left < EXTRA) {
        tk_tracy_skip(in, n, "text");
        s->lost++;
        return TK_OK;
    }
    int rc = tk_tracy_text(in, n, left - EXTRA, &s->arena, &text);
    s->lost += rc == TK_ELIMIT;
    if (!tk_tracy_ok(in) || rc == TK_ENOMEM)
        return rc == TK_ELIMIT ? TK_OK : rc;
    s->used += EXTRA + text.n;
    s->odd += text.n && memchr(text.p, 0, text.n);
    return add_strings(s, key, rc == TK_ELIMIT ? tk_tracy_missing : text);
}

int tk_tracy_strings_read_pointer(struct tk_tracy_strings *s, struct tk_tracy_payload *in)
{
    struct tk_tracy_pointer v;
    uint32_t at = tk_tracy_read_pointer(in, &v) ? tk_map_get(&s->by_key, v.key) : TK_MAP_NONE;
    if (at == TK_MAP_NONE)
        return TK_OK;
    if (s->limit - s->used < EXTRA) {
        s->lost++;
        return TK_OK;
    }
    s->used += EXTRA;
    return tk_map_put(&s->by_pointer, v.pointer, at) ? TK_ENOMEM : TK_OK;
}

static const struct tk_str *at(const struct tk_tracy_strings *s, uint64_t i)
{
    return i < s->v.n ? &s->v.v[i] : &tk_tracy_missing;
}

const struct tk_str *tk_tracy_string_of_ref(const struct tk_tracy_strings *s, struct tk_tracy_ref ref)
{
    if (!(ref.flags & 2))
        return NULL;
    if (ref.flags & 1)
        return at(s, ref.value);
    const struct tk_str *found = tk_tracy_string_of_pointer(s, ref.value);
    return found ? found : &tk_tracy_missing;
}

const struct tk_str *tk_tracy_string_of_index(const struct tk_tracy_strings *s, uint32_t index)
{
    return index ? at(s, index - 1) : NULL;
}

const struct tk_str *tk_tracy_name_of_index(const struct tk_tracy_strings *s, uint32_t index)
{
    static const char unknown[] = "[unknown]", behind[] = " + ";
    const size_t n = sizeof unknown - 1, m = sizeof behind - 1;
    const struct tk_str *text = tk_tracy_string_of_index(s, index);
    if (!text || text->n < n || memcmp(text->p, unknown, n) != 0)
        return text;
    return text->n == n || (text->n > n + m && memcmp(text->p + n, behind, m) == 0) ? NULL : text;
}

const struct tk_str *tk_tracy_string_of_pointer(const struct tk_tracy_strings *s, uint64_t pointer)
{
    uint32_t i = tk_map_get(&s->by_pointer, pointer);
    return i == TK_MAP_NONE ? NULL : at(s, i);
}

const struct tk_str *tk_tracy_string_of_key(const struct tk_tracy_strings *s, uint64_t key)
{
    uint32_t i = tk_map_get(&s->by_key, key);
    return i == TK_MAP_NONE ? NULL : at(s, i);
}

void tk_tracy_strings_release(struct tk_tracy_strings *s)
{
    tk_vec_release(&s->v);
    tk_map_release(&s->by_key);
    tk_map_release(&s->by_pointer);
    tk_arena_release(&s->arena);
    *s = (struct tk_tracy_strings){0};
}
