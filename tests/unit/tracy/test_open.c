/*
 * Opening: containers that are refused, files cut at every byte, bytes that are wrong. What can be read is
 * read, the rest is told, and the ledger sums to the size of the file.
 */
#include "dump.h"

#include "sample.h"

#include <lz4.h>

static const uint64_t all_facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME) | TK_FACT_MASK(LOG) |
                                  TK_FACT_MASK(RECORD) | TK_FACT_MASK(RECORD_COUNT) | TK_FACT_MASK(STREAM);

/* ---- refusals ---- */

static void refuse(const void *p, size_t n, const char *sentence)
{
    struct opened o;
    ck_assert_int_eq(opened_bytes(&o, p, n, 1), TK_EFORMAT);
    ck_assert_msg(strstr(o.err.text[0], sentence) != NULL, "'%s' for '%s'", o.err.text[0], sentence);
    ck_assert_ptr_null(o.capture);
    opened_close(&o);
}

START_TEST(refusals)
{
    static const uint8_t lz4[] = {0x74, 0x6c, 0x5a, 0x04, 0x05, 0x00, 0x00, 0x00, 0x40, 't', 'r', 'a', 'c'};
    refuse("tlZ\x05", 4, "no Tracy capture");
    refuse("tr\xfdP", 4, "ends inside its header");
    refuse("tr\xfdP\x02\x04", 6, "compression 2");
    refuse("tr\xfdP\x01\x00", 6, "0 streams");
    refuse("tr\xfdP\x01\x04", 6, "ends behind its header");
    refuse("tZst", 4, "ends behind its header");
    refuse("tZst\x01\x00", 6, "ends inside its first block");
    refuse("tZst\x01\x00\x00\x00", 8, "ends inside its first block");
    refuse("tZst\xff\xff\xff\x7f"
           "abc",
           11, "more bytes than a block can have");
    refuse("tZst\x04\x00\x00\x00"
           "abcd",
           12, "cannot be unpacked");
    refuse(lz4, sizeof lz4, "cannot be unpacked"); /* four bytes: less than a version */
}
END_TEST

START_TEST(probes)
{
    ck_assert_int_gt(tk_format_tracy.probe((const uint8_t *)"tlZ\x04", 4), 0);
    ck_assert_int_gt(tk_format_tracy.probe((const uint8_t *)"tZst", 4), 0);
    ck_assert_int_gt(tk_format_tracy.probe((const uint8_t *)"tr\xfdP\x01\x04", 6), 0);
    ck_assert_int_eq(tk_format_tracy.probe((const uint8_t *)"tr\xfd", 3), 0);
    ck_assert_int_eq(tk_format_tracy.probe((const uint8_t *)"TRC2", 4), 0);
}
END_TEST

