/*
 * Search for the first records of a thread in earlier ones, each of which is looked at once. See overlap.h.
 */
#include "edit/utrace/overlap.h"

int tk_merge_overlap_add(struct tk_merge_overlap *o, uint64_t content, bool sure)
{
    o->records++;
    if (o->first.n == TK_MERGE_REPEATED_MOST)
        return 0;
    if (sure && !o->sure)
        o->sure = (uint32_t)o->first.n + 1;
    return tk_vec_push(&o->first, content);
}

/* How many first records there are in a row, with this one behind the first `n`. */
static uint32_t go_on(const struct tk_merge_overlap *o, uint32_t n, uint64_t content)
{
    while (n && (n == o->first.n || o->first.v[n] != content))
        n = o->back.v[n - 1];
    return n + (o->first.v[n] == content);
}

int tk_merge_overlap_close(struct tk_merge_overlap *o)
{
    uint32_t n = 0;
    if (tk_vec_reserve(&o->back, o->first.n))
        return -1;
    for (size_t i = 0; i < o->first.n; i++)
        o->back.v[i] = n = i ? go_on(o, n, o->first.v[i]) : 0;
    o->back.n = o->first.n;
    return 0;
}

void tk_merge_overlap_earlier(struct tk_merge_overlap *o, uint64_t content)
{
    o->earlier = true;
    if (!o->first.n || o->within)
        return;
    o->matched = go_on(o, o->matched, content);
    o->within = o->matched == o->records;
    o->over |= o->matched == o->first.n && !o->within;
}

uint32_t tk_merge_overlap_repeated(const struct tk_merge_overlap *o)
{
    return o->sure && o->matched >= o->sure ? o->matched : 0;
}

void tk_merge_overlap_release(struct tk_merge_overlap *o)
{
    tk_vec_release(&o->first);
    tk_vec_release(&o->back);
}
