/*
 * Damage behind and in raw packets of protocols 1 to 4: whether one stays, of which nothing but the sizes of
 * its records says where it ends (wire 9.1).
 */
#include "format/utrace/sample.h"

#define AT 10 /* the packet that is in doubt */

static struct tk_uw_options old(int protocol)
{
    return (struct tk_uw_options){
        .form = TK_UW_ECRT, .transport = 3, .protocol = (uint8_t)protocol, .packing = TK_UW_PLAIN};
}

static void make_old(struct sample *s, int protocol)
{
    make_with(s, old(protocol));
}

static void make_large(struct sample *s, int protocol)
{
    make_packets(s, old(protocol), EVENTS);
}

/* One event instead of ten, whose attachment is full of what looks like packets of five bytes. */
static void put_headers_into(struct sample *s)
{
    static const uint8_t header[] = {5, 0, 2, 0, 0};
    uint8_t *record = s->bytes.data + s->begin[AT] + 4;
    size_t n = s->begin[AT + 1] - s->begin[AT] - 4;
    record[2] = (uint8_t)(n - 4);
    for (size_t i = 8; i < n; i++)
        record[i] = header[(i - 8) % sizeof header];
}

/* Zeros between two packets cost nothing but themselves. */
START_TEST(headers_in_a_payload)
{
    struct sample s;
    struct opened o;
    make_old(&s, _i + 1);
    put_headers_into(&s);
    insert(&s, s.begin[AT + 1], "\0\0\0\0\0\0\0", 7);
    open_written(&o, &s.bytes);
    tell(&o, RECORDS);
    ck_assert_uint_eq(ut(&o)->index.n, PACKETS + 1);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), 7);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), 1);
    ck_assert_uint_eq(o.ctx.health.items[0].offset, s.begin[AT + 1]);
    check_ledger(&o);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* A size that is too large does not cost the packets that it hides. */
START_TEST(wrong_size)
{
    for (unsigned more = 8; more < 128; more *= 2) {
        struct sample s;
        make_old(&s, _i + 1);
        s.bytes.data[s.begin[AT]] = (uint8_t)(s.begin[AT + 1] - s.begin[AT] + more);
        check_and_close(&s, 1u << AT);
    }
}
END_TEST

/* The header of a packet is lost, and bytes of its payload look like one of a packet that ends where the next
 * but one begins: the one between them is not lost. */
START_TEST(false_packet_over_another)
{
    struct sample s;
    make_old(&s, _i + 1);
    uint8_t *p = s.bytes.data + s.begin[AT];
    const size_t n = s.begin[AT + 1] - s.begin[AT], at = 12, size = s.begin[AT + 2] - s.begin[AT] - at;
    ck_assert_uint_le(size, 255);
    memset(p, 0xff, n);
    memcpy(p, (const uint8_t[]){3, 0}, 2);
    memcpy(p + at, (const uint8_t[]){(uint8_t)size, 0, 2, 0}, 4);
    check_and_close(&s, 1u << AT);
}
END_TEST

/* Raw packets that a writer of today would compress: where there are several, others are looked for, too. */
START_TEST(large_packets)
{
    struct sample s;
    make_large(&s, _i + 1);
    ck_assert_uint_gt(s.begin[AT + 1] - s.begin[AT], 388);
    memset(s.bytes.data + s.begin[AT], 0, 2);
    check_and_close(&s, 1u << AT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {headers_in_a_payload, wrong_size, false_packet_over_another, large_packets};
    return RUN_TESTS_EACH("utrace, raw packets", tests, 4);
}
