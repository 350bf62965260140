/*
 * A heap of calls. See top_calls.h.
 */
#include "model/sums/top_calls.h"

int tk_top_call_compare(const void *a, const void *b)
{
    const struct tk_top_call *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    if (x->shown_from != y->shown_from)
        return x->shown_from < y->shown_from ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->seq < y->seq) - (x->seq > y->seq);
}

static void swap(struct tk_top_call *a, struct tk_top_call *b)
{
    struct tk_top_call t = *a;
    *a = *b;
    *b = t;
}

static void rise(struct tk_top_call *v, size_t i)
{
    for (; i && tk_top_call_compare(&v[i], &v[(i - 1) / 2]) > 0; i = (i - 1) / 2)
        swap(&v[i], &v[(i - 1) / 2]);
}

static void settle_top_calls(struct tk_top_call *v, size_t n)
{
    for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && tk_top_call_compare(&v[child + 1], &v[child]) > 0)
            child++;
        if (tk_top_call_compare(&v[child], &v[i]) <= 0)
            return;
        swap(&v[i], &v[child]);
    }
}

int tk_top_calls_put(struct tk_top_calls *l, size_t n, const struct tk_top_call *call)
{
    if (l->v.n < n) {
        if (tk_vec_push(&l->v, *call))
            return -1;
        rise(l->v.v, l->v.n - 1);
        return 0;
    }
    if (!n || tk_top_call_compare(call, &l->v.v[0]) > 0)
        return 0;
    l->v.v[0] = *call;
    settle_top_calls(l->v.v, l->v.n);
    return 0;
}

void tk_top_calls_release(struct tk_top_calls *l)
{
    tk_vec_release(&l->v);
}
