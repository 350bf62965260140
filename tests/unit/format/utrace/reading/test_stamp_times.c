/*
 * Stamps of scopes that count from the one before (wire 5.4), of which one was changed on its way: all behind
 * it are wrong. What stands in front of two batches was written before the second one began, and what stands
 * behind a batch after that began. All sums are by hand; a cycle is 1 us here.
 */
#include "format/utrace/scopes_written.h"

#define SECOND 1000000
#define BIT    (UINT64_C(1) << 24)

static struct written w;

static void begin_protocol(uint8_t protocol)
{
    write_with(&w, (struct tk_uw_options){.form = TK_UW_2CRT,
                                          .transport = 4,
                                          .protocol = protocol,
                                          .start_cycle = START,
                                          .frequency = SECOND});
    tk_uw_new_trace(&w.uw);
    begin_scopes(&w);
}

static void check_scopes(uint64_t damaged, const char *expected)
{
    struct opened o;
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, SCOPES), expected);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_TIME_DAMAGED), damaged);
    ck_assert_int_eq(tk_health_damaged(&o.ctx.health), damaged != 0);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}

static void put_stamped(unsigned tid, uint64_t at)
{
    enter(&w, tid, at);
    leave(&w, tid, at + 10);
}

/* A difference is too large: its scope and the next one of the thread are left out, and batches stay. */
START_TEST(ahead)
{
    begin_protocol(_i ? 6 : 5);
    put_scope(&w, 2, 10000, 5);
    put_stamped(2, 20000);
    put_stamped(2, 30000 + BIT);
    put_scope(&w, 2, 40000, 5);
    put_stamped(2, 50000 + BIT);
    put_scope(&w, 2, 60000, 5);
    put_stamped(2, 70000 + BIT);
    put_scope(&w, 2, 80000, 5);
    check_scopes(4, "scopes t2: +0@10000 -@10005 +s3@20000 -s@20010 cut +0@40000 -@40005 +0@60000 -@60005 "
                    "+0@80000 -@80005\n");
}
END_TEST

/* An end is wrong: its scope is cut. */
START_TEST(end_ahead)
{
    begin_protocol(_i ? 6 : 5);
    put_scope(&w, 2, 10000, 5);
    enter(&w, 2, 20000);
    leave(&w, 2, 20010 + BIT);
    put_scope(&w, 2, 40000, 5);
    put_scope(&w, 2, 60000, 5);
    check_scopes(1, "scopes t2: +0@10000 -@10005 +s3@20000 cut +0@40000 -@40005 +0@60000 -@60005\n");
}
END_TEST

/* A difference is too small by a bit of 2^14: 33,616 for 50,000, which is before the previous batch. */
START_TEST(back)
{
    begin_protocol(_i ? 6 : 5);
    put_scope(&w, 2, 10000, 5);
    put_stamped(2, 20000);
    put_scope(&w, 2, 40000, 5);
    put_stamped(2, 33616);
    put_scope(&w, 2, 60000, 5);
    check_scopes(2, "scopes t2: +0@10000 -@10005 +s3@20000 -s@20010 cut +0@40000 -@40005 +0@60000 -@60005\n");
}
END_TEST

/* A clock may step back by a millisecond: nothing is left out. */
START_TEST(small_step)
{
    begin_protocol(_i ? 6 : 5);
    put_scope(&w, 2, 10000, 5);
    put_stamped(2, 20990);
    put_scope(&w, 2, 15000, 5);
    put_scope(&w, 2, 20000, 5);
    check_scopes(0, "scopes t2: +0@10000 -@10005 +0@15000 -@15005 +0@20000 -@20005 +s3@20990 -s@21000\n");
}
END_TEST

/* The last one of a thread is compared with the others: 60 seconds, and four times what they last. Whatever
 * the others wrote later refutes it; a thread that writes last may live on. */
START_TEST(last_of_thread)
{
    enum { WITHIN, BEYOND, BEYOND_AND_LAST, CASES };
    static const char *const expected[CASES] = {
        "scopes t3: +0@10 -@15 +s3@100000 -s@99100000\nscopes t2: +0@0 -@5 +0@20000000 -@20000005\n",
        "scopes t3: +0@10 -@15 +s3@100000 cut\nscopes t2: +0@0 -@5 +0@20000000 -@20000005\n",
        "scopes t2: +0@0 -@5 +0@20000000 -@20000005\nscopes t3: +0@10 -@15 +s3@100000 -s@101100000\n"};
    for (int i = 0; i < CASES; i++) {
        begin_protocol(_i ? 7 : 6);
        put_scope(&w, 2, 0, 5);
        put_scope(&w, 3, 10, 5);
        enter(&w, 3, 100000);
        leave(&w, 3, 99100000 + (i > WITHIN ? 2 * SECOND : 0));
        if (i != BEYOND_AND_LAST)
            send_lane(&w, 3);
        put_scope(&w, 2, 20 * SECOND, 5);
        check_scopes(i == BEYOND, expected[i]);
    }
}
END_TEST

/* From protocol 7 on stamps are times of their own: they may stand anywhere among the batches. */
START_TEST(times_of_their_own)
{
    begin_protocol(7);
    put_scope(&w, 2, 10000, 5);
    put_stamped(2, 70000);
    put_scope(&w, 2, 40000, 5);
    put_scope(&w, 2, 60000, 5);
    check_scopes(0, "scopes t2: +0@10000 -@10005 +0@40000 -@40005 +0@60000 -@60005 +s3@70000 -s@70010\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ahead, end_ahead, back, small_step, last_of_thread, times_of_their_own};
    return RUN_TESTS_EACH("utrace times of stamps", tests, 2);
}