START_TEST(versions)
{
    static const struct {
        uint32_t version;
        const char *sentence;
    } refused[] = {{TK_TW_V(0, 6, 3), "0.6.3"}, {TK_TW_V(0, 15, 0), "0.15.0"}, {TK_TW_V(0, 14, 1), "0.14.1"}};
    for (size_t i = 0; i < LENGTH(refused); i++) {
        struct tk_uw_bytes memory = {0};
        struct tk_tw_options options = {
            .memory = &memory, .version = refused[i].version, .container = TK_TW_MANY};
        ck_assert_int_eq(tk_tw_write(&options, &sample), 0);
        refuse(memory.data, memory.size, refused[i].sentence);
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

/* ---- damage ---- */

/* Reads all that there is. How many zone begins and ends came, or SIZE_MAX when it cannot be opened. */
static size_t read_all(struct opened *o, const void *p, size_t n, unsigned jobs, uint64_t facts)
{
    struct tk_batch batch;
    size_t ops = 0;
    if (opened_bytes(o, p, n, jobs) != TK_OK) {
        must(o->err.n > 0);
        return SIZE_MAX;
    }
    opened_read(o, facts);
    while (opened_next(o, &batch))
        for (size_t i = 0; i < batch.n_runs; i++)
            ops += batch.runs[i].n;
    must(opened_ledger(o) == n);
    return ops;
}

static void write_sample(struct tk_uw_bytes *memory, enum tk_tw_container container, enum tk_tw_codec codec,
                         unsigned streams)
{
    struct tk_tw_options options = {.memory = memory,
                                    .version = TK_TW_V(0, 14, 0),
                                    .container = container,
                                    .codec = codec,
                                    .level = 3,
                                    .streams = streams};
    ck_assert_int_eq(tk_tw_write(&options, &sample), 0);
}

static const struct {
    enum tk_tw_container container;
    enum tk_tw_codec codec;
    unsigned streams;
} forms[] = {{TK_TW_TLZ, TK_TW_LZ4, 1}, {TK_TW_MANY, TK_TW_ZSTD, 3}};

START_TEST(cut_at_every_byte)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    write_sample(&memory, forms[_i].container, forms[_i].codec, forms[_i].streams);
    for (size_t n = 0; n < memory.size; n++) {
        must(read_all(&o, memory.data, n, 1, all_facts) == SIZE_MAX); /* its only block is cut */
        opened_close(&o);
    }
    ck_assert_uint_eq(read_all(&o, memory.data, memory.size, 1, all_facts), 16);
    ck_assert_uint_eq(o.ctx.health.n_items, 0);
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

START_TEST(flip_every_byte)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    write_sample(&memory, forms[_i].container, forms[_i].codec, forms[_i].streams);
    for (size_t i = 0; i < memory.size; i++) {
        memory.data[i] ^= (uint8_t)(1u << i % 8);
        read_all(&o, memory.data, memory.size, 1, all_facts);
        opened_close(&o);
        memory.data[i] ^= (uint8_t)(1u << i % 8);
    }
    tk_uw_bytes_release(&memory);
}
END_TEST

/* ---- many blocks ---- */

#define ZONES 30000 /* 780 kB: 12 blocks */

/* A capture of many blocks: zones of one thread side by side, of the length 1. */
static void write_long(struct tk_uw_bytes *memory, enum tk_tw_codec codec, unsigned streams)
{
    static const struct tk_tw_thread threads[] = {{7, S_MAIN, false, false, NULL, 0, NULL, NULL, 0, 0}};
    struct tk_tw_trace trace = sample;
    struct tk_tw w;
    struct tk_tw_options options = {.memory = memory,
                                    .version = TK_TW_V(0, 14, 0),
                                    .container = TK_TW_MANY,
                                    .codec = codec,
                                    .level = 1,
                                    .streams = streams};
    trace.threads = threads;
    trace.n_threads = 1;
    tk_tw_open(&w, &options, &trace);
    tk_tw_front(&w, ZONES);
    tk_tw_thread(&w, 0, ZONES, ZONES);
    for (uint32_t i = 0; i < ZONES; i++) {
        tk_tw_zone_begin(&w, (int16_t)(1 + i % 2), 10 + 3 * (int64_t)i, i * 2654435761u >> 31, 0);
        tk_tw_zone_end(&w, 11 + 3 * (int64_t)i);
    }
    tk_tw_thread_lists(&w, 0);
    tk_tw_rest(&w);
    ck_assert_int_eq(tk_tw_close(&w), 0);
}

/* Offsets of the blocks of a file with the head of 6 bytes; how many. */
static size_t find_blocks(const struct tk_uw_bytes *m, size_t *at)
{
    size_t n = 0;
    for (size_t p = 6; p < m->size; n++) {
        at[n] = p;
        p += 4 + ((size_t)m->data[p] | (size_t)m->data[p + 1] << 8 | (size_t)m->data[p + 2] << 16);
    }
    at[n] = m->size;
    return n;
}

static const struct {
    enum tk_tw_codec codec;
    unsigned streams, jobs;
} long_forms[] = {{TK_TW_LZ4, 1, 1},  {TK_TW_LZ4, 3, 2},  {TK_TW_LZ4, 20, 3},
                  {TK_TW_ZSTD, 1, 3}, {TK_TW_ZSTD, 4, 2}, {TK_TW_ZSTD, 255, 1}};

START_TEST(many_blocks)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    write_long(&memory, long_forms[_i].codec, long_forms[_i].streams);
    ck_assert_uint_eq(read_all(&o, memory.data, memory.size, long_forms[_i].jobs, TK_FACT_MASK(SCOPES)),
                      2 * ZONES);
    ck_assert_uint_eq(o.ctx.health.n_items, 0);
    ck_assert(!o.capture->ops->truncated(o.capture));
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* How many of the begins and ends lie before a byte of the payload, where the zones begin at `first`. */
static size_t ops_before(uint64_t at, uint64_t first)
{
    uint64_t zones = (at - first) / 26;
    return (size_t)(2 * zones + ((at - first) % 26 >= 18));
}

/* Where the zones begin: what the table of sections says, and 4 bytes for their number. */
static int take_section(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    (void)table;
    (void)err;
    struct tk_str name = {rows->cells[0].v.p, rows->cells[0].n, rows->cells[0].enc};
    if (is_text(&name, "zones"))
        *(uint64_t *)self = rows->cells[1].v.u + 24 + 8 + 8 + 8 + 1 + 4 + 4;
    return TK_OK;
}

static uint64_t find_zones(struct opened *o)
{
    uint64_t at = 0;
    struct tk_sink sink = {.self = &at, .rows = take_section};
    ck_assert_int_eq(o->capture->ops->describe(o->capture, tk_format_tracy.tables[1], &sink, &o->err), TK_OK);
    ck_assert_uint_gt(at, 0);
    return at;
}

/* Cut behind a block or inside one: all whole blocks count, the capture is truncated and nothing is damaged.
 */
START_TEST(cut_blocks)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    size_t at[64];
    write_long(&memory, long_forms[_i].codec, long_forms[_i].streams);
    size_t n = find_blocks(&memory, at);
    ck_assert_uint_ge(n, 12);
    read_all(&o, memory.data, memory.size, 1, 0);
    uint64_t zones = find_zones(&o);
    opened_close(&o);
    for (size_t i = 1; i < n; i++)
        for (size_t more = 0; more < 10; more += 3) {
            size_t ops = read_all(&o, memory.data, at[i] + more, long_forms[_i].jobs, TK_FACT_MASK(SCOPES));
            ck_assert_uint_eq(ops, ops_before(i * TK_TW_BLOCK, zones));
            ck_assert(o.capture->ops->truncated(o.capture));
            ck_assert_uint_ge(o.ctx.health.counts[TK_HEALTH_FILE_TRUNCATED], 1);
            ck_assert(!tk_health_damaged(&o.ctx.health));
            ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_TRUNCATED], more);
            opened_close(&o);
        }
    tk_uw_bytes_release(&memory);
}
END_TEST

