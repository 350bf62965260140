/*
 * A thread with one packet whose id is far beyond those of all others: it is one where the capture announces
 * it, at whatever place, and a broken header where not.
 */
#include "format/utrace/serial_written.h"

enum { FAR_AWAY = 9000, PACKETS = 20 };

/* `announced`: 1 before, 2 behind the packet. */
static void write_far(int announced)
{
    struct tk_uw_lane far_away;
    begin_at(7, 0);
    tk_uw_thread(&w.uw, &far_away, FAR_AWAY);
    for (uint32_t i = 0; i < PACKETS; i++) {
        if (i == (announced == 1 ? 3 : 15) && announced) {
            tk_uw_thread_info(&w.uw, FAR_AWAY, 77, 0, "Far");
            tk_uw_lane_flush(&w.uw.important);
        }
        put(2 + i % 2, i, i);
        send_lane(&w, 2 + i % 2);
        if (i != 10)
            continue;
        tk_uw_begin_serial(&far_away, &tick, 100);
        tk_uw_u32(&far_away.pending, 100);
        tk_uw_end(&far_away, &tick);
        tk_uw_lane_flush(&far_away);
    }
    tk_uw_lane_release(&far_away);
    write_end(&w);
}

START_TEST(announced)
{
    for (int how = 0; how < 3; how++)
        for (enum tk_order order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
            write_far(how);
            open_written(&o, &w.bytes);
            const char *all = tell_in_order(&o, RECORDS, order);
            ck_assert_int_eq(strstr(all, "t9000 #100 A.Tick N=100") != NULL, how > 0);
            ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), !how);
            ck_assert_int_eq(tk_health_damaged(&o.ctx.health), !how);
            check_ledger(&o);
            close_opened(&o);
            memset(&o, 0, sizeof o);
        }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {announced};
    return RUN_TESTS_AROUND("utrace far thread", tests, NULL, serial_end);
}
