/*
 * Which stretches a scope lies in. See interval_sets.h.
 */
#include "model/sums/interval_sets.h"

#include "base/binary_search.h"
#include "base/sort.h"

static int by_begin_interval_sets(const void *a, const void *b)
{
    const struct tk_interval_member *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

int tk_interval_set_sort(struct tk_interval_set *s)
{
    if (tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_begin_interval_sets))
        return -1;
    for (size_t i = 0; i < s->v.n; i++) {
        int64_t before = i ? s->v.v[i - 1].reach : INT64_MIN;
        s->v.v[i].reach = s->v.v[i].end > before ? s->v.v[i].end : before;
    }
    return 0;
}

/* First stretch that something behind t may lie in. */
static size_t first_behind(const struct tk_interval_set *s, int64_t t)
{
    size_t at;
    TK_SEARCH(at, s->v.n, s->v.v[at].reach <= t);
    return at;
}

static bool is_first_behind(const struct tk_interval_set *s, size_t at, int64_t t)
{
    return at < s->v.n && s->v.v[at].reach > t && (at == 0 || s->v.v[at - 1].reach <= t);
}

/* The same, near the place of another. */
static size_t first_near(const struct tk_interval_set *s, size_t hint, int64_t t)
{
    if (is_first_behind(s, hint, t))
        return hint;
    return is_first_behind(s, hint + 1, t) ? hint + 1 : first_behind(s, t);
}

/* What is selected of [begin, end] in a stretch. */
static uint64_t inside(const struct tk_interval_member *s, const struct tk_select *select, int64_t begin,
                       int64_t end)
{
    int64_t from = begin > s->begin ? begin : s->begin, to = end < s->end ? end : s->end;
    return (uint64_t)tk_select_before(select, to) - (uint64_t)tk_select_before(select, from);
}

int tk_interval_set_put(const struct tk_interval_set *s, size_t *hint, struct tk_interval_sums *sums,
                        const struct tk_select *select, const struct tk_slices *slices, size_t i)
{
    int64_t begin = slices->begin[i], end = slices->end[i];
    uint64_t all = 0;
    bool any = false;
    *hint = first_near(s, *hint, begin);
    for (size_t k = *hint; k < s->v.n; k++) {
        const struct tk_interval_member *v = &s->v.v[k];
        if (v->begin > begin && v->begin >= end)
            break;
        if (v->end <= begin)
            continue;
        uint64_t total = inside(v, select, begin, end);
        any = true;
        all += total;
        if (!s->one_part && tk_interval_sums_add(sums, slices, i, v->part, total))
            return -1;
    }
    return any && s->one_part ? tk_interval_sums_add(sums, slices, i, s->v.v[0].part, all) : 0;
}

void tk_interval_set_release(struct tk_interval_set *s)
{
    tk_vec_release(&s->v);
}
