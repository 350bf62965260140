/*
 * Picks the CPU batches out of a capture: enough of the format to walk over all records of all threads, and
 * no more.
 *
 *   tid 0     u16 0, u16 size, declaration                                       wire 3.6 to 3.8
 *   threads   u16 uid * 2 + 1 [u24 serial] scalar fields                          wire 3.5
 *             u32 02 | index << 8 | size << 13, data;  06 ends the values
 *             scope records of 1, 8 or 9 bytes
 *
 * A thread that does not parse is left alone from there on.
 */
#include "batches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UIDS = 32768, TIDS = 16384, OPEN_MAX = 64, AUX = 2, NOSYNC = 4 };

struct type {
    bool known;
    bool batch;
    uint8_t flags;
    size_t size;
};

struct lane {
    uint8_t *data; /* owned; not parsed yet */
    size_t size;
    size_t capacity;
    uint8_t *batch; /* owned; values of the batch that is open */
    size_t batch_size;
    size_t batch_space;
    unsigned open; /* events whose values have not ended */
    bool is_batch[OPEN_MAX];
    bool broken;
};

struct collector {
    struct tk_batches *batches;
    uint8_t protocol;
    bool failed;
    struct type types[UIDS];
    struct lane lanes[TIDS];
};

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t load_u16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

/* Appends, or marks the collection as failed. */
static void append(struct collector *all, uint8_t **data, size_t *size, size_t *capacity, const void *more,
                   size_t count)
{
    if (*capacity - *size < count + TK_BATCHES_PADDING) {
        size_t wanted = (*capacity + count + TK_BATCHES_PADDING) * 2;
        uint8_t *moved = realloc(*data, wanted);

        if (!moved) {
            all->failed = true;
            return;
        }
        *data = moved;
        *capacity = wanted;
    }
    if (count)
        memcpy(*data + *size, more, count);
    *size += count;
}

/* The bytes of the scalar fields, from the field records. */
static size_t scalar_bytes(const uint8_t *fields, unsigned count, bool wide)
{
    size_t size = 0;

    for (unsigned i = 0; i < count; i++, fields += wide ? 8 : 6) {
        if (!wide)
            size += load_u16(fields + 2);
        else if (fields[0] == 0)
            size += load_u16(fields + 4);
        else
            size += (size_t)1 << (fields[fields[0] == 1 ? 6 : 7] & 3);
    }
    return size;
}

static void note_batch(struct collector *all, struct type *type, const uint8_t *name, size_t length)
{
    static const char *const names[] = {"EventBatch", "EventBatchV2", "EventBatchV3"};

    for (unsigned i = 0; i < 3; i++) {
        if (length != strlen(names[i]) || memcmp(name, names[i], length) != 0)
            continue;
        type->batch = true;
        all->batches->shift = i ? 2 : 1;
    }
}

static void declare(struct collector *all, const uint8_t *at, size_t size)
{
    static const char logger[] = "CpuProfiler";
    bool wide = all->protocol >= 6;
    size_t names = size < 6 ? 0 : 6 + at[2] * (wide ? 8U : 6U);

    if (!names || names + at[4] + at[5] > size || load_u16(at) >= UIDS)
        return;

    struct type *type = &all->types[load_u16(at)];

    *type = (struct type){.known = true, .flags = at[3], .size = scalar_bytes(at + 6, at[2], wide)};
    if (at[4] == sizeof(logger) - 1 && memcmp(at + names, logger, at[4]) == 0)
        note_batch(all, type, at + names + at[4], at[5]);
}

static size_t parse_declarations(struct collector *all, const uint8_t *data, size_t size)
{
    size_t at = 0;

    while (size - at >= 4 && size - at - 4 >= load_u16(data + at + 2)) {
        declare(all, data + at + 4, load_u16(data + at + 2));
        at += 4 + load_u16(data + at + 2);
    }
    return at;
}

static void keep_batch(struct collector *all, struct lane *lane)
{
    struct tk_batches *batches = all->batches;

    if (!lane->batch_size)
        return;
    append(all, &batches->data, &batches->size, &batches->capacity, lane->batch, lane->batch_size);
    lane->batch_size = 0;
    if (batches->count == batches->ends_space) {
        size_t capacity = batches->ends_space * 2 + 1024;
        size_t *ends = realloc(batches->ends, capacity * sizeof(*ends));

        if (!ends) {
            all->failed = true;
            return;
        }
        batches->ends = ends;
        batches->ends_space = capacity;
    }
    batches->ends[batches->count++] = batches->size;
}

