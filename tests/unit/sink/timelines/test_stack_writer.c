/* Tests of folded and pprof: stacks by hand, and the bytes that each format has to make of them. */
#include "sink/timelines/stack_writer.h"
#include "sink/written.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define STR(text) ((struct tk_str){.p = (text), .n = sizeof(text) - 1})

static char output[1 << 16];

static uint32_t name(struct tk_stacks *s, const char *text, bool thread)
{
    const struct tk_str str = {.p = text, .n = (uint32_t)strlen(text)}, file = STR("a.cpp");
    const struct tk_stack_name made = {
        .text = &str, .file = thread ? NULL : &file, .line = 7, .thread = thread};
    uint32_t number = tk_stacks_name(s, &made);
    ck_assert_uint_ne(number, TK_MAP_NONE);
    return number;
}

static uint32_t add(struct tk_stacks *s, uint32_t parent, uint32_t name, uint64_t count, int64_t self)
{
    uint32_t node = tk_stacks_reach(s, parent, name);
    ck_assert_uint_ne(node, TK_MAP_NONE);
    s->nodes.v[node].count += count;
    s->nodes.v[node].self += self;
    return node;
}

/* a: 2 calls, 8 us of its own; b;"q" inside of it: 2 calls, 3 us; c never was, d took less than nothing */
static void make(struct tk_stacks *s, bool threads)
{
    uint32_t top = threads ? add(s, TK_STACK_ROOT, name(s, "Main", true), 0, 0) : TK_STACK_ROOT;
    uint32_t a = add(s, top, name(s, "a", false), 1, 7000);
    add(s, a, name(s, "b;\"q\"", false), 2, 3000);
    add(s, a, name(s, " c\n", false), 0, 0);
    add(s, a, name(s, "d", false), 1, -5);
    top = threads ? add(s, TK_STACK_ROOT, name(s, "Main", true), 0, 0) : TK_STACK_ROOT;
    a = add(s, top, name(s, "a", false), 1, 1000);
    const uint32_t c = add(s, a, name(s, " c\n", false), 0, 0);
    s->nodes.v[c].bytes = threads ? 0 : 99;
}

/* The first bytes of the scratch file, unpacked where they are gzip. */
static size_t read_output(bool packed)
{
    static unsigned char file[sizeof output];
    FILE *f = fopen(scratch_path(), "rb");
    ck_assert_ptr_nonnull(f);
    const size_t n = fread(file, 1, sizeof file - 1, f);
    fclose(f);
    ck_assert_int_eq(n > 2 && file[0] == 0x1f && file[1] == 0x8b, packed);
    if (!packed) {
        memcpy(output, file, n);
        return n;
    }
    z_stream z = {.next_in = file,
                  .avail_in = (unsigned)n,
                  .next_out = (unsigned char *)output,
                  .avail_out = sizeof output - 1};
    ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    return z.total_out;
}

static size_t write_stacks(const struct tk_stack_writer_format *format, enum tk_stack_weight weight,
                           struct tk_stacks *stacks, struct tk_stack_bounds *bounds)
{
    struct tk_output *out;
    ck_assert_int_eq(tk_stack_writer_open(&out, format, scratch_path(), true, NULL), TK_OK);
    ck_assert_int_eq(tk_stack_writer_write(out, format, stacks, weight, bounds, NULL), TK_OK);
    tk_stacks_release(stacks);
    const size_t n = read_output(format->packing != TK_PACKING_NONE);
    output[n] = 0;
    remove(scratch_path());
    return n;
}

static size_t write_out(const struct tk_stack_writer_format *format, enum tk_stack_weight weight,
                        bool threads)
{
    const struct tk_limits limits = tk_limits_default();
    struct tk_stack_bounds bounds = tk_stack_bounds_of(&limits, 1000);
    struct tk_stacks stacks = {0};
    make(&stacks, threads);
    return write_stacks(format, weight, &stacks, &bounds);
}

