/* The header of a stream as it comes, byte by byte, and packets that come in pieces. */
#include "live/session.h"
#include "run.h"

#include <string.h>
#include <tracekit.h>

/* live 8.1 */
static const uint8_t of_5_6[] = {0x32, 0x43, 0x52, 0x54, 0x28, 0x00, 0x02, 0x00, 0xC1, 0x07, 0x10, 0x01,
                                 0x70, 0xAB, 0x07, 0x02, 0xF7, 0xC7, 0x41, 0x69, 0xB1, 0xA1, 0x5C, 0xE0,
                                 0x25, 0xDF, 0xE1, 0x04, 0x10, 0x02, 0x76, 0xCD, 0x5F, 0xA1, 0x51, 0xD3,
                                 0x4F, 0x34, 0x8F, 0xC8, 0x63, 0x6D, 0x1C, 0x1F, 0x63, 0x82, 0x04, 0x07};
static const uint8_t of_5_1[] = {0x32, 0x43, 0x52, 0x54, 0x04, 0x00, 0x02, 0x00, 0xC1, 0x07, 0x04, 0x06};
static const uint8_t of_4_27[] = {0x45, 0x43, 0x52, 0x54, 0x03, 0x04};

static struct tk_hello check(const uint8_t *p, size_t size, uint8_t transport, uint8_t protocol)
{
    struct tk_hello h = {0};
    uint8_t more[64];
    for (size_t n = 0; n < size; n++)
        ck_assert_int_eq(tk_hello_judge(p, n, &h), TK_HELLO_MORE);
    memcpy(more, p, size);
    memset(more + size, 0xEE, sizeof more - size);
    ck_assert_int_eq(tk_hello_judge(more, sizeof more, &h), TK_HELLO_WHOLE);
    ck_assert_int_eq(tk_hello_judge(p, size, &h), TK_HELLO_WHOLE);
    ck_assert_uint_eq(h.size, size);
    ck_assert_uint_eq(h.transport, transport);
    ck_assert_uint_eq(h.protocol, protocol);
    return h;
}

START_TEST(headers_of_engines)
{
    char guid[33];
    struct tk_hello h = check(of_5_6, sizeof of_5_6, 4, 7);
    ck_assert(h.has_port && h.has_session && h.has_trace);
    ck_assert_uint_eq(h.control_port, 1985);
    tk_hello_guid_text(guid, h.session_guid);
    ck_assert_str_eq(guid, "0207AB706941C7F7E05CA1B104E1DF25");
    tk_hello_guid_text(guid, h.trace_guid);
    ck_assert_str_eq(guid, "A15FCD76344FD3516D63C88F82631F1C");
    h = check(of_5_1, sizeof of_5_1, 4, 6);
    ck_assert(h.has_port && !h.has_session);
    h = check(of_4_27, sizeof of_4_27, 3, 4);
    ck_assert(!h.has_port);
}
END_TEST

static enum tk_hello_state judge(const char *p, size_t n)
{
    struct tk_hello h;
    return tk_hello_judge((const uint8_t *)p, n, &h);
}

START_TEST(headers_that_are_none)
{
    ck_assert_int_eq(judge("G", 1), TK_HELLO_FOREIGN);
    ck_assert_int_eq(judge("1CRT", 4), TK_HELLO_FOREIGN);
    ck_assert_int_eq(judge("2CRX", 4), TK_HELLO_FOREIGN);
    ck_assert_int_eq(judge("2C", 2), TK_HELLO_MORE);
    ck_assert_int_eq(judge("2CRT\xFF\xFF", 6), TK_HELLO_MORE);
    ck_assert_int_eq(judge("2CRT\0\0\4\7", 8), TK_HELLO_WHOLE);
    ck_assert_int_eq(judge("2CRT\4\0\2\0\xC1\7\4\7", 12), TK_HELLO_WHOLE);
    ck_assert_int_eq(judge("2CRT\4\0\3\0\xC1\7\4\7", 12), TK_HELLO_DAMAGED); /* a field runs over its block */
    ck_assert_int_eq(judge("2CRT\1\0\0\4\7", 9), TK_HELLO_DAMAGED);
    ck_assert_int_eq(judge("2CRT\4\0\2\x77\xC1\7\4\7", 12), TK_HELLO_WHOLE); /* one of an unknown id */
}
END_TEST