/* A block that does not unpack: what is before it counts, it and the rest are unreadable. */
START_TEST(broken_block)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    size_t at[64];
    write_long(&memory, long_forms[_i].codec, long_forms[_i].streams);
    size_t n = find_blocks(&memory, at);
    read_all(&o, memory.data, memory.size, 1, 0);
    uint64_t zones = find_zones(&o);
    opened_close(&o);
    for (size_t i = 1; i < n; i++) {
        size_t size = at[i + 1] - at[i] - 4;
        uint8_t *block = memory.data + at[i] + 4, *kept = malloc(size);
        ck_assert_ptr_nonnull(kept);
        memcpy(kept, block, size);
        memset(block, 0xff, size);
        size_t ops = read_all(&o, memory.data, memory.size, long_forms[_i].jobs, TK_FACT_MASK(SCOPES));
        ck_assert_uint_eq(ops, ops_before(i * TK_TW_BLOCK, zones));
        ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_PACKET_DAMAGED], 1);
        ck_assert_uint_eq(o.ctx.health.items[0].offset, at[i]);
        ck_assert_ptr_nonnull(strstr(o.ctx.health.items[0].text, "section 'zones'"));
        ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_UNREADABLE], memory.size - at[i] - 4 * (n - i));
        ck_assert(!o.capture->ops->truncated(o.capture));
        opened_close(&o);
        memcpy(block, kept, size);
        free(kept);
    }
    tk_uw_bytes_release(&memory);
}
END_TEST

