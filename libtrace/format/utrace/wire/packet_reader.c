/*
 * Reading and unpacking of packets.
 */
#include "format/utrace/wire/packet_reader.h"

#include "base/stream_copy.h"
#include "io/decompress.h"

#include <stdlib.h>

#define STRETCH_BYTES   (384u << 10)
#define STRETCH_PACKETS 4096u
#define STRETCH_OUT     (2u << 20)  /* unpacked bytes of a stretch */
#define STRETCH_GAP     (16u << 10) /* bytes of packets that nobody wants, which end a stretch */
#define TASK_PACKETS    16          /* packets that are unpacked as one piece of work */
#define LINE            16          /* packets begin at a multiple of so many bytes in `out` */
#define DECODED_LIMIT_2 8192        /* of transport 2 */

/* How many packets from `first` on stand one after another within a stretch, and where they end. */
static size_t measure(const struct tk_ut_index *ix, size_t first, const uint8_t *want, uint64_t *end)
{
    uint64_t begin = tk_ut_index_offset(ix, first), wanted_end = begin;
    size_t n = 0, wanted = 0; /* of the last one that is wanted: its place behind `first`, counted from 1 */
    *end = begin;
    while (first + n < ix->n && n < STRETCH_PACKETS) {
        uint64_t at = tk_ut_index_offset(ix, first + n);
        uint64_t next = at + TK_UT_PACKET_MAX < ix->end ? at + TK_UT_PACKET_MAX : ix->end;
        if (first + n + 1 < ix->n && tk_ut_index_offset(ix, first + n + 1) > at &&
            tk_ut_index_offset(ix, first + n + 1) < next)
            next = tk_ut_index_offset(ix, first + n + 1);
        if (n && (at < *end || at - begin > STRETCH_BYTES || next - begin > STRETCH_BYTES))
            break;
        *end = next;
        n++;
        if (!want || want[tk_ut_index_tid(ix, first + n - 1)]) {
            wanted = n;
            wanted_end = next;
        } else if (wanted && next - wanted_end > STRETCH_GAP) {
            *end = wanted_end;
            return wanted;
        }
    }
    return n;
}

enum { DECODED_MOST = UINT16_MAX + 1 };

/* As another thread has read what was in `out` before, LZ4, which reads what it writes, would wait for all of
 * it: it writes to `decoded`. NULL: nobody has. As tk_lz4_block. */
static bool unpack_apart(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n, uint8_t *decoded)
{
    if (!decoded)
        return tk_lz4_block(out, out_n, in, in_n);
    if (!tk_lz4_block(decoded, out_n, in, in_n))
        return false;
    tk_stream_copy(out, decoded, (out_n + LINE - 1) / LINE * LINE);
    return true;
}

static enum tk_ut_unpacked unpack(struct tk_ut_read_packet *p, const uint8_t *raw, uint8_t *out,
                                  uint8_t *decoded)
{
    const uint8_t *payload = raw + p->head.head;
    size_t stored = p->head.stored - p->head.head;
    p->p = payload;
    p->n = (uint32_t)stored;
    if (!p->head.encoded)
        return TK_UT_UNPACKED;
    p->p = out;
    p->n = p->head.decoded;
    if (p->head.cut) {
        p->n = (uint32_t)tk_lz4_cut_block(out, p->head.decoded, payload, stored);
        return TK_UT_UNPACKED;
    }
    if (stored == 0)
        return TK_UT_EMPTY_ENCODED;
    if (p->head.decoded == 0)
        return stored == 1 && payload[0] == 0 ? TK_UT_UNPACKED : TK_UT_NOT_LZ4;
    if (p->head.whole_records && p->head.decoded > DECODED_LIMIT_2)
        return TK_UT_NOT_LZ4;
    return unpack_apart(out, p->head.decoded, payload, stored, decoded) ? TK_UT_UNPACKED : TK_UT_NOT_LZ4;
}

static void unpack_piece(void *ctx, size_t piece, unsigned worker)
{
    struct tk_ut_packet_run *s = ctx;
    size_t end = (piece + 1) * TASK_PACKETS;
    uint8_t *decoded = s->apart ? s->decoded + worker * (size_t)DECODED_MOST : NULL;
    for (size_t i = piece * TASK_PACKETS; i < end && i < s->packets.n; i++) {
        struct tk_ut_read_packet *p = &s->packets.v[i];
        if (p->state == TK_UT_UNPACKED)
            p->state = unpack(p, s->raw + (p->head.offset - s->begin), s->out + p->n, decoded);
    }
    if (s->apart)
        tk_stream_end();
}

