/*
 * PNG files made smaller: their rows are unpacked one after the other, and written anew.
 */
#include "sink/write/picture.h"
#include "sink/write/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 33, CHUNK = 12 }; /* bytes: signature and first chunk; length, type and sum of a chunk */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool tk_png_is(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                  0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    if (n < sizeof png + 8 || memcmp(p, png, sizeof png) != 0)
        return false;
    *width = get_u32(p + sizeof png);
    *height = get_u32(p + sizeof png + 4);
    return true;
}

struct reader {
    const uint8_t *p; /* chunks that are left */
    size_t n;
    unsigned channels;
    size_t bytes;     /* of a row */
    uint8_t *rows[2]; /* owned: the row before and this one, each behind its filter */
    uint32_t width, height;
    z_stream z;
};

/* Gives the data of the next chunk to the decompressor. */
static int next_chunk(struct reader *r)
{
    while (r->n >= CHUNK) {
        const uint32_t size = get_u32(r->p);
        const bool data = memcmp(r->p + 4, "IDAT", 4) == 0;
        if (size > r->n - CHUNK)
            return -1;
        r->z.next_in = (uint8_t *)(uintptr_t)(r->p + 8);
        r->z.avail_in = size;
        r->p += CHUNK + size;
        r->n -= CHUNK + size;
        if (data && size)
            return 0;
    }
    return -1;
}

static int inflate_row(struct reader *r, uint8_t *row)
{
    int rc = Z_OK;
    r->z.next_out = row;
    r->z.avail_out = (uInt)(r->bytes + 1);
    while (r->z.avail_out && rc == Z_OK) {
        if (r->z.avail_in == 0 && next_chunk(r))
            return -1;
        rc = inflate(&r->z, Z_NO_FLUSH);
    }
    return r->z.avail_out ? -1 : 0;
}

/* ---- filters ---- */

static unsigned paeth(unsigned left, unsigned up, unsigned corner)
{
    const int at = (int)left + (int)up - (int)corner;
    const int a = abs(at - (int)left), b = abs(at - (int)up), c = abs(at - (int)corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

static unsigned predicted(unsigned filter, unsigned left, unsigned up, unsigned corner)
{
    const unsigned of[] = {0, left, up, (left + up) / 2, 0};
    return filter == 4 ? paeth(left, up, corner) : of[filter];
}

static int unfilter(const struct reader *r, uint8_t *row, const uint8_t *before)
{
    const unsigned filter = row[0];
    if (filter > 4)
        return -1;
    for (size_t i = 0; i < r->bytes; i++) {
        const bool first = i < r->channels;
        const unsigned left = first ? 0 : row[1 + i - r->channels],
                       corner = first ? 0 : before[1 + i - r->channels];
        row[1 + i] = (uint8_t)(row[1 + i] + predicted(filter, left, before[1 + i], corner));
    }
    return 0;
}

/* ---- rows ---- */

static int next_row(void *self, uint8_t *rgb)
{
    struct reader *r = self;
    uint8_t *row = r->rows[0];
    if (inflate_row(r, row) || unfilter(r, row, r->rows[1]))
        return -1;
    r->rows[0] = r->rows[1];
    r->rows[1] = row++;
    for (uint32_t x = 0; x < r->width; x++, row += r->channels)
        for (unsigned i = 0; i < TK_RGB; i++)
            *rgb++ = row[r->channels >= TK_RGB ? i : 0];
    return 0;
}

/* Depth 8, and one of grey, colours, grey and opacity, colours and opacity; the usual compression. */
static bool read_header(struct reader *r, const uint8_t *p, size_t n)
{
    static const unsigned channels[] = {1, 0, 3, 0, 2, 0, 4};
    if (n < HEADER || !tk_png_is(p, n, &r->width, &r->height) || p[24] != 8 || p[25] > 6 || p[26] || p[27] ||
        p[28])
        return false;
    r->channels = channels[p[25]];
    r->bytes = (size_t)r->channels * r->width;
    r->p = p + HEADER;
    r->n = n - HEADER;
    return r->channels && r->width && r->height && (uint64_t)r->width * r->height <= TK_PICTURE_PIXELS;
}

int tk_picture_shrink(struct tk_buffer *b, const uint8_t *p, size_t n, uint32_t step)
{
    struct reader r = {.z = {.zalloc = Z_NULL}};
    int rc = -1;
    if (!read_header(&r, p, n) || inflateInit(&r.z) != Z_OK)
        return -1;
    r.rows[0] = calloc(2, r.bytes + 1);
    if (r.rows[0]) {
        uint8_t *owned = r.rows[0];
        r.rows[1] = owned + r.bytes + 1;
        rc = tk_rows_png(b, &(struct tk_pixel_rows){&r, next_row, r.width, r.height}, step);
        free(owned);
    }
    inflateEnd(&r.z);
    return rc;
}
