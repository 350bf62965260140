/*
 * Checking budgets. See budget.h.
 */
#include "compare/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/matrix.h"

#define HITCH 2.0 /* times the middle frame */

/* ---- frames ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t ranked(const uint64_t *sorted, size_t n, double share)
{
    double rank = ceil(share * (double)n);
    return n ? sorted[(size_t)(rank < 1 ? 1 : rank) - 1] : 0;
}

static uint64_t *sort_frames(const struct tk_base_run *run)
{
    uint64_t *sorted = malloc((run->frames.n + 1) * sizeof *sorted);
    if (sorted && run->frames.n) {
        memcpy(sorted, run->frames.v, run->frames.n * sizeof *sorted);
        qsort(sorted, run->frames.n, sizeof *sorted, by_value);
    }
    return sorted;
}

static bool is_name(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

/* The share of frames a percentile is about; below 0: no such name. */
static double share_of(const struct tk_str *name)
{
    static const struct {
        const char *name;
        double share;
    } known[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_name(name, known[i].name))
            return known[i].share;
    return -1;
}

static void put_place(struct tk_budget *b, const struct tk_base_run *run, uint64_t first, uint64_t last)
{
    double cycles = 0;
    for (uint64_t i = 0; i < first; i++)
        cycles += (double)run->frames.v[i];
    b->has_frames = true;
    b->first_frame = first;
    b->last_frame = last < run->frames.n ? last : run->frames.n - 1;
    b->ms = tk_base_ms(run, cycles);
}

static void place_worst_frame(struct tk_budget *b, const struct tk_base_run *run)
{
    size_t worst = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        if (run->frames.v[i] > run->frames.v[worst])
            worst = i;
    put_place(b, run, worst, worst);
}

/* The value of a budget in a run, or -1 where there is none. */
static double frame_value(const struct tk_budget *b, const struct tk_base_run *run, const uint64_t *sorted)
{
    double share = share_of(b->name), middle = (double)ranked(sorted, run->frames.n, 0.5), n = 0, all = 0;
    if (b->kind == TK_CHANGE_FRAME)
        return share < 0 ? -1 : tk_base_ms(run, (double)ranked(sorted, run->frames.n, share));
    for (size_t i = 0; i < run->frames.n; i++) {
        n += (double)sorted[i] > HITCH * middle;
        all += (double)sorted[i];
    }
    return all > 0 ? n / (tk_base_ms(run, all) / 60e3) : -1;
}

static int check_frames(struct tk_budget *b, const struct tk_baseline *runs, struct tk_err *err)
{
    b->unit = b->kind == TK_CHANGE_FRAME ? "ms" : "1/min";
    for (size_t r = 0; r < runs->runs.n; r++) {
        uint64_t *sorted = sort_frames(runs->runs.v[r]);
        if (!sorted)
            return tk_err_nomem(err, "frames");
        double value = frame_value(b, runs->runs.v[r], sorted);
        free(sorted);
        if (value <= b->value)
            continue;
        b->value = value;
        b->run = r;
        place_worst_frame(b, runs->runs.v[r]);
    }
    return TK_OK;
}

/* ---- series ---- */

static bool is_of_kind(const struct tk_budget *b, const struct tk_series *s)
{
    static const uint8_t kinds[TK_CHANGE_KINDS] = {
        [TK_CHANGE_THREAD] = TK_SERIES_TIMER,  [TK_CHANGE_TIMER] = TK_SERIES_TIMER,
        [TK_CHANGE_GPU] = TK_SERIES_GPU,       [TK_CHANGE_COUNTER] = TK_SERIES_COUNTER,
        [TK_CHANGE_MEMORY] = TK_SERIES_MEMORY, [TK_CHANGE_LOG] = TK_SERIES_LOG};
    const struct tk_str *name = b->kind == TK_CHANGE_THREAD ? s->group : s->name;
    return kinds[b->kind] == s->kind && tk_str_order(name, b->name) == 0 &&
           (!b->thread || tk_str_order(b->thread, s->group) == 0);
}

static double series_value(const struct tk_base_run *run, const struct tk_series *s)
{
    double sum = 0, hits = 0;
    for (uint32_t i = 0; i < run->n_blocks; i++) {
        sum += s->blocks[i];
        hits += s->hits ? (double)s->hits[i] : 0;
    }
    if (s->kind == TK_SERIES_LOG)
        return (double)s->count;
    if (s->kind == TK_SERIES_MEMORY)
        return s->high;
    if (s->kind == TK_SERIES_COUNTER)
        return hits > 0 ? sum / hits : s->last;
    return tk_base_ms(run, sum) / (double)run->frames.n;
}

static void place_worst_block(struct tk_budget *b, const struct tk_base_run *run, const struct tk_series *s)
{
    uint32_t worst = 0;
    if (s->kind == TK_SERIES_MEMORY || run->n_blocks == 0)
        return;
    for (uint32_t i = 0; i < run->n_blocks; i++)
        if (s->blocks[i] / tk_block_weight(run, i) > s->blocks[worst] / tk_block_weight(run, worst))
            worst = i;
    put_place(b, run, run->starts[worst], run->starts[worst + 1] - 1);
}

static void check_series(struct tk_budgets *all, struct tk_budget *b, const struct tk_base_run *run, size_t r)
{
    double thread = 0;
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (!is_of_kind(b, s))
            continue;
        double value = series_value(run, s);
        thread += value;
        value = b->kind == TK_CHANGE_THREAD ? thread : value;
        if (value <= b->value)
            continue;
        b->value = value;
        b->run = r;
        if (b->kind == TK_CHANGE_THREAD)
            continue;
        b->where = s->group->n
                       ? tk_intern(&all->names, s->group->p, s->group->n, (enum tk_encoding)s->group->enc)
                       : NULL;
        place_worst_block(b, run, s);
    }
}

static const char *unit_of(uint8_t kind)
{
    static const char *const units[TK_CHANGE_KINDS] = {"ms",       "1/min", "ms/frame", "ms/frame",
                                                       "ms/frame", "",      "bytes",    "messages"};
    return units[kind];
}

static enum tk_budget_level judge(const struct tk_budget *b)
{
    if (b->value > b->error)
        return TK_BUDGET_ERROR;
    return b->value > b->warning ? TK_BUDGET_WARNING : TK_BUDGET_PASSED;
}

int tk_budgets_check(struct tk_budgets *all, const struct tk_baseline *runs, struct tk_err *err)
{
    for (size_t i = 0; i < all->v.n; i++) {
        struct tk_budget *b = &all->v.v[i];
        int rc = TK_OK;
        b->value = -1;
        b->unit = unit_of(b->kind);
        if (b->kind == TK_CHANGE_FRAME || b->kind == TK_CHANGE_HITCH)
            rc = check_frames(b, runs, err);
        for (size_t r = 0; r < runs->runs.n && b->kind > TK_CHANGE_HITCH; r++)
            check_series(all, b, runs->runs.v[r], r);
        if (rc < 0)
            return rc;
        if (b->value < 0)
            return tk_err_set(err, TK_EMATCH, "budget %zu: there is no %s '%.*s'", i + 1,
                              tk_change_kind_name((enum tk_change_kind)b->kind), (int)b->name->n, b->name->p);
        b->level = (uint8_t)judge(b);
        all->worst = b->level > all->worst ? b->level : all->worst;
    }
    return TK_OK;
}