/* Each of these returns the length of the record at `at`, or 0 when it is not all there. */

static size_t parse_event(struct collector *all, struct lane *lane, const uint8_t *at, size_t left)
{
    const struct type *type = left < 2 ? NULL : &all->types[load_u16(at) >> 1];
    size_t size = type ? 2 + type->size + (type->flags & NOSYNC ? 0 : 3) : 0;

    if (!type || !type->known || left < size)
        return 0;
    if (type->flags & AUX) {
        lane->broken = lane->open == OPEN_MAX;
        if (!lane->broken)
            lane->is_batch[lane->open++] = type->batch;
    }
    return size;
}

static size_t parse_value(struct collector *all, struct lane *lane, const uint8_t *at, size_t left)
{
    size_t size = left < 4 ? 0 : load_u32(at) >> 13;

    if (left < 4 || left - 4 < size)
        return 0;
    if (lane->open && lane->is_batch[lane->open - 1])
        append(all, &lane->batch, &lane->batch_size, &lane->batch_space, at + 4, size);
    return 4 + size;
}

static size_t parse_end(struct collector *all, struct lane *lane)
{
    if (lane->open && lane->is_batch[--lane->open])
        keep_batch(all, lane);
    return 1;
}

static size_t scope_record(const struct collector *all, uint8_t code)
{
    static const uint8_t sizes[2][0x20] = {
        {[0x08] = 1, [0x0a] = 1, [0x10] = 8, [0x18] = 8},
        {[0x08] = 1, [0x0a] = 1, [0x0c] = 9, [0x0e] = 9, [0x10] = 8, [0x12] = 8},
    };

    return code < 0x20 ? sizes[all->protocol >= 7][code] : 0;
}

static size_t parse_record(struct collector *all, struct lane *lane, const uint8_t *at, size_t left)
{
    if (at[0] & 1)
        return parse_event(all, lane, at, left);
    if (at[0] == 0x02)
        return parse_value(all, lane, at, left);
    if (at[0] == 0x06)
        return parse_end(all, lane);

    size_t size = scope_record(all, at[0]);

    lane->broken = size == 0;
    return size <= left ? size : 0;
}

static size_t parse_records(struct collector *all, struct lane *lane, const uint8_t *data, size_t size)
{
    size_t at = 0;

    while (at < size && !lane->broken) {
        size_t length = parse_record(all, lane, data + at, size - at);

        if (!length)
            break;
        at += length;
    }
    return at;
}

static void take_packet(struct collector *all, unsigned tid, const uint8_t *data, size_t size)
{
    struct lane *lane = &all->lanes[tid];

    if (lane->broken || tid == 1)
        return;
    append(all, &lane->data, &lane->size, &lane->capacity, data, size);

    size_t used = tid ? parse_records(all, lane, lane->data, lane->size)
                      : parse_declarations(all, lane->data, lane->size);

    lane->size -= used;
    memmove(lane->data, lane->data + used, lane->size);
}

static void take_all(struct collector *all, struct tk_prescan *scan)
{
    static uint8_t capacity[TK_PRESCAN_UNPACKED_MAX];
    struct tk_prescan_packet packet;

    scan->at = scan->header;
    while (!all->failed && tk_prescan_next(scan, &packet) == 1) {
        const uint8_t *data = packet.tid == TK_PRESCAN_SYNC ? NULL : tk_prescan_unpack(&packet, capacity);

        if (data)
            take_packet(all, packet.tid, data, packet.unpacked);
    }
}

int tk_batches_collect(struct tk_batches *batches, struct tk_prescan *scan)
{
    struct collector *all = calloc(1, sizeof(*all));
    bool failed = true;

    memset(batches, 0, sizeof(*batches));
    if (all && scan->protocol >= 5 && scan->protocol <= 7) {
        all->batches = batches;
        all->protocol = scan->protocol;
        take_all(all, scan);
        failed = all->failed || batches->count == 0;
        for (unsigned i = 0; i < TIDS; i++) {
            free(all->lanes[i].data);
            free(all->lanes[i].batch);
        }
    }
    free(all);
    if (failed)
        fputs("no CPU batches collected\n", stderr);
    return failed ? -1 : 0;
}

void tk_batches_release(struct tk_batches *batches)
{
    free(batches->data);
    free(batches->ends);
    memset(batches, 0, sizeof(*batches));
}
