/*
 * Where the frames of a run were: steps, files, cuts, cells.
 */
#include "compare/baseline/baseline.h"
#include "compare/made_baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frame i is at x = 10 i - 35, y = -0.5; the first is nowhere. */
static struct tk_base_run *placed_run(void)
{
    struct tk_base_run *run = made_run(1, made_timers, 3);
    struct tk_run_place *places = calloc(run->frames.n + 1, sizeof *places);
    for (size_t i = 0; i < run->frames.n; i++)
        places[i] = (struct tk_run_place){{i ? 10.0 * (double)i - 35 : (double)NAN, -0.5, (double)NAN}};
    ck_assert_int_eq(tk_base_run_place(run, places, "PosX,PosY"), 0);
    free(places);
    return run;
}

static void encode_placed(struct tk_baseline *b, struct tk_baseline_bytes *bytes)
{
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    *bytes = (struct tk_baseline_bytes){0};
    ck_assert_int_eq(tk_baseline_take(b, placed_run(), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(b, bytes, &err), TK_OK);
}

/* A step is a power of ten with a thousand of them along the level; the file keeps it and each place. */
START_TEST(files_keep_places)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    encode_placed(&b, &bytes);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_OK);
    const struct tk_base_run *run = back.runs.v[0], *from = b.runs.v[0];
    const double extent = 10.0 * (double)(run->frames.n - 2);
    ck_assert(run->step * 1000 <= extent && run->step * 10000 > extent);
    ck_assert_uint_eq(run->places.n, run->frames.n);
    ck_assert_int_eq(strncmp(run->place_source->p, "PosX,PosY", run->place_source->n), 0);
    for (size_t i = 0; i < run->places.n; i++) {
        ck_assert_int_eq(run->places.v[i].known, i > 0);
        if (i)
            ck_assert_int_eq(run->places.v[i].at[0], (int64_t)floor((10.0 * (double)i - 35) / run->step));
        ck_assert_int_eq(memcmp(run->places.v[i].at, from->places.v[i].at, i ? sizeof from->places.v->at : 0),
                         0);
    }
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

START_TEST(damaged_places_are_refused)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    encode_placed(&b, &bytes);
    for (size_t n = 0; n < bytes.n; n++) {
        uint8_t *copy = malloc(n + 1);
        memcpy(copy, bytes.v, n);
        ck_assert_int_eq(tk_baseline_decode(&back, copy, n, &err), TK_EFORMAT);
        free(copy);
    }
    ck_assert_uint_eq(back.runs.n, 0);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

/* Cells are floors, also below zero; the last are those nowhere. */
START_TEST(cells_are_floors)
{
    struct tk_base_run *run = placed_run();
    struct tk_run_cells cells;
    struct tk_err err = {0};
    char name[TK_RUN_CELL_NAME];
    ck_assert_int_eq(tk_run_cells_make(&cells, run, 100, false, &err), TK_OK);
    ck_assert_uint_eq(cells.v.n, run->frames.n);
    tk_run_cell_name(name, &cells.v.v[0], false);
    ck_assert_str_eq(name, "-1,-1");
    ck_assert_uint_eq(tk_run_cells_count(&cells, 0), 3); /* x = -25, -15, -5 */
    ck_assert_uint_eq(tk_run_cells_count(&cells, 3), 10);
    ck_assert(!cells.v.v[cells.v.n - 1].known && cells.v.v[cells.v.n - 1].frame == 0);
    tk_run_cells_release(&cells);
    ck_assert_int_eq(tk_run_cells_make(&cells, run, run->step * 1.5, false, &err), TK_EMATCH);
    tk_run_cells_release(&cells);
    run->places.n = 0;
    ck_assert_int_eq(tk_run_cells_make(&cells, run, 100, false, &err), TK_EUNKNOWN);
    tk_run_cells_release(&cells);
    tk_base_run_free(run);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {files_keep_places, damaged_places_are_refused, cells_are_floors};
    return RUN_TESTS("run cells", tests);
}
