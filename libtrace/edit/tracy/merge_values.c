/*
 * The GPU, plots and memory of a merge (tracy-file 5.11, 5.12).
 */
#include "base/arena.h"
#include "edit/tracy/merge_in.h"
#include "format/tracy/file/sections_out.h"

#include <stdio.h>
#include <string.h>

/*
 * Locks, messages, what zones have alongside their times, and threads with their zones and samples of a merge
 * (tracy-file 5.7 to 5.10).
 */

/* ---- locks ---- */

static void merge_lock(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_lock lock;
    if (!tk_tracy_read_lock(part->in, &lock))
        return;
    const int64_t announced = lock.announced;
    tk_tracy_merge_number_lock(m, part, &lock);
    tk_tracy_put_lock(m->out, &lock);
    const uint64_t threads = tk_tracy_u64(part->in, "threads of a lock");
    tk_tracy_put(m->out, threads, 8);
    tk_tracy_merge_put_n(m, part, threads, tk_tracy_merge_put_lock_thread);
    const uint64_t events = tk_tracy_u64(part->in, "events of a lock");
    tk_tracy_put(m->out, events, 8);
    part->in->time = announced;
    m->out->time = lock.announced;
    tk_tracy_merge_put_n(m, part, events, tk_tracy_merge_put_lock_event);
}

void tk_tracy_merge_locks(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_lock);
}

/* ---- messages, by time ---- */

struct next_message {
    struct tk_tracy_message message;
    bool there;
};

static void read_message(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                         struct next_message *next)
{
    next->there = part->n > 0 && tk_tracy_merge_read_message(m, part, &next->message);
    part->n -= next->there;
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
    struct next_message next[TK_TRACY_MERGED_MOST];
    size_t at;
    tk_tracy_merge_put_sum(m);
    m->out->time = 0;
    for (size_t i = 0; i < m->n; i++) {
        m->parts[i].in->time = 0;
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
    struct tk_tracy_extra extra;
    if (tk_tracy_merge_read_extra(m, part, &extra) && puts)
        tk_tracy_put_extra(m->out, &extra);
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
    tk_tracy_put_extra(m->out, &(struct tk_tracy_extra){0});
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_extra(m, &m->parts[i], k > 0);
}

/* ---- zones ---- */

static bool merge_middle_open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                                   uint32_t *children)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_begin(m, part, &zone))
        return false;
    *children = (uint32_t)zone.begin.children;
    tk_tracy_put_zone_begin(m->out, zone.begin.location, zone.begin.cpu, zone.extra, *children);
    return true;
}

static bool merge_middle_close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_merge_zone zone;
    if (!tk_tracy_merge_read_end(m, part, &zone))
        return false;
    tk_tracy_put_zone_end(m->out, zone.end.cpu);
    return true;
}

