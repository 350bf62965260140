/*
 * The packed index.
 */
#include "format/utrace/wire/index.h"

#include "base/cursor.h"
#include "fact/kept.h"

#include <stdlib.h>

/*
 * The index of packets, kept.
 *
 *   end, counted, syncs, settled | ledger | lanes with packets: thread, packets, stored, payload
 *   packets: how many; of each: header word (2 bytes), bytes since the one before
 */

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

/* Others lay out space for the packets of each thread by its number of them. Those between which nothing is
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

int tk_ut_index_grow(struct tk_ut_index *ix)
{
    uint64_t **chunks = realloc(ix->chunks, (ix->n_chunks + 1) * sizeof *chunks);
    if (!chunks)
        return TK_ENOMEM;
    ix->chunks = chunks;
    if (!(chunks[ix->n_chunks] = malloc(TK_UT_CHUNK_SIZE * sizeof **chunks)))
        return TK_ENOMEM;
    ix->n_chunks++;
    return TK_OK;
}

bool tk_ut_index_lane(const struct tk_ut_index *ix, uint32_t *tid)
{
    uint32_t at = *tid;
    while (at < TK_UT_TIDS && !ix->lanes[at].packets)
        at = ix->used[at / 64] >> at % 64 ? at + 1 : (at / 64 + 1) * 64;
    *tid = at;
    return at < TK_UT_TIDS;
}

size_t tk_ut_index_next(const struct tk_ut_index *ix, size_t i, uint16_t tid)
{
    for (; i < ix->n; i++) {
        uint64_t word = tk_ut_index_word(ix, i);
        if ((word & TK_UT_TID_SYNC) == tid || word & TK_UT_WORD_LOSS)
            return i;
    }
    return ix->n;
}

bool tk_ut_index_loss(const struct tk_ut_index *ix, size_t i)
{
    return tk_ut_index_word(ix, i) & TK_UT_WORD_LOSS;
}

uint64_t tk_ut_index_offset(const struct tk_ut_index *ix, size_t i)
{
    return i < ix->n ? tk_ut_index_word(ix, i) >> TK_UT_WORD_SHIFT : ix->end;
}

/* A slice of the stream of transport 1. */
static bool fill_slice(const struct tk_ut_index *ix, struct tk_ut_packet *out)
{
    uint64_t left = ix->end - out->offset;
    out->stored = left < TK_UT_SLICE ? (uint32_t)left : TK_UT_SLICE;
    return true;
}

/* Transport 2: u16 serial and encoded bit, u16 size, u16 decoded size if encoded. */
static bool fill_batched(const uint8_t *p, size_t have, struct tk_ut_packet *out)
{
    if (have < 4)
        return false;
    out->encoded = tk_load16(p) & TK_UT_ENCODED;
    out->stored = tk_load16(p + 2);
    out->head = out->encoded ? 6 : 4;
    out->whole_records = true;
    if (out->encoded && have >= 6)
        out->decoded = tk_load16(p + 4);
    return out->stored >= out->head && have >= out->head;
}

static bool fill_tid(const uint8_t *p, size_t have, uint64_t word, struct tk_ut_packet *out)
{
    out->head = out->encoded ? 6 : 4;
    if (have < out->head || tk_load16(p + 2) != (word & 0xffff))
        return false;
    out->stored = tk_load16(p);
    if (out->encoded)
        out->decoded = tk_load16(p + 4);
    return out->stored >= out->head;
}

bool tk_ut_index_packet(const struct tk_ut_index *ix, size_t i, const uint8_t *p, size_t have,
                        struct tk_ut_packet *out)
{
    uint64_t word = tk_ut_index_word(ix, i);
    *out = (struct tk_ut_packet){.offset = word >> TK_UT_WORD_SHIFT,
                                 .tid = word & TK_UT_TID_SYNC,
                                 .encoded = word & TK_UT_ENCODED,
                                 .partial = word & TK_UT_PARTIAL,
                                 .cut = word & TK_UT_WORD_CUT,
                                 .after_loss = word & TK_UT_WORD_LOSS};
    bool ok = ix->header->transport == TK_UT_TRANSPORT_RAW      ? fill_slice(ix, out)
              : ix->header->transport == TK_UT_TRANSPORT_PACKET ? fill_batched(p, have, out)
                                                                : fill_tid(p, have, word, out);
    if (ok && out->stored > have) {
        ok = out->cut;
        out->stored = (uint32_t)have;
    }
    return ok;
}

void tk_ut_index_take_out(struct tk_ut_index *ix, size_t i, uint32_t n, uint32_t head)
{
    struct tk_ut_lane_info *lane = &ix->lanes[tk_ut_index_tid(ix, i)];
    lane->packets--;
    lane->stored -= n;
    lane->payload -= n - head;
    ix->chunks[i >> TK_UT_CHUNK_BITS][i & (TK_UT_CHUNK_SIZE - 1)] |= TK_UT_TID_SYNC; /* which nobody reads */
}

void tk_ut_index_release(struct tk_ut_index *ix)
{
    tk_vec_release(&ix->suspects);
    for (size_t i = 0; i < ix->n_chunks; i++)
        free(ix->chunks[i]);
    free(ix->chunks);
    free(ix->lanes);
    if (ix->rest)
        tk_ut_index_release(ix->rest); /* which has none */
    free(ix->rest);
    *ix = (struct tk_ut_index){0};
}
