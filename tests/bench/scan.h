/*
 * A whole capture in memory and its packets, for the benchmarks that need no more than that. Reads transports
 * 3 and 4 behind either magic; a packet that does not fit ends the scan.
 */
#ifndef TK_BENCH_SCAN_H
#define TK_BENCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_scan {
    uint8_t *data; /* owned */
    size_t size;
    size_t at;     /* of the next packet */
    size_t header; /* bytes before the first packet */
    uint8_t protocol;
};

struct tk_scan_packet {
    const uint8_t *whole; /* borrowed from the scan; with its head */
    size_t whole_size;
    const uint8_t *payload;
    size_t size;
    size_t unpacked; /* size of the payload when unpacked */
    uint16_t tid;
    bool encoded;
};

enum { TK_SCAN_UNPACKED_MAX = 65536, TK_SCAN_SYNC = 0x3fff };

/* Reads the file. Returns 0, or -1 with a message on standard error. */
int tk_scan_open(struct tk_scan *scan, const char *path);
void tk_scan_release(struct tk_scan *scan);

/* Takes the next packet. Returns 1, or 0 at the end. */
int tk_scan_next(struct tk_scan *scan, struct tk_scan_packet *packet);

/*
 * The packet's bytes, unpacked into `room` (TK_SCAN_UNPACKED_MAX bytes) if they are packed. Returns NULL for
 * a block that does not unpack to what the packet says.
 */
const uint8_t *tk_scan_unpack(const struct tk_scan_packet *packet, uint8_t *room);

#endif
