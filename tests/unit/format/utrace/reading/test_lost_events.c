/*
 * Events that were lost, by their serial numbers, in both orders of reading (wire 4.5): a packet that is
 * missing in the middle is reported, one that is missing at the end is not; a packet that comes too late is,
 * and a number that comes twice. Two threads write by turns, ten events a packet; the counts are by hand.
 */
#include "format/utrace/serial_written.h"

#include <limits.h>

enum { PACKETS = 200, EVENTS = 10 };

/* `without` is left out; `swapped` comes behind the next packet of its thread. UINT_MAX: none. */
static void write_packets(uint8_t protocol, uint32_t first, unsigned without, unsigned swapped)
{
    begin_at(protocol, first);
    for (unsigned i = 0; i < PACKETS; i++) {
        unsigned as = i == swapped ? i + 2 : i == swapped + 2 ? i - 2 : i;
        for (unsigned k = 0; k < EVENTS && as != without; k++)
            put(2 + as % 2, first + as * EVENTS + k, 1);
        send_lane(&w, 2 + as % 2);
    }
    write_end(&w);
}

static void check_lost(enum tk_order order, uint64_t lost, bool late)
{
    open_written(&o, &w.bytes);
    tell_in_order(&o, RECORDS, order);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_EVENTS_LOST), lost);
    if (order == TK_ORDER_FILE)
        ck_assert_int_eq(faults(&o, TK_HEALTH_SERIAL_LATE) > 0, late);
    ck_assert_int_eq(tk_health_lossy(&o.ctx.health), lost || (late && order == TK_ORDER_FILE));
    ck_assert_int_eq(tk_health_damaged(&o.ctx.health), 0);
    close_opened(&o);
    memset(&o, 0, sizeof o);
}

/* Numbers that wrap while packets are lost, too. */
START_TEST(lost)
{
    static const uint32_t firsts[] = {1000, 0xffffff - 5 * EVENTS - 3};
    for (unsigned i = 0; i < 2; i++) {
        for (enum tk_order order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
            write_packets(7, firsts[i], UINT_MAX, UINT_MAX - 10);
            check_lost(order, 0, false);
            write_packets(7, firsts[i], 5, UINT_MAX - 10);
            check_lost(order, EVENTS, false);
            write_packets(7, firsts[i], PACKETS - 3, UINT_MAX - 10);
            check_lost(order, 0, false);
        }
    }
}
END_TEST

START_TEST(late)
{
    write_packets(7, 1000, UINT_MAX, 77);
    check_lost(TK_ORDER_FILE, 0, true);
}
END_TEST

/* One event a packet; of thread 2 one has the number of the one in front of it. No number is missing. */
START_TEST(twice)
{
    for (unsigned again = 0; again < 2; again++) {
        begin_at(7, 1000);
        for (unsigned i = 0; i < PACKETS; i++) {
            put(2 + i % 2, 1000 + i, 1);
            send_lane(&w, 2 + i % 2);
            if (again && i == 100) {
                put(2, 1000 + i, 2);
                send_lane(&w, 2);
            }
        }
        write_end(&w);
        check_lost(TK_ORDER_FILE, 0, again);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {lost, late, twice};
    return RUN_TESTS_AROUND("utrace lost events", tests, NULL, serial_end);
}