START_TEST(folded)
{
    static const struct {
        enum tk_stack_weight weight;
        bool threads;
        const char *text;
    } cases[] = {
        {TK_WEIGHT_TIME, false, "a 8000\na;b:\"q\" 3000\n"},
        {TK_WEIGHT_TIME, true, "Main;a 7000\nMain;a;b:\"q\" 3000\nMain;a 1000\n"},
        {TK_WEIGHT_COUNT, false, "a 2\na;b:\"q\" 2\na;d 1\n"},
        {TK_WEIGHT_BYTES, false, "a;_c_ 99\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_out(&tk_folded_format, cases[i].weight, cases[i].threads);
        ck_assert_str_eq(output, cases[i].text);
    }
}
END_TEST

static size_t find(size_t n, const void *part, size_t size)
{
    size_t found = 0;
    for (size_t i = 0; i + size <= n; i++)
        found += memcmp(output + i, part, size) == 0;
    return found;
}

START_TEST(pprof)
{
    /* sample(2) {location_id(1) [2, 1], value(2) [2, 3000, 0]}: b below a, leaf first, two calls, 3000 ns,
     * no bytes; then d, the fourth name, in 0 ns; then a function(5) {id(1) 1, name(2) and system_name(3)
     * text 8, filename(4) text 9, start_line(5) 7}, as 8 texts are fixed */
    static const char b[] = {0x12, 0x0a, 0x0a, 0x02, 0x02, 0x01, 0x12, 0x04, 0x02, (char)0xb8, 0x17, 0x00};
    static const char d[] = {0x12, 0x09, 0x0a, 0x02, 0x04, 0x01, 0x12, 0x03, 0x01, 0x00, 0x00};
    static const char a[] = {0x2a, 0x0a, 0x08, 0x01, 0x10, 0x08, 0x18, 0x08, 0x20, 0x09, 0x28, 0x07};
    size_t n = write_out(&tk_pprof_format, TK_WEIGHT_TIME, false);
    ck_assert_uint_eq(find(n, b, sizeof b), 1);
    ck_assert_uint_eq(find(n, d, sizeof d), 1);
    ck_assert_uint_eq(find(n, a, sizeof a), 1);
}
END_TEST

START_TEST(pprof_labels_threads)
{
    /* sample(2) {location_id(1) [2], value(2) [1, 7000, 0], label(3) {key(1) text 5, str(2) text 8}}: the
     * thread is the first name, and no location */
    static const char a[] = {0x12, 0x0f, 0x0a, 0x01, 0x02,       0x12, 0x04, 0x01, (char)0xd8,
                             0x36, 0x00, 0x1a, 0x04, (char)0x08, 0x05, 0x10, 0x08};
    size_t n = write_out(&tk_pprof_format, TK_WEIGHT_TIME, true);
    ck_assert_uint_eq(find(n, a, sizeof a), 1);
    ck_assert_uint_eq(find(n, "\x06thread", 7), 1);
}
END_TEST

/* A name of 60,000 bytes inside of itself 1,000 times is 30 GB of lines. By hand: 850,000 bytes times 100
 * are allowed; a line of n calls has n * 4,097 bytes and its weight. */
START_TEST(recursion_is_bounded)
{
    enum { DEPTH = 1000, LONG = 60000 };
    static char text[LONG];
    struct tk_limits limits = tk_limits_default();
    struct tk_stack_bounds bounds = tk_stack_bounds_of(&limits, 850000);
    struct tk_stacks stacks = {0};
    uint32_t at = TK_STACK_ROOT;
    memset(text, 'x', sizeof text);
    ck_assert_uint_eq(bounds.bytes, 85000000);
    const struct tk_str whole = {.p = text, .n = LONG};
    const struct tk_stack_name called = {.text = &whole};
    for (int i = 0; i < DEPTH; i++)
        at = add(&stacks, at, tk_stacks_name(&stacks, &called), 1, 1);
    write_stacks(&tk_folded_format, TK_WEIGHT_TIME, &stacks, &bounds);
    uint64_t lines = 0, sum = 0;
    for (; sum < bounds.bytes; lines++)
        sum += (lines + 1) * 4097 + 2;
    ck_assert_uint_eq(bounds.left_out, DEPTH - lines);
    ck_assert_uint_eq(bounds.cut, lines * (lines + 1) / 2);
}
END_TEST

/* Names end early, with a whole character. */
START_TEST(long_names_are_cut)
{
    struct tk_stack_bounds bounds = {.name_bytes = 4, .bytes = 1000};
    struct tk_stacks stacks = {0};
    add(&stacks, add(&stacks, TK_STACK_ROOT, name(&stacks, "abc\xc3\xa9", false), 1, 5),
        name(&stacks, "abcd", false), 1, 6);
    write_stacks(&tk_folded_format, TK_WEIGHT_TIME, &stacks, &bounds);
    ck_assert_str_eq(output, "abc 5\nabc;abcd 6\n");
    ck_assert_uint_eq(bounds.cut, 2);
    ck_assert_uint_eq(bounds.left_out, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {folded, pprof, pprof_labels_threads, recursion_is_bounded,
                                  long_names_are_cut};
    return RUN_TESTS("profile", tests);
}
