/*
 * What the blocks of a .tracy file unpack to: the input is the unpacked stream, put into blocks by the
 * writer.
 */
#include "rig.h"
#include "tracy_blocks.h"

/* Sums alone: zones come closed, which they do not where anybody sees them begin. */
static void ask(const struct tk_uw_bytes *file, size_t size)
{
    static const char *const sums[] = {"timers"};
    if (size % 8 == 4)
        fuzz_ask(file->data, file->size, sums, 1, size % 32 == 4 ? FUZZ_JOBS : 0);
    else
        fuzz_ask(file->data, file->size, NULL, 0,
                 FUZZ_PART(size / 32) | (size % 32 == 0 ? FUZZ_EXPORT : 0) |
                     (size % 32 == 1 ? FUZZ_JOBS : 0) | (size % 32 == 2 ? FUZZ_STRICT : 0) |
                     (size % 16 == 3 ? FUZZ_QUESTION(size / 16) : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_uw_bytes file = {0};
    struct tk_uw_sink sink;
    struct tk_tw_blocks blocks;
    tk_uw_sink_memory(&sink, &file);
    tk_tw_blocks_open(&blocks, &sink, TK_TW_MANY, TK_TW_LZ4, 0, 1);
    tk_uw_raw(&blocks.pending, data, size);
    tk_tw_blocks_drain(&blocks);
    tk_tw_blocks_close(&blocks);
    ask(&file, size);
    tk_uw_bytes_release(&file);
    return 0;
}
