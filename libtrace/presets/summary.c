/*
 * Sums up the calls of names: count, extremes, mean and deviation. The preset summarize fills it.
 */
#include "presets/summary.h"

#include "base/sort.h"
#include "base/wrap.h"

#include <math.h>
#include <string.h>

static struct tk_summary *summary_of(struct tk_summaries *s, const struct tk_str *name)
{
    const uint64_t key = (uint64_t)(uintptr_t)name;
    const uint32_t at = tk_map_get(&s->index, key);
    const struct tk_summary none = {.name = name};
    if (at != TK_MAP_NONE)
        return &s->v.v[at];
    if (tk_map_put(&s->index, key, (uint32_t)s->v.n) || tk_vec_push(&s->v, none))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

int tk_summaries_add(struct tk_summaries *s, const struct tk_str *name, const struct tk_summand *one)
{
    struct tk_summary *sum = summary_of(s, name);
    if (!sum)
        return -1;
    const bool first = sum->count++ == 0;
    if (first || one->begin < sum->first_begin) {
        sum->first_begin = one->begin;
        sum->first_end = one->end;
        sum->first_length = one->length;
    }
    if (first || one->end > sum->last_end) {
        sum->last_begin = one->begin;
        sum->last_end = one->end;
        sum->last_length = one->length;
    }
    sum->total = tk_wrap_add(sum->total, one->length);
    sum->min = first || one->length < sum->min ? one->length : sum->min;
    sum->max = first || one->length > sum->max ? one->length : sum->max;
    const double before = one->seconds - sum->mean;
    sum->mean += before / (double)sum->count;
    sum->squares += before * (one->seconds - sum->mean);
    return 0;
}

void tk_summary_merge(struct tk_summary *into, const struct tk_summary *from)
{
    const struct tk_summary was = *into;
    const double n = (double)was.count, m = (double)from->count, apart = from->mean - was.mean;
    if (!was.count) {
        *into = *from;
        into->name = was.name;
        return;
    }
    if (from->first_begin < was.first_begin) {
        into->first_begin = from->first_begin;
        into->first_end = from->first_end;
        into->first_length = from->first_length;
    }
    if (from->last_end > was.last_end) {
        into->last_begin = from->last_begin;
        into->last_end = from->last_end;
        into->last_length = from->last_length;
    }
    into->count += from->count;
    into->total = tk_wrap_add(into->total, from->total);
    into->min = from->min < was.min ? from->min : was.min;
    into->max = from->max > was.max ? from->max : was.max;
    into->mean += apart * m / (n + m);
    into->squares += from->squares + apart * apart * n * m / (n + m);
}

static int by_total(const void *a, const void *b)
{
    const struct tk_summary *x = a, *y = b;
    const uint32_t n = x->name->n < y->name->n ? x->name->n : y->name->n;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    const int c = memcmp(x->name->p, y->name->p, n);
    return c ? c : (x->name->n > y->name->n) - (x->name->n < y->name->n);
}

int tk_summaries_sort(struct tk_summaries *s)
{
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_total);
}

double tk_summary_deviation(double squares, uint64_t count)
{
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

void tk_summaries_release(struct tk_summaries *s)
{
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
}
