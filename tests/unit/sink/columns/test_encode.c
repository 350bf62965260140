/* Encodings of Parquet's pages: bytes worked out by hand, and decoders that take a bit at a time. */
#include "run.h"
#include "sink/columns/columns_in.h"

#include <stdlib.h>

static struct tk_buffer b;

static void begin(void)
{
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
}

static void end(void)
{
    tk_buffer_release(&b);
}

/* Reads what was written. */
static size_t at;

static uint64_t bits(const uint8_t *p, size_t first, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)(p[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return v;
}

static uint64_t varint(void)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        must(at < b.n);
        byte = (uint8_t)b.p[at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return v;
}

static uint64_t zigzag(void)
{
    const uint64_t v = varint();
    return v >> 1 ^ (0 - (v & 1));
}

static void check_runs(const uint64_t *want, size_t n, unsigned width)
{
    b.n = at = 0;
    tk_run_packed(&b, want, n, width);
    for (size_t i = 0; i < n;) {
        const uint64_t head = varint(), count = head >> 1;
        must(count > 0);
        if (head & 1) {
            for (size_t k = 0; k < 8 * count && i < n; k++, i++)
                must(bits((uint8_t *)b.p + at, k * width, width) == want[i]);
            at += count * width;
        } else {
            for (size_t k = 0; k < count; k++, i++)
                must(i < n && bits((uint8_t *)b.p + at, 0, width) == want[i]);
            at += (width + 7) / 8;
        }
    }
    must(at == b.n);
}

static void check_delta(const uint64_t *want, size_t n)
{
    b.n = at = 0;
    tk_delta_packed(&b, want, n);
    must(varint() == 128 && varint() == 4 && varint() == n);
    uint64_t last = zigzag();
    must(n == 0 || last == want[0]);
    for (size_t i = 1; i < n;) {
        const uint64_t least = zigzag();
        const uint8_t *widths = (uint8_t *)b.p + at;
        at += 4;
        for (unsigned part = 0; part < 4; part++) {
            const size_t from = i;
            for (size_t k = 0; k < 32 && i < n; k++, i++) {
                last += least + bits((uint8_t *)b.p + at, k * widths[part], widths[part]);
                must(last == want[i]);
            }
            must(i > from || widths[part] == 0);
            at += 4u * widths[part];
        }
    }
    must(at == b.n);
}

START_TEST(by_hand)
{
    const uint64_t places[] = {1, 0, 1}, times[] = {100, 250, 400}, some[] = {0, 1, 1};
    tk_run_packed(&b, places, 3, 1);
    tk_run_packed(&b, (uint64_t[]){7, 7, 7, 7, 7, 7, 7, 7, 7}, 9, 3);
    ck_assert_mem_eq(b.p, "\x03\x05\x12\x07", 4);
    b.n = 0;
    tk_delta_packed(&b, times, 3);
    ck_assert_uint_eq(b.n, 12);
    ck_assert_mem_eq(b.p, "\x80\x01\x04\x03\xc8\x01\xac\x02\0\0\0\0", 12);
    b.n = 0;
    tk_plain_bits(&b, some, 3);
    tk_plain_u32(&b, (uint64_t[]){0x01020304}, 1);
    tk_plain_u64(&b, (uint64_t[]){0x0102030405060708}, 1);
    ck_assert_mem_eq(b.p, "\x06\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01", 13);
    ck_assert_uint_eq(b.n, 13);
}
END_TEST

/* Runs of 1 to 20 equal values behind 0 to 8 others, before as many. */
START_TEST(runs_anywhere)
{
    uint64_t v[64];
    for (size_t before = 0; before <= 8; before++)
        for (size_t run = 1; run <= 20; run++)
            for (size_t behind = 0; behind <= 9; behind++) {
                size_t n = 0;
                for (size_t i = 0; i < before; i++)
                    v[n++] = i % 3;
                for (size_t i = 0; i < run; i++)
                    v[n++] = 5;
                for (size_t i = 0; i < behind; i++)
                    v[n++] = i % 2 + 1;
                check_runs(v, n, 3);
            }
}
END_TEST

START_TEST(widths)
{
    uint64_t v[1200];
    for (unsigned width = 1; width <= 32; width++) {
        for (size_t i = 0; i < 1200; i++)
            v[i] = (i * 0x9e3779b97f4a7c15u >> 17) & ((UINT64_C(1) << width) - 1);
        for (size_t n = 0; n < 30; n++)
            check_runs(v, n, width);
        check_runs(v, 1200, width);
    }
}
END_TEST

START_TEST(differences)
{
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 34, 127, 128, 129, 130, 161, 257, 1000};
    uint64_t v[1000];
    for (unsigned width = 0; width <= 64; width++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            uint64_t random = width + 1;
            for (size_t i = 0; i < counts[k]; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                v[i] = width ? random >> (64 - width) : 42;
            }
            check_delta(v, counts[k]);
        }
}
END_TEST

START_TEST(extremes)
{
    const uint64_t top = UINT64_C(1) << 63;
    const uint64_t v[] = {top, top - 1, top, 0, UINT64_MAX, top, top - 1, 1, top};
    check_delta(v, sizeof v / sizeof *v);
}
END_TEST

enum { ROWS = 100000, FREE = 64 };

static struct tk_numbers *numbers;
static uint64_t v[ROWS], places[ROWS];

static void make(void)
{
    numbers = calloc(1, sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
}

static void drop(void)
{
    free(numbers);
}

/* The first `different` rows differ from each other, all others repeat one of them. */
static bool find_few(size_t n, size_t different)
{
    for (size_t i = 0; i < n; i++)
        v[i] = i < different ? 1000 + 7 * i : 1000 + 7 * ((i * 31) % different);
    return tk_numbers_find(numbers, v, n, places);
}

/* Durations of scopes: what comes first is new, and what follows was there before. */
START_TEST(differ_at_first)
{
    ck_assert(find_few(ROWS, 20000));
    ck_assert_uint_eq(numbers->n, 20000);
    for (size_t i = 0; i < ROWS; i++)
        ck_assert_uint_eq(numbers->list[places[i]], v[i]);
}
END_TEST

START_TEST(too_many)
{
    ck_assert(find_few(ROWS, FREE + ROWS / 4));
    ck_assert(!find_few(ROWS, FREE + ROWS / 4 + 1));
    ck_assert(find_few(40, 40));
    ck_assert(!find_few(1000, 1000));
}
END_TEST

/* What was found before says nothing about the next column. */
START_TEST(twice)
{
    ck_assert(find_few(1000, 200));
    ck_assert(find_few(1000, 100));
    ck_assert_uint_eq(numbers->n, 100);
    ck_assert_uint_eq(numbers->list[places[999]], v[999]);
}
END_TEST

int main(void)
{
    const TTest *const encoded[] = {by_hand, runs_anywhere, widths, differences, extremes},
                       *const dictionary[] = {differ_at_first, too_many, twice};
    const int failed = RUN_TESTS_AROUND("encode", encoded, begin, end);
    return failed | RUN_TESTS_AROUND("numbers", dictionary, make, drop);
}