/* Lays the packets out: which are wanted, and where in `out` each goes (kept in n until it is unpacked). */
static int lay_out_packet_reader(struct tk_ut_packet_run *s, const struct tk_ut_index *ix, size_t first,
                                 size_t n, const uint8_t *want)
{
    uint32_t capacity = 0, place = 0;
    s->packets.n = 0;
    if (tk_vec_reserve(&s->packets, n))
        return TK_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        struct tk_ut_read_packet p = {.state = TK_UT_UNPACKED, .n = place};
        uint64_t at = tk_ut_index_offset(ix, first + i) - s->begin;
        bool there =
            at < s->n_raw && tk_ut_index_packet(ix, first + i, s->raw + at, (size_t)(s->n_raw - at), &p.head);
        if (want && !want[tk_ut_index_tid(ix, first + i)]) {
            p.state = TK_UT_NOT_WANTED;
            p.head.tid = tk_ut_index_tid(ix, first + i);
        } else if (!there) {
            p.state = TK_UT_GONE;
            p.head.tid = tk_ut_index_tid(ix, first + i);
            p.head.offset = tk_ut_index_offset(ix, first + i);
        } else if (s->passed && s->passed[first + i]) {
            p.state = TK_UT_NOT_WANTED;
        } else if (p.head.encoded) {
            if (i && capacity + p.head.decoded > STRETCH_OUT)
                break;
            capacity += p.head.decoded;
            place += (p.head.decoded + LINE - 1u) / LINE * LINE;
        }
        s->packets.v[s->packets.n++] = p;
    }
    return tk_vec_grow((void **)&s->out, &s->cap_out, (size_t)place + 1, 1) ? TK_ENOMEM : TK_OK;
}

int tk_ut_packet_run_read(struct tk_ut_packet_run *s, struct tk_context *ctx, const struct tk_ut_index *ix,
                          size_t first, const uint8_t *want, size_t *count, struct tk_err *err)
{
    uint64_t end;
    *count = first < ix->n ? measure(ix, first, want, &end) : 0;
    if (!*count)
        return TK_OK;
    s->begin = tk_ut_index_offset(ix, first);
    if (tk_vec_grow((void **)&s->raw, &s->cap_raw, (size_t)(end - s->begin), 1))
        return tk_err_nomem(err, "packets");
    int rc = tk_file_read(ctx->file, s->begin, s->raw, (size_t)(end - s->begin), &s->n_raw, err);
    if (rc != TK_OK)
        return rc;
    const size_t decoded = s->apart ? tk_pool_jobs(ctx->pool) * (size_t)DECODED_MOST : 0;
    if (lay_out_packet_reader(s, ix, first, *count, want) != TK_OK ||
        tk_vec_grow((void **)&s->decoded, &s->cap_decoded, decoded, 1))
        return tk_err_nomem(err, "packets");
    *count = s->packets.n;
    tk_pool_run(ctx->pool, unpack_piece, s, (*count + TASK_PACKETS - 1) / TASK_PACKETS);
    return TK_OK;
}

int tk_ut_packet_read(struct tk_context *ctx, const struct tk_ut_index *ix, size_t i, uint8_t *raw,
                      uint8_t *out, struct tk_ut_read_packet *packet, struct tk_err *err)
{
    uint64_t at = tk_ut_index_offset(ix, i), left = ix->end - at;
    uint64_t next = tk_ut_index_offset(ix, i + 1);
    size_t want = left < TK_UT_PACKET_MAX ? (size_t)left : TK_UT_PACKET_MAX, got = 0;
    if (next > at && next - at < want)
        want = (size_t)(next - at);
    int rc = tk_file_read(ctx->file, at, raw, want, &got, err);
    if (rc != TK_OK)
        return rc;
    *packet = (struct tk_ut_read_packet){.state = TK_UT_GONE};
    if (tk_ut_index_packet(ix, i, raw, got, &packet->head))
        packet->state = unpack(packet, raw, out, NULL);
    packet->head.offset = at;
    packet->head.tid = tk_ut_index_tid(ix, i);
    return TK_OK;
}

enum tk_ledger_part tk_ut_packet_part(const struct tk_ut_index *ix, uint32_t tid)
{
    if (ix->header->protocol >= 5 && tid == TK_UT_TID_DECLARATIONS)
        return TK_LEDGER_DECLARATIONS;
    return ix->header->protocol >= 5 && tid == TK_UT_TID_IMPORTANT ? TK_LEDGER_DEFINITIONS : TK_LEDGER_EVENTS;
}

void tk_ut_packet_note(struct tk_context *ctx, struct tk_health *health, const struct tk_ut_index *ix,
                       const struct tk_ut_read_packet *packet)
{
    static const char *const why[] = {"", "", "it is compressed, but empty",
                                      "its data does not decompress to the stated size",
                                      "it is no longer in the file"};
    enum tk_health_kind kind = packet->state == TK_UT_GONE ? TK_HEALTH_FILE_SHRANK : TK_HEALTH_PACKET_DAMAGED;
    tk_health_note(health, kind, packet->head.offset, 1, "a packet of thread %u was dropped: %s",
                   packet->head.tid, why[packet->state]);
    if (kind == TK_HEALTH_PACKET_DAMAGED && !(health->muted >> kind & 1))
        tk_health_move(&ctx->health, tk_ut_packet_part(ix, packet->head.tid), TK_LEDGER_UNREADABLE,
                       packet->head.stored - packet->head.head);
}

void tk_ut_packet_run_release(struct tk_ut_packet_run *s)
{
    tk_vec_release(&s->packets);
    free(s->raw);
    free(s->out);
    free(s->decoded);
    *s = (struct tk_ut_packet_run){0};
}
