/*
 * Lists of pieces: what a piece has of the times of another one is that of the other.
 */
#include "base/sort.h"
#include "edit/tracy/join_in.h"

#include <string.h>

enum { LOCK_EVENT = 12, POINT_HEAD = 8, POINT_SUMS = 24, MEMORY_EVENT = 42, HARDWARE_LISTS = 6 };

/* ---- frames: all of them are in each piece, with the images that it shows ---- */

/* Images that a piece shows of frames that began before it come first in it. */
static int32_t new_image(struct tk_tracy_merge *m, size_t displayed, uint32_t image)
{
    uint64_t before = 0;
    for (size_t i = 0; i < displayed; i++)
        before += m->parts[i].images - m->parts[i].images_again;
    before += image - m->parts[displayed].images_again;
    return image < m->parts[displayed].images_again || before > INT32_MAX ? -1 : (int32_t)before;
}

static void join_frame(struct tk_tracy_merge *m, bool continuous, int64_t *times)
{
    int64_t start = 0, end = -1;
    size_t displayed = m->n;
    int32_t image = -1;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        start = tk_tracy_time(part->in, &times[i], "start of a frame");
        end = continuous ? -1 : tk_tracy_time(part->in, &times[i], "end of a frame");
        const uint32_t one = tk_tracy_u32(part->in, "image of a frame");
        if (one >= part->images)
            continue;
        if (displayed == m->n)
            image = new_image(m, displayed = i, one);
        else
            part->images_again += one == part->images_again;
    }
    tk_tracy_put_frame(m->out, continuous, start, end, image);
}

void tk_tracy_join_frames(struct tk_tracy_merge *m)
{
    const uint64_t sets = tk_tracy_join_number(m);
    tk_tracy_put(m->out, sets, 8);
    for (size_t i = 0; i < m->n; i++)
        m->parts[i].images_again = 0;
    for (uint64_t k = 0; k < sets && tk_tracy_merge_going(m); k++) {
        int64_t times[TK_TRACY_MERGED_MOST] = {0};
        bool continuous = false;
        const uint64_t name = tk_tracy_join_number(m);
        for (size_t i = 0; i < m->n; i++)
            continuous = tk_tracy_u8(m->parts[i].in, "kind of a frame set");
        const uint64_t n = tk_tracy_join_number(m);
        tk_tracy_put_frame_set(m->out, name, continuous, n);
        for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
            join_frame(m, continuous, times);
    }
}

void tk_tracy_join_images(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, tk_tracy_u32(m->parts[i].in, "dictionary of images"),
                      "dictionary of images");
    uint64_t n = tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++)
        n -= m->parts[i].images_again;
    tk_tracy_put_images(m->out, n);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint16_t width = tk_tracy_u16(part->in, "width of an image");
            const uint16_t height = tk_tracy_u16(part->in, "height of an image");
            const bool flipped = tk_tracy_u8(part->in, "direction of an image");
            const uint64_t bytes = (uint64_t)width * height / 2;
            if (k < part->images_again) {
                tk_tracy_skip(part->in, bytes, "image");
                continue;
            }
            tk_tracy_put_image(m->out, width, height, flipped);
            tk_tracy_merge_copy(m, part, bytes);
        }
    }
}

/* ---- pointers of texts: a piece has those that it uses ---- */

void tk_tracy_join_pointers(struct tk_tracy_merge *m)
{
    struct tk_map seen = {0};
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_count(m, 8);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint64_t pointer = tk_tracy_u64(part->in, "pointer of a string");
            const uint64_t key = tk_tracy_u64(part->in, "key of a string");
            const uint32_t number = tk_map_get(&part->c->strings.by_key, key);
            if (tk_map_get(&seen, pointer) != TK_MAP_NONE)
                continue;
            if (tk_map_put(&seen, pointer, 0))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
            tk_tracy_join_add(m, count, 1);
            tk_tracy_put(m->out, pointer, 8);
            tk_tracy_put(m->out, number == TK_MAP_NONE ? 0 : tk_tracy_merge_index(part, number + 1), 8);
        }
    }
    tk_map_release(&seen);
}

