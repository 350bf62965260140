/*
 * The walk over packets: every kind of damage between and inside them (wire 9, 9.1), and where each byte is
 * booked. Each packet holds a few numbered events; what must be reported is known from which packets were
 * spared.
 */
#include "format/utrace/sample.h"

START_TEST(intact)
{
    for (int i = 0; i < 2; i++) {
        struct sample s;
        struct opened o;
        make(&s, packings[i]);
        check_read(&o, &s, 0);
        ck_assert_uint_eq(all_faults(&o), 0);
        ck_assert_uint_eq(ut(&o)->index.n, PACKETS + 1);
        ck_assert_uint_eq(part(&o, TK_LEDGER_HEADER), 48);
        ck_assert_uint_eq(part(&o, TK_LEDGER_FRAMING), 4 + PACKETS * (i ? 4 : 6));
        close_opened(&o);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

START_TEST(nothing_but_a_header)
{
    struct opened o;
    open_bytes(&o, "ECRT\x04\x07", 6);
    ck_assert(o.capture->ops->empty(o.capture));
    ck_assert(!o.capture->ops->truncated(o.capture));
    check_text(tell(&o, RECORDS), "");
    ck_assert_uint_eq(all_faults(&o), 0);
    check_ledger(&o);
    close_opened(&o);
}
END_TEST

/* ---- bytes that are no packets ---- */

static uint32_t random_state;

static void fill_random(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        p[i] = (uint8_t)(random_state >> 24);
    }
}

static void check_inserted(enum tk_uw_packing packing, const uint8_t *p, size_t n)
{
    struct sample s;
    struct opened o;
    make(&s, packing);
    insert(&s, s.begin[10], p, n);
    check_read(&o, &s, 0);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), n);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), 1);
    ck_assert_uint_eq(o.ctx.health.items[0].offset, s.begin[10]);
    ck_assert(tk_health_damaged(&o.ctx.health));
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}

static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 64, 255, 256, 999, 2048, 4095, 4096};

START_TEST(zeros_between)
{
    static const uint8_t zeros[4096];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_inserted(packings[_i], zeros, lengths[i]);
}
END_TEST

START_TEST(ones_between)
{
    uint8_t ones[4096];
    memset(ones, 0xFF, sizeof ones);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_inserted(packings[_i], ones, lengths[i]);
}
END_TEST

/* Among compressed packets: chance cannot make bytes look like those. */
START_TEST(garbage_between)
{
    uint8_t bytes[4096];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        random_state = (uint32_t)i;
        fill_random(bytes, sizeof bytes);
        check_inserted(TK_UW_AUTO, bytes, lengths[i]);
    }
}
END_TEST

/* Many places and bytes: nothing false is reported, what is lost is little, the ledger is right. */
START_TEST(garbage_anywhere)
{
    for (uint32_t seed = 1; seed <= 50; seed++) {
        struct sample s;
        struct opened o;
        struct lines all = {0};
        uint8_t bytes[256];
        make(&s, packings[_i]);
        random_state = seed;
        fill_random(bytes, sizeof bytes);
        /* in the first half of a packet: changes of a block's last bytes cannot be seen */
        size_t n = 1 + bytes[0] % 200, packet = 4 + bytes[1] % 16;
        size_t at = s.begin[packet] + bytes[2] % ((s.begin[packet + 1] - s.begin[packet]) / 2);
        insert(&s, at, bytes + 3, n);
        add_packets(&all, &s, 0, PACKETS, 0);
        open_written(&o, &s.bytes);
        const char *reported = tell(&o, RECORDS), *from = all.text;
        size_t events = 0;
        for (const char *p = reported; *p; p += strcspn(p, "\n") + 1, events++) {
            char line[80];
            snprintf(line, sizeof line, "%.*s\n", (int)strcspn(p, "\n"), p);
            ck_assert_msg(_i == 1 || (from = strstr(from, line)) != NULL, "seed %u: %s", seed, line);
        }
        ck_assert_msg(events >= (PACKETS - 4) * s.per_packet, "seed %u: %zu", seed, events);
        check_ledger(&o);
        close_opened(&o);
        release_lines(&all);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* ---- packets that are wrong ---- */

static void set_u16(struct sample *s, size_t at, unsigned v)
{
    s->bytes.data[at] = (uint8_t)v;
    s->bytes.data[at + 1] = (uint8_t)(v >> 8);
}

/* Another size of a packet loses that packet. */
START_TEST(wrong_sizes)
{
    static const int wrong[] = {0, 1, 2, 3, 4, 5, 6, 7, 65535};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + 4; i++) {
        struct sample s;
        make(&s, TK_UW_AUTO);
        unsigned size = (unsigned)(s.begin[8] - s.begin[7]);
        int near[] = {-1, 1, -100, 64};
        set_u16(&s, s.begin[7], i < 4 ? (unsigned)((int)size + near[i]) : (unsigned)wrong[i - 4]);
        check_and_close(&s, 1u << 7);
    }
}
END_TEST

/* The size of the last packet of the file. */
START_TEST(wrong_last_size)
{
    struct sample s;
    make(&s, TK_UW_AUTO);
    set_u16(&s, s.begin[PACKETS - 1], (unsigned)(s.begin[PACKETS] - s.begin[PACKETS - 1] - 1));
    check_and_close(&s, 1u << (PACKETS - 1));
}
END_TEST

/* The data of a packet does not unpack: only that packet is dropped, its bytes are unreadable. */
START_TEST(broken_block)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    memset(s.bytes.data + s.begin[9] + 6, 0xFF, 40);
    check_read(&o, &s, 1u << 9);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
    ck_assert_uint_eq(part(&o, TK_LEDGER_UNREADABLE), s.begin[10] - s.begin[9] - 6);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

START_TEST(wrong_unpacked_size)
{
    for (int delta = -1; delta <= 1; delta++) {
        struct sample s;
        make(&s, TK_UW_AUTO);
        set_u16(&s, s.begin[9] + 4, delta ? (unsigned)((int)(EVENTS * 6) + delta) : 0);
        check_and_close(&s, 1u << 9);
    }
}
END_TEST

/* A thread far above all others that occurs once: a broken header; the packet chain behind it is good. */
START_TEST(far_thread_once)
{
    for (int i = 0; i < 2; i++) {
        struct sample s;
        struct opened o;
        make(&s, packings[i]);
        unsigned word = (unsigned)(s.bytes.data[s.begin[5] + 2] | s.bytes.data[s.begin[5] + 3] << 8);
        set_u16(&s, s.begin[5] + 2, word | 0x1F00);
        check_read(&o, &s, 1u << 5);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), 1);
        ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), s.begin[6] - s.begin[5]);
        close_opened(&o);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* One that occurs again and again is a thread. */