struct seen {
    uint64_t at;
    size_t n;
    int packets;
    const uint8_t *stream;
};

static int take(void *ctx, const uint8_t *packet, size_t n, uint64_t offset)
{
    struct seen *s = ctx;
    must(offset == s->at);
    must(memcmp(packet, s->stream + offset, n) == 0);
    s->at += n;
    s->packets++;
    return TK_OK;
}

enum { PACKETS = 40 };

/* Packets of 4, 5, 6, ... bytes, every third one encoded. */
static size_t fill(uint8_t *p, size_t sizes[PACKETS])
{
    size_t at = 0;
    for (size_t i = 0; i < PACKETS; i++) {
        const size_t n = 4 + i + (i % 3 == 2 ? 2 : 0);
        memset(p + at, (int)i, n);
        p[at] = (uint8_t)n;
        p[at + 1] = 0;
        p[at + 2] = (uint8_t)i;
        p[at + 3] = i % 3 == 2 ? 0x80 : 0;
        sizes[i] = n;
        at += n;
    }
    return at;
}

START_TEST(packets_in_pieces)
{
    uint8_t p[4096];
    size_t sizes[PACKETS];
    const size_t n = fill(p, sizes);
    for (size_t piece = 1; piece < 60; piece++) {
        struct tk_live_packets s = {0};
        struct seen seen = {.stream = p};
        for (size_t at = 0; at < n; at += piece)
            ck_assert_int_eq(tk_live_packets_feed(&s, p + at, at + piece < n ? piece : n - at, take, &seen),
                             TK_OK);
        ck_assert_int_eq(seen.packets, PACKETS);
        ck_assert_uint_eq(s.whole, n);
        ck_assert_uint_eq(s.count, PACKETS);
        ck_assert_uint_eq(s.n_carry, 0);
        ck_assert(!s.damaged);
        tk_live_packets_release(&s);
    }
}
END_TEST

START_TEST(where_a_stream_is_whole)
{
    uint8_t p[4096];
    size_t sizes[PACKETS], end = 0, i = 0;
    const size_t n = fill(p, sizes);
    for (size_t cut = 0; cut <= n; cut++) {
        struct tk_live_packets s = {0};
        struct seen seen = {.stream = p};
        if (i < PACKETS && cut == end + sizes[i])
            end += sizes[i++];
        ck_assert_int_eq(tk_live_packets_feed(&s, p, cut, take, &seen), TK_OK);
        ck_assert_uint_eq(s.whole, end);
        ck_assert_uint_eq(s.n_carry, cut - end);
        tk_live_packets_release(&s);
    }
}
END_TEST

START_TEST(what_is_no_packet)
{
    static const uint8_t bad[] = {8, 0, 2, 0, 1, 2, 3, 4, 3, 0, 2, 0, 9, 9, 9, 9, 9, 9};
    static const uint8_t short_encoded[] = {5, 0, 2, 0x80, 0};
    for (size_t piece = 1; piece <= sizeof bad; piece++) {
        struct tk_live_packets s = {.whole = 0};
        struct seen seen = {.stream = bad};
        for (size_t at = 0; at < sizeof bad; at += piece) {
            const size_t left = sizeof bad - at;
            ck_assert_int_eq(tk_live_packets_feed(&s, bad + at, piece < left ? piece : left, take, &seen),
                             TK_OK);
        }
        ck_assert(s.damaged);
        ck_assert_uint_eq(s.whole, 8);
        tk_live_packets_release(&s);
    }
    struct tk_live_packets s = {0};
    ck_assert_int_eq(tk_live_packets_feed(&s, short_encoded, sizeof short_encoded, NULL, NULL), TK_OK);
    ck_assert(s.damaged);
    tk_live_packets_release(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {headers_of_engines, headers_that_are_none, packets_in_pieces,
                                  where_a_stream_is_whole, what_is_no_packet};
    return RUN_TESTS("live-hello", tests);
}
