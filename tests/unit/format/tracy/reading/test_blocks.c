/*
 * Captures of many blocks, unpacked by one or several threads: whole, cut behind a block or inside one, with
 * a block that does not unpack, and closed while blocks are in the making.
 */
#include "format/tracy/dump.h"
#include "format/tracy/sample.h"

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
    trace.last_time = 11 + 3 * (int64_t)(ZONES - 1);
    trace.threads = threads;
    trace.n_threads = 1;
    tk_tw_open(&w, &options, &trace);
    tk_tw_front(&w, ZONES);
    tk_tw_thread(&w, 0, ZONES, ZONES);
    for (uint32_t i = 0; i < ZONES; i++) {
        tk_tw_zone_begin(&w, 1, 10 + 3 * (int64_t)i, i * 2654435761u >> 31, 0);
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
    ck_assert_uint_eq(
        opened_read_all(&o, memory.data, memory.size, long_forms[_i].jobs, TK_FACT_MASK(SCOPES)), 2 * ZONES);
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
    opened_read_all(&o, memory.data, memory.size, 1, 0);
    uint64_t zones = find_zones(&o);
    opened_close(&o);
    for (size_t i = 1; i < n; i++)
        for (size_t more = 0; more < 10; more += 3) {
            size_t ops =
                opened_read_all(&o, memory.data, at[i] + more, long_forms[_i].jobs, TK_FACT_MASK(SCOPES));
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
    opened_read_all(&o, memory.data, memory.size, 1, 0);
    uint64_t zones = find_zones(&o);
    opened_close(&o);
    for (size_t i = 1; i < n; i++) {
        size_t size = at[i + 1] - at[i] - 4;
        uint8_t *block = memory.data + at[i] + 4, *kept = malloc(size);
        ck_assert_ptr_nonnull(kept);
        memcpy(kept, block, size);
        memset(block, 0xff, size);
        size_t ops = opened_read_all(&o, memory.data, memory.size, long_forms[_i].jobs, TK_FACT_MASK(SCOPES));
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
    size_t ops = opened_read_all(&o, memory.data, memory.size, 2, TK_FACT_MASK(SCOPES));
    ck_assert_uint_gt(ops, 0);
    ck_assert_uint_lt(ops, 2 * ZONES);
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_PACKET_HEADER_DAMAGED], 1);
    ck_assert_uint_eq(o.ctx.health.items[0].offset, at[5]);
    ck_assert_uint_eq(o.ctx.health.ledger[TK_LEDGER_UNREADABLE], memory.size - at[5]);
    opened_close(&o);
    tk_uw_bytes_release(&memory);
}
END_TEST

int main(void)
{
    const TTest *const once[] = {huge_block};
    const TTest *const forms_each[] = {many_blocks, cut_blocks, broken_block, closed_early};
    int failed = RUN_TESTS("tracy blocks", once) != EXIT_SUCCESS;
    failed |= RUN_TESTS_EACH("tracy blocks", forms_each, (int)LENGTH(long_forms)) != EXIT_SUCCESS;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
