/*
 * Offsets without a function.
 */
#include "model/code/code_offsets.h"

#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>

/* Offsets that are listed one by one. */
enum { LISTED = 3 };

/* Two hashes that are equal cost a second entry alone. */
static struct tk_code_offset *reach(struct tk_code_offsets *o, uint32_t row, uint64_t offset)
{
    const uint64_t key = tk_hash_pair(tk_hash_u64(offset), row);
    const uint32_t at = tk_map_get(&o->index, key);
    if (at != TK_MAP_NONE && o->v.v[at].row == row && o->v.v[at].offset == offset)
        return &o->v.v[at];
    if (o->v.n >= TK_MAP_NONE - 1 ||
        tk_vec_push(&o->v, ((struct tk_code_offset){.offset = offset, .row = row})) ||
        tk_map_put(&o->index, key, (uint32_t)o->v.n - 1))
        return NULL;
    return &o->v.v[o->v.n - 1];
}

int tk_code_offsets_add(struct tk_code_offsets *o, uint32_t row, uint64_t offset, uint64_t stack, bool own,
                        uint64_t samples)
{
    struct tk_code_offset *at = reach(o, row, offset);
    if (!at)
        return -1;
    at->excl += own ? samples : 0;
    at->incl += at->stack != stack ? samples : 0;
    at->stack = stack;
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const struct tk_code_offset *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->excl != y->excl)
        return x->excl > y->excl ? -1 : 1;
    if (x->incl != y->incl)
        return x->incl > y->incl ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

int tk_code_offsets_settle(struct tk_code_offsets *o)
{
    return tk_sort(o->v.v, o->v.n, sizeof *o->v.v, by_row);
}

/* Offsets of a row from `at` on that are listed: those with exclusive samples, if there are any. */
static size_t count_listed(const struct tk_code_offsets *o, size_t at, uint32_t row)
{
    size_t n = 0;
    while (at + n < o->v.n && o->v.v[at + n].row == row && (!o->v.v[at].excl || o->v.v[at + n].excl))
        n++;
    return n;
}

struct tk_cell tk_code_offsets_cell(const struct tk_code_offsets *o, uint32_t row, struct tk_emit *emit)
{
    char text[LISTED * 48 + 32];
    size_t at, length = 0;
    TK_SEARCH(at, o->v.n, o->v.v[at].row < row);
    const size_t n = count_listed(o, at, row);
    for (size_t i = at; i < at + n && i < at + LISTED; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s0x%" PRIx64 " (%" PRIu64 ")",
                                   i > at ? ", " : "", o->v.v[i].offset,
                                   o->v.v[i].excl ? o->v.v[i].excl : o->v.v[i].incl);
    if (n > LISTED)
        length += (size_t)snprintf(text + length, sizeof text - length, ", %zu more", n - LISTED);
    const char *kept = n ? tk_emit_bytes(emit, text, length) : NULL;
    return kept ? (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)length, .v.p = kept}
                : (struct tk_cell){.kind = TK_NONE};
}

void tk_code_offsets_release(struct tk_code_offsets *o)
{
    tk_vec_release(&o->v);
    tk_map_release(&o->index);
}
