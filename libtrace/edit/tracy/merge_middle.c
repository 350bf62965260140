/*
 * Locks, messages, what zones have beside their times, and threads with their zones and samples of a merge
 * (tracy-file 5.7 to 5.10). See merge.h.
 */
#include "base/stack.h"
#include "edit/tracy/merge.h"
#include "format/tracy/file/sections_back.h"

enum { LOCK_EVENT = 12, ZONE_HEAD = 18, ZONE_TAIL = 8, SAMPLE = 11, REF = 9 };

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
static uint64_t new_key(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t key)
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
    v->key = new_key(m, part, tk_tracy_u64(part->in, "key of a message"));
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

/* ---- what zones have beside their times ---- */

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

static bool open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, int64_t *time,
                      uint32_t *children)
{
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_HEAD, "begin of a zone");
    if (!bytes)
        return false;
    const uint32_t extra = tk_load32(bytes + 10);
    const int64_t start = tk_tracy_merge_time(part, tk_tracy_after(time, bytes + 2));
    *children = tk_load32(bytes + 14);
    tk_tracy_put_zone_begin(m->out, tk_tracy_merge_place(part, (int16_t)tk_load16(bytes)), start,
                            extra ? (uint32_t)(extra + part->first_extra) : 0, *children);
    return true;
}

static bool close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, int64_t *time)
{
    const uint8_t *bytes = tk_tracy_take(part->in, ZONE_TAIL, "end of a zone");
    if (bytes)
        tk_tracy_put_zone_end(m->out, tk_tracy_merge_end(part, tk_tracy_after(time, bytes)));
    return bytes != NULL;
}

/* Those of a level follow each other, with their children between begin and end. */
static void merge_zones(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint32_t roots)
{
    uint32_t left = roots, children = 0;
    int64_t time = 0;
    bool going = tk_tracy_merge_going(m);
    m->stack.n = 0;
    while (going && (left || m->stack.n)) {
        if (!left) {
            left = *tk_stack_pop(&m->stack);
            going = close_zone(m, part, &time);
            continue;
        }
        left--;
        going = open_zone(m, part, &time, &children);
        if (going && !children) {
            going = close_zone(m, part, &time);
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
        tk_tracy_put(m->out, new_key(m, part, tk_tracy_u64(in, "message of a thread")), 8);
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
