/*
 * What the sections of a merge have in common: sums, copies, references to strings and callstacks, and
 * records of zones.
 */
#include "edit/tracy/merge_in.h"

bool tk_tracy_merge_going(const struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (!tk_tracy_ok(m->parts[i].in))
            return false;
    return m->rc == TK_OK && (!m->out || m->out->rc == TK_OK);
}

void tk_tracy_merge_fail(struct tk_tracy_merge *m, int rc, const char *why)
{
    if (m->rc != TK_OK)
        return;
    m->rc = rc == TK_ENOMEM ? tk_err_nomem(m->err, "a merge") : tk_err_set(m->err, rc, "%s", why);
}

uint64_t tk_tracy_merge_sum(struct tk_tracy_merge *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->n; i++)
        sum += m->parts[i].n = tk_tracy_u64(m->parts[i].in, "a list");
    return sum;
}

void tk_tracy_merge_put_sum(struct tk_tracy_merge *m)
{
    tk_tracy_put(m->out, tk_tracy_merge_sum(m), 8);
}

void tk_tracy_merge_copy(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n)
{
    struct tk_tracy_payload *in = part->in;
    while (n && tk_tracy_ok(in)) {
        const uint64_t have = (uint64_t)(in->end - in->p);
        const size_t now = have == 0 ? 1 : (size_t)(have < n ? have : n);
        const uint8_t *bytes = have == 0 ? tk_tracy_take(in, 1, "a section") : in->p;
        if (!bytes)
            return;
        if (have)
            in->p += now;
        tk_tracy_put_bytes(m->out, bytes, now);
        n -= now;
    }
}

/* What a program had no text for in the file stays a pointer without one. */
struct tk_tracy_ref tk_tracy_merge_ref(const struct tk_tracy_merge_part *part, struct tk_tracy_ref ref)
{
    const bool is_number = ref.flags & 1;
    if (!(ref.flags & 2))
        return (struct tk_tracy_ref){0, TK_TRACY_REF_NONE};
    const uint32_t number = is_number ? (ref.value < UINT32_MAX ? (uint32_t)ref.value : UINT32_MAX)
                                      : tk_map_get(&part->c->strings.by_pointer, ref.value);
    const uint32_t index = number == UINT32_MAX ? 0 : tk_tracy_merge_index(part, number + 1);
    if (index)
        return (struct tk_tracy_ref){index - 1, TK_TRACY_REF_NUMBER};
    return (struct tk_tracy_ref){tk_tracy_merge_pointer(part, is_number ? 1 : ref.value),
                                 TK_TRACY_REF_POINTER};
}

uint32_t tk_tracy_merge_callstack(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                                  uint32_t callstack)
{
    /* one that is not there would be that of another capture */
    const bool there = callstack && callstack <= part->callstacks;
    const uint64_t number = there ? callstack + part->first_callstack : 0;
    if (number > 0xffffff)
        tk_tracy_merge_fail(m, TK_ELIMIT,
                            "together the captures have more callstacks than a .tracy can hold");
    return (uint32_t)(number & 0xffffff);
}

/* Threads list their messages by keys. */
uint64_t tk_tracy_merge_key(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t key)
{
    if (part->number && key >> 56)
        tk_tracy_merge_fail(m, TK_ELIMIT, "a capture has messages with ambiguous keys");
    return key ^ part->number << 56;
}

uint32_t tk_tracy_merge_lock(struct tk_tracy_merge *m, uint32_t id)
{
    while (tk_map_get(&m->locks, id) != TK_MAP_NONE)
        id = m->next_lock++;
    if (tk_map_put(&m->locks, id, 0))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return id;
}

int32_t tk_tracy_merge_image(const struct tk_tracy_merge_part *part, int32_t image)
{
    const bool there = image >= 0 && (uint64_t)image < part->images;
    const uint64_t now = there ? (uint32_t)image + part->first_image : UINT32_MAX;
    return now > INT32_MAX ? -1 : (int32_t)now;
}

uint64_t tk_tracy_merge_string_key(const struct tk_tracy_merge_part *part, uint64_t key)
{
    const uint32_t number = tk_map_get(&part->c->strings.by_key, key);
    return number == TK_MAP_NONE ? 0 : tk_tracy_merge_index(part, number + 1);
}

void tk_tracy_merge_put_n(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n,
                          tk_tracy_merge_put_fn *put)
{
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
        put(m, part);
}

void tk_tracy_merge_records(struct tk_tracy_merge *m, tk_tracy_merge_put_fn *put)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_merge_put_n(m, &m->parts[i], m->parts[i].n, put);
}

/* ---- zones of threads ---- */

enum { ZONE_HEAD = 18, ZONE_TAIL = 8 };

bool tk_tracy_merge_read_begin(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                               struct tk_tracy_merge_zone *zone)
{
    (void)m;
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_HEAD, "begin of a zone");
    if (!bytes)
        return false;
    const uint32_t extra = tk_load32(bytes + 10);
    zone->begin.cpu = tk_tracy_merge_time(part, tk_tracy_after(&part->in->time, bytes + 2));
    zone->begin.location = tk_tracy_merge_place(part, (int16_t)tk_load16(bytes));
    zone->begin.children = tk_load32(bytes + 14);
    zone->extra = extra ? (uint32_t)(extra + part->first_extra) : 0;
    return true;
}

bool tk_tracy_merge_read_end(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             struct tk_tracy_merge_zone *zone)
{
    (void)m;
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_TAIL, "end of a zone");
    if (bytes)
        zone->end.cpu = tk_tracy_merge_end(part, tk_tracy_after(&part->in->time, bytes));
    return bytes != NULL;
}
