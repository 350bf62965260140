/*
 * Clocks of a Perfetto trace, and how times of one become times of the trace (import 5.3).
 */
#ifndef TK_FORMAT_PERFETTO_CLOCKS_H
#define TK_FORMAT_PERFETTO_CLOCKS_H

#include "base/hash.h"
#include "base/vec.h"
#include "format/perfetto/message.h"

enum { TK_PF_MONOTONIC = 3, TK_PF_BOOTTIME = 6 };

/* A clock as a key: those of a sequence are its own. */
static inline uint64_t tk_pf_clock_key(uint64_t clock, uint32_t sequence)
{
    return clock >= 64 && clock < 128 ? (uint64_t)sequence << 32 | clock : clock & UINT32_MAX;
}

struct tk_pf_clock {
    uint64_t key;
    uint64_t unit; /* nanoseconds */
    bool incremental;
    bool set;      /* a snapshot was seen since the events are gone through: differences have a base */
    int64_t value; /* of an incremental one: the last time */
};

/* A clock in a snapshot. */
struct tk_pf_reading {
    uint32_t clock, snapshot;
    int64_t ns;
};

/* Zero-initialise all but `trace`. */
struct tk_pf_clocks {
    uint64_t trace; /* key of the clock of the trace */
    bool has_trace; /* some snapshot has it */
    TK_VEC(struct tk_pf_clock) clocks;
    struct tk_map index;                   /* key to clock */
    uint64_t asked_key;                    /* the last one looked up */
    uint32_t asked_clock;                  /* its clock + 1; 0: ask the index */
    TK_VEC(struct tk_pf_reading) readings; /* snapshot after snapshot */
    uint32_t snapshots;
    /* The last conversion, and from when to when it holds. */
    bool known;
    uint64_t known_key;
    int64_t from, to, add;
};

enum tk_pf_converted { TK_PF_CONVERTED, TK_PF_AS_IT_IS, TK_PF_UNKNOWN_CLOCK };

/* A snapshot. collect: its readings are kept; else only incremental clocks are set. 1; -1: broken; -2: out of
 * memory. */
int tk_pf_clocks_snapshot(struct tk_pf_clocks *c, struct tk_bytes message, uint32_t sequence, bool collect);

/* A time as a packet has it. Changes incremental clocks. */
enum tk_pf_converted tk_pf_clocks_time(struct tk_pf_clocks *c, uint64_t value, uint64_t key, int64_t *out);

/* Nanoseconds of a clock. */
enum tk_pf_converted tk_pf_clocks_convert(struct tk_pf_clocks *c, int64_t ns, uint64_t key, int64_t *out);

/* Are times of a clock differences? */
bool tk_pf_clocks_is_incremental(const struct tk_pf_clocks *c, uint64_t key);

void tk_pf_clocks_release(struct tk_pf_clocks *c);

#endif
