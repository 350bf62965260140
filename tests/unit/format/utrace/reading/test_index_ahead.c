/*
 * Looking ahead over packet headers: in a capture of several views the index is the same as without, also
 * where it is damaged, with any number of jobs (wire 2, 9.1).
 */
#include "format/utrace/sample.h"
#include "io/file.h"

enum { LANES = 70, VIEWS = 3, MOST = 200 };

/* Packets of many sizes on many threads. */
static void make_big(struct sample *s, bool counted)
{
    struct tk_uw uw;
    struct tk_uw_lane lane;
    uint32_t chance = 1;
    memset(s, 0, sizeof *s);
    s->type = tick_type;
    tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &s->bytes, .packing = TK_UW_AUTO,
                                            .verify = counted});
    tk_uw_register(&uw, &s->type);
    while (s->bytes.size < VIEWS * TK_WINDOW_VIEW + 100000) {
        chance = chance * 1103515245u + 12345u;
        tk_uw_thread(&uw, &lane, (uint16_t)(2 + chance / 65536 % LANES));
        lane.limit = 65000;
        for (uint32_t n = chance / 4096 % 40 ? chance / 8192 % 900 : 10000; n; n--) {
            chance = chance * 1103515245u + 12345u;
            tk_uw_begin(&lane, &s->type);
            tk_uw_u32(&lane.pending, chance >> 4);
            tk_uw_end(&lane, &s->type);
        }
        tk_uw_lane_flush(&lane);
        tk_uw_lane_release(&lane);
    }
    ck_assert_int_eq(tk_uw_close(&uw), 0);
}

static void open_with(struct opened *o, const struct sample *s, bool map, unsigned jobs)
{
    prepare(o, s->bytes.data, s->bytes.size, jobs);
    o->options.map = map;
    open_prepared(o);
    ck_assert_int_eq(o->rc, TK_OK);
}

static void check_same(struct opened *a, struct opened *b)
{
    const struct tk_ut_index *x = &ut(a)->index, *y = &ut(b)->index;
    must(x->n == y->n);
    for (size_t i = 0; i < x->n; i++) {
        must(tk_ut_index_offset(x, i) == tk_ut_index_offset(y, i));
        must(tk_ut_index_tid(x, i) == tk_ut_index_tid(y, i));
        must(tk_ut_index_loss(x, i) == tk_ut_index_loss(y, i));
    }
    for (size_t tid = 0; tid < TK_UT_TIDS; tid++)
        must(memcmp(&x->lanes[tid], &y->lanes[tid], sizeof x->lanes[tid]) == 0);
    must(memcmp(a->ctx.health.ledger, b->ctx.health.ledger, sizeof a->ctx.health.ledger) == 0);
    must(all_faults(a) == all_faults(b));
}

static void check_all_ways(const struct sample *s, bool damaged)
{
    struct opened plain, map;
    open_with(&plain, s, false, 1);
    ck_assert_uint_gt(ut(&plain)->index.n, 1000);
    ck_assert_int_eq(all_faults(&plain) > 0, damaged);
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        open_with(&map, s, true, jobs);
        check_same(&plain, &map);
        check_ledger(&map);
        close_opened(&map);
    }
    close_opened(&plain);
}

START_TEST(intact)
{
    for (int counted = 0; counted < 2; counted++) {
        struct sample s;
        make_big(&s, counted);
        check_all_ways(&s, false);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* Garbage that looks like headers, in the first view, at the borders of views and chains, and at the end. */
START_TEST(garbage)
{
    static const size_t places[] = {5000, TK_WINDOW_VIEW - 3, TK_WINDOW_VIEW + 70000, 2 * TK_WINDOW_VIEW + 1,
                                    VIEWS * TK_WINDOW_VIEW + 90000};
    uint8_t fake[MOST];
    struct sample s;
    make_big(&s, false);
    for (size_t i = 0; i < sizeof fake; i++)
        fake[i] = (uint8_t[]){20, 0, 3, 0}[i % 4];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        insert(&s, places[i], fake, sizeof fake - i);
        check_all_ways(&s, true);
    }
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Whole chains and a whole view of zeros. */
START_TEST(zeros)
{
    struct sample s;
    make_big(&s, false);
    memset(s.bytes.data + 300000, 0, 600000);
    memset(s.bytes.data + TK_WINDOW_VIEW - 1000, 0, TK_WINDOW_VIEW + 2000);
    check_all_ways(&s, true);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {intact, garbage, zeros};
    return RUN_TESTS("utrace index, looking ahead", tests);
}
