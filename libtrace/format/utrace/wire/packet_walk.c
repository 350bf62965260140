/*
 * Looking at single packets of transports 3 and 4, and searching for the next ones after damage
 * (wire 2.3, 9.1).
 *
 *   u16 size with this header | u16 tid, bit 14 partial, bit 15 encoded | u16 decoded size if encoded |
 * payload
 */
#include "base/cursor.h"
#include "base/vec.h"
#include "fact/progress.h"
#include "format/utrace/wire/wire_in.h"
#include "io/decompress.h"

#include <stdlib.h>

/*
 * The walk over transport 2 (wire 2.2): packets come in batches; a packet whose serial is not above the one
 * before opens the next batch; a batch is consumed from its last packet to its first. The last batch counts
 * too.
 *
 *   u16 serial, bit 15 encoded | u16 size with this header | u16 decoded size if encoded | payload
 */

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

#define CHAIN 4

#define ZEROS_REPORTED ((uint64_t)16 << 20) /* of so many zeros progress is reported */

enum tk_ut_state tk_ut_packet_walk_head(struct tk_ut_packet_walk *w, uint64_t offset, struct tk_ut_head *head)
{
    size_t got = 0;
    const uint8_t *p = tk_window_at(w->window, offset, 6, &got, w->err);
    *head = (struct tk_ut_head){.offset = offset};
    if (!p || got < 4)
        return TK_UT_BAD;
    head->size = tk_load16(p);
    head->word = tk_load16(p + 2);
    head->tid = head->word & TK_UT_TID_SYNC;
    head->decoded = got >= 6 ? tk_load16(p + 4) : 0;
    if (head->size < (head->word & TK_UT_ENCODED ? 6 : 4))
        return TK_UT_BAD;
    if (head->tid == TK_UT_TID_SYNC && (head->size != 4 || head->word & TK_UT_ENCODED))
        return TK_UT_BAD;
    return offset + head->size > w->size ? TK_UT_CUT : TK_UT_GOOD;
}

static bool near_tid(const struct tk_ut_packet_walk *w, uint16_t tid)
{
    return w->ix->lanes[tid].packets || tid <= w->highest + TK_UT_FAR || tid >= TK_UT_TID_CONNECT;
}

/* How often each tid occurs when headers are followed blindly. */
static bool take_census(struct tk_ut_packet_walk *w)
{
    struct tk_ut_head head;
    if (w->census)
        return true;
    if (!(w->census = calloc(TK_UT_TIDS, sizeof *w->census)))
        return false;
    for (uint64_t at = w->ix->header->size; tk_ut_packet_walk_head(w, at, &head) == TK_UT_GOOD;
         at = tk_ut_packet_walk_after(w, &head))
        w->census[head.tid]++;
    return true;
}

bool tk_ut_packet_walk_believable(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    return near_tid(w, head->tid) || (take_census(w) && w->census[head->tid] > 1);
}

bool tk_ut_packet_walk_unpacks(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    size_t got = 0;
    const uint8_t *p;
    if (!(head->word & TK_UT_ENCODED))
        return true;
    if (!w->scratch && !(w->scratch = malloc(TK_UT_PACKET_MAX)))
        return false;
    p = tk_window_at(w->window, head->offset, head->size, &got, w->err);
    return p && got == head->size && tk_lz4_block(w->scratch, head->decoded, p + 6, head->size - 6);
}

static bool plausible(const struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    if (head->tid == TK_UT_TID_SYNC)
        return true;
    if (!near_tid(w, head->tid))
        return false;
    if (head->word & TK_UT_ENCODED)
        return head->size >= 7 && head->decoded > 0;
    return head->size > 4 && (head->size <= TK_UT_RAW_LIMIT || w->has_large);
}

/* How many good packets follow each other from an offset on, at most CHAIN. *strong: one of them unpacked,
 * which chance hardly does. *end: they end with the file. */
static int follow(struct tk_ut_packet_walk *w, uint64_t offset, bool *strong, bool *end)
{
    *strong = *end = false;
    for (int i = 0; i < CHAIN; i++) {
        struct tk_ut_head head;
        *end = offset == w->size && i > 0;
        if (*end || tk_ut_packet_walk_head(w, offset, &head) != TK_UT_GOOD || !plausible(w, &head) ||
            !tk_ut_packet_walk_unpacks(w, &head))
            return i;
        *strong |= (head.word & TK_UT_ENCODED) && head.decoded > 32;
        offset = tk_ut_packet_walk_after(w, &head);
    }
    return CHAIN;
}

