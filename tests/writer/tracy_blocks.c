/* Payloads in blocks. */
#include "tracy_blocks.h"

#include <string.h>

struct tk_tracy_packing tk_tw_packing(enum tk_tw_container container, enum tk_tw_codec codec, int level,
                                      unsigned streams)
{
    static const enum tk_tracy_mark marks[] = {TK_TRACY_MARK_LZ4, TK_TRACY_MARK_ZSTD, TK_TRACY_MARK_STREAMS};

    return (struct tk_tracy_packing){.mark = marks[container],
                                     .codec = codec == TK_TW_ZSTD ? TK_TRACY_ZSTD : TK_TRACY_LZ4,
                                     .level = codec == TK_TW_LZ4 ? 0 : level,
                                     .streams = streams};
}

int tk_tw_write_sink(void *sink, const void *p, size_t n, struct tk_err *err)
{
    tk_uw_sink_write(sink, p, n);
    return ((struct tk_uw_sink *)sink)->failed ? tk_err_set(err, TK_EOUTPUT, "cannot write") : TK_OK;
}

void tk_tw_blocks_open(struct tk_tw_blocks *b, struct tk_uw_sink *sink, enum tk_tw_container container,
                       enum tk_tw_codec codec, int level, unsigned streams)
{
    const struct tk_tracy_packing packing = tk_tw_packing(container, codec, level, streams);

    memset(b, 0, sizeof(*b));
    b->sink = sink;
    if (tk_tracy_packer_open(&b->packer, &packing, tk_tw_write_sink, sink, NULL))
        sink->failed = true;
}

static void write_block(struct tk_tw_blocks *b, const uint8_t *data, size_t size)
{
    memcpy(tk_tracy_packer_space(&b->packer), data, size);
    if (tk_tracy_packer_block(&b->packer, size, NULL))
        b->sink->failed = true;
}

void tk_tw_blocks_drain(struct tk_tw_blocks *b)
{
    size_t at = 0;

    for (; b->pending.size - at >= TK_TW_BLOCK && !b->sink->failed; at += TK_TW_BLOCK)
        write_block(b, b->pending.data + at, TK_TW_BLOCK);
    tk_uw_bytes_drop(&b->pending, at);
    b->sink->failed |= b->pending.failed;
}

void tk_tw_blocks_close(struct tk_tw_blocks *b)
{
    tk_tw_blocks_drain(b);
    if (b->pending.size && !b->sink->failed)
        write_block(b, b->pending.data, b->pending.size);
    tk_tracy_packer_close(&b->packer);
    tk_uw_bytes_release(&b->pending);
}
