/*
 * Baseline file (.tkb): runs side by side, as bytes. Little-endian; "varint" is LEB128 of at most ten bytes,
 * "zigzag" a signed varint (n << 1 ^ n >> 63), "real" the 8 bytes of a double.
 *
 *   head      8 bytes 89 54 4B 42 0D 0A 1A 0A, u32 version
 *   section   4 bytes tag, u64 bytes of the payload, u64 checksum (tk_checksum of the payload; the seed
 *             is the tag as u32, and 0 in version 1), payload
 *
 *   NAME      varint n, then n texts: u8 encoding, varint bytes, bytes. Begins a run.
 *   RUN       u64 hash of the capture (its size, and all bytes or, of more than 1 MiB, 256 pieces of
 *             4096 bytes at equal distances), varint cycles per second, varint duration, varint frames of a
 *             block, varint n, then n items of the session: varint name of the key, varint name of the value
 *   HLTH      Optional: without it nothing was wrong with the capture, or nobody looked.
 *             varint n, then n kinds of faults: u8 tier (0 cut off, 1 lost events, 2 damage), varint count,
 *             varint name of the kind, varint name of the text
 *   INFO      Optional: what is known of the run in addition (run_info.h).
 *             varint n, n items: varint name of the key, varint name of the value
 *   FRAM      varint n, then n varint: cycles of each frame
 *   HITC      Optional: without it the frames are judged when they are read, and loading screens are not
 *             known.
 *             u8 rule (0 local), u8 1 where loading screens are known, varint hitches that count, then for
 *             frames in a row that are the same varint frames, u8 what they are (judge/hitches.h), and for
 *             each that is late varint cycles that it was expected to take
 *   WHYS      Optional: without it the reasons of hitches are not known.
 *             varint n, n hitches in order: varint number of the frame in the run (as in PLAC), varint number
 *             in its capture, u8 role of the thread (judge/work.h), varint name of the class of threads or
 *             the queue, varint name of the timer that grew most, real ms more than typical frames, then its
 *             cause, which is what the thread waited for where that is known: u8 role, varint name of the
 *             class of threads, varint name of the timer, real ms by which it grew
 *   METR      Optional: metrics of the user, as they were measured.
 *             varint n, n metrics: varint name, varint name of the unit, u8 what is better and u8 source
 *             (query/metrics.h), u64 hash of the definition, u8 1 where it has a value, real value, real
 *             floor in its unit, real floor as a part
 *   VALU      Optional: what the series come to, for those who ask no more of a run: it is read without what
 *             follows.
 *             varint n, n values in the order of their series: u8 kind, varint name, group, varint 1 + name
 *             of the timer that calls it most or 0 (of a counter: 1 + its own name where it only rises and
 *             the value is its increase a frame), then what struct tk_run_value says: of timers and passes
 *             zigzag, of loading varint, of memory and counters real
 *   PLAC      Optional: of runs that have only some frames of their capture.
 *             for each frame its varint number in the capture, and real ms from its start to its begin
 *   SEGM      Optional: without it blocks are as long as they may be.
 *             varint n, n varint: cycles before each frame, since the end of the one before it or the start
 *             varint n, n blocks: varint frames, u8 part of the run
 *             varint names of regions that there was no space for
 *             varint n, n segments: u8 kind, varint name, a bit for each block, the first one lowest
 *   PATH      Optional.
 *             varint n, n paths: varint 1 + index of the parent or 0, varint index of the series, varint
 *             count, zigzag own, u8 1 where it is reported, then zigzag own in each of 8 parts
 *   SRCP      Optional: timers that have several places of the sources.
 *             varint n, n timers in their order: varint index of the series, varint n, n places: varint file,
 *             line, count, zigzag own, u8 1 where there are blocks, and these
 *   GRFR      Optional: timers whose frames were looked at one by one.
 *             varint n, n timers in their order: varint index of the series, varint cycles that a frame
 *             counts as at most (0: no limit), varint n, n frames beyond it in their order: varint number in
 *             the run less that of the one before, varint cycles beyond the limit
 *   CELL      Optional: where frames were drawn (baseline.h). Its texts are inside, as versions before keep
 *             it as it is.
 *             varint bytes and name of what has the positions, real length of a step, then for frames in a
 * row that are at one place varint frames, u8 1 where it is known, and then zigzag steps of x, y and z from
 * the place before SERI      varint n, n series, as below. Ends the run END       varint number of runs; the
 * last section
 *
 * A series is
 *
 *   u8 kind, u8 kind of timer,
 *   u8 flags (1: blocks, 2: reals, 4: parts, 8: no calls and no sketch, 16: the file is part of what it is),
 *   varint name, group, file, line, count
 *   sums      timers, passes, loading: varint total, incl; zigzag own; varint min, max
 *   calls     timers, passes with a count of 64 or less: varint each, ascending, less the one before
 *   sketch    timers, passes with more: varint first bucket, varint n, n buckets that are not empty: varint
 *             gap before it * 4 + 0 to 2 for counts of 1 to 3, or + 3 and varint count - 4
 *   values    counters, memory: real first, last, low, high
 *   blocks    zigzag own cycles; of values real sum and varint number; of errors and samples varint number
 *   parts     8 times varint count, total
 *
 * Numbers of blocks and parts have their zeros in runs: a zero is followed by varint how many more there are,
 * inside of one list. Sections of other tags are skipped, so that later versions can add some without a new
 * version number; a file with such a section is not written anew, which would lose it. Version 1 has no SEGM
 * and PATH, no loading, zeros one by one, and a sketch is varint first bucket, varint n, n varint counts.
 * Version 3 is that of files with a series without calls, as runs have that were cut to some of their frames,
 * version 4 that of files with samples; version 5 has HITC and is what is written.
 */
