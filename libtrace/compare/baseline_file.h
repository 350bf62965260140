/*
 * Baseline file (.tkb): runs side by side, as bytes. Little-endian; "varint" is LEB128 of at most ten bytes,
 * "zigzag" a signed varint (n << 1 ^ n >> 63), "real" the 8 bytes of a double.
 *
 *   head      8 bytes 89 54 4B 42 0D 0A 1A 0A, u32 version
 *   section   4 bytes tag, u64 bytes of the payload, u64 checksum (tk_hash_bytes of the payload; the seed
 *             is the tag as u32, and 0 in version 1), payload
 *
 *   NAME      varint n, then n texts: u8 encoding, varint bytes, bytes. Begins a run.
 *   RUN       u64 hash of the capture, varint cycles a second, varint duration, varint frames of a block,
 *             varint n, then n items of the session: varint name of the key, varint name of the value
 *   FRAM      varint n, then n varint: cycles of each frame
 *   SEGM      varint n, n varint: cycles before each frame, since the end of the one before it or the start
 * of the capture; varint n, n times varint frames of a block, u8 its part; varint names of regions that there
 * was no room for; varint n, then n segments: u8 kind, varint name, a bit for each block, the first one
 * lowest. Optional: without it blocks are as long as they may be PATH      varint n, then n paths: varint 1 +
 * index of the parent or 0, varint index of the series, varint count, zigzag own, u8 1 where it is told, then
 * zigzag own cycles in each of 8 parts. Optional SERI      varint n, then n series. Ends the run: u8 kind, u8
 * kind of timer, u8 flags (1: blocks, 2: reals, 4: parts), varint name, group, file, line varint count
 * timers, passes, loading: varint total, incl; zigzag own; varint min, max; timers and passes, when count <=
 * 64: count varint (ascending, each the difference from the one before), else varint first bucket, varint n,
 * n varint: the sketch; blocks: zigzag own cycles each counters and memory: real first, last, low, high;
 * blocks: real sum, varint values each errors: blocks: varint each parts: of each of 8 parts varint count,
 * total END       varint number of runs; the last section
 *
 * Sections of other tags are skipped, so that later versions can add some without a new version number.
 * Version 1 has no SEGM and PATH, and no loading.
 */
#ifndef TK_COMPARE_BASELINE_FILE_H
#define TK_COMPARE_BASELINE_FILE_H

#include "compare/baseline.h"

#define TK_BASELINE_VERSION 2u
#define TK_BASELINE_HEAD    12u

struct tk_bytes {
    uint8_t *v; /* owned */
    size_t n, cap;
};

/* Are these the first bytes of a baseline? */
bool tk_baseline_probe_bytes(const uint8_t *head, size_t n);

/* The checksum of a section in files of this version. */
uint64_t tk_baseline_checksum(const void *tag, const void *payload, size_t n);

/* Appends the whole file to `out`. The same runs give the same bytes. TK_OK or TK_ENOMEM. */
int tk_baseline_encode(const struct tk_baseline *b, struct tk_bytes *out, struct tk_err *err);

/* Adds the runs of a file. TK_OK; TK_EFORMAT (newer version, wrong checksum, cut off, contradictions);
 * TK_EUSAGE (a run that is there already); TK_ENOMEM. */
int tk_baseline_decode(struct tk_baseline *b, const void *p, size_t n, struct tk_err *err);

#endif
