/*
 * Versions that were never released: a capture in any layout of a minor version, whose number says another
 * patch of it, has the facts of the same capture under its own number (which test_facts.c holds against the
 * description).
 */
#include "format/tracy/file/version.h"
#include "format/tracy/dump.h"
#include "format/tracy/sample.h"

#include <lz4.h>

/* The layouts of each minor version: where tracy-file 2.1 says that something changes. */
static const struct {
    uint32_t layout;
    bool newest;
} layouts[] = {
    {TK_TW_V(0, 7, 0), false},  {TK_TW_V(0, 7, 3), false},  {TK_TW_V(0, 7, 5), false},
    {TK_TW_V(0, 7, 6), false},  {TK_TW_V(0, 7, 8), false},  {TK_TW_V(0, 7, 9), false},
    {TK_TW_V(0, 7, 10), false}, {TK_TW_V(0, 7, 11), false}, {TK_TW_V(0, 7, 12), false},
    {TK_TW_V(0, 7, 14), false}, {TK_TW_V(0, 7, 15), true},  {TK_TW_V(0, 8, 0), false},
    {TK_TW_V(0, 8, 3), false},  {TK_TW_V(0, 8, 5), true},   {TK_TW_V(0, 9, 0), false},
    {TK_TW_V(0, 9, 2), true},   {TK_TW_V(0, 10, 0), true},  {TK_TW_V(0, 11, 0), false},
    {TK_TW_V(0, 11, 1), false}, {TK_TW_V(0, 11, 2), false}, {TK_TW_V(0, 11, 3), true},
    {TK_TW_V(0, 12, 0), false}, {TK_TW_V(0, 12, 3), false}, {TK_TW_V(0, 12, 4), true},
    {TK_TW_V(0, 13, 0), false}, {TK_TW_V(0, 13, 2), false}, {TK_TW_V(0, 13, 4), false},
    {TK_TW_V(0, 13, 5), true},  {TK_TW_V(0, 14, 0), true},
};

/* The sample, laid out as one version and called another. */
static void write_called(struct tk_uw_bytes *memory, uint32_t layout, uint32_t called)
{
    const struct tk_tw_options options = {
        .memory = memory, .version = layout, .container = TK_TW_TLZ, .codec = TK_TW_LZ4, .streams = 1};
    static uint8_t payload[TK_TW_BLOCK];
    struct tk_uw_bytes own = {0};
    struct tk_tw_options first = options;
    first.memory = &own;
    ck_assert_int_eq(tk_tw_write(&first, &sample), 0);
    int size = LZ4_decompress_safe((const char *)own.data + 8, (char *)payload, (int)own.size - 8,
                                   (int)sizeof payload);
    ck_assert_int_gt(size, 1000);
    payload[7] = (uint8_t)called;
    struct tk_uw_sink sink;
    struct tk_tw_blocks blocks;
    tk_uw_sink_memory(&sink, memory);
    tk_tw_blocks_open(&blocks, &sink, TK_TW_TLZ, TK_TW_LZ4, 0, 1);
    tk_uw_raw(&blocks.pending, payload, (size_t)size);
    tk_tw_blocks_close(&blocks);
    ck_assert_int_eq(tk_uw_sink_close(&sink), 0);
    tk_uw_bytes_release(&own);
}

/* Its facts but for the version. */
static void read_facts(struct lines *out, const struct tk_uw_bytes *memory, struct opened *o)
{
    ck_assert_int_eq(opened_bytes(o, memory->data, memory->size, 1), TK_OK);
    dump_reading(out, o,
                 TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME) | TK_FACT_MASK(LOG) | TK_FACT_MASK(RECORD) |
                     TK_FACT_MASK(RECORD_COUNT) | TK_FACT_MASK(STREAM),
                 DUMP_DEFINITIONS | DUMP_EVENTS);
    lines_put(out, "", 1);
    char *version = strstr(out->text.v, "TracyVersion = ");
    ck_assert_ptr_nonnull(version);
    char *end = strchr(version, '\n');
    memmove(version, end, strlen(end) + 1);
}

static const char *note_of(const struct opened *o)
{
    for (size_t i = 0; i < o->ctx.health.n_items; i++)
        if (o->ctx.health.items[i].kind == TK_HEALTH_VERSION_NEWER)
            return o->ctx.health.items[i].text;
    return "";
}

