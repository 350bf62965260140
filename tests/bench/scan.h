/*
 * A whole capture in memory and its packets, for the benchmarks that need no more than that. Reads transports
 * 3 and 4 behind either magic; a packet that does not fit ends the scan.
 */
#ifndef TK_BENCH_SCAN_H
#define TK_BENCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_prescan {
    uint8_t *data; /* owned */
    size_t size;
    size_t at;     /* of the next packet */
    size_t header; /* bytes before the first packet */
    uint8_t protocol;
};

struct tk_prescan_packet {
    const uint8_t *whole; /* borrowed from the scan; with its head */
    size_t whole_size;
    const uint8_t *payload;
    size_t size;
    size_t unpacked; /* size of the payload when unpacked */
    uint16_t tid;
    bool encoded;
};

enum { TK_PRESCAN_UNPACKED_MAX = 65536, TK_PRESCAN_SYNC = 0x3fff };

/* Reads a whole file; *data is the caller's, even after a failure. Returns 0, or -1 with a message on
 * standard error. */
int tk_bench_read(const char *path, uint8_t **data, size_t *size);

/* Reads the file. Returns 0, or -1 with a message on standard error. */
int tk_prescan_open(struct tk_prescan *scan, const char *path);
void tk_prescan_release(struct tk_prescan *scan);

/* Takes the next packet. Returns 1, or 0 at the end. */
int tk_prescan_next(struct tk_prescan *scan, struct tk_prescan_packet *packet);

/*
 * The packet's bytes, unpacked into `space` (TK_PRESCAN_UNPACKED_MAX bytes) if they are packed. Returns NULL
 * for a block that does not unpack to what the packet says.
 */
const uint8_t *tk_prescan_unpack(const struct tk_prescan_packet *packet, uint8_t *capacity);

#endif