bool tk_ut_packet_walk_chain(struct tk_ut_packet_walk *w, uint64_t offset)
{
    bool strong, end;
    int n = follow(w, offset, &strong, &end);
    return n == CHAIN || (end && n > 0);
}

/* Where nothing says that a packet begins, a few bytes before the end of the file prove little. */
static bool proven(struct tk_ut_packet_walk *w, uint64_t offset)
{
    bool strong, end;
    int n = follow(w, offset, &strong, &end);
    return n == CHAIN || (end && strong);
}

bool tk_ut_packet_walk_leads(struct tk_ut_packet_walk *w, uint64_t offset, uint64_t next)
{
    struct tk_ut_head head;
    if (!proven(w, offset))
        return false;
    while (offset < next && next != UINT64_MAX && tk_ut_packet_walk_head(w, offset, &head) == TK_UT_GOOD &&
           plausible(w, &head) && tk_ut_packet_walk_unpacks(w, &head))
        offset = tk_ut_packet_walk_after(w, &head);
    return offset == next || next == UINT64_MAX;
}

uint64_t tk_ut_packet_walk_zeros(struct tk_ut_packet_walk *w, uint64_t offset)
{
    uint64_t reported = offset;
    size_t n = 1, got = 1;
    if (offset >= w->zeros_from && offset < w->zeros_to)
        return w->zeros_to;
    w->zeros_from = w->zeros_to = offset;
    for (; got && n == got && w->rc == TK_OK; w->zeros_to += n) {
        const uint8_t *p = tk_window_at(w->window, w->zeros_to, TK_WINDOW_MOST, &got, w->err);
        n = p ? tk_zeros(p, got) : 0;
        if (w->zeros_to - reported < ZEROS_REPORTED)
            continue;
        reported = w->zeros_to;
        w->rc = tk_progress(w->ctx, reported, w->size, w->err);
    }
    return w->zeros_to;
}

/* The next place where a packet may begin: none has a size of zero. */
static uint64_t next_place(struct tk_ut_packet_walk *w, uint64_t at)
{
    size_t got = 0;
    const uint8_t *p = tk_window_at(w->window, at, 4, &got, w->err);
    if (!p || got < 4 || p[0] || p[1])
        return at;
    return tk_ut_packet_walk_zeros(w, at + 2) - 1;
}

uint64_t tk_ut_packet_walk_search(struct tk_ut_packet_walk *w, uint64_t from)
{
    uint64_t at = next_place(w, from);
    /* what is known already is not searched again: a file that is made for it would take its size squared */
    bool known = w->searched < w->found && from <= w->found;
    while (at + 4 <= w->size && !(known && at >= w->searched) && !proven(w, at))
        at = next_place(w, at + 1);
    if (!(known && at >= w->searched))
        w->found = at + 4 <= w->size ? at : UINT64_MAX;
    w->searched = from;
    return w->found;
}

bool tk_ut_packet_walk_filled(struct tk_ut_packet_walk *w, uint64_t offset)
{
    struct tk_ut_raw_records records;
    struct tk_ut_head head;
    size_t got = 0;
    if (tk_ut_packet_walk_head(w, offset, &head) != TK_UT_GOOD || head.word & TK_UT_ENCODED ||
        !w->ix->lanes[head.tid].packets)
        return false;
    const uint8_t *p = tk_window_at(w->window, offset, head.size, &got, w->err);
    if (!p || got < head.size)
        return false;
    tk_ut_raw_records_find(&records, w->ix->header->protocol, p + 4, head.size - 4);
    return tk_ut_raw_records_end(&records, head.size - 4);
}

uint64_t tk_ut_packet_walk_likeliest(struct tk_ut_packet_walk *w, uint64_t offset)
{
    struct tk_ut_head head;
    uint64_t end = offset;
    if (w->ix->header->protocol > 4 || tk_ut_packet_walk_head(w, offset, &head) != TK_UT_GOOD ||
        head.word & TK_UT_ENCODED || tk_ut_packet_walk_filled(w, offset))
        return offset;
    const uint64_t behind = tk_ut_packet_walk_after(w, &head);
    for (int i = 0; i < CHAIN && tk_ut_packet_walk_head(w, end, &head) == TK_UT_GOOD; i++)
        end = tk_ut_packet_walk_after(w, &head);
    for (uint64_t at = offset + 1; at < behind; at++)
        if (tk_ut_packet_walk_leads(w, at, end) && tk_ut_packet_walk_filled(w, at))
            return at;
    return offset;
}
