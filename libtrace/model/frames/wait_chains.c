/*
 * From events of tasks and locks to waits, and from wait to wait.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Waits of GPU queues for fences.
 */

int tk_fence_waits_feed(struct tk_fence_waits *f, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_GPU)
        return 0;
    if (fact->u.gpu.what == TK_GPU_SIGNAL)
        return tk_fence_signals_add(&f->signals, fact);
    const struct tk_fence_wait wait = {fact->time, fact->time, fact->u.gpu.number, fact->u.gpu.queue,
                                       fact->u.gpu.other};
    if (fact->u.gpu.what != TK_GPU_FENCE || !tk_row_limit_for(&f->capacity, f->v.n))
        return 0;
    return tk_vec_push(&f->v, wait);
}

static int by_begin(const void *a, const void *b)
{
    const struct tk_fence_wait *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

int tk_fence_waits_settle(struct tk_fence_waits *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->v.n; i++) {
        struct tk_fence_wait wait = f->v.v[i];
        const struct tk_fence_signal *signal = tk_fence_signal_find(&f->signals, wait.other, wait.value);
        if (!signal || signal->time <= wait.begin)
            continue;
        wait.end = signal->time;
        f->v.v[n++] = wait;
    }
    f->v.n = n;
    return tk_sort(f->v.v, f->v.n, sizeof *f->v.v, by_begin);
}

static int64_t part_of_fence(const struct tk_fence_wait *w, int64_t from, int64_t to)
{
    const int64_t begin = w->begin > from ? w->begin : from, end = w->end < to ? w->end : to;
    return end > begin ? tk_wrap_sub(end, begin) : 0;
}

static const struct tk_fence_wait *longest_fence(const struct tk_fence_waits *f, int64_t from, int64_t to)
{
    const struct tk_fence_wait *found = NULL;
    size_t at;
    TK_SEARCH(at, f->v.n, f->v.v[at].begin < from);
    at = at > TK_WAIT_LOOK_BACK ? at - TK_WAIT_LOOK_BACK : 0;
    for (; at < f->v.n && f->v.v[at].begin < to; at++)
        if (part_of_fence(&f->v.v[at], from, to) > (found ? part_of_fence(found, from, to) : 0))
            found = &f->v.v[at];
    return found;
}

size_t tk_fence_waits_tell(const struct tk_fence_waits *f, const struct tk_dict *dict, int64_t from,
                           int64_t to, char *text, size_t capacity)
{
    const struct tk_fence_wait *w = longest_fence(f, from, to);
    char time[TK_WAIT_TIME], names[2][TK_QUEUE_NAME];
    if (!w || part_of_fence(w, from, to) < tk_wrap_sub(to, from) / TK_WAIT_LEAST_PART)
        return 0;
    const struct tk_str queue = tk_dict_queue_name(dict, w->queue, false, names[0]),
                        other = tk_dict_queue_name(dict, w->other, false, names[1]);
    from = w->begin > from ? w->begin : from;
    to = w->end < to ? w->end : to;
    tk_wait_time_text(tk_clock_between(&dict->clock, TK_UNIT_NS, from, to), time);
    const int n = snprintf(text, capacity, "%.*s %s for fence %" PRIu64 " of %.*s", (int)queue.n, queue.p,
                           time, w->value, (int)other.n, other.p);
    return n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
}

void tk_fence_waits_release(struct tk_fence_waits *f)
{
    tk_fence_signals_release(&f->signals);
    tk_vec_release(&f->v);
}

/* Of events, alongside enum tk_task_what. */
#define WAIT_BEGIN 64u
#define WAIT_END   65u
#define WAIT_MORE  63u /* another task of the same wait, right behind its begin */
#define LOCK       66u /* and more: enum tk_lock_what */

#define MOST_TASKS 256u /* of a wait that are looked at */

#define STEPS 4u /* of a chain */

static int put_event(struct tk_wait_chains *c, const struct tk_chain_event *e)
{
    return tk_row_limit_for(&c->capacity, c->events.n) ? tk_vec_push(&c->events, *e) : 0;
}

/* All but the first of the tasks that a wait is for. */
static int put_more(struct tk_wait_chains *c, const struct tk_fact *fact)
{
    const struct tk_fact_task_wait *wait = &fact->u.task_wait;
    struct tk_chain_event e = {.time = fact->time, .thread = fact->thread, .what = WAIT_MORE};
    int rc = 0;
    for (uint32_t i = 1; wait->begin && i < wait->n && i < MOST_TASKS && rc == 0; i++) {
        e.id = wait->tasks[i];
        rc = put_event(c, &e);
    }
    return rc;
}

