/*
 * From BC1 blocks to PNG files.
 */
#include "sink/write/picture.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { EDGE = 4, BLOCK = 8, COLOURS = 4, RGB = 3, LENGTH = 4 };

bool tk_blocks_valid(const struct tk_blocks *blocks)
{
    const uint64_t pixels = (uint64_t)blocks->width * blocks->height;
    return pixels && pixels <= TK_PICTURE_PIXELS && blocks->width % EDGE == 0 && blocks->height % EDGE == 0 &&
           pixels / 2 == blocks->n;
}

/* ---- BC1 ---- */

static void colour_of(unsigned v, uint8_t out[RGB])
{
    const unsigned r = v >> 11, g = v >> 5 & 63, b = v & 31;
    out[0] = (uint8_t)((r * 255 + 15) / 31);
    out[1] = (uint8_t)((g * 255 + 31) / 63);
    out[2] = (uint8_t)((b * 255 + 15) / 31);
}

/* Two colours and two between them; or one between them and black, where the first one is not the greater. */
static void palette_of(const uint8_t *block, uint8_t out[COLOURS][RGB])
{
    const unsigned a = block[0] | (unsigned)block[1] << 8, b = block[2] | (unsigned)block[3] << 8;
    colour_of(a, out[0]);
    colour_of(b, out[1]);
    for (unsigned i = 0; i < RGB; i++) {
        const unsigned x = out[0][i], y = out[1][i];
        out[2][i] = (uint8_t)(a > b ? (2 * x + y + 1) / 3 : (x + y + 1) / 2);
        out[3][i] = (uint8_t)(a > b ? (x + 2 * y + 1) / 3 : 0);
    }
}

/* Row y of a picture, behind the byte of a row of a PNG that says that it is not filtered. */
static void decode_row(const struct tk_blocks *blocks, uint32_t y, uint32_t step, uint8_t *out)
{
    const uint8_t *row = blocks->data + (size_t)(y / EDGE) * (blocks->width / EDGE) * BLOCK;
    uint8_t palette[COLOURS][RGB];
    uint32_t decoded = UINT32_MAX;
    *out++ = 0;
    for (uint32_t x = 0; x < blocks->width; x += step, out += RGB) {
        const uint8_t *block = row + (size_t)(x / EDGE) * BLOCK;
        if (decoded != x / EDGE)
            palette_of(block, palette);
        decoded = x / EDGE;
        memcpy(out, palette[block[LENGTH + y % EDGE] >> 2 * (x % EDGE) & 3], RGB);
    }
}

/* ---- PNG ---- */

static void put_u32(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * (3 - i));
}

static void put_chunk(struct tk_buffer *b, const char *type, const uint8_t *p, size_t n)
{
    uint8_t number[4];
    uLong crc = crc32(crc32(0, NULL, 0), (const uint8_t *)type, 4);
    put_u32(number, (uint32_t)n);
    tk_buffer_put(b, number, sizeof number);
    tk_buffer_put(b, type, 4);
    tk_buffer_put(b, p, n);
    put_u32(number, (uint32_t)(n ? crc32(crc, p, (uInt)n) : crc));
    tk_buffer_put(b, number, sizeof number);
}

static void put_header(struct tk_buffer *b, uint32_t width, uint32_t height)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[13] = {[8] = 8, [9] = 2}; /* bits of a colour; red, green and blue */
    put_u32(header, width);
    put_u32(header + 4, height);
    tk_buffer_put(b, signature, sizeof signature);
    put_chunk(b, "IHDR", header, sizeof header);
}

/* What the compressor has so far, in chunks. */
static int deflate_some(struct tk_buffer *b, z_stream *z, int flush)
{
    enum { CHUNK = 4096 };
    uint8_t out[CHUNK];
    int rc;
    do {
        z->next_out = out;
        z->avail_out = sizeof out;
        rc = deflate(z, flush);
        if (z->avail_out < sizeof out)
            put_chunk(b, "IDAT", out, sizeof out - z->avail_out);
    } while (rc == Z_OK && z->avail_out == 0);
    return rc == Z_STREAM_ERROR ? -1 : 0;
}

static int put_rows(struct tk_buffer *b, const struct tk_blocks *blocks, uint32_t step, z_stream *z,
                    uint8_t *row)
{
    const uint32_t width = (blocks->width + step - 1) / step;
    int rc = 0;
    for (uint32_t y = 0; y < blocks->height && rc == 0; y += step) {
        decode_row(blocks, blocks->flipped ? blocks->height - 1 - y : y, step, row);
        z->next_in = row;
        z->avail_in = 1 + RGB * width;
        rc = deflate_some(b, z, y + step >= blocks->height ? Z_FINISH : Z_NO_FLUSH);
    }
    return rc;
}

int tk_picture_png(struct tk_buffer *b, const struct tk_blocks *blocks, uint32_t step)
{
    z_stream z = {.zalloc = Z_NULL};
    uint8_t *row = malloc(1 + (size_t)RGB * blocks->width);
    if (!row || deflateInit(&z, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(row);
        return -1;
    }
    put_header(b, (blocks->width + step - 1) / step, (blocks->height + step - 1) / step);
    const int rc = put_rows(b, blocks, step, &z, row);
    put_chunk(b, "IEND", NULL, 0);
    deflateEnd(&z);
    free(row);
    return rc;
}

/* ---- picture files ---- */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

const char *tk_picture_kind(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                  0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    static const uint8_t jpg[] = {0xff, 0xd8, 0xff};
    *width = *height = 0;
    if (n >= sizeof png + 8 && memcmp(p, png, sizeof png) == 0) {
        *width = get_u32(p + sizeof png);
        *height = get_u32(p + sizeof png + 4);
        return "png";
    }
    return n >= sizeof jpg && memcmp(p, jpg, sizeof jpg) == 0 ? "jpg" : NULL;
}
