/*
 * Sums by text. Texts are compared by their address while slices come, as they may be empty
 * until all is read, and by their bytes at the end.
 */

#include "base/sort.h"
#include "model/sums/timer_sums.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sums by part and timer as bytes.
 *
 * A sum is six numbers of 7 bits a byte, the lowest first: its part less that of the one before, its timer,
 * count and total, and what incl and excl are less than the total, with the sign in the lowest bit. What is
 * taken off a sum later is a piece that is less than nothing.
 */

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

static uint64_t packed_sums_fold(uint64_t v)
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
    p = put_packed_sums(p, packed_sums_fold(s->total));
    p = put_packed_sums(p, packed_sums_fold(s->total - s->incl));
    return put_packed_sums(p, packed_sums_fold(s->total - s->excl));
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

static uint64_t hash_of_label_sums(const struct tk_str *label, uint32_t timer)
{
    return tk_hash_pair((uint64_t)(uintptr_t)label, timer);
}

static uint64_t hash_at_label_sums(const void *ctx, uint32_t place)
{
    const struct tk_label_sums *l = ctx;
    return hash_of_label_sums(l->v.v[place].label, l->v.v[place].sum.timer);
}

static struct tk_interval_sum *sum_of_label_sums(struct tk_label_sums *l, const struct tk_str *label,
                                                 uint32_t timer)
{
    const struct tk_label_sum fresh = {.label = label, .sum = {.timer = timer}};
    uint32_t place;
    for (size_t at = (size_t)hash_of_label_sums(label, timer);
         (place = tk_places_next(&l->index, &at)) != TK_MAP_NONE;)
        if (l->v.v[place].label == label && l->v.v[place].sum.timer == timer)
            return &l->v.v[place].sum;
    if (tk_vec_push(&l->v, fresh) || tk_places_add(&l->index, (uint32_t)l->v.n - 1, hash_at_label_sums, l))
        return NULL;
    return &l->v.v[l->v.n - 1].sum;
}

int tk_label_sums_take(struct tk_label_sums *l, const struct tk_requested_timers *requested,
                       const struct tk_slices *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->text[i] || !tk_requested_timers_has(requested, s->timer[i]))
            continue;
        struct tk_interval_sum *sum = sum_of_label_sums(l, s->text[i], s->timer[i]);
        if (!sum)
            return -1;
        sum->count++;
        sum->total += s->total[i];
        sum->excl += s->excl[i];
        sum->incl += s->outer[i] ? s->total[i] : 0;
    }
    return 0;
}

static int by_label(const void *a, const void *b)
{
    const struct tk_label_sum *x = *(struct tk_label_sum *const *)a, *y = *(struct tk_label_sum *const *)b;
    size_t n = x->label->n < y->label->n ? x->label->n : y->label->n;
    int c = n ? memcmp(x->label->p, y->label->p, n) : 0;
    if (c || x->label->n != y->label->n)
        return c ? c : x->label->n < y->label->n ? -1 : 1;
    if (x->label->enc != y->label->enc)
        return x->label->enc < y->label->enc ? -1 : 1;
    return (x->sum.timer > y->sum.timer) - (x->sum.timer < y->sum.timer);
}

/* Late timers become those that they are, and what is not requested goes. */
static int settle_label_sums(struct tk_label_sums *l, const struct tk_requested_timers *requested,
                             struct tk_dict *dict)
{
    size_t kept = 0;
    tk_places_release(&l->index);
    for (size_t i = 0; i < l->v.n; i++) {
        struct tk_label_sum one = l->v.v[i];
        const struct tk_timer *timer = tk_dict_timer(dict, one.sum.timer);
        if (!timer)
            return -1;
        one.sum.timer = tk_dict_summed(dict, one.sum.timer, requested->by_source);
        if (one.label->n && tk_patterns_pass(requested->patterns, timer->displayed))
            l->v.v[kept++] = one;
    }
    l->v.n = kept;
    return 0;
}

/* Those of the first worker are taken as they are, as nearly all memory is in them. */
static int collect_label_sums(struct tk_label_sums *into, struct tk_label_sums *from)
{
    int rc = 0;
    if (!into->v.v) {
        *into = *from;
        *from = (struct tk_label_sums){.v = {0}};
        return 0;
    }
    for (size_t i = 0; i < from->v.n && rc == 0; i++)
        rc = tk_vec_push(&into->v, from->v.v[i]);
    tk_label_sums_release(from);
    return rc;
}

/* Adds up neighbours that are the same. */
static void fold(struct tk_label_sums *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->sorted.n; i++) {
        struct tk_label_sum **last = kept ? &l->sorted.v[kept - 1] : NULL;
        if (last && by_label(last, &l->sorted.v[i]) == 0)
            tk_interval_sum_add(&(*last)->sum, &l->sorted.v[i]->sum);
        else
            l->sorted.v[kept++] = l->sorted.v[i];
    }
    l->sorted.n = kept;
}

/* Pointers are sorted, which are a sixth of what they point to. */
static int sort_label_sums(struct tk_label_sums *l)
{
    if (tk_vec_reserve(&l->sorted, l->v.n))
        return -1;
    for (size_t i = 0; i < l->v.n; i++)
        l->sorted.v[l->sorted.n++] = &l->v.v[i];
    return tk_sort(l->sorted.v, l->sorted.n, sizeof *l->sorted.v, by_label);
}

int tk_label_sums_merge(struct tk_label_sums *into, struct tk_label_sums *workers, unsigned n,
                        const struct tk_requested_timers *requested, struct tk_dict *dict)
{
    int rc = 0;
    for (unsigned i = 0; i < n && rc == 0; i++) {
        rc = settle_label_sums(&workers[i], requested, dict);
        if (rc == 0)
            rc = collect_label_sums(into, &workers[i]);
    }
    if (rc == 0)
        rc = sort_label_sums(into);
    if (rc == 0)
        fold(into);
    return rc;
}

void tk_label_sums_release(struct tk_label_sums *l)
{
    tk_places_release(&l->index);
    tk_vec_release(&l->sorted);
    tk_vec_release(&l->v);
}
