/*
 * Lists of pieces: what a piece has of the times of another one is that of the other.
 */
#include "base/sort.h"
#include "edit/tracy/merge_in.h"

#include <string.h>

enum { HARDWARE_LISTS = 6 };

/* The running times of a list of all pieces, and of the result. */
static void start_times(struct tk_tracy_merge *m, int64_t time)
{
    for (size_t i = 0; i < m->n; i++)
        m->parts[i].in->time = time;
    m->out->time = time;
}

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

static void join_frame(struct tk_tracy_merge *m, bool continuous, uint64_t k)
{
    struct tk_tracy_lone_frame frame = {0, -1, -1}, one;
    size_t displayed = m->n;
    int32_t image = -1;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        if (!tk_tracy_join_has(part, 1, k))
            continue;
        if (!tk_tracy_read_frame_of(part->in, continuous, &one))
            return;
        frame = one;
        if ((uint32_t)one.image >= part->images)
            continue;
        if (displayed == m->n)
            image = new_image(m, displayed = i, (uint32_t)one.image);
        else
            part->images_again += (uint32_t)one.image == part->images_again;
    }
    frame.image = image;
    tk_tracy_put_frame_of(m->out, continuous, &frame);
}

static void join_set(struct tk_tracy_merge *m, uint64_t k)
{
    struct tk_tracy_frame_set all = {0}, one;
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        if (!tk_tracy_join_has(&m->parts[i], 0, k))
            continue;
        (void)tk_tracy_read_frame_set(m->parts[i].in, &one);
        if (any && one.name != all.name)
            tk_tracy_join_refuse(m);
        all = one;
        any = true;
    }
    const uint64_t n = tk_tracy_join_number(m, 1, k);
    start_times(m, 0);
    tk_tracy_put_frame_set(m->out, &all);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
        join_frame(m, all.continuous, i);
}

void tk_tracy_join_frames(struct tk_tracy_merge *m)
{
    const uint64_t sets = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, sets, 8);
    for (size_t i = 0; i < m->n; i++)
        m->parts[i].images_again = 0;
    for (uint64_t k = 0; k < sets && tk_tracy_merge_going(m); k++)
        join_set(m, k);
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
            struct tk_tracy_image image;
            if (!tk_tracy_read_image(part->in, &image))
                return;
            const uint64_t bytes = (uint64_t)image.width * image.height / 2;
            if (k < part->images_again) {
                tk_tracy_skip(part->in, bytes, "image");
                continue;
            }
            tk_tracy_put_image(m->out, &image);
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
            struct tk_tracy_pointer v;
            if (!tk_tracy_read_pointer(part->in, &v) || tk_map_get(&seen, v.pointer) != TK_MAP_NONE)
                continue;
            if (tk_map_put(&seen, v.pointer, 0))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
            tk_tracy_join_add(m, count, 1);
            v.key = tk_tracy_merge_string_key(part, v.key);
            tk_tracy_put_pointer(m->out, &v);
        }
    }
    tk_map_release(&seen);
}

/* ---- locks ---- */

/* Up to its events, as the base has it; gives the time that these count from. */
static int64_t join_lock_head(struct tk_tracy_merge *m, uint64_t number)
{
    int64_t announced = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        struct tk_tracy_lock lock;
        struct tk_tracy_lock_thread thread;
        const bool is_base = i == tk_tracy_join_base(m);
        if (!tk_tracy_join_has(part, 0, number))
            continue;
        (void)tk_tracy_read_lock(part->in, &lock);
        const uint64_t threads = tk_tracy_u64(part->in, "threads of a lock");
        if (is_base) {
            const uint32_t id = lock.id;
            announced = lock.announced;
            tk_tracy_merge_number_lock(m, part, &lock);
            lock.id = id;
            tk_tracy_put_lock(m->out, &lock);
            tk_tracy_put(m->out, threads, 8);
        }
        for (uint64_t k = 0; k < threads && tk_tracy_merge_read_lock_thread(m, part, &thread); k++)
            if (is_base)
                tk_tracy_put_lock_thread(m->out, &thread);
    }
    return announced;
}

static void join_lock(struct tk_tracy_merge *m, uint64_t number)
{
    const int64_t announced = join_lock_head(m, number);
    (void)tk_tracy_join_sum(m, 0, number);
    const size_t count = tk_tracy_join_count(m, 8);
    start_times(m, announced);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_lock_event v;
            if (!tk_tracy_merge_read_lock_event(m, part, &v) || !tk_tracy_join_owns(m, part, v.time))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_put_lock_event(m->out, &v);
        }
    }
}

