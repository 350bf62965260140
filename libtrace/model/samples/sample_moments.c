/*
 * When samples were taken. See sample_moments.h.
 */
#include "model/samples/sample_moments.h"

#include "base/binary_search.h"
#include "base/sort.h"

#include <inttypes.h>

void tk_sample_moments_init(struct tk_sample_moments *s, struct tk_context *ctx)
{
    *s = (struct tk_sample_moments){.health = &ctx->health, .limit = ctx->limits.sample_addresses};
}

int tk_sample_moments_feed(struct tk_sample_moments *s, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_SAMPLE)
        return tk_system_threads_feed(&s->threads, fact);
    struct tk_sample_moment moment = {fact->time, tk_system_thread_of(&s->threads, fact->u.sample.system_id)};
    if (moment.thread == TK_MAP_NONE)
        return -1;
    if (s->v.n >= s->limit) {
        s->left_out++;
        return 0;
    }
    return tk_vec_push(&s->v, moment);
}

static int by_thread(const void *a, const void *b)
{
    const struct tk_sample_moment *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

int tk_sample_moments_finish(struct tk_sample_moments *s, const struct tk_dict *dict)
{
    tk_system_threads_resolve(&s->threads, dict);
    if (s->left_out)
        tk_health_limit(s->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->left_out,
                        "%" PRIu64 " samples are not in the tables by timer", s->left_out);
    for (size_t i = 0; i < s->v.n; i++)
        s->v.v[i].thread = s->threads.v.v[s->v.v[i].thread].thread;
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_thread);
}

const struct tk_sample_moment *tk_sample_moments_of(const struct tk_sample_moments *s, uint32_t thread,
                                                    size_t *n)
{
    size_t first, end;
    TK_SEARCH(first, s->v.n, s->v.v[first].thread < thread);
    TK_SEARCH(end, s->v.n, s->v.v[end].thread <= thread);
    *n = end - first;
    return tk_vec_at(&s->v, first);
}

void tk_sample_moments_release(struct tk_sample_moments *s)
{
    tk_system_threads_release(&s->threads);
    tk_vec_release(&s->v);
}
