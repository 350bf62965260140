/*
 *
 *   "ECRT", or "2CRT", u16 size, metadata; u8 transport, u8 protocol            wire 1
 *   packets: u16 size, u16 tid | flags [u16 unpacked size], payload              wire 2.3
 */
#include "scan.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TID_MASK = 0x3fff, ENCODED = 0x8000 };

static size_t load_u16(const uint8_t *at)
{
    return (size_t)at[0] | (size_t)at[1] << 8;
}

int tk_bench_read(const char *path, uint8_t **data, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    int status = -1;

    if (file && fstat(fileno(file), &info) == 0) {
        *size = (size_t)info.st_size;
        *data = malloc(*size + 1);
        if (*data && fread(*data, 1, *size, file) == *size)
            status = 0;
    }
    if (file)
        fclose(file);
    if (status < 0)
        fprintf(stderr, "cannot read '%s'\n", path);
    return status;
}

static int read_header(struct tk_prescan *scan)
{
    size_t versions = 4;

    if (scan->size < 8)
        return -1;
    if (memcmp(scan->data, "2CRT", 4) == 0)
        versions = 6 + load_u16(scan->data + 4);
    else if (memcmp(scan->data, "ECRT", 4) != 0)
        return -1;
    if (versions + 2 > scan->size || scan->data[versions] < 3 || scan->data[versions] > 4)
        return -1;
    scan->protocol = scan->data[versions + 1];
    scan->header = scan->at = versions + 2;
    return 0;
}

int tk_prescan_open(struct tk_prescan *scan, const char *path)
{
    memset(scan, 0, sizeof(*scan));
    if (tk_bench_read(path, &scan->data, &scan->size) < 0)
        return -1;
    if (read_header(scan) < 0) {
        fprintf(stderr, "no capture with transport 3 or 4: '%s'\n", path);
        return -1;
    }
    return 0;
}

void tk_prescan_release(struct tk_prescan *scan)
{
    free(scan->data);
    scan->data = NULL;
}

int tk_prescan_next(struct tk_prescan *scan, struct tk_prescan_packet *packet)
{
    const uint8_t *at = scan->data + scan->at;
    size_t left = scan->size - scan->at;
    size_t head = left >= 4 && (load_u16(at + 2) & ENCODED) ? 6 : 4;

    if (left < head || load_u16(at) < head || load_u16(at) > left)
        return 0;
    packet->whole = at;
    packet->whole_size = load_u16(at);
    packet->payload = at + head;
    packet->size = packet->whole_size - head;
    packet->tid = (uint16_t)(load_u16(at + 2) & TID_MASK);
    packet->encoded = head == 6;
    packet->unpacked = packet->encoded ? load_u16(at + 4) : packet->size;
    scan->at += packet->whole_size;
    return 1;
}

const uint8_t *tk_prescan_unpack(const struct tk_prescan_packet *packet, uint8_t *capacity)
{
    if (!packet->encoded)
        return packet->payload;

    int size = LZ4_decompress_safe((const char *)packet->payload, (char *)capacity, (int)packet->size,
                                   TK_PRESCAN_UNPACKED_MAX);

    return size >= 0 && (size_t)size == packet->unpacked ? capacity : NULL;
}