void tk_tracy_join_locks(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        join_lock(m, k);
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

struct next_point {
    struct tk_tracy_point v;
    bool there;
};

static void read_point(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct next_point *next)
{
    next->there = false;
    while (!next->there && part->n && tk_tracy_merge_read_point(m, part, &next->v)) {
        part->n--;
        next->there = tk_tracy_join_owns(m, part, next->v.time);
    }
}

/* By time: what came late to be sent is in a later piece. */
static void join_points(struct tk_tracy_merge *m, struct sums *s, size_t count)
{
    struct next_point next[TK_TRACY_MERGED_MOST];
    for (size_t i = 0; i < m->n; i++)
        read_point(m, &m->parts[i], &next[i]);
    while (tk_tracy_merge_going(m)) {
        size_t at = m->n;
        for (size_t i = 0; i < m->n; i++)
            if (next[i].there && (at == m->n || next[i].v.time < next[at].v.time))
                at = i;
        if (at == m->n)
            return;
        sum_point(m, s, next[at].v.value);
        tk_tracy_join_add(m, count, 1);
        tk_tracy_put_point(m->out, &next[at].v);
        read_point(m, &m->parts[at], &next[at]);
    }
}

/* The plot of the base, with what its points come to in all pieces. */
static void join_plot(struct tk_tracy_merge *m, uint64_t number)
{
    struct sums s = {.any = false};
    struct tk_tracy_plot all = {0}, one;
    for (unsigned i = 0; i < 3; i++)
        s.places[i] = tk_tracy_join_note(m);
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        if (!tk_tracy_join_has(&m->parts[i], 0, number))
            continue;
        (void)tk_tracy_merge_read_plot(m, &m->parts[i], &one);
        if (any && one.name != all.name)
            tk_tracy_join_refuse(m);
        all = any && !m->grows ? all : one;
        any = true;
    }
    all.min = noted_real(m, s.places[0]);
    all.max = noted_real(m, s.places[1]);
    all.sum = noted_real(m, s.places[2]);
    tk_tracy_put_plot(m->out, &all);
    (void)tk_tracy_join_sum(m, 0, number);
    const size_t count = tk_tracy_join_count(m, 8);
    start_times(m, 0);
    join_points(m, &s, count);
}

void tk_tracy_join_plots(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, n, 8);
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        join_plot(m, k);
}

/* ---- memory: what lives on is in each piece, with its true times ---- */

/* Places. */
struct pool {
    size_t n, active, frees, high, low, used, total;
};

static void note_event(struct tk_tracy_merge *m, const struct pool *pool, const struct tk_tracy_memory *v)
{
    const bool active = v->life < 0;
    tk_tracy_join_add(m, pool->n, 1);
    tk_tracy_join_add(m, pool->total, 1);
    tk_tracy_join_add(m, active ? pool->active : pool->frees, 1);
    if (active)
        tk_tracy_join_add(m, pool->used, v->size);
    if (v->address < tk_tracy_join_noted(m, pool->low))
        tk_tracy_join_set(m, pool->low, v->address);
    if (v->address + v->size > tk_tracy_join_noted(m, pool->high))
        tk_tracy_join_set(m, pool->high, v->address + v->size);
}

struct next_memory {
    struct tk_tracy_memory v;
    bool there;
};

/* Of pieces that grow the last one that has a block knows what became of it. */
static void read_memory(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct next_memory *next)
{
    const bool leaves_living = m->grows && part != m->parts + m->n - 1;
    next->there = false;
    while (!next->there && part->n && tk_tracy_merge_read_memory(m, part, &next->v)) {
        part->n--;
        next->there = tk_tracy_join_owns(m, part, next->v.time) && !(leaves_living && next->v.life < 0);
    }
}

static void join_events(struct tk_tracy_merge *m, const struct pool *pool)
{
    struct next_memory next[TK_TRACY_MERGED_MOST];
    for (size_t i = 0; i < m->n; i++)
        read_memory(m, &m->parts[i], &next[i]);
    while (tk_tracy_merge_going(m)) {
        size_t at = m->n;
        for (size_t i = 0; i < m->n; i++)
            if (next[i].there && (at == m->n || next[i].v.time < next[at].v.time))
                at = i;
        if (at == m->n)
            return;
        note_event(m, pool, &next[at].v);
        tk_tracy_put_memory(m->out, &next[at].v);
        read_memory(m, &m->parts[at], &next[at]);
    }
}

/* The name, which is the same in all. */
static uint64_t read_pools(struct tk_tracy_merge *m, uint64_t number)
{
    uint64_t name = 0;
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_pool one = {0};
        m->parts[i].n = 0;
        if (!tk_tracy_join_has(&m->parts[i], 0, number))
            continue;
        (void)tk_tracy_merge_read_pool(m, &m->parts[i], &one);
        if (any && one.name != name)
            tk_tracy_join_refuse(m);
        name = one.name;
        any = true;
        m->parts[i].n = one.n;
    }
    return name;
}

