/*
 * Whole .utrace files through the public library: all tables, now and then exports, strict reading, two jobs
 * and other questions.
 *
 * Packets are mutated unpacked and packed again; a few mutations are of the file as it is.
 */
#include "base/cursor.h"
#include "io/decompress.h"
#include "packets.h"
#include "rig.h"
#include "sink_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PACKETS = 256, CAPACITY = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i += 61)
        sum += data[i];
    fuzz_ask(data, size, NULL, 0,
             FUZZ_PART(size) | (sum % 16 == 0 ? FUZZ_EXPORT : 0) | (sum % 16 == 1 ? FUZZ_JOBS : 0) |
                 (sum % 16 == 2 ? FUZZ_STRICT : 0) | (sum % 16 == 3 ? FUZZ_QUESTION(sum / 16) : 0));
    return 0;
}

/* ---- packets, taken apart and put together ---- */

struct part {
    uint16_t tid; /* with its flag for partial ones */
    size_t n;
    uint8_t *p; /* owned, Space bytes */
};

struct parts {
    size_t head; /* bytes of the header */
    struct part v[MOST_PACKETS];
    size_t n;
};

static size_t head_size(const uint8_t *data, size_t size)
{
    size_t n = size >= 6 && memcmp(data, "2CRT", 4) == 0 ? 8u + tk_load16(data + 4) : 6;
    return n <= size && n >= 2 && (data[n - 2] == 3 || data[n - 2] == 4) ? n : 0;
}

static bool take_part(struct parts *parts, const uint8_t *p, size_t size)
{
    uint16_t tid = tk_load16(p + 2);
    struct part *part = &parts->v[parts->n];
    bool packed = tid & TK_UW_ENCODED;
    if (packed && size < 6)
        return false;
    *part = (struct part){.tid = tid & (uint16_t)~TK_UW_ENCODED, .p = malloc(CAPACITY)};
    part->n = packed ? tk_load16(p + 4) : size - 4;
    parts->n++;
    if (packed)
        return tk_lz4_block(part->p, part->n, p + 6, size - 6);
    memcpy(part->p, p + 4, part->n);
    return true;
}

static bool take_apart(struct parts *parts, const uint8_t *data, size_t size)
{
    size_t at = parts->head = head_size(data, size);
    while (at && at + 4 <= size && parts->n < MOST_PACKETS) {
        size_t n = tk_load16(data + at);
        if (n < 4 || n > size - at || !take_part(parts, data + at, n))
            break;
        at += n;
    }
    return parts->n > 0;
}

static size_t put_together(const struct parts *parts, uint8_t *data, size_t most, unsigned seed)
{
    struct tk_uw_bytes out = {0};
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {
        .sink = &sink, .transport = 4, .packing = seed & 1 ? TK_UW_PLAIN : TK_UW_AUTO};
    tk_uw_sink_memory(&sink, &out);
    tk_uw_sink_write(&sink, data, parts->head);
    for (size_t i = 0; i < parts->n; i++) {
        if (parts->v[i].tid == TK_UW_TID_SYNC)
            tk_uw_sync(&packets);
        else if (parts->v[i].n <= TK_UW_PACKET_MAX)
            tk_uw_packet(&packets, parts->v[i].tid, parts->v[i].p, parts->v[i].n);
    }
    size_t n = out.size <= most && !out.failed ? out.size : 0;
    if (n)
        memcpy(data, out.data, n);
    tk_uw_bytes_release(&out);
    return n;
}

static void mutate_part(struct part *part)
{
    part->n = LLVMFuzzerMutate(part->p, part->n, part->n + 64 < CAPACITY ? part->n + 64 : CAPACITY);
}

static void swap_parts(struct parts *parts, size_t i, size_t k)
{
    struct part kept = parts->v[i];
    parts->v[i] = parts->v[k];
    parts->v[k] = kept;
}

static void mutate_parts(struct parts *parts, unsigned seed)
{
    size_t i = seed / 16 % parts->n, k = seed / 4096 % parts->n;
    struct part *part = &parts->v[i];
    switch (seed / 2 % 8) {
    case 0:
        swap_parts(parts, i, k);
        break;
    case 1:
        free(part->p);
        *part = parts->v[--parts->n];
        break;
    case 2:
        part->tid = parts->v[k].tid;
        break;
    case 3:
        part->n = part->n * (seed / 4096 % 16) / 16;
        break;
    default:
        mutate_part(part);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct parts *parts = calloc(1, sizeof *parts);
    size_t n = 0;
    if (parts && seed % 8 && take_apart(parts, data, size)) {
        mutate_parts(parts, seed / 8);
        n = put_together(parts, data, most, seed / 8);
    }
    for (size_t i = 0; parts && i < parts->n; i++)
        free(parts->v[i].p);
    free(parts);
    return n ? n : LLVMFuzzerMutate(data, size, most);
}
