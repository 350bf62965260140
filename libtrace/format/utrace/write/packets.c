/* Headers and packets. */
#include "format/utrace/write/packets.h"

#include "base/stream_copy.h"
#include "tracekit/errors.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>

/* Compression alongside the making of packets. */

enum { PART_BYTES = 256 << 10 };

static void put(struct tk_uw_queue *q, struct tk_uw_queue_part *part, const struct tk_uw_queued *p)
{
    const uint8_t *bytes = part->bytes.data + p->at;
    if (p->whole) {
        tk_uw_raw(&part->out, bytes, p->size);
        return;
    }
    uint8_t *to = tk_uw_bytes_space(&part->out, tk_uw_packet_space(p->size));
    if (to)
        part->out.size += tk_uw_packet_make(q->packets, p->tid, bytes, p->size, to);
}

static void make_part(void *ctx, size_t place, unsigned worker)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[place];
    (void)worker;
    tk_uw_bytes_clear(&part->out);
    for (size_t i = 0; i < part->packets.n; i++)
        put(q, part, &part->packets.v[i]);
}

static int write_part(void *ctx, size_t place, unsigned worker)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[place];
    struct tk_uw_sink *sink = q->packets->sink;
    (void)worker;
    if (part->out.failed)
        sink->failed = true;
    tk_uw_sink_write(sink, part->out.data, part->out.size);
    part->packets.n = 0;
    tk_uw_bytes_clear(&part->bytes);
    return sink->failed ? TK_EOUTPUT : TK_OK;
}

static void turn(struct tk_uw_queue *q)
{
    tk_stream_end();
    q->packets->failed |= tk_in_order_give(&q->order) != TK_OK;
}

/* Appends bytes that begin at a multiple of 16; another thread has read what was there. */
static void append(struct tk_uw_bytes *bytes, const uint8_t *p, size_t n)
{
    enum { STEP = 16 };
    const size_t begin = (bytes->size + STEP - 1) / STEP * STEP, most = n / STEP * STEP;
    uint8_t *at = tk_uw_bytes_space(bytes, begin - bytes->size + n);
    if (!at)
        return;
    at += begin - bytes->size;
    tk_stream_copy(at, p, most);
    memcpy(at + most, p + most, n - most);
    bytes->size = begin + n;
}

static void take(void *ctx, uint16_t tid, const void *data, size_t size, bool whole)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[tk_in_order_filling(&q->order)];
    if (q->packets->failed)
        return;
    append(&part->bytes, data, size);
    const struct tk_uw_queued packet = {
        .at = part->bytes.size - size, .size = (uint32_t)size, .tid = tid, .whole = whole};
    if (part->bytes.failed || tk_vec_push(&part->packets, packet))
        q->packets->failed = true;
    else if (part->bytes.size >= PART_BYTES)
        turn(q);
}

void tk_uw_queue_open(struct tk_uw_queue *q, struct tk_uw_packets *packets, struct tk_pool *pool)
{
    *q = (struct tk_uw_queue){.packets = packets};
    tk_in_order_open(&q->order, pool, make_part, write_part, q);
    packets->later = take;
    packets->later_ctx = q;
}

void tk_uw_queue_drain(struct tk_uw_queue *q)
{
    if (!q->packets)
        return;
    if (!q->packets->failed && q->parts[tk_in_order_filling(&q->order)].packets.n)
        turn(q);
    q->packets->failed |= tk_in_order_drain(&q->order) != TK_OK;
    q->packets->sink->failed |= q->packets->failed;
}

void tk_uw_queue_release(struct tk_uw_queue *q)
{
    tk_in_order_drain(&q->order);
    for (size_t i = 0; i < TK_IN_ORDER_MOST; i++) {
        tk_vec_release(&q->parts[i].packets);
        tk_uw_bytes_release(&q->parts[i].bytes);
        tk_uw_bytes_release(&q->parts[i].out);
    }
    *q = (struct tk_uw_queue){0};
}

enum { PACK_ABOVE = 384, EXPANSION_MAX = 64, HEAD_MAX = 6, SPARE = 80, GROWTH = 255 };

void tk_uw_sink_memory(struct tk_uw_sink *sink, struct tk_uw_bytes *memory)
{
    memset(sink, 0, sizeof(*sink));
    sink->memory = memory;
}

void tk_uw_sink_write(struct tk_uw_sink *sink, const void *data, size_t size)
{
    if (sink->failed || !size)
        return;
    if (sink->memory) {
        tk_uw_raw(sink->memory, data, size);
        sink->failed = sink->memory->failed;
    } else if (!sink->write(sink->ctx, data, size)) {
        sink->failed = true;
    }
    sink->written += size;
}

