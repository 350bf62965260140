/*
 * The worked dumps (wire B) through the whole format: events, values, times and order as described there.
 */
#include "dumps.h"
#include "format/utrace/opened.h"

#define RECORDS                             TK_FACT_MASK(RECORD)
#define SCOPES                              TK_FACT_MASK(SCOPES)
#define CHECK(dump, facts, order, expected) check_reported(dump, sizeof(dump), facts, order, expected)

#define B1_IMPORTANT                                                                                         \
    "t1 $Trace.NewTrace StartCycle=1000000 CycleFrequency=10000000 Endian=21069 PointerSize=8 @0\n"          \
    "t1 $Trace.ThreadInfo ThreadId=2 SystemId=4242 SortHint=-1 Name=\"GameThread\"\n"
#define B1_THREAD_2                                                                                          \
    "t2 $Trace.ThreadTiming BaseTimestamp=500\n"                                                             \
    "t2 Demo.Str Text=\"H\xC3\xA9\" DefinitionId=7\n"
#define B1_HIT_42   "t2 #42 Demo.Hit Value=1.5 Name=7 Data=[1,2,3] @12345\n"
#define B1_HIT_43   "t3 #43 Demo.Hit Value=2 Name=7 Data=[]\n"
#define B1_THREAD_3 "t3 $Trace.ThreadTiming BaseTimestamp=800\n"

START_TEST(b1_definitions)
{
    CHECK(dump_b1, TK_FACT_DEFINITIONS, TK_ORDER_FILE,
          "clock 1000000 10000000\n"
          "thread 2 \"GameThread\" group - system 4242 hint -1\n"
          "thread 2\n"
          "thread 3\n");
}
END_TEST

START_TEST(b1_file_order)
{
    CHECK(dump_b1, RECORDS, TK_ORDER_FILE, B1_IMPORTANT B1_THREAD_3 B1_HIT_43 B1_THREAD_2 B1_HIT_42);
}
END_TEST

START_TEST(b1_serial_order)
{
    CHECK(dump_b1, RECORDS, TK_ORDER_SERIAL, B1_IMPORTANT B1_THREAD_2 B1_THREAD_3 B1_HIT_42 B1_HIT_43);
}
END_TEST

/* Scopes around events of other loggers than Cpu are no CPU scopes; renamed to `Cpu.Hit` they are. */
START_TEST(b1_scopes)
{
    uint8_t bytes[sizeof dump_b1];
    CHECK(dump_b1, SCOPES, TK_ORDER_FILE, "");
    memcpy(bytes, dump_b1, sizeof bytes);
    ck_assert_mem_eq(bytes + 0x166, "DemoHit", 7);
    bytes[0x14C] = 3; /* the logger's name gets shorter, the event's longer */
    bytes[0x14D] = 4;
    memcpy(bytes + 0x166, "CpuHitt", 7);
    CHECK(bytes, SCOPES | TK_FACT_MASK(TIMER), TK_ORDER_FILE,
          "timer 0 scoped \"Cpu.Hitt\"\nscopes t2: +s0@12345 -s@12999\n");
}
END_TEST

START_TEST(b1_health)
{
    struct opened o;
    open_bytes(&o, dump_b1, sizeof dump_b1);
    tell(&o, RECORDS);
    ck_assert_uint_eq(all_faults(&o), 0);
    check_ledger(&o);
    ck_assert_uint_eq(part(&o, TK_LEDGER_HEADER), 48);
    ck_assert_uint_eq(part(&o, TK_LEDGER_FRAMING), 4 * 4 + 3 * 4);
    ck_assert_uint_eq(part(&o, TK_LEDGER_DECLARATIONS), 0x14A - 4);
    ck_assert_uint_eq(part(&o, TK_LEDGER_DEFINITIONS), 0x3B - 4);
    ck_assert_uint_eq(part(&o, TK_LEDGER_EVENTS), 0x1C - 4 + 0x45 - 4);
    ck_assert_uint_eq(ut(&o)->index.syncs, 3);
    close_opened(&o);
}
END_TEST

/* The packets of B.1: where each begins and ends. */
static const struct {
    size_t begin, end;
} b1_packets[] = {{0x30, 0x17A},  {0x17A, 0x1B5}, {0x1B5, 0x1D1}, {0x1D1, 0x216},
                  {0x216, 0x21A}, {0x21A, 0x21E}, {0x21E, 0x222}};