/* Closed in the middle, with blocks in the making. */
START_TEST(closed_early)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    struct tk_batch batch;
    write_long(&memory, long_forms[_i].codec, long_forms[_i].streams);
    for (int reads = 0; reads < 3; reads++) {
        ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 3), TK_OK);
        opened_read(&o, TK_FACT_MASK(RECORD));
        for (int i = 0; i < reads; i++)
            ck_assert(opened_next(&o, &batch));
        opened_close(&o);
    }
    tk_uw_bytes_release(&memory);
}
END_TEST

/* A block that is larger than any can be ends the walk over the blocks. */
START_TEST(huge_block)
{
    struct tk_uw_bytes memory = {0};
    struct opened o;
    size_t at[64];
    write_long(&memory, TK_TW_ZSTD, 2);
    find_blocks(&memory, at);
    memory.data[at[5] + 3] = 0x7f;
    size_t ops = read_all(&o, memory.data, memory.size, 2, TK_FACT_MASK(SCOPES));
    ck_assert_uint_gt(ops, 0);
    ck_assert_uint_lt(ops, 2 * ZONES);
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_PACKET_HEADER_DAMAGED], 1);
    ck_assert_uint_eq(o.ctx.health.items[0].offset, at[5]);
    ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_UNREADABLE], memory.size - at[5]);
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* ---- payloads ---- */

/* A capture of one LZ4 block from a payload. */
static void pack(struct tk_uw_bytes *memory, const void *payload, size_t n)
{
    struct tk_uw_sink sink;
    struct tk_tw_blocks blocks;
    tk_uw_sink_memory(&sink, memory);
    tk_tw_blocks_open(&blocks, &sink, TK_TW_TLZ, TK_TW_LZ4, 0, 1);
    tk_uw_raw(&blocks.pending, payload, n);
    tk_tw_blocks_close(&blocks);
    ck_assert_int_eq(tk_uw_sink_close(&sink), 0);
}

/* The payload of the sample, which is one block. */
static size_t payload_of_sample(uint8_t payload[TK_TW_BLOCK])
{
    struct tk_uw_bytes memory = {0};
    write_sample(&memory, TK_TW_TLZ, TK_TW_LZ4, 1);
    int size = LZ4_decompress_safe((const char *)memory.data + 8, (char *)payload, (int)memory.size - 8,
                                   TK_TW_BLOCK);
    ck_assert_int_gt(size, 1000);
    tk_uw_bytes_release(&memory);
    return (size_t)size;
}

/* A complete block that ends inside a section is damage, not a cut file: wherever it ends. */
START_TEST(short_payload)
{
    static uint8_t payload[TK_TW_BLOCK];
    struct opened o;
    size_t size = payload_of_sample(payload);
    for (size_t n = 8; n < size; n++) {
        struct tk_uw_bytes memory = {0};
        pack(&memory, payload, n);
        must(read_all(&o, memory.data, memory.size, 1, all_facts) != SIZE_MAX);
        must(o.ctx.health.counts[TK_HEALTH_PAYLOAD_DAMAGED] == 1);
        must(o.ctx.health.n_items == 1);
        must(!o.capture->ops->truncated(o.capture));
        opened_close(&o);
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

/* Any byte may be anything: nothing is believed, no memory is asked for in vain. */
START_TEST(wrong_byte)
{
    static uint8_t payload[TK_TW_BLOCK];
    struct opened o;
    size_t size = payload_of_sample(payload);
    for (size_t i = 8; i < size; i++) {
        struct tk_uw_bytes memory = {0};
        uint8_t kept = payload[i];
        payload[i] = _i ? 0xff : 0x80;
        pack(&memory, payload, size);
        read_all(&o, memory.data, memory.size, 1, all_facts);
        opened_close(&o);
        payload[i] = kept;
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

int main(void)
{
    const TTest *const once[] = {refusals, probes, versions, huge_block, short_payload};
    const TTest *const twice[] = {cut_at_every_byte, flip_every_byte, wrong_byte};
    const TTest *const forms_each[] = {many_blocks, cut_blocks, broken_block, closed_early};
    int failed = RUN_TESTS("tracy open", once) != EXIT_SUCCESS;
    failed |= RUN_TESTS_EACH("tracy damage", twice, 2) != EXIT_SUCCESS;
    failed |= RUN_TESTS_EACH("tracy blocks", forms_each, (int)LENGTH(long_forms)) != EXIT_SUCCESS;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