static void read_as(uint32_t layout, uint32_t called, const char *sentence)
{
    struct tk_uw_bytes memory = {0}, own = {0};
    struct lines have = {0}, want = {0};
    struct opened o, first;
    write_called(&own, layout, layout);
    write_called(&memory, layout, called);
    read_facts(&want, &own, &first);
    read_facts(&have, &memory, &o);
    ck_assert_uint_gt(strlen(want.text.v), 4000);
    ck_assert_uint_eq(first.ctx.health.n_items, 0);
    dump_compare(&have, want.text.v, sentence);
    ck_assert_msg(strstr(note_of(&o), sentence) != NULL, "%x as %x: '%s'", (unsigned)layout, (unsigned)called,
                  note_of(&o));
    ck_assert_uint_eq(o.ctx.health.n_items, *sentence ? 1 : 0);
    lines_release(&want);
    opened_close(&first);
    opened_close(&o);
    tk_uw_bytes_release(&own);
    tk_uw_bytes_release(&memory);
}

START_TEST(patches_that_are_not_known)
{
    static const uint8_t patches[] = {16, 99, 255};
    const uint32_t minor = layouts[_i].layout & ~UINT32_C(0xff);
    for (size_t i = 0; i < LENGTH(patches); i++)
        read_as(layouts[_i].layout, minor | patches[i],
                layouts[_i].newest ? "the newest that is known" : "whose layout it has");
}
END_TEST

/* A fork may have the number of a development version, and a layout of another one. */
START_TEST(numbers_of_development)
{
    read_as(TK_TW_V(0, 13, 1), TK_TW_V(0, 13, 2), "read as one of 0.13.1, whose layout it has");
    read_as(TK_TW_V(0, 13, 5), TK_TW_V(0, 13, 2), "read as one of 0.13.6, whose layout it has");
    read_as(TK_TW_V(0, 12, 2), TK_TW_V(0, 12, 4), "read as one of 0.12.2, whose layout it has");
    read_as(TK_TW_V(0, 13, 2), TK_TW_V(0, 13, 2), "");
    read_as(TK_TW_V(0, 13, 2), TK_TW_V(0, 13, 3), "");
}
END_TEST

START_TEST(the_next_patches)
{
    read_as(TK_TW_V(0, 13, 1), TK_TW_V(0, 13, 9), "saved by Tracy 0.13.9; it is read as one of 0.13.1");
    read_as(TK_TW_V(0, 14, 1), TK_TW_V(0, 14, 7), "saved by Tracy 0.14.7; it is read as one of 0.14.1");
    read_as(TK_TW_V(0, 11, 1), TK_TW_V(0, 11, 9), "saved by Tracy 0.11.9; it is read as one of 0.11.1");
    read_as(TK_TW_V(0, 12, 2), TK_TW_V(0, 12, 5), "saved by Tracy 0.12.5; it is read as one of 0.12.2");
    read_as(TK_TW_V(0, 10, 0), TK_TW_V(0, 10, 1), "saved by Tracy 0.10.1; it is read as one of 0.10.0");
    read_as(TK_TW_V(0, 9, 1), TK_TW_V(0, 9, 3), "saved by Tracy 0.9.3; it is read as one of 0.9.1");
    read_as(TK_TW_V(0, 8, 2), TK_TW_V(0, 8, 6), "saved by Tracy 0.8.6; it is read as one of 0.8.2");
}
END_TEST

/* One that breaks off is read in the layout in which most of its sections can be read. */
START_TEST(breaks_off)
{
    static uint8_t payload[TK_TW_BLOCK];
    struct tk_uw_bytes memory = {0}, cut = {0};
    struct tk_uw_sink sink;
    struct tk_tw_blocks blocks;
    struct opened o;
    write_called(&memory, TK_TW_V(0, 13, 1), TK_TW_V(0, 13, 9));
    int size = LZ4_decompress_safe((const char *)memory.data + 8, (char *)payload, (int)memory.size - 8,
                                   (int)sizeof payload);
    tk_uw_sink_memory(&sink, &cut);
    tk_tw_blocks_open(&blocks, &sink, TK_TW_TLZ, TK_TW_LZ4, 0, 1);
    tk_uw_raw(&blocks.pending, payload, (size_t)size - 100);
    tk_tw_blocks_close(&blocks);
    ck_assert_int_eq(tk_uw_sink_close(&sink), 0);
    ck_assert_uint_eq(opened_read_all(&o, cut.data, cut.size, 1, TK_FACT_MASK(SCOPES)), 16);
    ck_assert_msg(strstr(note_of(&o), "one of 0.13.1") != NULL, "'%s'", note_of(&o));
    opened_close(&o);
    tk_uw_bytes_release(&cut);
    tk_uw_bytes_release(&memory);
}
END_TEST

int main(void)
{
    const TTest *const each[] = {patches_that_are_not_known};
    const TTest *const once[] = {numbers_of_development, the_next_patches, breaks_off};
    int first = RUN_TESTS_EACH("tracy patches", each, LENGTH(layouts));
    int second = RUN_TESTS("tracy patches once", once);
    return first == EXIT_SUCCESS ? second : first;
}
