/*
 * What is dropped of a thread is booked as unreadable, and a copy of a packet as belonging to nothing, in
 * both orders of reading. Packets of so few bytes are not compressed, so the figures are those of what was
 * written.
 */
#include "format/utrace/serial_written.h"

enum { JUNK = 50 };

/* A code that is reserved, and what follows it to the end of the packet. */
START_TEST(junk)
{
    for (enum tk_order order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        begin_at(7, 0);
        put(2, 0, 1);
        tk_uw_u8(&lane_of(&w, 2)->pending, 0x1c);
        for (unsigned i = 1; i < JUNK; i++)
            tk_uw_u8(&lane_of(&w, 2)->pending, 0x55);
        send_lane(&w, 2);
        put(2, 1, 2);
        send_lane(&w, 2);
        write_end(&w);
        open_written(&o, &w.bytes);
        tell_in_order(&o, RECORDS, order);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_STREAM_BREAK), 1);
        ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_UNREADABLE], JUNK);
        check_ledger(&o);
    }
}
END_TEST

/* A packet of three events, 11 bytes each, that is there twice. */
START_TEST(copy)
{
    for (enum tk_order order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        size_t from, n;
        begin_at(7, 0);
        send_lane(&w, 2);
        from = w.bytes.size;
        for (uint32_t i = 0; i < 3; i++)
            put(2, i, i);
        n = lane_of(&w, 2)->pending.size;
        send_lane(&w, 2);
        ck_assert_uint_gt(w.bytes.size, from);
        from = w.bytes.size - (n + 4);
        uint8_t packet[64];
        ck_assert_uint_le(n + 4, sizeof packet);
        memcpy(packet, w.bytes.data + from, n + 4);
        for (size_t i = 0; i < n + 4; i++)
            tk_uw_u8(&w.bytes, packet[i]);
        write_end(&w);
        open_written(&o, &w.bytes);
        tell_in_order(&o, RECORDS, order);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DUPLICATE), 1);
        ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_SKIPPED], n);
        check_ledger(&o);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {junk, copy};
    return RUN_TESTS_AROUND("utrace dropped bytes", tests, NULL, serial_end);
}
