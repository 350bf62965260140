/*
 * The GPU, plots and memory of a merge (tracy-file 5.11, 5.12).
 */
#include "base/arena.h"
#include "edit/tracy/join_in.h"
#include "format/tracy/file/sections_out.h"

#include <stdio.h>
#include <string.h>

/*
 * Locks, messages, what zones have alongside their times, and threads with their zones and samples of a merge
 * (tracy-file 5.7 to 5.10).
 */

enum { LOCK_EVENT = 12, REF = 9 };

/* ---- locks ---- */

static uint32_t new_lock(struct tk_tracy_merge *m, uint32_t id)
{
    while (tk_map_get(&m->locks, id) != TK_MAP_NONE)
        id = m->next_lock++;
    if (tk_map_put(&m->locks, id, 0))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return id;
}

static void merge_lock(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_payload *in = part->in;
    tk_tracy_put(m->out, new_lock(m, tk_tracy_u32(in, "id of a lock")), 4);
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    const int16_t location = (int16_t)tk_tracy_u16(in, "source location of a lock");
    tk_tracy_put(m->out, (uint16_t)tk_tracy_merge_place(part, location), 2);
    tk_tracy_merge_copy(m, part, 2); /* type, valid */
    tk_tracy_put(m->out, (uint64_t)tk_tracy_merge_time(part, tk_tracy_i64(in, "time of a lock")), 8);
    const int64_t ended = tk_tracy_i64(in, "time of a lock");
    tk_tracy_put(m->out, (uint64_t)(ended > 0 ? tk_tracy_merge_time(part, ended) : ended), 8);
    const uint64_t threads = tk_tracy_u64(in, "threads of a lock");
    tk_tracy_put(m->out, threads, 8);
    for (uint64_t i = 0; i < threads && tk_tracy_merge_going(m); i++)
        tk_tracy_put(m->out, tk_tracy_merge_tid(m, part, tk_tracy_u64(in, "thread of a lock")), 8);
    const uint64_t events = tk_tracy_u64(in, "events of a lock");
    tk_tracy_put(m->out, events, 8);
    for (uint64_t i = 0; i < events && tk_tracy_merge_going(m); i++) {
        const uint8_t *bytes = tk_tracy_take(in, LOCK_EVENT, "event of a lock");
        if (!bytes)
            return;
        /* times count from the one of the lock */
        tk_tracy_put_bytes(m->out, bytes, 8);
        tk_tracy_put(m->out, (uint16_t)tk_tracy_merge_place(part, (int16_t)tk_load16(bytes + 8)), 2);
        tk_tracy_put_bytes(m->out, bytes + 10, 2);
    }
}

void tk_tracy_merge_locks(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_lock(m, &m->parts[i]);
}

/* ---- messages, by time ---- */

/* Threads list their messages by keys. */
uint64_t tk_tracy_merge_key(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t key)
{
    if (part->number && key >> 56)
        tk_tracy_merge_fail(m, TK_ELIMIT, "a capture has messages with ambiguous keys");
    return key ^ part->number << 56;
}

struct next_message {
    struct tk_tracy_written_message message;
    int64_t time; /* of the capture */
    bool there;
};

static void read_message(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                         struct next_message *next)
{
    uint8_t ref[REF] = {0};
    struct tk_tracy_written_message *v = &next->message;
    next->there = part->n > 0;
    if (!next->there)
        return;
    part->n--;
    v->key = tk_tracy_merge_key(m, part, tk_tracy_u64(part->in, "key of a message"));
    v->time = tk_tracy_merge_time(part, tk_tracy_time(part->in, &next->time, "time of a message"));
    tk_tracy_copy(part->in, ref, sizeof ref, "text of a message");
    v->text = tk_tracy_merge_ref(part, ref);
    v->colour = tk_tracy_u32(part->in, "colour of a message");
    v->callstack = tk_tracy_merge_callstack(m, part, tk_tracy_u24(part->in, "callstack of a message"));
    v->source = part->c->layout.message_source ? tk_tracy_u8(part->in, "source of a message") : 0;
    v->severity = part->c->layout.message_source ? tk_tracy_u8(part->in, "severity of a message") : 0;
}

