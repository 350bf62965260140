/*
 * The GPU, plots and memory of a merge (tracy-file 5.11, 5.12). See merge.h.
 */
#include "base/stack.h"
#include "edit/tracy/merge.h"
#include "format/tracy/file/sections_back.h"

#include <string.h>

enum { GPU_HEAD = 31, GPU_TAIL = 16, NOTE = 16, MEMORY_EVENT = 42 };

/* ---- GPU ---- */

struct timeline {
    int64_t cpu, gpu;
};

static bool open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct timeline *t,
                      uint64_t *children)
{
    const uint8_t *bytes = tk_tracy_take(part->in, GPU_HEAD, "begin of a GPU zone");
    if (!bytes)
        return false;
    *children = tk_load64(bytes + 23);
    const struct tk_tracy_gpu_zone zone = {
        .cpu_start = tk_tracy_merge_end(part, tk_tracy_after(&t->cpu, bytes)),
        .gpu_start = tk_tracy_merge_end(part, tk_tracy_after(&t->gpu, bytes + 8)),
        .location = tk_tracy_merge_place(part, (int16_t)tk_load16(bytes + 16)),
        .callstack = tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(bytes + 18, 3)),
        .thread = tk_tracy_merge_local(part, tk_load16(bytes + 21)),
        .children = *children};
    tk_tracy_put_gpu_zone_begin(m->out, &zone);
    return true;
}

static bool close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct timeline *t)
{
    const bool query = part->c->layout.gpu_notes;
    const uint8_t *bytes = tk_tracy_take(part->in, GPU_TAIL + (query ? 2 : 0), "end of a GPU zone");
    if (!bytes)
        return false;
    const struct tk_tracy_gpu_zone zone = {
        .cpu_end = tk_tracy_merge_end(part, tk_tracy_after(&t->cpu, bytes)),
        .gpu_end = tk_tracy_merge_end(part, tk_tracy_after(&t->gpu, bytes + 8)),
        .query = query ? tk_load16(bytes + GPU_TAIL) : 0};
    tk_tracy_put_gpu_zone_end(m->out, &zone);
    return true;
}

static void merge_timeline(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t tid = tk_tracy_u64(part->in, "thread of a GPU timeline");
    uint64_t left = tk_tracy_u64(part->in, "zones of a GPU timeline"), children = 0;
    struct timeline t = {0, 0};
    bool going = tk_tracy_merge_going(m);
    tk_tracy_put_gpu_timeline(m->out, tk_tracy_merge_tid(m, part, tid), left);
    m->stack64.n = 0;
    while (going && (left || m->stack64.n)) {
        if (!left) {
            left = *tk_stack_pop(&m->stack64);
            going = close_zone(m, part, &t);
            continue;
        }
        left--;
        going = open_zone(m, part, &t, &children);
        if (going && tk_stack_push(&m->stack64, left))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
        left = children;
        going &= m->rc == TK_OK;
    }
}

static void merge_note_names(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t n = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "names of GPU notes") : 0;
    if (m->out->layout.gpu_notes)
        tk_tracy_put(m->out, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        tk_tracy_merge_copy(m, part, 8);
        tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    }
}

static void merge_notes(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t queries = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "GPU notes") : 0;
    if (m->out->layout.gpu_notes)
        tk_tracy_put(m->out, queries, 8);
    for (uint64_t i = 0; i < queries && tk_tracy_merge_going(m); i++) {
        tk_tracy_merge_copy(m, part, 2);
        const uint64_t n = tk_tracy_u64(part->in, "notes of a query");
        tk_tracy_put(m->out, n, 8);
        tk_tracy_merge_copy(m, part, n * NOTE);
    }
}

static void merge_context(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t tid = tk_tracy_u64(part->in, "thread of a GPU context");
    tk_tracy_put(m->out, tk_tracy_merge_tid(m, part, tid), 8);
    tk_tracy_merge_copy(m, part, 1 + 8 + 4 + 1); /* calibrated, zones, period, type */
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    tk_tracy_merge_copy(m, part, 8); /* overflow */
    merge_note_names(m, part);
    const uint64_t timelines = tk_tracy_u64(part->in, "GPU timelines");
    tk_tracy_put(m->out, timelines, 8);
    for (uint64_t i = 0; i < timelines && tk_tracy_merge_going(m); i++)
        merge_timeline(m, part);
    merge_notes(m, part);
}

void tk_tracy_merge_gpu(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m); /* zones */
    tk_tracy_merge_put_sum(m); /* zones with children */
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_context(m, &m->parts[i]);
}

/* ---- plots: each stays one of its own ---- */

