/*
 * Running times of threads. See core_times.h.
 */
#include "model/threads/core_times.h"

#include "base/binary_search.h"

/* A stretch of time on cores, and selected cycles of all stretches before. */
struct stretch {
    int64_t begin, end;
    uint64_t before;
};

struct tk_core_times_thread {
    TK_VEC(struct stretch) v; /* in order, apart from each other */
};

static struct tk_core_times_thread *thread_of_core_times(struct tk_core_times *r, uint32_t thread)
{
    uint32_t at = tk_map_get(&r->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)r->threads.n;
        if (tk_map_put(&r->index, thread, at) || tk_vec_push(&r->threads, (struct tk_core_times_thread){0}))
            return NULL;
    }
    return &r->threads.v[at];
}

static uint64_t selected(const struct tk_core_times *r, int64_t begin, int64_t end)
{
    return (uint64_t)tk_select_before(r->select, end) - (uint64_t)tk_select_before(r->select, begin);
}

/* Adds a run that begins no earlier than those before. */
static int add_core_times(const struct tk_core_times *r, struct tk_core_times_thread *t,
                          const struct tk_switch *s)
{
    struct stretch *last = t->v.n ? &t->v.v[t->v.n - 1] : NULL;
    if (t->v.n && s->begin <= last->end) {
        last->end = s->end > last->end ? s->end : last->end;
        return 0;
    }
    struct stretch fresh = {s->begin, s->end, 0};
    if (t->v.n)
        fresh.before = last->before + selected(r, last->begin, last->end);
    return tk_vec_push(&t->v, fresh);
}

int tk_core_times_build(struct tk_core_times *r, const struct tk_switch_list *list,
                        const struct tk_select *select)
{
    int rc = 0;
    r->select = select;
    for (size_t i = 0; i < list->v.n && rc == 0; i++) {
        uint32_t id = list->threads.v.v[list->v.v[i].thread].thread;
        if (tk_select_is_behind(select, list->v.v[i].begin))
            continue;
        struct tk_core_times_thread *t = id == TK_NO_THREAD ? NULL : thread_of_core_times(r, id);
        if (id == TK_NO_THREAD)
            continue;
        rc = t ? add_core_times(r, t, &list->v.v[i]) : -1;
    }
    return rc;
}

bool tk_core_times_knows(const struct tk_core_times *r, uint32_t thread)
{
    return tk_map_get(&r->index, thread) != TK_MAP_NONE;
}

/* Selected cycles that the thread ran before t. */
static uint64_t before(const struct tk_core_times *r, const struct tk_core_times_thread *t, int64_t time)
{
    size_t at;
    TK_SEARCH(at, t->v.n, t->v.v[at].begin <= time);
    if (at == 0)
        return 0;
    const struct stretch *s = &t->v.v[at - 1];
    return s->before + selected(r, s->begin, time < s->end ? time : s->end);
}

uint64_t tk_core_times_between(const struct tk_core_times *r, uint32_t thread, int64_t begin, int64_t end)
{
    uint32_t at = tk_map_get(&r->index, thread);
    if (at == TK_MAP_NONE || end <= begin)
        return 0;
    return before(r, &r->threads.v[at], end) - before(r, &r->threads.v[at], begin);
}

void tk_core_times_release(struct tk_core_times *r)
{
    for (size_t i = 0; i < r->threads.n; i++)
        tk_vec_release(&r->threads.v[i].v);
    tk_vec_release(&r->threads);
    tk_map_release(&r->index);
}
