/*
 * Sums by part and timer as bytes. See packed_sums.h.
 *
 * A sum is six numbers of 7 bits a byte, the lowest first: its part less that of the one before, its timer,
 * count and total, and what incl and excl are less than the total, with the sign in the lowest bit. What is
 * taken off a sum later is a piece that is less than nothing.
 */
#include "model/sums/packed_sums.h"

#include <stdlib.h>

#define MOST_BYTES 60u /* six numbers of 64 bits */

static uint8_t *put_packed_sums(uint8_t *p, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        *p++ = (uint8_t)(v | 128);
    *p++ = (uint8_t)v;
    return p;
}

static uint64_t get(struct tk_packed_sum *run)
{
    uint64_t v = 0;
    for (unsigned shift = 0; run->at < run->n; shift += 7) {
        uint8_t byte = run->p[run->at++];
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            break;
    }
    return v;
}

static uint64_t fold(uint64_t v)
{
    return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t v)
{
    return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

static uint8_t *put_sum(uint8_t *p, const struct tk_interval_sum *s, uint32_t before)
{
    p = put_packed_sums(p, s->part - before);
    p = put_packed_sums(p, s->timer);
    p = put_packed_sums(p, s->count);
    p = put_packed_sums(p, fold(s->total));
    p = put_packed_sums(p, fold(s->total - s->incl));
    return put_packed_sums(p, fold(s->total - s->excl));
}

int tk_packed_sums_pack(struct tk_packed_sums *runs, struct tk_interval_sums *sums)
{
    const struct tk_interval_sum **order = tk_interval_sums_order(sums);
    struct tk_packed_sum run = {.p = malloc(sums->v.n * MOST_BYTES + 1)};
    uint8_t *end = run.p, *kept;
    uint32_t part = 0;
    if (!run.p || !order || tk_vec_reserve(&runs->v, runs->v.n + 1)) {
        free(order);
        free(run.p);
        return -1;
    }
    for (size_t i = 0; i < sums->v.n; part = order[i++]->part)
        end = put_sum(end, order[i], part);
    free(order);
    run.n = (size_t)(end - run.p);
    kept = realloc(run.p, run.n + 1);
    run.p = kept ? kept : run.p;
    runs->v.v[runs->v.n++] = run;
    tk_interval_sums_release(sums);
    return 0;
}

int tk_packed_sums_append(struct tk_packed_sums *runs, const struct tk_interval_sum *sum)
{
    const struct tk_packed_sum none = {0};
    if (!runs->v.n && tk_vec_push(&runs->v, none))
        return -1;
    struct tk_packed_sum *run = &runs->v.v[0];
    if (run->cap - run->n < MOST_BYTES && tk_vec_grow((void **)&run->p, &run->cap, run->n + MOST_BYTES, 1))
        return -1;
    run->n = (size_t)(put_sum(run->p + run->n, sum, run->part) - run->p);
    run->part = sum->part;
    return 0;
}

void tk_packed_sums_rewind(struct tk_packed_sums *runs)
{
    for (size_t i = 0; i < runs->v.n; i++)
        runs->v.v[i].at = runs->v.v[i].part = 0;
}

bool tk_packed_sum_next(struct tk_packed_sum *run, uint32_t end, struct tk_interval_sum *out)
{
    size_t at = run->at;
    uint32_t part = run->part + (uint32_t)get(run);
    if (at == run->n || part >= end) {
        run->at = at;
        return false;
    }
    run->part = part;
    out->part = part;
    out->timer = (uint32_t)get(run);
    out->count = get(run);
    out->total = unfold(get(run));
    out->incl = out->total - unfold(get(run));
    out->excl = out->total - unfold(get(run));
    return true;
}

void tk_packed_sums_release(struct tk_packed_sums *runs)
{
    for (size_t i = 0; i < runs->v.n; i++)
        free(runs->v.v[i].p);
    tk_vec_release(&runs->v);
}
