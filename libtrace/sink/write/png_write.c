/*
 * Rows of pixels as a PNG file of 8 bits a colour, smaller where that is wanted. Its rows are not filtered.
 */
#include "sink/write/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* ---- rows ---- */

/* A picture on its way: a row as it comes, sums of rows, and a row as it goes, behind the byte that says that
 * it is not filtered. */
struct scaled {
    const struct tk_pixel_rows *rows;
    uint32_t step, width, height;
    uint8_t *in, *out;
    uint32_t *sums; /* of colours, for each pixel of the smaller row */
};

static int scaled_init(struct scaled *s)
{
    s->width = (s->rows->width + s->step - 1) / s->step;
    s->height = (s->rows->height + s->step - 1) / s->step;
    s->in = malloc((size_t)TK_RGB * s->rows->width + 1);
    s->out = calloc(1, (size_t)TK_RGB * s->width + 1);
    s->sums = malloc(((size_t)TK_RGB * s->width + 1) * sizeof *s->sums);
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
        for (unsigned i = 0; i < TK_RGB; i++)
            s->sums[TK_RGB * (x / s->step) + i] += s->in[TK_RGB * x + i];
}

/* Means of what is there: at the right and at the bottom it may be less than step by step. */
static void end_row(const struct scaled *s, uint32_t rows)
{
    for (uint32_t x = 0; x < s->width; x++) {
        const uint32_t left = s->rows->width - x * s->step, n = (left < s->step ? left : s->step) * rows;
        for (unsigned i = 0; i < TK_RGB; i++)
            s->out[1 + TK_RGB * x + i] = (uint8_t)((s->sums[TK_RGB * x + i] + n / 2) / n);
    }
}

static int make_row(const struct scaled *s, uint32_t y)
{
    const uint32_t left = s->rows->height - y * s->step, n = left < s->step ? left : s->step;
    memset(s->sums, 0, (size_t)TK_RGB * s->width * sizeof *s->sums);
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
        z->avail_in = 1 + TK_RGB * s->width;
        if (rc == 0)
            rc = deflate_some(b, z, y + 1 == s->height ? Z_FINISH : Z_NO_FLUSH);
    }
    return rc;
}

int tk_rows_png(struct tk_buffer *b, const struct tk_pixel_rows *rows, uint32_t step)
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