/* B.1 with its packets in another order; `order` has one digit a packet. */
static void reordered(struct tk_uw_bytes *out, const char *order)
{
    tk_uw_raw(out, dump_b1, 0x30);
    for (; *order; order++)
        tk_uw_raw(out, dump_b1 + b1_packets[*order - '0'].begin,
                  b1_packets[*order - '0'].end - b1_packets[*order - '0'].begin);
}

/* Wire C: threads swapped, declarations last, syncs first or absent. */
START_TEST(b1_other_orders)
{
    static const char *const orders[] = {"0132456", "1234560", "4012356", "0123", "3210"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct tk_uw_bytes bytes = {0};
        reordered(&bytes, orders[i]);
        check_reported(bytes.data, bytes.size, RECORDS, TK_ORDER_SERIAL,
                       B1_IMPORTANT B1_THREAD_2 B1_THREAD_3 B1_HIT_42 B1_HIT_43);
        tk_uw_bytes_release(&bytes);
    }
}
END_TEST

/* B.1 with other serials in place of 42 (thread 2) and 43 (thread 3). */
static void b1_with_serials(struct opened *o, uint32_t two, uint32_t three)
{
    uint8_t bytes[sizeof dump_b1];
    memcpy(bytes, dump_b1, sizeof bytes);
    for (int i = 0; i < 3; i++) {
        bytes[0x1F8 + i] = (uint8_t)(two >> (8 * i));
        bytes[0x1C5 + i] = (uint8_t)(three >> (8 * i));
    }
    open_bytes(o, bytes, sizeof bytes);
    tell_in_order(o, RECORDS, TK_ORDER_SERIAL);
}

static int position(const struct opened *o, const char *what)
{
    const char *at = strstr(o->reported.text, what);
    ck_assert_ptr_nonnull(at);
    return (int)(at - o->reported.text);
}

START_TEST(b1_serials)
{
    static const struct {
        uint32_t two, three;
        bool two_first;
        uint64_t gaps, late;
    } cases[] = {
        {42, 45, true, 2, 0},       {0xFFFFFF, 0, true, 0, 0}, {43, 42, false, 0, 0},
        {0, 0xFFFFFF, false, 0, 0}, {42, 42, true, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o;
        b1_with_serials(&o, cases[i].two, cases[i].three);
        if (cases[i].two != cases[i].three)
            ck_assert_int_eq(position(&o, "Value=1.5") < position(&o, "Value=2"), cases[i].two_first);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), cases[i].gaps);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), cases[i].late);
        close_opened(&o);
    }
}
END_TEST

START_TEST(b2)
{
#define B2_CLOCK "t1 $Trace.NewTrace StartCycle=5000 CycleFrequency=1000 @0\n"
#define B2_THREAD                                                                                            \
    "t2 $Trace.ThreadTiming BaseTimestamp=100\n"                                                             \
    "t2 #16777215 Demo.Work Kind=7 @150\n"                                                                   \
    "t2 #0 Demo.Work Kind=8 @180\n"
    CHECK(dump_b2, RECORDS, TK_ORDER_FILE, B2_CLOCK B2_THREAD);
    CHECK(dump_b2, RECORDS, TK_ORDER_SERIAL, B2_CLOCK B2_THREAD);
    CHECK(dump_b2, TK_FACT_MASK(CLOCK), TK_ORDER_FILE, "clock 5000 1000\n");
}
END_TEST

/* The delta stamps of B.2, as times: the logger's four letters become `Cpu` and one more letter of the event.
 */
START_TEST(b2_scopes)
{
    uint8_t bytes[sizeof dump_b2];
    memcpy(bytes, dump_b2, sizeof bytes);
    ck_assert_mem_eq(bytes + 0x8B, "DemoWork", 8);
    bytes[0x83] = 3;
    bytes[0x84] = 5;
    memcpy(bytes + 0x8B, "CpuBWork", 8);
    CHECK(bytes, SCOPES, TK_ORDER_FILE, "scopes t2: +s0@150 -s@175 +s0@180 -s@181\n");
    CHECK(bytes, SCOPES, TK_ORDER_SERIAL, "scopes t2: +s0@150 -s@175 +s0@180 -s@181\n");
}
END_TEST

