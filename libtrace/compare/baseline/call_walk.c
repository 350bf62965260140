/*
 * Walks over the lengths of calls. See call_walk.h.
 */
#include "compare/baseline/call_walk.h"

/* Packed calls, else a packed sketch. */
static bool is_packed_exact(const struct tk_series *s)
{
    return s->packed && s->count <= TK_SERIES_EXACT;
}

const uint64_t *tk_series_exact(const struct tk_series *s, uint64_t room[TK_SERIES_EXACT])
{
    if (!is_packed_exact(s))
        return s->exact;
    struct tk_cur c = tk_cur_of(s->packed, s->packed_size);
    uint64_t length = 0;
    for (uint64_t i = 0; i < s->count; i++)
        room[i] = length += tk_varint(&c, "calls");
    return room;
}

struct tk_call_walk tk_call_walk_of(const struct tk_series *s)
{
    struct tk_call_walk w = {.series = s};
    if (!s->packed)
        return w;
    w.c = tk_cur_of(s->packed, s->packed_size);
    if (is_packed_exact(s)) {
        w.length = s->count ? tk_varint(&w.c, "calls") : 0;
        return w;
    }
    w.bucket = tk_varint(&w.c, "a sketch");
    w.left = tk_varint(&w.c, "a sketch");
    return w;
}

static bool next_packed(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (!w->left)
        return false;
    w->left--;
    *n = tk_sketch_read_bucket(&w->c, &w->bucket);
    *bucket = (uint32_t)w->bucket++;
    return true;
}

static bool next_packed_exact(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (w->at >= w->series->count)
        return false;
    *bucket = tk_sketch_bucket(TK_SKETCH_CALLS, w->length);
    for (*n = 0; w->at < w->series->count && tk_sketch_bucket(TK_SKETCH_CALLS, w->length) == *bucket; ++*n)
        if (++w->at < w->series->count)
            w->length += tk_varint(&w->c, "calls");
    return true;
}

static bool next_of_sketch(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    const struct tk_sketch *s = &w->series->sketch;
    for (; w->at < s->n; w->at++) {
        *bucket = s->first + (uint32_t)w->at;
        *n = tk_sketch_count_at(s, *bucket);
        if (*n) {
            w->at++;
            return true;
        }
    }
    return false;
}

static bool next_exact(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    const struct tk_series *s = w->series;
    if (!s->exact || w->at >= s->count)
        return false;
    *bucket = tk_sketch_bucket(TK_SKETCH_CALLS, s->exact[w->at]);
    for (*n = 0; w->at < s->count && tk_sketch_bucket(TK_SKETCH_CALLS, s->exact[w->at]) == *bucket; w->at++)
        ++*n;
    return true;
}

bool tk_call_walk_next(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (w->series->packed)
        return is_packed_exact(w->series) ? next_packed_exact(w, bucket, n) : next_packed(w, bucket, n);
    return w->series->sketch.n ? next_of_sketch(w, bucket, n) : next_exact(w, bucket, n);
}

uint64_t tk_series_calls(const struct tk_series *s)
{
    struct tk_call_walk w = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n, sum = 0;
    while (tk_call_walk_next(&w, &bucket, &n))
        sum += n;
    return sum;
}

uint64_t tk_series_call_ranked(const struct tk_series *s, uint64_t rank)
{
    struct tk_call_walk w = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n, seen = 0;
    while (tk_call_walk_next(&w, &bucket, &n)) {
        seen += n;
        if (seen >= rank)
            return tk_sketch_value(TK_SKETCH_CALLS, bucket);
    }
    return 0;
}