static void join_pool(struct tk_tracy_merge *m, size_t total, uint64_t number)
{
    struct pool pool = {.total = total};
    size_t *places[] = {&pool.n, &pool.active, &pool.frees, &pool.high, &pool.low, &pool.used};
    struct tk_tracy_pool_end end;
    const uint64_t name = read_pools(m, number);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        *places[i] = tk_tracy_join_note(m);
    tk_tracy_join_set(m, pool.low, UINT64_MAX);
    tk_tracy_put_pool(m->out, &(struct tk_tracy_pool){name, tk_tracy_join_noted(m, pool.n),
                                                      tk_tracy_join_noted(m, pool.active),
                                                      tk_tracy_join_noted(m, pool.frees)});
    start_times(m, 0);
    join_events(m, &pool);
    for (size_t i = 0; i < m->n; i++) {
        if (!tk_tracy_join_has(&m->parts[i], 0, number))
            continue;
        (void)tk_tracy_merge_read_pool_end(m, &m->parts[i], &end);
        if (end.name != name)
            tk_tracy_join_refuse(m);
    }
    end = (struct tk_tracy_pool_end){tk_tracy_join_noted(m, pool.high), tk_tracy_join_noted(m, pool.low),
                                     tk_tracy_join_noted(m, pool.used), name};
    tk_tracy_put_pool_end(m->out, &end);
}

void tk_tracy_join_memory(struct tk_tracy_merge *m)
{
    const uint64_t pools = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, pools, 8);
    (void)tk_tracy_merge_sum(m);
    const size_t total = tk_tracy_join_count(m, 8);
    for (uint64_t i = 0; i < pools && tk_tracy_merge_going(m); i++)
        join_pool(m, total, i);
}

/* ---- times on cores: those around an edge are in both pieces, as they are ---- */

/* The last one of a piece that grows is the first one of the next, where it has its end. */
static bool is_again(const struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t k)
{
    return m->grows && part != m->parts + m->n - 1 && k + 1 == part->n;
}

static uint64_t read_thread_switches(struct tk_tracy_merge *m, uint64_t number)
{
    struct tk_tracy_switches all = {0}, one;
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        if (!tk_tracy_join_has(&m->parts[i], 0, number))
            continue;
        (void)tk_tracy_merge_read_switches(m, &m->parts[i], &one);
        if (any && one.tid != all.tid)
            tk_tracy_join_refuse(m);
        all = one;
        any = true;
    }
    return all.tid;
}

static void join_thread_switches(struct tk_tracy_merge *m, uint64_t number, size_t lists)
{
    const struct tk_tracy_switches all = {read_thread_switches(m, number)};
    const bool puts = !m->grows || tk_map_get(&m->active, all.tid) != TK_MAP_NONE;
    (void)tk_tracy_join_sum(m, 0, number);
    if (puts)
        tk_tracy_put_switches(m->out, &all);
    const size_t count = puts ? tk_tracy_join_count(m, 8) : 0;
    tk_tracy_join_add(m, lists, puts);
    start_times(m, 0);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_switch v;
            if (!tk_tracy_merge_read_switch(m, part, &v) || !tk_tracy_join_owns(m, part, v.start) || !puts ||
                is_again(m, part, k))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_put_switch(m->out, &v);
        }
    }
}

void tk_tracy_join_switches(struct tk_tracy_merge *m)
{
    const uint64_t n = tk_tracy_join_number(m, 0, 0);
    const size_t lists = tk_tracy_join_count(m, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++)
        join_thread_switches(m, i, lists);
}

static void join_core(struct tk_tracy_merge *m, size_t total)
{
    (void)tk_tracy_merge_sum(m);
    const size_t count = tk_tracy_join_count(m, 8);
    start_times(m, 0);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_cpu_run v;
            if (!tk_tracy_merge_read_cpu_run(m, part, &v) || !tk_tracy_join_owns(m, part, v.start) ||
                is_again(m, part, k))
                continue;
            tk_tracy_join_add(m, count, 1);
            tk_tracy_join_add(m, total, 1);
            tk_tracy_put_cpu_run(m->out, &v);
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
    struct tk_tracy_hardware of;
    if (!tk_tracy_merge_read_hardware(m, part, &of))
        return;
    struct hardware one = {.address = of.address};
    one.place = tk_map_get_or_put(&h->place_of, one.address, (uint32_t)h->addresses.n);
    if (one.place == h->addresses.n && tk_vec_push(&h->addresses, one.address))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (one.list = 0; one.list < HARDWARE_LISTS; one.list++) {
        const uint64_t n = tk_tracy_merge_list(part, "hardware samples");
        for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
            struct tk_tracy_hardware_sample v;
            if (!tk_tracy_merge_read_hardware_sample(m, part, &v))
                return;
            one.time = v.time;
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
        tk_tracy_put_hardware(m->out, &(struct tk_tracy_hardware){h->addresses.v[i]});
        for (unsigned list = 0; list < HARDWARE_LISTS; list++) {
            const size_t first = at;
            while (at < h->v.n && h->v.v[at].place == i && h->v.v[at].list == list)
                at++;
            tk_tracy_put_list(m->out, at - first);
            for (size_t k = first; k < at; k++)
                tk_tracy_put_hardware_sample(m->out, &(struct tk_tracy_hardware_sample){h->v.v[k].time});
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