int tk_uw_sink_close(struct tk_uw_sink *sink)
{
    if (sink->close && !sink->close(sink->ctx))
        sink->failed = true;
    sink->close = NULL;
    sink->memory = NULL;
    return sink->failed ? -1 : 0;
}

void tk_uw_metadata(struct tk_uw_bytes *block, uint8_t id, const void *data, uint8_t size)
{
    tk_uw_u8(block, size);
    tk_uw_u8(block, id);
    tk_uw_raw(block, data, size);
}

static const char *const magics[] = {[TK_UW_BARE] = "", [TK_UW_ECRT] = "ECRT", [TK_UW_2CRT] = "2CRT"};

void tk_uw_header(struct tk_uw_sink *sink, enum tk_uw_form form, const struct tk_uw_bytes *block,
                  uint8_t transport, uint8_t protocol)
{
    struct tk_uw_bytes head = {0};

    tk_uw_text(&head, magics[form]);
    if (form == TK_UW_2CRT) {
        tk_uw_u16(&head, (uint16_t)block->size);
        tk_uw_raw(&head, block->data, block->size);
    }
    tk_uw_u8(&head, transport);
    tk_uw_u8(&head, protocol);
    tk_uw_sink_write(sink, head.data, head.size);
    sink->failed = sink->failed || head.failed;
    tk_uw_bytes_release(&head);
}

static void store_u16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

void tk_uw_packets_fail(struct tk_uw_packets *packets)
{
    if (packets->later)
        packets->failed = true;
    else
        packets->sink->failed = true;
}

bool tk_uw_packets_failed(const struct tk_uw_packets *packets)
{
    return packets->failed || (!packets->later && packets->sink->failed);
}

/* Space for a payload that grows, as LZ4 does the same wherever it has as much. */
static size_t space_for(size_t size)
{
    const size_t capacity = size + size / GROWTH + SPARE;
    return capacity < TK_UW_PACKET_MAX ? capacity : TK_UW_PACKET_MAX;
}

size_t tk_uw_packet_space(size_t size)
{
    return HEAD_MAX + space_for(size);
}

/* Packs a payload into `out`: its bytes there, or 0 where it is to be sent as it is. */
static size_t pack(const struct tk_uw_packets *packets, const void *data, size_t size, uint8_t *out)
{
    if (packets->packing == TK_UW_PLAIN || (packets->packing == TK_UW_AUTO && size <= PACK_ABOVE))
        return 0;

    int packed = packets->level
                     ? LZ4_compress_HC(data, (char *)out, (int)size, (int)space_for(size), packets->level)
                     : LZ4_compress_default(data, (char *)out, (int)size, (int)space_for(size));

    return packed > 0 && (size_t)packed < size + EXPANSION_MAX ? (size_t)packed : 0;
}

static void write_counter(struct tk_uw_packets *packets)
{
    uint8_t bytes[8];

    packets->counter++;
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(packets->counter >> (8 * i));
    tk_uw_sink_write(packets->sink, bytes, sizeof(bytes));
}

/* The first two words of a packet; transport 2 has them the other way round. How many bytes there are. */
static size_t put_head(const struct tk_uw_packets *packets, uint8_t head[HEAD_MAX], size_t size,
                       unsigned word, size_t unpacked)
{
    size_t length = word & TK_UW_ENCODED ? HEAD_MAX : 4;
    bool swapped = packets->transport == 2;

    store_u16(head + (swapped ? 2 : 0), size + length);
    store_u16(head + (swapped ? 0 : 2), word);
    if (length == HEAD_MAX)
        store_u16(head + 4, unpacked);
    return length;
}

static bool is_counted(const struct tk_uw_packets *packets, uint16_t tid)
{
    return packets->verify && tid != TK_UW_TID_IMPORTANT;
}

size_t tk_uw_packet_make(const struct tk_uw_packets *packets, uint16_t tid, const void *data, size_t size,
                         uint8_t *out)
{
    const size_t packed = pack(packets, data, size, out + HEAD_MAX), stored = packed ? packed : size;
    const unsigned word = tid | (is_counted(packets, tid) ? TK_UW_PARTIAL : 0U);
    const size_t head = put_head(packets, out, stored, packed ? word | TK_UW_ENCODED : word, size);

    if (!packed)
        memcpy(out + head, data, size);
    return head + stored;
}

