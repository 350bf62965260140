/*
 * What a machine of a pool adds to a series: first the middle of the differences between neighbours in time
 * on different machines, which a step spoils once at most; then the distance from the local level of all
 * machines. See machines.h.
 */
#include "trend/machines.h"

#include <math.h>
#include <string.h>

#define HALF   7 /* runs on each side of the local level */
#define ROUNDS 3

struct pool {
    struct tk_trend_machines *m;
    struct tk_trend_room *room;
    const double *x;
    uint32_t *rows; /* that have a value */
    size_t n;
    uint32_t reference;
};

static uint32_t machine_of(const struct pool *p, size_t i)
{
    return p->m->of_run[p->rows[i]];
}

/* The first one with most runs; *used: how many there are. */
static uint32_t most_used(const struct pool *p, uint32_t *used)
{
    uint32_t best = 0;
    double *counts = p->m->guess, most = 0;
    memset(counts, 0, p->m->n * sizeof *counts);
    *used = 0;
    for (size_t i = 0; i < p->n; i++)
        counts[machine_of(p, i)]++;
    for (uint32_t k = 0; k < p->m->n; k++) {
        *used += counts[k] > 0;
        if (counts[k] > most) {
            most = counts[k];
            best = k;
        }
    }
    return best;
}

static void guess_from_neighbours(const struct pool *p, uint32_t machine)
{
    double *d = p->m->offsets, *v = p->room->values;
    size_t n = 0;
    for (size_t i = 0; i + 1 < p->n; i++) {
        uint32_t a = machine_of(p, i), b = machine_of(p, i + 1);
        double step = p->x[p->rows[i]] - p->x[p->rows[i + 1]];
        if (a == machine && b != machine)
            v[n++] = step + d[b];
        else if (b == machine && a != machine)
            v[n++] = d[a] - step;
    }
    if (n)
        d[machine] = tk_robust_median(v, n);
}

static double local_level(const double *flat, size_t n, size_t i)
{
    double near[2 * HALF + 1];
    size_t from = i > HALF ? i - HALF : 0, to = i + HALF + 1 < n ? i + HALF + 1 : n;
    memcpy(near, flat + from, (to - from) * sizeof *near);
    return tk_robust_median(near, to - from);
}

static void refine_from_level(const struct pool *p)
{
    double *d = p->m->offsets, *fresh = p->m->guess, *flat = p->room->values, *rest = p->room->calm,
           *v = p->room->sorted;
    for (size_t i = 0; i < p->n; i++)
        flat[i] = p->x[p->rows[i]] - d[machine_of(p, i)];
    for (size_t i = 0; i < p->n; i++)
        rest[i] = p->x[p->rows[i]] - local_level(flat, p->n, i);
    for (uint32_t k = 0; k < p->m->n; k++) {
        size_t n = 0;
        for (size_t i = 0; i < p->n; i++)
            if (machine_of(p, i) == k)
                v[n++] = rest[i];
        fresh[k] = n ? tk_robust_median(v, n) : 0;
    }
    for (uint32_t k = 0; k < p->m->n; k++)
        d[k] = fresh[k] - fresh[p->reference];
}

void tk_trend_offsets(struct tk_trend_machines *m, const double *x, const uint32_t *rows, size_t n,
                      struct tk_trend_room *room)
{
    struct pool p = {.m = m, .room = room, .x = x, .rows = room->nights};
    uint32_t used;
    memset(m->offsets, 0, m->n * sizeof *m->offsets);
    if (m->n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[rows[i]]))
            p.rows[p.n++] = rows[i];
    p.reference = most_used(&p, &used);
    if (used < 2)
        return;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t k = 0; k < m->n; k++)
            if (k != p.reference)
                guess_from_neighbours(&p, k);
    for (int turn = 0; turn < ROUNDS; turn++)
        refine_from_level(&p);
}
