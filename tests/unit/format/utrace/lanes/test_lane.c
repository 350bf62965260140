/*
 * Lanes of protocols 5 to 7: every record kind, fed whole, byte by byte and cut in two at every byte
 * (wire 3.5).
 */
#include "format/utrace/lane_types.h"
#include "format/utrace/wire/index.h"

/* ---- events ---- */

START_TEST(plain_events)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        open_lane(protocol);
        put_tick(&tick, 1);
        f.stream.serial = 0xFFFFFF;
        put_tick(&tock, 2);
        f.stream.serial = 0x010203;
        tk_uw_begin(&f.lane, &bare);
        tk_uw_end(&f.lane, &bare);
        put_tick(&last, 0xFFFFFFFF);
        put_text(&text, 3, "abc");
        put_text(&note, 4, "");
        fed_check(&f, "Demo.Tick N=1\n"
                      "#16777215 Demo.Tock N=2\n"
                      "#66051 Demo.Bare\n"
                      "Demo.Last N=4294967295\n"
                      "#66052 Demo.Text A=3 Text=\"abc\" Data=[]\n"
                      "Demo.Note A=4 Text=\"\" Data=[]\n");
        ck_assert_uint_eq(f.health.n_items, 0);
    }
}
END_TEST

/* The bytes of wire 3.5, by hand: a u8 code for a uid is taken too. */
START_TEST(by_hand)
{
    FED_RAW(&f, "\x20\x07\x00\x00\x00");                 /* uid 16 in one byte */
    FED_RAW(&f, "\x21\x00\x08\x00\x00\x00");             /* in two */
    FED_RAW(&f, "\x23\x00\x2A\x00\x01\x09\x00\x00\x00"); /* uid 17, serial 0x01002A */
    FED_RAW(&f, "\x27\x00\x05\x00\x02\x41\x00\x00hi\x02\x82\x00\x00\x01\x00\x02\x00\x06");
    fed_check(&f,
              "Demo.Tick N=7\nDemo.Tick N=8\n#65578 Demo.Tock N=9\nDemo.Note A=5 Text=\"hi\" Data=[1,2]\n");
}
END_TEST

/* tid 0x3FFE: serial numbers are there but mean nothing (wire 2.7). */
START_TEST(connection_lane)
{
    fed_again(7, TK_UT_TID_CONNECT);
    fed_declare(&f, &tock);
    fed_declare(&f, &text);
    f.stream.serial = 0;
    put_tick(&tock, 5);
    put_text(&text, 6, "x");
    fed_check(&f, "Demo.Tock N=5\nDemo.Text A=6 Text=\"x\" Data=[]\n");
}
END_TEST

START_TEST(several_blobs)
{
    open_lane(6);
    f.lane.blob_max = 3;
    begin_text(&note, 1);
    tk_uw_value(&f.lane, &note, 2, "\1\0\2\0\3\0\4\0\5",
                9); /* elements cut in two, half an element left over */
    tk_uw_value(&f.lane, &note, 1, "hello, world", 12);
    tk_uw_blob(&f.lane, &note, 1, "", 0);
    tk_uw_value(&f.lane, &note, 2, "\0\6\0", 3);
    tk_uw_end(&f.lane, &note);
    fed_check(&f, "Demo.Note A=1 Text=\"hello, world\" Data=[1,2,3,4,5,6]\n");
}
END_TEST

/* A value of 300 000 bytes in pieces; blobs of up to 524 287 bytes. */
START_TEST(large_values)
{
    static const size_t sizes[] = {65536, 100000, 524287};
    static char data[524287];
    memset(data, 'x', sizeof data);
    for (size_t i = 0; i < 3; i++) {
        struct lines expected = {0};
        open_lane(7);
        f.lane.blob_max = i == 1 ? 4090 : 0;
        begin_text(&note, 1);
        tk_uw_value(&f.lane, &note, 1, data, sizes[i]);
        tk_uw_end(&f.lane, &note);
        put_tick(&tick, 2);
        add_line(&expected, "Demo.Note A=1 Text=\"%.*s\" Data=[]\nDemo.Tick N=2\n", (int)sizes[i], data);
        ck_assert_str_eq(fed_whole(&f), expected.text);
        size_t cuts[200] = {0};
        for (size_t k = 0; k < 150 && (k + 1) * 4000 < f.lane.pending.size; k++)
            cuts[k] = (k + 1) * 4000;
        ck_assert_str_eq(fed_in_pieces(&f, cuts), expected.text);
        release_lines(&expected);
    }
}
END_TEST

