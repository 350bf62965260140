/* Relay: things come in order, one at a time; leaving early ends the giver. */
#include "io/scratch/readahead.h"
#include "run.h"

#include <stdint.h>

struct giver {
    int most, given;
    bool refused;
};

static int count_up(struct tk_generator *relay, void *ctx)
{
    struct giver *g = ctx;
    for (int i = 0; i < g->most; i++) {
        g->given++;
        if (!tk_generator_give(relay, &i)) {
            g->refused = true;
            /* once refused, for ever */
            ck_assert(!tk_generator_give(relay, &i));
            break;
        }
    }
    return 100 + g->given;
}

START_TEST(all_in_order)
{
    struct giver g = {.most = 1000};
    struct tk_generator *relay = tk_generator_open(count_up, &g);
    ck_assert_ptr_nonnull(relay);
    ck_assert_int_eq(g.given, 0); /* nothing runs before somebody queries */
    for (int i = 0; i < 1000; i++) {
        const int *got = tk_generator_take(relay);
        ck_assert_ptr_nonnull(got);
        ck_assert_int_eq(*got, i);
        ck_assert_int_eq(g.given, i + 1); /* nor ahead of them */
    }
    ck_assert_ptr_null(tk_generator_take(relay));
    ck_assert_ptr_null(tk_generator_take(relay));
    ck_assert_int_eq(tk_generator_close(relay), 1100);
    ck_assert(!g.refused);
}
END_TEST

START_TEST(left_early)
{
    for (int taken = 0; taken < 3; taken++) {
        struct giver g = {.most = 1000};
        struct tk_generator *relay = tk_generator_open(count_up, &g);
        ck_assert_ptr_nonnull(relay);
        for (int i = 0; i < taken; i++)
            ck_assert_ptr_nonnull(tk_generator_take(relay));
        ck_assert_int_eq(tk_generator_close(relay), taken ? 100 + taken : 0);
        ck_assert_int_eq(g.given, taken);
        ck_assert(g.refused == (taken > 0));
    }
    ck_assert_int_eq(tk_generator_close(NULL), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_in_order, left_early};
    return RUN_TESTS("relay", tests);
}
