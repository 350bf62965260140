/*
 * What the sections of a pass have in common: copies, numbers in front of lists, and strings. See
 * tracy_pass.h.
 */
#include "edit/tracy/tracy_pass.h"

void tk_tracy_pass_copy(struct tk_tracy_pass *p, uint64_t n)
{
    if (!p->out) {
        tk_tracy_skip(p->in, n, "a section");
        return;
    }
    while (n && tk_tracy_pass_going(p)) {
        const uint64_t have = (uint64_t)(p->in->end - p->in->p);
        const size_t part = have == 0 ? 1 : (size_t)(have < n ? have : n);
        const uint8_t *bytes = have == 0 ? tk_tracy_take(p->in, 1, "a section") : p->in->p;
        if (!bytes)
            return;
        if (have)
            p->in->p += part;
        tk_tracy_put_bytes(p->out, bytes, part);
        n -= part;
    }
}

uint64_t tk_tracy_pass_number(struct tk_tracy_pass *p)
{
    const uint64_t v = tk_tracy_u64(p->in, "a number");
    tk_tracy_pass_put(p, v, 8);
    return v;
}

size_t tk_tracy_pass_note(struct tk_tracy_pass *p)
{
    if (p->out)
        return p->at++;
    p->failed |= tk_vec_push(&p->counts, 0) != 0;
    return p->counts.n - 1;
}

size_t tk_tracy_pass_count(struct tk_tracy_pass *p, unsigned bytes)
{
    const size_t place = tk_tracy_pass_note(p);
    tk_tracy_pass_put(p, tk_tracy_pass_noted(p, place), bytes);
    return place;
}

void tk_tracy_pass_mark(struct tk_tracy_pass *p, uint32_t index, enum tk_tracy_role role)
{
    if (!p->out && index && index - 1 < p->roles.n)
        p->roles.v[index - 1] |= UINT32_C(1) << role;
}

static void mark_found(struct tk_tracy_pass *p, uint32_t found, enum tk_tracy_role role)
{
    if (found != TK_MAP_NONE)
        tk_tracy_pass_mark(p, found + 1, role);
}

void tk_tracy_pass_mark_pointer(struct tk_tracy_pass *p, uint64_t pointer, enum tk_tracy_role role)
{
    if (!p->out && pointer)
        mark_found(p, tk_map_get(&p->c->strings.by_pointer, pointer), role);
}

void tk_tracy_pass_mark_key(struct tk_tracy_pass *p, uint64_t key, enum tk_tracy_role role)
{
    if (!p->out)
        mark_found(p, tk_map_get(&p->c->strings.by_key, key), role);
}

void tk_tracy_pass_mark_ref(struct tk_tracy_pass *p, const uint8_t ref[9], enum tk_tracy_role role)
{
    const uint64_t value = tk_load64(ref);
    if ((ref[8] & 3) == 3 && value < UINT32_MAX)
        tk_tracy_pass_mark(p, (uint32_t)value + 1, role);
    else if (ref[8] & 2 && !(ref[8] & 1))
        tk_tracy_pass_mark_pointer(p, value, role);
}

/* The new number + 1; what is not there becomes none. */
static uint32_t new_index(const struct tk_tracy_pass *p, uint32_t index)
{
    if (!p->collects || !index)
        return index;
    return index - 1 < p->strings.n && p->strings.v[index - 1] != UINT32_MAX ? p->strings.v[index - 1] + 1
                                                                             : 0;
}

void tk_tracy_pass_put_index(struct tk_tracy_pass *p, uint32_t index)
{
    tk_tracy_pass_put(p, new_index(p, index), 3);
}

void tk_tracy_pass_put_ref(struct tk_tracy_pass *p, const uint8_t ref[9])
{
    const uint64_t value = tk_load64(ref);
    if (!p->collects || (ref[8] & 3) != 3) {
        tk_tracy_pass_put_bytes(p, ref, 9);
        return;
    }
    const uint32_t index = new_index(p, value < UINT32_MAX ? (uint32_t)value + 1 : 0);
    tk_tracy_pass_put(p, index ? index - 1 : 0, 8);
    tk_tracy_pass_put(p, index ? ref[8] : 0, 1);
}

uint32_t tk_tracy_pass_index(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    const uint32_t index = tk_tracy_u24(p->in, "a string");
    tk_tracy_pass_mark(p, index, role);
    tk_tracy_pass_put_index(p, index);
    return index;
}

uint64_t tk_tracy_pass_pointer(struct tk_tracy_pass *p, enum tk_tracy_role role)
{
    const uint64_t pointer = tk_tracy_pass_number(p);
    tk_tracy_pass_mark_pointer(p, pointer, role);
    return pointer;
}