/* Blobs for fields that take none are left out, and reported. */
START_TEST(wrong_blobs)
{
    begin_text(&note, 1);
    tk_uw_blob(&f.lane, &note, 0, "scalar", 6);
    tk_uw_blob(&f.lane, &note, 1, "ok", 2);
    tk_uw_blob(&f.lane, &note, 31, "far", 3);
    tk_uw_end(&f.lane, &note);
    ck_assert_str_eq(fed_whole(&f), "Demo.Note A=1 Text=\"ok\" Data=[]\n");
    ck_assert_uint_eq(noted(TK_HEALTH_BLOB_ORPHAN), 2);
}
END_TEST

/* Field 31 is the last that a blob can name. */
START_TEST(last_field_with_blobs)
{
    struct tk_uw_field fields[33];
    struct tk_uw_type many = {
        .logger = "A", .event = "B", TK_UW_FIELDS(fields), .flags = TK_UW_AUX | TK_UW_NOSYNC, .uid = 40};
    for (size_t i = 0; i < 33; i++)
        fields[i] = (struct tk_uw_field){.name = "f", .type = i < 31 ? TK_UW_U8 : TK_UW_ANSI};
    fed_declare(&f, &many);
    tk_uw_begin(&f.lane, &many);
    for (size_t i = 0; i < 31; i++)
        tk_uw_u8(&f.lane.pending, 0);
    tk_uw_blob(&f.lane, &many, 31, "yes", 3);
    tk_uw_end(&f.lane, &many);
    ck_assert_ptr_nonnull(strstr(fed_whole(&f), " f=0 f=\"yes\" f=\"\"\n"));
}
END_TEST

/* ---- counts ---- */

START_TEST(counts)
{
    uint64_t n[FED_TYPES] = {0}, bytes[FED_TYPES] = {0};
    f.decoder.n_want = sizeof types / sizeof *types;
    f.decoder.counts = n;
    f.decoder.bytes = bytes;
    put_tick(&tick, 1);
    put_tick(&tick, 2);
    put_tick(&tock, 3);
    put_text(&note, 4, "abc");
    ck_assert_str_eq(fed_whole(&f), "");
    ck_assert_uint_eq(n[0], 2);
    ck_assert_uint_eq(bytes[0], 12);
    ck_assert_uint_eq(n[1], 1);
    ck_assert_uint_eq(bytes[1], 9);
    ck_assert_uint_eq(n[3], 1);
    ck_assert_uint_eq(bytes[3], 2 + 2 + 4 + 3 + 1);
}
END_TEST

/* ---- events that nobody wants ---- */

static uint32_t passes[TK_UT_PASSES];

/* Only these types are wanted, by their place in `types`; the others can be passed over. */
static void want_only(unsigned one, unsigned other)
{
    const size_t n = sizeof types / sizeof *types;
    memset(passes, 0, sizeof passes);
    for (size_t i = 0; i < n; i++) {
        f.want[i] = i == one || i == other;
        if (!f.want[i])
            passes[types[i]->uid] = tk_ut_pass_of(f.schema.types.v[i]);
    }
    f.decoder.n_want = (uint32_t)n;
    f.decoder.passes = passes;
}

/* Between, around and inside of those that are wanted, wherever packets end. A scope around one is reported.
 */