START_TEST(far_thread)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_PLAIN);
    for (size_t i = 3; i < PACKETS; i += 4)
        set_u16(&s, s.begin[i] + 2, 9000);
    open_written(&o, &s.bytes);
    const char *reported = tell(&o, RECORDS);
    ck_assert_uint_eq(all_faults(&o), 0);
    ck_assert_ptr_nonnull(strstr(reported, "t9000 Demo.Tick"));
    ck_assert_ptr_null(strstr(reported, "t5 Demo.Tick"));
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Threads up to 64 above the highest need no second occurrence. */
START_TEST(next_threads)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_PLAIN);
    for (size_t i = 3; i < PACKETS; i++)
        set_u16(&s, s.begin[i] + 2, (unsigned)(4 + 64 * (i - 2)));
    open_written(&o, &s.bytes);
    tell(&o, RECORDS);
    ck_assert_uint_eq(all_faults(&o), 0);
    ck_assert_uint_eq(ut(&o)->index.n, PACKETS + 1);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Some packets taken out whole: nothing says, the others are read. */
START_TEST(missing_packet)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    take_out(&s, s.begin[11], s.begin[12] - s.begin[11]);
    check_read(&o, &s, 1u << 11);
    ck_assert_uint_eq(all_faults(&o), 0);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Bytes taken out of the middle of a packet lose that packet. */
START_TEST(bytes_taken_out)
{
    for (size_t n = 1; n < 120; n += 7) {
        struct sample s;
        make(&s, TK_UW_AUTO);
        take_out(&s, s.begin[11] + 20, n);
        check_and_close(&s, 1u << 11);
    }
}
END_TEST

/* An encoded packet without payload says that data is missing (wire 9); a raw one nothing. */
START_TEST(empty_packets)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    insert(&s, s.begin[12], "\x06\x00\x03\x80\x00\x10", 6);
    insert(&s, s.begin[8], "\x04\x00\x03\x00", 4);
    insert(&s, s.begin[4], "\x07\x00\x03\x80\x00\x00\x00", 7);
    check_read(&o, &s, 0);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), 0);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), 0);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* A sync packet with a payload or packed is none. */
START_TEST(wrong_syncs)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    insert(&s, s.begin[12], "\x05\x00\xFF\x3F\x00", 5);
    insert(&s, s.begin[8], "\x04\x00\xFF\x3F", 4);
    check_read(&o, &s, 0);
    ck_assert_uint_eq(ut(&o)->index.syncs, 1);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), 5);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* ---- the end of the file ---- */

/* Of a cut file: `reported` is the beginning of `all`, no less than `least` bytes of it; a notice if it is
 * cut, no damage. */