int tk_wait_chains_feed(struct tk_wait_chains *c, const struct tk_fact *fact)
{
    struct tk_chain_event e = {.time = fact->time, .thread = fact->thread};
    if (fact->kind == TK_FACT_TASK_WAIT) {
        e.what = fact->u.task_wait.begin ? WAIT_BEGIN : WAIT_END;
        e.id = fact->u.task_wait.begin && fact->u.task_wait.n ? fact->u.task_wait.tasks[0] : 0;
    } else if (fact->kind == TK_FACT_LOCK) {
        e.what = (uint8_t)(LOCK + fact->u.lock.what);
        e.id = fact->u.lock.id;
        e.name = fact->u.lock.name;
    } else if (fact->kind == TK_FACT_TASK &&
               (fact->u.task.what == TK_TASK_LAUNCHED || fact->u.task.what == TK_TASK_STARTED ||
                fact->u.task.what == TK_TASK_FINISHED)) {
        e.what = fact->u.task.what;
        e.id = fact->u.task.id;
        e.name = fact->u.task.name;
    } else {
        return 0;
    }
    const int rc = put_event(c, &e);
    return rc == 0 && fact->kind == TK_FACT_TASK_WAIT ? put_more(c, fact) : rc;
}

/* What is known while events are gone through, as places + 1. */
struct sorting {
    struct tk_map open;      /* thread -> wait for tasks */
    struct tk_map requested; /* thread -> wait for a lock */
    struct tk_map tasks;     /* task -> what is known of it */
    struct tk_map locks;     /* lock -> event in which it was obtained or released last */
};

static uint64_t lock_key(const struct tk_chain_event *e)
{
    return e->id ^ (uint64_t)(uintptr_t)e->name * UINT64_C(0x9e3779b97f4a7c15);
}

static size_t place_in(const struct tk_map *map, uint64_t key)
{
    uint32_t at = tk_map_get(map, key);
    return at == TK_MAP_NONE ? 0 : at;
}

static int begin_wait(struct tk_wait_chains *c, struct tk_map *map, const struct tk_chain_event *e,
                      uint32_t target, bool lock)
{
    struct tk_chain_wait wait = {.begin = e->time,
                                 .end = INT64_MAX,
                                 .ready = INT64_MAX,
                                 .id = e->id,
                                 .name = e->name,
                                 .thread = e->thread,
                                 .target = target,
                                 .releaser = TK_NO_THREAD,
                                 .around = lock ? 0 : (uint32_t)place_in(map, e->thread),
                                 .lock = lock};
    return tk_vec_push(&c->v, wait) ? -1 : tk_map_put(map, e->thread, (uint32_t)c->v.n);
}

static const struct tk_chain_task *task_at(const struct tk_wait_chains *c, const struct sorting *s,
                                           uint64_t id)
{
    const size_t at = place_in(&s->tasks, id);
    return at ? &c->tasks.v[at - 1] : NULL;
}

/* Of several tasks the one that finished last is what is waited for. */
static void find_task(const struct tk_wait_chains *c, const struct sorting *s, struct tk_chain_wait *wait)
{
    const struct tk_chain_task *found = task_at(c, s, wait->id);
    for (uint32_t i = 0; i < wait->n; i++) {
        const struct tk_chain_task *other = task_at(c, s, c->more.v[wait->first + i]);
        if (!other || (found && other->finished <= found->finished))
            continue;
        found = other;
        wait->id = c->more.v[wait->first + i];
    }
    if (!found)
        return;
    wait->name = found->name;
    wait->target = found->runner;
    wait->ready = found->finished >= wait->begin && found->finished < wait->end ? found->finished : wait->end;
}

/* While a thread waits it may run tasks that wait themselves: an end belongs to the innermost wait. Ids of
 * tasks may be used again, so that they are looked up then. */
static int end_task_wait(struct tk_wait_chains *c, struct sorting *s, const struct tk_chain_event *e)
{
    size_t at = place_in(&s->open, e->thread);
    if (!at)
        return 0;
    c->v.v[at - 1].end = c->v.v[at - 1].ready = e->time;
    find_task(c, s, &c->v.v[at - 1]);
    return tk_map_put(&s->open, e->thread, c->v.v[at - 1].around);
}

