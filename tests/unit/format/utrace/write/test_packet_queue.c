/*
 * Packets that are compressed by several threads come out in their order: headers as wire 2.3 has them, and
 * payloads that LZ4 gives back as they were. After a failure nothing more is written, and whoever made the
 * packets is reported.
 */
#include "format/utrace/write/packets.h"
#include "run.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 1500, LONGEST = 4096, ENCODED = 0x8000, TIDS = 50, WHOLE = 7 };

/* What is written, up to so many bytes. */
struct written {
    struct tk_uw_bytes bytes;
    size_t most;
};

static bool write_bytes(void *ctx, const void *data, size_t size)
{
    struct written *w = ctx;
    if (w->bytes.size + size > w->most)
        return false;
    tk_uw_raw(&w->bytes, data, size);
    return !w->bytes.failed;
}

static size_t size_of(size_t number)
{
    return 1 + number * 37 % LONGEST;
}

/* Some are compressed well, others not at all. */
static void fill(uint8_t *p, size_t number)
{
    uint32_t state = (uint32_t)number + 1;
    for (size_t i = 0; i < size_of(number); i++) {
        state = state * 1664525u + 1013904223u;
        p[i] = number % 3 ? (uint8_t)(number + i / 16) : (uint8_t)(state >> 24);
    }
}

static bool is_whole(size_t number)
{
    return number % WHOLE == 0;
}

static bool put_all(unsigned jobs, struct written *w)
{
    struct tk_uw_sink sink = {.write = write_bytes, .ctx = w};
    struct tk_uw_packets packets = {.sink = &sink, .transport = 4};
    struct tk_pool *pool = tk_pool_open(jobs);
    struct tk_uw_queue queue;
    uint8_t data[LONGEST];
    tk_uw_queue_open(&queue, &packets, pool);
    for (size_t i = 0; i < PACKETS; i++) {
        fill(data, i);
        if (is_whole(i))
            tk_uw_packet_copy(&packets, data, size_of(i));
        else
            tk_uw_packet(&packets, (uint16_t)(i % TIDS), data, size_of(i));
    }
    tk_uw_queue_drain(&queue);
    must(tk_uw_packets_failed(&packets) == sink.failed);
    tk_uw_queue_release(&queue);
    tk_pool_close(pool);
    return !sink.failed;
}

/* Checks the packet at p; its bytes. */
static size_t check(const uint8_t *p, size_t left, size_t number)
{
    uint8_t data[LONGEST], unpacked[LONGEST];
    const size_t size = size_of(number);
    fill(data, number);
    if (is_whole(number)) {
        must(left >= size && memcmp(p, data, size) == 0);
        return size;
    }
    must(left > 6);
    const size_t stored = p[0] | (size_t)p[1] << 8;
    const unsigned word = p[2] | (unsigned)p[3] << 8;
    must(left >= stored && (word & ~(unsigned)ENCODED) == number % TIDS);
    if (!(word & ENCODED)) {
        must(stored == 4 + size && memcmp(p + 4, data, size) == 0);
        return stored;
    }
    must((p[4] | (size_t)p[5] << 8) == size);
    must(LZ4_decompress_safe((const char *)p + 6, (char *)unpacked, (int)stored - 6, LONGEST) == (int)size);
    must(memcmp(unpacked, data, size) == 0);
    return stored;
}

START_TEST(all_in_order)
{
    for (unsigned jobs = 2; jobs <= 5; jobs++) {
        struct written w = {.most = SIZE_MAX};
        size_t at = 0;
        ck_assert(put_all(jobs, &w));
        for (size_t i = 0; i < PACKETS; i++)
            at += check(w.bytes.data + at, w.bytes.size - at, i);
        ck_assert_uint_eq(at, w.bytes.size);
        tk_uw_bytes_release(&w.bytes);
    }
}
END_TEST

START_TEST(none_after_a_failure)
{
    struct written all = {.most = SIZE_MAX};
    ck_assert(put_all(2, &all));
    for (unsigned jobs = 2; jobs <= 3; jobs++) {
        struct written w = {.most = all.bytes.size / 2};
        ck_assert(!put_all(jobs, &w));
        ck_assert_uint_gt(w.bytes.size, 0);
        ck_assert_mem_eq(w.bytes.data, all.bytes.data, w.bytes.size);
        tk_uw_bytes_release(&w.bytes);
    }
    tk_uw_bytes_release(&all.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_in_order, none_after_a_failure};
    return run_tests("queue of packets", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
