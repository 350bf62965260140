/*
 * From waits to tasks and locks to threads.
 */
#include "base/hash.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"

static int put_wait_causes(struct tk_wait_causes *c, const struct tk_frame_classes *marks,
                           struct tk_wait_event event)
{
    event.mark = tk_frame_classes_at(marks, event.time);
    return event.mark < TK_FRAME_CLASS_HITCH || event.mark >= TK_FRAME_CLASS_TYPICAL
               ? 0
               : tk_vec_push(&c->v, event);
}

int tk_wait_causes_feed(struct tk_wait_causes *c, const struct tk_frame_classes *marks,
                        const struct tk_fact *fact)
{
    struct tk_wait_event event = {.time = fact->time, .thread = fact->thread};
    if (fact->kind == TK_FACT_TASK_WAIT) {
        const struct tk_fact_task_wait *wait = &fact->u.task_wait;
        c->any = true;
        event.what = wait->begin ? TK_WAIT_BEGIN : TK_WAIT_END;
        event.task = wait->begin && wait->n ? wait->tasks[0] : 0;
        return put_wait_causes(c, marks, event);
    }
    if (fact->kind == TK_FACT_LOCK) {
        event.what = (uint8_t)(TK_WAIT_LOCK + fact->u.lock.what);
        event.task = fact->u.lock.id;
        event.name = fact->u.lock.name;
        return put_wait_causes(c, marks, event);
    }
    if (fact->kind != TK_FACT_TASK)
        return 0;
    event.what = fact->u.task.what;
    if (event.what != TK_TASK_LAUNCHED && event.what != TK_TASK_STARTED)
        return 0;
    event.task = fact->u.task.id;
    event.name = fact->u.task.name;
    return put_wait_causes(c, marks, event);
}

static int by_place_wait_causes(const void *a, const void *b)
{
    const struct tk_wait_event *x = a, *y = b;
    if (x->mark != y->mark)
        return x->mark < y->mark ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

/* Gives each end of a wait its begin. While a thread waits it may run tasks that wait themselves: an end
 * belongs to the innermost wait. */
static int pair_waits(struct tk_wait_causes *c)
{
    struct tk_map innermost = {0}; /* thread -> place of its innermost open wait, or TK_WAIT_NONE */
    int rc = 0;
    for (uint32_t i = 0; i < c->v.n && rc == 0; i++) {
        struct tk_wait_event *e = &c->v.v[i];
        e->other = TK_WAIT_NONE;
        if (e->what != TK_WAIT_BEGIN && e->what != TK_WAIT_END)
            continue;
        const uint32_t found = tk_map_get(&innermost, e->thread);
        const struct tk_wait_event *open = found < TK_WAIT_NONE ? &c->v.v[found] : NULL;
        if (open && open->mark == e->mark)
            e->other = found;
        else
            open = NULL;
        if (e->what == TK_WAIT_BEGIN)
            rc = tk_map_put(&innermost, e->thread, i);
        else if (open)
            rc = tk_map_put(&innermost, e->thread, open->other);
    }
    tk_map_release(&innermost);
    return rc;
}

int tk_wait_causes_finish(struct tk_wait_causes *c)
{
    return tk_sort(c->v.v, c->v.n, sizeof *c->v.v, by_place_wait_causes) || pair_waits(c) ? -1 : 0;
}

/* The longest wait of a thread among events [first, end). */
static void find_longest(const struct tk_wait_causes *c, size_t first, size_t end, uint32_t thread,
                         struct tk_wait_cause *out)
{
    for (size_t i = first; i < end; i++) {
        const struct tk_wait_event *e = &c->v.v[i];
        if (e->thread != thread || e->what != TK_WAIT_END || e->other == TK_WAIT_NONE)
            continue;
        const struct tk_wait_event *begun = &c->v.v[e->other];
        const int64_t waited = tk_wrap_sub(e->time, begun->time);
        if (waited > out->waited) {
            out->waited = waited;
            out->task = begun->task;
        }
    }
}

/* The task of the longest wait: its name, and who ran it. */
static void find_task(const struct tk_wait_causes *c, size_t first, size_t end, uint32_t thread,
                      struct tk_wait_cause *out)
{
    find_longest(c, first, end, thread, out);
    for (size_t i = first; i < end && out->waited >= 0; i++) {
        const struct tk_wait_event *e = &c->v.v[i];
        if (e->what >= TK_WAIT_BEGIN || e->task != out->task)
            continue;
        out->name = e->name ? e->name : out->name;
        if (e->what == TK_TASK_STARTED)
            out->thread = e->thread;
    }
}

/* Who held a lock between the events in which a thread requested it and got it: who gave it back last
 * meanwhile, else who had it before. Giving back may be reported a moment after another one got it. */
static uint32_t holder_of(const struct tk_wait_causes *c, size_t first, size_t requested, size_t got,
                          size_t end)
{
    const struct tk_wait_event *own = &c->v.v[requested];
    uint32_t holder = TK_NO_THREAD;
    for (size_t i = first; i < end; i++) {
        const struct tk_wait_event *e = &c->v.v[i];
        if (e->what < TK_WAIT_LOCK || e->task != own->task || e->name != own->name ||
            e->thread == own->thread)
            continue;
        bool released = e->what == TK_WAIT_LOCK + TK_LOCK_RELEASED;
        if (i > got)
            return holder == TK_NO_THREAD && released ? e->thread : holder;
        if (i > requested && released)
            holder = e->thread;
        else if (i < requested && released)
            holder = holder == e->thread ? TK_NO_THREAD : holder;
        else if (i < requested && e->what == TK_WAIT_LOCK + TK_LOCK_OBTAINED)
            holder = e->thread;
    }
    return holder;
}

/* The lock that a thread waited for longest. */
static void find_lock(const struct tk_wait_causes *c, size_t first, size_t end, uint32_t thread,
                      struct tk_wait_cause *out)
{
    size_t requested = end;
    for (size_t i = first; i < end; i++) {
        const struct tk_wait_event *e = &c->v.v[i];
        if (e->thread != thread || e->what < TK_WAIT_LOCK)
            continue;
        if (e->what == TK_WAIT_LOCK + TK_LOCK_REQUESTED)
            requested = i;
        if (e->what != TK_WAIT_LOCK + TK_LOCK_OBTAINED || requested == end ||
            c->v.v[requested].task != e->task)
            continue;
        int64_t waited = tk_wrap_sub(e->time, c->v.v[requested].time);
        if (waited > 0 && waited > out->waited)
            *out = (struct tk_wait_cause){true, e->task, e->name, holder_of(c, first, requested, i, end),
                                          waited};
        requested = end;
    }
}

bool tk_wait_causes_find(const struct tk_wait_causes *c, uint32_t mark, uint32_t thread,
                         struct tk_wait_cause *out)
{
    size_t first = 0, end;
    *out = (struct tk_wait_cause){.thread = TK_NO_THREAD, .waited = -1};
    while (first < c->v.n && c->v.v[first].mark < mark)
        first++;
    for (end = first; end < c->v.n && c->v.v[end].mark == mark; end++)
        ;
    find_task(c, first, end, thread, out);
    find_lock(c, first, end, thread, out);
    return out->waited >= 0;
}

void tk_wait_causes_release(struct tk_wait_causes *c)
{
    tk_vec_release(&c->v);
}