/* ---- locks ---- */

/* Up to its events; gives the time that these count from. */
static int64_t join_lock_head(struct tk_tracy_merge *m)
{
    struct tk_tracy_merge_part *first = &m->parts[0];
    int64_t announced = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        if (i) {
            tk_tracy_skip(part->in, 4 + 3 + 2 + 2 + 8 + 8, "lock");
            const uint64_t threads = tk_tracy_u64(part->in, "threads of a lock");
            for (uint64_t k = 0; k < threads && tk_tracy_ok(part->in); k++)
                tk_tracy_skip(part->in, 8, "threads of a lock");
            continue;
        }
        tk_tracy_merge_copy(m, first, 4);
        tk_tracy_put_index(m->out, tk_tracy_merge_read_index(first));
        const int16_t location = (int16_t)tk_tracy_u16(first->in, "source location of a lock");
        tk_tracy_put(m->out, (uint16_t)tk_tracy_merge_place(first, location), 2);
        tk_tracy_merge_copy(m, first, 2);
        announced = tk_tracy_i64(first->in, "time of a lock");
        tk_tracy_put(m->out, (uint64_t)announced, 8);
        tk_tracy_merge_copy(m, first, 8);
        const uint64_t threads = tk_tracy_u64(first->in, "threads of a lock");
        tk_tracy_put(m->out, threads, 8);
        for (uint64_t k = 0; k < threads && tk_tracy_merge_going(m); k++)
            tk_tracy_merge_copy(m, first, 8);
    }
    return announced;
}

static void join_lock(struct tk_tracy_merge *m)
{
    const int64_t announced = join_lock_head(m);
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_count(m, 8);
    m->out->time = announced;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        int64_t time = announced;
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint8_t *bytes = tk_tracy_take(part->in, LOCK_EVENT, "event of a lock");
            if (!bytes || !tk_tracy_join_owns(m, part, tk_tracy_after(&time, bytes)))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_put_time(m->out, time);
            tk_tracy_put(m->out, (uint16_t)tk_tracy_merge_place(part, (int16_t)tk_load16(bytes + 8)), 2);
            tk_tracy_put_bytes(m->out, bytes + 10, 2);
        }
    }
}

void tk_tracy_join_locks(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        join_lock(m);
}

/* ---- plots ---- */

/* Least, greatest and sum: places. */
struct sums {
    size_t places[3];
    bool any;
};

static double noted_real(const struct tk_tracy_merge *m, size_t place)
{
    const uint64_t bits = tk_tracy_join_noted(m, place);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void set_real(struct tk_tracy_merge *m, size_t place, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tk_tracy_join_set(m, place, bits);
}

static void sum_point(struct tk_tracy_merge *m, struct sums *s, double v)
{
    if (!s->any || v < noted_real(m, s->places[0]))
        set_real(m, s->places[0], v);
    if (!s->any || v > noted_real(m, s->places[1]))
        set_real(m, s->places[1], v);
    set_real(m, s->places[2], (s->any ? noted_real(m, s->places[2]) : 0) + v);
    s->any = true;
}

static void join_points(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct sums *s,
                        size_t count)
{
    int64_t time = 0;
    for (uint64_t i = 0; i < part->n && tk_tracy_merge_going(m); i++) {
        const int64_t at = tk_tracy_time(part->in, &time, "time of a point");
        const double value = tk_tracy_f64(part->in, "value of a point");
        if (!tk_tracy_join_owns(m, part, at))
            continue;
        sum_point(m, s, value);
        tk_tracy_join_add(m, count, 1);
        tk_tracy_put_point(m->out, at, value);
    }
}

static void join_plot(struct tk_tracy_merge *m)
{
    struct sums s = {.any = false};
    tk_tracy_merge_copy(m, &m->parts[0], POINT_HEAD);
    for (size_t i = 1; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, POINT_HEAD, "plot");
    tk_tracy_put(m->out, tk_tracy_join_number(m), 8);
    for (unsigned i = 0; i < 3; i++)
        s.places[i] = tk_tracy_join_count(m, 8);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, POINT_SUMS, "values of a plot");
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_count(m, 8);
    m->out->time = 0;
    for (size_t i = 0; i < m->n; i++)
        join_points(m, &m->parts[i], &s, count);
}

