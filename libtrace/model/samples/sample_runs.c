/*
 * Stacks of samples on cores and waiting. See sample_runs.h.
 */
#include "model/samples/sample_runs.h"

#include "base/sort.h"

#include <stdlib.h>

/* A sample, or a stretch of time on cores, of a thread of the system. */
struct moment {
    uint64_t system_id;
    int64_t time;
    uint32_t stack;
};

struct stretch {
    uint64_t system_id;
    int64_t begin, end;
};

struct sharing {
    const struct tk_select *select;
    TK_VEC(struct moment) samples;
    TK_VEC(struct stretch) runs;
    struct tk_sample_run_times *out;
    size_t next; /* sample */
};

static int by_sample(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->system_id != y->system_id)
        return x->system_id < y->system_id ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int by_run(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->system_id != y->system_id)
        return x->system_id < y->system_id ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int take_samples(struct sharing *h, const struct tk_sample_stacks *s)
{
    if (tk_vec_reserve(&h->samples, s->timed.n))
        return -1;
    for (size_t i = 0; i < s->timed.n; i++) {
        const struct tk_timed_sample *t = &s->timed.v[i];
        h->samples.v[h->samples.n++] =
            (struct moment){s->threads.v.v[t->thread].system_id, t->time, t->stack};
    }
    return tk_sort(h->samples.v, h->samples.n, sizeof *h->samples.v, by_sample);
}

/* Stretches that follow each other without a gap are one: the thread changed its core. */
static int take_runs(struct sharing *h, const struct tk_switch_list *list)
{
    size_t n = 0;
    if (tk_vec_reserve(&h->runs, list->v.n))
        return -1;
    for (size_t i = 0; i < list->v.n; i++) {
        const struct tk_switch *s = &list->v.v[i];
        h->runs.v[h->runs.n++] = (struct stretch){list->threads.v.v[s->thread].system_id, s->begin, s->end};
    }
    if (tk_sort(h->runs.v, h->runs.n, sizeof *h->runs.v, by_run))
        return -1;
    for (size_t i = 0; i < h->runs.n; i++) {
        struct stretch *last = n ? &h->runs.v[n - 1] : NULL;
        const struct stretch one = h->runs.v[i];
        if (last && last->system_id == one.system_id && one.begin <= last->end)
            last->end = one.end > last->end ? one.end : last->end;
        else
            h->runs.v[n++] = one;
    }
    h->runs.n = n;
    return 0;
}

static uint64_t selected(const struct sharing *h, int64_t begin, int64_t end)
{
    return (uint64_t)tk_select_before(h->select, end) - (uint64_t)tk_select_before(h->select, begin);
}

/* The times of a stack; of a sample that does not count they go nowhere. */
static struct tk_sample_run_times *times_of(const struct sharing *h, size_t sample,
                                            struct tk_sample_run_times *nowhere)
{
    const uint32_t stack = h->samples.v[sample].stack;
    return stack == UINT32_MAX ? nowhere : &h->out[stack];
}

/* Is a sample in a run, whose end belongs to it? */
static bool is_in(const struct sharing *h, size_t sample, const struct stretch *run)
{
    return sample < h->samples.n && h->samples.v[sample].system_id == run->system_id &&
           h->samples.v[sample].time <= run->end;
}

/* after: the next run of the thread, or NULL. */
static void share_run(struct sharing *h, const struct stretch *run, bool woken, const struct stretch *after)
{
    struct tk_sample_run_times nowhere = {0};
    const size_t first = h->next;
    int64_t from = run->begin;
    if (!is_in(h, first, run))
        return;
    for (; is_in(h, h->next, run); h->next++) {
        const int64_t to = is_in(h, h->next + 1, run) ? h->samples.v[h->next + 1].time : run->end;
        times_of(h, h->next, &nowhere)->running += selected(h, from, to);
        from = to;
    }
    if (woken && tk_select_has(h->select, run->begin))
        times_of(h, first, &nowhere)->wakeups++;
    if (!after)
        return;
    struct tk_sample_run_times *last = times_of(h, h->next - 1, &nowhere);
    last->waits += tk_select_has(h->select, run->end);
    last->waiting += selected(h, run->end, after->begin);
}

/* Goes on to the first sample at or behind the begin of a run. */
static void skip_samples(struct sharing *h, const struct stretch *run)
{
    const struct moment begin = {run->system_id, run->begin, 0};
    while (h->next < h->samples.n && by_sample(&h->samples.v[h->next], &begin) < 0)
        h->next++;
}

static void share_all(struct sharing *h)
{
    for (size_t i = 0; i < h->runs.n; i++) {
        const struct stretch *run = &h->runs.v[i];
        const bool woken = i > 0 && run[-1].system_id == run->system_id;
        const bool goes_on = i + 1 < h->runs.n && run[1].system_id == run->system_id;
        skip_samples(h, run);
        share_run(h, run, woken, goes_on ? run + 1 : NULL);
    }
}

struct tk_sample_run_times *tk_sample_runs(const struct tk_sample_stacks *s,
                                           const struct tk_switch_list *list)
{
    struct sharing h = {.select = tk_sample_stacks_times(s), .out = calloc(s->v.n + 1, sizeof *h.out)};
    bool good = h.out && take_samples(&h, s) == 0 && take_runs(&h, list) == 0;
    if (good)
        share_all(&h);
    tk_vec_release(&h.samples);
    tk_vec_release(&h.runs);
    if (good)
        return h.out;
    free(h.out);
    return NULL;
}
