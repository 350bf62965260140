/* The table of a night: its columns, its order, what is no value, and groups. */
#include "compare/baseline/run_info.h"
#include "compare/made_runs.h"
#include "night/night.h"
#include "run.h"

#include "tracekit/sinks.h"
#include "tracekit/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void note(struct tk_base_run *run, const char *key, const char *value)
{
    ck_assert_int_eq(tk_base_run_note(run, key, value, strlen(value), TK_ENC_UTF8), 0);
}

/* 100 frames of 16 ms, of which `late` take 20 ms and the last one `last` ms. */
static void add(struct tk_night *night, const char *name, const char *map, const char *build, unsigned late,
                unsigned last)
{
    static uint64_t hash;
    struct tk_baseline b = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_frames(++hash, 100, NULL, 0);
    for (unsigned i = 0; i < late; i++)
        run->frames.v[40 + i] = 20000;
    run->frames.v[99] = last * 1000;
    ck_assert_int_eq(tk_base_run_judge(run), 0);
    note(run, "capture", name);
    note(run, "build", build);
    note(run, "bound", "game 25,limiter 70,game (loading) 5");
    if (*map)
        note(run, "map", map);
    ck_assert_int_eq(tk_vec_push(&b.runs, run), 0);
    ck_assert_int_eq(tk_night_add(night, &b, NULL, &err), TK_OK);
    made_release(&b);
}

static struct tk_night *new_night(double target, struct tk_budgets *budgets)
{
    struct tk_night_options options = TK_INIT(struct tk_night_options);
    struct tk_night *night;
    struct tk_err err = {0};
    options.target = target;
    options.budgets = budgets;
    ck_assert_int_eq(tk_night_new(&night, &options, &err), TK_OK);
    return night;
}

static const char *name_of(const struct tk_night *night, size_t row)
{
    static char name[64];
    const struct tk_str *s = night->rows.v[row].facts[TK_NIGHT_CAPTURE];
    snprintf(name, sizeof name, "%.*s", (int)s->n, s->p);
    return name;
}

/* What failed comes first, then maps in order and the newest build of each. */
START_TEST(rows_are_in_order)
{
    static const char text[] =
        "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"p95\", \"warning\": 17, \"error\": "
        "19}, {\"kind\": \"frame\", \"name\": \"max\", \"warning\": 30}]}";
    struct tk_budgets budgets;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_budgets_parse(&budgets, text, strlen(text), &err), TK_OK);
    struct tk_night *night = new_night(60, &budgets);
    add(night, "a9", "Alp", "CL-9", 0, 16);
    add(night, "a10", "Alp", "CL-10", 0, 40);
    add(night, "b9", "Bay", "CL-9", 8, 16);
    ck_assert_int_eq(tk_night_settle(night, &err), TK_OK);
    ck_assert_str_eq(name_of(night, 0), "b9");
    ck_assert_str_eq(name_of(night, 1), "a10");
    ck_assert_str_eq(name_of(night, 2), "a9");
    ck_assert_uint_eq(night->rows.v[0].marks[TK_NIGHT_P95].level, TK_BUDGET_ERROR);
    ck_assert_double_eq(night->rows.v[0].marks[TK_NIGHT_P95].limit, 19);
    ck_assert_uint_eq(night->rows.v[1].marks[TK_NIGHT_MAX].level, TK_BUDGET_WARNING);
    ck_assert_uint_eq(tk_night_level(&night->rows.v[2]), TK_BUDGET_PASSED);
    tk_night_free(night);
    tk_budgets_release(&budgets);
}
END_TEST

/* Values by hand: 100 frames, 8 of them late at 60 frames a second. */
START_TEST(values_are_those_of_the_frames)
{
    struct tk_night *night = new_night(60, NULL);
    struct tk_err err = {0};
    add(night, "x", "", "1", 8, 16);
    ck_assert_int_eq(tk_night_settle(night, &err), TK_OK);
    const double *v = night->rows.v[0].v;
    ck_assert_double_eq_tol(v[TK_NIGHT_SECONDS], 1.632, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_P95], 20, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_OVER], 8, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_LATE], 8, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_OVER_MS_S], 8 * (20 - 1000.0 / 60) / 1.632, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_GAME], 30, 1e-9);
    ck_assert_double_eq_tol(v[TK_NIGHT_LIMITER], 70, 1e-9);
    ck_assert(isnan(v[TK_NIGHT_MEMORY]));
    ck_assert_ptr_null(night->rows.v[0].facts[TK_NIGHT_MAP]);
    tk_night_free(night);
}
END_TEST

/* Without a target its columns have no value; runs of one map and build are a group of medians, whose longest
 * frame is that of all. */
START_TEST(groups_are_medians)
{
    struct tk_night *night = new_night(0, NULL);
    struct tk_err err = {0};
    add(night, "1", "Alp", "7", 0, 50);
    add(night, "2", "Alp", "7", 8, 16);
    add(night, "3", "Alp", "7", 9, 18);
    ck_assert_int_eq(tk_night_settle(night, &err), TK_OK);
    ck_assert_uint_eq(night->groups.n, 1);
    ck_assert_uint_eq(night->groups.v[0].n, 3);
    ck_assert_double_eq_tol(night->groups.v[0].row.v[TK_NIGHT_P95], 20, 1e-9);
    ck_assert_double_eq_tol(night->groups.v[0].row.v[TK_NIGHT_MAX], 50, 1e-9);
    ck_assert(isnan(night->groups.v[0].row.v[TK_NIGHT_MVP]));
    tk_night_free(night);
}
END_TEST

static int take_columns(void *self, const struct tk_table *table, struct tk_err *err)
{
    char *text = self;
    (void)err;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        strcat(text, i ? "," : "");
        strcat(text, table->columns[i].name);
    }
    return TK_OK;
}

/* Other programs read them by their place. */
START_TEST(columns_stay_where_they_are)
{
    static char text[2048];
    struct tk_night *night = new_night(0, NULL);
    struct tk_err err = {0};
    const struct tk_sink sink = {.self = text, .begin = take_columns};
    ck_assert_int_eq(tk_night_rows(night, &sink, &err), TK_OK);
    ck_assert_str_eq(
        text, "capture,application,build,commit,branch,platform,config,map,machine,time,frames,seconds,"
              "p50_ms,p95_ms,p99_ms,max_ms,low1_fps,mvp_pct,late_pct,over,over_ms_s,hitches,hitches_min,"
              "hitches_loading,hitches_startup,hitch_ms_s,uneven_pct,game_pct,render_pct,rhi_pct,gpu_pct,"
              "limiter_pct,waiting_pct,memory_peak_bytes,memory_source,state,budgets,worst");
    tk_night_free(night);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_are_in_order, values_are_those_of_the_frames, groups_are_medians,
                                  columns_stay_where_they_are};
    return RUN_TESTS("night", tests);
}
