/*
 * Numbers machines, finds pools (machines that take turns) and epochs (stretches between changes for good).
 * pool_offsets.c has what machines of a pool add.
 */
#include "base/arena.h"
#include "base/text/text.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a machine of a pool adds to a series: first the middle of the differences between neighbours in time
 * on different machines, which a step spoils once at most; then the distance from the local level of all
 * machines.
 */

#define HALF   7 /* runs on each side of the local level */
#define ROUNDS 3

struct pool {
    struct tk_trend_machines *m;
    struct tk_trend_space *space;
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
    double *d = p->m->offsets, *v = p->space->values;
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
    double *d = p->m->offsets, *fresh = p->m->guess, *flat = p->space->values, *rest = p->space->calm,
           *v = p->space->sorted;
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
                      struct tk_trend_space *space)
{
    struct pool p = {.m = m, .space = space, .x = x, .rows = space->nights};
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

#define RARE  4u /* nights that a machine needs to be one of its own */
#define CLOUD 3u /* rare machines that are one as a whole */
#define TURNS 4u /* changes between two machines of a pool */

static int by_name(const void *a, const void *b)
{
    const struct tk_str *const *x = a, *const *y = b;
    return tk_str_order(*x, *y);
}

/* Numbers runs by the names in the order of bytes. */
static int number(struct tk_trend_machines *m, const struct tk_str *const *names, size_t n)
{
    const struct tk_str **sorted = calloc(n + 1, sizeof *sorted);
    if (!sorted)
        return -1;
    memcpy(sorted, names, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    m->n = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[m->n++] = sorted[i];
    for (size_t i = 0; i < n; i++) {
        uint32_t at = 0;
        while (sorted[at] != names[i])
            at++;
        m->of_run[i] = at;
    }
    free(sorted);
    return 0;
}

/* ---- machines with few nights ---- */

struct seen {
    uint32_t nights, first, last;
};

static void see_nights(const struct tk_history *h, const struct tk_trend_machines *m, struct seen *seen)
{
    for (size_t r = 0; r < h->runs.n; r++) {
        struct seen *s = &seen[m->of_run[r]];
        uint32_t night = h->runs.v[r].night;
        if (s->nights && s->last == night)
            continue;
        s->first = s->nights++ ? s->first : night;
        s->last = night;
    }
}

/* The newest machine may just have come: its nights stay where they lie together. */
static bool just_came(const struct seen *s, bool newest)
{
    return newest && s->last - s->first + 1 <= s->nights;
}

static uint32_t skip_rare(struct tk_trend_machines *m, const struct tk_history *h, const struct seen *seen)
{
    uint32_t newest = m->of_run[h->runs.n - 1], skipped = 0;
    for (size_t r = 0; r < h->runs.n; r++) {
        const struct seen *s = &seen[m->of_run[r]];
        if (s->nights < RARE && !just_came(s, m->of_run[r] == newest))
            m->skipped[h->runs.v[r].night] = 1;
    }
    for (uint32_t t = 0; t < h->nights; t++)
        skipped += m->skipped[t];
    return skipped;
}

static uint32_t count_rare(const struct seen *seen, uint32_t n)
{
    uint32_t rare = 0;
    for (uint32_t i = 0; i < n; i++)
        rare += seen[i].nights < RARE;
    return rare;
}

/* Leaves nights of rare machines out, or makes these one where there are several. `names`: by run. */
static int treat_rare(struct tk_trend_machines *m, const struct tk_history *h, const struct tk_str **names)
{
    static const struct tk_str several = {.p = "several", .n = 7, .enc = TK_ENC_UTF8};
    struct seen *seen = calloc((size_t)m->n + 1, sizeof *seen);
    if (!seen)
        return -1;
    see_nights(h, m, seen);
    uint32_t skipped = skip_rare(m, h, seen);
    int rc = 0;
    if (count_rare(seen, m->n) >= CLOUD || 2 * skipped > h->nights) {
        for (size_t r = 0; r < h->runs.n; r++)
            names[r] = seen[m->of_run[r]].nights < RARE ? &several : names[r];
        memset(m->skipped, 0, h->nights);
        rc = number(m, names, h->runs.n);
    }
    free(seen);
    return rc;
}

/* ---- pools and epochs ---- */

static bool is_used(const struct tk_trend_machines *m, const struct tk_history *h, size_t run)
{
    return !m->skipped[h->runs.v[run].night];
}

static bool take_turns(const struct tk_trend_machines *m, const struct tk_history *h, uint32_t a, uint32_t b)
{
    uint32_t last = UINT32_MAX, changes = 0;
    for (size_t r = 0; r < h->runs.n && changes < TURNS; r++) {
        uint32_t on = m->of_run[r];
        if ((on != a && on != b) || !is_used(m, h, r))
            continue;
        changes += last != UINT32_MAX && last != on;
        last = on;
    }
    return changes >= TURNS;
}

static uint32_t root(const uint32_t *pool, uint32_t i)
{
    while (pool[i] != i)
        i = pool[i];
    return i;
}

static void find_pools(const struct tk_trend_machines *m, const struct tk_history *h, uint32_t *pool)
{
    for (uint32_t i = 0; i < m->n; i++)
        pool[i] = i;
    for (uint32_t a = 0; a < m->n; a++)
        for (uint32_t b = a + 1; b < m->n; b++)
            if (take_turns(m, h, a, b)) {
                uint32_t ra = root(pool, a), rb = root(pool, b);
                pool[ra > rb ? ra : rb] = ra < rb ? ra : rb;
            }
}

static int cut_epochs(struct tk_trend_machines *m, const struct tk_history *h, const uint32_t *pool)
{
    uint32_t begin = 0, last = UINT32_MAX, seen = UINT32_MAX;
    for (size_t r = 0; r < h->runs.n; r++) {
        uint32_t night = h->runs.v[r].night, on = root(pool, m->of_run[r]);
        if (night == seen || !is_used(m, h, r))
            continue;
        if (last != UINT32_MAX && on != last) {
            if (tk_vec_push(&m->epochs, ((struct tk_trend_span){begin, night})))
                return -1;
            begin = night;
        }
        last = on;
        seen = night;
    }
    return tk_vec_push(&m->epochs, ((struct tk_trend_span){begin, h->nights}));
}

int tk_trend_machines(struct tk_trend_machines *m, const struct tk_history *h, struct tk_arena *arena)
{
    size_t n = h->runs.n;
    const struct tk_str **names = tk_arena_alloc(arena, n * sizeof *names);
    uint32_t *pool = tk_arena_alloc(arena, n * sizeof *pool);
    *m = (struct tk_trend_machines){.of_run = tk_arena_alloc(arena, n * sizeof *m->of_run),
                                    .skipped = tk_arena_alloc(arena, h->nights),
                                    .offsets = tk_arena_alloc(arena, n * sizeof *m->offsets),
                                    .guess = tk_arena_alloc(arena, n * sizeof *m->guess)};
    if (arena->failed)
        return -1;
    memset(m->skipped, 0, h->nights);
    for (size_t r = 0; r < n; r++)
        names[r] = h->runs.v[r].machine;
    if (number(m, names, n) || treat_rare(m, h, names))
        return -1;
    find_pools(m, h, pool);
    return cut_epochs(m, h, pool);
}
