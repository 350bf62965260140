/* Pictures made smaller: PNG files with each filter, of each form that is read, and what is no such file. */
#include "run.h"
#include "sink/write/picture.h"

#include <stdlib.h>
#include <zlib.h>

enum { WIDTH = 7, HEIGHT = 11, MOST = WIDTH * HEIGHT * 4 };

static uint8_t pixels[MOST]; /* of the file, channel by channel */
static uint8_t file[4096];
static size_t n_file;

static void begin(void)
{
    srand(5);
    for (size_t i = 0; i < MOST; i++)
        pixels[i] = (uint8_t)rand();
}

/* ---- a file by the specification ---- */

static void put(const void *p, size_t n)
{
    if (n)
        memcpy(file + n_file, p, n);
    n_file += n;
}

static void put_number(uint32_t v)
{
    put((uint8_t[]){(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v}, 4);
}

static void put_chunk(const char *type, const uint8_t *p, uint32_t n)
{
    put_number(n);
    const size_t at = n_file;
    put(type, 4);
    put(p, n);
    put_number((uint32_t)crc32(0, file + at, (uInt)(n_file - at)));
}

static int value(int x, int y, unsigned channels, unsigned i)
{
    return x < 0 || y < 0 ? 0 : pixels[((unsigned)y * WIDTH + (unsigned)x) * channels + i];
}

static int filtered(int filter, int x, int y, unsigned channels, unsigned i)
{
    const int a = value(x - 1, y, channels, i), b = value(x, y - 1, channels, i),
              c = value(x - 1, y - 1, channels, i);
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    const int of[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
    return value(x, y, channels, i) - of[filter];
}

/* Rows have filters 0 to 4 in turn; the data are in two chunks, with another one between. */
static void make_file(uint8_t form, unsigned channels)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t header[] = {0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8, form, 0, 0, 0};
    uint8_t raw[HEIGHT * (1 + WIDTH * 4)], packed[2048];
    uLongf n_packed = sizeof packed;
    size_t n = 0;
    for (int y = 0; y < HEIGHT; y++) {
        raw[n++] = (uint8_t)(y % 5);
        for (int x = 0; x < WIDTH; x++)
            for (unsigned i = 0; i < channels; i++)
                raw[n++] = (uint8_t)filtered(y % 5, x, y, channels, i);
    }
    ck_assert_int_eq(compress(packed, &n_packed, raw, (uLong)n), Z_OK);
    n_file = 0;
    put(signature, sizeof signature);
    put_chunk("IHDR", header, sizeof header);
    put_chunk("IDAT", packed, 9);
    put_chunk("tEXt", (const uint8_t *)"x", 1);
    put_chunk("IDAT", packed + 9, (uint32_t)n_packed - 9);
    put_chunk("IEND", NULL, 0);
}

/* ---- what became of it ---- */

/* Unpacks a file whose rows are not filtered. */
static void read_rows(const struct tk_buffer *b, uint32_t width, uint32_t height, uint8_t *out)
{
    uint8_t packed[4096], raw[HEIGHT * (1 + WIDTH * 3)];
    uint32_t w, h;
    size_t n = 0, at = 33;
    ck_assert_str_eq(tk_picture_kind((const uint8_t *)b->p, b->n, &w, &h), "png");
    ck_assert_uint_eq(w, width);
    ck_assert_uint_eq(h, height);
    while (at + 12 <= b->n) {
        const uint8_t *p = (const uint8_t *)b->p + at;
        const uint32_t size = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        if (memcmp(p + 4, "IDAT", 4) == 0) {
            memcpy(packed + n, p + 8, size);
            n += size;
        }
        at += 12 + size;
    }
    uLongf n_raw = sizeof raw;
    ck_assert_int_eq(uncompress(raw, &n_raw, packed, (uLong)n), Z_OK);
    ck_assert_uint_eq(n_raw, height * (1 + width * 3));
    for (uint32_t y = 0; y < height; y++) {
        ck_assert_uint_eq(raw[y * (1 + width * 3)], 0);
        memcpy(out + (size_t)y * width * 3, raw + y * (1 + width * 3) + 1, (size_t)width * 3);
    }
}

static int mean(unsigned left, unsigned top, unsigned step, unsigned channels, unsigned i)
{
    double sum = 0;
    int n = 0;
    for (unsigned y = top; y < top + step && y < HEIGHT; y++)
        for (unsigned x = left; x < left + step && x < WIDTH; x++, n++)
            sum += value((int)x, (int)y, channels, channels < 3 ? 0 : i);
    return (int)(sum / n + 0.5);
}

START_TEST(test_filters)
{
    static const struct {
        uint8_t form;
        unsigned channels;
    } forms[] = {{0, 1}, {2, 3}, {4, 2}, {6, 4}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (uint32_t step = 1; step <= 12; step++) {
            const uint32_t width = (WIDTH + step - 1) / step, height = (HEIGHT + step - 1) / step;
            uint8_t got[WIDTH * HEIGHT * 3];
            struct tk_buffer b;
            make_file(forms[f].form, forms[f].channels);
            ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
            ck_assert_int_eq(tk_picture_shrink(&b, file, n_file, step), 0);
            read_rows(&b, width, height, got);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++)
                    for (unsigned i = 0; i < 3; i++)
                        ck_assert_int_eq(got[(y * width + x) * 3 + i],
                                         mean(x * step, y * step, step, forms[f].channels, i));
            tk_buffer_release(&b);
        }
}
END_TEST

static int shrink(size_t n)
{
    struct tk_buffer b;
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    const int rc = tk_picture_shrink(&b, file, n, 2);
    tk_buffer_release(&b);
    return rc;
}

START_TEST(test_refused)
{
    make_file(2, 3);
    /* Behind the last pixel there are the sum of the data and the last chunk. */
    for (size_t n = 0; n + 12 + 4 < n_file; n++)
        ck_assert_int_eq(shrink(n), -1);
    for (size_t at = 24; at <= 28; at++) { /* depth, form, compression, filters, interlacing */
        make_file(2, 3);
        file[at] = at == 25 ? 3 : 1;
        ck_assert_int_eq(shrink(n_file), -1);
    }
    make_file(2, 3);
    memset(file + 16, 0xff, 8); /* pixels beyond any limit */
    ck_assert_int_eq(shrink(n_file), -1);
    memset(file + 16, 0, 8);
    ck_assert_int_eq(shrink(n_file), -1);
    make_file(2, 3);
    memset(file + 33, 0xff, 4); /* the length of a chunk */
    ck_assert_int_eq(shrink(n_file), -1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_filters, test_refused};
    return RUN_TESTS_AROUND("picture", tests, begin, NULL);
}