void tk_tracy_join_plots(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        join_plot(m);
}

/* ---- memory: what lives on is in each piece, with its true times ---- */

/* Places. */
struct pool {
    size_t n, active, frees, high, low, used, total;
};

static void note_event(struct tk_tracy_merge *m, const struct pool *pool, const uint8_t *bytes)
{
    const uint64_t address = tk_load64(bytes), size = tk_load64(bytes + 8);
    const bool active = (int64_t)tk_load64(bytes + 30) < 0;
    tk_tracy_join_add(m, pool->n, 1);
    tk_tracy_join_add(m, pool->total, 1);
    tk_tracy_join_add(m, active ? pool->active : pool->frees, 1);
    if (active)
        tk_tracy_join_add(m, pool->used, size);
    if (address < tk_tracy_join_noted(m, pool->low))
        tk_tracy_join_set(m, pool->low, address);
    if (address + size > tk_tracy_join_noted(m, pool->high))
        tk_tracy_join_set(m, pool->high, address + size);
}

static void join_events(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, const struct pool *pool)
{
    int64_t time = 0;
    for (uint64_t i = 0; i < part->n && tk_tracy_merge_going(m); i++) {
        const uint8_t *bytes = tk_tracy_take(part->in, MEMORY_EVENT, "memory event");
        if (!bytes || !tk_tracy_join_owns(m, part, tk_tracy_after(&time, bytes + 22)))
            continue;
        note_event(m, pool, bytes);
        tk_tracy_merge_put_event(m, part, bytes, time);
    }
}

static void join_pool(struct tk_tracy_merge *m, size_t total)
{
    struct pool pool = {.total = total};
    tk_tracy_put(m->out, tk_tracy_join_number(m), 8);
    pool.n = tk_tracy_join_count(m, 8);
    pool.active = tk_tracy_join_count(m, 8);
    pool.frees = tk_tracy_join_count(m, 8);
    size_t *ends[] = {&pool.high, &pool.low, &pool.used};
    for (unsigned i = 0; i < 3; i++)
        *ends[i] = tk_tracy_join_note(m);
    tk_tracy_join_set(m, pool.low, UINT64_MAX);
    (void)tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, 16, "numbers of a memory pool");
    m->out->time = 0;
    for (size_t i = 0; i < m->n; i++)
        join_events(m, &m->parts[i], &pool);
    for (unsigned i = 0; i < 3; i++)
        tk_tracy_put(m->out, tk_tracy_join_noted(m, *ends[i]), 8);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, 24, "end of a memory pool");
    tk_tracy_put(m->out, tk_tracy_join_number(m), 8);
}

void tk_tracy_join_memory(struct tk_tracy_merge *m)
{
    const uint64_t pools = tk_tracy_join_number(m);
    tk_tracy_put(m->out, pools, 8);
    (void)tk_tracy_merge_sum(m);
    const size_t total = tk_tracy_join_count(m, 8);
    for (uint64_t i = 0; i < pools && tk_tracy_merge_going(m); i++)
        join_pool(m, total);
}

/* ---- times on cores: those around an edge are in both pieces, as they are ---- */

static void join_thread_switches(struct tk_tracy_merge *m)
{
    const uint64_t tid = tk_tracy_join_number(m);
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_note(m);
    tk_tracy_put_switches(m->out, tk_tracy_merge_tid(m, m->parts, tid), tk_tracy_join_noted(m, count));
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        int64_t time = 0;
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const struct tk_tracy_switch s = tk_tracy_merge_read_switch(m, part, &time);
            if (!tk_tracy_join_owns(m, part, s.start))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_put_switch(m->out, &s);
        }
    }
}

