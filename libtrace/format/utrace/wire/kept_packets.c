/*
 * The index of packets, kept. See kept_packets.h.
 *
 *   end, counted, syncs, settled | ledger | lanes with packets: thread, packets, stored, payload
 *   packets: how many; of each: header word (2 bytes), bytes since the one before
 */
#include "format/utrace/wire/kept_packets.h"

#include "fact/kept.h"

#include <stdlib.h>

enum { LEAST_PACKET = 4 };

/* ---- making ---- */

static void put_lanes(struct tk_kept_bytes *b, const struct tk_ut_index *ix)
{
    uint64_t n = 0;
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++)
        n++;
    tk_kept_put(b, n);
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++) {
        tk_kept_put(b, tid);
        tk_kept_put(b, ix->lanes[tid].packets);
        tk_kept_put(b, ix->lanes[tid].stored);
        tk_kept_put(b, ix->lanes[tid].payload);
    }
}

static void put_packets(struct tk_kept_bytes *b, const struct tk_ut_index *ix)
{
    uint64_t before = 0;
    tk_kept_put(b, ix->n);
    for (size_t i = 0; i < ix->n && b->bytes.n <= ix->end; i++) {
        const uint64_t word = tk_ut_index_word(ix, i), offset = word >> TK_UT_WORD_SHIFT;
        const uint8_t head[2] = {(uint8_t)word, (uint8_t)(word >> 8)};
        tk_kept_put_bytes(b, head, sizeof head);
        tk_kept_put(b, offset - before);
        before = offset;
    }
}

void tk_ut_kept_packets_make(const struct tk_ut_index *ix, struct tk_context *ctx,
                             const uint64_t ledger[TK_LEDGER_COUNT])
{
    struct tk_kept_bytes *b = &ctx->known->made[TK_KEPT_PACKETS];
    if (ix->truncated || ix->lost || ix->suspects.n || !ix->n || ledger[TK_LEDGER_SKIPPED] ||
        ledger[TK_LEDGER_TRUNCATED] || ledger[TK_LEDGER_UNREADABLE])
        return;
    tk_kept_put(b, ix->end);
    tk_kept_put(b, ix->counted);
    tk_kept_put(b, ix->syncs);
    tk_kept_put(b, ix->settled);
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        tk_kept_put(b, ledger[i]);
    put_lanes(b, ix);
    put_packets(b, ix);
}

/* ---- loading ---- */

static bool take_lanes(struct tk_ut_index *ix, struct tk_cur *c)
{
    const uint64_t n = tk_varint(c, "threads");
    if (!(ix->lanes = calloc(TK_UT_TIDS, sizeof *ix->lanes)))
        return false;
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        const uint64_t tid = tk_varint(c, "thread");
        if (tid >= TK_UT_TIDS)
            return false;
        struct tk_ut_lane_info *lane = tk_ut_index_count(ix, (uint32_t)tid);
        if (lane->packets)
            return false;
        lane->packets = tk_varint(c, "packets");
        lane->stored = tk_varint(c, "bytes");
        lane->payload = tk_varint(c, "bytes");
    }
    return tk_cur_ok(c);
}

/* The cursor is copied, so that it is in registers. */
static bool take_each(struct tk_ut_index *ix, struct tk_cur *from, uint64_t left[TK_UT_TIDS])
{
    struct tk_cur c = *from;
    const uint64_t n = tk_varint(&c, "packets");
    uint64_t offset = 0;
    for (uint64_t i = 0; i < n && tk_cur_ok(&c); i++) {
        const uint32_t word = tk_u16(&c, "header"), tid = word & TK_UT_TID_SYNC;
        const uint64_t step = tk_varint(&c, "place");
        if (step < (i ? LEAST_PACKET : ix->header->size) || step > ix->end - offset || !left[tid]--)
            return false;
        offset += step;
        if (tk_ut_index_add(ix, offset, word, false, false) != TK_OK)
            return false;
    }
    *from = c;
    return offset < ix->end;
}

/* Others lay out room for the packets of each thread by its number of them. Those between which nothing is
 * under way are counted, and not listed. */
static bool take_packets(struct tk_ut_index *ix, struct tk_cur *c, uint64_t left[TK_UT_TIDS])
{
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++)
        left[tid] = tid == TK_UT_TID_SYNC ? 0 : ix->lanes[tid].packets;
    if (ix->lanes[TK_UT_TID_SYNC].packets != ix->syncs || !take_each(ix, c, left))
        return false;
    for (uint32_t tid = 0; tk_ut_index_lane(ix, &tid); tid++)
        if (left[tid])
            return false;
    return tk_cur_ok(c) && !tk_cur_left(c) && ix->n;
}

bool tk_ut_kept_packets_load(struct tk_ut_index *ix, struct tk_context *ctx,
                             const struct tk_ut_header *header)
{
    uint64_t ledger[TK_LEDGER_COUNT];
    if (!ctx->known || !ctx->known->has[TK_KEPT_PACKETS].n)
        return false;
    struct tk_cur c = tk_kept_cursor(ctx->known, TK_KEPT_PACKETS);
    *ix = (struct tk_ut_index){.header = header, .end = tk_varint(&c, "end")};
    ix->counted = tk_varint(&c, "counters") != 0;
    ix->syncs = tk_varint(&c, "syncs");
    ix->settled = tk_varint(&c, "place");
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        ledger[i] = tk_varint(&c, "ledger");
    uint64_t *left = calloc(TK_UT_TIDS, sizeof *left);
    const bool good =
        left && ix->end <= tk_file_size(ctx->file) && take_lanes(ix, &c) && take_packets(ix, &c, left);
    free(left);
    if (!good) {
        tk_ut_index_release(ix);
        *ix = (struct tk_ut_index){0};
        return false;
    }
    memcpy(ctx->health.ledger, ledger, sizeof ledger);
    return true;
}
