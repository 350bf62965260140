/*
 * Signals of fences: see fence_signals.h.
 */
#include "model/timeline/fence_signals.h"

#include "base/binary_search.h"

int tk_fence_signals_add(struct tk_fence_signals *s, const struct tk_fact *fact)
{
    const struct tk_fence_signal signal = {fact->time, fact->u.gpu.number};
    if (tk_vec_reach(&s->queues, (size_t)fact->u.gpu.queue + 1))
        return -1;
    struct tk_queue_signals *queue = &s->queues.v[fact->u.gpu.queue];
    if (queue->v.n && queue->v.v[queue->v.n - 1].value >= signal.value)
        return 0;
    if (!tk_row_limit_for(&s->room, s->n))
        return 0;
    s->n++;
    return tk_vec_push(&queue->v, signal);
}

const struct tk_fence_signal *tk_fence_signal_find(const struct tk_fence_signals *s, uint32_t queue,
                                                   uint64_t value)
{
    if (queue >= s->queues.n)
        return NULL;
    const struct tk_queue_signals *signals = &s->queues.v[queue];
    size_t at;
    TK_SEARCH(at, signals->v.n, signals->v.v[at].value < value);
    return at < signals->v.n ? &signals->v.v[at] : NULL;
}

void tk_fence_signals_release(struct tk_fence_signals *s)
{
    for (size_t i = 0; i < s->queues.n; i++)
        tk_vec_release(&s->queues.v[i].v);
    tk_vec_release(&s->queues);
}
