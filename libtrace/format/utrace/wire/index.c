/*
 * The packed index: see index.h.
 */
#include "format/utrace/wire/index.h"

#include "base/cursor.h"

#include <stdlib.h>

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
