/*
 * GPU contexts and their zones, cut by the time of the GPU (tracy-file 5.11). Part of a pass.
 */
#include "base/arena.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"

/*
 * Locks: what happened in the window, and around it what says who waits for a lock and who has it when the
 * window begins, and how that ends (tracy-file 5.7). Part of a pass.
 */

enum { THREADS = 64, MOST_HELD = 4096 };
enum kind { WAIT, OBTAIN, RELEASE, KINDS }; /* and three more for what is shared */

struct lock {
    size_t count;
    uint64_t n_threads;
    bool known[THREADS];                     /* the capture has the thread */
    TK_VEC(struct tk_tracy_lock_event) held; /* requests that wait and holds that last, with their requests */
    uint32_t later[256][2]; /* holds that began behind the window: by thread, and of both ways */
    bool inside;            /* the window has begun */
};

static unsigned kind_of(const struct tk_tracy_lock_event *e)
{
    return e->kind % KINDS;
}

/* Of one thread, and of the same of both ways to have a lock? */
static bool belong(const struct tk_tracy_lock_event *a, const struct tk_tracy_lock_event *b)
{
    return a->thread == b->thread && a->kind / KINDS == b->kind / KINDS;
}

static size_t find_last(const struct lock *l, const struct tk_tracy_lock_event *e, enum kind kind,
                        size_t before)
{
    for (size_t i = before; i-- > 0;)
        if (kind_of(&l->held.v[i]) == kind && belong(&l->held.v[i], e))
            return i;
    return SIZE_MAX;
}

static void take_out(struct lock *l, size_t i)
{
    tk_stack_close_gap(l->held.v + i, (--l->held.n - i) * sizeof *l->held.v, sizeof *l->held.v);
}

/* Notes an event in what is held. */
static void hold(struct tk_tracy_pass *p, struct lock *l, const struct tk_tracy_lock_event *e)
{
    if (kind_of(e) == RELEASE) {
        const size_t at = find_last(l, e, OBTAIN, l->held.n);
        if (at == SIZE_MAX)
            return;
        const size_t request = find_last(l, e, WAIT, at);
        take_out(l, at);
        if (request != SIZE_MAX)
            take_out(l, request);
        return;
    }
    if (l->held.n >= MOST_HELD)
        take_out(l, 0);
    p->failed |= tk_vec_push(&l->held, *e) != 0;
}

static void put_event(struct tk_tracy_pass *p, struct lock *l, const struct tk_tracy_lock_event *e)
{
    tk_tracy_pass_keep(p, l->count);
    tk_tracy_pass_put_lock_event(p, e);
}

/* Does a thread wait for it since the window? A request is answered by the next obtaining. */
static bool waits(const struct lock *l, const struct tk_tracy_lock_event *e)
{
    size_t requests = 0, answers = 0;
    for (size_t i = 0; i < l->held.n; i++) {
        requests += belong(&l->held.v[i], e) && kind_of(&l->held.v[i]) == WAIT;
        answers += belong(&l->held.v[i], e) && kind_of(&l->held.v[i]) == OBTAIN;
    }
    return requests > answers;
}

/* Behind the window: how that ends which lasts. */
static void pass_behind(struct tk_tracy_pass *p, struct lock *l, const struct tk_tracy_lock_event *e)
{
    uint32_t *later = &l->later[e->thread][e->kind / KINDS % 2];
    if (kind_of(e) == OBTAIN && !waits(l, e)) {
        ++*later;
        return;
    }
    if (kind_of(e) == RELEASE && *later) {
        --*later;
        return;
    }
    const bool ends = kind_of(e) == OBTAIN    ? waits(l, e)
                      : kind_of(e) == RELEASE ? find_last(l, e, OBTAIN, l->held.n) != SIZE_MAX
                                              : false;
    if (!ends)
        return;
    put_event(p, l, e);
    hold(p, l, e);
}

static void begin_window(struct tk_tracy_pass *p, struct lock *l)
{
    for (size_t i = 0; !l->inside && i < l->held.n; i++)
        put_event(p, l, &l->held.v[i]);
    l->inside = true;
}

