/*
 * Opening: containers that are refused, files cut at every byte, bytes that are wrong. What can be read is
 * read, the rest is reported, and the ledger sums to the size of the file.
 */
#include "format/tracy/dump.h"
#include "format/tracy/file/version.h"
#include "format/tracy/sample.h"
#include "tracy_values.h"

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
    refuse("tlZ\x05", 4, "not a Tracy capture");
    refuse("tr\xfdP", 4, "ends inside its header");
    refuse("tr\xfdP\x02\x04", 6, "compression 2");
    refuse("tr\xfdP\x01\x00", 6, "0 streams");
    refuse("tr\xfdP\x01\x04", 6, "ends after its header");
    refuse("tZst", 4, "ends after its header");
    refuse("tZst\x01\x00", 6, "ends inside its first block");
    refuse("tZst\x01\x00\x00\x00", 8, "ends inside its first block");
    refuse("tZst\xff\xff\xff\x7f"
           "abc",
           11, "more bytes than a block can have");
    refuse("tZst\x04\x00\x00\x00"
           "abcd",
           12, "cannot be decompressed");
    refuse(lz4, sizeof lz4, "cannot be decompressed"); /* four bytes: less than a version */
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
    } refused[] = {{TK_TW_V(0, 6, 3), "0.6.3"}, {TK_TW_V(0, 15, 0), "0.15.0"}, {TK_TW_V(1, 0, 0), "1.0.0"}};
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

/* Patches of the newest version that the writer writes, of which 1 is the last that is known. */
#define PATCH(n) TK_TW_V(0, 14, n)

static bool is_newer(uint32_t version)
{
    return (version & 0xff) > 1;
}

static const char *note_of(const struct opened *o, enum tk_health_kind kind)
{
    for (size_t i = 0; i < o->ctx.health.n_items; i++)
        if (o->ctx.health.items[i].kind == kind)
            return o->ctx.health.items[i].text;
    return "";
}

static void written(struct tk_uw_bytes *memory, uint32_t version)
{
    struct tk_tw_options options = {.memory = memory, .version = version, .container = TK_TW_MANY};
    ck_assert_int_eq(tk_tw_write(&options, &sample), 0);
}

/* A patch later than the newest that is known is read with its layout, and reported. */
START_TEST(later_patches)
{
    static const uint8_t patches[] = {0, 1, 2, 255};
    for (size_t i = 0; i < LENGTH(patches); i++) {
        struct tk_uw_bytes memory = {0};
        struct opened o;
        written(&memory, PATCH(patches[i]));
        ck_assert_uint_eq(opened_read_all(&o, memory.data, memory.size, 1, all_facts), 16);
        ck_assert_uint_eq(o.ctx.health.n_items, is_newer(PATCH(patches[i])));
        ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_VERSION_NEWER], is_newer(PATCH(patches[i])));
        ck_assert(!tk_health_damaged(&o.ctx.health));
        opened_close(&o);
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

START_TEST(a_later_patch_is_the_likely_reason)
{
    const struct tk_tw_trace trace = {0};
    struct tk_uw_bytes memory = {0};
    struct tk_batch batch;
    struct tk_tw w;
    struct opened o;
    tk_tw_open(&w, &(struct tk_tw_options){.memory = &memory, .version = PATCH(2)}, &trace);
    tk_tw_front(&w, 0);
    tk_tw_rest(&w);
    tk_tracy_put(&w.out, 1, 8); /* what the newest known does not have */
    ck_assert_int_eq(tk_tw_close(&w), 0);
    ck_assert_int_eq(opened_bytes(&o, memory.data, memory.size, 1), TK_OK);
    opened_read(&o, TK_FACT_ALL);
    while (opened_next(&o, &batch))
        ;
    ck_assert_ptr_nonnull(strstr(note_of(&o, TK_HEALTH_PAYLOAD_DAMAGED), "bytes follow the last section"));
    ck_assert((strstr(note_of(&o, TK_HEALTH_PAYLOAD_DAMAGED), "newer Tracy") != NULL) == is_newer(PATCH(2)));
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

/* ---- damage ---- */

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
        must(opened_read_all(&o, memory.data, n, 1, all_facts) == SIZE_MAX); /* its only block is cut */
        opened_close(&o);
    }
    ck_assert_uint_eq(opened_read_all(&o, memory.data, memory.size, 1, all_facts), 16);
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
        opened_read_all(&o, memory.data, memory.size, 1, all_facts);
        opened_close(&o);
        memory.data[i] ^= (uint8_t)(1u << i % 8);
    }
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
        must(opened_read_all(&o, memory.data, memory.size, 1, all_facts) != SIZE_MAX);
        must(o.ctx.health.counts[TK_HEALTH_PAYLOAD_DAMAGED] == 1);
        must(o.ctx.health.n_items == 1);
        must(!o.capture->ops->truncated(o.capture));
        opened_close(&o);
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

/* Any byte may be anything: nothing is believed, no memory is requested in vain. */
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
        opened_read_all(&o, memory.data, memory.size, 1, all_facts);
        opened_close(&o);
        payload[i] = kept;
        tk_uw_bytes_release(&memory);
    }
}
END_TEST

int main(void)
{
    const TTest *const once[] = {
        refusals, probes, versions, later_patches, a_later_patch_is_the_likely_reason, short_payload};
    const TTest *const twice[] = {cut_at_every_byte, flip_every_byte, wrong_byte};
    int failed = RUN_TESTS("tracy open", once) != EXIT_SUCCESS;
    failed |= RUN_TESTS_EACH("tracy damage", twice, 2) != EXIT_SUCCESS;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
