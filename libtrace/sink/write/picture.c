/*
 * From BC1 blocks to PNG files.
 */
#include "sink/write/picture.h"

#include "sink/write/png.h"

#include <string.h>

enum { EDGE = 4, BLOCK = 8, COLOURS = 4, RGB = TK_RGB, LENGTH = 4 };

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

static int next_row(void *self, uint8_t *out)
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
    return tk_rows_png(b, &(struct tk_pixel_rows){&rows, next_row, blocks->width, blocks->height}, step);
}

/* ---- picture files ---- */

const char *tk_picture_kind(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height)
{
    static const uint8_t jpg[] = {0xff, 0xd8, 0xff};
    *width = *height = 0;
    if (tk_png_is(p, n, width, height))
        return "png";
    return n >= sizeof jpg && memcmp(p, jpg, sizeof jpg) == 0 ? "jpg" : NULL;
}
