/*
 * What the sections of a merge have in common: sums, copies, references to strings and callstacks, and
 * records of zones.
 */
#include "edit/tracy/join_in.h"

enum { ZONE_HEAD = 18, ZONE_TAIL = 8, GPU_HEAD = 31, GPU_TAIL = 16 };

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

uint32_t tk_tracy_merge_read_index(struct tk_tracy_merge_part *part)
{
    return tk_tracy_merge_index(part, tk_tracy_u24(part->in, "a string"));
}

/* What a program had no text for in the file stays a pointer without one. */
struct tk_tracy_ref tk_tracy_merge_ref(const struct tk_tracy_merge_part *part, const uint8_t ref[9])
{
    const uint64_t value = tk_load64(ref);
    const uint8_t flags = ref[8];
    if (!(flags & 2))
        return (struct tk_tracy_ref){0, TK_TRACY_REF_NONE};
    const uint32_t number = flags & 1 ? (value < UINT32_MAX ? (uint32_t)value : UINT32_MAX)
                                      : tk_map_get(&part->c->strings.by_pointer, value);
    const uint32_t index = number == UINT32_MAX ? 0 : tk_tracy_merge_index(part, number + 1);
    if (index)
        return (struct tk_tracy_ref){index - 1, TK_TRACY_REF_NUMBER};
    return (struct tk_tracy_ref){tk_tracy_merge_pointer(part, flags & 1 ? 1 : value), TK_TRACY_REF_POINTER};
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

/* ---- records of zones ---- */

bool tk_tracy_merge_read_begin(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                               struct tk_tracy_merge_times *t, struct tk_tracy_merge_zone *zone)
{
    (void)m;
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_HEAD, "begin of a zone");
    if (!bytes)
        return false;
    const uint32_t extra = tk_load32(bytes + 10);
    zone->z.cpu_start = tk_tracy_merge_time(part, tk_tracy_after(&t->cpu, bytes + 2));
    zone->z.location = tk_tracy_merge_place(part, (int16_t)tk_load16(bytes));
    zone->z.children = tk_load32(bytes + 14);
    zone->extra = extra ? (uint32_t)(extra + part->first_extra) : 0;
    return true;
}

bool tk_tracy_merge_read_end(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             struct tk_tracy_merge_times *t, struct tk_tracy_merge_zone *zone)
{
    (void)m;
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_TAIL, "end of a zone");
    if (bytes)
        zone->z.cpu_end = tk_tracy_merge_end(part, tk_tracy_after(&t->cpu, bytes));
    return bytes != NULL;
}

bool tk_tracy_merge_read_gpu_begin(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                   struct tk_tracy_merge_times *t, struct tk_tracy_merge_zone *zone)
{
    const uint8_t *bytes = tk_tracy_take(part->in, GPU_HEAD, "begin of a GPU zone");
    if (!bytes)
        return false;
    zone->z = (struct tk_tracy_gpu_zone){
        .cpu_start = tk_tracy_merge_end(part, tk_tracy_after(&t->cpu, bytes)),
        .gpu_start = tk_tracy_merge_end(part, tk_tracy_after(&t->gpu, bytes + 8)),
        .location = tk_tracy_merge_place(part, (int16_t)tk_load16(bytes + 16)),
        .callstack = tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(bytes + 18, 3)),
        .thread = tk_tracy_merge_local(part, tk_load16(bytes + 21)),
        .children = tk_load64(bytes + 23)};
    return true;
}

bool tk_tracy_merge_read_gpu_end(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                 struct tk_tracy_merge_times *t, struct tk_tracy_merge_zone *zone)
{
    (void)m;
    const bool query = part->c->layout.gpu_notes;
    const uint8_t *bytes = tk_tracy_take(part->in, GPU_TAIL + (query ? 2 : 0), "end of a GPU zone");
    if (!bytes)
        return false;
    zone->z.cpu_end = tk_tracy_merge_end(part, tk_tracy_after(&t->cpu, bytes));
    zone->z.gpu_end = tk_tracy_merge_end(part, tk_tracy_after(&t->gpu, bytes + 8));
    zone->z.query = query ? tk_load16(bytes + GPU_TAIL) : 0;
    return true;
}
