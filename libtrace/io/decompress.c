/*
 * Detects the compression of a file by its first bytes. file.c calls it; spool.c then unpacks the file.
 *
 *   28 b5 2f fd            a zstd frame (RFC 8878, 3.1.1)
 *   04 22 4d 18            an lz4 frame
 *   1f 8b 08               a gzip member (RFC 1952, 2.3)
 *   5X 2a 4d 18, u32 size  a frame to skip, of zstd and lz4 alike: what follows it decides
 */
#include "io/decompress.h"

#include "base/cursor.h"

static const struct {
    uint32_t magic, mask;
    const struct tk_decompressor *unpacker;
} magics[] = {
    {0xfd2fb528, 0xffffffff, &tk_decompress_zstd},
    {0x184d2204, 0xffffffff, &tk_decompress_lz4},
    {0x00088b1f, 0x00ffffff, &tk_decompress_gzip},
};

enum { SKIPPED_MAGIC = 0x184d2a50, SKIPPED_HEAD = 8 };

static const struct tk_decompressor *by_magic(uint32_t magic)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if ((magic & magics[i].mask) == magics[i].magic)
            return magics[i].unpacker;
    }
    return NULL;
}

const struct tk_decompressor *tk_decompressor_of(const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(p, n);
    const struct tk_decompressor *undecided = NULL;
    while (tk_cur_left(&c) >= 4) {
        uint32_t magic = tk_load32(c.p);
        if ((magic & 0xfffffff0) != SKIPPED_MAGIC || tk_cur_left(&c) < SKIPPED_HEAD) {
            const struct tk_decompressor *found = by_magic(magic);
            return found ? found : undecided;
        }
        /* Both skip such frames, so either will do when what follows is too far away to be seen. */
        undecided = &tk_decompress_zstd;
        tk_u32(&c, "magic");
        tk_take(&c, tk_u32(&c, "size"), "frame");
    }
    return undecided;
}
