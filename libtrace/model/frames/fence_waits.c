/*
 * Waits of GPU queues for fences. See fence_waits.h.
 */
#include "model/frames/fence_waits.h"

#include "base/binary_search.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/wait_chains.h"

#include <inttypes.h>
#include <stdio.h>

int tk_fence_waits_feed(struct tk_fence_waits *f, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_GPU)
        return 0;
    if (fact->u.gpu.what == TK_GPU_SIGNAL)
        return tk_fence_signals_add(&f->signals, fact);
    const struct tk_fence_wait wait = {fact->time, fact->time, fact->u.gpu.number, fact->u.gpu.queue,
                                       fact->u.gpu.other};
    if (fact->u.gpu.what != TK_GPU_FENCE || !tk_row_limit_for(&f->room, f->v.n))
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
                           int64_t to, char *text, size_t room)
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
    const int n = snprintf(text, room, "%.*s %s for fence %" PRIu64 " of %.*s", (int)queue.n, queue.p, time,
                           w->value, (int)other.n, other.p);
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

void tk_fence_waits_release(struct tk_fence_waits *f)
{
    tk_fence_signals_release(&f->signals);
    tk_vec_release(&f->v);
}