static void check_cut(const struct sample *s, size_t n, const struct lines *all, size_t least)
{
    struct opened o;
    bool cut = n != s->begin[PACKETS] && n != s->begin[PACKETS - 1];
    open_bytes(&o, s->bytes.data, n);
    const char *reported = tell(&o, RECORDS);
    ck_assert_uint_ge(o.reported.n, least);
    ck_assert_int_eq(strncmp(reported, all->text, o.reported.n), 0);
    ck_assert(!tk_health_damaged(&o.ctx.health));
    ck_assert_int_eq(o.capture->ops->truncated(o.capture), cut);
    ck_assert(!cut || faults(&o, TK_HEALTH_FILE_TRUNCATED));
    ck_assert(cut == (part(&o, TK_LEDGER_TRUNCATED) > 0));
    check_ledger(&o);
    close_opened(&o);
}

/* Cut at every byte of the last packets: all before is there, and of the cut one what unpacks. */
START_TEST(cut_tail)
{
    for (int i = 0; i < 2; i++) {
        struct sample s;
        struct lines all = {0};
        size_t ends[3]; /* of the lines of the packets before the last two, of one, of all */
        make(&s, packings[i]);
        for (size_t k = 0; k < 3; k++) {
            add_packets(&all, &s, k ? PACKETS - 3 + k : 0, PACKETS - 2 + k, 0);
            ends[k] = all.n;
        }
        for (size_t n = s.bytes.size; n > s.begin[PACKETS - 2]; n--)
            check_cut(&s, n, &all, ends[n < s.begin[PACKETS - 1] ? 0 : n < s.begin[PACKETS] ? 1 : 2]);
        release_lines(&all);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* Of a raw packet all whole events before the cut are reported. */
START_TEST(cut_raw)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_PLAIN);
    struct lines expected = {0};
    add_packets(&expected, &s, 0, PACKETS - 1, 0);
    for (size_t k = 0; k < 3; k++)
        add_line(&expected, "t%u Demo.Tick Value=%u\n", 2 + (PACKETS - 1) % 4, value_of(PACKETS - 1, k));
    open_bytes(&o, s.bytes.data, s.begin[PACKETS - 1] + 4 + 3 * 6 + 5);
    check_text(tell(&o, RECORDS), expected.text);
    release_lines(&expected);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

START_TEST(garbage_at_the_end)
{
    uint8_t bytes[3000];
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    memset(bytes, 0, sizeof bytes);
    insert(&s, s.bytes.size, bytes, sizeof bytes);
    check_read(&o, &s, 0);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_HEADER_DAMAGED), 1);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), sizeof bytes);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* A block that does not unpack, something left out behind it, and lost framing: what was left out is booked
 * once. */
START_TEST(doubts_behind_a_gap)
{
    static const struct {
        const char *p;
        size_t n, skipped;
    } between[] = {{"\x10\0\xff\x2f far away...", 16, 16}, {"\x04\0\xff\x3f", 4, 0}};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        struct sample s;
        struct opened o;
        make(&s, TK_UW_LZ4);
        insert(&s, s.begin[12], "\0\0\0\0\0\0\0\0", 8);
        insert(&s, s.begin[8], between[i].p, between[i].n);
        memset(s.bytes.data + s.begin[5] + 6, 0xff, s.begin[6] - s.begin[5] - 6);
        open_bytes(&o, s.bytes.data, s.bytes.size);
        tell(&o, RECORDS);
        check_ledger(&o);
        ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), 8 + between[i].skipped);
        ck_assert_uint_eq(part(&o, TK_LEDGER_UNREADABLE), s.begin[6] - s.begin[5] - 6);
        close_opened(&o);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

START_TEST(second_capture)
{
    for (int i = 0; i < 2; i++) {
        struct sample s, other;
        struct opened o;
        make(&s, packings[i]);
        make_with(&other, (struct tk_uw_options){TK_UW_DEFAULTS, .packing = packings[i]});
        size_t at = s.bytes.size;
        insert(&s, at, other.bytes.data, other.bytes.size);
        check_read(&o, &s, 0);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_SECOND_CAPTURE), 1);
        ck_assert_uint_eq(o.ctx.health.items[0].offset, at);
        ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), other.bytes.size);
        ck_assert(!o.capture->ops->truncated(o.capture));
        close_opened(&o);
        tk_uw_bytes_release(&s.bytes);
        tk_uw_bytes_release(&other.bytes);
    }
}
END_TEST

int main(void)
{
    const TTest *const twice[] = {zeros_between, ones_between, garbage_anywhere};
    const TTest *const tests[] = {
        intact,         nothing_but_a_header, garbage_between, wrong_sizes,        wrong_last_size,
        broken_block,   wrong_unpacked_size,  far_thread_once, far_thread,         next_threads,
        missing_packet, bytes_taken_out,      empty_packets,   wrong_syncs,        cut_tail,
        cut_raw,        garbage_at_the_end,   second_capture,  doubts_behind_a_gap};
    int failed = RUN_TESTS("utrace index", tests);
    return RUN_TESTS_EACH("utrace index, packed and plain", twice, 2) == EXIT_SUCCESS ? failed : EXIT_FAILURE;
}
