/*
 * CPU batches with a time that was changed on its way: only what is beyond the next batch of the thread, or
 * far beyond all other threads that wrote later, is left out (events 2.3). All sums are by hand; a cycle is 1
 * us here.
 *
 * A batch of form 3 by its bytes: first the time << 2 | begin, later ones the difference << 2 | begin; a
 * begin is followed by the timer << 1.
 */
#include "format/utrace/scopes_written.h"

#define SECOND 1000000

static void open_it(struct written *w, struct opened *o)
{
    write_end(w);
    open_written(o, &w->bytes);
}

static void close_it(struct written *w, struct opened *o)
{
    close_opened(o);
    tk_uw_bytes_release(&w->bytes);
}

static void check_scopes(struct written *w, uint64_t damaged, const char *expected)
{
    struct opened o;
    open_it(w, &o);
    check_text(tell(&o, SCOPES), expected);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_TIME_DAMAGED), damaged);
    ck_assert_int_eq(tk_health_damaged(&o.ctx.health), damaged != 0);
    close_it(w, &o);
}

/* The second difference of the first batch is 2^24 cycles too large: its begin stands, the rest is left out.
 */
START_TEST(difference)
{
    struct written w;
    begin(&w);
    put_scope(&w, 2, 10, 5 + (1 << 24));
    put_scope(&w, 2, 100000, 5);
    put_scope(&w, 2, 200000, 5);
    check_scopes(&w, 1, "scopes t2: +0@10 cut +0@100000 -@100005 +0@200000 -@200005\n");
}
END_TEST

/* The first time is too large: nothing of the batch stands. */
START_TEST(first_time)
{
    struct written w;
    begin(&w);
    put_scope(&w, 2, 10, 5);
    put_scope(&w, 2, 100000 + (1 << 24), 5);
    put_scope(&w, 2, 200000, 5);
    put_scope(&w, 2, 300000, 5);
    check_scopes(&w, 2, "scopes t2: +0@10 -@15 cut +0@200000 -@200005 +0@300000 -@300005\n");
}
END_TEST

/* The first time is too small: the batch in front of it is not the damaged one. */
START_TEST(first_time_back)
{
    struct written w;
    begin(&w);
    put_scope(&w, 2, 100000, 5);
    put_scope(&w, 2, 200000, 5);
    put_scope(&w, 2, 300000 - (1 << 18), 5);
    put_scope(&w, 2, 400000, 5);
    check_scopes(&w, 2, "scopes t2: +0@100000 -@100005 +0@200000 -@200005 cut +0@400000 -@400005\n");
}
END_TEST

/* The last batch of a thread is compared with the others: 60 seconds, and four times what they last. Whatever
 * the others wrote later refutes it; a thread that writes last may live on. */
START_TEST(last_of_thread)
{
    enum { WITHIN, BEYOND, BEYOND_AND_LAST, CASES };
    static const char *const expected[CASES] = {
        "scopes t3: +0@10 -@15 +0@100000 -@99100000\nscopes t2: +0@0 -@5 +0@20000000 -@20000005\n",
        "scopes t3: +0@10 -@15 +0@100000 cut\nscopes t2: +0@0 -@5 +0@20000000 -@20000005\n",
        "scopes t2: +0@0 -@5 +0@20000000 -@20000005\nscopes t3: +0@10 -@15 +0@100000 -@101100000\n"};
    for (int i = 0; i < CASES; i++) {
        struct written w;
        begin(&w);
        put_scope(&w, 2, 0, 5);
        put_scope(&w, 3, 10, 5);
        put_scope(&w, 3, 100000, (i == WITHIN ? 99 : 101) * (uint64_t)SECOND);
        if (i != BEYOND_AND_LAST)
            send_lane(&w, 3);
        put_scope(&w, 2, 20 * SECOND, 5);
        check_scopes(&w, i == BEYOND, expected[i]);
    }
}
END_TEST

/* A thread that is there only two hours later, and writes last: with the first time of its only batch, or of
 * its last one. Its scopes are kept, and noted. */
START_TEST(lives_on)
{
    for (unsigned before = 0; before < 2; before++) {
        struct written w;
        struct opened o;
        begin(&w);
        put_scope(&w, 2, 0, 5);
        put_scope(&w, 2, 50000, 5);
        if (before)
            put_scope(&w, 3, 10, 5);
        put_scope(&w, 3, 7200 * (uint64_t)SECOND, 5);
        open_it(&w, &o);
        check_text(tell(&o, SCOPES),
                   before ? "scopes t2: +0@0 -@5 +0@50000 -@50005\n"
                            "scopes t3: +0@10 -@15 +0@7200000000 -@7200000005\n"
                          : "scopes t2: +0@0 -@5 +0@50000 -@50005\nscopes t3: +0@7200000000 -@7200000005\n");
        ck_assert_uint_eq(faults(&o, TK_HEALTH_TIME_DAMAGED), 0);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_TIME_UNRELIABLE), 1);
        ck_assert_int_eq(tk_health_damaged(&o.ctx.health), 0);
        close_it(&w, &o);
    }
}
END_TEST

/* A clock may step back by a millisecond. */
START_TEST(small_step)
{
    for (unsigned more = 0; more < 2; more++) {
        struct written w;
        begin(&w);
        put_scope(&w, 2, 10, 5);
        put_scope(&w, 2, 20000, 5);
        put_scope(&w, 2, 20005 - 1000 - more, 5);
        put_scope(&w, 2, 40000, 5);
        check_scopes(&w, 2 * more,
                     more ? "scopes t2: +0@10 -@15 +0@20000 -@20005 cut +0@40000 -@40005\n"
                          : "scopes t2: +0@10 -@15 +0@20000 -@20005 +0@19005 -@19010 +0@40000 -@40005\n");
    }
}
END_TEST

/* Ten thousand batches a thread, and one bit of one batch: the other 9,999 stay as they are, wherever the
 * reader's stretches end. */
START_TEST(one_of_many)
{
    for (unsigned wrong = 1000; wrong < 9000; wrong += 777) {
        struct written w;
        struct opened o;
        begin(&w);
        for (unsigned i = 0; i < 10000; i++)
            for (unsigned tid = 2; tid <= 3; tid++)
                put_scope(&w, tid, i * 2000 + tid, tid == 2 && i == wrong ? 500 + (UINT64_C(1) << 33) : 500);
        open_it(&w, &o);
        const char *reported = tell(&o, SCOPES);
        size_t ends = 0;
        for (const char *p = reported; (p = strstr(p, " -@")) != NULL; p++)
            ends++;
        ck_assert_uint_eq(ends, 20000 - 1);
        ck_assert_ptr_nonnull(strstr(reported, "+0@19998002 -@19998502\n"));
        ck_assert_uint_eq(faults(&o, TK_HEALTH_TIME_DAMAGED), 1);
        close_it(&w, &o);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {difference, first_time, first_time_back, last_of_thread,
                                  lives_on,   small_step, one_of_many};
    return RUN_TESTS("utrace times of batches", tests);
}