START_TEST(passed_over)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        open_lane(protocol);
        want_only(0, 2);
        put_text(&note, 4, "ab");
        put_tick(&tick, 1);
        put_tick(&tock, 2);
        put_tick(&last, 6);
        begin_text(&text, 3);
        tk_uw_value(&f.lane, &text, 1, "x", 1);
        put_tick(&tock, 4);
        put_text(&note, 5, "");
        tk_uw_end(&f.lane, &text);
        f.lane.blob_max = 2;
        put_text(&note, 6, "abcde");
        if (protocol == 7)
            FED_RAW(&f, "\x0C\x7E\x04\x00\x00\x00\x00\x00\x00"); /* 1150, absolute */
        put_tick(&work, 7);
        if (protocol == 7)
            FED_RAW(&f, "\x0E\x97\x04\x00\x00\x00\x00\x00\x00");
        put_tick(&tock, 8);
        put_tick(&tick, 9);
        fed_check(&f, protocol < 7 ? "Demo.Tick N=1\n#1 Demo.Text A=3 Text=\"x\" Data=[]\nDemo.Tick N=9\n"
                                   : "Demo.Tick N=1\n#1 Demo.Text A=3 Text=\"x\" Data=[]\n"
                                     "enter Cpu.Work 150\nleave 175\nDemo.Tick N=9\n");
        ck_assert_uint_eq(f.health.n_items, 0);
    }
}
END_TEST

START_TEST(how_to_pass_over)
{
    open_lane(7);
    ck_assert_uint_eq(tk_ut_pass_of(f.schema.types.v[0]), 6 << TK_UT_PASS_BITS);
    ck_assert_uint_eq(tk_ut_pass_of(f.schema.types.v[1]), 9 << TK_UT_PASS_BITS | TK_UT_PASS_SYNCED);
    ck_assert_uint_eq(tk_ut_pass_of(f.schema.types.v[3]), 4 << TK_UT_PASS_BITS | TK_UT_PASS_AUX);
    ck_assert_uint_eq(tk_ut_pass_of(f.schema.types.v[7]), 0); /* ThreadTiming, which the decoding needs */
}
END_TEST

/* ---- a type that changes (wire 3.10) ---- */

/* The packets at 100.. hold the old layout, those from 150 on the new one. */
START_TEST(redeclared)
{
    static const struct tk_uw_field wide[] = {{.name = "M", .type = TK_UW_U16}};
    struct tk_uw_type changed = tick;
    put_tick(&tick, 1);
    put_tick(&tick, 2);
    ck_assert_uint_eq(f.lane.pending.size, 12);
    size_t cuts[] = {6, 12, 0};
    changed.fields = wide;
    fed_declare_at(&f, &changed, 112);
    FED_RAW(&f, "\x21\x00\x03\x00\x21\x00\x04\x00");
    check_text(fed_in_pieces(&f, cuts), "Demo.Tick N=1\nDemo.Tick N=2\nDemo.Tick M=3\nDemo.Tick M=4\n");
    ck_assert_uint_eq(noted(TK_HEALTH_TYPE_REDECLARED), 1);
}
END_TEST

/* A thread is a stream of bytes: an event that goes on in the next packet is no damage, wherever it is cut,
 * and whatever its bytes look like (wire 2.8). */
START_TEST(cut_anywhere)
{
    static const uint32_t values[] = {0, 6, 0x06060606, 0x0a080a08, 0x00410002, 0x22222222, 0xffffffff};
    for (uint8_t protocol = 6; protocol <= 7; protocol++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            open_lane(protocol);
            for (unsigned i = 0; i < 3; i++)
                put_tick(&tick, values[v]);
            put_text(&text, 7, "ab");
            put_tick(&tick, values[v]);
            for (size_t cut = 1; cut < f.lane.pending.size; cut++)
                for (size_t other = cut + 1; other < f.lane.pending.size; other++) {
                    fed_in_pieces(&f, (const size_t[]){cut, other, 0});
                    ck_assert_msg(f.health.n_items == 0, "%u %x %zu %zu: %s", protocol, values[v], cut, other,
                                  f.health.n_items ? f.health.items[0].text : "");
                }
        }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {cut_anywhere,  plain_events, by_hand,     connection_lane,
                                  several_blobs, large_values, wrong_blobs, last_field_with_blobs,
                                  counts,        redeclared,   passed_over, how_to_pass_over};
    return RUN_TESTS_AROUND("utrace lane", tests, lane_begin, lane_end);
}
