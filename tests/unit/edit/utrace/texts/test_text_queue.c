/*
 * Events are looked at in their order, with the bytes that they had when they were given, for any number of
 * jobs; after a failure no other one is.
 */
#include "edit/utrace/texts/texts.h"
#include "run.h"

#include <string.h>

enum { EVENTS = 6000, LONGEST = 300 };

struct looked {
    uint32_t n, fails_at;
};

/* Byte `i` of the event of a number. */
static uint8_t byte_of(uint32_t number, uint32_t i)
{
    return (uint8_t)(number * 7 + i * 13);
}

static int look(void *ctx, struct tk_ut_event *ev, uint32_t number)
{
    struct looked *l = ctx;
    must(number == l->n++);
    must(ev->n_fixed == number % 9 && ev->n_blobs == 1 + number % 2);
    for (uint32_t i = 0; i < ev->n_fixed; i++)
        must(ev->fixed[i] == byte_of(number, i));
    for (uint32_t k = 0; k < ev->n_blobs; k++) {
        must(ev->blobs[k].field == k && ev->blobs[k].n == (number + k) % LONGEST);
        for (uint32_t i = 0; i < ev->blobs[k].n; i++)
            must(ev->blobs[k].p[i] == byte_of(number + k, i));
    }
    must(tk_arena_bytes(ev->scratch, 1 + number % 100) != NULL);
    return l->n == l->fails_at ? TK_ENOMEM : TK_OK;
}

/* Gives all events, each in memory that the next one has, too. What the first failure said. */
static int give(struct tk_edit_text_queue *q)
{
    uint8_t fixed[9], bytes[2][LONGEST];
    int rc = TK_OK;
    for (uint32_t number = 0; number < EVENTS && rc == TK_OK; number++) {
        struct tk_ut_blob blobs[2];
        for (uint32_t i = 0; i < sizeof fixed; i++)
            fixed[i] = byte_of(number, i);
        for (uint32_t k = 0; k < 2; k++) {
            blobs[k] = (struct tk_ut_blob){bytes[k], (number + k) % LONGEST, k};
            for (uint32_t i = 0; i < blobs[k].n; i++)
                bytes[k][i] = byte_of(number + k, i);
        }
        const struct tk_ut_event ev = {.fixed = fixed,
                                       .n_fixed = number % 9,
                                       .attachment = fixed,
                                       .blobs = blobs,
                                       .n_blobs = 1 + number % 2};
        rc = tk_edit_text_queue_put(q, &ev, number);
    }
    const int last = tk_edit_text_queue_drain(q);
    return rc == TK_OK ? last : rc;
}

static int run(unsigned jobs, struct looked *l)
{
    struct tk_pool *pool = tk_pool_open(jobs);
    struct tk_edit_text_queue q;
    must(pool != NULL);
    tk_edit_text_queue_open(&q, pool, look, l);
    const int rc = give(&q);
    tk_edit_text_queue_release(&q);
    tk_pool_close(pool);
    return rc;
}

START_TEST(all_in_order)
{
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct looked l = {0};
        ck_assert_int_eq(run(jobs, &l), TK_OK);
        ck_assert_uint_eq(l.n, EVENTS);
    }
}
END_TEST

START_TEST(none_after_a_failure)
{
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct looked l = {.fails_at = 2500};
        ck_assert_int_eq(run(jobs, &l), TK_ENOMEM);
        ck_assert_uint_eq(l.n, 2500);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_in_order, none_after_a_failure};
    return run_tests("queue of texts", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