#ifndef TK_COMPARE_BASELINE_BASELINE_FILE_H
#define TK_COMPARE_BASELINE_BASELINE_FILE_H

#include "compare/baseline/baseline.h"

#define TK_BASELINE_VERSION 5u
#define TK_BASELINE_HEAD    12u

/* Blocks of all series of a run, or of all its paths: more are neither written nor believed. */
#define TK_BASELINE_MOST_BLOCKS (UINT64_C(1) << 26)

/* Flags of a series. */
enum {
    TK_BASELINE_BLOCKS = 1,
    TK_BASELINE_REALS = 2,
    TK_BASELINE_PARTS = 4,
    TK_BASELINE_NO_CALLS = 8,
    TK_BASELINE_BY_FILE = 16
};

struct tk_baseline_bytes {
    uint8_t *v; /* owned */
    size_t n, cap;
};

/* Are these the first bytes of a baseline? */
bool tk_baseline_probe_bytes(const uint8_t *head, size_t n);

/* The checksum of a section in files of this version. */
uint64_t tk_baseline_checksum(const void *tag, const void *payload, size_t n);

/* Where the bytes of a file come from. */
struct tk_baseline_source {
    uint64_t size;
    /* All n bytes at a place within the size: TK_OK, or negative. */
    int (*read)(void *ctx, uint64_t at, void *to, size_t n, struct tk_err *err);
    void *ctx;
};

/* Appends the whole file to `out`. The same runs give the same bytes. TK_OK; with nothing appended
 * TK_ELIMIT for a run with too many blocks, TK_EUSAGE for a brief one; TK_ENOMEM. */
int tk_baseline_encode(const struct tk_baseline *b, struct tk_baseline_bytes *out, struct tk_err *err);

/* The same for a copy in memory, which may lack sections that are not known. */
int tk_baseline_encode_copy(const struct tk_baseline *b, struct tk_baseline_bytes *out, struct tk_err *err);

/* Adds the runs of a file, or none of them. TK_OK; TK_EFORMAT (newer version, wrong checksum, cut off,
 * contradictions); TK_EUSAGE (a run that is there already); TK_ENOMEM. */
int tk_baseline_decode(struct tk_baseline *b, const void *p, size_t n, struct tk_err *err);

/* The same with bytes of malloc, which it takes, also when it fails: a run that is alone in them keeps them
 * instead of copies. */
int tk_baseline_decode_own(struct tk_baseline *b, uint8_t *p, size_t n, struct tk_err *err);

/* Adds the runs of a file with their values alone, or none of them; what has more of the runs is neither read
 * nor checked. 1; 0 where the values of a run are not in the file, as programs of before wrote it; else what
 * tk_baseline_decode and the source return. */
int tk_baseline_decode_values(struct tk_baseline *b, const struct tk_baseline_source *from,
                              struct tk_err *err);

#endif