static size_t earliest(const struct next_message *next, size_t n)
{
    size_t found = n;
    for (size_t i = 0; i < n; i++)
        if (next[i].there && (found == n || next[i].message.time < next[found].message.time))
            found = i;
    return found;
}

void tk_tracy_merge_messages(struct tk_tracy_merge *m)
{
    static const struct next_message none = {{0}, 0, false};
    struct next_message next[TK_TRACY_MERGED_MOST];
    size_t at;
    tk_tracy_merge_put_sum(m);
    m->out->time = 0;
    for (size_t i = 0; i < m->n; i++) {
        next[i] = none;
        read_message(m, &m->parts[i], &next[i]);
    }
    while (tk_tracy_merge_going(m) && (at = earliest(next, m->n)) < m->n) {
        tk_tracy_put_message(m->out, &next[at].message);
        read_message(m, &m->parts[at], &next[at]);
    }
}

/* ---- what zones have alongside their times ---- */

static void merge_extra(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool puts)
{
    const uint32_t callstack =
        tk_tracy_merge_callstack(m, part, tk_tracy_u24(part->in, "callstack of a zone"));
    const uint32_t text = tk_tracy_merge_read_index(part), name = tk_tracy_merge_read_index(part);
    const uint32_t colour = tk_tracy_u24(part->in, "colour of a zone");
    if (puts)
        tk_tracy_put_extra(m->out, callstack, text, name, colour);
}

/* Number 0 of each is none. */
void tk_tracy_merge_extras(struct tk_tracy_merge *m)
{
    uint64_t n = 1;
    (void)tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        m->parts[i].first_extra = n - 1;
        n += m->parts[i].n ? m->parts[i].n - 1 : 0;
    }
    if (n > UINT32_MAX)
        tk_tracy_merge_fail(m, TK_ELIMIT,
                            "together the captures have more texts of zones than a .tracy can hold");
    tk_tracy_put(m->out, n, 8);
    tk_tracy_put_extra(m->out, 0, 0, 0, 0);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_extra(m, &m->parts[i], k > 0);
}

/* ---- zones ---- */

static bool merge_middle_open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                   struct tk_tracy_merge_times *time, uint32_t *children)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_begin(m, part, time, &zone))
        return false;
    *children = (uint32_t)zone.z.children;
    tk_tracy_put_zone_begin(m->out, zone.z.location, zone.z.cpu_start, zone.extra, *children);
    return true;
}

static bool merge_middle_close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                    struct tk_tracy_merge_times *time)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_end(m, part, time, &zone))
        return false;
    tk_tracy_put_zone_end(m->out, zone.z.cpu_end);
    return true;
}

/* Those of a level follow each other, with their children between begin and end. */
static void merge_zones(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint32_t roots)
{
    uint32_t left = roots, children = 0;
    struct tk_tracy_merge_times time = {0, 0};
    bool going = tk_tracy_merge_going(m);
    m->stack.n = 0;
    while (going && (left || m->stack.n)) {
        if (!left) {
            left = *tk_stack_pop(&m->stack);
            going = merge_middle_close_zone(m, part, &time);
            continue;
        }
        left--;
        going = merge_middle_open_zone(m, part, &time, &children);
        if (going && !children) {
            going = merge_middle_close_zone(m, part, &time);
        } else if (going) {
            if (tk_stack_push(&m->stack, left))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
            left = children;
            going = m->rc == TK_OK;
        }
    }
}

static void merge_samples(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool there)
{
    const uint64_t n = there ? tk_tracy_u64(part->in, "samples") : 0;
    int64_t time = 0;
    tk_tracy_put_samples(m->out, n);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        const int64_t at = tk_tracy_time(part->in, &time, "sample");
        const uint32_t callstack = tk_tracy_u24(part->in, "callstack of a sample");
        tk_tracy_put_sample(m->out, tk_tracy_merge_time(part, at),
                            tk_tracy_merge_callstack(m, part, callstack));
    }
}

