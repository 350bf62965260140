/*
 * Filling the index from the packets of a file.
 */
#include "format/utrace/wire/index.h"
#include "format/utrace/wire/wire_in.h"

#include <stdlib.h>

static int add_slices(struct tk_ut_index *ix, uint64_t begin, uint64_t end)
{
    int rc = TK_OK;
    for (uint64_t at = begin; at < end && rc == TK_OK; at += TK_UT_SLICE)
        rc = tk_ut_index_add(ix, at, 0, false, false);
    ix->end = end;
    *tk_ut_index_count(ix, 0) = (struct tk_ut_lane_info){ix->n, end - begin, end - begin};
    return rc;
}

int tk_ut_index_build(struct tk_ut_index *ix, struct tk_context *ctx, const struct tk_ut_header *header,
                      struct tk_err *err)
{
    uint64_t size = tk_file_size(ctx->file);
    *ix = (struct tk_ut_index){.header = header, .end = header->size};
    ctx->health.ledger[TK_LEDGER_HEADER] = header->size;
    if (!(ix->lanes = calloc(TK_UT_TIDS, sizeof *ix->lanes)))
        return tk_err_nomem(err, "the packet index");
    if (header->transport == TK_UT_TRANSPORT_RAW) {
        ctx->health.ledger[TK_LEDGER_EVENTS] = size - header->size;
        int rc = add_slices(ix, header->size, size);
        return rc == TK_OK ? rc : tk_err_nomem(err, "the packet index");
    }
    if (header->transport == TK_UT_TRANSPORT_PACKET)
        return tk_ut_packet_walk_batched(ix, ctx, err);
    return tk_ut_packet_walk_tid(ix, ctx, err);
}
