/*
 * From waits, tasks and times on cores to links between threads.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"

#include <stdlib.h>

static int take_run(struct tk_links *l, const struct tk_fact *fact)
{
    const struct tk_fact_switch *on = &fact->u.context;
    const struct tk_link_run run = {.begin = fact->time,
                                    .end = on->end,
                                    .woken = on->woken ? on->wake : TK_CHAIN_NEVER,
                                    .system = tk_system_thread_of(&l->system, on->system_id),
                                    .core = on->core,
                                    .waker_core = on->waker_core};
    if (run.system == TK_MAP_NONE || tk_vec_reach(&l->ran, run.system + (size_t)1))
        return -1;
    l->ran.v[run.system] = true;
    return tk_row_limit_for(&l->chains.capacity, l->runs.n) ? tk_vec_push(&l->runs, run) : 0;
}

int tk_links_feed(struct tk_links *l, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_SWITCH)
        return take_run(l, fact);
    return tk_system_threads_feed(&l->system, fact) || tk_wait_chains_feed(&l->chains, fact) ? -1 : 0;
}

/* ---- waits and tasks ---- */

/* A thread that is waited for and is the waiting one itself holds nothing up. */
static int add_wait(struct tk_links *l, const struct tk_chain_wait *w)
{
    const uint32_t target = w->releaser != TK_NO_THREAD ? w->releaser : w->target;
    struct tk_link link = {.begin = w->begin,
                           .ready = w->ready,
                           .end = w->end,
                           .who = w->thread,
                           .target = target,
                           .via = w->lock ? TK_LINK_LOCK : TK_LINK_TASK};
    if (w->end == INT64_MAX || w->end <= w->begin || target == w->thread)
        return 0;
    if (target == TK_NO_THREAD)
        link.via = TK_LINK_NOT_RECORDED;
    return tk_vec_push(&l->v, link);
}

static int add_start(struct tk_links *l, const struct tk_chain_task *t)
{
    const struct tk_link link = {.begin = t->launched,
                                 .ready = t->launched,
                                 .end = t->started,
                                 .who = t->runner,
                                 .target = t->launcher,
                                 .via = TK_LINK_TASK,
                                 .start = true};
    const bool known = t->launched != TK_CHAIN_NEVER && t->started != TK_CHAIN_NEVER &&
                       t->runner != TK_NO_THREAD && t->launcher != TK_NO_THREAD;
    return known && t->launcher != t->runner && t->started > t->launched ? tk_vec_push(&l->v, link) : 0;
}

/* ---- cores ---- */

static int by_thread(const void *a, const void *b)
{
    const struct tk_link_run *x = a, *y = b;
    if (x->system != y->system)
        return x->system < y->system ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_core(const void *a, const void *b)
{
    const struct tk_link_run *x = a, *y = b;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static uint32_t who_of(const struct tk_links *l, uint32_t system)
{
    const uint32_t thread = l->system.v.v[system].thread;
    return thread == TK_NO_THREAD ? TK_LINK_OTHER + system : thread;
}

/* What ran on a core at a time; NULL: nothing that is known. */
static const struct tk_link_run *run_at(const struct tk_link_run *cores, size_t n, uint32_t core,
                                        int64_t time)
{
    size_t at;
    TK_SEARCH(at, n, cores[at].core < core || (cores[at].core == core && cores[at].begin <= time));
    const struct tk_link_run *run = at ? &cores[at - 1] : NULL;
    return run && run->core == core && run->end >= time ? run : NULL;
}

/* From the end of a run to the next one of the thread. It was woken by what ran on the core that did so. */
static int add_gap(struct tk_links *l, const struct tk_link_run *cores, size_t at)
{
    const struct tk_link_run *next = &l->runs.v[at], *last = at ? next - 1 : NULL;
    const bool follows = last && last->system == next->system;
    const bool woken =
        next->woken != TK_CHAIN_NEVER && next->woken <= next->begin && (!follows || next->woken >= last->end);
    const struct tk_link_run *waker = woken ? run_at(cores, l->runs.n, next->waker_core, next->woken) : NULL;
    struct tk_link link = {.begin = follows ? last->end : next->woken,
                           .ready = next->woken,
                           .end = next->begin,
                           .who = who_of(l, next->system),
                           .target = TK_NO_THREAD,
                           .via = TK_LINK_NOT_RECORDED,
                           .no_core = true};
    if (waker && waker->system != next->system) {
        link.via = TK_LINK_WAKE_UP;
        link.target = who_of(l, waker->system);
    }
    if (link.via == TK_LINK_NOT_RECORDED && !follows)
        return 0;
    return link.end > link.begin ? tk_vec_push(&l->v, link) : 0;
}

static int add_gaps(struct tk_links *l)
{
    const size_t n = l->runs.n;
    struct tk_link_run *cores = n ? malloc(n * sizeof *cores) : NULL;
    int rc = cores || !n ? 0 : -1;
    for (size_t i = 0; i < n && rc == 0; i++)
        cores[i] = l->runs.v[i];
    if (rc == 0 && n)
        rc = tk_sort(cores, n, sizeof *cores, by_core) || tk_sort(l->runs.v, n, sizeof *l->runs.v, by_thread)
                 ? -1
                 : 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_gap(l, cores, i);
    free(cores);
    return rc;
}

/* ---- all together ---- */

static int by_end(const void *a, const void *b)
{
    const struct tk_link *x = a, *y = b;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

int tk_links_settle(struct tk_links *l, const struct tk_dict *dict)
{
    int rc = tk_wait_chains_settle(&l->chains);
    tk_system_threads_resolve(&l->system, dict);
    for (size_t i = 0; i < l->chains.tasks.n && rc == 0; i++)
        rc = add_start(l, &l->chains.tasks.v[i]);
    if (rc == 0)
        rc = add_gaps(l);
    for (size_t i = 0; i < l->chains.v.n && rc == 0; i++)
        rc = add_wait(l, &l->chains.v.v[i]);
    return rc ? rc : tk_sort(l->v.v, l->v.n, sizeof *l->v.v, by_end);
}

const struct tk_link *tk_links_of(const struct tk_links *l, uint32_t who, size_t *n)
{
    size_t at, end;
    TK_SEARCH(at, l->v.n, l->v.v[at].who < who);
    TK_SEARCH(end, l->v.n, l->v.v[end].who <= who);
    *n = end - at;
    return tk_vec_at(&l->v, at);
}

bool tk_links_knows_cores(const struct tk_links *l, uint32_t who)
{
    for (uint32_t i = 0; i < l->ran.n; i++)
        if (l->ran.v[i] && who_of(l, i) == who)
            return true;
    return false;
}

const struct tk_str *tk_links_name(const struct tk_links *l, const struct tk_dict *dict, uint32_t who)
{
    if (who < TK_LINK_OTHER || who == TK_NO_THREAD)
        return tk_dict_thread_name(dict, who);
    return tk_system_thread_name(&l->system.v.v[who - TK_LINK_OTHER], dict);
}

void tk_links_release(struct tk_links *l)
{
    tk_wait_chains_release(&l->chains);
    tk_system_threads_release(&l->system);
    tk_vec_release(&l->runs);
    tk_vec_release(&l->ran);
    tk_vec_release(&l->v);
}