void tk_tracy_join_switches(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
        join_thread_switches(m);
}

static void join_core(struct tk_tracy_merge *m, size_t total)
{
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_note(m);
    tk_tracy_put_cpu(m->out, tk_tracy_join_noted(m, count));
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        int64_t time = 0;
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const int64_t start = tk_tracy_time(part->in, &time, "time on a core");
            const int64_t end = tk_tracy_time(part->in, &time, "time on a core");
            const uint16_t thread = tk_tracy_u16(part->in, "thread on a core");
            if (!tk_tracy_join_owns(m, part, start))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_join_add(m, total, 1);
            tk_tracy_put_cpu_run(m->out, start, end,
                                 thread < part->external.n ? part->external.v[thread] : 0);
        }
    }
}

void tk_tracy_join_cpu_switches(struct tk_tracy_merge *m)
{
    (void)tk_tracy_merge_sum(m);
    const size_t total = tk_tracy_join_count(m, 8);
    for (unsigned i = 0; i < TK_TRACY_CPU_LISTS && tk_tracy_merge_going(m); i++)
        join_core(m, total);
}

/* ---- hardware samples: each piece has the addresses that have some in it ---- */

struct hardware {
    uint64_t address;
    uint32_t place; /* of the address, as it came */
    uint8_t list;
    int64_t time;
};

struct hardwares {
    TK_VEC(struct hardware) v;
    TK_VEC(uint64_t) addresses;
    struct tk_map place_of;
};

static int by_place(const void *a, const void *b)
{
    const struct hardware *x = a, *y = b;
    const int place = (x->place > y->place) - (x->place < y->place);
    const int list = (x->list > y->list) - (x->list < y->list);
    const int time = (x->time > y->time) - (x->time < y->time);
    return place ? place : list ? list : time;
}

static void read_hardware(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct hardwares *h)
{
    struct hardware one = {.address = tk_tracy_u64(part->in, "address")};
    one.place = tk_map_get_or_put(&h->place_of, one.address, (uint32_t)h->addresses.n);
    if (one.place == h->addresses.n && tk_vec_push(&h->addresses, one.address))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (one.list = 0; one.list < HARDWARE_LISTS; one.list++) {
        const uint64_t n = tk_tracy_u64(part->in, "hardware samples");
        int64_t time = 0;
        for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
            one.time = tk_tracy_time(part->in, &time, "hardware sample");
            if (tk_vec_push(&h->v, one))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
        }
    }
}

static void put_hardware(struct tk_tracy_merge *m, const struct hardwares *h)
{
    size_t at = 0;
    tk_tracy_put(m->out, h->addresses.n, 8);
    for (size_t i = 0; i < h->addresses.n; i++) {
        tk_tracy_put(m->out, h->addresses.v[i], 8);
        for (unsigned list = 0; list < HARDWARE_LISTS; list++) {
            const size_t first = at;
            while (at < h->v.n && h->v.v[at].place == i && h->v.v[at].list == list)
                at++;
            tk_tracy_put(m->out, at - first, 8);
            m->out->time = 0;
            for (size_t k = first; k < at; k++)
                tk_tracy_put_time(m->out, h->v.v[k].time);
        }
    }
}

void tk_tracy_join_hardware_samples(struct tk_tracy_merge *m)
{
    struct hardwares h = {0};
    (void)tk_tracy_merge_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            read_hardware(m, &m->parts[i], &h);
    if (h.v.n && tk_sort(h.v.v, h.v.n, sizeof *h.v.v, by_place))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    put_hardware(m, &h);
    tk_vec_release(&h.v);
    tk_vec_release(&h.addresses);
    tk_map_release(&h.place_of);
}