void tk_uw_packet(struct tk_uw_packets *packets, uint16_t tid, const void *data, size_t size)
{
    if (size > TK_UW_PACKET_MAX) {
        tk_uw_packets_fail(packets);
        return;
    }
    if (packets->transport == 1) {
        tk_uw_sink_write(packets->sink, data, size);
        return;
    }

    if (packets->later) {
        packets->later(packets->later_ctx, tid, data, size, false);
        return;
    }

    uint8_t *out = malloc(tk_uw_packet_space(size));
    if (!out) {
        tk_uw_packets_fail(packets);
        return;
    }
    tk_uw_sink_write(packets->sink, out, tk_uw_packet_make(packets, tid, data, size, out));
    free(out);
    if (is_counted(packets, tid))
        write_counter(packets);
}

void tk_uw_packet_copy(struct tk_uw_packets *packets, const void *packet, size_t size)
{
    if (packets->later)
        packets->later(packets->later_ctx, 0, packet, size, true);
    else
        tk_uw_sink_write(packets->sink, packet, size);
}

void tk_uw_sync(struct tk_uw_packets *packets)
{
    uint8_t head[HEAD_MAX];

    tk_uw_packet_copy(packets, head, put_head(packets, head, 0, TK_UW_TID_SYNC, 0));
}

/* Appending little-endian values to a growing run of bytes. */

void tk_uw_bytes_release(struct tk_uw_bytes *bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof(*bytes));
}

void tk_uw_bytes_clear(struct tk_uw_bytes *bytes)
{
    bytes->size = 0;
}

uint8_t *tk_uw_bytes_space(struct tk_uw_bytes *bytes, size_t count)
{
    if (bytes->failed)
        return NULL;
    if (!bytes->data || bytes->capacity - bytes->size < count) {
        size_t capacity = (bytes->capacity + count) * 2 + 64;
        uint8_t *data = realloc(bytes->data, capacity);

        if (!data) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->size;
}

void tk_uw_bytes_drop(struct tk_uw_bytes *bytes, size_t count)
{
    bytes->size -= count;
    if (bytes->size)
        memmove(bytes->data, bytes->data + count, bytes->size);
}

void tk_uw_uint(struct tk_uw_bytes *bytes, uint64_t value, unsigned count)
{
    uint8_t *at = tk_uw_bytes_space(bytes, count);

    if (!at)
        return;
    for (unsigned i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> (8 * i));
    bytes->size += count;
}

void tk_uw_u8(struct tk_uw_bytes *bytes, uint8_t value)
{
    tk_uw_uint(bytes, value, 1);
}

void tk_uw_u16(struct tk_uw_bytes *bytes, uint16_t value)
{
    tk_uw_uint(bytes, value, 2);
}

void tk_uw_u32(struct tk_uw_bytes *bytes, uint32_t value)
{
    tk_uw_uint(bytes, value, 4);
}

void tk_uw_u64(struct tk_uw_bytes *bytes, uint64_t value)
{
    tk_uw_uint(bytes, value, 8);
}

void tk_uw_f32(struct tk_uw_bytes *bytes, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_uw_u32(bytes, bits);
}

void tk_uw_f64(struct tk_uw_bytes *bytes, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_uw_u64(bytes, bits);
}

void tk_uw_raw(struct tk_uw_bytes *bytes, const void *data, size_t size)
{
    uint8_t *at = tk_uw_bytes_space(bytes, size);

    if (!at || !size)
        return;
    memcpy(at, data, size);
    bytes->size += size;
}

void tk_uw_numbers(struct tk_uw_bytes *bytes, const void *numbers, size_t size, unsigned width)
{
    const uint16_t one = 1;
    const unsigned flip = *(const uint8_t *)&one ? 0 : width - 1; /* widths are powers of two */
    const uint8_t *from = numbers;
    uint8_t *at = tk_uw_bytes_space(bytes, size);

    if (!at)
        return;
    for (size_t i = 0; i < size; i++)
        at[i] = from[i ^ flip];
    bytes->size += size;
}

void tk_uw_text(struct tk_uw_bytes *bytes, const char *text)
{
    tk_uw_raw(bytes, text, strlen(text));
}

void tk_uw_wide(struct tk_uw_bytes *bytes, const char *text)
{
    for (; *text; text++)
        tk_uw_u16(bytes, (uint8_t)*text);
}

void tk_uw_varint(struct tk_uw_bytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        tk_uw_u8(bytes, (uint8_t)(value | 0x80));
    tk_uw_u8(bytes, (uint8_t)value);
}