static void merge_thread(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_layout *layout = &part->c->layout;
    struct tk_tracy_payload *in = part->in;
    struct tk_tracy_thread_head head = {.tid = tk_tracy_merge_tid(m, part, tk_tracy_u64(in, "thread"))};
    head.zones = tk_tracy_u64(in, "zones of a thread");
    head.kernel_samples = layout->kernel_samples ? tk_tracy_u64(in, "samples of a thread") : 0;
    head.fiber = layout->fiber && tk_tracy_u8(in, "is it a fiber");
    head.hint = layout->group_hint ? (int32_t)tk_tracy_u32(in, "group of a thread") : 0;
    head.roots = tk_tracy_u32(in, "zones of the first level");
    tk_tracy_put_thread(m->out, &head);
    merge_zones(m, part, head.roots);
    const uint64_t keys = tk_tracy_u64(in, "messages of a thread");
    tk_tracy_put(m->out, keys, 8);
    for (uint64_t i = 0; i < keys && tk_tracy_merge_going(m); i++)
        tk_tracy_put(m->out, tk_tracy_merge_key(m, part, tk_tracy_u64(in, "message of a thread")), 8);
    merge_samples(m, part, layout->switch_samples);
    merge_samples(m, part, true);
}

void tk_tracy_merge_threads(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m); /* zones */
    tk_tracy_merge_put_sum(m); /* zones with children */
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_thread(m, &m->parts[i]);
}

enum { NOTE = 16, MEMORY_EVENT = 42 };

/* ---- GPU ---- */

static bool open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                      struct tk_tracy_merge_times *t, uint64_t *children)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_gpu_begin(m, part, t, &zone))
        return false;
    *children = zone.z.children;
    tk_tracy_put_gpu_zone_begin(m->out, &zone.z);
    return true;
}

static bool close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                       struct tk_tracy_merge_times *t)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_gpu_end(m, part, t, &zone))
        return false;
    tk_tracy_put_gpu_zone_end(m->out, &zone.z);
    return true;
}

static void merge_timeline(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t tid = tk_tracy_u64(part->in, "thread of a GPU timeline");
    uint64_t left = tk_tracy_u64(part->in, "zones of a GPU timeline"), children = 0;
    struct tk_tracy_merge_times t = {0, 0};
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

void tk_tracy_merge_note_names(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t n = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "names of GPU notes") : 0;
    if (m->out->layout.gpu_notes)
        tk_tracy_put(m->out, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        tk_tracy_merge_copy(m, part, 8);
        tk_tracy_put_index(m->out, tk_tracy_merge_read_index(part));
    }
}

void tk_tracy_merge_notes(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
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
    tk_tracy_merge_note_names(m, part);
    const uint64_t timelines = tk_tracy_u64(part->in, "GPU timelines");
    tk_tracy_put(m->out, timelines, 8);
    for (uint64_t i = 0; i < timelines && tk_tracy_merge_going(m); i++)
        merge_timeline(m, part);
    tk_tracy_merge_notes(m, part);
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

void tk_tracy_merge_put_event(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                              const uint8_t *p, int64_t time)
{
    tk_tracy_put_bytes(m->out, p, 16);
    tk_tracy_put(m->out, tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(p + 16, 3)), 3);
    tk_tracy_put(m->out, tk_tracy_merge_callstack(m, part, (uint32_t)tk_load_le(p + 19, 3)), 3);
    tk_tracy_put_time(m->out, time);
    tk_tracy_put_bytes(m->out, p + 30, 8); /* how long it lived */
    tk_tracy_put(m->out, tk_tracy_merge_local(part, tk_load16(p + 38)), 2);
    tk_tracy_put(m->out, tk_tracy_merge_local(part, tk_load16(p + 40)), 2);
}

static void merge_event(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, int64_t *time)
{
    const uint8_t *p = tk_tracy_take(part->in, MEMORY_EVENT, "memory event");
    if (p)
        tk_tracy_merge_put_event(m, part, p, tk_tracy_merge_time(part, tk_tracy_after(time, p + 22)));
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
