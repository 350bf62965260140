/* Causes of hitches over runs that are made by hand: counts, sides and what is new. */
#include "compare/baseline/run_info.h"
#include "compare/made_runs.h"
#include "night/causes.h"
#include "run.h"

#include <string.h>

enum { FRAMES = 2000 }; /* of 16 ms: 32 s */

/* A run with a hitch of 60 ms, due to a timer, in each of n frames from `first` on, 100 frames apart. */
static struct tk_base_run *made(const char *build, const char *timer, double growth, unsigned n)
{
    static uint64_t hash;
    struct tk_base_run *run = made_frames(++hash, FRAMES, NULL, 0);
    for (unsigned i = 0; i < n; i++) {
        const uint32_t frame = 200 + 100 * i;
        run->frames.v[frame] = 60000;
        const struct tk_base_hitch reason = {.number = frame,
                                             .frame = frame,
                                             .thread = tk_intern_c(&run->names, "GameThread"),
                                             .timer = tk_intern_c(&run->names, "Wait"),
                                             .excess = 44,
                                             .cause_thread = tk_intern_c(&run->names, "RenderThread"),
                                             .cause = tk_intern_c(&run->names, timer),
                                             .growth = growth};
        ck_assert_int_eq(tk_vec_push(&run->reasons, reason), 0);
    }
    run->knows_reasons = true;
    ck_assert_int_eq(tk_base_run_judge(run), 0);
    ck_assert_int_eq(tk_base_run_note(run, "build", build, strlen(build), TK_ENC_UTF8), 0);
    return run;
}

static void add(struct tk_causes *c, const char *build, const char *timer, double growth, unsigned n,
                bool before)
{
    struct tk_base_run *run = made(build, timer, growth, n);
    ck_assert_int_eq(tk_causes_add(c, run, before), 0);
    tk_base_run_free(run);
}

static const struct tk_cause *cause_of(const struct tk_causes *c, const char *timer)
{
    for (size_t i = 0; i < c->v.n; i++)
        if (c->v.v[i].timer->n == strlen(timer) && memcmp(c->v.v[i].timer->p, timer, strlen(timer)) == 0)
            return &c->v.v[i];
    return NULL;
}

/* The newest build, by its number and not by its text, against the rest. */
START_TEST(new_causes_are_found)
{
    struct tk_causes c = {0};
    add(&c, "Main-CL-900", "Old", 44, 4, false);
    add(&c, "Main-CL-900", "Old", 44, 4, false);
    add(&c, "Main-CL-1000", "Old", 44, 4, false);
    add(&c, "Main-CL-1000", "Fresh", 44, 6, false);
    add(&c, "Main-CL-1000", "Fresh", 44, 5, false);
    ck_assert_int_eq(tk_causes_settle(&c), 0);
    ck_assert_uint_eq(c.n[TK_CAUSE_PLAY], 23);
    const struct tk_cause *fresh = cause_of(&c, "Fresh"), *old = cause_of(&c, "Old");
    ck_assert_ptr_nonnull(fresh);
    ck_assert_ptr_nonnull(old);
    ck_assert_uint_eq(fresh->n[0], 0);
    ck_assert_uint_eq(fresh->n[1], 11); /* of 96 s, none of 64 s: the chance is 0.6 ^ 11, 0.4 % */
    ck_assert_uint_eq(fresh->captures, 2);
    ck_assert_uint_eq(fresh->state, TK_CAUSE_NEW);
    ck_assert_double_eq_tol(fresh->share, 11.0 / 23, 1e-12);
    ck_assert_uint_eq(old->n[0], 8);
    ck_assert_uint_eq(old->n[1], 4);
    /* 8 in 64 s, 4 in 96 s: the exact chance of a split so uneven is 0.07 */
    ck_assert_uint_eq(old->state, TK_CAUSE_SAME);
    ck_assert_ptr_eq(&c.v.v[1], fresh);
    tk_causes_release(&c);
}
END_TEST

/* Three hitches of one capture are not new: it may be the capture. A side of less than 30 s judges nothing.
 */
START_TEST(one_capture_is_not_enough)
{
    struct tk_causes c = {0};
    add(&c, "1", "Old", 44, 4, true);
    add(&c, "2", "Fresh", 44, 3, false);
    ck_assert_int_eq(tk_causes_settle(&c), 0);
    ck_assert_uint_eq(cause_of(&c, "Fresh")->state, TK_CAUSE_SAME);
    tk_causes_release(&c);
    c = (struct tk_causes){0};
    add(&c, "1", "Old", 44, 4, false);
    ck_assert_int_eq(tk_causes_settle(&c), 0);
    ck_assert_uint_eq(cause_of(&c, "Old")->state, TK_CAUSE_UNJUDGED);
    tk_causes_release(&c);
}
END_TEST

/* What grew by less than a quarter of the excess is no cause. */
START_TEST(small_growth_is_unclear)
{
    struct tk_causes c = {0};
    add(&c, "1", "Little", 10.9, 2, false);
    add(&c, "1", "Enough", 11, 2, false);
    ck_assert_int_eq(tk_causes_settle(&c), 0);
    ck_assert_ptr_null(cause_of(&c, "Little"));
    ck_assert_str_eq(cause_of(&c, "")->work, "unclear");
    ck_assert_uint_eq(cause_of(&c, "")->n[1], 2);
    ck_assert_uint_eq(cause_of(&c, "Enough")->n[1], 2);
    tk_causes_release(&c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {new_causes_are_found, one_capture_is_not_enough, small_growth_is_unclear};
    return RUN_TESTS("causes", tests);
}