/* Who holds a lock, or gave it back last, but for the thread itself. */
static uint32_t holder_of(const struct tk_wait_chains *c, const struct sorting *s,
                          const struct tk_chain_event *e, bool released)
{
    size_t at = place_in(&s->locks, lock_key(e));
    const struct tk_chain_event *last = at ? &c->events.v[at - 1] : NULL;
    if (!last || last->thread == e->thread || (last->what == LOCK + TK_LOCK_RELEASED) != released)
        return TK_NO_THREAD;
    return last->thread;
}

static int use_lock(struct tk_wait_chains *c, struct sorting *s, size_t at)
{
    const struct tk_chain_event *e = &c->events.v[at];
    if (e->what == LOCK + TK_LOCK_REQUESTED)
        return begin_wait(c, &s->requested, e, holder_of(c, s, e, false), true);
    size_t requested = place_in(&s->requested, e->thread);
    struct tk_chain_wait *wait = requested ? &c->v.v[requested - 1] : NULL;
    if (e->what == LOCK + TK_LOCK_OBTAINED && wait && wait->id == e->id && wait->name == e->name &&
        wait->end == INT64_MAX) {
        const size_t last = place_in(&s->locks, lock_key(e));
        wait->end = wait->ready = e->time;
        wait->releaser = holder_of(c, s, e, true);
        if (wait->releaser != TK_NO_THREAD && c->events.v[last - 1].time >= wait->begin)
            wait->ready = c->events.v[last - 1].time;
        if (wait->target == TK_NO_THREAD)
            wait->target = wait->releaser;
    }
    return tk_map_put(&s->locks, lock_key(e), (uint32_t)at + 1);
}

/* A task that is launched when one of its id has finished is another one. */
static struct tk_chain_task *reach_task(struct tk_wait_chains *c, struct sorting *s,
                                        const struct tk_chain_event *e)
{
    static const struct tk_chain_task fresh = {TK_CHAIN_NEVER, TK_CHAIN_NEVER, TK_CHAIN_NEVER,
                                               NULL,           TK_NO_THREAD,   TK_NO_THREAD};
    const size_t at = place_in(&s->tasks, e->id);
    if (at && (e->what != TK_TASK_LAUNCHED || c->tasks.v[at - 1].finished == TK_CHAIN_NEVER))
        return &c->tasks.v[at - 1];
    if (tk_vec_push(&c->tasks, fresh) || tk_map_put(&s->tasks, e->id, (uint32_t)c->tasks.n))
        return NULL;
    return &c->tasks.v[c->tasks.n - 1];
}

static int use_task(struct tk_wait_chains *c, struct sorting *s, const struct tk_chain_event *e)
{
    struct tk_chain_task *task = reach_task(c, s, e);
    if (!task)
        return -1;
    if (e->what == TK_TASK_LAUNCHED) {
        task->launched = e->time;
        task->launcher = e->thread;
        task->name = e->name;
    } else if (e->what == TK_TASK_STARTED) {
        task->started = e->time;
        task->runner = e->thread;
    } else {
        task->finished = e->time;
    }
    return 0;
}

static int add_more(struct tk_wait_chains *c, const struct sorting *s, const struct tk_chain_event *e)
{
    const size_t at = place_in(&s->open, e->thread);
    if (!at || tk_vec_push(&c->more, e->id))
        return at ? -1 : 0;
    if (!c->v.v[at - 1].n++)
        c->v.v[at - 1].first = (uint32_t)c->more.n - 1;
    return 0;
}

static int use_event(struct tk_wait_chains *c, struct sorting *s, size_t at)
{
    const struct tk_chain_event *e = &c->events.v[at];
    if (e->what == WAIT_MORE)
        return add_more(c, s, e);
    if (e->what == WAIT_BEGIN)
        return begin_wait(c, &s->open, e, TK_NO_THREAD, false);
    if (e->what == WAIT_END)
        return end_task_wait(c, s, e);
    if (e->what >= LOCK)
        return use_lock(c, s, at);
    return use_task(c, s, e);
}

/* Tasks may start and be named after somebody waits for them, and waits may have no end. */
static void name_tasks(struct tk_wait_chains *c, const struct sorting *s)
{
    for (size_t i = 0; i < c->v.n; i++)
        if (!c->v.v[i].lock && c->v.v[i].target == TK_NO_THREAD)
            find_task(c, s, &c->v.v[i]);
}