static void merge_plot(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_payload *in = part->in;
    int64_t time = 0;
    tk_tracy_merge_copy(m, part, 1 + 1 + 1 + 1 + 4); /* type, format, style */
    tk_tracy_put(m->out, tk_tracy_merge_pointer(part, tk_tracy_u64(in, "name of a plot")), 8);
    tk_tracy_merge_copy(m, part, 24);
    const uint64_t n = tk_tracy_u64(in, "points of a plot");
    tk_tracy_put(m->out, n, 8);
    m->out->time = 0;
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        const int64_t at = tk_tracy_merge_time(part, tk_tracy_time(in, &time, "time of a point"));
        tk_tracy_put_time(m->out, at);
        tk_tracy_put(m->out, tk_tracy_u64(in, "value of a point"), 8);
    }
}

void tk_tracy_merge_plots(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_plot(m, &m->parts[i]);
}

/* ---- memory ---- */

/* A pool and its name, and its events and how many of them are there and gone. */
struct pool_head {
    uint64_t name, n, active, frees;
};

static struct pool_head read_pool(struct tk_tracy_merge_part *part)
{
    struct pool_head head = {.name = tk_tracy_u64(part->in, "name of a memory pool")};
    head.n = tk_tracy_u64(part->in, "events of a memory pool");
    head.active = tk_tracy_u64(part->in, "active events of a memory pool");
    head.frees = tk_tracy_u64(part->in, "frees of a memory pool");
    return head;
}

static void merge_event(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, int64_t *time)
{
    const uint8_t *p = tk_tracy_take(part->in, MEMORY_EVENT, "memory event");
    if (!p)
        return;
    const int64_t at = tk_tracy_after(time, p + 22);
    tk_tracy_put_bytes(m->out, p, 16);
    tk_tracy_put(m->out, tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(p + 16, 3)), 3);
    tk_tracy_put(m->out, tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(p + 19, 3)), 3);
    tk_tracy_put_time(m->out, tk_tracy_merge_time(part, at));
    tk_tracy_put_bytes(m->out, p + 30, 8); /* how long it lived */
    tk_tracy_put(m->out, tk_tracy_merge_local(part, tk_load16(p + 38)), 2);
    tk_tracy_put(m->out, tk_tracy_merge_local(part, tk_load16(p + 40)), 2);
}

static void merge_pool(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                       const struct pool_head *head, bool is_default, bool puts)
{
    int64_t time = 0;
    const uint64_t name = head->name   ? tk_tracy_merge_pointer(part, head->name)
                          : is_default ? 0
                                       : tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_POOL);
    if (!puts) {
        tk_tracy_skip(part->in, 32, "end of a memory pool");
        return;
    }
    tk_tracy_put_pool(m->out, &(struct tk_tracy_pool_head){
                                  .name = name, .n = head->n, .active = head->active, .frees = head->frees});
    for (uint64_t i = 0; i < head->n && tk_tracy_merge_going(m); i++)
        merge_event(m, part, &time);
    tk_tracy_merge_copy(m, part, 24); /* addresses, bytes */
    tk_tracy_skip(part->in, 8, "name of a memory pool");
    tk_tracy_put(m->out, name, 8);
}

/* Programs have addresses of their own, so pools stay apart. One default pool is there: the first one in
 * which there is something, else that of the first capture. */
void tk_tracy_merge_memory(struct tk_tracy_merge *m)
{
    struct pool_head first[TK_TRACY_MERGED_MOST] = {0};
    size_t owner = m->n, fallback = m->n;
    uint64_t pools = tk_tracy_merge_sum(m), events = 0;
    for (size_t i = 0; i < m->n; i++)
        events += tk_tracy_u64(m->parts[i].in, "memory events");
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        first[i] = (struct pool_head){1, 0, 0, 0};
        if (!m->parts[i].n)
            continue;
        first[i] = read_pool(&m->parts[i]);
        if (!first[i].name && first[i].n && owner == m->n)
            owner = i;
        if (!first[i].name && fallback == m->n)
            fallback = i;
    }
    owner = owner == m->n ? fallback : owner;
    if (!tk_tracy_merge_going(m))
        return;
    for (size_t i = 0; i < m->n; i++)
        pools -= m->parts[i].n && !first[i].name && !first[i].n && i != owner;
    tk_tracy_put(m->out, pools, 8);
    tk_tracy_put(m->out, events, 8);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++) {
            const struct pool_head head = k ? read_pool(&m->parts[i]) : first[i];
            const bool empty = k == 0 && !head.name && !head.n && i != owner;
            merge_pool(m, &m->parts[i], &head, k == 0 && i == owner, !empty);
        }
}
