/*
 * A baseline made by hand, with something of each kind in its first run.
 */
#ifndef TK_TESTS_MADE_BASELINE_H
#define TK_TESTS_MADE_BASELINE_H

#include "compare/baseline/baseline_file.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

static const struct made_timer made_timers[] = {{"Tick", 2}, {"Draw", 3.5}, {"Idle", 9}};

/* Draw took 90 ms in a frame, 20 in another and 8 in a third, where it takes 3.5. */
static inline void add_greatest(struct tk_base_run *run, struct tk_series *draw)
{
    struct tk_rate space[MADE_FRAMES];
    int64_t own[MADE_FRAMES];
    for (unsigned i = 0; i < MADE_FRAMES; i++)
        own[i] = i == 5 ? 90000 : i == 50 ? 20000 : i == 60 ? 8000 : 3500;
    ck_assert(!tk_series_find_greatest(run, draw, own, space));
}

/* A region over the last quarter, a path of two timers, loading, and the calls of a timer by part. */
static inline void add_more(struct tk_base_run *run)
{
    struct tk_run_segment *s = tk_base_run_segment(run, TK_SEGMENT_REGION, tk_intern_c(&run->names, "Fight"));
    for (uint32_t b = 12; b < 16; b++) {
        s->has[b] = 1;
        run->part[b] = 1;
    }
    ck_assert(!tk_vec_push(&run->gaps, 2500));
    for (unsigned i = 1; i < MADE_FRAMES; i++)
        ck_assert(!tk_vec_push(&run->gaps, i == 10));
    const struct tk_series *draw = run->series.v[0], *tick = run->series.v[2];
    const struct tk_path paths[] = {{0, tick, 64, 1000, false, {0}},
                                    {1, draw, 32, -5, true, {[0] = 7, [1] = -12}}};
    ck_assert(!tk_vec_push(&run->paths, paths[0]) && !tk_vec_push(&run->paths, paths[1]));
    struct tk_series *loading = tk_base_run_add(run, TK_SERIES_LOADING);
    loading->name = tk_intern_c(&run->names, "loading");
    loading->count = 3;
    loading->own = 77;
    struct tk_series *parts = run->series.v[0];
    parts->parts = calloc(TK_CALL_PATH_SUMS, sizeof *parts->parts);
    parts->parts[0] = (struct tk_run_part_sum){48, 48 * 3500};
    parts->parts[1] = (struct tk_run_part_sum){16, 16 * 3500};
    add_greatest(run, parts);
}

/* `runs` runs of three timers each, and the file that holds them; the caller releases both. */
static inline void made_baseline(struct tk_baseline *b, struct tk_baseline_bytes *bytes, unsigned runs)
{
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    *bytes = (struct tk_baseline_bytes){0};
    for (unsigned i = 0; i < runs; i++)
        ck_assert_int_eq(tk_baseline_take(b, made_run(i + 1, made_timers, 3), &err), TK_OK);
    struct tk_series *c = tk_base_run_add(b->runs.v[0], TK_SERIES_COUNTER);
    c->name = tk_intern_c(&b->runs.v[0]->names, "Actors");
    c->count = 2;
    c->first = 1.5;
    c->last = c->high = 2.5;
    c->low = -1;
    c->blocks[3] = 4;
    c->hits[3] = 2;
    add_more(b->runs.v[0]);
    tk_base_run_tidy(b->runs.v[0]);
    ck_assert_int_eq(tk_baseline_encode(b, bytes, &err), TK_OK);
}

#endif
