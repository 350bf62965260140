/*
 * The walk over transport 2 (wire 2.2): packets come in batches; a packet whose serial is not above the one
 * before opens the next batch; a batch is consumed from its last packet to its first. The last batch counts
 * too.
 *
 *   u16 serial, bit 15 encoded | u16 size with this header | u16 decoded size if encoded | payload
 */
#include "base/cursor.h"
#include "base/vec.h"
#include "format/utrace/wire/packet_walk.h"

typedef TK_VEC(uint64_t) batch_vec;

static int flush(struct tk_ut_index *ix, batch_vec *batch)
{
    int rc = TK_OK;
    for (size_t i = batch->n; i-- > 0 && rc == TK_OK;)
        rc = tk_ut_index_add(ix, batch->v[i], 0, false, false);
    batch->n = 0;
    return rc;
}

static void end_early(struct tk_context *ctx, struct tk_ut_index *ix, uint64_t at, bool cut)
{
    uint64_t left = tk_file_size(ctx->file) - at;
    ix->truncated = cut;
    ctx->health.ledger[cut ? TK_LEDGER_TRUNCATED : TK_LEDGER_SKIPPED] += left;
    tk_health_note(&ctx->health, cut ? TK_HEALTH_FILE_TRUNCATED : TK_HEALTH_PACKET_HEADER_DAMAGED, at, 1,
                   cut ? "the file ends inside a packet: %llu bytes of it are present"
                       : "no packet header; the last %llu bytes were not read",
                   (unsigned long long)left);
}

static int walk(struct tk_ut_index *ix, struct tk_context *ctx, struct tk_window *window, batch_vec *batch,
                struct tk_err *err)
{
    uint64_t size = tk_file_size(ctx->file), at = ix->header->size;
    uint32_t last = UINT32_MAX;
    while (at < size) {
        size_t got = 0;
        const uint8_t *p = tk_window_at(window, at, 6, &got, err);
        if (!p)
            return TK_EIO;
        uint32_t head = got >= 2 && tk_load16(p) & TK_UT_ENCODED ? 6 : 4;
        uint32_t stored = got >= head ? tk_load16(p + 2) : 0;
        if (got < head || stored < head || at + stored > size) {
            end_early(ctx, ix, at, got < head || stored >= head);
            break;
        }
        uint32_t serial = tk_load16(p) & 0x7fffu;
        if (batch->n && serial <= last && flush(ix, batch) != TK_OK)
            return TK_ENOMEM;
        last = serial;
        if (tk_vec_push(batch, at))
            return TK_ENOMEM;
        struct tk_ut_lane_info *lane = tk_ut_index_count(ix, 0);
        lane->packets++;
        lane->stored += stored;
        lane->payload += stored - head;
        ctx->health.ledger[TK_LEDGER_FRAMING] += head;
        ctx->health.ledger[TK_LEDGER_EVENTS] += stored - head;
        at += stored;
    }
    ix->end = at;
    return flush(ix, batch);
}

int tk_ut_packet_walk_batched(struct tk_ut_index *ix, struct tk_context *ctx, struct tk_err *err)
{
    struct tk_window *window = NULL;
    batch_vec batch = {0};
    int rc = tk_window_open(&window, ctx->file, false, err);
    if (rc != TK_OK)
        return rc;
    rc = walk(ix, ctx, window, &batch, err);
    tk_vec_release(&batch);
    tk_window_close(window);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "the packet index") : rc;
}