START_TEST(b3)
{
#define B3_CLOCK                                                                                             \
    "t1 $Trace.NewTrace StartCycle=9000 CycleFrequency=1000 Serial=16 UserUidBias=5 FeatureSet=1 @0\n"
    CHECK(dump_b3, RECORDS, TK_ORDER_FILE,
          B3_CLOCK "t2 #17 Demo.Str Id=1 Text=\"abc\"\nt1 $Trace.SerialSync\n");
    CHECK(dump_b3, RECORDS, TK_ORDER_SERIAL,
          B3_CLOCK "t1 $Trace.SerialSync\nt2 #17 Demo.Str Id=1 Text=\"abc\"\n");
    CHECK(dump_b3, TK_FACT_MASK(CLOCK), TK_ORDER_FILE, "clock 9000 1000\n");
}
END_TEST

START_TEST(b4)
{
    struct opened o;
    CHECK(dump_b4, RECORDS, TK_ORDER_FILE, "t2 #1 Demo.Hit Id=99 Blob=[222,173]\n");
    CHECK(dump_b4, RECORDS, TK_ORDER_SERIAL, "t2 #1 Demo.Hit Id=99 Blob=[222,173]\n");
    open_bytes(&o, dump_b4, sizeof dump_b4);
    tell_in_order(&o, RECORDS, TK_ORDER_SERIAL);
    ck_assert_uint_eq(all_faults(&o),
                      0); /* the declaration's serial 0 and the event's serial 1 leave no gap */
    close_opened(&o);
}
END_TEST

START_TEST(b5)
{
    CHECK(dump_b5_raw, RECORDS, TK_ORDER_FILE, "t0 Demo.Msg Id=5 +<686900>\n");
    CHECK(dump_b5_raw, RECORDS, TK_ORDER_SERIAL, "t0 Demo.Msg Id=5 +<686900>\n");
    CHECK(dump_b5_packets, RECORDS, TK_ORDER_FILE,
          "t0 Demo.Msg Id=5 +<686900>\nt0 Demo.Msg Id=5 +<686900>\n");
}
END_TEST

/* Health and ledger of all dumps. */
START_TEST(sound)
{
    static const struct {
        const uint8_t *p;
        size_t n;
    } dumps[] = {{dump_b1, sizeof dump_b1},         {dump_b2, sizeof dump_b2},
                 {dump_b3, sizeof dump_b3},         {dump_b4, sizeof dump_b4},
                 {dump_b5_raw, sizeof dump_b5_raw}, {dump_b5_packets, sizeof dump_b5_packets}};
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        struct opened o;
        open_bytes(&o, dumps[i].p, dumps[i].n);
        tell(&o, RECORDS | SCOPES);
        ck_assert_uint_eq(all_faults(&o), 0);
        ck_assert(!o.capture->ops->truncated(o.capture));
        check_ledger(&o);
        close_opened(&o);
    }
}
END_TEST

/* Does every line of `part_of` stand in `whole`, in order? */
static bool in_order(const char *part_of, const char *whole)
{
    while (*part_of) {
        size_t n = strcspn(part_of, "\n") + 1;
        while (*whole && strncmp(whole, part_of, n) != 0)
            whole += strcspn(whole, "\n") + 1;
        if (!*whole)
            return false;
        whole += n;
        part_of += n;
    }
    return true;
}

/* How many packets of B.1 end at or before n bytes. */
static size_t whole_packets(size_t n)
{
    size_t k = 0;
    while (k < sizeof b1_packets / sizeof *b1_packets && b1_packets[k].end <= n)
        k++;
    return k;
}

/* B.1 cut at every byte: what stands before the cut is read, nothing that is not there, and a cut is no
 * damage. */
START_TEST(b1_cut)
{
    static const char all[] = B1_IMPORTANT B1_THREAD_3 B1_HIT_43 B1_THREAD_2 B1_HIT_42;
    for (size_t n = 48; n < sizeof dump_b1; n++) {
        struct opened o;
        size_t whole = whole_packets(n);
        open_bytes(&o, dump_b1, n);
        const char *reported = tell(&o, RECORDS);
        /* an event whose array data is cut is reported with what is there of it */
        if (!strstr(reported, "incomplete"))
            ck_assert_msg(in_order(reported, all), "%zu: %s", n, reported);
        ck_assert(whole < 2 || strstr(reported, "GameThread"));
        ck_assert(whole < 3 || strstr(reported, "t3 #43"));
        ck_assert(whole < 4 || strstr(reported, B1_HIT_42));
        check_ledger(&o);
        ck_assert_msg(!tk_health_damaged(&o.ctx.health), "cut at %zu: %s", n, o.ctx.health.items[0].text);
        close_opened(&o);
    }
}
END_TEST