static void pass_event(struct tk_tracy_pass *p, struct lock *l, const struct tk_tracy_lock_event *e)
{
    if (!p->window.cut) {
        put_event(p, l, e);
        return;
    }
    if (e->time >= p->window.from)
        begin_window(p, l);
    if (e->time >= p->window.to) {
        pass_behind(p, l, e);
        return;
    }
    if (l->inside)
        put_event(p, l, e);
    hold(p, l, e);
}

static void read_threads(struct tk_tracy_pass *p, struct lock *l)
{
    const struct tk_tracy_threads *threads = &p->c->threads;
    const bool all = (p->c->threads_known || p->ahead) && threads->local.n < p->c->ctx->limits.threads;
    l->n_threads = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < l->n_threads && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_lock_thread of;
        if (!tk_tracy_read_lock_thread(p->in, &of))
            return;
        tk_tracy_pass_put_lock_thread(p, &of);
        if (i < THREADS)
            l->known[i] = !all || tk_tracy_thread_number(threads, of.tid) != TK_MAP_NONE;
        p->irregular |= p->ahead && (i >= THREADS || !l->known[i]);
    }
}

static bool can_be(const struct lock *l, const struct tk_tracy_lock_event *e)
{
    const uint8_t place = e->thread;
    return place < THREADS && place < l->n_threads && l->known[place] && e->kind < 2 * KINDS;
}

static void pass_events(struct tk_tracy_pass *p, struct lock *l, int64_t time)
{
    const uint64_t n = tk_tracy_u64(p->in, "events of a lock");
    l->count = tk_tracy_pass_count(p, 8);
    tk_tracy_pass_start_times(p, time);
    l->held.n = 0;
    memset(l->later, 0, sizeof l->later);
    l->inside = false;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_lock_event e;
        if (!tk_tracy_read_lock_event(p->in, &e))
            return;
        if (can_be(l, &e))
            pass_event(p, l, &e);
        else
            p->lost_events += !p->out;
    }
    if (p->window.cut)
        begin_window(p, l);
}

void tk_tracy_pass_mark_named(struct tk_tracy_pass *p, int16_t location)
{
    const struct tk_tracy_locations *l = &p->c->locations;
    const size_t number = location < 0 ? (size_t)(-(location + 1)) : (size_t)location;
    if (location < 0 && number < l->dynamics.n)
        tk_tracy_pass_mark_ref(p, l->dynamics.v[number].function, TK_TRACY_ROLE_NAME);
    if (location < 0 || number >= l->expand.n)
        return;
    const uint32_t at = tk_map_get(&l->by_address, l->expand.v[number]);
    if (at < l->statics.n)
        tk_tracy_pass_mark_ref(p, l->statics.v[at].function, TK_TRACY_ROLE_NAME);
}

void tk_tracy_pass_locks(struct tk_tracy_pass *p)
{
    const uint64_t locks = tk_tracy_pass_number(p);
    struct lock l = {0};
    for (uint64_t i = 0; i < locks && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_lock head;
        if (!tk_tracy_read_lock(p->in, &head))
            break;
        tk_tracy_pass_put_lock(p, &head);
        read_threads(p, &l);
        pass_events(p, &l, head.announced);
    }
    p->items += locks;
    p->kept[p->section] += p->out ? 0 : locks;
    tk_vec_release(&l.held);
}

struct timeline {
    int64_t last; /* the last time that the GPU gave */
    uint64_t left;
    int16_t location; /* of the first zone */
    bool any;
};

/* Where the GPU never gave a time, the last one counts that it gave. */
static int64_t time_of(struct timeline *t, int64_t cpu, int64_t gpu)
{
    if (gpu >= 0)
        t->last = gpu;
    return t->last == INT64_MIN ? cpu : t->last;
}

/* Where a zone stands that is not of the window. */
static int64_t outside(const struct tk_tracy_pass *p)
{
    return p->window.from > 0 ? p->window.from - 1 : p->window.to;
}

static void begin_zone(struct tk_tracy_pass *p, struct timeline *t)
{
    uint64_t children = 0;
    struct tk_tracy_gpu_begin v;
    if (!tk_tracy_read_gpu_begin(p->in, &v))
        return;
    const int64_t begin = time_of(t, v.cpu, v.gpu);
    const bool kept = tk_tracy_tree_begin(&p->gpu_tree, begin, v.children, &children);
    struct tk_tracy_tree_level *level = tk_stack_top(&p->gpu_tree.levels);
    if (level) {
        level->left = t->left - 1;
        level->location = v.location;
        t->location = t->any ? t->location : level->location;
        t->any = true;
    }
    t->left = v.children;
    if (!kept)
        return;
    if (level && level->outside)
        v.gpu = outside(p);
    else if (begin < p->window.from)
        v.gpu = p->window.from;
    v.children = children;
    tk_tracy_pass_put_gpu_begin(p, &v);
}

