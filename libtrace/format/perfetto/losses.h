/*
 * Losses that the recorder announces (import2 7): marks in sequences, and its own statistics. They are no
 * damage of the file.
 */
#ifndef TK_FORMAT_PERFETTO_LOSSES_H
#define TK_FORMAT_PERFETTO_LOSSES_H

#include "base/vec.h"
#include "format/perfetto/message.h"
#include "base/health/health.h"

enum { TK_PF_REASONS = 9 }; /* bits of previous_packet_dropped; the first says only that there was a loss */

/* Of a sequence: what its packets say of those in front of them. */
struct tk_pf_marks {
    bool begun;     /* a packet of it was seen */
    bool has_first; /* one was marked as the first of all */
    uint64_t count, at, reasons[TK_PF_REASONS];
};

enum { TK_PF_CORE_COUNTS = 3 };

/* Statistics of the kernel on one core when recording began and ended. */
struct tk_pf_core_stats {
    bool ended;
    uint64_t begin[TK_PF_CORE_COUNTS], end[TK_PF_CORE_COUNTS];
};

/* Losses that packets announce one by one, added up. */
enum { TK_PF_SINGLE_LOSSES = 12 };

struct tk_pf_losses {
    bool first_marked;     /* the recorder marks first packets of sequences */
    TK_VEC(uint8_t) stats; /* the last TraceStats: its counts are totals */
    TK_VEC(struct tk_pf_core_stats) cores;
    struct {
        uint64_t count, at;
    } single[TK_PF_SINGLE_LOSSES];
};

/* A packet of a sequence: dropped: its mark; first: it says that it is the first of all. */
void tk_pf_losses_mark(struct tk_pf_losses *l, struct tk_pf_marks *m, uint64_t dropped, bool first,
                       uint64_t offset);

/* A field of a packet that may announce losses. 1; -2: out of memory. */
int tk_pf_losses_take(struct tk_pf_losses *l, const struct tk_pf_field *f, uint64_t offset);

/* Notes the losses of a sequence, and of all statistics. */
void tk_pf_losses_tell_sequence(const struct tk_pf_losses *l, const struct tk_pf_marks *m, uint32_t sequence,
                                struct tk_health *health);
void tk_pf_losses_tell(const struct tk_pf_losses *l, struct tk_health *health);

void tk_pf_losses_release(struct tk_pf_losses *l);

#endif