static int by_time_of_events(const void *a, const void *b)
{
    const struct tk_chain_event *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static int by_thread_of_waits(const void *a, const void *b)
{
    const struct tk_chain_wait *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

int tk_wait_chains_settle(struct tk_wait_chains *c)
{
    struct sorting s = {.open = {0}};
    int rc = tk_sort(c->events.v, c->events.n, sizeof *c->events.v, by_time_of_events);
    for (size_t i = 0; i < c->events.n && rc == 0; i++)
        rc = use_event(c, &s, i);
    if (rc == 0)
        name_tasks(c, &s);
    tk_map_release(&s.open);
    tk_map_release(&s.requested);
    tk_map_release(&s.tasks);
    tk_map_release(&s.locks);
    return rc ? rc : tk_sort(c->v.v, c->v.n, sizeof *c->v.v, by_thread_of_waits);
}

static int64_t part_of(const struct tk_chain_wait *w, int64_t from, int64_t to)
{
    int64_t begin = w->begin > from ? w->begin : from, end = w->end < to ? w->end : to;
    return end > begin ? tk_wrap_sub(end, begin) : 0;
}

const struct tk_chain_wait *tk_wait_chains_longest(const struct tk_wait_chains *c, uint32_t thread,
                                                   int64_t from, int64_t to)
{
    const struct tk_chain_wait *found = NULL;
    size_t at;
    TK_SEARCH(at, c->v.n,
              c->v.v[at].thread < thread || (c->v.v[at].thread == thread && c->v.v[at].begin < from));
    at = at > TK_WAIT_LOOK_BACK ? at - TK_WAIT_LOOK_BACK : 0;
    for (; at < c->v.n &&
           (c->v.v[at].thread < thread || (c->v.v[at].thread == thread && c->v.v[at].begin < to));
         at++) {
        const struct tk_chain_wait *w = &c->v.v[at];
        if (w->thread == thread && part_of(w, from, to) > (found ? part_of(found, from, to) : 0))
            found = w;
    }
    return found;
}

#define PRINTED(str) (str) ? (int)(str)->n : 1, (str) ? (str)->p : "?"

void tk_wait_time_text(int64_t ns, char text[TK_WAIT_TIME])
{
    const bool ms = ns >= 1000000;
    const int64_t unit = ms ? 1000 : 100;
    snprintf(text, TK_WAIT_TIME, ms ? "%" PRId64 ".%03d ms" : "%" PRId64 ".%d us",
             ns / unit / (ms ? 1000 : 10), (int)(ns / unit % (ms ? 1000 : 10)));
}

static size_t tell_wait(const struct tk_dict *dict, const struct tk_chain_wait *w, int64_t ns, char *text,
                        size_t capacity)
{
    const struct tk_str *target = tk_dict_thread_name(dict, w->target);
    char time[TK_WAIT_TIME];
    tk_wait_time_text(ns, time);
    int n =
        snprintf(text, capacity, "%.*s %s for %s %.*s%s%.*s", PRINTED(tk_dict_thread_name(dict, w->thread)),
                 time, w->lock ? "lock" : "task", PRINTED(w->name),
                 !target   ? ""
                 : w->lock ? " held by "
                           : " on ",
                 target ? (int)target->n : 0, target ? target->p : "");
    return n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
}

size_t tk_wait_chains_tell(const struct tk_wait_chains *c, const struct tk_dict *dict, uint32_t thread,
                           int64_t from, int64_t to, char text[TK_CHAIN_TEXT])
{
    uint32_t met[STEPS + 1] = {thread};
    size_t n = 0;
    for (unsigned step = 0; step < STEPS; step++) {
        const struct tk_chain_wait *w = tk_wait_chains_longest(c, met[step], from, to);
        if (!w || (!step && part_of(w, from, to) < tk_wrap_sub(to, from) / TK_WAIT_LEAST_PART) ||
            TK_CHAIN_TEXT - n < 8)
            break;
        if (n) {
            text[n++] = ';';
            text[n++] = ' ';
        }
        from = w->begin > from ? w->begin : from;
        to = w->end < to ? w->end : to;
        n += tell_wait(dict, w, tk_clock_between(&dict->clock, TK_UNIT_NS, from, to), text + n,
                       TK_CHAIN_TEXT - n);
        bool again = w->target == TK_NO_THREAD;
        for (unsigned i = 0; i <= step; i++)
            again |= met[i] == w->target;
        if (again)
            break;
        met[step + 1] = w->target;
    }
    return n;
}

void tk_wait_chains_release(struct tk_wait_chains *c)
{
    tk_vec_release(&c->events);
    tk_vec_release(&c->v);
    tk_vec_release(&c->tasks);
    tk_vec_release(&c->more);
}