static void end_zone(struct tk_tracy_pass *p, struct timeline *t)
{
    const struct tk_tracy_tree_level level = *tk_stack_top(&p->gpu_tree.levels);
    struct tk_tracy_gpu_end v;
    if (!tk_tracy_read_gpu_end(p->in, &v))
        return;
    t->left = level.left;
    if (!tk_tracy_tree_end(&p->gpu_tree, time_of(t, v.cpu, v.gpu), false))
        return;
    if (!p->out)
        p->zones_of[1][(uint16_t)level.location]++;
    if (level.outside)
        v.gpu = outside(p);
    else if (v.gpu >= 0)
        v.gpu = tk_tracy_window_clip(&p->window, v.gpu);
    tk_tracy_pass_put_gpu_end(p, &v);
}

/* How many of its zones stay. */
static uint64_t pass_timeline(struct tk_tracy_pass *p)
{
    struct timeline t = {.last = INT64_MIN};
    struct tk_tracy_gpu_timeline v;
    const size_t roots = tk_tracy_pass_note(p);
    if (!tk_tracy_read_gpu_timeline(p->in, &v))
        return 0;
    t.left = v.zones;
    v.zones = tk_tracy_pass_noted(p, roots);
    tk_tracy_pass_put_gpu_timeline(p, &v);
    tk_tracy_pass_start_times(p, 0);
    tk_tracy_tree_open(&p->gpu_tree);
    while ((t.left || p->gpu_tree.levels.n) && tk_tracy_pass_going(p)) {
        if (t.left)
            begin_zone(p, &t);
        else
            end_zone(p, &t);
        p->failed |= p->gpu_tree.failed;
    }
    tk_tracy_tree_close(&p->gpu_tree);
    if (tk_tracy_tree_keep_one(&p->gpu_tree))
        p->zones_of[1][(uint16_t)t.location]++;
    tk_tracy_pass_note_continued(p, 1, &p->gpu_tree);
    tk_tracy_pass_set(p, roots, p->gpu_tree.roots);
    return p->gpu_tree.zones;
}

static void pass_query(struct tk_tracy_pass *p)
{
    tk_tracy_pass_through_gpu_query(p);
    tk_tracy_pass_each(p, tk_tracy_pass_through_gpu_note);
}

static uint64_t pass_context(struct tk_tracy_pass *p)
{
    const struct tk_tracy_layout *layout = &p->c->layout;
    const size_t count = tk_tracy_pass_note(p);
    uint64_t zones = 0;
    struct tk_tracy_gpu_context v;
    if (!tk_tracy_read_gpu_context(p->in, &v))
        return 0;
    v.zones = tk_tracy_pass_noted(p, count);
    tk_tracy_pass_put_gpu_context(p, &v);
    if (layout->gpu_notes)
        tk_tracy_pass_each(p, tk_tracy_pass_through_note_name);
    const uint64_t timelines = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < timelines && tk_tracy_pass_going(p); i++)
        zones += pass_timeline(p);
    if (layout->gpu_notes)
        tk_tracy_pass_each(p, pass_query);
    tk_tracy_pass_set(p, count, zones);
    return zones;
}

void tk_tracy_pass_gpu(struct tk_tracy_pass *p)
{
    tk_tracy_skip(p->in, 16, "numbers of GPU zones");
    const size_t total = tk_tracy_pass_count(p, 8), parents = tk_tracy_pass_count(p, 8);
    const uint64_t contexts = tk_tracy_pass_number(p);
    uint64_t zones = 0;
    for (uint64_t i = 0; i < contexts && tk_tracy_pass_going(p); i++)
        zones += pass_context(p);
    tk_tracy_pass_set(p, total, zones);
    p->kept[p->section] += p->out ? 0 : zones;
    tk_tracy_pass_set(p, parents, p->gpu_tree.parents);
}
