/*
 * Pictures as PNG files of 8 bits a colour, smaller where that is wanted: of blocks, and of files with 8 bits
 * a colour. Rows of what is written are not filtered.
 */
#include "sink/write/picture.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { RGB = 3 }; /* bytes of a pixel */

/* Where rows come from, the highest first. */
struct pixel_rows {
    void *self;
    int (*next)(void *self, uint8_t *rgb); /* fills a row; 0, or -1: there is none */
    uint32_t width, height;
};

/* ---- chunks ---- */

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
    enum { PIECE = 4096 };
    uint8_t out[PIECE];
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

/* ---- rows ---- */

/* A picture on its way: a row as it comes, sums of rows, and a row as it goes, behind the byte that says that
 * it is not filtered. */
struct scaled {
    const struct pixel_rows *rows;
    uint32_t step, width, height;
    uint8_t *in, *out;
    uint32_t *sums; /* of colours, for each pixel of the smaller row */
};

static int scaled_init(struct scaled *s)
{
    s->width = (s->rows->width + s->step - 1) / s->step;
    s->height = (s->rows->height + s->step - 1) / s->step;
    s->in = malloc((size_t)RGB * s->rows->width + 1);
    s->out = calloc(1, (size_t)RGB * s->width + 1);
    s->sums = malloc(((size_t)RGB * s->width + 1) * sizeof *s->sums);
    return s->in && s->out && s->sums ? 0 : -1;
}

static void scaled_release(struct scaled *s)
{
    free(s->in);
    free(s->out);
    free(s->sums);
}

static void add_row(const struct scaled *s)
{
    for (uint32_t x = 0; x < s->rows->width; x++)
        for (unsigned i = 0; i < RGB; i++)
            s->sums[RGB * (x / s->step) + i] += s->in[RGB * x + i];
}

/* Means of what is there: at the right and at the bottom it may be less than step by step. */
static void end_row(const struct scaled *s, uint32_t rows)
{
    for (uint32_t x = 0; x < s->width; x++) {
        const uint32_t left = s->rows->width - x * s->step, n = (left < s->step ? left : s->step) * rows;
        for (unsigned i = 0; i < RGB; i++)
            s->out[1 + RGB * x + i] = (uint8_t)((s->sums[RGB * x + i] + n / 2) / n);
    }
}

static int make_row(const struct scaled *s, uint32_t y)
{
    const uint32_t left = s->rows->height - y * s->step, n = left < s->step ? left : s->step;
    memset(s->sums, 0, (size_t)RGB * s->width * sizeof *s->sums);
    for (uint32_t i = 0; i < n; i++) {
        if (s->rows->next(s->rows->self, s->in))
            return -1;
        add_row(s);
    }
    end_row(s, n);
    return 0;
}

static int put_rows(struct tk_buffer *b, const struct scaled *s, z_stream *z)
{
    int rc = 0;
    for (uint32_t y = 0; y < s->height && rc == 0; y++) {
        rc = make_row(s, y);
        z->next_in = s->out;
        z->avail_in = 1 + RGB * s->width;
        if (rc == 0)
            rc = deflate_some(b, z, y + 1 == s->height ? Z_FINISH : Z_NO_FLUSH);
    }
    return rc;
}

/* Appends a PNG file of the rows, each pixel of which is the mean of `step` by `step`. 0, or -1. */
static int rows_png(struct tk_buffer *b, const struct pixel_rows *rows, uint32_t step)
{
    struct scaled s = {.rows = rows, .step = step};
    z_stream z = {.zalloc = Z_NULL};
    int rc = scaled_init(&s);
    if (rc == 0 && deflateInit(&z, Z_DEFAULT_COMPRESSION) == Z_OK) {
        put_header(b, s.width, s.height);
        rc = put_rows(b, &s, &z);
        put_chunk(b, "IEND", NULL, 0);
        deflateEnd(&z);
    } else {
        rc = -1;
    }
    scaled_release(&s);
    return rc;
}

/* ---- smaller files: their rows are unpacked one after the other, and written anew ---- */

enum { HEADER = 33, CHUNK = 12 }; /* bytes: signature and first chunk; length, type and sum of a chunk */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Is it a PNG file, by how it begins? Sets its size in pixels. */
static bool is_png(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height)
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
        for (unsigned i = 0; i < RGB; i++)
            *rgb++ = row[r->channels >= RGB ? i : 0];
    return 0;
}

/* Depth 8, and one of grey, colours, grey and opacity, colours and opacity; the usual compression. */
static bool read_header(struct reader *r, const uint8_t *p, size_t n)
{
    static const unsigned channels[] = {1, 0, 3, 0, 2, 0, 4};
    if (n < HEADER || !is_png(p, n, &r->width, &r->height) || p[24] != 8 || p[25] > 6 || p[26] || p[27] ||
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
        rc = rows_png(b, &(struct pixel_rows){&r, next_row, r.width, r.height}, step);
        free(owned);
    }
    inflateEnd(&r.z);
    return rc;
}

/* ---- from BC1 blocks to PNG files ---- */

enum { EDGE = 4, BLOCK = 8, COLOURS = 4, LENGTH = 4 };

bool tk_blocks_valid(const struct tk_blocks *blocks)
{
    const uint64_t pixels = (uint64_t)blocks->width * blocks->height;
    return pixels && pixels <= TK_PICTURE_PIXELS && blocks->width % EDGE == 0 && blocks->height % EDGE == 0 &&
           pixels / 2 == blocks->n;
}

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

/* The blocks as a source of rows. */
struct block_rows {
    const struct tk_blocks *blocks;
    uint32_t y;
};

static int next_block_row(void *self, uint8_t *out)
{
    struct block_rows *rows = self;
    const struct tk_blocks *blocks = rows->blocks;
    const uint32_t y = blocks->flipped ? blocks->height - 1 - rows->y : rows->y;
    const uint8_t *row = blocks->data + (size_t)(y / EDGE) * (blocks->width / EDGE) * BLOCK;
    uint8_t palette[COLOURS][RGB];
    rows->y++;
    for (uint32_t x = 0; x < blocks->width; x++, out += RGB) {
        const uint8_t *block = row + (size_t)(x / EDGE) * BLOCK;
        if (x % EDGE == 0)
            palette_of(block, palette);
        memcpy(out, palette[block[LENGTH + y % EDGE] >> 2 * (x % EDGE) & 3], RGB);
    }
    return 0;
}

int tk_picture_png(struct tk_buffer *b, const struct tk_blocks *blocks, uint32_t step)
{
    struct block_rows rows = {blocks, 0};
    return rows_png(b, &(struct pixel_rows){&rows, next_block_row, blocks->width, blocks->height}, step);
}

/* ---- picture files ---- */

const char *tk_picture_kind(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height)
{
    static const uint8_t jpg[] = {0xff, 0xd8, 0xff};
    *width = *height = 0;
    if (is_png(p, n, width, height))
        return "png";
    return n >= sizeof jpg && memcmp(p, jpg, sizeof jpg) == 0 ? "jpg" : NULL;
}
