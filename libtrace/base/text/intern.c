/*
 * Interned texts: an open-addressed table of pointers to entries in an arena. Formats intern every name of a
 * capture.
 */
#include "base/text/intern.h"

#include "base/cursor.h"
#include "base/hash.h"
#include "base/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, STACK_TEXT = 1024 };

/* What slots point to: the text first, so that a pointer to it is a pointer to the entry; then its bytes. */
struct entry {
    struct tk_str str;
    uint64_t hash;
    char bytes[];
};

static bool same_intern(const struct tk_str *have, uint64_t hash, const void *p, size_t n,
                        enum tk_encoding enc)
{
    const struct entry *e = (const struct entry *)have;
    return e->hash == hash && have->n == n && have->enc == enc && (n == 0 || memcmp(have->p, p, n) == 0);
}

/* The slot of the text, or the empty one where it would be. */
static size_t find_intern(const struct tk_intern *t, uint64_t hash, const void *p, size_t n,
                          enum tk_encoding enc)
{
    size_t i = (size_t)hash & t->mask;
    while (t->slots[i] && !same_intern(t->slots[i], hash, p, n, enc))
        i = (i + 1) & t->mask;
    return i;
}

static int grow(struct tk_intern *t)
{
    size_t n = t->slots ? (t->mask + 1) * 2 : FIRST_SLOTS;
    const struct tk_str **slots = tk_table_memory(n * sizeof *slots);
    if (!slots)
        return -1;
    memset(slots, 0, n * sizeof *slots);
    for (size_t i = 0; t->slots && i <= t->mask; i++) {
        if (!t->slots[i])
            continue;
        size_t at = (size_t)((const struct entry *)t->slots[i])->hash & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->mask = n - 1;
    return 0;
}

/* Does the limit allow a text of n bytes? */
static bool has_space_intern(const struct tk_intern *t, size_t n)
{
    const size_t size = sizeof(struct entry) + n;
    return !t->limit || !n || (t->arena.total <= t->limit && size <= t->limit - t->arena.total);
}

/* What a text is that the limit does not allow. */
static const struct tk_str *leave_out(struct tk_intern *t)
{
    t->full = true;
    t->left_out += t->others != NULL;
    return t->others;
}

static const struct tk_str *add_intern(struct tk_intern *t, uint64_t hash, const void *p, size_t n,
                                       enum tk_encoding enc)
{
    struct entry *e = tk_arena_alloc(&t->arena, sizeof(struct entry) + n);
    if (!e)
        return NULL;
    if (n)
        memcpy(e->bytes, p, n);
    e->str = (struct tk_str){.p = e->bytes, .n = (uint32_t)n, .enc = (uint8_t)enc};
    e->hash = hash;
    return &e->str;
}

static const struct tk_str *find_or_add(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc)
{
    if (n > UINT32_MAX)
        return NULL;
    /* At most half of the slots are used. */
    if ((!t->slots || t->count > t->mask / 2) && grow(t))
        return NULL;
    uint64_t hash = tk_hash_bytes(p, n, enc);
    size_t at = find_intern(t, hash, p, n, enc);
    if (!t->slots[at]) {
        if (!has_space_intern(t, n))
            return leave_out(t);
        const struct tk_str *s = add_intern(t, hash, p, n, enc);
        if (!s)
            return NULL;
        t->slots[at] = s;
        t->count++;
    }
    return t->slots[at];
}

static const struct tk_str *intern_utf16(struct tk_intern *t, const void *p, size_t n)
{
    uint8_t stack[STACK_TEXT];
    size_t capacity = n / 2 * 3;
    uint8_t *utf8 = capacity <= sizeof stack ? stack : malloc(capacity);
    if (!utf8)
        return NULL;
    size_t len = tk_utf16_to_utf8(utf8, p, n);
    const struct tk_str *s = find_or_add(t, utf8, len, TK_ENC_UTF8);
    if (utf8 != stack)
        free(utf8);
    return s;
}

static const struct tk_str *intern(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc)
{
    if (enc != TK_ENC_UTF16)
        return find_or_add(t, p, n, tk_utf8_valid(p, n) ? TK_ENC_UTF8 : TK_ENC_BYTES);
    if (n > UINT32_MAX || !tk_utf16_valid(p, n))
        return find_or_add(t, p, n, TK_ENC_UTF16);
    return intern_utf16(t, p, n);
}

const struct tk_str *tk_intern(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc)
{
    const struct tk_str *s = intern(t, p, n, enc);
    t->failed |= !s;
    return s;
}

const struct tk_str *tk_intern_always(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc)
{
    const size_t limit = t->limit;
    t->limit = 0;
    const struct tk_str *s = tk_intern(t, p, n, enc);
    t->limit = limit;
    return s;
}

const struct tk_str *tk_intern_c(struct tk_intern *t, const char *s)
{
    return tk_intern(t, s, strlen(s), TK_ENC_UTF8);
}

void tk_intern_release(struct tk_intern *t)
{
    tk_arena_release(&t->arena);
    free(t->slots);
    *t = (struct tk_intern){.limit = t->limit, .others = t->others};
}