/* Those of a level follow each other, with their children between begin and end. */
static void merge_zones(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint32_t roots)
{
    uint32_t left = roots, children = 0;
    bool going = tk_tracy_merge_going(m);
    part->in->time = 0;
    m->stack.n = 0;
    while (going && (left || m->stack.n)) {
        if (!left) {
            left = *tk_stack_pop(&m->stack);
            going = merge_middle_close_zone(m, part);
            continue;
        }
        left--;
        going = merge_middle_open_zone(m, part, &children);
        if (going && !children) {
            going = merge_middle_close_zone(m, part);
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
    const uint64_t n = there ? tk_tracy_merge_list(part, "samples") : 0;
    tk_tracy_put_list(m->out, n);
    tk_tracy_merge_put_n(m, part, n, tk_tracy_merge_put_sample);
}

static void merge_thread(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_thread(m, part);
    const uint32_t roots = tk_tracy_u32(part->in, "zones of the first level");
    tk_tracy_put_roots(m->out, roots);
    merge_zones(m, part, roots);
    const uint64_t keys = tk_tracy_u64(part->in, "messages of a thread");
    tk_tracy_put(m->out, keys, 8);
    tk_tracy_merge_put_n(m, part, keys, tk_tracy_merge_put_thread_message);
    merge_samples(m, part, part->c->layout.switch_samples);
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

/* ---- GPU ---- */

static bool open_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t *children)
{
    struct tk_tracy_gpu_begin v;
    if (!tk_tracy_merge_read_gpu_begin(m, part, &v))
        return false;
    *children = v.children;
    tk_tracy_put_gpu_begin(m->out, &v);
    return true;
}

static bool close_zone(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_gpu_end v;
    if (!tk_tracy_merge_read_gpu_end(m, part, &v))
        return false;
    tk_tracy_put_gpu_end(m->out, &v);
    return true;
}

static void merge_timeline(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_gpu_timeline v;
    if (!tk_tracy_merge_read_gpu_timeline(m, part, &v))
        return;
    uint64_t left = v.zones, children = 0;
    bool going = tk_tracy_merge_going(m);
    tk_tracy_put_gpu_timeline(m->out, &v);
    part->in->time = part->in->gpu_time = 0;
    m->out->time = m->out->gpu_time = 0;
    m->stack64.n = 0;
    while (going && (left || m->stack64.n)) {
        if (!left) {
            left = *tk_stack_pop(&m->stack64);
            going = close_zone(m, part);
            continue;
        }
        left--;
        going = open_zone(m, part, &children);
        if (going && tk_stack_push(&m->stack64, left))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
        left = children;
        going &= m->rc == TK_OK;
    }
}

/* A list that only newer versions have. */
static void merge_newer_list(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             tk_tracy_merge_put_fn *put)
{
    const uint64_t n = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "GPU notes") : 0;
    if (m->out->layout.gpu_notes)
        tk_tracy_put(m->out, n, 8);
    tk_tracy_merge_put_n(m, part, n, put);
}

static void merge_query(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_gpu_query(m, part);
    const uint64_t n = tk_tracy_u64(part->in, "notes of a query");
    tk_tracy_put(m->out, n, 8);
    tk_tracy_merge_put_n(m, part, n, tk_tracy_merge_put_gpu_note);
}

void tk_tracy_merge_note_names(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    merge_newer_list(m, part, tk_tracy_merge_put_note_name);
}

void tk_tracy_merge_notes(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    merge_newer_list(m, part, merge_query);
}

static void merge_context(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_gpu_context(m, part);
    tk_tracy_merge_note_names(m, part);
    const uint64_t timelines = tk_tracy_u64(part->in, "GPU timelines");
    tk_tracy_put(m->out, timelines, 8);
    tk_tracy_merge_put_n(m, part, timelines, merge_timeline);
    tk_tracy_merge_notes(m, part);
}

void tk_tracy_merge_gpu(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m); /* zones */
    tk_tracy_merge_put_sum(m); /* zones with children */
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_merge_put_n(m, &m->parts[i], m->parts[i].n, merge_context);
}

/* ---- plots: each stays one of its own ---- */

static void merge_plot(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    tk_tracy_merge_put_plot(m, part);
    const uint64_t n = tk_tracy_merge_list(part, "points of a plot");
    tk_tracy_put_list(m->out, n);
    tk_tracy_merge_put_n(m, part, n, tk_tracy_merge_put_point);
}

void tk_tracy_merge_plots(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_plot);
}

/* ---- memory ---- */

static struct tk_tracy_pool read_pool(struct tk_tracy_merge_part *part)
{
    struct tk_tracy_pool head;
    (void)tk_tracy_read_pool(part->in, &head);
    return head;
}

static void merge_pool(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                       const struct tk_tracy_pool *head, bool is_default, bool puts)
{
    struct tk_tracy_pool now = *head;
    struct tk_tracy_pool_end end;
    tk_tracy_merge_number_pool(m, part, &now);
    if (!now.name && !is_default)
        now.name = tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_POOL);
    if (puts)
        tk_tracy_put_pool(m->out, &now);
    part->in->time = m->out->time = 0;
    if (puts)
        tk_tracy_merge_put_n(m, part, head->n, tk_tracy_merge_put_memory);
    if (!tk_tracy_merge_read_pool_end(m, part, &end) || !puts)
        return;
    end.name = now.name;
    tk_tracy_put_pool_end(m->out, &end);
}

/* Programs have addresses of their own, so pools stay apart. One default pool is there: the first that stays,
 * wherever it stands among those of its capture. Of empty ones in front of all others one stays where there
 * is nothing in any. */
void tk_tracy_merge_memory(struct tk_tracy_merge *m)
{
    struct tk_tracy_pool first[TK_TRACY_MERGED_MOST] = {0};
    size_t owner = m->n, fallback = m->n;
    uint64_t pools = tk_tracy_merge_sum(m), events = 0;
    bool has_default = false;
    for (size_t i = 0; i < m->n; i++)
        events += tk_tracy_u64(m->parts[i].in, "memory events");
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        first[i] = (struct tk_tracy_pool){1, 0, 0, 0};
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
            const struct tk_tracy_pool head = k ? read_pool(&m->parts[i]) : first[i];
            const bool empty = k == 0 && !head.name && !head.n && i != owner;
            const bool is_default = !head.name && !empty && !has_default;
            has_default |= is_default;
            merge_pool(m, &m->parts[i], &head, is_default, !empty);
        }
}
