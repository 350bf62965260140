/*
 * The building of FlatBuffers.
 */
#include "sink/columns/columns_in.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 1024 };

void tk_flat_release(struct tk_flat *f)
{
    free(f->p);
    *f = (struct tk_flat){0};
}

/* Space for n more bytes in front; false without memory. */
static bool reserve(struct tk_flat *f, size_t n)
{
    if (f->status == TK_OK && f->cap - f->n >= n)
        return true;
    const size_t cap = f->cap * 2 + n + FEWEST;
    uint8_t *p = f->status == TK_OK ? malloc(cap) : NULL;
    if (!p) {
        f->status = TK_ENOMEM;
        return false;
    }
    if (f->n)
        memcpy(p + (cap - f->n), f->p + (f->cap - f->n), f->n);
    free(f->p);
    f->p = p;
    f->cap = cap;
    return true;
}

static void put(struct tk_flat *f, const void *p, size_t n)
{
    if (!reserve(f, n))
        return;
    f->n += n;
    if (n)
        memcpy(f->p + (f->cap - f->n), p, n);
}

void tk_flat_align(struct tk_flat *f, size_t align, size_t behind)
{
    static const uint8_t zeros[8];
    put(f, zeros, (align - (f->n + behind) % align) % align);
}

void tk_flat_number(struct tk_flat *f, uint64_t v, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    tk_flat_align(f, size, 0);
    put(f, bytes, size);
}

void tk_flat_reference(struct tk_flat *f, size_t place)
{
    tk_flat_align(f, 4, 0);
    tk_flat_number(f, f->n + 4 - place, 4);
}

size_t tk_flat_text(struct tk_flat *f, const char *p, size_t n)
{
    tk_flat_align(f, 4, n + 1);
    put(f, "", 1);
    put(f, p, n);
    tk_flat_number(f, n, 4);
    return f->n;
}

size_t tk_flat_list(struct tk_flat *f, const size_t *places, size_t n)
{
    tk_flat_align(f, 4, 0);
    for (size_t i = n; i-- > 0;)
        tk_flat_reference(f, places[i]);
    tk_flat_number(f, n, 4);
    return f->n;
}

size_t tk_flat_words(struct tk_flat *f, const uint64_t *v, size_t n, size_t words)
{
    tk_flat_align(f, 8, 0);
    for (size_t i = n * words; i-- > 0;)
        tk_flat_number(f, v[i], 8);
    tk_flat_number(f, n, 4);
    return f->n;
}

void tk_flat_open(struct tk_flat *f)
{
    memset(f->slots, 0, sizeof f->slots);
    f->table = f->n;
}

void tk_flat_field(struct tk_flat *f, unsigned slot, uint64_t v, size_t size)
{
    tk_flat_number(f, v, size);
    f->slots[slot] = f->n;
}

void tk_flat_field_reference(struct tk_flat *f, unsigned slot, size_t place)
{
    tk_flat_reference(f, place);
    f->slots[slot] = f->n;
}

size_t tk_flat_close(struct tk_flat *f)
{
    unsigned n = TK_FLAT_SLOTS;
    tk_flat_number(f, 0, 4); /* how far before it the vtable is, once that is known */
    const size_t table = f->n;
    while (n && !f->slots[n - 1])
        n--;
    for (unsigned i = n; i-- > 0;)
        tk_flat_number(f, f->slots[i] ? table - f->slots[i] : 0, 2);
    tk_flat_number(f, table - f->table, 2);
    tk_flat_number(f, 4 + 2 * (uint64_t)n, 2);
    for (size_t i = 0; i < 4 && f->status == TK_OK; i++)
        f->p[f->cap - table + i] = (uint8_t)((f->n - table) >> 8 * i);
    return table;
}

void tk_flat_finish(struct tk_flat *f, size_t root)
{
    tk_flat_align(f, 8, 4);
    tk_flat_reference(f, root);
}