/* Appends a dump's packets, each as one LZ4 block of literals (token F0, lengths, bytes). */
static void packed(struct tk_uw_bytes *out, const uint8_t *p, size_t n, size_t header)
{
    tk_uw_raw(out, p, header);
    for (size_t at = header; at < n;) {
        size_t stored = (size_t)(p[at] | p[at + 1] << 8), payload = stored - 4;
        uint16_t tid = (uint16_t)(p[at + 2] | p[at + 3] << 8);
        if (!payload) {
            tk_uw_raw(out, p + at, 4);
        } else {
            size_t extra = payload < 15 ? 0 : 1 + (payload - 15) / 255;
            tk_uw_u16(out, (uint16_t)(6 + 1 + extra + payload));
            tk_uw_u16(out, tid | 0x8000);
            tk_uw_u16(out, (uint16_t)payload);
            tk_uw_u8(out, (uint8_t)(payload < 15 ? payload << 4 : 0xF0));
            for (size_t left = payload - 15, i = 0; i < extra; i++, left -= 255)
                tk_uw_u8(out, (uint8_t)(left < 255 ? left : 255));
            tk_uw_raw(out, p + at + 4, payload);
        }
        at += stored;
    }
}

START_TEST(b1_packed)
{
    struct tk_uw_bytes bytes = {0};
    packed(&bytes, dump_b1, sizeof dump_b1, 0x30);
    check_reported(bytes.data, bytes.size, RECORDS, TK_ORDER_FILE,
                   B1_IMPORTANT B1_THREAD_3 B1_HIT_43 B1_THREAD_2 B1_HIT_42);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* Another unpacked size, one more or less, drops just that packet. */
START_TEST(b1_packed_wrong)
{
    for (int delta = -1; delta <= 1; delta += 2) {
        struct tk_uw_bytes bytes = {0};
        struct opened o;
        packed(&bytes, dump_b1, sizeof dump_b1, 0x30);
        size_t at = bytes.size - 12 - (6 + 2 + 0x45 - 4); /* the packet of thread 2 */
        ck_assert_uint_eq(bytes.data[at + 2], 2);
        bytes.data[at + 4] = (uint8_t)(bytes.data[at + 4] + delta);
        open_written(&o, &bytes);
        ck_assert_str_eq(tell(&o, RECORDS), B1_IMPORTANT B1_THREAD_3 B1_HIT_43);
        ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
        ck_assert_uint_eq(part(&o, TK_LEDGER_UNREADABLE), 2 + 0x45 - 4);
        check_ledger(&o);
        close_opened(&o);
        tk_uw_bytes_release(&bytes);
    }
}
END_TEST

/* B.1, every thread packet cut in two at every byte: the same events (wire 2.8). */
START_TEST(b1_split)
{
    const size_t begin = b1_packets[3].begin + 4, end = b1_packets[3].end;
    for (size_t cut = begin + 1; cut < end; cut++) {
        struct tk_uw_bytes bytes = {0};
        tk_uw_raw(&bytes, dump_b1, b1_packets[3].begin);
        tk_uw_u16(&bytes, (uint16_t)(4 + cut - begin));
        tk_uw_u16(&bytes, 2);
        tk_uw_raw(&bytes, dump_b1 + begin, cut - begin);
        tk_uw_u16(&bytes, (uint16_t)(4 + end - cut));
        tk_uw_u16(&bytes, 2);
        tk_uw_raw(&bytes, dump_b1 + cut, end - cut);
        check_reported(bytes.data, bytes.size, RECORDS, TK_ORDER_SERIAL,
                       B1_IMPORTANT B1_THREAD_2 B1_THREAD_3 B1_HIT_42 B1_HIT_43);
        tk_uw_bytes_release(&bytes);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {b1_definitions,
                                  b1_file_order,
                                  b1_serial_order,
                                  b1_scopes,
                                  b1_health,
                                  b1_other_orders,
                                  b1_serials,
                                  b2,
                                  b2_scopes,
                                  b3,
                                  b4,
                                  b5,
                                  sound,
                                  b1_cut,
                                  b1_packed,
                                  b1_packed_wrong,
                                  b1_split};
    return RUN_TESTS("utrace dumps", tests);
}
