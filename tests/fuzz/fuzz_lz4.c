/*
 * LZ4 blocks of packets, whole and cut: u16 size after unpacking, block.
 */
#include "io/decompress.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    size_t n = (size_t)fuzz_uint(&in, 2);
    uint8_t *block = fuzz_copy(in.p, in.n), *whole = malloc(n + 1), *cut = malloc(n + 1);
    bool good = tk_lz4_block(whole, n, block, in.n);
    size_t most = tk_lz4_cut_block(cut, n, block, in.n);
    fuzz_promise(most <= n, "no more than there is room for");
    /* A distance of 0 ends what is certain; liblz4 takes it for zeros. */
    fuzz_promise(!good || memcmp(whole, cut, most) == 0, "what is certain is the same both ways");
    if (good && in.n > 1) {
        size_t part = in.n * 2 / 3;
        uint8_t *piece = fuzz_copy(block, part);
        most = tk_lz4_cut_block(cut, n, piece, part);
        fuzz_promise(most <= n && memcmp(whole, cut, most) == 0,
                     "what is certain of a piece is in the whole");
        free(piece);
    }
    free(block);
    free(whole);
    free(cut);
    return 0;
}
